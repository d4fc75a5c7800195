"""The deck builder in a real pseudo-terminal: keys, mouse, sizes, and what can happen to one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import DECKS, format_deck, parse_deck
from pazaak_p2p.store import read_deck
from tests.terminal import Ended, Terminal

CTRL_C = "\x03"
LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"


@contextmanager
def building(
    home: Path,
    *arguments: str,
    env: dict[str, str] | None = None,
    rows: int = 24,
    columns: int = 80,
) -> Iterator[Terminal]:
    argv = [sys.executable, "-m", "pazaak_p2p", "deck", "edit", *arguments]
    environment = {"PAZAAK_HOME": str(home), "PYTHONWARNINGS": "error", **(env or {})}
    with Terminal(argv, env=environment, rows=rows, columns=columns) as terminal:
        terminal.wait_for("of 10")
        yield terminal


def check(end: Ended, exit_code: int) -> None:
    assert not end.hung
    assert end.exit_code == exit_code
    assert end.restored, end


def click(terminal: Terminal, text: str, button: int = 0) -> None:
    """Press and release a mouse button on the first *text* on the screen."""
    terminal.wait_for(text)
    row, line = next((n, line) for n, line in enumerate(terminal.lines(), 1) if text in line)
    place = f"{line.index(text) + 1};{row}"
    terminal.send(f"\x1b[<{button};{place}M\x1b[<{button};{place}m")


def mine(home: Path) -> str:
    return format_deck(read_deck(home / "decks" / "mine.toml"))


def test_a_deck_by_keys(tmp_path: Path) -> None:
    with building(tmp_path, "mine") as terminal:
        terminal.wait_for("10 cards to choose yet")
        terminal.send("+\r" + DOWN + RIGHT + "   " + DOWN + "++++")
        terminal.wait_for("9 of 10")
        terminal.send(DOWN + DOWN + "++")
        terminal.wait_for("take a card out first (R3)")
        terminal.wait_for("✓ R3: legal under standard.")
        terminal.send("u-")  # the 1±2, and then there is none any more
        terminal.wait_for("There is no 1+-2 in the deck.")
        terminal.send("r")
        terminal.wait_for("10 of 10")
        terminal.send("s")
        terminal.wait_for("Saved. Play with it: pazaak play --deck mine")
        terminal.send("q")
        check(terminal.finish(), 0)
        assert "of 10" not in terminal.text()
    assert mine(tmp_path) == "+1 +1 -2 -2 -2 ±2 ±2 ±2 ±2 1±2"


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (16, 40), (50, 200)])
def test_a_deck_by_mouse(tmp_path: Path, rows: int, columns: int) -> None:
    with building(tmp_path, "mine", rows=rows, columns=columns) as terminal:
        for number, text in enumerate(("+2", "-6", "±5", "1±2", "3&6"), start=1):
            click(terminal, text)
            terminal.wait_for(f"{number} of 10")
        click(terminal, "+2", button=2)
        terminal.wait_for("4 of 10")
        click(terminal, "u undo")
        terminal.wait_for("5 of 10")
        for number in range(6, 11):
            click(terminal, "Enter add")
            terminal.wait_for(f"{number} of 10")
        # The last of these is the deck's own.
        row, line = [(n, line) for n, line in enumerate(terminal.lines(), 1) if "1±2" in line][-1]
        place = f"{line.index('1±2') + 1};{row}"
        terminal.send(f"\x1b[<0;{place}M\x1b[<0;{place}m")
        terminal.wait_for("9 of 10")
        click(terminal, "+1")
        terminal.wait_for("10 of 10")
        click(terminal, "s save")
        terminal.wait_for("Saved.")
        click(terminal, "q leave")
        check(terminal.finish(), 0)
    assert mine(tmp_path) == "+2 -6 ±5 3&6 +2 +2 +2 +2 +2 +1"


def test_a_deck_that_ships_is_the_beginning_of_a_new_one(tmp_path: Path) -> None:
    with building(tmp_path, "hard") as terminal:
        terminal.wait_for("from hard")
        terminal.send("s")
        terminal.wait_for("Name:")
        terminal.send("hard\r")
        terminal.wait_for("'hard' is the name of a deck that ships.")
        terminal.send("\x7f" * 4 + "mine\r")
        terminal.wait_for("Saved.")
        terminal.send("q")
        check(terminal.finish(), 0)
    assert mine(tmp_path) == format_deck(DECKS["hard"])


def test_a_name_can_be_pasted_and_a_deck_cannot(tmp_path: Path) -> None:
    with building(tmp_path, "hard") as terminal:
        terminal.send("\x1b[200~-----\x1b[201~")
        terminal.send("n\x1b[200~mine\r\x1b[201~")
        terminal.wait_for("Name: mine")
        terminal.send("\r")
        terminal.wait_for("Saved.")
        terminal.send("q")
        check(terminal.finish(), 0)
    assert mine(tmp_path) == format_deck(DECKS["hard"])


def test_another_deck_is_replaced_only_after_a_yes(tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    (folder / "mine.toml").write_text(f'cards = "{format_deck(DECKS["easy"])}"', "utf-8")
    with building(tmp_path, "hard") as terminal:
        terminal.send("nmine\r")
        terminal.wait_for("There is a deck mine already. Replace it?")
        terminal.send("n")
        terminal.wait_for("Not saved; both are as before.")
        assert mine(tmp_path) == format_deck(DECKS["easy"])
        terminal.send("nmine\r")
        terminal.wait_for("Replace it?")
        terminal.send("y")
        terminal.wait_for("Saved.")
        terminal.send("q")
        check(terminal.finish(), 0)
    assert mine(tmp_path) == format_deck(DECKS["hard"])


def test_leaving_with_changes_asks(tmp_path: Path) -> None:
    with building(tmp_path, "hard") as terminal:
        terminal.send("+")
        terminal.wait_for("full")
        terminal.send(DOWN * 2 + RIGHT * 5 + "-")
        terminal.wait_for("9 of 10")
        terminal.send("q")
        terminal.wait_for("Not all is saved.")
        terminal.send("\x1b")
        terminal.wait_gone("Not all is saved.")
        terminal.send("qn")
        check(terminal.finish(), 0)
    assert not (tmp_path / "decks").exists()


def test_ctrl_c_twice_leaves_and_prints_what_was_not_saved(tmp_path: Path) -> None:
    with building(tmp_path) as terminal:
        terminal.send("++" + DOWN + "+")
        terminal.wait_for("3 of 10")
        terminal.send(CTRL_C)
        terminal.wait_for("Not all is saved.")
        terminal.send(CTRL_C)
        check(terminal.finish(), Exit.INTERRUPTED)
        assert "pazaak: The deck was not saved. Its cards: +1 +1 -1" in terminal.text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_takes_nobodys_work_away(tmp_path: Path, number: signal.Signals) -> None:
    with building(tmp_path) as terminal:
        terminal.send("++")
        terminal.wait_for("2 of 10")
        terminal.signal(number)
        check(terminal.finish(), Exit.INTERRUPTED)
        assert "Its cards: +1 +1" in terminal.text()
        assert "Traceback" not in terminal.text()


def test_a_storm_of_SIGINT_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with building(tmp_path) as terminal:
        for _ in range(200):
            terminal.signal(signal.SIGINT)
        check(terminal.finish(), Exit.INTERRUPTED)


def test_a_closed_window_ends_the_builder(tmp_path: Path) -> None:
    with building(tmp_path) as terminal:
        terminal.hang_up()
        assert not terminal.finish().hung


def test_resizing_draws_what_fits(tmp_path: Path) -> None:
    with building(tmp_path, "hard") as terminal:
        terminal.wait_for("Deck builder")
        terminal.resize(16, 40)
        terminal.wait_gone("Deck builder")
        terminal.wait_for(" 2&4 3&6 ±4 ±6 D ±1T 1±2 ±3 ±6 2&4")
        terminal.resize(10, 30)
        terminal.wait_for("needs 40x16")
        terminal.resize(40, 120)
        terminal.wait_for("Deck builder")
        terminal.send("q")
        check(terminal.finish(), 0)


def colours(terminal: Terminal) -> set[str]:
    cells = [terminal.style_at(row, column) for row in range(24) for column in range(80)]
    return {colour for foreground, background, _, _ in cells for colour in (foreground, background)}


def test_colours(tmp_path: Path) -> None:
    with building(tmp_path, "hard") as terminal:
        wanted = {"005faf", "af0000", "8700af", "d7af00"}
        terminal.wait_until(lambda: wanted <= colours(terminal), "every colour")
        terminal.send("q")
        check(terminal.finish(), 0)


def test_NO_COLOR(tmp_path: Path) -> None:
    with building(tmp_path, "hard", env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("q leave")  # the last that is drawn
        assert colours(terminal) == {"default"}
        terminal.send("q")
        check(terminal.finish(), 0)


def test_ascii(tmp_path: Path) -> None:
    with building(tmp_path, "hard", "--ascii") as terminal:
        terminal.wait_for("|2&4 | |3&6 | |+-4 |")
        terminal.send("q")
        check(terminal.finish(), 0)
        assert terminal.raw.isascii()


def test_rules_that_the_deck_is_checked_for(tmp_path: Path) -> None:
    with building(tmp_path, "hard", "--rules", "kotor1") as terminal:
        terminal.wait_for("✗ R3: this match is played without gold cards")
        terminal.send("p")
        terminal.wait_for("✓ R3: legal under tournament.")
        terminal.send("q")
        check(terminal.finish(), 0)


def plain_end(home: Path, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    argv = [sys.executable, "-m", "pazaak_p2p", "deck", "edit", *arguments]
    environment = {"PAZAAK_HOME": str(home), **(env or {})}
    with Terminal(argv, env=environment, columns=400) as terminal:  # for a path of any length
        end = terminal.finish()
        assert end.restored
        assert end.exit_code is not None
        return end.exit_code, " ".join(terminal.text().split())


def test_a_dumb_terminal_is_told_the_plain_way(tmp_path: Path) -> None:
    code, text = plain_end(tmp_path, "mine", env={"TERM": "dumb"})
    assert code == Exit.USAGE
    assert "pazaak deck import NAME" in text


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bad", "bad.toml, line 1, column 13: There is no side card '+77'."),
        ("a/b", "a/b: it cannot be read"),
        ("D", "'D' is a card"),
        ("+1 +2", "2 cards, not 10"),
    ],
)
def test_a_deck_that_cannot_be_opened(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "bad.toml").write_text('cards = "+1 +77"')
    code, text = plain_end(tmp_path, name)
    assert code == Exit.USAGE
    assert says in text
    assert (tmp_path / "decks" / "bad.toml").read_text() == 'cards = "+1 +77"'


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "decks").write_text("a file")
    with building(tmp_path, "hard") as terminal:
        terminal.send("nmine\r")
        terminal.wait_for("Not saved.")
        terminal.wait_for("cannot be written")
        terminal.send("q")
        check(terminal.finish(), 0)


def test_typed_cards_are_the_beginning_of_a_new_deck(tmp_path: Path) -> None:
    line = "D D D D D D D D D +1"
    with building(tmp_path, line) as terminal:
        terminal.send("nmine\r")
        terminal.wait_for("Saved.")
        terminal.send("q")
        check(terminal.finish(), 0)
    assert read_deck(tmp_path / "decks" / "mine.toml") == parse_deck(line)
