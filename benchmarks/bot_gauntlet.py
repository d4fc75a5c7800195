"""Master against every policy that goes by a few numbers, with the decks that ship.

    python -m benchmarks.bot_gauntlet [--matches N] [--policies NAME...] [--decks NAME...] [--bot B]

*N* matches for each policy and deck, in pairs with the same cards and the seats changed, by the
rules alone. Told are the share of matches won with all decks together and its lower bound at
99.9 % (one-sided, from the variance between pairs), and the deck with which it is least. The limit
is 55 %, and 65 % against ``twenty:17``. The policies: see policies.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from multiprocessing import get_context

from benchmarks.bot_levels import Job, bounds, play_pairs
from pazaak_p2p.rules import DECKS

LIMIT = 0.55
LIMITS = {"twenty:17": 0.65}
POLICIES = (
    *(f"twenty:{number}" for number in (17, 15, 16, 18, 19)),
    *(f"threshold:{number}" for number in range(14, 20)),
    *("totals:14:17", "totals:15:17", "totals:16:18", "totals:16:20", "totals:17:18"),
    *("totals:17:19", "totals:17:20", "totals:18:19", "totals:18:20", "totals:19:20"),
    *("plain:15", "plain:16", "plain:17", "plain:18"),
    *("odds:35", "odds:45", "odds:55", "odds:65"),
    *("hoard:16", "hoard:17"),
    *("sets:0", "sets:5", "sets:15", "sets:25"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bot_gauntlet")
    parser.add_argument("--bot", default="master")
    parser.add_argument("--matches", type=int, default=400, help="for each policy and deck")
    parser.add_argument("--policies", nargs="+", default=list(POLICIES))
    parser.add_argument("--decks", nargs="+", default=list(DECKS), choices=list(DECKS))
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    missed = 0
    with get_context("spawn").Pool(options.cores) as pool:
        for policy in options.policies:
            jobs = [
                Job(options.bot, policy, deck, 0, options.matches // 2) for deck in options.decks
            ]
            by_deck = {job.deck: shares for job, shares, _ in pool.imap(play_pairs, jobs)}
            mean, margin = bounds([share for shares in by_deck.values() for share in shares])
            least = min(by_deck, key=lambda deck: bounds(by_deck[deck])[0])
            limit = LIMITS.get(policy, LIMIT)
            missed += mean - margin <= limit
            print(
                f"{policy:<13} {mean:.1%}, at least {mean - margin:.1%}"
                f" (limit {limit:.0%}: {'reached' if mean - margin > limit else 'MISSED'});"
                f" least with {least}, {bounds(by_deck[least])[0]:.1%}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
