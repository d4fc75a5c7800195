"""Files that say who is who: believed only if nobody else can have written them, replaced whole.

Whoever can write such a file can pass for somebody, so what is read must be a regular file of our
own, no link, and not open to others. What is written is first complete on the disk under a second
name, then takes the place of the old file in one step, so that a reader, or a power cut, meets the
old file or the new one. Writers take turns by the lock of the folder; readers need none.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from pazaak_p2p.store.locks import take
from pazaak_p2p.store.trust_errors import FileExposed, TrustFileError, shown

PATIENCE: Final = 5.0
"""Seconds to wait for another writer. Each needs some milliseconds."""
_LOCK: Final = ".lock"
_PAUSE: Final = 0.005
_PIECE: Final = 65_536
_POSIX: Final = sys.platform != "win32"
CAREFULLY: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
"""Flags: follow no link, wait at no pipe, take no terminal. Not every system has all of these."""


def read_trusted(path: Path, most: int, *, secret: bool, holds: str = "your secret key") -> bytes:
    """The first *most* bytes of *path*, if it can be trusted.

    Of a *secret* file, which *holds* what a message then names, others may know nothing; others may
    only not write. Raises ``FileNotFoundError``, :class:`FileExposed` or :class:`TrustFileError`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | CAREFULLY)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _cannot_open(path, error) from error
    try:
        _check(path, os.fstat(descriptor), holds if secret else None)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    except OSError as error:
        raise cannot(path, "read", error) from error
    finally:
        os.close(descriptor)


def _cannot_open(path: Path, error: OSError) -> TrustFileError:
    try:
        found = os.lstat(path)
    except OSError:
        return cannot(path, "read", error)
    if not stat.S_ISREG(found.st_mode):
        return _no_file(path, found.st_mode)
    if _POSIX and isinstance(error, PermissionError) and found.st_uid == os.geteuid():
        return FileExposed(path, "You are not allowed to read it yourself.")
    return cannot(path, "read", error)


def _check(path: Path, found: os.stat_result, secret: str | None) -> None:
    # Where links cannot be refused at opening, they are found here.
    if not stat.S_ISREG(found.st_mode) or (not _POSIX and path.is_symlink()):
        raise _no_file(path, os.lstat(path).st_mode)
    if not _POSIX:
        return  # permission bits mean nothing there; the user's folders are the user's own
    if found.st_uid != os.geteuid():
        raise TrustFileError(
            f"{shown(path)} belongs to another user.",
            why=f"It is user {found.st_uid}'s and you are user {os.geteuid()}, so another may have"
            " written it.",
            next="Run pazaak as that user, or set PAZAAK_HOME to a folder of your own.",
        )
    if secret and found.st_mode & 0o077:
        raise FileExposed(
            path,
            f"Its permissions are {_bits(found)}: other users of this machine can get at {secret}.",
        )
    if found.st_mode & 0o022:
        raise FileExposed(
            path, f"Its permissions are {_bits(found)}: other users of this machine can change it."
        )


def _bits(found: os.stat_result) -> str:
    return f"{stat.S_IMODE(found.st_mode):04o}"


def _no_file(path: Path, mode: int) -> TrustFileError:
    kinds = (
        (stat.S_ISLNK, "a link"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    kind = next((name for is_one, name in kinds if is_one(mode)), "no plain file")
    return TrustFileError(
        f"{shown(path)} is {kind}.",
        why="Only a plain file is trusted here: what a link leads to, somebody else may choose.",
        next="Move it away, and put the file itself there if you have it.",
    )


def cannot(path: Path, what: str, error: OSError) -> TrustFileError:
    """The system does not let us do *what* with *path*."""
    return TrustFileError(
        f"{shown(path)} cannot be {'read' if what == 'read' else 'written'}.",
        why=f"The system says: {error.strerror or error}.",
    )


@contextmanager
def writing(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the only right to write in *folder*, which is made if need be.

    Waits up to *patience* seconds for others. Raises :class:`TrustFileError`, also for an
    ``OSError`` of what is done meanwhile.
    """
    path = folder / _LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | CAREFULLY, 0o600)
        try:
            _wait_for(descriptor, path, patience)
            yield
        finally:
            os.close(descriptor)  # which gives the lock back
    except OSError as error:
        named = error.filename
        at = Path(named) if isinstance(named, str) else folder
        raise cannot(at, "write", error) from error


def _wait_for(descriptor: int, path: Path, patience: float) -> None:
    if not take(descriptor, patience):
        raise TrustFileError(
            f"Another pazaak keeps {shown(path.parent)} to itself.",
            why=f"It has held {shown(path)} for more than {patience:g} seconds; perhaps it"
            " was stopped in the middle of its work.",
            next="Let it go on, or end it, and try again.",
        )


def replace(path: Path, data: bytes) -> None:
    """Put a file of *data*, for us alone, in the place of *path*. Within :func:`writing`."""
    fresh = _write_beside(path, data)
    last_try = time.monotonic() + 1
    while True:
        try:
            os.replace(fresh, path)
        except PermissionError:
            # On Windows a file that is just being read cannot be replaced.
            if _POSIX or time.monotonic() > last_try:
                fresh.unlink()
                raise
            time.sleep(_PAUSE)
        except BaseException:
            fresh.unlink()
            raise
        else:
            break
    keep_folder(path.parent)


def place(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put a file of *data*, for us alone, at *path*, where there is none.

    Within :func:`writing`, or while holding something else that nobody writes *path* without. If
    it is to be *durable* it outlasts a power cut from now on. Raises ``FileExistsError``, and never
    touches what is there.
    """
    fresh = _write_beside(path, data, durable=durable)
    try:
        try:
            os.link(fresh, path)
        except FileExistsError:
            raise
        except OSError:  # no second names on this disk: the lock must be enough
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            os.rename(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    if durable:
        keep_folder(path.parent)


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """What is left of *file*, piece by piece, so that no record need be held whole."""
    while piece := file.read(_PIECE):
        yield piece


def set_aside(path: Path) -> Path | None:
    """Rename the damaged *path*; its new name, or None if that cannot be. Within :func:`writing`.

    No earlier file is overwritten.
    """
    aside = _aside(path)
    try:
        os.rename(path, aside)
    except OSError:
        return None
    return aside


def copy_aside(path: Path) -> Path:
    """Copy the damaged *path*, of which something is to be cut off; where the copy is.

    It is on the disk when this returns, for us alone, and has overwritten nothing. Zeros, such as a
    crash leaves, take no room in it. For whoever keeps others from writing *path*. Raises
    ``OSError``, and leaves no half a copy.
    """
    aside = _aside(path)
    with path.open("rb") as file:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o600)
        try:
            with open(descriptor, "wb") as copy:
                for piece in pieces(file):
                    if piece.strip(b"\0"):
                        copy.write(piece)
                    else:  # where there are only zeros nothing need be kept
                        copy.seek(len(piece), os.SEEK_CUR)
                copy.truncate(file.tell())
                copy.flush()
                to_disk(descriptor)
        except BaseException:
            with suppress(OSError):
                aside.unlink()
            raise
    keep_folder(path.parent)
    return aside


def _aside(path: Path) -> Path:
    """A name for the damaged *path* that nothing has."""
    stem = f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    number = 1
    aside = path.with_name(stem)
    while os.path.lexists(aside):
        number += 1
        aside = path.with_name(f"{stem}-{number}")
    return aside


def set_aside_before(path: Path) -> list[Path]:
    """Where :func:`set_aside` has put earlier files of this name, the oldest first."""
    with suppress(OSError):
        return sorted(path.parent.glob(f"{path.name}.damaged-*"))
    return []


def beside(path: Path) -> Path:
    """Where :func:`place` and :func:`replace` write before *path* is there."""
    return path.with_name(f"{path.name}.new")


def _write_beside(path: Path, data: bytes, *, durable: bool = True) -> Path:
    """A new file of *data* beside *path*, on the disk when this returns if it is to be *durable*.

    Its name is always the same, so that a program that is killed here leaves no more than one; the
    lock sees to it that it is nobody else's.
    """
    fresh = beside(path)
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                to_disk(descriptor)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    return fresh


def keep_folder(folder: Path) -> None:
    """Make the names in *folder* outlast a power cut, where the system can."""
    if _POSIX:
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make *folder*, and those above it, if need be; they outlast a power cut. Raises ``OSError``.

    *folder* itself is for us alone if it is new.
    """
    if folder.is_dir():
        return
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in missing:
        keep_folder(path.parent)


def to_disk(descriptor: int) -> None:
    """Wait until the content of the open file *descriptor* is on the disk. Raises ``OSError``.

    How long the file is belongs to that, and when it was changed does not.
    """
    if sys.platform == "darwin":
        import fcntl

        # There, fsync leaves it in the disk's own memory, which a power cut empties. Not every
        # disk can do more.
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    if sys.platform == "linux":
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)
