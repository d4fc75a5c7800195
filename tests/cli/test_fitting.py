"""Sentences that fit into the terminal."""

from __future__ import annotations

import os
import sys

import pytest

from pazaak_p2p.cli.arena_tables import _elo
from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.cli.resume import _NAMED

LONG = "The join code is wrong. It was mistyped, or somebody is guessing, or stands between."


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty to ask for its size")
def test_at_a_terminal_no_word_is_broken() -> None:
    import fcntl
    import struct
    import termios

    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 44, 0, 0))
    with os.fdopen(slave, "w") as terminal:
        shown = fitted(LONG, terminal, head="pazaak: ")
        indented = fitted(LONG, terminal, indent="  ")
    os.close(master)
    lines = shown.splitlines()
    assert lines[0] == "pazaak: The join code is wrong. It was"
    assert all(line.startswith(" " * 8) and len(line) <= 44 for line in lines[1:])
    assert shown.split() == ["pazaak:", *LONG.split()]
    assert indented.splitlines()[1].startswith("  ")
    assert indented.split() == LONG.split()


def test_elsewhere_a_line_stays_one() -> None:
    with open(os.devnull, "w") as nowhere:
        assert fitted(LONG, nowhere, head="pazaak: ") == f"pazaak: {LONG}"
    assert fitted(LONG, None) == LONG


@pytest.mark.parametrize("elo", [0.0, -0.0, -0.04])
def test_an_elo_of_nought_has_no_minus(elo: float) -> None:
    assert _elo(elo, 1) == "+0.0"


def test_the_players_are_found_in_the_name_of_a_record() -> None:
    named = _NAMED.fullmatch("2026-11-30_21-35_Ann_vs_Ben-x_6fdba4f7")
    assert named is not None
    assert named[1] == "Ann_vs_Ben-x"
    assert _NAMED.fullmatch("mine") is None
