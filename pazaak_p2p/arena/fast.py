"""An arena's match by the rules alone: no peers, no sockets, no signatures."""

from __future__ import annotations

import hashlib
from random import Random

from pazaak_p2p.arena.referee import Judged
from pazaak_p2p.bots.by_rules import by_rules
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import Outcome, RuleError, Rules, SideDeck, State, Termination


def play_fast(
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    bots: tuple[Judged, Judged],
    seed: str,
) -> tuple[Outcome, tuple[int, int]]:
    """Play a match to its end; the outcome and the sets won, (host, join).

    All that is drawn follows from *seed*. As in a real match, which cards of a side deck lie where
    is drawn by its seat.
    """
    rng = Random(hashlib.sha256(seed.encode()).digest())
    host, join = (tuple(rng.sample(deck, len(deck))) for deck in decks)
    match = by_rules(rules, (host, join), rng)
    seen = next(match)
    ask = bots[0].ask, bots[1].ask
    while True:
        choice = ask[seen.seat](seen)
        try:
            seen = match.send(choice)
        except StopIteration as end:
            state: State = end.value
            assert state.outcome is not None
            return state.outcome, state.won
        except RuleError:
            assert not isinstance(choice, Concede)
            bots[seen.seat].refuse(seen, choice)
            return Outcome(Termination.CONCESSION, seen.seat.other), seen.state.won
