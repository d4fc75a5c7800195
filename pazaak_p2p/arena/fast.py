"""A match by the rules alone: no peers, no sockets, no signatures."""

from __future__ import annotations

import hashlib
from random import Random

from pazaak_p2p.arena.referee import Judged
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    Deal,
    Draw,
    FirstMove,
    Opening,
    Outcome,
    Phase,
    Rules,
    Seat,
    SideDeck,
    Termination,
    apply,
    new_match,
    view,
)
from pazaak_p2p.rules.state import FULL_DECK


def play_fast(
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    bots: tuple[Judged, Judged],
    seed: str,
) -> tuple[Outcome, tuple[int, int]]:
    """Play a match to its end; the outcome and the sets won, (host, join).

    All that is drawn follows from *seed*. As in a real match, which cards of a side deck lie where
    is drawn by its seat, and where the hand lies is not.
    """
    rng = Random(hashlib.sha256(seed.encode()).digest())
    shuffled = tuple(tuple(rng.sample(deck, 10)) for deck in decks)
    state = new_match(rules, (shuffled[0], shuffled[1]))
    places, uniform = range(10), rng.random
    state = apply(state, Deal(tuple(rng.sample(places, 4)), tuple(rng.sample(places, 4))))
    while state.phase is Phase.OPENING:
        host, join = rng.sample(FULL_DECK, 2)
        state = apply(state, Opening(host, join))
    draw, over, opener = Phase.DRAW, Phase.OVER, Phase.OPENER
    while (phase := state.phase) is not over:
        if phase is draw:
            deck = state.deck
            state = apply(state, Draw(deck[int(uniform() * len(deck))]))
        elif phase is opener:
            state = apply(state, FirstMove(Seat(rng.randrange(2))))
        else:
            seat = state.mover
            assert seat is not None
            bot = bots[seat]
            seen = view(state, seat)
            choice = bot.ask(seen)
            if not isinstance(choice, Concede):
                try:
                    state = apply(state, choice)
                    continue
                except Exception:  # a RuleError, or what comes of parts of no type that they know
                    bot.refuse(seen, choice)
            return Outcome(Termination.CONCESSION, seat.other), state.won
    assert state.outcome is not None
    return state.outcome, state.won
