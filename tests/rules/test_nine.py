"""R16: nine cards."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    Nine,
    Phase,
    Rules,
    Seat,
    SetEnd,
    State,
)
from tests.rules.table import HOST, JOIN, go, start


def values_of(state: State) -> list[int]:
    """The host's table when the last set ended."""
    return [placed.value for placed in state.results[-1].tables[HOST]]


SEVEN_MORE = (1, "end", 1, "end", 1, "end", 2, "end", 2, "end", 2, "end", 2, "end")


def eight_cards(nine: Nine = Nine.WIN, seat: Seat = HOST, hand: str = "+1 -1 2&4 D") -> State:
    """*seat* has eight green cards at 12; the other stands on 19; *seat* draws next."""
    state = start(hand, hand, rules=Rules(nine=nine), opener=seat.other)
    state = go(state, 10, "end", 1, "end", 9, "stand", *SEVEN_MORE)
    assert state.totals[seat] == 12
    assert len(state.tables[seat]) == 8
    assert state.mover is seat
    return state


@pytest.mark.parametrize("seat", Seat)
def test_R16_C3_nine_cards_win_at_once_even_against_a_higher_standing_total(seat: Seat) -> None:
    state = go(eight_cards(seat=seat), 6)
    (result,) = state.results
    assert (result.winner, result.reason) == (seat, SetEnd.NINE)
    assert (result.totals[seat], result.totals[seat.other]) == (18, 19)
    assert result.stood[seat.other]


@pytest.mark.parametrize("rank", [3, 8])
def test_R16_nine_cards_win_at_20_or_less(rank: int) -> None:
    state = go(eight_cards(), rank)
    assert (state.results[0].winner, state.results[0].reason) == (HOST, SetEnd.NINE)
    assert state.results[0].totals[HOST] == 12 + rank


def test_R16_even_against_a_standing_20() -> None:
    state = go(start(opener=JOIN), 10, "end", 1, "end", 10, *SEVEN_MORE, 3)
    assert state.results[0].totals == (15, 20)
    assert (state.results[0].winner, state.results[0].reason) == (HOST, SetEnd.NINE)


# Both go on: the host takes two cards a turn, eight in four turns at 4, the joiner is at 13.
FOUR_TURNS: tuple[int | str, ...] = (
    *(2, "-1", "end", 3, "end"),
    *(2, "-1", "end", 3, "end"),
    *(2, "-1", "end", 3, "end"),
    *(2, "-1", "end", 4, "end"),
)


def test_R16_against_a_player_who_has_not_stood() -> None:
    state = go(start("-1 -1 -1 -1"), *FOUR_TURNS, 3)
    (result,) = state.results
    assert (result.winner, result.reason, result.totals) == (HOST, SetEnd.NINE, (7, 13))
    assert result.stood == (False, False)


@pytest.mark.parametrize("nine", Nine)
@pytest.mark.parametrize("seat", Seat)
def test_R16_C4_over_20_with_the_ninth_card_busts_at_once(seat: Seat, nine: Nine) -> None:
    state = go(eight_cards(seat=seat, nine=nine), 9)
    (result,) = state.results
    assert (result.winner, result.reason, result.totals[seat]) == (seat.other, SetEnd.BUST, 21)
    assert not result.stood[seat]


def seven_cards(hand: str) -> State:
    """The host has seven green cards at 12 and draws next; the joiner stands on 19."""
    state = go(start(hand, opener=JOIN), 10, "end", 1, "end", 9, "stand")
    return go(state, 1, "end", 1, "end", 1, "end", 2, "end", 2, "end", 4, "end")


def test_R16_a_hand_card_in_the_ninth_slot_wins() -> None:
    state = go(seven_cards("+1"), 2, "+1")
    assert (state.results[0].reason, state.results[0].totals[HOST]) == (SetEnd.NINE, 15)


def test_R16_a_hand_card_in_the_ninth_slot_busts_when_over() -> None:
    state = go(seven_cards("+1"), 10, "+1")
    assert (state.results[0].reason, state.results[0].winner) == (SetEnd.BUST, JOIN)


def test_R16_a_flip_in_the_ninth_slot_is_judged_on_the_new_total() -> None:
    state = go(seven_cards("2&4"), 10)
    assert (state.totals[HOST], state.phase) == (22, Phase.ACT)
    state = go(state, "2&4")
    assert values_of(state) == [1, 1, 1, 1, -2, -2, -4, 10, 0]
    assert (state.results[0].reason, state.results[0].totals[HOST]) == (SetEnd.NINE, 6)


def test_R16_a_flip_in_the_ninth_slot_busts_when_it_raises_the_total() -> None:
    """-4 and -2 in the table turn to +4 and +2."""
    state = start("±4 ±2 2&4", opener=JOIN)
    state = go(state, 10, "end", 1, "±4=-4", "end", 9, "stand")
    state = go(state, 10, "±2=-2", "end", 5, "end", 1, "end", 1, "end", 6, "2&4")
    assert values_of(state) == [1, 4, 10, 2, 5, 1, 1, 6, 0]
    assert (state.results[0].reason, state.results[0].totals[HOST]) == (SetEnd.BUST, 30)


def test_R16_a_double_in_the_ninth_slot() -> None:
    assert go(seven_cards("D"), 4, "D").results[0].reason is SetEnd.NINE
    assert go(seven_cards("D"), 5, "D").results[0].reason is SetEnd.BUST


def test_R16_exactly_20_with_nine_cards_is_nine_not_standing() -> None:
    state = go(eight_cards(), 8)
    assert (state.results[0].reason, state.results[0].stood) == (SetEnd.NINE, (False, True))


def test_R16_eight_cards_are_not_nine() -> None:
    assert eight_cards().results == ()


@pytest.mark.parametrize("seat", Seat)
def test_R16_nine_stand_only_stands(seat: Seat) -> None:
    state = go(eight_cards(nine=Nine.STAND, seat=seat), 6)
    (result,) = state.results
    assert (result.winner, result.reason) == (seat.other, SetEnd.HIGHER)
    assert result.stood == (True, True)
    assert (result.totals[seat], result.totals[seat.other]) == (18, 19)


def test_R16_nine_stand_against_a_player_who_goes_on() -> None:
    state = go(start("-1 -1 -1 -1", rules=Rules(nine=Nine.STAND)), *FOUR_TURNS, 3)
    assert (state.stood, state.mover, state.phase) == ((True, False), JOIN, Phase.DRAW)
    assert state.totals == (7, 13)
    assert go(state, 1, "stand").results[0].winner is JOIN
