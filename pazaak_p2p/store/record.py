"""Records of matches as files: ``matches/*.pzk`` (specification, section 12)."""

from __future__ import annotations

import contextlib
import sys
import unicodedata
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Final

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.store.errors import RecordError

_LONGEST_NAME: Final = 24
_MOST_WITH_ONE_NAME: Final = 1000


class RecordWriter:
    """Writes the record of one match into a new file of *folder*, which is made if need be.

    Every :meth:`write` is with the system when it returns, so a program that is killed loses
    nothing; a power cut may lose the last moments.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begun = False
        self._file: FileIO | None = None
        self._length = 0
        self._never: RecordError | None = None
        self.path: Path | None = None
        """The file, once a match has begun."""

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        """Make the file for a match between players of these names (raw, as they gave them).

        Raises :class:`RecordError`.
        """
        if self._begun:
            raise PazaakError("A second match was to be written into the record of another.")
        self._begun = True
        stem = record_stem(datetime.now(), match_id, host, join)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file, self.path = _create(self._folder, stem)
        except OSError as error:
            raise RecordError(self._folder, error) from error

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
            with contextlib.suppress(OSError):  # a torn end is readable too
                self._file.truncate(self._length)
            failure = RecordError(self.path, error)
            if self._length == 0:
                self._never = failure
                self.close()
            raise failure from error
        self._length += len(data)

    def close(self) -> None:
        """Close the file; one without a byte goes. Never raises."""
        if self._file is None or self.path is None:
            return
        with contextlib.suppress(OSError):  # every write has been answered for already
            self._file.close()
        self._file = None
        if self._length == 0:
            with contextlib.suppress(OSError):
                self.path.unlink()
            self.path = None


class NoRecord:
    """Takes a record and keeps nothing: for a seat whose other side is recorded by this program."""

    path: Path | None = None

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        """Nothing."""

    def write(self, data: bytes) -> None:
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
    """A new file, with a number behind the name if that is taken (both seats of one match, say)."""
    for number in range(1, _MOST_WITH_ONE_NAME):
        path = folder / (f"{stem}.pzk" if number == 1 else f"{stem}_{number}.pzk")
        try:
            return FileIO(path, "xb"), path
        except FileExistsError:
            continue
    raise FileExistsError(f"more than {_MOST_WITH_ONE_NAME - 1} records of one name")
