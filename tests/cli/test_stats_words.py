"""What is said of luck, from nothing odd to not fair."""

from __future__ import annotations

import pytest

from pazaak_p2p.cli.past import bar, csv_text, plot, swing, when
from pazaak_p2p.cli.stats_words import count_words, deck_words, streak_words
from pazaak_p2p.store.luck import Count, Luck
from pazaak_p2p.store.tallies import Streaks
from pazaak_p2p.tui.glyphs import ASCII, UNICODE

NONE = Count(0, 0.0, 0.0)


def luck(off: int, draws: int = 1000) -> Luck:
    """A rank that came *off* times too often, and one too seldom."""
    flat = draws // 10
    return Luck((flat + off, flat - off, *[flat] * 8), (float(flat),) * 10, NONE, NONE)


@pytest.mark.parametrize(
    ("deck", "says"),
    [
        (luck(0, 40), "40 draws are too few to tell; each card should have been expected 5 times."),
        (
            luck(10),
            "nothing odd; 99 of 100 fair decks would stray at least as far:"
            " chi-squared is 2.0 over 1000 draws (9 is usual).",
        ),
        (
            luck(30),
            "a little uneven, as 1 fair deck in 28 is:"
            " chi-squared is 18.0 over 1000 draws (9 is usual).",
        ),
        (
            luck(36),
            "uneven. Only 1 fair deck in 475 strays so far: chi-squared is 25.9 over 1000 draws"
            " (9 is usual). Once is chance; if it stays so with more matches, look into it: pazaak"
            " verify checks every draw.",
        ),
        (
            luck(60),
            "NOT what a fair deck gives; less than 1 in 10000 strays so far: chi-squared is 72.0"
            " over 1000 draws (9 is usual). Check the records: pazaak verify.",
        ),
    ],
)
def test_of_the_deck(deck: Luck, says: str) -> None:
    assert deck_words(deck) == says


@pytest.mark.parametrize(
    ("count", "says"),
    [
        (Count(1, 0.5, 0.5), "once; 0.5 were to be expected, which is well within chance"),
        (Count(2, 2.0, 1.0), "twice; 2.0 were to be expected, which is well within chance"),
        (Count(0, 0.0, 0.0), "0 times; 0.0 were to be expected, which is well within chance"),
        (
            Count(25, 20.0, 4.0),
            "25 times; 20.0 were to be expected: more than usual, as happens to 1 in 20",
        ),
        (
            Count(10, 20.0, 9.0),
            "10 times; 20.0 were to be expected: fewer than chance gives to 1 in 300",
        ),
    ],
)
def test_of_a_count(count: Count, says: str) -> None:
    assert count_words(count) == says


def test_of_streaks() -> None:
    assert streak_words(Streaks(3, 5, 2)) == "3 won now; at most 5 won and 2 lost in a row"
    assert streak_words(Streaks(-1, 0, 1)) == "1 lost now; at most 0 won and 1 lost in a row"
    assert streak_words(Streaks(0, 0, 0)) == "none now; at most 0 won and 0 lost in a row"


def test_bars() -> None:
    assert bar(None, 4, UNICODE) == ""
    assert [bar(rate, 4, UNICODE) for rate in (0, 0.5, 0.53, 1, 2)] == [
        "    ",
        "██  ",
        "██▏ ",
        "████",
        "████",
    ]
    assert [bar(rate, 4, ASCII) for rate in (0, 0.5, 1)] == ["....", "##..", "####"]


def test_swings() -> None:
    assert swing(0, 1, UNICODE) == "        │        "
    assert swing(3, 1, UNICODE) == "        │████████"
    assert swing(-99, 1, UNICODE) == "████████│        "
    assert swing(-1.5, 1, ASCII) == "    ####|        "
    assert swing(5, 0, ASCII) == "        |        "


def test_plots() -> None:
    assert plot((0, 0.5, 1), UNICODE) == "▁▅█"
    assert plot((0, 0.5, 1), ASCII) == "_=#"


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@x"])
def test_a_cell_is_no_formula(text: str) -> None:
    assert csv_text(text) == f"'{text}"
    assert csv_text(f"a{text}") == f"a{text}"


def test_cells_hold_nothing_that_moves_a_cursor() -> None:
    assert csv_text("a\x1b[31m\n\tb") == r"a\x1b[31m\n\tb"


def test_times_that_no_calendar_has() -> None:
    assert when(0) == when(2**53) == "-"
    assert when(1_900_000_000).startswith("2030-03-")
