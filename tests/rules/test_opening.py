"""R4 hands, R5 and R6 who opens."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    DECKS,
    FULL_DECK,
    CardNotDealt,
    Deal,
    ImpossibleDraw,
    NotDue,
    Opener,
    Opening,
    Phase,
    Play,
    Rules,
    Seat,
    SetEnd,
    State,
    Tiebreaker,
    apply,
    new_match,
    parse_deck,
)
from tests.rules.table import HOST, JOIN, go, names, start

HOST_WINS = (9, "stand", 8, "stand")
TIE = (9, "stand", 9, "stand")


def dealt() -> State:
    decks = (DECKS["easy"], DECKS["average"])
    return apply(new_match(Rules(), decks), Deal((9, 0, 5, 3), (1, 2, 3, 4)))


def test_R4_a_hand_is_four_of_the_ten_in_the_order_dealt() -> None:
    state = dealt()
    assert names(state, HOST) == ["-1", "+1", "-6", "+4"]
    assert names(state, JOIN) == ["-3", "+4", "-4", "+5"]
    assert [held.position for held in state.hands[HOST]] == [9, 0, 5, 3]
    assert state.phase is Phase.OPENING


def test_R4_an_engine_that_does_not_know_a_deck_knows_its_positions() -> None:
    state = apply(new_match(Rules(), (None, DECKS["easy"])), Deal((9, 0, 5, 3), (1, 2, 3, 4)))
    assert [(held.position, held.card) for held in state.hands[HOST]] == [
        (9, None),
        (0, None),
        (5, None),
        (3, None),
    ]
    assert names(state, JOIN) == ["+2", "+3", "+4", "+5"]


@pytest.mark.parametrize(
    "positions", [(0, 1, 2), (0, 1, 2, 3, 4), (0, 1, 2, 2), (0, 1, 2, 10), (-1, 1, 2, 3), ()]
)
@pytest.mark.parametrize("seat", Seat)
def test_R4_impossible_hands_are_refused(positions: tuple[int, ...], seat: Seat) -> None:
    good = (0, 1, 2, 3)
    deal = Deal(positions, good) if seat is HOST else Deal(good, positions)
    with pytest.raises(ImpossibleDraw) as refused:
        apply(new_match(Rules()), deal)
    assert refused.value.rule == "R4"


def test_R4_C6_hands_are_not_refilled_after_a_set() -> None:
    state = go(start("+1 +2 +3 +4"), 9, "+2", "stand", 10, "stand")
    assert len(state.results) == 1
    assert names(state, HOST) == ["+1", "+3", "+4"]
    assert names(state, JOIN) == ["+1", "+2", "+3", "+4"]
    state = go(state, 8, "+1", "stand", 10, "+4", "stand", 4, "end", 5, "+4")
    assert names(state, HOST) == ["+1", "+3"]
    assert names(state, JOIN) == ["+2", "+3"]


def test_R4_ties_give_nothing_back() -> None:
    state = go(start(), 9, "+1", "stand", 10, "stand")
    assert state.results[0].reason is SetEnd.TIE
    assert names(state, HOST) == ["+2", "+3", "+4"]


def test_R4_C6_no_second_deal() -> None:
    state = go(start(), *HOST_WINS)
    with pytest.raises(NotDue) as refused:
        apply(state, Deal((0, 1, 2, 3), (0, 1, 2, 3)))
    assert refused.value.rule == "R7"


def test_R4_C12_a_card_is_dealt_once() -> None:
    """Deck of 8 x ±2, +1, +3: the one +3 cannot be in a hand twice, nor be played twice."""
    deck = "±2 ±2 ±2 ±2 ±2 ±2 ±2 ±2 +1 +3"
    state = new_match(Rules(), (parse_deck(deck), None))
    with pytest.raises(ImpossibleDraw):
        apply(state, Deal((9, 9, 0, 1), (0, 1, 2, 3)))
    state = apply(state, Deal((9, 8, 0, 1), (0, 1, 2, 3)))
    assert names(state, HOST) == ["+3", "+1", "+-2", "+-2"]


def test_R4_only_dealt_cards_can_be_played() -> None:
    state = go(apply(dealt(), Opening(2, 1)), 5)
    with pytest.raises(CardNotDealt) as refused:
        apply(state, Play(1, DECKS["easy"][1], 2))
    assert refused.value.rule == "R4"


def test_R5_the_higher_card_opens_the_first_set() -> None:
    for host, join, opener in ((10, 9, HOST), (2, 1, HOST), (1, 2, JOIN), (9, 10, JOIN)):
        state = apply(dealt(), Opening(host, join))
        assert (state.phase, state.mover, state.opener) == (Phase.DRAW, opener, opener)


@pytest.mark.parametrize("rank", range(1, 11))
def test_R5_equal_cards_are_drawn_again(rank: int) -> None:
    before = dealt()
    state = apply(before, Opening(rank, rank))
    assert state == before
    state = apply(apply(state, Opening(rank, rank)), Opening(3, 8))
    assert state.mover is JOIN


def test_R5_the_cards_go_back_before_play() -> None:
    assert apply(dealt(), Opening(7, 4)).deck == FULL_DECK


@pytest.mark.parametrize("ranks", [(0, 1), (1, 0), (11, 1), (1, 11), (-3, -3)])
def test_R5_only_green_cards_decide(ranks: tuple[int, int]) -> None:
    with pytest.raises(ImpossibleDraw) as refused:
        apply(dealt(), Opening(*ranks))
    assert refused.value.rule == "R5"


@pytest.mark.parametrize("option", Opener)
def test_R5_decides_the_first_set_under_every_opener_option(option: Opener) -> None:
    for opener in Seat:
        state = start(rules=Rules(opener=option), opener=opener)
        assert (state.phase, state.mover) == (Phase.DRAW, opener)


def second_opener(option: Opener, first: Seat, winner: Seat | None) -> Seat | None:
    """Who opens the second set, after a first one that *first* opened and *winner* won."""
    ranks = {HOST: (9, 8), JOIN: (8, 9), None: (9, 9)}[winner]
    mine, other = (ranks[first], ranks[first.other])
    state = go(start(rules=Rules(opener=option), opener=first), mine, "stand", other, "stand")
    assert state.results[0].winner is winner
    assert state.mover is state.opener
    return state.mover


@pytest.mark.parametrize("winner", [HOST, JOIN, None])
@pytest.mark.parametrize("first", Seat)
def test_R6_opener_alternate_also_after_a_tie(first: Seat, winner: Seat | None) -> None:
    assert second_opener(Opener.ALTERNATE, first, winner) is first.other


@pytest.mark.parametrize("first", Seat)
def test_R6_opener_loser(first: Seat) -> None:
    assert second_opener(Opener.LOSER, first, HOST) is JOIN
    assert second_opener(Opener.LOSER, first, JOIN) is HOST
    assert second_opener(Opener.LOSER, first, None) is first


@pytest.mark.parametrize("first", Seat)
def test_R6_opener_winner_a_tie_keeps_the_opener(first: Seat) -> None:
    assert second_opener(Opener.WINNER, first, HOST) is HOST
    assert second_opener(Opener.WINNER, first, JOIN) is JOIN
    assert second_opener(Opener.WINNER, first, None) is first


@pytest.mark.parametrize("winner", [HOST, JOIN, None])
@pytest.mark.parametrize("first", Seat)
def test_R6_opener_host(first: Seat, winner: Seat | None) -> None:
    assert second_opener(Opener.HOST, first, winner) is HOST


@pytest.mark.parametrize("seat", Seat)
def test_R6_opener_random_is_a_lot_from_outside(seat: Seat) -> None:
    state = go(start(rules=Rules(opener=Opener.RANDOM)), *TIE)
    assert (state.phase, state.mover, state.opener) == (Phase.OPENER, None, None)
    with pytest.raises(NotDue) as refused:
        go(state, 5)
    assert refused.value.rule == "R6"
    state = go(state, str(seat))
    assert (state.phase, state.mover, state.opener) == (Phase.DRAW, seat, seat)


def test_R6_a_lot_for_the_opener_comes_under_random_only() -> None:
    with pytest.raises(NotDue):
        go(start(), *TIE, "host")


def test_R6_alternating_goes_on_through_the_match() -> None:
    state = start(rules=Rules(sets=9, tiebreaker=Tiebreaker.LAST))
    openers = []
    for _ in range(6):
        openers.append(state.mover)
        state = go(state, *TIE)
    assert openers == [HOST, JOIN] * 3
    assert [result.opener for result in state.results] == openers
