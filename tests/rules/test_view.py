"""What a seat, and an onlooker, may see (C13)."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from pazaak_p2p.rules import (
    CARDS,
    Card,
    Deal,
    Draw,
    HandCard,
    Input,
    Opening,
    Phase,
    Rules,
    Seat,
    State,
    Tiebreaker,
    apply,
    digest,
    legal_actions,
    new_match,
    parse_rules,
    public,
    view,
)
from tests.rules.table import HOST, JOIN, deck, go, start

HANDS = ("±1T D 2&4 ±6", "1±2 3&6 -5 +2")


def test_C13_the_other_hand_is_positions_only() -> None:
    state = start(*HANDS)
    for seat in Seat:
        seen = view(state, seat).state
        assert seen.hands[seat] == state.hands[seat]
        assert seen.hands[seat.other] == tuple(HandCard(at, None, False) for at in range(4))
        assert seen.decks[seat] == state.decks[seat]
        assert seen.decks[seat.other] is None


def test_C13_a_card_is_seen_once_it_is_played() -> None:
    state = go(start(*HANDS), 5, "D", "end", 3, "1±2=-2")
    assert view(state, JOIN).state.hands[HOST] == (
        HandCard(0, None, False),
        HandCard(1, Card.DOUBLE, True),
        HandCard(2, None, False),
        HandCard(3, None, False),
    )
    assert view(state, HOST).state.hands[JOIN][0] == HandCard(0, Card.ONE_TWO, True)


def test_C13_a_laid_tiebreaker_is_seen() -> None:
    state = start(*HANDS, rules=Rules(tiebreaker=Tiebreaker.AT_TIE))
    state = go(state, 9, "stand", 9, "stand", "lay")
    assert view(state, JOIN).state.hands[HOST][0] == HandCard(0, Card.TIEBREAKER, True)


def test_C13_unplayed_cards_stay_hidden_after_the_match() -> None:
    state = go(start(*HANDS, rules=Rules(sets=1)), 9, "stand", 8, "stand")
    assert state.phase is Phase.OVER
    assert {held.card for held in view(state, JOIN).state.hands[HOST]} == {None}


def test_C13_an_onlooker_sees_neither_hand() -> None:
    state = go(start(*HANDS), 5, "D", "end", 3)
    seen = public(state)
    assert seen.decks == (None, None)
    assert [[held.card for held in hand] for hand in seen.hands] == [
        [None, Card.DOUBLE, None, None],
        [None, None, None, None],
    ]
    assert digest(seen) == digest(state)


def test_C13_before_the_deal_decks_are_hidden_too() -> None:
    state = new_match(Rules(), (deck("D"), deck("D")))
    assert view(state, HOST).state.decks == (state.decks[0], None)
    assert "DOUBLE" not in repr(view(new_match(Rules(), (deck("+1"), deck("D"))), HOST))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("seat", Seat)
def test_C13_hidden_cards_have_no_influence_on_what_is_seen(seed: int, seat: Seat) -> None:
    """The same match on an engine that never knew the other deck gives the very same views."""
    rng = Random(seed)
    rules = parse_rules(rng.choice(["standard", "tiebreaker=at-tie,max_sets=9", "nine=stand"]))
    decks = tuple(rng.choices(CARDS, k=10)), tuple(rng.choices(CARDS, k=10))
    whole = new_match(rules, decks)
    own = new_match(rules, (decks[0], None) if seat is HOST else (None, decks[1]))
    blind = new_match(rules)
    while whole.phase is not Phase.OVER:
        assert view(whole, seat) == view(own, seat)
        assert public(whole) == public(own) == blind
        assert digest(whole) == digest(own) == digest(blind)
        step = random_input(rng, whole)
        whole, own, blind = apply(whole, step), apply(own, step), apply(blind, step)
    assert view(whole, seat) == view(own, seat)


def random_input(rng: Random, state: State) -> Input:
    if state.phase is Phase.DEAL:
        return Deal(tuple(rng.sample(range(10), 4)), tuple(rng.sample(range(10), 4)))
    if state.phase is Phase.OPENING:
        return Opening(rng.randint(1, 10), rng.randint(1, 10))
    if state.phase is Phase.DRAW:
        return Draw(rng.choice(state.deck))
    return rng.choice(legal_actions(state))


def test_a_view_holds_what_a_player_asks_for() -> None:
    state = go(start(*HANDS), 5, "D", "end", 3)
    seen = view(state, JOIN)
    assert [held.card for held in seen.hand] == [
        Card.ONE_TWO,
        Card.FLIP_3_6,
        Card.MINUS_5,
        Card.PLUS_2,
    ]
    assert (seen.total, seen.opponent_total) == (3, 10)
    assert [placed.value for placed in seen.table] == [3]
    assert [placed.value for placed in seen.opponent_table] == [5, 5]
    assert (seen.stands, seen.opponent_stands) == (False, False)
    assert (seen.won, seen.opponent_won) == (0, 0)
    assert seen.opponent_cards == 3
    assert (seen.to_choose, seen.can_play) == (True, True)
    assert legal_actions(seen.state) == legal_actions(state)
    other = view(state, HOST)
    assert (other.to_choose, other.can_play) == (False, False)
    assert [held.position for held in other.hand] == [0, 2, 3]


def test_R8_a_view_says_whether_a_card_may_be_played() -> None:
    state = go(start(*HANDS), 5, "D")
    assert (view(state, HOST).to_choose, view(state, HOST).can_play) == (True, False)
    drawing = go(state, "end")
    assert (view(drawing, JOIN).to_choose, view(drawing, JOIN).can_play) == (False, False)


def test_R12_R17_a_view_of_standing_players_at_a_tie() -> None:
    state = start(*HANDS, rules=Rules(tiebreaker=Tiebreaker.AT_TIE))
    state = go(state, 9, "stand")
    assert (view(state, HOST).stands, view(state, JOIN).opponent_stands) == (True, True)
    state = go(state, 9, "stand")
    assert (view(state, HOST).to_choose, view(state, HOST).can_play) == (True, False)
    assert not view(state, JOIN).to_choose


def test_hidden_cards_are_not_among_the_legal_actions() -> None:
    state = go(start(*HANDS), 5)
    names = [type(action).__name__ for action in legal_actions(view(state, JOIN).state)]
    assert names == ["End", "Stand"]


def test_a_view_can_be_sent_as_json() -> None:
    """What msgspec encodes of a view is the masked state and nothing behind it."""
    text = msgspec.json.encode(view(start("D", "+1"), JOIN)).decode()
    assert '"D"' not in text
    assert '"+1"' in text
