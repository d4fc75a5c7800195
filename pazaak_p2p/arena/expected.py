"""What a seeded match must give: the record and the text that stand beside its ``match.toml``."""

from __future__ import annotations

import os
from pathlib import Path

from pazaak_p2p.arena.errors import SeedDiffers, SeedError
from pazaak_p2p.arena.run_seed import SeedRun
from pazaak_p2p.arena.seeds import RECORD_FILE, TEXT_FILE, SeededMatch
from pazaak_p2p.text import printable


def compare(match: SeededMatch, run: SeedRun) -> None:
    """Raises :class:`SeedDiffers` if *run* is not what stands beside *match*, byte for byte."""
    record = _read(match, RECORD_FILE)
    text = _read(match, TEXT_FILE)
    for what, expected, got in (
        (RECORD_FILE, record, run.records[0]),
        (TEXT_FILE, text, run.text.encode()),
    ):
        if expected != got:
            raise SeedDiffers(
                f"The match {printable(match.name, 80)} gives something else than its {what}:"
                f" {_difference(expected, got)}.",
                next=f"If that is as it should be: pazaak seeds update {printable(match.name, 80)}",
            )


def update(match: SeededMatch, run: SeedRun) -> bool:
    """Write what *run* gave beside *match*; False if it stood there already."""
    changed = False
    for name, got in ((RECORD_FILE, run.records[0]), (TEXT_FILE, run.text.encode())):
        path = match.folder / name
        try:
            if path.is_file() and path.read_bytes() == got:
                continue
            # In one step: what is broken off half way would be an expectation that nothing meets.
            new = path.with_name(f"{path.name}.new")
            try:
                new.write_bytes(got)
                os.replace(new, path)
            finally:
                new.unlink(missing_ok=True)
        except OSError as error:
            raise SeedError(str(path), None, f"it cannot be written: {error.strerror}.") from error
        changed = True
    return changed


def _read(match: SeededMatch, name: str) -> bytes:
    path: Path = match.folder / name
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise SeedDiffers(
            f"The match {printable(match.name, 80)} has no {name} to be compared with.",
            why="A new match has none yet.",
            next=f"Type: pazaak seeds update {printable(match.name, 80)}",
        ) from error
    except OSError as error:
        raise SeedError(str(path), None, f"it cannot be read: {error.strerror}.") from error


def _difference(expected: bytes, got: bytes) -> str:
    same = next(
        (i for i, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b),
        min(len(expected), len(got)),
    )
    return f"{len(got)} bytes instead of {len(expected)}, the first difference at byte {same}"
