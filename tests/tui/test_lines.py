"""Lines of styled text, and the signs they are made of."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pazaak_p2p.rules import CARDS, Card
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs, glyphs_for
from pazaak_p2p.tui.helptext import help_lines
from pazaak_p2p.tui.lines import (
    FIRM,
    clip,
    formatted,
    in_encoding,
    joined,
    pad,
    plain,
    spread,
    width,
    wrap,
)


def test_width_counts_wide_and_combining_characters_as_terminals_do() -> None:
    assert width((("", "a"), ("bold", "絶e\u0301"))) == 4


def test_pad_and_spread() -> None:
    assert pad((("", "ab"),), 4) == (("", "ab"), ("", "  "))
    assert pad((("", "abcde"),), 4) == (("", "abcde"),)
    assert plain(spread((("", "ab"),), (("", "cd"),), 7)) == "ab   cd"


def test_clip() -> None:
    assert clip("Kreia", 5) == "Kreia"
    assert clip("Kreia!", 5) == "Krei…"
    assert clip("絶対絶", 5) == "絶対…"
    assert clip("Kreia the Betrayer", 8, "...") == "Kreia..."


def test_joined_and_formatted() -> None:
    line = joined([(("a", "1"),), (("b", "2"),)], ", ")
    assert line == (("a", "1"), ("", ", "), ("b", "2"))
    assert list(formatted([line])) == [*line, ("", "\n")]


def test_wrap_breaks_at_blanks_and_keeps_styles() -> None:
    lines = wrap((("a", "one two "), ("b", "three")), 8, "  ")
    assert lines == [(("a", "one "), ("a", "two ")), (("", "  "), ("b", "three"))]


def test_a_word_in_several_styles_is_broken_only_where_it_needs_more_than_a_line() -> None:
    told = (("", "plays "), ("c", "[D]"), ("", " for 9 (R14)"), ("", ": "), ("t", "20"), ("", "."))
    assert [plain(line) for line in wrap(told, 21, "  ", hard=True)] == [
        "plays [D] for 9",
        "  (R14): 20.",
    ]
    cards = (("", "You "), *(("c", f"[{card}]") for card in range(5)))
    assert [plain(line) for line in wrap(cards, 17, " ")] == ["You", " [0][1][2][3][4]"]
    assert [plain(line) for line in wrap(cards, 12, " ")] == ["You [0][1]", " [2][3][4]"]


def test_wrap_never_exceeds_the_columns_where_a_blank_allows_it() -> None:
    text = "It is Kreia's turn; yours begins with your next green card (R7)."
    for columns in range(12, 70):
        lines = wrap((("", text),), columns, " ")
        assert all(width((("", plain(line)),)) <= columns for line in lines)
        assert " ".join(plain(line).strip() for line in lines) == text


def test_no_line_is_broken_at_a_firm_blank_which_looks_like_any_other() -> None:
    ways = (("", f"Ways back: 1-{FIRM}>{FIRM}19, 3{FIRM}>{FIRM}18"),)
    assert [plain(line) for line in wrap(ways, 18)] == ["Ways back:", "1- > 19, 3 > 18"]
    assert [text for line in wrap(ways, 40) for _, text in line if FIRM in text] == []
    assert plain(ways) == "Ways back: 1- > 19, 3 > 18"


def test_a_word_longer_than_the_columns_is_left_whole() -> None:
    assert [plain(line) for line in wrap((("", "x" * 12 + " y"),), 8)] == ["x" * 12, "y"]


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "José 達斯e\u0301"), ("latin-1", "José ????e"), ("ascii", "Jos? ????e")],
)
def test_what_cannot_be_written_keeps_its_width(encoding: str, shown: str) -> None:
    assert in_encoding("José 達斯e\u0301", encoding) == shown


@pytest.mark.parametrize(
    ("encoding", "glyphs"),
    [
        ("utf-8", UNICODE),
        ("utf-16", UNICODE),
        ("ascii", ASCII),
        ("latin-1", ASCII),
        ("cp437", ASCII),
        ("no-such-encoding", ASCII),
        (None, ASCII),
    ],
)
def test_the_signs_fit_the_encoding(encoding: str | None, glyphs: Glyphs) -> None:
    assert glyphs_for(encoding) is glyphs


def test_ascii_can_be_asked_for() -> None:
    assert glyphs_for("utf-8", ascii=True) is ASCII


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_digits_are_three_by_three_and_all_different(glyphs: Glyphs) -> None:
    assert set(glyphs.big) == set("0123456789-")
    assert {len(row) for shape in glyphs.big.values() for row in shape} == {3}
    shapes = sorted(glyphs.big.values())
    assert all(one != other for one, other in pairwise(shapes))


def test_ascii_signs_are_ascii() -> None:
    signs = [*ASCII.top, *ASCII.bottom, ASCII.side, ASCII.rule, ASCII.back, ASCII.ellipsis]
    assert "".join(signs).isascii()
    assert all(ASCII.name(card).isascii() for card in CARDS)
    assert ASCII.name(Card.PLUSMINUS_4) == "+-4"
    assert UNICODE.name(Card.PLUSMINUS_4) == "±4"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_help_fits_and_names_every_key(glyphs: Glyphs) -> None:
    lines = help_lines(glyphs)
    assert len(lines) <= 8  # beside the table on 24 lines
    assert max(map(width, lines)) <= 79
    keys = " ".join(plain(line)[3:12].strip() for line in lines[1:]).split()
    assert set(keys) == set("1234espwctqh") | {"gold"}


def test_hard_wrap_breaks_what_no_blank_does() -> None:
    line = (("a", "ab " + "x" * 12 + " y"),)
    assert [plain(part) for part in wrap(line, 8, "  ", hard=True)] == [
        "ab",
        "  xxxxxx",
        "  xxxxxx",
        "  y",
    ]
    wide = wrap((("", "界" * 9),), 8, " ", hard=True)
    assert [width(part) for part in wide] == [6, 7, 7]
    assert "".join(plain(part).strip() for part in wide) == "界" * 9
