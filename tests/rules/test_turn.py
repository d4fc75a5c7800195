"""R7 to R13: a turn."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    Action,
    Card,
    CardAlreadyPlayed,
    Draw,
    End,
    ImpossibleValue,
    NotDue,
    Pass,
    Phase,
    Play,
    Rules,
    Seat,
    SecondCard,
    SetEnd,
    Stand,
    apply,
    legal_actions,
)
from tests.rules.table import HOST, JOIN, go, names, start, values


def kinds(actions: tuple[Action, ...]) -> list[str]:
    return [type(action).__name__ for action in actions]


def test_R7_a_turn_starts_with_a_green_card() -> None:
    state = start()
    assert (state.phase, state.mover) == (Phase.DRAW, HOST)
    state = apply(state, Draw(6))
    assert values(state, HOST) == [6]
    assert state.totals == (6, 0)
    assert (state.phase, state.mover) == (Phase.ACT, HOST)


@pytest.mark.parametrize("action", [End(), Stand(), Play(0, Card.PLUS_1, 1), Pass()])
def test_R7_the_draw_is_not_optional(action: Action) -> None:
    state = start()
    assert legal_actions(state) == ()
    with pytest.raises(NotDue) as refused:
        apply(state, action)
    assert refused.value.rule == "R7"


def test_R7_one_green_card_a_turn() -> None:
    with pytest.raises(NotDue) as refused:
        go(start(), 6, 6)
    assert refused.value.rule == "R9"


@pytest.mark.parametrize("size", range(1, 7))
def test_R8_plus_and_minus_cards_add_their_value(size: int) -> None:
    assert go(start(f"+{size}"), 8, f"+{size}").totals == (8 + size, 0)
    assert go(start(f"-{size}"), 8, f"-{size}").totals == (8 - size, 0)


@pytest.mark.parametrize("size", range(1, 7))
def test_R8_plusminus_takes_the_sign_that_is_named(size: int) -> None:
    state = go(start(f"±{size}"), 8)
    assert go(state, f"±{size}={size}").totals == (8 + size, 0)
    assert go(state, f"±{size}={-size}").totals == (8 - size, 0)


@pytest.mark.parametrize("value", [1, -1])
def test_R8_tiebreaker_takes_the_sign_that_is_named(value: int) -> None:
    assert go(start("±1T"), 8, f"±1T={value}").totals == (8 + value, 0)


@pytest.mark.parametrize("value", [1, 2, -1, -2])
def test_R8_one_two_takes_the_sign_and_size_that_are_named(value: int) -> None:
    assert go(start("1±2"), 8, f"1±2={value}").totals == (8 + value, 0)


RULE = {Card.DOUBLE: "R14", Card.FLIP_2_4: "R15", Card.FLIP_3_6: "R15"}
POSSIBLE = {card: set(card.values) for card in Card} | {Card.DOUBLE: {8}}


@pytest.mark.parametrize("card", Card)
def test_R8_C8_every_other_value_is_refused(card: Card) -> None:
    state = go(start(card.ascii), 8)
    for value in range(-128, 128):
        if value in POSSIBLE[card]:
            apply(state, Play(0, card, value))
        else:
            with pytest.raises(ImpossibleValue) as refused:
                apply(state, Play(0, card, value))
            assert refused.value.rule == RULE.get(card, "R8")
    legal = [action for action in legal_actions(state) if type(action) is Play and action.at == 0]
    assert sorted(action.value for action in legal) == sorted(POSSIBLE[card])


def test_R8_C8_plus_cannot_be_played_as_minus() -> None:
    with pytest.raises(ImpossibleValue) as refused:
        go(start("+3"), 8, "+3=-3")
    assert refused.value.rule == "R8"
    assert refused.value.what == "+3 cannot be played as -3."
    assert refused.value.why == "R8: +3 counts +3 here."


def test_R8_C10_a_second_hand_card_is_refused_however_often() -> None:
    state = go(start("+1 +2 +3"), 5, "+1")
    for _ in range(3):
        with pytest.raises(SecondCard) as refused:
            go(state, "+2")
        assert refused.value.rule == "R8"
    assert kinds(legal_actions(state)) == ["End", "Stand"]
    assert state.totals == (6, 0)


def test_R8_a_hand_card_each_turn() -> None:
    state = go(start("+1 +2 +3"), 5, "+1", "end", 5, "end", 5, "+2")
    assert state.totals == (13, 5)
    assert names(state, HOST) == ["+3", "+6"]


def test_R8_a_card_may_be_kept() -> None:
    assert go(start(), 5, "end").mover is JOIN


def test_R8_a_played_card_is_gone() -> None:
    state = go(start("+1 +2"), 5, "+1", "end", 5, "end", 5)
    with pytest.raises(CardAlreadyPlayed) as refused:
        go(state, "+1")
    assert refused.value.rule == "R4"


def test_R9_end_passes_the_turn_on_and_draws_again_next_turn() -> None:
    state = go(start(), 5, "end")
    assert (state.phase, state.mover, state.stood) == (Phase.DRAW, JOIN, (False, False))
    state = go(state, 6, "end", 7)
    assert (state.phase, state.mover, state.totals) == (Phase.ACT, HOST, (12, 6))


def test_R9_stand() -> None:
    state = go(start(), 5, "stand")
    assert (state.phase, state.mover, state.stood) == (Phase.DRAW, JOIN, (True, False))


def test_R9_legal_actions_are_the_cards_in_order_then_end_and_stand() -> None:
    state = go(start("±2 +1 2&4 1±2"), 5)
    assert legal_actions(state) == (
        Play(0, Card.PLUSMINUS_2, 2),
        Play(0, Card.PLUSMINUS_2, -2),
        Play(1, Card.PLUS_1, 1),
        Play(2, Card.FLIP_2_4, 0),
        Play(3, Card.ONE_TWO, 1),
        Play(3, Card.ONE_TWO, 2),
        Play(3, Card.ONE_TWO, -1),
        Play(3, Card.ONE_TWO, -2),
        End(),
        Stand(),
    )


# The opener comes to 15, the other to 2.
AT_15 = (8, "end", 1, "end", 7, "end", 1, "end")


def test_R10_C1_over_20_after_the_draw_may_still_play_a_card() -> None:
    state = go(start("-3 -1 +1 D"), *AT_15, 8)
    assert (state.totals[HOST], state.phase, state.mover) == (23, Phase.ACT, HOST)
    state = go(state, "-3")
    assert state.totals[HOST] == 20
    assert state.stood == (True, False)
    assert state.mover is JOIN


@pytest.mark.parametrize("end", ["end", "stand"])
def test_R10_over_20_at_the_end_of_the_turn_is_bust(end: str) -> None:
    state = go(start(), *AT_15, 8, end)
    (result,) = state.results
    assert (result.winner, result.reason, result.totals) == (JOIN, SetEnd.BUST, (23, 2))
    assert result.stood == (False, False)
    assert state.won == (0, 1)


@pytest.mark.parametrize("end", ["end", "stand"])
def test_R10_playing_a_card_and_still_being_over_is_legal_and_busts_at_the_end(end: str) -> None:
    state = go(start("-3 -1 +1 D"), *AT_15, 8, "-1")
    assert (state.totals[HOST], state.phase) == (22, Phase.ACT)
    assert go(state, end).results[0].reason is SetEnd.BUST


@pytest.mark.parametrize("end", ["end", "stand"])
def test_R10_21_is_bust_and_19_is_not(end: str) -> None:
    state = go(start("+1"), *AT_15, 6, end)
    assert state.results[0].totals == (21, 2)
    state = go(start("+1"), *AT_15, 4, end)
    assert (state.totals[HOST], state.results) == (19, ())


def test_R10_R8_a_card_played_in_the_turn_that_busts_leaves_the_next_set_free() -> None:
    state = go(start("+6 +5"), *AT_15, 3, "+6", "end")
    assert state.results[0].reason is SetEnd.BUST
    assert not state.played
    assert go(state, 5, "+1").played
    assert go(state, 5, "end", 5, "+5").totals == (10, 5)


def test_R10_a_card_that_goes_over_20_is_legal() -> None:
    state = go(start("-3 -1 +1 +6"), *AT_15, 1, "+6")
    assert (state.totals[HOST], state.phase) == (22, Phase.ACT)
    assert kinds(legal_actions(state)) == ["End", "Stand"]


def test_R10_busting_ends_the_set_at_once_also_for_the_joiner() -> None:
    state = go(start(opener=JOIN), *AT_15, 8, "end")
    (result,) = state.results
    assert (result.winner, result.reason) == (HOST, SetEnd.BUST)


def test_R11_a_draw_to_exactly_20_stands_at_once() -> None:
    state = go(start(), 10, "end", 1, "end", 10)
    assert state.totals[HOST] == 20
    assert (state.phase, state.mover, state.stood) == (Phase.DRAW, JOIN, (True, False))
    assert legal_actions(state) == ()


def test_R11_a_hand_card_to_exactly_20_stands_at_once() -> None:
    state = go(start("+4"), 10, "end", 1, "end", 6, "+4")
    assert (state.phase, state.mover, state.stood) == (Phase.DRAW, JOIN, (True, False))


def test_R11_a_hand_card_cannot_be_played_at_20() -> None:
    state = go(start("-1"), 10, "end", 1, "end", 10)
    with pytest.raises(NotDue) as refused:
        apply(state, Play(0, Card.MINUS_1, -1))
    assert refused.value.rule == "R7"


def test_R11_auto_stand_off_leaves_the_choice_at_20() -> None:
    state = go(start("-1", rules=Rules(auto_stand=False)), 10, "end", 1, "end", 10)
    assert (state.totals[HOST], state.phase, state.mover) == (20, Phase.ACT, HOST)
    assert kinds(legal_actions(state))[-2:] == ["End", "Stand"]
    assert go(state, "stand").stood == (True, False)
    assert go(state, "-1").totals[HOST] == 19
    ended = go(state, "end", 1, "end", 1)
    assert (ended.totals[HOST], ended.mover) == (21, HOST)


def test_R12_who_stands_draws_and_plays_nothing_more() -> None:
    state = go(start(), 10, "stand")
    for rank in (1, 2, 3, 4):
        assert (state.phase, state.mover) == (Phase.DRAW, JOIN)
        state = go(state, rank, "end")
    assert values(state, HOST) == [10]
    assert values(state, JOIN) == [1, 2, 3, 4]


@pytest.mark.parametrize("opener", Seat)
def test_R12_the_other_goes_on_until_busting(opener: Seat) -> None:
    state = go(start(opener=opener), 1, "stand", 10, "end", 9, "end", 8, "end")
    assert state.results[0].winner is opener
    assert state.results[0].reason is SetEnd.BUST


def test_R12_both_standing_is_judged_at_once() -> None:
    state = go(start(), 10, "stand", 9, "stand")
    (result,) = state.results
    assert (result.winner, result.reason, result.stood) == (HOST, SetEnd.HIGHER, (True, True))


def test_R12_the_mark_lasts_for_the_set_only() -> None:
    assert go(start(), 10, "stand", 9, "stand").stood == (False, False)


def test_R13_totals_may_fall_below_zero() -> None:
    state = go(start("-6 -5"), 1, "-6", "end", 1, "end", 1, "-5")
    assert state.totals[HOST] == -9
    assert values(state, HOST) == [1, -6, 1, -5]


def test_R13_a_negative_total_can_stand_and_win_by_the_others_bust() -> None:
    state = go(start("-6"), 1, "-6", "stand", 10, "end", 9, "end", 8, "end")
    assert (state.results[0].winner, state.results[0].totals) == (HOST, (-5, 27))


def test_R13_negative_totals_are_compared_as_numbers() -> None:
    state = go(start("-6", "-5"), 1, "-6", "stand", 1, "-5", "stand")
    assert (state.results[0].winner, state.results[0].totals) == (JOIN, (-5, -4))
