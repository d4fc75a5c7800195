"""Records of matches as files: ``matches/*.pzk`` (specification, section 12)."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import unicodedata
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Final

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.store import locks
from pazaak_p2p.store.errors import RecordError
from pazaak_p2p.store.match_errors import MatchInUse
from pazaak_p2p.store.safe_files import CAREFULLY, make_folder, to_disk
from pazaak_p2p.store.saved_secrets import secret_file

SUFFIX: Final = ".pzk"
PATIENCE: Final = 0.25
"""Seconds to wait for a record that somebody who looks for saved matches touches for a moment."""
_LONGEST_NAME: Final = 24
_MOST_WITH_ONE_NAME: Final = 1000


class RecordWriter:
    """Writes the record of one match into a new file of *folder*, which is made if need be.

    Every :meth:`write` is with the system when it returns, so a program that is killed loses
    nothing; a power cut may lose what came after the last :meth:`sync`, which does nothing unless
    *sync* asks for it.
    """

    keeps = False

    def __init__(self, folder: Path, *, sync: bool = False) -> None:
        self._folder = folder
        self._begun = self._made = False
        self._file: FileIO | None = None
        self._length = 0
        self._sync = sync
        self._owed = False
        self._never: RecordError | None = None
        self.path: Path | None = None
        """The file, once a match has begun."""

    @classmethod
    def reopen(cls, path: Path, *, sync: bool = False) -> RecordWriter:
        """Go on behind the end of the record *path*. Raises :class:`RecordError`."""
        record = cls(path.parent, sync=sync)
        record._begun = True
        try:
            record._file = FileIO(path, "ab", opener=_open_old)
            found = os.fstat(record._file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.EINVAL, "It is no plain file")
        except OSError as error:
            record.close()
            raise RecordError(path, error) from error
        record.path, record._length = path, found.st_size
        # Who wrote it may have been killed before it was on the disk.
        record._owed = True
        return record

    def hold(self) -> None:
        """Keep everybody else from :meth:`hold` of this record until it is closed.

        Raises ``MatchInUse`` if somebody has it, or :class:`RecordError`.
        """
        assert self._file is not None
        assert self.path is not None
        try:
            held = locks.take(self._file.fileno(), PATIENCE)
            self._length = os.fstat(self._file.fileno()).st_size
        except OSError as error:
            raise RecordError(self.path, error) from error
        if not held:
            raise MatchInUse(self.path)

    @property
    def length(self) -> int:
        """Bytes in the file."""
        return self._length

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        """Make the file for a match between players of these names (raw, as they gave them).

        Raises :class:`RecordError`.
        """
        if self._begun:
            raise PazaakError("A second match was to be written into the record of another.")
        self._begun = True
        stem = record_stem(datetime.now(), match_id, host, join)
        try:
            make_folder(self._folder)
            self._file, self.path = _create(self._folder, stem)
        except OSError as error:
            raise RecordError(self._folder, error) from error
        self._made = True

    def write(self, data: bytes) -> None:
        """Append *data*. Raises :class:`RecordError`, and leaves the file as it was before.

        If that is the first, which says what the record is of, there is no file any more.
        """
        if self._never is not None:
            raise self._never
        assert self._file is not None
        assert self.path is not None
        rest = memoryview(data)
        try:
            while rest:
                # Raw, so there is no buffer that could fail a second time when it is closed.
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            failure = RecordError(self.path, error)
            try:
                self._file.truncate(self._length)
            except OSError:  # a torn end is readable too, but nothing can follow it
                self._never = failure
            if self._length == 0:
                self._never = failure
                self.close()
            raise failure from error
        self._length += len(data)
        self._owed = True

    def sync(self) -> None:
        """See to it that all that was written is on the disk. Raises :class:`RecordError`.

        After that nothing more can be written: the system may have dropped what it could not bring
        to the disk, and would not say so again.
        """
        if self._never is not None:
            raise self._never
        if not (self._owed and self._sync):
            return
        assert self._file is not None
        assert self.path is not None
        try:
            to_disk(self._file.fileno())
        except OSError as error:
            self._never = RecordError(self.path, error)
            raise self._never from error
        self._owed = False

    def cut(self, length: int) -> None:
        """Drop what stands behind the first *length* bytes. Raises :class:`RecordError`."""
        assert self._file is not None
        assert self.path is not None
        try:
            self._file.truncate(length)
        except OSError as error:
            raise RecordError(self.path, error) from error
        self._length = length
        self._owed = True
        self.sync()

    def settle(self) -> None:
        """The match is over: :meth:`sync`, then :meth:`close`. Raises :class:`RecordError`."""
        self.sync()
        self.close()

    def close(self) -> None:
        """Close the file; one that was made here goes if it has no byte. Never raises."""
        if self._file is None:
            return
        with contextlib.suppress(OSError):  # every write has been answered for already
            self._file.close()
        self._file = None
        if self._made and self._length == 0 and self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
            self.path = None


class NoRecord:
    """Takes a record and keeps nothing: for a seat whose other side is recorded by this program.

    *keeps* tells whether what the other side's record has beside it is enough to go on with.
    """

    path: Path | None = None

    def __init__(self, *, keeps: bool = False) -> None:
        self.keeps = keeps

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        """Nothing."""

    def write(self, data: bytes) -> None:
        """Nothing."""

    def sync(self) -> None:
        """Nothing."""

    def settle(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def record_stem(when: datetime, match_id: bytes, host: str, join: str) -> str:
    """The name of a record without its ending: when, who, and the match id's first 8 digits.

    >>> record_stem(datetime(2031, 5, 4, 21, 30), bytes(32), "Ann/a", "")
    '2031-05-04_21-30_Ann-a_vs_nobody_00000000'
    """
    return (
        f"{when:%Y-%m-%d_%H-%M}_{file_name_part(host)}_vs_{file_name_part(join)}"
        f"_{match_id[:4].hex()}"
    )


def file_name_part(name: str) -> str:
    """*name* as part of a file name on any system: letters, digits and single hyphens."""
    plain = unicodedata.normalize("NFKC", name)
    # Nor can every file system's encoding hold every letter.
    plain = plain.encode(sys.getfilesystemencoding(), "replace").decode(
        sys.getfilesystemencoding(), "replace"
    )
    kept = "".join(ch if ch.isalnum() else "-" for ch in plain)
    return "-".join(part for part in kept.split("-") if part)[:_LONGEST_NAME] or "nobody"


def _create(folder: Path, stem: str) -> tuple[FileIO, Path]:
    """A new file, with a number behind the name if that is taken (both seats of one match, say).

    A name is also taken by secrets that lie there without their record: they are another match's.
    """
    for number in range(1, _MOST_WITH_ONE_NAME):
        path = folder / (f"{stem}{SUFFIX}" if number == 1 else f"{stem}_{number}{SUFFIX}")
        if os.path.lexists(secret_file(path)):
            continue
        try:
            return FileIO(path, "ab", opener=_open_new), path
        except FileExistsError:
            continue
    raise FileExistsError(f"more than {_MOST_WITH_ONE_NAME - 1} records of one name")


def _open_new(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o600)


def _open_old(path: str, flags: int) -> int:
    return os.open(path, flags & ~os.O_CREAT | CAREFULLY)
