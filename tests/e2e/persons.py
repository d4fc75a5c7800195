"""A person at a real terminal, with the whole program. Not for Windows."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.terminal import Ended, Terminal

CTRL_C = "\x03"


@contextmanager
def pazaak(
    home: Path,
    *arguments: str,
    columns: int = 80,
    rows: int = 24,
    more: dict[str, str] | None = None,
    code: str | None = None,
    fresh: bool = False,
) -> Iterator[Terminal]:
    """The program, with settings for a person who needs no time to look; *more* environment.

    *code* is a program to run in its place; *fresh* is as in :func:`tests.warm.start`.
    """
    home.mkdir(exist_ok=True)
    settings = home / "config.toml"
    if not settings.exists():
        settings.write_text("[table]\npace = 0\n")
    program = ["-m", "pazaak_p2p"] if code is None else ["-c", code]
    argv = [sys.executable, *program, *arguments]
    env = {"PAZAAK_HOME": str(home), "PYTHONWARNINGS": "error", **(more or {})}
    with Terminal(argv, env=env, columns=columns, rows=rows, fresh=fresh) as terminal:
        yield terminal


def check(end: Ended, exit_code: int) -> None:
    assert not end.hung
    assert end.exit_code == exit_code
    assert end.restored, end


def play_on(*terminals: Terminal, leave: str = " ") -> None:
    """Stand whenever it is a terminal's turn, until the match is over and left on all of them, by
    the key *leave*.
    """
    deadline = time.monotonic() + 60
    while not all("key leaves" in terminal.text() for terminal in terminals):
        for terminal in terminals:
            terminal.pump(0.02)
            if "Your turn." in terminal.text():
                played = _set_on(terminal)
                terminal.send("s")
                # The first turn of the next set may be there at once.
                terminal.wait_until(partial(_stood, terminal, played), "the end of the turn")
            elif "Really (y/n)?" in terminal.text():  # standing would lose the set
                terminal.send("y")
                terminal.wait_gone("Really (y/n)?")
            assert time.monotonic() < deadline, terminal.everything()
    for terminal in terminals:
        terminal.send(leave)


def _stood(terminal: Terminal, played: str) -> bool:
    return "Your turn." not in terminal.text() or _set_on(terminal) != played


def _set_on(terminal: Terminal) -> str:
    """The number of the set on the table."""
    found = re.search(r"Set (\d+) ·", terminal.text())
    return "" if found is None else found[1]
