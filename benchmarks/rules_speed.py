"""Whole matches a second by the rules alone: the threshold player against itself on one core.

    python -m benchmarks.rules_speed [--matches N] [--rounds N]

Everything that the rules do in a match is inside the measured time: the state machine, random
cards as inputs, a view for every choice. The limit is 4,000 matches a second.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence

from pazaak_p2p.rules import (
    DECKS,
    Action,
    Deal,
    Draw,
    End,
    Opening,
    Phase,
    Play,
    Rules,
    Stand,
    State,
    View,
    apply,
    new_match,
    view,
)

LIMIT = 4_000
STANDS_AT = 17
_END, _STAND = End(), Stand()


def threshold(view: View) -> Action:
    """Stand at 17 or more, use a card that makes 18 to 20, else end the turn."""
    total = view.total
    # Below 12 no card of the deck that is played here reaches 18.
    if total != 20 and total >= 12 and view.can_play:
        for held in view.hand:
            card = held.card
            assert card is not None
            for value in card.values:
                if 18 <= total + value <= 20 and total + value > total * (total <= 20):
                    return Play(held.position, card, value)
    return _STAND if total >= STANDS_AT else _END


def play_match(rng: random.Random) -> tuple[State, int]:
    """One standard match with random cards; its last state and the number of inputs."""
    deck = DECKS["balanced"]
    state = new_match(Rules(), (deck, deck))
    positions = range(10)
    state = apply(state, Deal(tuple(rng.sample(positions, 4)), tuple(rng.sample(positions, 4))))
    inputs = 1
    while state.phase is Phase.OPENING:
        state = apply(state, Opening(rng.randint(1, 10), rng.randint(1, 10)))
        inputs += 1
    draw, act, uniform = Phase.DRAW, Phase.ACT, rng.random
    while (phase := state.phase) is draw or phase is act:
        if phase is draw:
            deck_left = state.deck
            state = apply(state, Draw(deck_left[int(uniform() * len(deck_left))]))
        else:
            assert state.mover is not None
            state = apply(state, threshold(view(state, state.mover)))
        inputs += 1
    return state, inputs


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=4_000, help="matches a round")
    parser.add_argument("--rounds", type=int, default=5, help="the best round counts")
    options = parser.parse_args(arguments)
    best, inputs, sets = float("inf"), 0, 0
    for _ in range(options.rounds):
        rng = random.Random(1)
        inputs = sets = 0
        began = time.perf_counter()
        for _ in range(options.matches):
            state, count = play_match(rng)
            inputs += count
            sets += len(state.results)
        best = min(best, time.perf_counter() - began)
    rate = options.matches / best
    print(
        f"rules alone: {rate:,.0f} matches a second (limit {LIMIT:,}: "
        f"{'reached' if rate >= LIMIT else 'MISSED'})"
    )
    print(
        f"  {sets / options.matches:.2f} sets and {inputs / options.matches:.1f} inputs a match, "
        f"{best / inputs * 1e6:.2f} us an input, bot, cards and views included"
    )


if __name__ == "__main__":
    main()
