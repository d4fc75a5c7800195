"""R18 to R21: sets and the match."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    FULL_DECK,
    Draw,
    End,
    Leave,
    NotDue,
    Opener,
    Outcome,
    Phase,
    RuleError,
    Rules,
    Seat,
    SetEnd,
    State,
    Termination,
    apply,
    legal_actions,
    new_match,
    parse_rules,
)
from tests.rules.table import HOST, JOIN, go, names, start, values


def play_set(state: State, winner: Seat | None) -> State:
    """One set, both standing on their first card, that *winner* wins by 9 to 8."""
    for _ in range(2):
        mover = state.mover
        state = go(state, 9 if winner in (mover, None) else 8, "stand")
    return state


def play_sets(rules: str, *winners: Seat | None) -> State:
    state = start(rules=parse_rules(rules))
    for winner in winners:
        state = play_set(state, winner)
    return state


@pytest.mark.parametrize("winner", Seat)
def test_R18_the_higher_total_wins(winner: Seat) -> None:
    state = play_sets("standard", winner)
    (result,) = state.results
    assert (result.winner, result.reason) == (winner, SetEnd.HIGHER)
    assert state.won == ((1, 0) if winner is HOST else (0, 1))


def test_R18_equal_totals_tie_and_nobody_scores() -> None:
    state = play_sets("standard", None)
    (result,) = state.results
    assert (result.winner, result.reason, state.won) == (None, SetEnd.TIE, (0, 0))


def test_R18_a_set_result_keeps_the_final_position() -> None:
    state = go(start("+3"), 9, "+3", "stand", 8, "stand")
    (result,) = state.results
    assert (result.number, result.opener, result.totals) == (1, HOST, (12, 8))
    assert [[placed.value for placed in table] for table in result.tables] == [[9, 3], [8]]
    assert result.stood == (True, True)


def test_R18_one_player_busting_ends_the_set_at_once_so_both_never_bust() -> None:
    state = go(start(), 10, "end", 10, "end", 9, "end", 9, "end", 8, "end")
    assert state.results[0].totals == (27, 19)
    assert state.results[0].winner is JOIN


def test_R18_R1_C7_the_next_set_starts_from_the_full_deck_and_empty_tables() -> None:
    state = go(start(), 9, "stand", 8, "stand")
    assert state.deck == FULL_DECK
    assert (state.tables, state.totals, state.stood) == (((), ()), (0, 0), (False, False))
    assert (state.phase, state.mover, state.played) == (Phase.DRAW, JOIN, False)


def test_R18_R8_a_card_played_in_the_last_turn_leaves_the_next_turn_free() -> None:
    state = go(start("+1", "+2 +3"), 9, "stand", 8, "+2", "stand", 5, "+3")
    assert values(state, JOIN) == [5, 3]


@pytest.mark.parametrize("sets", range(1, 10))
def test_R19_the_first_to_win_so_many_sets_wins_the_match(sets: int) -> None:
    state = start(rules=Rules(sets=sets))
    for _ in range(sets - 1):
        state = play_set(play_set(state, JOIN), HOST)
        assert state.outcome is None
    state = play_set(state, JOIN)
    assert state.outcome == Outcome(Termination.NORMAL, JOIN)
    assert (state.phase, state.won) == (Phase.OVER, (sets - 1, sets))


def test_R19_standard_is_three_sets() -> None:
    assert play_sets("standard", HOST, HOST).outcome is None
    state = play_sets("standard", HOST, HOST, HOST)
    assert state.outcome == Outcome(Termination.NORMAL, HOST)


def test_R19_the_last_position_stays_and_nothing_more_comes() -> None:
    state = play_sets("sets=1", HOST)
    assert (values(state, HOST), values(state, JOIN), state.stood) == ([9], [8], (True, True))
    assert (state.mover, state.played, state.opener) == (None, False, HOST)
    assert len(state.deck) == 38
    assert legal_actions(state) == ()
    for late in (Draw(1), End(), Leave(HOST, Termination.CONCESSION)):
        with pytest.raises(NotDue) as refused:
            apply(state, late)
        assert refused.value.rule == "R19"


def test_R19_the_deciding_set_may_end_by_any_reason() -> None:
    state = go(start(rules=Rules(sets=1)), 10, "end", 1, "end", 9, "end", 1, "end", 8, "end")
    assert state.outcome == Outcome(Termination.NORMAL, JOIN)
    assert state.results[0].reason is SetEnd.BUST


def test_R20_ties_go_on_without_a_cap() -> None:
    state = play_sets("standard", *[None] * 300)
    assert (len(state.results), state.won, state.outcome) == (300, (0, 0), None)
    assert state.results[-1].number == 300


@pytest.mark.parametrize(
    ("sets", "winner"),
    [
        ((HOST, None), HOST),
        ((None, JOIN), JOIN),
        ((None, None), None),
        ((HOST, JOIN), None),
    ],
)
def test_R20_max_sets_ends_the_match(sets: tuple[Seat | None, ...], winner: Seat | None) -> None:
    assert play_sets("max_sets=2", sets[0]).outcome is None
    state = play_sets("max_sets=2", *sets)
    assert state.outcome == Outcome(Termination.CAP, winner)
    assert (state.phase, state.mover) == (Phase.OVER, None)


def test_R20_a_match_won_in_the_last_set_is_won_normally() -> None:
    state = play_sets("max_sets=3", HOST, HOST, HOST)
    assert state.outcome == Outcome(Termination.NORMAL, HOST)


def test_R20_the_cap_comes_before_the_lot_for_the_next_opener() -> None:
    assert play_sets("max_sets=1,opener=random", None).phase is Phase.OVER


LEFT = [Termination.CONCESSION, Termination.TIME, Termination.ABANDONED, Termination.CHEAT]


def every_phase() -> list[State]:
    at_tie = start(rules=parse_rules("tiebreaker=at-tie"))
    opener = play_set(start(rules=Rules(opener=Opener.RANDOM)), HOST)
    begun = new_match(Rules())
    opening = go(start())
    return [begun, opening, go(opening, 5), play_set(at_tie, None), opener]


@pytest.mark.parametrize("termination", LEFT)
@pytest.mark.parametrize("seat", Seat)
def test_R21_who_leaves_loses_in_any_phase(seat: Seat, termination: Termination) -> None:
    phases = set()
    for state in every_phase():
        phases.add(state.phase)
        left = apply(state, Leave(seat, termination))
        assert left.outcome == Outcome(termination, seat.other)
        assert (left.phase, left.mover, left.played) == (Phase.OVER, None, False)
        assert (left.tables, left.deck, left.hands) == (state.tables, state.deck, state.hands)
        assert (left.won, left.results, left.stood) == (state.won, state.results, state.stood)
    assert phases == {Phase.DEAL, Phase.DRAW, Phase.ACT, Phase.TIE, Phase.OPENER}


@pytest.mark.parametrize("termination", [Termination.NORMAL, Termination.CAP])
def test_R21_a_match_is_not_left_by_being_over(termination: Termination) -> None:
    with pytest.raises(RuleError) as refused:
        apply(start(), Leave(HOST, termination))
    assert refused.value.rule == "R21"


@pytest.mark.parametrize("rules", ["standard", "kotor1", "kotor2", "tournament"])
def test_R19_every_preset_is_played_to_the_end(rules: str) -> None:
    state = play_sets(rules, HOST, None, JOIN, HOST, JOIN, None, JOIN)
    assert state.outcome == Outcome(Termination.NORMAL, JOIN)
    assert names(state, HOST) == ["+1", "+2", "+3", "+4"]


def test_R6_preset_kotor1_host_opens_every_later_set() -> None:
    state = play_sets("kotor1", JOIN, None, JOIN)
    assert [result.opener for result in state.results] == [HOST, HOST, HOST]
