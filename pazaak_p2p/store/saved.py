"""Matches that can go on: records that still have their secrets beside them."""

from __future__ import annotations

import os
import re
import stat
from enum import Enum
from pathlib import Path
from typing import Final

from msgspec import Struct

from pazaak_p2p.store import locks, safe_files
from pazaak_p2p.store.folders import expanded
from pazaak_p2p.store.journal import drop
from pazaak_p2p.store.match_errors import (
    AmbiguousMatch,
    MatchFinished,
    MatchInUse,
    NothingSaved,
    SavedDamaged,
    SavedMatchError,
    UnknownMatch,
    quoted,
)
from pazaak_p2p.store.played import is_within_a_lot
from pazaak_p2p.store.record import PATIENCE
from pazaak_p2p.store.record import SUFFIX as RECORD
from pazaak_p2p.store.safe_files import pieces
from pazaak_p2p.store.saved_secrets import SUFFIX as SECRET
from pazaak_p2p.store.saved_secrets import SavedSecrets, read_secrets, secret_file
from pazaak_p2p.store.trust_errors import TrustFileError, shown
from pazaak_p2p.wire.judge import judge

DIGITS: Final = re.compile(r"[0-9a-f]{4,64}", re.IGNORECASE)
"""What may be the first digits of a match's id."""
# As record_stem() and the numbers behind it make them.
_RECORD_NAME: Final = re.compile(rf".*_([0-9a-f]{{8}})(?:_[0-9]+)?{re.escape(RECORD)}", re.DOTALL)


class SavedMatch(Struct, frozen=True):
    """A match that can go on, unless another program is just playing it."""

    record: Path
    secret_file: Path
    secrets: SavedSecrets
    mtime: float
    """When the record was written to last, in seconds of Unix time."""


class Standing(Enum):
    """How a saved match stands by its record."""

    OPEN = "open"
    UNAUDITED = "unaudited"
    """Decided: only a side deck is missing that changes nothing."""
    UNHEARD = "unheard"
    """All is said, and the other side may lack the last of it."""


def standing(saved: SavedMatch) -> Standing:
    """How *saved* stands. Its whole record is checked if need be, which takes milliseconds."""
    try:
        with saved.record.open("rb") as file:
            if is_within_a_lot(pieces(file)):
                return Standing.OPEN
            file.seek(0)
            verdict = judge(pieces(file))
    except OSError:
        return Standing.OPEN
    if not verdict.decided or verdict.problem is not None:
        return Standing.OPEN
    return Standing.UNHEARD if verdict.complete else Standing.UNAUDITED


def saved_matches(folder: Path) -> tuple[list[SavedMatch], list[SavedMatchError]]:
    """The matches of *folder* that can go on, the latest first, and what stands in others' way.

    Nothing is changed; a *folder* that is not there holds none. What is in the records is not
    looked at.
    """
    found: list[SavedMatch] = []
    troubles: list[SavedMatchError] = []
    try:
        names = _names(folder)
    except SavedMatchError as error:
        return [], [error]
    for name in names:
        if not name.endswith(SECRET):
            continue
        try:
            found.append(_saved(folder / name))
        except SavedMatchError as error:
            troubles.append(error)
        except FileNotFoundError:
            pass  # it ended in this very moment
    found.sort(key=lambda saved: saved.mtime, reverse=True)
    return found, troubles


def find_saved(folder: Path, wanted: str | None) -> SavedMatch:
    """The match that *wanted* means; for None the latest in *folder* that is not over.

    Only if all are over as they stand (:func:`standing`), it is the latest of these.

    Else it is the path of a record, its name in *folder* with or without its ending, or at least
    four of the first digits of a match's id. One that another program is playing is taken only if
    nothing else fits, and then refused, so that who has two goes on with one after the other.

    Raises ``NothingSaved``, ``UnknownMatch``, ``AmbiguousMatch``, ``MatchFinished``, ``MatchInUse``
    or ``UnknownUser``; and ``SavedMatchError``, of which ``SavedDamaged`` and ``SavedLater`` are
    kinds, for files that cannot be used.
    """
    if wanted is not None:
        record = _by_name(folder, wanted)
        if record is not None:
            return _of_record(record)
    found, troubles = saved_matches(folder)
    if wanted is None:
        if not found:
            raise troubles[0] if troubles else NothingSaved(folder)
        free = _free(found)
        return next((saved for saved in free if standing(saved) is Standing.OPEN), free[0])
    digits = wanted.lower()
    if DIGITS.fullmatch(digits) is None:
        raise UnknownMatch(wanted, folder)
    fitting = [saved for saved in found if saved.secrets.match_id.hex().startswith(digits)]
    if not fitting:
        raise _why_not(folder, wanted, digits, troubles)
    free = _free(fitting)
    if len(free) > 1:
        raise AmbiguousMatch(digits, [saved.record for saved in free])
    return free[0]


def records_of(folder: Path, match_id: bytes) -> list[Path]:
    """The records in *folder*, finished or not, whose name says that they are of *match_id*.

    That is by its first 8 digits; the latest comes first. Raises ``SavedMatchError``.
    """
    return records_named(folder, match_id[:4].hex())


def records_named(folder: Path, digits: str) -> list[Path]:
    """The records in *folder* whose names say that their match's id begins with *digits*.

    Names tell 8 digits; there must be no more. The latest comes first. Raises ``SavedMatchError``.
    """
    paths = []
    for name in _names(folder):
        match = _RECORD_NAME.fullmatch(name)
        if match is not None and match[1].startswith(digits):
            paths.append(folder / name)
    return sorted(paths, key=_mtime, reverse=True)


def set_aside(path: Path) -> Path:
    """Rename the damaged file *path* to ``NAME.damaged-TIME``, with a number if that is taken.

    Its new path. Nothing is overwritten or deleted. Raises ``SavedMatchError``.
    """
    try:
        with safe_files.writing(path.parent):
            aside = safe_files.set_aside(path)
    except TrustFileError as error:
        raise SavedMatchError(path, error.what, why=error.why, next=error.next) from error
    if aside is None:
        raise SavedMatchError(
            path,
            f"{shown(path)} is damaged and cannot be renamed.",
            why="The system does not let it be, or it is not there any more.",
        )
    return aside


def forget(saved: SavedMatch) -> None:
    """Give the match up: its secrets go, its record stays.

    Raises ``MatchInUse`` or ``SavedMatchError``.
    """
    try:
        with locks.held(saved.record, PATIENCE) as ours:
            if not ours:
                raise MatchInUse(saved.record)
            drop(saved.secret_file, durable=True)
    except OSError as error:
        raise SavedMatchError(
            saved.secret_file,
            f"{shown(saved.secret_file)} cannot be deleted.",
            why=f"The system says: {error.strerror or error}.",
        ) from error


def _saved(secret: Path) -> SavedMatch:
    """What the file *secret* belongs to.

    Raises ``SavedMatchError``, and ``FileNotFoundError`` if it is not there.
    """
    record = secret.with_suffix(RECORD)
    secrets = read_secrets(secret)
    try:
        found = os.lstat(record)
    except FileNotFoundError:
        os.lstat(secret)  # else the match is over, and somebody has just put both away
        raise SavedDamaged(
            secret,
            f"{shown(Path(record.name))}, the record that it belongs to, is missing.",
            next=f"Put the record back if you have it, or give it up: rm {quoted(secret)}",
        ) from None
    except OSError as error:
        raise _unreadable(record, error) from error
    _check_plain(record, found)
    # Whoever is just beginning a match holds its record, which is empty for a moment.
    if found.st_size == 0 and not locks.busy(record):
        raise SavedDamaged(
            record,
            "it is empty.",
            why="The program was ended before anything was said in the match, or the disk lost it.",
            next=f"Give the match up: rm {quoted(record)} {quoted(secret)}",
        )
    return SavedMatch(record, secret, secrets, found.st_mtime)


def _of_record(record: Path) -> SavedMatch:
    try:
        _check_plain(record, os.lstat(record))
    except FileNotFoundError:
        pass  # so its secrets are there, without it
    except OSError as error:
        raise _unreadable(record, error) from error
    try:
        saved = _saved(secret_file(record))
    except FileNotFoundError:
        raise MatchFinished(record) from None
    return _free([saved])[0]


def _by_name(folder: Path, wanted: str) -> Path | None:
    """The record, perhaps a missing one of secrets that are there, that has the name *wanted*."""
    path = expanded(wanted)
    if not path.name:
        return None
    ends = path.suffix in (RECORD, SECRET)
    record = path.with_suffix(RECORD) if ends else path.with_name(f"{path.name}{RECORD}")
    candidates = [path, record]
    if path.name == wanted:
        # What lies where we stand is meant only if it is called like a record.
        candidates = [folder / path, folder / record, *(candidates if ends else ())]
    for candidate in candidates:
        if candidate.suffix != SECRET and os.path.lexists(candidate):
            return candidate
        if candidate.suffix == RECORD and os.path.lexists(secret_file(candidate)):
            return candidate
    return None


def _free(fitting: list[SavedMatch]) -> list[SavedMatch]:
    """Those that nobody is playing; raises ``MatchInUse`` if there is none."""
    free = [saved for saved in fitting if not locks.busy(saved.record)]
    if not free:
        raise MatchInUse(fitting[0].record)
    return free


def _why_not(
    folder: Path, wanted: str, digits: str, troubles: list[SavedMatchError]
) -> SavedMatchError | MatchFinished | UnknownMatch:
    """Why no match whose id begins with *digits* can go on."""
    records = records_named(folder, digits[:8])
    stems = {record.stem for record in records}
    for trouble in troubles:
        if trouble.path.stem in stems:
            return trouble
    return MatchFinished(records[0]) if records else UnknownMatch(wanted, folder)


def _mtime(path: Path) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable(folder, error) from error


def _check_plain(record: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SavedMatchError(
            record,
            f"{shown(record)} is no record of a match.",
            why="It is a folder, a link, or something else than a plain file.",
            next="Name the record itself, or move away what lies there in its place.",
        )


def _unreadable(path: Path, error: OSError) -> SavedMatchError:
    return SavedMatchError(
        path, f"{shown(path)} cannot be read.", why=f"The system says: {error.strerror or error}."
    )
