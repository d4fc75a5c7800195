"""The ladder of the bots: every level against the one below, with every deck that ships.

    python -m benchmarks.bot_levels [--matches N] [--decks NAME...] [BOT BOT]

By the rules alone, on every core: twenty minutes on two. Matches come in pairs with the same
cards and the seats changed. A level stands if it wins more than 55 % of the matches (a drawn one
counts half) at 99.9 % confidence: the lower bound is one-sided, from the variance between pairs.
So many matches that one percent and a half above the limit is seen to be above. Two bots as
arguments: these two alone; they may be policies of policies.py too.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from random import Random
from typing import NamedTuple

from benchmarks.policies import maker
from pazaak_p2p.bots import LEVELS
from pazaak_p2p.bots.by_rules import play_match, share_won
from pazaak_p2p.rules import DECKS, Rules

LIMIT = 0.55
SIGMAS = 3.09
"""One-sided, 99.9 %."""
RULES = Rules(max_sets=99)
_PAIRS_A_JOB = 25


class Job(NamedTuple):
    strong: str
    weak: str
    deck: str
    first: int
    pairs: int


def play_pairs(job: Job) -> tuple[Job, list[float], float]:
    """The share of *strong* in each pair, and the processor's time."""
    began = time.process_time()
    deck = DECKS[job.deck]
    makers = maker(job.strong), maker(job.weak)
    shares = []
    for pair in range(job.first, job.first + job.pairs):
        share = 0.0
        for seat in range(2):
            seeds = Random(f"bot_levels {job.deck} {pair} {seat}")
            strong, weak = (make(seeds.randbytes(32)) for make in makers)
            seated = (strong, weak) if seat == 0 else (weak, strong)
            cards = Random(f"bot_levels cards {job.deck} {pair}")
            state = play_match(RULES, (deck, deck), seated, cards)
            share += share_won(state, seat)
        shares.append(share / 2)
    return job, shares, time.process_time() - began


def bounds(shares: list[float]) -> tuple[float, float]:
    """The mean, and by how much the truth may lie below it."""
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
    return mean, SIGMAS * math.sqrt(variance / len(shares))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bot_levels")
    parser.add_argument("bots", nargs="*", help="two bots; without: the whole ladder")
    parser.add_argument("--matches", type=int, default=16_000, help="for each two and deck")
    parser.add_argument("--decks", nargs="+", default=list(DECKS), choices=list(DECKS))
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    if len(options.bots) not in (0, 2):
        parser.error("give two bots, or none")
    duels = [tuple(options.bots)] if options.bots else list(zip(LEVELS[1:], LEVELS, strict=False))
    reached = True
    with get_context("spawn").Pool(options.cores) as pool:
        for strong, weak in duels:
            reached &= measure(pool, strong, weak, options.decks, options.matches // 2)
    return 0 if reached else 1


def measure(pool: object, strong: str, weak: str, decks: list[str], pairs: int) -> bool:
    jobs = [
        Job(strong, weak, deck, first, min(_PAIRS_A_JOB, pairs - first))
        for deck in decks
        for first in range(0, pairs, _PAIRS_A_JOB)
    ]
    shares: dict[str, list[float]] = {deck: [] for deck in decks}
    seconds, shown = 0.0, 0
    print(f"{strong} against {weak}")
    for job, found, spent in pool.imap(play_pairs, jobs):  # type: ignore[attr-defined]
        shares[job.deck] += found
        seconds += spent
        if len(shares[job.deck]) == pairs:
            mean, margin = bounds(shares[job.deck])
            verdict = "reached" if mean - margin > LIMIT else "MISSED"
            print(
                f"  {job.deck:<10} {mean:.1%}, at least {mean - margin:.1%}: {verdict}", flush=True
            )
            shown += mean - margin > LIMIT
    everything = [share for deck in decks for share in shares[deck]]
    mean, margin = bounds(everything)
    cost = seconds / len(everything) / 2 * 1e3
    print(f"  all        {mean:.1%}, at least {mean - margin:.1%}; {cost:.1f} ms a match")
    return shown == len(decks)


if __name__ == "__main__":
    sys.exit(main())
