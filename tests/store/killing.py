"""A program that is killed before and after each thing that it asks the system for.

``python -m tests.store.killing SCENARIO FOLDER`` runs the scenario again and again, each time in a
folder and a process of its own that sends itself SIGKILL one step later than the one before, until
one comes to its end. It prints a line of JSON for each: what the process had reported until then.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

from pazaak_p2p.store import Journal
from tests.store.keeping import MATCH_ID, interrupted, secrets

BURSTS: Final = (b"header offer accept ", b"one ", b"two and " * 50, b"three ", b"concession ")
KEPT: Final = b"what was said before "
TAIL: Final = b"an end that was none"
# By the names that the functions in C have.
_ASKED: Final = {
    "close",
    "fdatasync",
    "flock",
    "fsync",
    "link",
    "mkdir",
    "open",
    "truncate",
    "unlink",
    "write",
}


class Killer:
    """Kills this process at the *last*-th event; every call has two, its begin and its end."""

    def __init__(self, last: int) -> None:
        self._left = last

    def __call__(self, frame: object, event: str, arg: Any) -> None:
        if event in ("c_call", "c_return") and arg.__name__ in _ASKED:
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)


class Reporter:
    """Tells the parent how many bytes are safe, or a word; that is not counted as a step."""

    def __init__(self, pipe: int, killer: Killer) -> None:
        self._pipe, self._killer = pipe, killer

    def __call__(self, what: int | str) -> None:
        sys.setprofile(None)
        os.write(self._pipe, f"{what}\n".encode())
        sys.setprofile(self._killer)


def fresh(folder: Path, report: Reporter) -> None:
    """A match from its begin to its end."""
    journal = Journal(folder / "made" / "matches")
    journal.begin(MATCH_ID, "Ann", "Bob", secrets())
    report("begun")
    _play(journal, 0, report)


def again(folder: Path, report: Reporter) -> None:
    """A match that goes on, in the place of a torn end."""
    (record,) = (folder / "made" / "matches").glob("*.pzk")
    journal = Journal.reopen(record)
    report("begun")
    journal.cut(len(KEPT))
    report(len(KEPT))
    _play(journal, len(KEPT), report)


def _play(journal: Journal, written: int, report: Reporter) -> None:
    for burst in BURSTS:
        # A burst may come in pieces: our entry, and the concession after it.
        for piece in (burst[:3], burst[3:]):
            journal.write(piece)
        journal.sync()
        written += len(burst)
        report(written)
    report("settling")
    journal.settle()
    report("settled")


def main(scenario: str, folder: str) -> None:
    work = {"fresh": fresh, "again": again}[scenario]
    number = 0
    while True:
        home = Path(folder, f"{number:03}")
        home.mkdir()
        if work is again:
            interrupted(home / "made" / "matches", KEPT + TAIL)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            killer = Killer(number)
            report = Reporter(writing, killer)
            sys.setprofile(killer)
            work(home, report)
            os._exit(0)
        os.close(writing)
        with open(reading) as pipe:
            told = pipe.read().split()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps({"folder": str(home), "told": told, "status": status}), flush=True)
        if status != -signal.SIGKILL:
            return
        number += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
