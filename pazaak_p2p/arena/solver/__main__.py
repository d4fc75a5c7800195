"""``python -m pazaak_p2p.arena.solver --out FILE``: solve the game and write the tables.

About ten minutes on one core, and half a gigabyte of memory.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from pazaak_p2p.arena.solver.sweep import Sweep, anybody
from pazaak_p2p.arena.solver.writing import write_tables


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pazaak_p2p.arena.solver")
    parser.add_argument("--out", type=Path, required=True, help="the file to write (tables.zip)")
    out: Path = parser.parse_args().out
    began = time.monotonic()
    sweep = Sweep(
        anybody(), lambda line: print(f"{time.monotonic() - began:6.0f} s  {line}", flush=True)
    )
    sweep.run()
    write_tables(out, sweep.values, sweep.habits)
    print(f"{out}: {out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
