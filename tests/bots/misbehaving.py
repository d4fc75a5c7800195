"""A bot that keeps to the interface until its K-th question, and then does not.

``misbehaving.py DEED K``: it takes the last action that is offered (stand, or pass at a tie), and
does DEED instead of answering question K. Counted anew each time it is started. With ``K = 0`` it
does it instead of greeting.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time


def say(text: str) -> None:
    print(text, flush=True)


def hang() -> None:
    while True:
        time.sleep(1000)


def child(*, keeps: bool) -> None:
    """Start a child that outlives us and *keeps* our pipes open, and end."""
    pipes = None if keeps else subprocess.DEVNULL
    subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(1000)"],
        stdin=pipes,
        stdout=pipes,
        stderr=pipes,
    )
    sys.exit(3)


def do(deed: str, number: str) -> None:
    match deed:
        case "hang":
            hang()
        case "crash":
            print("it hurts\x1b[31m", file=sys.stderr)
            sys.exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "garbage":
            say("I stand!")
        case "bytes":
            os.write(1, b"act \xff\xfe\n")
        case "long":
            say("x" * 1001)
        case "endless":
            while True:
                os.write(1, b"x" * 4096)
        case "flood":
            while True:
                os.write(1, b"act 1 1\n" * 1000)
        case "stderr":
            while True:
                os.write(2, b"\x1b[2J" * 1000)
        case "close-output":
            os.close(1)
            hang()
        case "close-input":
            os.close(0)
            hang()
        case "illegal":
            say(f"act {number} 99")
        case "other-question":
            say(f"act {int(number) + 1} 1")
        case "gives-up":
            say("error no more ideas\x1b[0m")
        case "concede":
            say(f"concede {number}")
        case "child":
            child(keeps=True)
        case "detached-child":
            child(keeps=False)
        case "stays":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            say(f"act {number} 1")
            hang()
        case _:
            raise AssertionError(deed)


def main(deed: str, at: int) -> None:
    if at == 0:
        do(deed, "0")
    asked, number, last = 0, "", ""
    for line in sys.stdin:
        words = line.split()
        if words[0] == "pazaak-bot":
            say("pazaak-bot 1\nname misbehaving\nready")
        elif words[0] == "choose":
            asked += 1
            number = words[1]
        elif words[0] == "action":
            last = words[1]
        elif words[0] == "end" and number:
            if asked == at:
                do(deed, number)
            else:
                say(f"act {number} {last}")
            number = ""
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
