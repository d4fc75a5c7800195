"""Matches a second of the batch simulator: threshold bots, every core, cards and hands included.

    python -m benchmarks.batch_speed [--matches N] [--rounds N] [--cores N]

The best round counts, by the clock and by the processors' own time; the latter is what a machine
with nothing else to do would take. The limit is 400,000 matches a second on two cores.
"""

from __future__ import annotations

import argparse
import sys
import time
from multiprocessing import get_context

from pazaak_p2p.arena.batch import simulate, threshold_policy
from pazaak_p2p.rules import DECKS, Rules

LIMIT = 400_000
CORES = 2


def work(job: tuple[int, int]) -> float:
    """Play a share of the matches; the processor time that it took."""
    seed, matches = job
    began = time.process_time()
    deck, policy = DECKS["balanced"], threshold_policy()
    simulate(Rules(), (deck, deck), (policy, policy), matches, seed)
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=400_000, help="a core and round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", type=int, default=CORES)
    options = parser.parse_args()
    clock, processor = 0.0, 0.0
    with get_context("spawn").Pool(options.cores) as pool:
        pool.map(work, [(0, 1_000)] * options.cores, chunksize=1)
        for number in range(options.rounds):
            jobs = [
                (number * options.cores + core, options.matches) for core in range(options.cores)
            ]
            began = time.perf_counter()
            times = pool.map(work, jobs, chunksize=1)
            clock = max(clock, len(jobs) * options.matches / (time.perf_counter() - began))
            processor = max(processor, sum(options.matches / seconds for seconds in times))
    print(f"by the clock: {clock:,.0f} matches a second on {options.cores} cores")
    print(f"by processor time: {processor:,.0f} (limit {LIMIT:,})")
    return 0 if processor >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
