"""What follows by itself: cards that end a turn, sets judged, the match decided."""

from __future__ import annotations

from msgspec.structs import replace

from pazaak_p2p.rules.cards import TIEBREAKER
from pazaak_p2p.rules.options import Nine, Opener, Tiebreaker
from pazaak_p2p.rules.seats import HOST, JOIN, OTHER, Seat, with_seat
from pazaak_p2p.rules.state import (
    DRAW,
    FULL_DECK,
    NO_TABLES,
    NOBODY,
    OVER,
    SLOTS,
    TARGET,
    TIE,
    Hand,
    Outcome,
    Phase,
    SetEnd,
    SetResult,
    State,
    Table,
    Termination,
)


def judge_placing(state: State, seat: Seat) -> State:
    """What the card just placed, drawn or from the hand, decides by itself (R11, R16)."""
    total = state.totals[seat]
    if len(state.tables[seat]) == SLOTS:
        if total > TARGET:
            return end_set(state, OTHER[seat], SetEnd.BUST)
        if state.rules.nine is Nine.WIN:
            return end_set(state, seat, SetEnd.NINE)
        return mark_stood(state, seat)
    if total == TARGET and state.rules.auto_stand:
        return mark_stood(state, seat)
    return state


def mark_stood(state: State, seat: Seat) -> State:
    if not state.stood[OTHER[seat]]:
        stood = with_seat(NOBODY, seat, True)
        return replace(state, phase=DRAW, mover=OTHER[seat], stood=stood, played=False)
    return _judge_totals(replace(state, stood=(True, True), played=False))


def pass_turn(state: State, seat: Seat) -> State:
    # R12: against a standing player the other goes on turn after turn.
    mover = seat if state.stood[OTHER[seat]] else OTHER[seat]
    return replace(state, phase=DRAW, mover=mover, played=False)


def _judge_totals(state: State) -> State:
    """Both stand: the higher total, or a tie and what breaks it (R17, R18)."""
    host, join = state.totals
    if host != join:
        return end_set(state, HOST if host > join else JOIN, SetEnd.HIGHER)
    rule = state.rules.tiebreaker
    if rule is Tiebreaker.AT_TIE:
        opener = state.opener
        assert opener is not None
        # Whoever holds cards is asked, since what they are is hidden; without gold cards or
        # without hands there is nothing to ask for.
        if state.rules.gold:
            for seat in (opener, OTHER[opener]):
                if _holds_cards(state.hands[seat]):
                    return replace(state, phase=TIE, mover=seat)
        return _break_tie(state, NOBODY)
    if rule is Tiebreaker.LAST:
        return _break_tie(
            state,
            (state.tables[0][-1].card is TIEBREAKER, state.tables[1][-1].card is TIEBREAKER),
        )
    return _break_tie(state, (_has_tiebreaker(state.tables[0]), _has_tiebreaker(state.tables[1])))


def ask_next(state: State, asked: Seat) -> State:
    """At a tie: the opener has answered, then the other, then it is decided (R17)."""
    other = OTHER[asked]
    if asked is state.opener and _holds_cards(state.hands[other]):
        return replace(state, mover=other)
    return _break_tie(state, state.laid)


def _break_tie(state: State, tiebreakers: tuple[bool, bool]) -> State:
    host, join = tiebreakers
    if host is join:  # R17: both or neither.
        return end_set(state, None, SetEnd.TIE)
    return end_set(state, HOST if host else JOIN, SetEnd.TIEBREAKER)


def end_set(state: State, winner: Seat | None, reason: SetEnd) -> State:
    """The set is judged; the next one begins at once unless the match is decided (R19, R20)."""
    opener = state.opener
    assert opener is not None
    number = len(state.results) + 1
    result = SetResult(number, opener, state.totals, winner, reason, state.tables, state.stood)
    won = state.won
    if winner is not None:
        won = with_seat(won, winner, won[winner] + 1)
    state = replace(state, won=won, results=(*state.results, result))
    if winner is not None and won[winner] == state.rules.sets:
        return end_match(state, Outcome(Termination.NORMAL, winner))
    if number == state.rules.max_sets:
        leader = None if won[0] == won[1] else HOST if won[0] > won[1] else JOIN
        return end_match(state, Outcome(Termination.CAP, leader))
    following = _next_opener(state.rules.opener, opener, winner)
    return replace(
        state,
        phase=Phase.OPENER if following is None else DRAW,
        tables=NO_TABLES,
        totals=(0, 0),
        stood=NOBODY,
        deck=FULL_DECK,
        mover=following,
        opener=following,
        played=False,
        laid=NOBODY,
    )


def end_match(state: State, outcome: Outcome) -> State:
    # Tables, marks and deck stay, so that the last position can be shown (specification, 9).
    return replace(state, phase=OVER, mover=None, played=False, laid=NOBODY, outcome=outcome)


def _next_opener(option: Opener, opener: Seat, winner: Seat | None) -> Seat | None:
    """Who opens the next set (R6); None if a lot decides."""
    if option is Opener.ALTERNATE:
        return OTHER[opener]
    if option is Opener.RANDOM:
        return None
    if option is Opener.HOST:
        return HOST
    if winner is None:
        return opener  # A tied set has neither winner nor loser: the opener stays.
    return winner if option is Opener.WINNER else OTHER[winner]


def _holds_cards(hand: Hand) -> bool:
    return any(not held.played for held in hand)


def _has_tiebreaker(table: Table) -> bool:
    return any(placed.card is TIEBREAKER for placed in table)
