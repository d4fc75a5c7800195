#!/usr/bin/env python3
"""A pazaak bot in Python, with nothing but the standard library. See ../bot-interface.md.

    pazaak play --bot "cmd:protocol/examples/bot.py"

Over TCP, for as many as come:

    protocol/examples/bot.py --listen 9000
    pazaak play --bot tcp:127.0.0.1:9000
"""

import contextlib
import socket
import sys
import threading

OPTIONS = {"risk": "17"}


def blocks(lines):
    """The other side's words: lists of lines, each line a list of words."""
    block = []
    for line in lines:
        words = line.split()
        if words[:1] in (["quit"], ["error"]):
            return
        if words == ["end"]:
            yield block
            block = []
        else:
            block.append(words)


def greet(hello, options, say):
    if hello[0] != ["pazaak-bot", "1"]:
        say("error I speak version 1")
        return False
    for _, name, value in hello[1:]:
        if name not in options or not value.isdigit():
            say(f"error the options are {', '.join(options)}, and take numbers")
            return False
        options[name] = value
    told = [f"option {name} {value}" for name, value in options.items()]
    say("\n".join(["pazaak-bot 1", "name Python example", "version 1", *told, "ready"]))
    return True


def choose(question, options):
    """The number of the action to take."""
    fields = {words[0]: words[1:] for words in question}
    actions = [words[1:] for words in question if words[0] == "action"]
    if fields["phase"] == ["tie"]:
        return actions[0][0]  # the tiebreaker, if we hold it
    total, theirs = int(fields["my-total"][0]), int(fields["their-total"][0])
    goal = theirs + 1 if fields["their-stands"] == ["yes"] else int(options["risk"])
    if goal <= total <= 20:
        return next(number for number, kind, *_ in actions if kind == "stand")
    made = [(int(rest[2]), number) for number, kind, *rest in actions if kind == "play"]
    good = [play for play in made if play[0] <= 20 and (total > 20 or play[0] >= goal)]
    if good:
        return max(good)[1]
    return next(number for number, kind, *_ in actions if kind == "end")


def play(lines, say):
    said, options = blocks(lines), dict(OPTIONS)
    if greet(next(said, [[]]), options, say):
        for block in said:
            if block[0][0] == "choose":
                say(f"act {block[0][1]} {choose(block, options)}")


def serve(connection):
    with (
        contextlib.suppress(OSError),  # whoever comes may go at any moment
        connection,
        connection.makefile("rw", encoding="utf-8") as stream,
    ):
        play(stream, lambda text: print(text, file=stream, flush=True))


def listen(port):
    with socket.create_server(("127.0.0.1", port)) as server:
        print(f"listening on 127.0.0.1:{server.getsockname()[1]}", flush=True)
        while True:
            connection, _ = server.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--listen"]:
        listen(int(sys.argv[2]))
    else:
        sys.stdin.reconfigure(encoding="utf-8")
        play(sys.stdin, lambda text: print(text, flush=True))
