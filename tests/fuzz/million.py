"""Hostile inputs by the million, against real peers, in as many processes as there are cores.

    python -m tests.fuzz.million [--inputs 1000000] [--seed TEXT] [--workers N]

Inputs are mutations of the corpus, for all targets of the wire. Each has a time limit. Counts what
went wrong, and measures the memory of each process at a tenth of the way and at its end, and what
an honest match in the same process takes before the first hostile input and after the last.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType

from msgspec import Struct

from pazaak_p2p.rules import DECKS, Rules
from tests.fuzz.corpus import corpus
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS
from tests.wire.agreement import cautious
from tests.wire.pair import Pair

SECONDS = 10.0
"""How long one input may take, on a machine that does other things as well."""
MOST_MEMORY = 100 * 2**20
SHARES = {"cutter": 15, "decoder": 25, "greeting": 30, "lobby": 10, "match": 14, "record": 6}
"""How many of a hundred inputs go to each target."""
_HONEST = 15


class Result(Struct):
    """What became of the inputs of one process."""

    inputs: Counter[str]
    crashes: list[tuple[str, bytes, str]]
    """Target, input, and where it came to what."""
    hangs: list[tuple[str, bytes, str]]
    slowest: float
    """Seconds of the slowest input."""
    early: int
    """Bytes of memory in use after a tenth of the inputs."""
    late: int
    """The same at the end."""
    peak: int
    honest: tuple[float, float]
    """CPU seconds of an honest match before all inputs and after them, the best of several."""


class Hang(BaseException):
    """An input takes too long. No target catches it."""


def attack(number: int, inputs: int, seed: str) -> Result:
    """Run *inputs* inputs of worker *number*."""
    random = Random(f"{seed} {number}")
    corpora = {target: corpus(target) for target in SHARES}
    names, shares = list(SHARES), list(SHARES.values())
    result = Result(Counter(), [], [], 0.0, 0, 0, 0, (0.0, 0.0))
    before = honest_match()
    with _alarmed():
        for done in range(inputs):
            if done == inputs // 10:
                result.early = _memory()
            if done % (inputs // 10 or 1) == 0:
                say = f"process {number}: {done} of {inputs}, {_mib(_memory())}"
                print(say, file=sys.stderr, flush=True)
            (target,) = random.choices(names, shares)
            _one(target, mutated(corpora[target], random), result)
    result.late, result.peak = _memory(), _peak()
    result.honest = before, honest_match()
    return result


def _one(target: str, data: bytes, result: Result) -> None:
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        TARGETS[target](data)
    except Hang:
        result.hangs.append((target, data, traceback.format_exc(limit=-3)))
    except Exception:
        result.crashes.append((target, data, traceback.format_exc(limit=-3)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    result.inputs[target] += 1
    result.slowest = max(result.slowest, time.perf_counter() - began)


@contextmanager
def _alarmed() -> Iterator[None]:
    def ring(_: int, __: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, ring)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)


def honest_match() -> float:
    """CPU seconds of an honest match between two peers, the best of several."""
    best = 1e9
    for _ in range(_HONEST):
        pair = Pair("honest", (DECKS["balanced"], DECKS["super"]), (cautious(1), cautious(2)))
        began = time.process_time()
        pair.play(Rules())
        best = min(best, time.process_time() - began)
    return best


def _memory() -> int:
    """Bytes of memory that this process has in use (Linux); elsewhere its peak."""
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return _peak()
    return pages * resource.getpagesize()


def _peak() -> int:
    import resource  # there is none on Windows, where only this long run cannot be run

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def run(inputs: int, seed: str, workers: int) -> list[Result]:
    """Share *inputs* among *workers* processes."""
    shares = [inputs // workers + (number < inputs % workers) for number in range(workers)]
    # New processes, which have nothing in memory but what they need.
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return pool.starmap(attack, [(n, share, seed) for n, share in enumerate(shares)])


def told(results: list[Result], seconds: float) -> str:
    """The figures."""
    inputs = sum((result.inputs for result in results), Counter[str]())
    lines = [
        f"{inputs.total()} hostile inputs in {seconds:.0f} s by {len(results)} processes: "
        + ", ".join(f"{count} {target}" for target, count in sorted(inputs.items())),
        f"crashes: {sum(len(result.crashes) for result in results)};"
        f" hangs: {sum(len(result.hangs) for result in results)};"
        f" the slowest input: {max(result.slowest for result in results):.2f} s",
    ]
    for number, result in enumerate(results):
        before, after = result.honest
        lines.append(
            f"process {number}: memory {_mib(result.early)} after a tenth, {_mib(result.late)} at"
            f" the end, {_mib(result.peak)} at most; an honest match in it {1e3 * before:.1f} ms"
            f" before, {1e3 * after:.1f} ms after: x {after / before:.2f}"
        )
    return "\n".join(lines)


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", default="million")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    began = time.perf_counter()
    results = run(options.inputs, options.seed, options.workers)
    print(told(results, time.perf_counter() - began))
    bad = [fault for result in results for fault in (*result.crashes, *result.hangs)]
    for target, data, what in bad[:20]:
        print(f"\n{target}, input {data[:2000].hex()}\n{what}")
    grown = any(result.peak > MOST_MEMORY for result in results)
    return 1 if bad or grown else 0


if __name__ == "__main__":
    sys.exit(main())
