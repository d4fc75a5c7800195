"""What it takes to index records, beside what it takes to judge them.

    python -m benchmarks.history_speed [--matches N] [--rounds N] [--folder FOLDER]

The records are made anew (``tests/history.py``), or are those of FOLDER. The best of all rounds
counts. Limits, as parts of the time that judging the same records takes: 0.5 to read and index
them, 0.02 to look again when nothing has changed, 0.2 to gather all statistics, 0.15 to read as
many that are cut off somewhere in the match. The memory that Python allocates for it may not grow
with the records: 40 MB at most.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

from pazaak_p2p.rules import Rules
from pazaak_p2p.store.history import NAME, Scan, with_history
from pazaak_p2p.store.tallies import gather
from pazaak_p2p.wire.judge import judge
from tests.history import write_records
from tests.wire.records import pieces

LIMITS = {"index": 0.5, "look again": 0.02, "statistics": 0.2, "unfinished": 0.15}
MEMORY = 40
"""MB."""
JUDGED = 200
"""Records that are judged; the time for all is reckoned from these."""


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def cut_off(records: Sequence[Path], folder: Path) -> None:
    """Write *records* into *folder* as a crash leaves them, each of another length."""
    chance = random.Random("history_speed")
    folder.mkdir()
    for path in records:
        parts = pieces(path.read_bytes())
        stop = chance.randrange(4, max(5, len(parts) - 4))
        (folder / path.name).write_bytes(b"".join(parts[:stop]))


def scan(home: Path, records: Path) -> Scan:
    return with_history(home, records, lambda history, found: found)


def measure(home: Path, records: Path, rounds: int) -> dict[str, float]:
    """The best seconds of each."""
    files = sorted(records.glob("*.pzk"))
    unfinished = home / "unfinished"
    cut_off(files, unfinished)
    sample = files[:: max(1, len(files) // JUDGED)]
    best = dict.fromkeys(("judge", *LIMITS), math.inf)
    for _ in range(rounds):
        (home / NAME).unlink(missing_ok=True)
        judging = seconds(lambda: [judge(path.read_bytes()) for path in sample])
        now = {
            "judge": judging * len(files) / len(sample),
            "index": seconds(lambda: scan(home, records)),
            "look again": seconds(lambda: scan(home, records)),
            "statistics": with_history(
                home, records, lambda history, found: seconds(lambda: gather(history.db))
            ),
        }
        (home / NAME).unlink()
        now["unfinished"] = seconds(lambda: scan(home, unfinished))
        best = {name: min(best[name], value) for name, value in now.items()}
    return best


def memory(home: Path, records: Path) -> float:
    """The most MB that Python had allocated while indexing."""
    (home / NAME).unlink(missing_ok=True)
    tracemalloc.start()
    scan(home, records)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        records = options.folder or home / "matches"
        if options.folder is None:
            write_records(records, options.matches, rules=Rules(max_sets=99))
        count = len(list(records.glob("*.pzk")))
        best = measure(home, records, options.rounds)
        peak = memory(home, records)
        size = (home / NAME).stat().st_size / 1e6
    within = peak <= MEMORY
    print(f"{count} records, best of {options.rounds} rounds")
    for name, value in best.items():
        part = value / best["judge"]
        limit = LIMITS.get(name)
        told = "" if limit is None else f"{part:7.3f} of judging, limit {limit}"
        within = within and (limit is None or part <= limit)
        print(f"{name:<12}{value:9.3f} s {value / count * 1e3:8.3f} ms each {told}")
    print(f"{'memory':<12}{peak:9.1f} MB, limit {MEMORY}; index {size:.1f} MB")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
