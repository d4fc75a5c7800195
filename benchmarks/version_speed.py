"""How much longer ``pazaak --version`` takes than the interpreter alone.

    python -m benchmarks.version_speed [--rounds N]

The best of all rounds counts, for each of the two. The limit for the difference is 100 ms.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Sequence

LIMIT = 100.0
"""Milliseconds."""

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "pazaak --version": [sys.executable, "-m", "pazaak_p2p", "--version"],
}


def milliseconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1e3


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args(arguments).rounds
    best = dict.fromkeys(COMMANDS, math.inf)
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], milliseconds(command))
    for name, value in best.items():
        print(f"{name:<18}{value:7.1f} ms")
    bare, version = best.values()
    print(f"difference {version - bare:.1f} ms, limit {LIMIT:.0f} ms (best of {rounds} rounds)")
    return 0 if version - bare <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
