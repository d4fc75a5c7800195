"""``pazaak`` in processes that are forked from this one, in place of being started afresh.

Starting Python and importing everything takes a hundred times as long as a fork. Whoever forks has
imported it all, has run nothing of it, and has no threads; so each child is a program that has just
started, with sockets, files, locks and signals of its own, and a real SIGKILL ends it. Not for
Windows.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pazaak_p2p.cli.host
import pazaak_p2p.cli.join
import pazaak_p2p.cli.play
import pazaak_p2p.cli.resume  # noqa: F401
from pazaak_p2p.cli.program import run
from pazaak_p2p.store.journal import Journal
from tests.e2e.killed import Moment, arm

SECONDS = 100.0
"""How long a process may take."""
_COUNT = "writes"


class Hangs(AssertionError):
    """A process did not end."""


class Fork:
    """A running ``pazaak`` with these *arguments*, which kills itself at *moment*, if there is one.

    How often its journal was written to is in the file ``writes`` of its *home* at the end.
    """

    def __init__(self, *arguments: str, home: Path, moment: Moment | None = None) -> None:
        self.arguments = arguments
        self.home = home
        home.mkdir(exist_ok=True)
        self._out, out = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _become(arguments, home, out, moment)
            finally:
                os._exit(70)
        os.close(out)
        self._deadline = time.monotonic() + SECONDS
        self._data = b""
        self._open = True
        self.code: int | None = None
        """The exit code, negative for a signal."""

    def until(self, event: str) -> dict[str, Any]:
        """Wait for this *event*."""
        while True:
            for found in self.events():
                if found["event"] == event:
                    return found
            if not self._read():
                raise AssertionError(f"it ended without {event!r}: {self}")

    def finish(self) -> int:
        """Wait for its end; the exit code."""
        while self._read():
            pass
        if self.code is None:
            _, status = os.waitpid(self.pid, 0)
            self.code = os.waitstatus_to_exitcode(status)
            os.close(self._out)
        return self.code

    def kill(self, number: int) -> None:
        os.kill(self.pid, number)

    def events(self) -> list[dict[str, Any]]:
        """What it has said so far."""
        lines = self._data.split(b"\n")[:-1]
        return [json.loads(line) for line in lines if line.startswith(b"{")]

    def result(self) -> dict[str, Any]:
        """Its result."""
        found = [event for event in self.events() if event["event"] == "result"]
        assert found, f"no result: {self}"
        return found[-1]

    @property
    def writes(self) -> int:
        return int((self.home / _COUNT).read_text())

    def _read(self) -> bool:
        """Wait until it says something more; False if it has ended."""
        if not self._open:
            return False
        left = self._deadline - time.monotonic()
        ready, _, _ = select.select([self._out], [], [], max(0.0, left))
        if not ready:
            os.kill(self.pid, 9)
            self._open = False
            self.finish()
            raise Hangs(f"it hangs: {self}")
        data = os.read(self._out, 65_536)
        self._data += data
        self._open = bool(data)
        return self._open

    def __str__(self) -> str:
        said = self._data.decode(errors="replace")[-1500:]
        return f"{' '.join(self.arguments)} ended with {self.code} and said: {said}"


def _become(arguments: tuple[str, ...], home: Path, out: int, moment: Moment | None) -> None:
    """Be that program. Never returns."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for to, fd in ((0, nothing), (1, out), (2, out)):
        os.dup2(fd, to)
    os.closerange(3, 256)
    sys.stdin, sys.stdout, sys.stderr = (
        open(fd, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        for fd, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    os.environ["PAZAAK_HOME"] = str(home)
    warnings.simplefilter("error")
    count = _counted()
    if moment is not None:
        arm(moment)
    code = run(arguments)
    (home / _COUNT).write_text(str(count()))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _counted() -> Callable[[], int]:
    """Count the writes of the journal from now on."""
    writes = 0
    write = Journal.write

    def counting(self: Journal, data: bytes) -> None:
        nonlocal writes
        writes += 1
        write(self, data)

    setattr(Journal, "write", counting)  # noqa: B010
    return lambda: writes
