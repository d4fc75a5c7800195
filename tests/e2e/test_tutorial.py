"""The tutorial on a real terminal: hints, the log by key and by wheel, a lesson that waits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.cli.tutorial import DECK, SEED, TUTOR_DECK
from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import parse_deck
from tests.e2e.persons import check, pazaak
from tests.terminal import Terminal
from tests.tui.tutorial_search import Lots, keys_of

WHEEL_UP = "\x1b[<64;10;10M"
PAGE_UP, PAGE_DOWN, HOME = "\x1b[5~", "\x1b[6~", "\x1b[H"


def test_the_tutorial(tmp_path: Path) -> None:
    keys = keys_of(Lots(SEED), (parse_deck(DECK), parse_deck(TUTOR_DECK)))
    with pazaak(tmp_path, "play", "--tutorial") as terminal:
        terminal.wait_for("▸ Nearest to 20 wins.")
        terminal.send("h")
        terminal.wait_for("marks the best.")
        terminal.wait_for("e end turn 74%✓")
        terminal.send("t")
        terminal.wait_for("Tutor is a bot, and hears nothing.")
        for number, key in enumerate(keys):
            terminal.wait_for("e end")
            if number == 6:
                look_at_the_log(terminal)
            press(terminal, key)
            while "Enter go on" in terminal.text():
                press(terminal, "\r")  # a lesson waits until it has been read
        terminal.wait_for("You win the match, 3 to 0.")
        terminal.send("l")
        terminal.wait_for("The match so far")
        terminal.send(HOME)
        terminal.wait_for("Tutor sits down at the table.")
        terminal.send("l")
        terminal.wait_for("Any key leaves.")
        terminal.send("l")
        terminal.wait_for("The match so far")
        terminal.send(" ")
        terminal.wait_for("Any key leaves.")
        terminal.send(" ")
        check(terminal.finish(), Exit.DONE)
        assert "Now for the real thing: pazaak play." in terminal.everything()
    assert not (tmp_path / "matches").exists()


def press(terminal: Terminal, key: str) -> None:
    """Press *key* and take in what follows from it."""
    before = terminal.text()
    terminal.send(key)
    terminal.wait_gone(before)
    while not terminal.quiet(0.1):
        terminal.pump()


def look_at_the_log(terminal: Terminal) -> None:
    for key in (PAGE_UP, WHEEL_UP):
        while "Tutor sits down at the table." not in terminal.text():
            terminal.send(key)
            terminal.pump()
        terminal.wait_for("e end")  # the table stands beside it
        while "lines " in terminal.text():
            terminal.send(PAGE_DOWN)
            terminal.pump()
    terminal.send("l")
    terminal.wait_for("The match so far")
    terminal.send("e")  # goes back, and is no move
    terminal.wait_gone("The match so far")
