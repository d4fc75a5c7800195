"""What goes between the arena's machine and those that play: what to play, and what came out."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import msgspec

import pazaak_p2p
from pazaak_p2p.arena.plan import Plan
from pazaak_p2p.arena.result import Result

_KEPT: Final = (".py", ".zip")
"""The files of the package that results can depend on: its code, and the bots' tables."""


class Order(msgspec.Struct, frozen=True):
    """Games of *plan* are to be played."""

    key: str
    """Unlike that of any other arena."""
    plan: Plan
    records: bool
    """Whether their records are wanted."""
    code: str
    """The digest of the code that must play them, as by :func:`code_digest`."""


class Portion(msgspec.Struct, frozen=True):
    """Games that have been played."""

    results: tuple[Result, ...]
    records: dict[int, bytes]
    """Of each game that has one, if they were wanted."""


def code_digest(folder: Path | None = None) -> str:
    """A digest of pazaak as it is installed here (or in *folder*).

    Version numbers do not tell a program that somebody is working on from the one before, and the
    same seeds give the same results from the same code alone.
    """
    root = Path(pazaak_p2p.__file__).parent if folder is None else folder
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*"), key=lambda path: path.relative_to(root).as_posix()):
        if path.suffix in _KEPT:
            # Line ends are those of the system where it was checked out.
            data = path.read_bytes()
            data = data.replace(b"\r\n", b"\n") if path.suffix == ".py" else data
            name = path.relative_to(root).as_posix().encode()
            digest.update(b"%d %s %d " % (len(name), name, len(data)) + data)
    return digest.hexdigest()
