"""Matches a second of ``pazaak arena --fast`` with two ``careful``, on one core.

    python -m benchmarks.fast_speed [--matches N] [--rounds N] [--bot NAME]

What a worker of the arena does for a match is inside the measured time: the schedule, seeds, bots
under watch, the rules, the result. By processor time, the best round counts. The limit is 4,000.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from multiprocessing import Pipe

from pazaak_p2p.arena.plan import Entrant, Plan
from pazaak_p2p.arena.worker import Bench, Desk, new_cells
from pazaak_p2p.rules import DECKS, Rules

LIMIT = 4_000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fast_speed")
    parser.add_argument("--matches", type=int, default=500, help="a round")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--bot", default="careful")
    parser.add_argument("--deck", default="balanced", choices=list(DECKS))
    options = parser.parse_args(arguments)
    deck = DECKS[options.deck]
    entrants = tuple(Entrant(name, options.bot, deck, options.deck) for name in "ab")
    matches = options.matches * (options.rounds + 1)
    plan = Plan(entrants, Rules(max_sets=99), "speed", matches, False, True, 60.0, None)
    ours, theirs = Pipe()
    bench = Bench(plan, None, Desk(new_cells(plan)), theirs)
    rates = []
    for first in range(0, matches, options.matches):
        began = time.process_time()
        bench.play_all_fast(range(first, first + options.matches))
        rates.append(options.matches / (time.process_time() - began))
        while ours.poll():
            ours.recv()
    rate = max(rates[1:])
    print(
        f"arena --fast with {options.bot}: {rate:,.0f} matches a second and core "
        f"(limit {LIMIT:,}: {'reached' if rate >= LIMIT else 'MISSED'}; "
        f"median round {sorted(rates[1:])[options.rounds // 2]:,.0f})"
    )
    return 0 if rate >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
