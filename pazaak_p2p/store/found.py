"""Which record is meant: by its path or name, by the first digits of its match's id, or the latest.

Unlike the matches that can go on (``saved``) these are all records, finished or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from pazaak_p2p.errors import UsageError
from pazaak_p2p.store.folders import expanded
from pazaak_p2p.store.match_errors import listed, quoted
from pazaak_p2p.store.record import SUFFIX as RECORD
from pazaak_p2p.store.safe_files import pieces
from pazaak_p2p.store.saved import DIGITS, records_named
from pazaak_p2p.store.saved_secrets import SUFFIX as SECRET
from pazaak_p2p.store.trust_errors import shown
from pazaak_p2p.text import printable
from pazaak_p2p.wire.errors import Refusal
from pazaak_p2p.wire.reading import Reading
from pazaak_p2p.wire.verdict import RecordProblem

_IN_NAMES: Final = 8
"""Digits of an id that the name of a record tells."""


class NoRecords(UsageError):
    """There is no match to show yet."""

    code = "no-records"
    next = "Play one: pazaak play   Or name a record: pazaak replay FILE"

    def __init__(self, folder: Path) -> None:
        super().__init__(why=f"Records lie in {shown(folder)}; there is none.")


class UnknownRecord(UsageError):
    """There is no such record."""

    code = "record-unknown"
    next = "Type: pazaak history   Or name no match, for the latest."

    def __init__(self, wanted: str, folder: Path) -> None:
        super().__init__(
            f"There is no record {printable(wanted, 200)!r}.",
            why="A match is named by the file of its record, or by the first digits of its id, at"
            f" least four; your records are in {shown(folder)}.",
        )


class AmbiguousRecord(UsageError):
    """More than one match fits that. *records* are theirs."""

    code = "record-ambiguous"

    def __init__(self, wanted: str, records: Sequence[Path]) -> None:
        super().__init__(
            f"More than one match begins with {printable(wanted, 64)}.",
            why=f"Their records are {listed(records)}.",
            next=f"Name one: pazaak replay {quoted(records[0].name)}",
        )


def find_record(folder: Path, wanted: str | None) -> Path:
    """The record that *wanted* means: the latest in *folder* for None.

    Else it is the path of a file, the name of a record in *folder* with or without its ending, or
    at least four of the first digits of a match's id. What is in the file is not looked at, so it
    may be none. Raises the errors of this module, ``UnknownUser`` or ``SavedMatchError``.
    """
    if wanted is None:
        for path in records_named(folder, ""):
            with suppress(OSError):
                if path.stat().st_size > 0:  # one that has just been made tells nothing yet
                    return path
        raise NoRecords(folder)
    path = expanded(wanted)
    for candidate in _candidates(folder, path, wanted):
        if os.path.lexists(candidate):
            return candidate
    raise UnknownRecord(wanted, folder)


def _candidates(folder: Path, path: Path, wanted: str) -> Iterator[Path]:
    if not path.name:  # a folder such as / or ..
        yield path
        return
    named = path.name != wanted or path.suffix in (RECORD, SECRET)
    if named:
        yield path
    for name in (path, Path(f"{path}{RECORD}")):
        if path.name == wanted:
            yield folder / name
    yield from _by_id(folder, wanted)
    yield path
    yield Path(f"{path}{RECORD}")


def _by_id(folder: Path, wanted: str) -> Iterator[Path]:
    digits = wanted.lower()
    if DIGITS.fullmatch(digits) is None:
        return
    found = records_named(folder, digits[:_IN_NAMES])
    if len(digits) > _IN_NAMES:
        found = [record for record in found if _match_id(record).startswith(digits)]
    # Both seats' records are of one match; the latest of them is as good as any.
    one_each = {_digits(record): record for record in reversed(found)}
    if len(one_each) > 1:
        raise AmbiguousRecord(wanted, list(reversed(one_each.values())))
    yield from found[:1]


def _digits(record: Path) -> str:
    """The digits of the match's id in the name of *record*."""
    return next(part for part in reversed(record.stem.split("_")) if len(part) == _IN_NAMES)


def _match_id(record: Path) -> str:
    """The whole id of the match of *record*; empty if it cannot be read."""
    try:
        with record.open("rb") as file:
            return Reading(pieces(file)).begin().match_id.hex()
    except (OSError, Refusal, RecordProblem):
        return ""
