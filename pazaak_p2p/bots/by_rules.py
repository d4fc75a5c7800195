"""A match by the rules alone: no peers, no network, nothing signed."""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Final, TypeAlias

from pazaak_p2p.bots.base import Bot
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    FULL_DECK,
    HAND_SIZE,
    SLOTS,
    Action,
    Deal,
    Draw,
    FirstMove,
    Leave,
    Opening,
    Phase,
    Rules,
    Seat,
    SideDeck,
    State,
    Termination,
    View,
    apply,
    new_match,
    view,
)

Positions: TypeAlias = tuple[int, ...]
ByRules: TypeAlias = Generator[View, Action | Concede, State]
_DRAWS: Final = tuple(Draw(rank) for rank in range(11))
_FULL: Final = len(FULL_DECK)
_MOST_DRAWS: Final = 2 * SLOTS


def by_rules(
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    rng: Random,
    hands: tuple[Positions, Positions] | None = None,
) -> ByRules:
    """A match with cards from *rng*: yields a view for each choice, takes the choice, and returns
    the last state.

    From the same *rng* the same cards are drawn in the same order in each set, whatever is chosen,
    in this set and before: so two matches of a pair have more in common than their first draws.

    *hands*: the positions in the side decks of what is dealt, instead of a deal from *rng*.

    Raises ``RuleError`` when a choice that is not legal is sent, and ``DeckError`` for a bad deck.
    """
    state = new_match(rules, decks)
    if hands is None:
        host, join = (tuple(rng.sample(range(len(deck)), HAND_SIZE)) for deck in decks)
        hands = host, join
    state = apply(state, Deal(*hands))
    draw, over, uniform = Phase.DRAW, Phase.OVER, rng.random
    drawn: list[float] = []
    while (phase := state.phase) is not over:
        if phase is draw:
            deck = state.deck
            left = len(deck)
            if left == _FULL:  # R1: a set begins; this is all that it can need
                drawn = [uniform() for _ in range(_MOST_DRAWS)]
            state = apply(state, _DRAWS[deck[int(drawn[_FULL - left] * left)]])
        elif phase is Phase.OPENING:
            state = apply(state, Opening(rng.randint(1, 10), rng.randint(1, 10)))
        elif phase is Phase.OPENER:
            state = apply(state, FirstMove(Seat(rng.randrange(2))))
        else:
            mover = state.mover
            assert mover is not None
            choice = yield view(state, mover)
            if isinstance(choice, Concede):
                state = apply(state, Leave(mover, Termination.CONCESSION))
            else:
                state = apply(state, choice)
    return state


def share_won(state: State, seat: int) -> float:
    """What *seat* has won of the match that ended in *state*: half of a drawn one (R20)."""
    assert state.outcome is not None
    winner = state.outcome.winner
    return 0.5 if winner is None else float(winner == seat)


def play_match(
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    bots: tuple[Bot, Bot],
    rng: Random,
    hands: tuple[Positions, Positions] | None = None,
) -> State:
    """The last state of a match of *bots* (host, joiner), with cards as in :func:`by_rules`.

    Raises what :func:`by_rules` raises, and what the bots do.
    """
    match = by_rules(rules, decks, rng, hands)
    seen = next(match)
    try:
        while True:
            seen = match.send(bots[seen.seat].choose(seen))
    except StopIteration as end:
        state: State = end.value
        return state
