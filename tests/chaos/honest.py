"""Honest matches over lines that go wrong, many at a time: nobody may be accused.

    python -m tests.chaos.honest [--matches 10000] [--seed TEXT] [--jobs 2]

Each match is two bots under rules, decks and plans drawn from the seed: a third of the lines only
delay, split, merge and throttle, the others also cut, end, lose, repeat or alter bytes.
After each, neither side may have convicted the other, been accused of cheating, crashed or hung,
both records must be sound to the judge and convict nobody, alone or together, and where both came
to the end they must have come to the same. A match is given by its number and the seed alone, so
whatever is reported can be played again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

import trio
import trio.testing
from msgspec import Struct

from pazaak_p2p.rules import describe
from tests.chaos.matches import NotHonest, Played, disturbed
from tests.chaos.plans import Plan, gentle_plan, harsh_plan, write_plan
from tests.e2e.thousand import draw_bot, draw_deck, draw_rules
from tests.matches import Side

_REACH = 12_000
"""Faults begin in the first so many bytes of a direction; most matches are a little longer."""
_AT_ONCE = 25
_PORTION = 100
"""Matches that a process plays on one virtual clock."""


class Case(Struct, frozen=True):
    """Match *number* of *seed*."""

    seed: str
    number: int

    def plans(self) -> tuple[bool, Plan, Plan]:
        """Whether the line is gentle, and what goes wrong up and down."""
        rng = random.Random(f"plans {self.seed} {self.number}")
        gentle = rng.random() < 1 / 3
        draw = gentle_plan if gentle else rng.choice((gentle_plan, harsh_plan))
        # At least one of the directions of a line that is not gentle is harsh.
        up, down = draw(rng, _REACH), (gentle_plan if gentle else harsh_plan)(rng, _REACH)
        return (gentle, up, down) if rng.random() < 0.5 else (gentle, down, up)

    def seats(self) -> tuple[Side, Side]:
        rng = random.Random(f"seats {self.seed} {self.number}")
        rules = draw_rules(rng)
        host, join = (
            Side(seat, f"{self.seed} {self.number}", draw_bot(rng), draw_deck(rng, rules))
            for seat in (0, 1)
        )
        host.rules = rules
        return host, join

    def __str__(self) -> str:
        _, up, down = self.plans()
        rules = self.seats()[0].rules
        assert rules is not None
        return (
            f"match {self.number} of seed {self.seed!r} by {describe(rules)},"
            f" up {write_plan(up)!r}, down {write_plan(down)!r}"
        )


class Tally(Struct):
    """What became of the matches, and every one that was not honest."""

    fates: Counter[str]
    wrong: list[str]

    def add(self, other: Tally) -> None:
        self.fates += other.fates
        self.wrong += other.wrong

    def __str__(self) -> str:
        lines = [f"{count:7}  {fate}" for fate, count in self.fates.most_common()]
        lines.append(
            f"{self.fates.total()} matches: {len(self.wrong)} convictions, accusations of"
            " cheating, unsound records, crashes or hangs"
        )
        return "\n".join([*lines, *self.wrong])


async def play_case(case: Case) -> Played:
    """Play and check one match. Raises :class:`NotHonest`, and whatever crashed."""
    gentle, up, down = case.plans()
    played = await disturbed(*case.seats(), up, down)
    if gentle and played.finished != (True, True):
        raise NotHonest(f"broken off though nothing was lost: {played.fate()}")
    if gentle:
        _ = played.head  # raises if there are two
    return played


async def _play_all(cases: Iterable[Case]) -> Tally:
    tally = Tally(Counter(), [])
    places = trio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> None:
        try:
            tally.fates[(await play_case(case)).fate()] += 1
        except Exception as error:
            tally.fates["WRONG"] += 1
            tally.wrong.append(f"{case}: {error!r}")
        finally:
            places.release()

    async with trio.open_nursery() as nursery:
        for case in cases:
            await places.acquire()
            nursery.start_soon(one, case)
    return tally


def play_portion(seed: str, matches: int, first: int) -> Tally:
    """Play up to a portion of the *matches*, from number *first* on, on a virtual clock."""
    cases = [Case(seed, n) for n in range(first, min(first + _PORTION, matches))]
    clock = trio.testing.MockClock(autojump_threshold=0)
    return trio.run(_play_all, cases, clock=clock)


def play_honest(
    matches: int, seed: str, jobs: int = 1, told: Callable[[Tally], None] = lambda tally: None
) -> Tally:
    """Play *matches* matches in *jobs* processes; *told* gets the tally as it grows."""
    tally = Tally(Counter(), [])
    portions = range(0, matches, _PORTION)
    work = partial(play_portion, seed, matches)
    if jobs == 1:
        for first in portions:
            tally.add(work(first))
            told(tally)
        return tally
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for part in pool.imap_unordered(work, portions):
            tally.add(part)
            told(tally)
    return tally


def _progress(tally: Tally) -> None:
    said = f"{tally.fates.total()} matches, {len(tally.wrong)} of them wrong"
    print(said, end="\n" if tally.wrong else "\r", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", default="honest")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    began = time.perf_counter()
    tally = play_honest(options.matches, options.seed, options.jobs, _progress)
    print(tally)
    print(f"{time.perf_counter() - began:.1f} s")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
