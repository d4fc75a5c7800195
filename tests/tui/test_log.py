"""Scrolling the log: where keys lead, and what is to be seen there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pazaak_p2p.bots.hints import Hint
from pazaak_p2p.net.player import Concede, Quit, Say
from pazaak_p2p.rules import End, Stand
from pazaak_p2p.tui import log
from pazaak_p2p.tui.choices import CTRL_C
from pazaak_p2p.tui.control import Control
from pazaak_p2p.tui.dialog import ENTER, ESCAPE, Act, GoOn, Position
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.lines import Line, plain
from pazaak_p2p.tui.log import Span, lines_of, scrolled, tail_of
from pazaak_p2p.tui.page import draw_page, log_span
from tests.tui.drawn import text_of
from tests.tui.positions import against_standing, at

SPAN = Span(total=100, room=20)


@pytest.mark.parametrize(
    ("top", "key", "then"),
    [
        (None, log.UP, 79),
        (None, log.DOWN, None),
        (None, log.PAGE_UP, 61),
        (None, log.WHEEL_UP, 77),
        (None, log.HOME, 0),
        (5, log.PAGE_UP, 0),
        (0, log.WHEEL_UP, 0),
        (0, log.PAGE_DOWN, 19),
        (40, log.DOWN, 41),
        (40, log.WHEEL_DOWN, 43),
        (70, log.PAGE_DOWN, None),
        (40, log.END, None),
        (99, log.UP, 79),  # the window has become larger
    ],
)
def test_where_a_key_leads(top: int | None, key: str, then: int | None) -> None:
    assert scrolled(top, key, SPAN) == then


def test_a_log_that_is_shown_whole_does_not_move() -> None:
    for key in log.SCROLLS:
        assert scrolled(None, key, Span(total=20, room=20)) is None


def test_the_tail_is_the_end_of_the_lines() -> None:
    told: list[Line] = [(("", f" {number} " + "word " * number),) for number in range(30)]
    for columns in (20, 40, 80):
        lines = lines_of(told, columns)
        for room in (0, 1, 5, 1000):
            assert tail_of(told, columns, room) == lines[max(0, len(lines) - room) :]


class Reader:
    """A person at a window, whose keys go to the control as the screen sends them."""

    def __init__(self, columns: int, rows: int, entries: int = 60) -> None:
        self.columns, self.rows = columns, rows
        self.control = Control(UNICODE)
        self.control.show(Position(at(7), "Kreia", 1))
        self.control.say([(("", f" This is entry {number}."),) for number in range(entries)])

    def press(self, key: str) -> object:
        span = log_span(self.control.scene(), self.columns, self.rows, UNICODE)
        return self.control.press(key, span)

    @property
    def text(self) -> str:
        return text_of(draw_page(self.control.scene(), self.columns, self.rows, UNICODE))


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (200, 50), (60, 30)])
def test_the_log_at_the_table_scrolls_to_the_first_entry_and_back(columns: int, rows: int) -> None:
    reader = Reader(columns, rows)
    assert "entry 59." in reader.text
    assert "entry 0." not in reader.text
    for key in (log.PAGE_UP, log.WHEEL_UP):
        for _ in range(60):
            assert reader.press(key) is None
        assert "entry 0." in reader.text
        assert "lines 1-" in reader.text
        assert "e end turn" in reader.text  # the table is still there
        for _ in range(60):
            reader.press(log.PAGE_DOWN)
        assert "entry 59." in reader.text
        assert "lines " not in reader.text


def test_every_entry_can_be_seen_while_paging() -> None:
    for columns, rows in [(80, 24), (120, 40), (40, 16)]:
        reader = Reader(columns, rows)
        seen = reader.text
        for _ in range(60):
            reader.press(log.PAGE_UP)
            seen += reader.text
        assert all(f"entry {number}." in seen for number in range(60))


def test_what_is_looked_at_stays_while_more_is_told() -> None:
    reader = Reader(80, 24)
    reader.press(log.PAGE_UP)
    before = [line for line in reader.text.splitlines() if "entry" in line]
    reader.control.say([(("", " Something new."),)])
    assert [line for line in reader.text.splitlines() if "entry" in line] == before
    assert "Something new." not in reader.text


@pytest.mark.parametrize(
    ("keys", "decision"),
    [("e", Act(1, End())), ("cy", Concede()), (["t", "x", ENTER], Say("x"))],
)
def test_a_choice_leads_back_to_the_newest(keys: Sequence[str], decision: object) -> None:
    reader = Reader(80, 24)
    reader.press(log.PAGE_UP)
    assert "entry 59." not in reader.text
    assert [reader.press(key) for key in keys][-1] == decision
    assert "entry 59." in reader.text


def test_l_shows_the_log_alone_until_another_key() -> None:
    reader = Reader(80, 24)
    assert reader.press("l") is None
    assert "The match so far" in reader.text
    assert "Your turn." in reader.text  # what is asked is not hidden
    assert "e end turn" not in reader.text
    for key in (log.UP, log.DOWN, log.HOME, log.END, log.PAGE_UP):
        assert reader.press(key) is None
        assert "The match so far" in reader.text
    assert reader.press("s") is None  # read, not played
    assert "e end turn" in reader.text
    assert "entry 59." in reader.text


@pytest.mark.parametrize("key", ["l", ESCAPE, "q", " "])
def test_any_key_goes_back_from_the_log(key: str) -> None:
    reader = Reader(80, 24)
    reader.press("l")
    assert reader.press(key) is None
    assert "e end turn" in reader.text


def test_ctrl_c_is_heard_over_the_log() -> None:
    reader = Reader(80, 24)
    reader.press("l")
    assert reader.press(CTRL_C) is None
    assert reader.press(CTRL_C) == Quit()
    reader.press("l")
    assert reader.control.interrupt() is None
    assert "Leave now?" in reader.text


def test_where_no_log_is_shown_page_up_shows_it_alone() -> None:
    reader = Reader(40, 16)
    hint = Hint(((End(), 0.5), (Stand(), 0.25)), End())  # needs a line more
    reader.control.show(Position(against_standing(18, 15), "Kreia", 1, practice=True, hint=hint))
    assert log_span(reader.control.scene(), 40, 16, UNICODE) == Span()
    reader.press(log.PAGE_DOWN)
    assert "The match so far" not in reader.text
    message = plain(reader.control.scene().message)
    assert message == "There is no room for the log here: l shows it alone."
    reader.press(log.PAGE_UP)
    assert "The match so far" in reader.text


def test_the_log_can_be_read_during_a_pause_and_at_the_end() -> None:
    reader = Reader(80, 24)
    reader.control.hold(True)
    assert reader.press("l") is None
    assert "The match so far" in reader.text
    assert reader.press(" ") is None
    assert reader.press(" ") == GoOn()
    reader.control.hold(False)
    reader.control.rest()
    assert reader.press(log.PAGE_UP) is None
    assert reader.press("l") is None
    assert reader.press("l") is None
    assert reader.press("x") == GoOn()


def test_a_log_that_is_seen_whole_says_so() -> None:
    reader = Reader(80, 24, entries=3)
    reader.press(log.PAGE_UP)
    assert plain(reader.control.scene().message) == "The whole log is to be seen."


def test_l_is_a_letter_while_talking() -> None:
    reader = Reader(80, 24)
    for key in "tl":
        reader.press(key)
    assert reader.control.scene().talk == "l"
    reader.press(log.PAGE_UP)  # scrolls meanwhile
    assert reader.control.scene().talk == "l"
    assert "lines " in reader.text
