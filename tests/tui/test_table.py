"""The table: pictures of positions on the real rules engine, and what holds in all of them."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import Card, Placed
from pazaak_p2p.tui.cards import chip
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.lines import plain, width
from tests.tui import pictures
from tests.tui.drawn import draw, draw_small
from tests.tui.pictures import every_kind
from tests.tui.positions import at, views_of_random_matches


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_picture(name: str) -> None:
    assert pictures.text(name) == pictures.path(name).read_text(encoding="utf-8")


def test_every_picture_file_is_drawn() -> None:
    files = {path.stem for path in pictures.FOLDER.glob("*.txt")}
    assert files == set(pictures.PICTURES)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_no_line_is_wider_than_the_terminal(glyphs: Glyphs) -> None:
    for view in views_of_random_matches(30):
        lines = draw(view, "Kreia", glyphs)
        assert len(lines) == 12
        assert max(map(width, lines)) <= 80
        for columns in (40, 61):
            assert max(map(width, draw_small(view, "Kreia", glyphs, columns))) <= columns


def test_ascii_tables_are_ascii() -> None:
    for view in views_of_random_matches(10):
        assert all(plain(line).isascii() for line in draw(view, "Kreia", ASCII))


def test_R4_the_opponents_hand_is_drawn_as_backs_only() -> None:
    for view in views_of_random_matches(10):
        header = plain(draw(view, "Kreia", UNICODE)[0])
        assert header.count(UNICODE.back) == view.opponent_cards


def test_a_card_has_the_colour_of_its_kind() -> None:
    cards = [None, Card.PLUS_3, Card.MINUS_5, Card.PLUSMINUS_4, Card.TIEBREAKER, Card.FLIP_2_4]
    assert [chip(Placed(card, 1), UNICODE)[0] for card in cards] == [
        "class:card.green",
        "class:card.blue",
        "class:card.red",
        "class:card.purple",
        "class:card.gold",
        "class:card.gold",
    ]


def test_R10_a_total_over_20_is_marked_in_words_and_style() -> None:
    line = draw(at(23), "Kreia", UNICODE)[8]
    assert ("class:total.over", "23 is over 20 ") in line


def test_R15_a_flipped_card_keeps_its_printed_value_in_the_lower_edge() -> None:
    lines = [plain(line) for line in draw(every_kind(), "Kreia", UNICODE)]
    assert lines[6].startswith(" │ -4 │ │ -2 │ │ -1 │ │ 6  │ │2&4 │")
    assert lines[7].startswith(" ╰─4──╯ ╰─2──╯ ╰±1T─╯ ╰────╯ ╰────╯")
