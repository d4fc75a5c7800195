"""R17: tiebreakers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import (
    Card,
    CardAlreadyPlayed,
    CardNotAllowed,
    CardNotDealt,
    Deal,
    Lay,
    NotDue,
    Opening,
    Pass,
    Phase,
    Play,
    Rules,
    Seat,
    SetEnd,
    State,
    Tiebreaker,
    apply,
    legal_actions,
    new_match,
)
from tests.rules.table import HOST, JOIN, deck, go, names, start


def tie(host: str, join: str, tiebreaker: Tiebreaker, *steps: int | str) -> State:
    return go(start(host, join, rules=Rules(tiebreaker=tiebreaker)), *steps)


def ended(state: State) -> tuple[Seat | None, SetEnd]:
    (result,) = state.results
    assert result.totals[0] == result.totals[1]
    return result.winner, result.reason


PLAYED, LAST, AT_TIE = Tiebreaker.PLAYED, Tiebreaker.LAST, Tiebreaker.AT_TIE


def test_R17_played_tiebreaker_wins_a_tie_for_the_host() -> None:
    state = tie("±1T", "+1", PLAYED, 9, "±1T=1", "stand", 10, "stand")
    assert ended(state) == (HOST, SetEnd.TIEBREAKER)
    assert state.won == (1, 0)


def test_R17_played_tiebreaker_wins_a_tie_for_the_joiner() -> None:
    state = tie("+1", "±1T", PLAYED, 9, "stand", 10, "±1T=-1", "stand")
    assert ended(state) == (JOIN, SetEnd.TIEBREAKER)


@pytest.mark.parametrize("tiebreaker", [PLAYED, LAST])
@pytest.mark.parametrize("opener", Seat)
def test_R17_C5_both_have_it_is_a_tie(tiebreaker: Tiebreaker, opener: Seat) -> None:
    state = start("±1T", "±1T", rules=Rules(tiebreaker=tiebreaker), opener=opener)
    state = go(state, 9, "±1T=1", "stand", 9, "±1T=1", "stand")
    assert ended(state) == (None, SetEnd.TIE)
    assert state.won == (0, 0)


@pytest.mark.parametrize("tiebreaker", [PLAYED, LAST, AT_TIE])
def test_R17_neither_has_it_is_a_tie(tiebreaker: Tiebreaker) -> None:
    state = tie("+1", "+1", tiebreaker, 9, "stand", 9, "stand")
    if tiebreaker is AT_TIE:
        state = go(state, "pass", "pass")
    assert ended(state) == (None, SetEnd.TIE)


def test_R17_it_counts_only_at_equal_totals() -> None:
    state = go(start("±1T"), 9, "±1T=-1", "stand", 9, "stand")
    assert (state.results[0].winner, state.results[0].reason) == (JOIN, SetEnd.HIGHER)


def test_R17_it_counts_in_the_set_in_which_it_was_placed_only() -> None:
    state = go(start("±1T"), 9, "±1T=1", "stand", 9, "stand")
    state = go(state, 9, "stand", 9, "stand")
    assert state.results[1].reason is SetEnd.TIE


def test_R17_played_it_need_not_be_the_last_card() -> None:
    state = tie("±1T", "+1", PLAYED, 5, "±1T=1", "end", 10, "stand", 4, "stand")
    assert ended(state) == (HOST, SetEnd.TIEBREAKER)


def test_R17_two_in_one_hand_count_as_one() -> None:
    state = tie(
        "±1T ±1T", "±1T", PLAYED, 5, "±1T=1", "end", 9, "±1T=1", "stand", 3, "±1T=1", "stand"
    )
    assert ended(state) == (None, SetEnd.TIE)


def test_R17_last_it_must_be_the_last_card_placed() -> None:
    state = tie("±1T", "+1", LAST, 5, "±1T=1", "end", 10, "stand", 4, "stand")
    assert ended(state) == (None, SetEnd.TIE)
    state = tie("±1T", "+1", LAST, 5, "end", 10, "stand", 4, "±1T=1", "stand")
    assert ended(state) == (HOST, SetEnd.TIEBREAKER)


def test_R17_last_one_last_and_one_earlier() -> None:
    steps = (5, "±1T=1", "end", 9, "±1T=1", "stand", 4, "stand")
    assert ended(tie("±1T", "±1T", LAST, *steps)) == (JOIN, SetEnd.TIEBREAKER)


def test_R17_last_each_owners_own_last_card() -> None:
    """The joiner places cards after it; it is still the host's last."""
    state = tie("±1T", "+1", LAST, 9, "±1T=1", "stand", 4, "end", 6, "stand")
    assert ended(state) == (HOST, SetEnd.TIEBREAKER)


def test_R17_R11_a_tiebreaker_to_20_against_20() -> None:
    steps = (10, "end", 10, "end", 9, "±1T=1", 10)
    assert ended(tie("±1T", "+1", PLAYED, *steps)) == (HOST, SetEnd.TIEBREAKER)


def at_tie(host: str, join: str, opener: Seat = HOST) -> State:
    state = go(
        start(host, join, rules=Rules(tiebreaker=AT_TIE), opener=opener), 9, "stand", 9, "stand"
    )
    assert state.totals == (9, 9)
    assert state.stood == (True, True)
    return state


@pytest.mark.parametrize("opener", Seat)
def test_R17_at_tie_the_opener_is_asked_first_then_the_other(opener: Seat) -> None:
    state = at_tie("±1T", "±1T", opener)
    assert (state.phase, state.mover) == (Phase.TIE, opener)
    assert legal_actions(state) == (Lay(0), Pass())
    state = go(state, "pass")
    assert (state.phase, state.mover) == (Phase.TIE, opener.other)
    assert legal_actions(state) == (Lay(0), Pass())
    assert ended(go(state, "pass")) == (None, SetEnd.TIE)


@pytest.mark.parametrize("opener", Seat)
def test_R17_at_tie_one_laid_wins(opener: Seat) -> None:
    first = go(at_tie("±1T", "±1T", opener), "lay")
    assert first.laid[opener]
    assert not first.laid[opener.other]
    assert ended(go(first, "pass")) == (opener, SetEnd.TIEBREAKER)
    second = go(at_tie("±1T", "±1T", opener), "pass", "lay")
    assert ended(second) == (opener.other, SetEnd.TIEBREAKER)
    assert second.laid == (False, False)


@pytest.mark.parametrize("opener", Seat)
def test_R17_at_tie_two_laid_tie(opener: Seat) -> None:
    state = go(at_tie("±1T", "±1T", opener), "lay", "lay")
    assert ended(state) == (None, SetEnd.TIE)


def test_R17_at_tie_a_laid_card_is_used_up_but_adds_nothing_and_takes_no_slot() -> None:
    state = go(at_tie("±1T", "+1"), "lay", "pass")
    (result,) = state.results
    assert [len(table) for table in result.tables] == [1, 1]
    assert result.totals == (9, 9)
    assert names(state, HOST) == ["+6", "+6", "+6"]
    with pytest.raises(CardAlreadyPlayed) as refused:
        go(state, 5, "end", 5, Play(0, Card.TIEBREAKER, 1))
    assert refused.value.rule == "R4"


def test_R17_at_tie_one_already_used_cannot_be_laid() -> None:
    state = start("±1T", rules=Rules(tiebreaker=AT_TIE))
    state = go(state, 8, "±1T=1", "stand", 9, "stand")
    assert state.phase is Phase.TIE
    assert legal_actions(state) == (Pass(),)
    with pytest.raises(CardAlreadyPlayed):
        go(state, Lay(0))


def test_R17_at_tie_one_on_the_table_does_not_count() -> None:
    state = start("±1T", rules=Rules(tiebreaker=AT_TIE))
    state = go(state, 8, "±1T=1", "stand", 9, "stand", "pass", "pass")
    assert ended(state) == (None, SetEnd.TIE)


def test_R17_at_tie_a_seat_without_a_tiebreaker_is_asked_all_the_same() -> None:
    state = at_tie("+1", "+1")
    assert legal_actions(state) == (Pass(),)
    state = go(state, "pass")
    assert (state.mover, legal_actions(state)) == (JOIN, (Pass(),))


def test_R17_at_tie_only_a_tiebreaker_can_be_laid() -> None:
    state = at_tie("+1 2&4 D", "±1T")
    for position in (0, 1, 2):
        with pytest.raises(CardNotAllowed) as refused:
            go(state, Lay(position))
        assert refused.value.rule == "R17"
    for position in (-1, 4, 9):
        with pytest.raises(CardNotDealt):
            go(state, Lay(position))


def test_R17_at_tie_a_hidden_card_that_is_laid_becomes_known() -> None:
    state = new_match(Rules(tiebreaker=AT_TIE), (None, deck("+1")))
    state = apply(apply(state, Deal((5, 6, 7, 8), (0, 1, 2, 3))), Opening(2, 1))
    state = go(state, 9, "stand", 9, "stand")
    assert legal_actions(state) == (Pass(),)
    state = go(state, Lay(7))
    assert [(c.position, c.card, c.played) for c in state.hands[HOST]] == [
        (5, None, False),
        (6, None, False),
        (7, Card.TIEBREAKER, True),
        (8, None, False),
    ]


def without_cards(state: State, *seats: Seat) -> State:
    """*state* as if *seats* had played all four cards in earlier sets."""
    hands = [
        tuple(replace(held, played=held.played or seat in seats) for held in state.hands[seat])
        for seat in Seat
    ]
    return replace(state, hands=(hands[0], hands[1]))


@pytest.mark.parametrize("opener", Seat)
@pytest.mark.parametrize("empty", Seat)
def test_R17_at_tie_a_seat_without_cards_is_skipped(opener: Seat, empty: Seat) -> None:
    state = start("±1T", "±1T", rules=Rules(tiebreaker=AT_TIE), opener=opener)
    state = go(without_cards(state, empty), 9, "stand", 9, "stand")
    assert (state.phase, state.mover) == (Phase.TIE, empty.other)
    assert ended(go(state, "pass")) == (None, SetEnd.TIE)
    assert ended(go(state, "lay")) == (empty.other, SetEnd.TIEBREAKER)


def test_R17_at_tie_nobody_is_asked_when_nobody_has_cards() -> None:
    state = without_cards(start(rules=Rules(tiebreaker=AT_TIE)), HOST, JOIN)
    assert ended(go(state, 9, "stand", 9, "stand")) == (None, SetEnd.TIE)


def test_R17_at_tie_without_gold_nobody_is_asked() -> None:
    state = go(start(rules=Rules(tiebreaker=AT_TIE, gold=False)), 9, "stand", 9, "stand")
    assert state.results[0].reason is SetEnd.TIE


def test_R17_laying_is_for_ties_only() -> None:
    for state in (start("±1T"), go(start("±1T"), 5)):
        for action in (Lay(0), Pass()):
            with pytest.raises(NotDue):
                apply(state, action)


@pytest.mark.parametrize("tiebreaker", [PLAYED, LAST])
def test_R17_nobody_is_asked_under_the_other_options(tiebreaker: Tiebreaker) -> None:
    assert ended(tie("±1T", "±1T", tiebreaker, 9, "stand", 9, "stand")) == (None, SetEnd.TIE)
