"""Past matches: ``history.sqlite3``, an index of the records in ``matches/``.

It is made and kept by looking for records that are new or have changed, when somebody asks; a match
knows nothing of it. The records are the truth: what they do not hold is not in it, what is taken
away there goes here too, and a damaged index is set aside and made anew.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from msgspec import Struct

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.store.history_tables import (
    APPLICATION,
    COUNT_ONE,
    DROP,
    TABLES,
    VERSION,
    insert_match,
)
from pazaak_p2p.store.played import (
    Damaged,
    Played,
    Unfinished,
    is_within_a_lot,
    read_played,
)
from pazaak_p2p.store.safe_files import CAREFULLY, pieces, set_aside, writing
from pazaak_p2p.store.trust_errors import TrustFileError, shown
from pazaak_p2p.wire.reading import MAX_RECORD
from pazaak_p2p.wire.record import END, MOST_END

NAME: Final = "history.sqlite3"
PATIENCE: Final = 30.0
"""Seconds to wait for another program that writes. Each of its steps takes a small part of one."""
_BATCH: Final = 64
"""Matches between two writes: what is held in memory, and what an interruption can cost."""
_MOST_AT_ONCE: Final = 1024
"""Records then, most of them of no match that is over. Each write waits for the disk."""

# Our own statements are right, so a general error, or a row that does not fit, means that a table
# is not as it must be.
_BROKEN: Final = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
    }
)

T = TypeVar("T")


class HistoryError(PazaakError):
    """The history cannot be used."""

    code = "history"
    why = "The system did not say why."
    next = "Make room or mend the permissions there, or set PAZAAK_HOME to another folder."


class HistoryNewer(HistoryError):
    """The history was written by a newer pazaak."""

    code = "history-version"
    exit_code = Exit.MISFIT
    why = "Its tables are of a version that this program does not know."
    next = "Update, or let this program make its own: pazaak history --rebuild"


class _Broken(Exception):
    """The index is damaged, or is none of ours."""


class Scan(Struct, frozen=True):
    """What a look at the records found."""

    read: int
    """Records that were new or had changed, and are in the history now."""
    gone: int
    """Records that are not there any more, nor in the history."""
    unfinished: tuple[str, ...]
    """Files whose match is not over: it is being played now, or was stopped at once. Raw names."""
    damaged: tuple[tuple[str, str], ...]
    """Files that cannot be read, and what is wrong with each."""
    aside: Path | None = None
    """Where a damaged index was put, if there was one."""


class History:
    """The index, open. Made by :func:`with_history`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def scan(self, folder: Path, progress: Callable[[int, int], None] | None = None) -> Scan:
        """Take in what is new or changed in *folder*; *progress* is told how many of how many.

        A record is only read whole or not at all, so one that is being written is left for later.
        Raises :class:`HistoryError` if the folder cannot be read.
        """
        found = _records(folder)
        known = {
            name: (number, size, stamp)
            for number, name, size, stamp in self.db.execute(
                "SELECT id, name, size, stamp FROM files"
            )
        }
        gone = [number for name, (number, _, _) in known.items() if name not in found]
        new = sorted(name for name, mark in found.items() if known.get(name, ())[1:] != mark)
        if gone:
            self._forget(gone)
        read = 0
        batch: list[tuple[bytes, Played | Exception]] = []
        held = 0
        for number, name in enumerate(new, 1):
            outcome = _read(folder, name)
            batch.append((name, outcome))
            held += isinstance(outcome, Played)
            if progress is not None and number % _BATCH == 0:
                progress(number, len(new))
            if held == _BATCH or len(batch) == _MOST_AT_ONCE or number == len(new):
                with self._writing():
                    for each, result in batch:
                        self._put(each, found[each], result)
                read += held
                batch.clear()
                held = 0
        problems = self.db.execute(
            "SELECT name, state, detail FROM files WHERE state <> 'read' ORDER BY name"
        ).fetchall()
        return Scan(
            read,
            len(gone),
            tuple(os.fsdecode(name) for name, state, _ in problems if state == "unfinished"),
            tuple((os.fsdecode(name), why) for name, state, why in problems if state == "damaged"),
        )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See the tables as they are at the beginning, whatever others write meanwhile."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        # At once the right to write: who reads first and asks for it then can lose it to another.
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def _forget(self, files: list[int]) -> None:
        with self._writing():
            for number in files:
                self._drop(number)

    def _drop(self, file: int) -> None:
        row = self.db.execute("SELECT match_id FROM matches WHERE id = ?", (file,)).fetchone()
        self.db.execute("DELETE FROM files WHERE id = ?", (file,))
        if row is not None:
            self.db.execute(COUNT_ONE, row)

    def _put(self, name: bytes, mark: tuple[int, int], outcome: Played | Exception) -> None:
        before = self.db.execute("SELECT id FROM files WHERE name = ?", (name,)).fetchone()
        if before is not None:
            self._drop(before[0])
        state, detail = "read", ""
        if isinstance(outcome, Exception):
            state = "unfinished" if isinstance(outcome, Unfinished) else "damaged"
            detail = str(outcome)
        cursor = self.db.execute(
            "INSERT INTO files (name, size, stamp, state, detail) VALUES (?, ?, ?, ?, ?)",
            (name, *mark, state, detail),
        )
        if isinstance(outcome, Played):
            assert cursor.lastrowid is not None
            insert_match(self.db, cursor.lastrowid, outcome)
            self.db.execute(COUNT_ONE, (outcome.match_id,))


def with_history(
    folder: Path,
    records: Path,
    work: Callable[[History, Scan], T],
    *,
    rebuild: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> T:
    """Open the index in *folder*, bring it up to the *records*, and do *work* with it.

    With *rebuild* it is thrown away first. Raises :class:`HistoryError`.
    """
    path = folder / NAME
    aside: Path | None = None
    for again in (True, False):
        try:
            with closing(_connect(path)) as db:
                _prepare(db, rebuild=rebuild)
                history = History(db)
                scan = history.scan(records, progress)
                if aside is not None:
                    scan = Scan(scan.read, scan.gone, scan.unfinished, scan.damaged, aside)
                with history.reading():
                    return work(history, scan)
        except (_Broken, sqlite3.DatabaseError) as error:
            if not (again and _is_broken(error)):
                raise _cannot(path, error) from error
            aside = _put_aside(path)
    raise AssertionError("unreachable")  # pragma: no cover


# --- the file


def _connect(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HistoryError(
            f"{shown(path.parent)} cannot be made.", why=f"The system says: {error.strerror}."
        ) from error
    with suppress(OSError):  # it is there; or the database tells why it cannot be, in its own words
        # For us alone, as the records are that it tells of; sqlite would let others read it. Only a
        # new one: closing a file here would give back the locks that this process has on it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o600))
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        # Before anything is changed in it.
        if not _is_empty(db) and _pragma(db, "application_id") != APPLICATION:
            raise _Broken("it is the file of another program")
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, *, rebuild: bool) -> None:
    """Make the tables, if they are not there as this version has them."""

    db.execute("BEGIN IMMEDIATE")
    try:
        version = _pragma(db, "user_version")
        if version > VERSION and not rebuild:
            raise HistoryNewer
        if _is_empty(db) or rebuild or version < VERSION:
            for statement in f"{DROP}{TABLES}".split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _is_empty(db: sqlite3.Connection) -> bool:
    return bool(db.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0])


def _is_broken(error: Exception) -> bool:
    """Whether *error* says that the file is damaged, and not that it is busy or the disk full."""
    if isinstance(error, _Broken):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _BROKEN


def _put_aside(path: Path) -> Path | None:
    """Move the damaged index away; where to, or None if another program has done that already."""
    try:
        with writing(path.parent):
            if not _looks_broken(path):
                return None
            aside = set_aside(path)
            if aside is None:
                raise HistoryError(
                    f"{shown(path)} is damaged, and cannot be moved away.",
                    why="Perhaps another program has it open.",
                )
            for ending in ("-journal", "-wal", "-shm"):
                # What belongs to the old file would be taken for a part of the new one.
                with suppress(FileNotFoundError):
                    os.replace(f"{path}{ending}", f"{aside}{ending}")
            return aside
    except TrustFileError as error:
        raise HistoryError(error.what, why=error.why, next=error.next) from error


def _looks_broken(path: Path) -> bool:
    try:
        with closing(_connect(path)) as db:
            _prepare(db, rebuild=False)
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return True
            if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
                return True
            with closing(sqlite3.connect(":memory:")) as sound:
                sound.executescript(TABLES)
                schema = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
                return db.execute(schema).fetchall() != sound.execute(schema).fetchall()
    except (_Broken, sqlite3.DatabaseError) as error:
        return _is_broken(error)


def _cannot(path: Path, error: Exception) -> HistoryError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & 0xFF == sqlite3.SQLITE_BUSY:
        return HistoryError(
            f"Another program keeps {shown(path)} to itself.",
            why=f"It has done so for more than {PATIENCE:g} seconds.",
            next="Let it end, and try again.",
        )
    return HistoryError(f"{shown(path)} cannot be used.", why=f"The database says: {error}.")


# --- the records


def _records(folder: Path) -> dict[bytes, tuple[int, int]]:
    """Size and time of the last change of every record."""
    found: dict[bytes, tuple[int, int]] = {}
    try:
        with os.scandir(os.fsencode(folder)) as entries:
            for entry in entries:
                if entry.name.endswith(b".pzk"):
                    with suppress(FileNotFoundError):  # gone since it was listed
                        status = entry.stat()
                        if entry.is_file():
                            found[entry.name] = (status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        return {}  # nothing has been played yet
    except OSError as error:
        raise HistoryError(
            f"{shown(folder)} cannot be read.", why=f"The system says: {error.strerror or error}."
        ) from error
    return found


def _read(folder: Path, name: bytes) -> Played | Exception:
    try:
        with open(os.path.join(os.fsencode(folder), name), "rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_RECORD:
                return Damaged("It is too large to be the record of a match.")
            if not _has_end(file) and is_within_a_lot(pieces(file)):
                return Unfinished()
            file.seek(0)
            return read_played(pieces(file))
    except (Unfinished, Damaged) as error:
        return error
    except OSError as error:
        return Damaged(f"It cannot be read: {error.strerror or error}.")


def _has_end(file: BinaryIO) -> bool:
    """Does it look as if the record tells how its match ended? Leaves *file* at its beginning."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_END))
    ending = file.read(MOST_END)
    file.seek(0)
    return END in ending
