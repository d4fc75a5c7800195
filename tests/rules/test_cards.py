"""R1 main deck, R2 side cards."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    CARDS,
    FULL_DECK,
    Card,
    CardError,
    Draw,
    ImpossibleDraw,
    Kind,
    apply,
)
from tests.rules.table import HOST, go, start

# The specification's table (section 8), written out: number, ASCII, values.
TABLE = [
    (1, "+1", (1,)),
    (2, "+2", (2,)),
    (3, "+3", (3,)),
    (4, "+4", (4,)),
    (5, "+5", (5,)),
    (6, "+6", (6,)),
    (7, "-1", (-1,)),
    (8, "-2", (-2,)),
    (9, "-3", (-3,)),
    (10, "-4", (-4,)),
    (11, "-5", (-5,)),
    (12, "-6", (-6,)),
    (13, "+-1", (1, -1)),
    (14, "+-2", (2, -2)),
    (15, "+-3", (3, -3)),
    (16, "+-4", (4, -4)),
    (17, "+-5", (5, -5)),
    (18, "+-6", (6, -6)),
    (19, "+-1T", (1, -1)),
    (20, "1+-2", (1, 2, -1, -2)),
    (21, "2&4", (0,)),
    (22, "3&6", (0,)),
    (23, "D", ()),
]


def test_R1_main_deck_is_forty_cards_four_of_each_rank() -> None:
    assert len(FULL_DECK) == 40
    assert [FULL_DECK.count(rank) for rank in range(1, 11)] == [4] * 10
    assert list(FULL_DECK) == sorted(FULL_DECK)
    assert start().deck == FULL_DECK


def test_R1_a_draw_removes_one_card_of_its_rank() -> None:
    state = go(start(), 7)
    assert [state.deck.count(rank) for rank in range(1, 11)] == [4, 4, 4, 4, 4, 4, 3, 4, 4, 4]
    assert len(state.deck) == 39


def test_R1_both_players_draw_from_the_same_deck() -> None:
    state = go(start(), 1, "end", 1, "end", 1, "end", 1, "end")
    assert 1 not in state.deck
    with pytest.raises(ImpossibleDraw) as refused:
        apply(state, Draw(1))
    assert refused.value.rule == "R1"


@pytest.mark.parametrize("rank", [-1, 0, 11, 256, 2**40])
def test_R1_no_green_card_outside_1_to_10(rank: int) -> None:
    with pytest.raises(ImpossibleDraw, match=f"green card {rank} "):
        apply(start(), Draw(rank))


def test_R2_the_23_kinds_their_numbers_notation_and_values() -> None:
    assert [(card.number, card.ascii, card.values) for card in Card] == TABLE
    assert [card.value for card in Card] == [ascii for _, ascii, _ in TABLE]
    assert tuple(Card) == CARDS


def test_R2_unicode_notation() -> None:
    texts = " ".join(card.text for card in Card)
    assert texts == ("+1 +2 +3 +4 +5 +6 -1 -2 -3 -4 -5 -6 ±1 ±2 ±3 ±4 ±5 ±6 ±1T 1±2 2&4 3&6 D")
    assert " ".join(map(str, Card)) == texts


def test_R2_gold_and_kinds() -> None:
    assert [card.ascii for card in Card if card.gold] == ["+-1T", "1+-2", "2&4", "3&6", "D"]
    kinds = (
        [Kind.PLUS] * 6
        + [Kind.MINUS] * 6
        + [Kind.PLUSMINUS] * 6
        + [Kind.TIEBREAKER, Kind.ONE_TWO, Kind.FLIP, Kind.FLIP, Kind.DOUBLE]
    )
    assert [card.kind for card in Card] == kinds


@pytest.mark.parametrize("card", Card)
def test_R2_every_notation_is_read(card: Card) -> None:
    assert Card.parse(card.ascii) is card
    assert Card.parse(card.text) is card
    assert Card.parse(card.ascii.replace("+-", "+/-")) is card


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("+19", "go from 1 to 6"),
        ("+7", "go from 1 to 6"),
        ("-9", "go from 1 to 6"),
        ("±7", "go from 1 to 6"),
        ("+-7", "go from 1 to 6"),
        ("+0", "worth 0"),
        ("-0", "worth 0"),
        ("±0", "worth 0"),
        ("+00", "worth 0"),
        ("+99999999999999999999999", "go from 1 to 6"),
        ("3", "sign is missing"),
        ("19", "sign is missing"),
        ("−3", "plain hyphen"),
        ("", "empty"),
        (" +3", "23 kinds"),
        ("+3 ", "23 kinds"),
        ("++3", "23 kinds"),
        ("--3", "23 kinds"),
        ("-+3", "23 kinds"),
        ("+03", "23 kinds"),
        ("+1T", "23 kinds"),
        ("±1t", "23 kinds"),
        ("2±1", "23 kinds"),
        ("4&2", "23 kinds"),
        ("3&7", "23 kinds"),
        ("d", "23 kinds"),
        ("DD", "23 kinds"),
        ("+٣", "23 kinds"),
        ("+-2T", "23 kinds"),
        ("\x1b[31m", "23 kinds"),
    ],
)
def test_R2_C9_unknown_cards_are_refused_each_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(CardError) as refused:
        Card.parse(text)
    assert reason in refused.value.why
    assert refused.value.rule == "R2"
    assert refused.value.why.startswith("R2: ")
    assert "\x1b" not in refused.value.what


def test_R2_a_card_played_is_on_the_table_with_its_kind() -> None:
    state = go(start("+3 ±2"), 5, "±2=-2")
    assert [(p.card, p.value) for p in state.tables[HOST]] == [(None, 5), (Card.PLUSMINUS_2, -2)]
