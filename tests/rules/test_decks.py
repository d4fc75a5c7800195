"""R3 side decks."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    DECKS,
    PRESETS,
    Card,
    CardError,
    Copies,
    DeckError,
    Rules,
    check_deck,
    format_deck,
    new_match,
    parse_deck,
)

LIMITED = Rules(copies=Copies.LIMITED)
NO_GOLD = Rules(gold=False)

SHIPPED = {
    "starter": "+1 +1 +2 +2 +3 +3 +4 +4 +5 +5",
    "average": "+3 -3 +4 -4 +5 -5 +5 -3 +4 -5",
    "nightmare": "±6 +4 -4 -2 +3 -2 -3 +3 +2 ±1",
    "super": "±3 ±3 ±2 ±2 ±4 ±4 ±2 ±2 ±1 ±1",
    "easy": "+1 +2 +3 +4 +5 -6 -4 -3 -2 -1",
    "wanderer": "±1 ±2 +3 +4 +5 +6 ±5 -6 ±4 D",
    "hard": "2&4 3&6 ±4 ±6 D ±1T 1±2 ±3 ±6 2&4",
    "from-hell": "D D 2&4 2&4 3&6 3&6 ±1T ±1T 1±2 1±2",
    "balanced": "±1 ±1 ±2 ±2 ±3 ±3 ±4 ±4 ±5 ±6",
}


def test_R3_the_decks_that_ship() -> None:
    assert {name: format_deck(deck) for name, deck in DECKS.items()} == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_R3_shipped_decks_are_legal_in_every_preset_that_has_their_cards(name: str) -> None:
    gold = any(card.gold for card in DECKS[name])
    for preset, rules in PRESETS.items():
        if gold and preset == "kotor1":
            with pytest.raises(DeckError, match="gold"):
                check_deck(DECKS[name], rules)
        else:
            check_deck(DECKS[name], rules)


def test_R3_a_deck_is_written_and_read_in_both_notations() -> None:
    deck = DECKS["hard"]
    assert format_deck(deck, ascii=True) == "2&4 3&6 +-4 +-6 D +-1T 1+-2 +-3 +-6 2&4"
    assert parse_deck(format_deck(deck)) == deck
    assert parse_deck(format_deck(deck, ascii=True)) == deck
    assert parse_deck("  2&4,3&6, +-4\t+-6 D +/-1T 1±2\n±3 ±6 2&4 ") == deck


@pytest.mark.parametrize(
    ("number", "text"), [(0, "no cards"), (1, "1 card,"), (9, "9 cards"), (11, "11 cards")]
)
def test_R3_C9_a_deck_has_exactly_ten_cards(number: int, text: str) -> None:
    with pytest.raises(DeckError, match=text) as refused:
        check_deck([Card.PLUS_1] * number, Rules())
    assert refused.value.rule == "R3"
    with pytest.raises(DeckError, match=text):
        parse_deck(" ".join(["+1"] * number))


def test_R3_C9_a_deck_line_with_an_unknown_card_is_refused() -> None:
    with pytest.raises(CardError, match="±7"):
        parse_deck("+1 +2 ±7 +1 +1 +1 +1 +1 +1 +1")


def test_R3_copies_unlimited_allows_ten_of_a_kind() -> None:
    check_deck([Card.PLUSMINUS_6] * 10, Rules())
    check_deck([Card.DOUBLE] * 10, Rules())


@pytest.mark.parametrize("card", Card)
def test_R3_copies_limited_is_four_ordinary_and_two_gold(card: Card) -> None:
    most = 2 if card.gold else 4
    others = [c for c in (Card.PLUS_1, Card.MINUS_1, Card.PLUS_2) if c is not card]
    rest = [others[0]] * 4 + [others[1]] * 4
    check_deck(([card] * most + rest)[:10], LIMITED)
    with pytest.raises(DeckError) as refused:
        check_deck(([card] * (most + 1) + rest)[:10], LIMITED)
    assert refused.value.what == f"The side deck holds {card.text} {most + 1} times."
    kind = "gold" if card.gold else "ordinary"
    assert refused.value.why == (
        f"R3: at most {most} of one {kind} kind in this match (copies=limited)."
    )


@pytest.mark.parametrize("card", [card for card in Card if card.gold])
def test_R3_gold_off_takes_no_gold_card(card: Card) -> None:
    deck = [*[Card.PLUS_1] * 9, card]
    check_deck(deck, Rules())
    with pytest.raises(DeckError) as refused:
        check_deck(deck, NO_GOLD)
    assert refused.value.what == f"The side deck holds gold cards: {card.text}."
    assert refused.value.rule == "R3"


@pytest.mark.parametrize("seat", [0, 1])
def test_R3_a_match_begins_with_legal_decks_only(seat: int) -> None:
    decks = [DECKS["starter"], DECKS["starter"]]
    decks[seat] = DECKS["hard"]
    new_match(Rules(), (decks[0], decks[1]))
    new_match(NO_GOLD, (None, None))
    with pytest.raises(DeckError):
        new_match(NO_GOLD, (decks[0], decks[1]))
