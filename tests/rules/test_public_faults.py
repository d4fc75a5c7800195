"""Faults seen in other Pazaak programs, each with the input that showed it.

More of each kind stands in the tests of its rule, which carry the same C numbers.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pazaak_p2p.rules import (
    DECKS,
    FULL_DECK,
    CardError,
    Deal,
    DeckError,
    ImpossibleValue,
    NotDue,
    Opening,
    Phase,
    Rules,
    Seat,
    SecondCard,
    SetEnd,
    apply,
    format_deck,
    new_match,
    parse_deck,
    parse_rules,
    view,
)
from tests.rules.simulation import play_match
from tests.rules.table import HOST, JOIN, go, names, start, values


def test_C1_R10_23_after_the_draw_is_mended_by_minus_3() -> None:
    state = go(start("-3"), 7, "end", 1, "end", 8, "end", 1, "end", 8)
    assert state.totals[HOST] == 23
    state = go(state, "-3")
    assert (state.totals[HOST], state.stood[HOST]) == (20, True)


def test_C2_R15_2_4_7_and_a_flip_are_1() -> None:
    state = go(start("2&4"), 2, "end", 10, "end", 4, "end", 9, "end", 7)
    assert state.totals[HOST] == 13
    assert go(state, "2&4").totals[HOST] == 1


# Eight cards at 12, against a player who stands on 19 or is about to.
EIGHT = (10, "end", 1, "end", 9, "stand", *(1, "end") * 3, *(2, "end") * 4)


@pytest.mark.parametrize("seat", Seat)
def test_C3_R16_nine_cards_at_18_beat_a_standing_19_for_either_seat(seat: Seat) -> None:
    (result,) = go(start(opener=seat.other), *EIGHT, 6).results
    assert (result.winner, result.totals[seat], result.totals[seat.other]) == (seat, 18, 19)


@pytest.mark.parametrize("seat", Seat)
def test_C4_R16_a_ninth_card_over_20_is_bust(seat: Seat) -> None:
    (result,) = go(start("+6", "+6", opener=seat.other), *EIGHT[:-2], 9, "+6").results
    assert len(result.tables[seat]) == 9
    assert (result.winner, result.reason) == (seat.other, SetEnd.BUST)
    assert result.totals[seat] == 25


@pytest.mark.parametrize("seat", Seat)
def test_C5_R17_both_have_a_tiebreaker(seat: Seat) -> None:
    state = go(start("±1T", "±1T", opener=seat), 9, "±1T=1", "stand", 9, "±1T=1", "stand")
    assert (state.results[0].winner, state.results[0].reason) == (None, SetEnd.TIE)


def test_C6_R4_hands_are_as_the_first_set_left_them() -> None:
    state = go(start("+1 +2 +3 +4", "-1 -2 -3 -4"), 9, "+1", "stand", 8, "-2", "stand")
    assert names(state, HOST) == ["+2", "+3", "+4"]
    assert names(state, JOIN) == ["-1", "-3", "-4"]


def test_C7_R1_the_second_set_has_40_green_cards_for_both_together() -> None:
    state = go(start(), 9, "stand", 9, "stand")
    assert state.deck == FULL_DECK
    state = go(state, 9, "stand", 9, "stand")
    state = go(state, 9, "end", 9, "end", 1, "end", 1, "end")
    assert len(state.deck) == 36
    assert state.deck.count(9) == 2


def test_C8_R8_plusminus_falls_and_plus_does_not() -> None:
    state = go(start("±3 +3"), 10)
    assert go(state, "±3=-3").totals[HOST] == 7
    with pytest.raises(ImpossibleValue):
        go(state, "+3=-3")


@pytest.mark.parametrize("card", ["+19", "+0", "±7", "-0"])
def test_C9_R3_a_side_deck_with_a_card_that_does_not_exist(card: str) -> None:
    with pytest.raises(CardError, match=f"no side card '{card}'".replace("+", "[+]")):
        parse_deck(" ".join([card] + ["+1"] * 9))


@pytest.mark.parametrize("number", [9, 11])
def test_C9_R3_a_side_deck_of_nine_or_eleven(number: int) -> None:
    with pytest.raises(DeckError, match=f"{number} cards, not 10"):
        parse_deck(" ".join(["+1"] * number))


def test_C10_R8_a_refused_second_card_is_refused_again() -> None:
    state = go(start("+1 +2 +3"), 5, "+1")
    for card in ("+2", "+2", "+3"):
        with pytest.raises(SecondCard):
            go(state, card)
    state = go(state, "end", 5, "end", 5, "+2")
    with pytest.raises(SecondCard):
        go(state, "+3")


def test_C11_R3_a_rematch_begins_with_ten_cards_again() -> None:
    decks = (DECKS["balanced"], DECKS["hard"])
    before = [format_deck(deck) for deck in decks]
    for match in range(5):
        state, _ = play_match(Random(match), Rules(max_sets=15), decks)
        assert state.phase is Phase.OVER
        assert state.decks == decks
        assert [format_deck(deck) for deck in decks] == before
        again = apply(new_match(Rules(), decks), Deal((9, 8, 7, 6), (9, 8, 7, 6)))
        assert len(names(again, HOST)) == len(names(again, JOIN)) == 4


def test_C12_R4_one_plus_3_of_the_deck_is_one_plus_3_in_the_hand() -> None:
    deck = parse_deck("±2 ±2 ±2 ±2 ±2 ±2 ±2 ±2 +1 +3")
    rng = Random(12)
    for _ in range(200):
        hands = tuple(rng.sample(range(10), 4)), tuple(rng.sample(range(10), 4))
        state = apply(new_match(Rules(), (deck, deck)), Deal(*hands))
        for seat in Seat:
            counts = Counter(names(state, seat))
            assert counts["+3"] <= 1
            assert counts["+1"] <= 1


def test_C13_the_other_side_never_has_a_card_before_it_is_played() -> None:
    state = go(start("D ±6", "3&6 -5"), 5, "D")
    assert [held.card for held in view(state, JOIN).state.hands[HOST] if not held.played] == (
        [None] * 3
    )
    assert {held.card for held in view(state, HOST).state.hands[JOIN]} == {None}
    # The order in which the deck will come is in no state at all: only what is left of it.
    assert list(state.deck) == sorted(state.deck)


def test_C13_R11_R12_a_standing_player_cannot_act_again() -> None:
    state = go(start("-1"), 10, "stand", 5)
    assert state.mover is JOIN
    state = go(state, "end")
    with pytest.raises(NotDue):
        go(state, "end")
    assert values(state, HOST) == [10]


@pytest.mark.parametrize("deck", ["average", "hard"])
def test_C15_R6_always_opening_is_a_clear_handicap_and_alternating_is_not(deck: str) -> None:
    """Mirror matches of a player that goes for more than the other stands on (RULES.md, R6)."""
    share = {}
    for option in ("host", "alternate"):
        rng = Random(15)
        rules = parse_rules(f"max_sets=99,opener={option}")
        won: Counter[Seat | None] = Counter()
        for _ in range(2_000):
            state, _ = play_match(rng, rules, (DECKS[deck], DECKS[deck]), Opening(2, 1))
            assert state.outcome is not None
            won[state.outcome.winner] += 1
        share[option] = won[HOST] / (won[HOST] + won[JOIN])
    # A standard error of such a share is 0.011.
    assert 0.36 <= share["host"] <= 0.46
    assert 0.45 <= share["alternate"] <= 0.51
