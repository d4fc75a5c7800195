"""The deck builder's pages: pictures of them, and what holds for all of them."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import CARDS, DECKS, PRESETS, Card, Tiebreaker, check_deck
from pazaak_p2p.tui.deck_builder import Builder, Mode, Tone, press
from pazaak_p2p.tui.deck_cards import card_words, so_far
from pazaak_p2p.tui.deck_page import OnCard, Row, draw_page
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.lines import width
from tests.tui import deck_pages
from tests.tui.drawn import text_of

SIZES = [(80, 24), (79, 24), (80, 23), (40, 16), (200, 50), (39, 16), (40, 15), (10, 3), (1, 1)]


@pytest.mark.parametrize("name", deck_pages.PAGES)
def test_page(name: str) -> None:
    assert deck_pages.text(name) == deck_pages.path(name).read_text(encoding="utf-8")


def test_every_page_file_is_drawn() -> None:
    files = {path.stem for path in deck_pages.FOLDER.glob("*.txt")}
    assert files == set(deck_pages.PAGES)


def builders() -> list[Builder]:
    """Builders in all modes, with decks of all sizes, and long names and messages."""
    chance = random.Random(3)
    return [
        Builder(
            cards=tuple(chance.choices(CARDS, k=count)),
            rules=chance.choice(list(PRESETS.values())),
            name=chance.choice(("", "x" * 32, "絶対" * 16)),
            at=chance.randrange(23),
            mode=mode,
            typed="y" * chance.randrange(33),
            message=chance.choice(("", "word " * 30)),
        )
        for mode in Mode
        for count in range(11)
    ]


@pytest.mark.parametrize("count", range(11))
def test_what_can_be_answered_on_leaving_can_be_done(count: int) -> None:
    leaving = Builder(cards=DECKS["hard"][:count], name="mine", mode=Mode.LEAVE)
    page = draw_page(leaving, 80, 24, UNICODE)
    keys = {
        does for row in page for style, _, does in row if "key" in style and isinstance(does, str)
    }
    assert keys == ({"y", "n", "escape"} if count == 10 else {"n", "escape"})
    for key in keys:
        builder, errand = press(leaving, str(key))
        assert builder.tone is not Tone.BAD
        assert (errand is None) == (key == "escape")


def test_that_a_deck_is_not_saved_is_said_in_words_where_there_is_room() -> None:
    def title(name: str) -> str:
        page = draw_page(Builder(cards=DECKS["hard"], name=name), 40, 16, UNICODE)
        return text_of(page).splitlines()[0]

    assert title("wanderer") == " wanderer (not saved)          10 of 10"
    assert title("x" * 28) == f" {'x' * 26}…*  10 of 10"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES)
def test_no_page_is_larger_than_the_terminal(size: tuple[int, int], glyphs: Glyphs) -> None:
    columns, rows = size
    for builder in builders():
        page = draw_page(builder, columns, rows, glyphs)
        assert len(page) <= rows
        for row in page:
            assert width(tuple((style, text) for style, text, _ in row)) <= columns
        if glyphs is ASCII and builder.name.isascii():
            assert text_of(page).isascii()


def clickable(page: list[Row]) -> set[Card]:
    return {
        target.card
        for row in page
        for _, _, target in row
        if isinstance(target, OnCard) and not target.out
    }


@pytest.mark.parametrize("size", [(80, 24), (40, 16)])
def test_all_23_kinds_are_there_to_be_clicked_and_the_deck_to_be_taken_from(
    size: tuple[int, int],
) -> None:
    page = draw_page(Builder(cards=DECKS["hard"]), *size, UNICODE)
    assert clickable(page) == set(CARDS)
    out = [t.card for row in page for _, _, t in row if isinstance(t, OnCard) and t.out]
    # Drawn as boxes of three lines, or on one.
    assert out == list(DECKS["hard"]) * (3 if size == (80, 24) else 1)


@pytest.mark.parametrize("size", [(80, 24), (40, 16)])
def test_every_key_that_is_shown_can_be_clicked(size: tuple[int, int]) -> None:
    keys = {
        Mode.BUILD: {"right", "enter", "-", "u", "r", "n", "s", "p", "?", "q"},
        Mode.NAME: {"enter", "escape"},
        Mode.LEAVE: {"y", "n", "escape"},
        Mode.REPLACE: {"y", "n"},
        Mode.HELP: {"escape"},
    }
    for mode in Mode:
        builder = Builder(cards=DECKS["hard"], mode=mode, message="word " * 40)
        page = draw_page(builder, *size, UNICODE)
        title = page[0] if mode is not Mode.HELP else []
        shown = {t for row in page if row is not title for _, _, t in row if isinstance(t, str)}
        assert shown == keys[mode]


def test_every_kind_says_what_it_does_in_one_line() -> None:
    for rules in (*PRESETS.values(), replace(PRESETS["standard"], tiebreaker=Tiebreaker.AT_TIE)):
        words = [card_words(card, rules) for card in CARDS]
        assert len(set(words)) == len(CARDS)
        assert all(text.isascii() and len(text) <= 60 for text in words)


def test_R3_what_is_said_of_half_a_deck_holds_for_the_whole() -> None:
    chance = random.Random(5)
    for _ in range(500):
        rules = chance.choice(list(PRESETS.values()))
        half = tuple(chance.choices(CARDS, k=chance.randrange(10)))
        error = so_far(half, rules)
        gold = [card for card in half if card.gold]
        many = any(half.count(card) > (2 if card.gold else 4) for card in half)
        limited = rules == PRESETS["tournament"]
        assert (error is not None) == ((bool(gold) and not rules.gold) or (many and limited))
        if error is None:
            fill = [card for card in CARDS if half.count(card) == 0 and not card.gold]
            check_deck((*half, *fill)[:10], rules)
