"""Matches of two bots by the rules alone: no peers, no network, nothing signed."""

from __future__ import annotations

from random import Random
from typing import Final

from pazaak_p2p.bots import Bot
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    HAND_SIZE,
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
    apply,
    new_match,
    view,
)

_SEATS: Final = (Seat.HOST, Seat.JOIN)


def play_match(
    rules: Rules, decks: tuple[SideDeck, SideDeck], bots: tuple[Bot, Bot], rng: Random
) -> State:
    """The last state of a match of *bots* (host, joiner), with cards from *rng*.

    Raises ``RuleError`` if a bot chooses what is not legal, and ``DeckError`` for a bad deck.
    """
    state = new_match(rules, decks)
    host, join = (tuple(rng.sample(range(len(deck)), HAND_SIZE)) for deck in decks)
    state = apply(state, Deal(host, join))
    while (phase := state.phase) is not Phase.OVER:
        match phase:
            case Phase.DRAW:
                state = apply(state, Draw(state.deck[int(rng.random() * len(state.deck))]))
            case Phase.OPENING:
                state = apply(state, Opening(rng.randint(1, 10), rng.randint(1, 10)))
            case Phase.OPENER:
                state = apply(state, FirstMove(rng.choice(_SEATS)))
            case _:
                mover = state.mover
                assert mover is not None
                choice = bots[mover].choose(view(state, mover))
                if isinstance(choice, Concede):
                    state = apply(state, Leave(mover, Termination.CONCESSION))
                else:
                    state = apply(state, choice)
    return state
