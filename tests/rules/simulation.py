"""Whole matches of a player that reacts, against itself, for tests of figures."""

from __future__ import annotations

from random import Random

from pazaak_p2p.rules import (
    Action,
    Deal,
    Draw,
    End,
    FirstMove,
    Opening,
    Pass,
    Phase,
    Play,
    Rules,
    Seat,
    SideDeck,
    Stand,
    State,
    apply,
    legal_actions,
    new_match,
    total_after,
)


def reacting(state: State) -> Action:
    """Goes for 17, or for more than the other stands on, by a card where one is needed."""
    seat = state.mover
    assert seat is not None
    if state.phase is Phase.TIE:
        return Pass()
    goal = min(max(17, state.totals[seat.other] + 1), 20) if state.stood[seat.other] else 17
    if goal <= state.totals[seat] <= 20:
        return Stand()
    enough = max(goal, 18)
    for action in legal_actions(state):
        if isinstance(action, Play) and enough <= total_after(state, action) <= 20:
            return action
    return End()


def play_match(
    rng: Random,
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    opening: Opening | None = None,
) -> tuple[State, int]:
    """A match with cards from *rng*; its last state and the number of inputs."""
    *before, last = walk(rng, rules, decks, opening)
    return last, len(before)


def walk(
    rng: Random,
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    opening: Opening | None = None,
) -> list[State]:
    """All states of a match with cards from *rng*, the first one included."""
    states = [new_match(rules, decks)]
    while states[-1].phase is not Phase.OVER:
        states.append(apply(states[-1], _next(rng, states[-1], opening)))
    return states


def _next(
    rng: Random, state: State, opening: Opening | None
) -> Action | Deal | Opening | FirstMove | Draw:
    match state.phase:
        case Phase.DEAL:
            return Deal(tuple(rng.sample(range(10), 4)), tuple(rng.sample(range(10), 4)))
        case Phase.OPENING:
            return opening or Opening(rng.randint(1, 10), rng.randint(1, 10))
        case Phase.OPENER:
            return FirstMove(rng.choice(list(Seat)))
        case Phase.DRAW:
            return Draw(rng.choice(state.deck))
    return reacting(state)
