"""Files that a long run writes: one that grows by lines and may be cut off, and whole ones."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from pazaak_p2p.errors import UsageError
from pazaak_p2p.store import locks
from pazaak_p2p.store.safe_files import CAREFULLY
from pazaak_p2p.text import printable

_MOST_BYTES: Final = 1_000_000_000
_PATIENCE: Final = 0.25


class FileTrouble(UsageError):
    """A file cannot be used."""

    code = "file"
    why = "The system did not say why."
    next = "Name another file, or mend the permissions there."

    def __init__(self, path: Path, what: str, error: OSError | None = None) -> None:
        why = None if error is None else f"The system says: {error.strerror or error}."
        super().__init__(f"{printable(str(path), 1000)} {what}.", why=why)


class LineFile:
    """A file of lines, which nobody else may use meanwhile, and which is made if need be.

    Every :meth:`append` is with the system when it returns, so a program that is killed loses
    nothing; a line that was cut off is taken away before the first. To be used in ``with``. Raises
    :class:`FileTrouble`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = FileIO(path, "a+b", opener=_open)
        except OSError as error:
            raise FileTrouble(path, "cannot be written", error) from error
        try:
            *self.lines, self.torn = self._read()
            """Those that were there, without their ends; and the one that was cut off, or b""."""
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> list[bytes]:
        try:
            if not locks.take(self._file.fileno(), _PATIENCE):
                trouble = FileTrouble(self._path, "is in use")
                trouble.why = "Another arena goes on with it just now."
                raise trouble
            found = os.fstat(self._file.fileno())
            if not stat.S_ISREG(found.st_mode):  # a device may have no end
                trouble = FileTrouble(self._path, "is no plain file")
                trouble.why = "It is a pipe or a device, which keeps nothing."
                raise trouble
            if found.st_size > _MOST_BYTES:
                raise FileTrouble(self._path, "is too large to be one of ours")
            self._file.seek(0)
            data = self._file.readall() or b""
        except OSError as error:
            raise FileTrouble(self._path, "cannot be read", error) from error
        return data.split(b"\n")

    def append(self, lines: Iterable[bytes]) -> None:
        """Add *lines*. Raises :class:`FileTrouble`, after which the last may be torn."""
        rest = memoryview(b"".join(line + b"\n" for line in lines))
        try:
            if self.torn:
                self._file.truncate(os.fstat(self._file.fileno()).st_size - len(self.torn))
                self.torn = b""
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise FileTrouble(self._path, "cannot be written", error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | CAREFULLY, 0o666)


def put_whole(path: Path, data: bytes) -> None:
    """Write *data* to *path*: whoever looks finds what was there before, or all of it.

    Raises :class:`FileTrouble`.
    """
    put_pieces(path, [data])


def put_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """As :func:`put_whole`, one piece after the other, so that they need not be held at once."""
    if path.is_dir():
        raise FileTrouble(path, "is a folder")
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        try:
            with fresh.open("wb") as file:
                file.writelines(pieces)
            os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise FileTrouble(path, "cannot be written", error) from error


def check_writable(path: Path) -> None:
    """Raise :class:`FileTrouble` if :func:`put_whole` could not write *path*."""
    if path.is_dir():
        raise FileTrouble(path, "is a folder")
    probe = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise FileTrouble(path, "cannot be written", error) from error
