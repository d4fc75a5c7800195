"""Coverage-guided fuzzing of one target, with atheris.

    python -m tests.fuzz TARGET [--runs 100000] [--seconds N] [--keep]

Begins with the corpus of the target. An input that makes it fail, or takes more than ten seconds,
is written to the working directory as ``crash-...`` or ``timeout-...``; ``python -m tests.fuzz
TARGET --input FILE`` runs it alone. With ``--keep`` what was found on the way that reaches new code
is added to the corpus, as few and small inputs as do it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.fuzz.targets import Target

NAMES: Final = (
    *("cutter", "decoder", "greeting", "lobby", "match", "record"),
    *("rules", "script", "deck", "seed", "peers"),
)
"""The names of the targets; they themselves must not be imported before atheris."""
MOST_INPUTS: Final = 60
MISSING: Final = """\
atheris is not installed.
Coverage-guided fuzzing runs on it, and it has no wheels for every system and Python.
Type: pip install -e '.[fuzz]', or fuzz without it: python -m tests.fuzz.million
"""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=NAMES)
    parser.add_argument("--runs", type=int, default=100_000, help="inputs to try; -1: for ever")
    parser.add_argument("--seconds", type=int, default=0, help="how long to try; 0: for ever")
    parser.add_argument("--keep", action="store_true", help="add what was found to the corpus")
    parser.add_argument("--input", type=Path, help="run this file alone, without atheris")
    options = parser.parse_args(arguments)
    if options.input is not None:
        _target(options.target)(options.input.read_bytes())
        return 0
    if find_spec("atheris") is None:
        sys.stderr.write(MISSING)
        return 2
    with tempfile.TemporaryDirectory(prefix="pazaak-fuzz-") as folder:
        found, temporary = Path(folder, "found"), Path(folder, "temporary")
        found.mkdir()
        temporary.mkdir()
        # In a process of its own: libFuzzer ends the one that it runs in, which tidies nothing up.
        limits = [f"-runs={options.runs}", f"-max_total_time={options.seconds}", "-timeout=10"]
        command = [sys.executable, "-m", "tests.fuzz.guided", options.target, str(found), *limits]
        env = {**os.environ, "TMPDIR": str(temporary)}
        code = subprocess.run(command, env=env, check=False).returncode
        if options.keep:
            _keep(options.target, found)
    return code


def _target(name: str) -> Target:
    from tests.fuzz.targets import TARGETS

    return TARGETS[name]


def _keep(target: str, found: Path) -> None:
    from tests.fuzz.corpus import corpus, minimal, save

    inputs = [*corpus(target), *(path.read_bytes() for path in found.iterdir())]
    kept = minimal(target, inputs, MOST_INPUTS)
    save(target, kept)
    print(f"{target}: {len(kept)} inputs, {sum(map(len, kept))} bytes")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
