"""Sentences that fit into the terminal."""

from __future__ import annotations

import io
import os
import sys
from random import Random

import pytest
from rich.console import Console
from rich.table import Table

from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.sprt import Sprt, parse_sprt
from pazaak_p2p.cli.arena_tables import _elo, live_tables
from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.cli.resume import _NAMED
from tests.arena.arenas import plan_of

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


@pytest.mark.parametrize("sprt", [None, parse_sprt("elo0=0,elo1=10")])
@pytest.mark.parametrize("gauntlet", [False, True])
def test_a_table_that_lives_in_a_narrow_terminal_leaves_columns_out_and_cuts_no_number(
    gauntlet: bool, sprt: Sprt | None
) -> None:
    ledger = Ledger(plan_of(*["random"] * 4, matches=200, gauntlet=gauntlet, sprt=sprt))
    rng = Random("arena")
    for number in range(ledger.plan.games):
        ledger.add(Result(number, rng.randrange(2), rng.choice(("normal", "crash")), (3, 1)))
    list(ledger.release())
    seen = set()
    for width in range(30, 100, 3):
        console = Console(file=io.StringIO(), width=width, height=40)
        drawn = live_tables(ledger, console)
        seen.add(tuple(len(table.columns) for table in drawn if isinstance(table, Table)))
        with console.capture() as captured:
            console.print(*drawn, sep="\n")
        assert "…" not in captured.get()
        assert "Elo" in captured.get()
    assert len(seen) > 4
