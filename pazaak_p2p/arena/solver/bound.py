"""At the most so much is gained on ``master``: by who sees its hand and knows all its habits.

    python -m pazaak_p2p.arena.solver.bound [--deals N] [--matches N] [--decks NAME...]

Both sides have the same side deck. For every deal the best response to master is worked out
exactly (response.py). Nobody who does not see the hand can do better, whatever he infers from what
is played; so what the response wins above one half is an upper bound of how far master can be
exploited. Every deal is looked at with both hands exchanged too, which takes the luck of it out.

That is with an endless deck, as if nine cards were nothing (R16), and for master without its belief
about the other hand. With ``--matches`` the response also plays so many matches of every deal, from
the real deck and against the real master, in pairs: one with either hand, the cards being the same.

Not for decks with flips (R15) or tiebreakers (R17): see response.py, and exploit.py for a lower
bound with these.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from random import Random
from statistics import fmean, stdev

from pazaak_p2p.arena.solver.response import Response
from pazaak_p2p.arena.solver.seer import SeerBot
from pazaak_p2p.bots import Bot, MasterBot
from pazaak_p2p.bots.by_rules import Positions, play_match, share_won
from pazaak_p2p.bots.solved.book import shipped_book
from pazaak_p2p.bots.solved.hands import kinds
from pazaak_p2p.rules import DECKS, HAND_SIZE, Card, Rules, SideDeck

_RULES = Rules(max_sets=99)


def plain(deck: SideDeck) -> bool:
    """Whether what a card of *deck* is worth never hangs on what else lies on the table."""
    return not any(card.flips or card is Card.TIEBREAKER for card in deck)


class Deal:
    """Two hands of the side deck *deck*, at random."""

    def __init__(self, deck: SideDeck, rng: Random) -> None:
        self._deck, self._rng = deck, rng
        self._hands = _hand(deck, rng), _hand(deck, rng)
        one, two = (kinds(deck[at] for at in hand) for hand in self._hands)
        book = shipped_book()
        self._responses = Response(one, two, book), Response(two, one, book)

    def gain(self) -> float:
        """Of the response, with either hand, above one half."""
        return fmean(response.chance for response in self._responses) - 0.5

    def played(self, pairs: int) -> float:
        """The same, in *pairs* of real matches: one with either hand, with the same cards."""
        won = []
        seeds = [self._rng.random() for _ in range(pairs)]
        for seed, seat in product(seeds, range(2)):
            seer = SeerBot(self._responses[seat], (self._hands[seat], self._hands[1 - seat]))
            bots: tuple[Bot, Bot] = (seer, MasterBot()) if seat == 0 else (MasterBot(), seer)
            decks = self._deck, self._deck
            state = play_match(_RULES, decks, bots, Random(seed), self._hands)
            won.append(share_won(state, seat))
        return fmean(won) - 0.5


def _hand(deck: SideDeck, rng: Random) -> Positions:
    """In the order of the kinds, as the response takes it."""
    return tuple(sorted(rng.sample(range(len(deck)), HAND_SIZE), key=lambda at: deck[at].number))


def main() -> None:
    fit = [name for name, deck in DECKS.items() if plain(deck)]
    parser = argparse.ArgumentParser(prog="python -m pazaak_p2p.arena.solver.bound")
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--matches", type=int, default=0, help="real ones, of every deal")
    parser.add_argument("--decks", nargs="+", default=fit, choices=fit)
    options = parser.parse_args()
    everything: list[tuple[float, ...]] = []
    for name in options.decks:
        found = list(_gains(DECKS[name], options.deals, options.matches // 2, f"bound {name}"))
        everything += found
        print(f"{name:<10} {_told(found)}", flush=True)
    print(f"all        {_told(everything)}")


def _gains(deck: SideDeck, deals: int, pairs: int, seed: str) -> Iterator[tuple[float, ...]]:
    for number in range(deals):
        deal = Deal(deck, Random(f"{seed} {number}"))
        yield (deal.gain(), deal.played(pairs)) if pairs else (deal.gain(),)


def _told(found: list[tuple[float, ...]]) -> str:
    words = []
    for what, gains in zip(("gains", "in real matches"), zip(*found, strict=True), strict=False):
        error = stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else float("nan")
        words.append(f"{what} {fmean(gains):+.2%} +- {error:.2%}")
    most = max(gains[0] for gains in found)
    return f"{', '.join(words)}; at the most {most:+.2%} in a deal"


if __name__ == "__main__":
    main()
