"""Text from elsewhere can hide nothing, move nothing, and is always to be seen."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pazaak_p2p.text import in_seconds, printable


@pytest.mark.parametrize(
    "text",
    [
        "Revan",
        "Bastila Shan",
        "Zażółć gęślą jaźń",
        "Ελένη",
        "мир",
        "שלום",
        "مرحبا",
        "한국어",
        "日本",
        "e\u0301\u0323",
        "ก็\u0e49",
        "±1T \u2212 🃏",
        "a\u00a0b",
        "",
    ],
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J", r"\x9b2J"),
        ("\0", r"\x00"),
        ("a\u202eb", r"a\u202eb"),
        ("a\u200bb\u200d", r"a\u200bb\u200d"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\ufeffx", r"\ufeffx"),
        ("x\u00ad", r"x\xad"),
        ("\udcff", r"\udcff"),
        ("\ue000", r"\ue000"),
        ("\U000e0041", r"\U000e0041"),
        ("\U0010ffff", r"\U0010ffff"),
    ],
)
def test_what_moves_or_hides_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


# --- blanks


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" ", r"\x20"),
        ("   ", r"\x20\x20\x20"),
        ("\u00a0", r"\xa0"),
        ("\u2003 \u3000", r"\u2003\x20\u3000"),
        (" \n", r"\x20\n"),
    ],
)
def test_a_text_of_blanks_is_escaped_whole(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", [" a", "a ", "a b", "\u00a0a"])
def test_blanks_beside_something_stay(text: str) -> None:
    assert printable(text) == text


FILLERS = [
    *("\u115f", "\u1160", "\u2800", "\u3164", "\uffa0", "\U0001d159"),
    *("\u034f", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f"),
    *("\ufe00", "\ufe0e", "\ufe0f", "\U000e0100", "\U000e01ef"),
]


@pytest.mark.parametrize("ch", FILLERS, ids=lambda ch: f"U+{ord(ch):04X}")
def test_what_is_drawn_as_nothing_is_escaped_everywhere(ch: str) -> None:
    escape = ch.encode("unicode_escape").decode()
    assert printable(ch) == escape
    assert printable(f"Revan{ch}") == f"Revan{escape}"
    assert printable(f"{ch} {ch}") == f"{escape} {escape}"


# --- piles of marks


@pytest.mark.parametrize("mark", ["\u0301", "\u0489", "\u20dd", "\u1dc0"])
def test_four_marks_on_a_letter_and_no_more(mark: str) -> None:
    escape = mark.encode("unicode_escape").decode()
    assert printable("a" + 4 * mark) == "a" + 4 * mark
    assert printable("a" + 6 * mark + "b" + mark) == "a" + 4 * mark + 2 * escape + "b" + mark


def test_different_marks_pile_up_too() -> None:
    marks = "".join(chr(0x300 + i) for i in range(50))
    shown = printable("Z" + marks)
    assert shown.startswith("Z" + marks[:4] + r"\u0304\u0305")
    assert sum(unicodedata.category(ch) == "Mn" for ch in shown) == 4


# --- length


@pytest.mark.parametrize("limit", [1, 2, 10, 300])
def test_it_is_cut_to_the_limit(limit: int) -> None:
    assert printable("x" * limit, limit) == "x" * limit
    assert printable("x" * (limit + 1), limit) == "x" * (limit - 1) + "…"
    assert printable("x" * 10**6, limit) == "x" * (limit - 1) + "…"


def test_escapes_count_as_they_are_shown() -> None:
    assert printable("\x1b" * 100, 10) == r"\x1b\x1b" + "\\…"
    assert len(printable("\x1b" * 100, 10)) == 10


# --- all of it

SHOWN = {"L", "M", "N", "P", "S", "Z"}


def test_every_character_by_itself_is_to_be_seen() -> None:
    for n in range(sys.maxunicode + 1):
        shown = printable(chr(n))
        assert shown.strip()
        assert unicodedata.category(shown[0])[0] in SHOWN


@given(st.text(st.characters(), min_size=1, max_size=400), st.integers(2, 400))
def test_whatever_it_is_the_shown_is_safe_and_short(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert 0 < len(shown) <= limit
    assert shown.strip()
    assert not {unicodedata.category(ch) for ch in shown} & {"Cc", "Cf", "Cs", "Co", "Cn"}
    assert not set(shown) & set(FILLERS)
    shown.encode()  # no lone surrogate is left


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(1, "1 second"), (1.0, "1 second"), (0.5, "0.5 seconds"), (10, "10 seconds")],
)
def test_a_span_of_time_in_words(seconds: float, told: str) -> None:
    assert in_seconds(seconds) == told
