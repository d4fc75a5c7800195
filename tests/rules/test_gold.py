"""R14 and R15: the double and the flips."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    Card,
    ImpossibleValue,
    Phase,
    Play,
    State,
    apply,
    legal_actions,
    total_after,
)
from tests.rules.table import HOST, JOIN, go, names, start, values


def values_of(state: State) -> list[int]:
    """The host's table when the last set ended."""
    return [placed.value for placed in state.results[-1].tables[HOST]]


# --- R14 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", range(1, 11))
def test_R14_double_is_worth_the_green_card_drawn_this_turn(rank: int) -> None:
    state = go(start("D"), rank, "D")
    assert state.totals == (2 * rank, 0)
    assert values(state, HOST) == [rank, rank]


def test_R14_double_is_the_last_green_card_not_an_earlier_hand_card() -> None:
    state = go(start("D +5"), 7, "+5", "end", 1, "end", 3, "D")
    assert values(state, HOST) == [7, 5, 3, 3]


@pytest.mark.parametrize("value", [0, 5, -3, 4])
def test_R14_double_has_no_other_value(value: int) -> None:
    """Nor that of an earlier green card, here the 5."""
    state = go(start("D"), 5, "end", 1, "end", 3)
    with pytest.raises(ImpossibleValue) as refused:
        apply(state, Play(0, Card.DOUBLE, value))
    assert refused.value.rule == "R14"
    assert refused.value.why == "R14: D counts +3 here."


def test_R14_double_stays_when_later_cards_come() -> None:
    state = go(start("D"), 5, "D", "end", 1, "end", 3)
    assert values(state, HOST) == [5, 5, 3]


def test_R14_R11_double_to_exactly_20_stands() -> None:
    state = go(start("D"), 10, "D")
    assert (state.totals[HOST], state.stood[HOST], state.mover) == (20, True, JOIN)


def test_R14_double_over_20_is_legal() -> None:
    state = go(start("D"), 5, "end", 1, "end", 9, "D")
    assert (state.totals[HOST], state.phase) == (23, Phase.ACT)


# --- R15 ------------------------------------------------------------------------------------


def test_R15_C2_two_and_four_change_sign() -> None:
    state = go(start("2&4"), 2, "end", 10, "end", 4, "end", 1, "end", 7, "2&4")
    assert values(state, HOST) == [-2, -4, 7, 0]
    assert state.totals[HOST] == 1


def test_R15_three_and_six_change_sign() -> None:
    state = go(start("3&6"), 3, "end", 10, "end", 6, "end", 1, "end", 7, "3&6")
    assert values(state, HOST) == [-3, -6, 7, 0]
    assert state.totals[HOST] == -2


@pytest.mark.parametrize("rank", range(1, 11))
@pytest.mark.parametrize(("flip", "flipped"), [("2&4", {2, 4}), ("3&6", {3, 6})])
def test_R15_no_other_value_is_touched(rank: int, flip: str, flipped: set[int]) -> None:
    state = go(start(flip), rank, flip)
    value = -rank if rank in flipped else rank
    assert values(state, HOST) == [value, 0]
    assert state.totals[HOST] == value


def test_R15_R11_hand_cards_of_every_kind_are_flipped_both_ways() -> None:
    state = go(start("-2 ±4 1±2 2&4", opener=JOIN), 10, "stand", 9, "-2", "end")
    state = go(state, 1, "±4=-4", "end", 1, "1±2=2", "end")
    assert values(state, HOST) == [9, -2, 1, -4, 1, 2]
    state = go(state, 5, "2&4")
    assert values_of(state) == [9, 2, 1, 4, 1, -2, 5, 0]
    cards = [placed.card.ascii if placed.card else "" for placed in state.results[0].tables[HOST]]
    assert cards == ["", "-2", "", "+-4", "", "1+-2", "", "2&4"]
    assert (state.results[0].totals, state.results[0].stood) == ((20, 10), (True, True))


def test_R15_plus_cards_and_a_placed_double_are_flipped() -> None:
    state = go(start("D +4 2&4"), 2, "D", "end", 1, "end", 7, "+4", "end", 1, "end", 1, "2&4")
    assert values(state, HOST) == [-2, -2, 7, -4, 1, 0]


@pytest.mark.parametrize("sign", [1, -1])
def test_R15_one_two_of_one_and_the_tiebreaker_are_not_flipped(sign: int) -> None:
    state = go(start("1±2 ±1T 2&4"), 5, f"1±2={sign}", "end", 1, "end", 5, f"±1T={sign}", "end")
    state = go(state, 1, "end", 7, "2&4")
    assert values(state, HOST) == [5, sign, 5, sign, 7, 0]


def test_R15_three_and_six_on_minus_cards() -> None:
    state = go(start("-3 ±6 3&6"), 5, "-3", "end", 1, "end", 5, "±6=-6", "end", 1, "end", 1, "3&6")
    assert values(state, HOST) == [5, 3, 5, 6, 1, 0]
    assert (state.totals[HOST], state.stood[HOST]) == (20, True)


def test_R15_cards_placed_later_are_not_touched() -> None:
    state = go(start("2&4 +2"), 2, "2&4", "end", 1, "end", 4, "+2")
    assert values(state, HOST) == [-2, 0, 4, 2]


def test_R15_a_later_flip_flips_again() -> None:
    state = go(start("2&4 2&4"), 2, "2&4", "end", 1, "end", 4, "2&4")
    assert values(state, HOST) == [2, 0, -4, 0]


def test_R15_the_other_flip_leaves_them_alone() -> None:
    state = go(start("2&4 3&6"), 2, "2&4", "end", 1, "end", 3, "3&6")
    assert values(state, HOST) == [-2, 0, -3, 0]


def test_R15_the_opponents_table_is_not_touched() -> None:
    state = go(start("+1", "2&4"), 2, "end", 4, "2&4")
    assert values(state, HOST) == [2]
    assert values(state, JOIN) == [-4, 0]


def test_R15_a_flip_takes_a_slot_and_the_hand_card() -> None:
    state = go(start("2&4 3&6"), 5, "2&4")
    assert values(state, HOST) == [5, 0]
    assert names(state, HOST) == ["3&6", "+6", "+6"]


def test_R15_R10_a_flip_mends_a_total_over_20() -> None:
    state = go(start("2&4"), 4, "end", 1, "end", 4, "end", 1, "end", 8, "end", 1, "end", 7)
    assert state.totals[HOST] == 23
    state = go(state, "2&4")
    assert state.totals[HOST] == 7
    assert go(state, "end").phase is Phase.DRAW


def test_R15_a_double_after_a_flip_is_worth_the_drawn_card() -> None:
    state = go(start("2&4 D"), 4, "2&4", "end", 1, "end", 4, "D")
    assert values(state, HOST) == [-4, 0, 4, 4]


def test_R15_the_total_after_a_card_is_known_before() -> None:
    state = go(start("2&4 D ±3 +6"), 2, "end", 10, "end", 4)
    plays = [action for action in legal_actions(state) if isinstance(action, Play)]
    assert [total_after(state, play) for play in plays] == [-6, 10, 9, 3, 12]
    assert [apply(state, play).totals[HOST] for play in plays] == [-6, 10, 9, 3, 12]
