"""The corpus: for each target a folder of inputs, each named by the beginning of its SHA-256.

    python -m tests.fuzz.corpus

writes what fuzzing begins with (``seeds.py``) to the folders; ``python -m tests.fuzz`` adds to
them. Both keep only what reaches code that nothing before it has reached (``minimal``).
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from tests.fuzz.seeds import seeds_of
from tests.fuzz.targets import TARGETS

FOLDER: Final = Path(__file__).parent / "corpus"
MOST_BYTES: Final = 16_384
"""A larger input is not kept."""


def folder_of(target: str) -> Path:
    return FOLDER / target


def corpus(target: str) -> list[bytes]:
    """The corpus of *target*, in the order of the files' names."""
    return [path.read_bytes() for path in sorted(folder_of(target).iterdir())]


def save(target: str, inputs: Iterable[bytes]) -> None:
    """Make *inputs* the corpus of *target*."""
    folder = folder_of(target)
    folder.mkdir(parents=True, exist_ok=True)
    names = {hashlib.sha256(data).hexdigest()[:16]: data for data in inputs}
    for path in folder.iterdir():
        if path.name not in names:
            path.unlink()
    for name, data in names.items():
        (folder / name).write_bytes(data)


def minimal(target: str, inputs: Iterable[bytes], most: int) -> list[bytes]:
    """Of *inputs*, the smallest first, those that reach something new; *most* of them.

    What is reached is every line of the package, and how often in powers of two.
    """
    kept: list[bytes] = []
    known: set[object] = set()
    for data in sorted(set(inputs), key=lambda data: (len(data), data)):
        if len(data) > MOST_BYTES or len(kept) == most:
            continue
        reached = _reached(TARGETS[target], data)
        if not reached <= known:
            known |= reached
            kept.append(data)
    return kept


def _reached(target: Callable[[bytes], None], data: bytes) -> set[object]:
    counts: dict[tuple[CodeType, int], int] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if "pazaak_p2p" not in code.co_filename:
            return None
        if event == "line":
            at = (code, frame.f_lineno)
            counts[at] = counts.get(at, 0) + 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        target(data)
    finally:
        sys.settrace(before)
    return {(at, count.bit_length()) for at, count in counts.items()}


def main(targets: Sequence[str] = tuple(TARGETS)) -> None:
    for target in targets:
        present = corpus(target) if folder_of(target).is_dir() else []
        kept = minimal(target, [*present, *seeds_of(target)], most=60)
        save(target, kept)
        print(f"{target}: {len(kept)} inputs, {sum(map(len, kept))} bytes")


if __name__ == "__main__":
    main()
