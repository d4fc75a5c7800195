"""Locks on open files, by the system: closing gives one back, and so does being killed.

What is locked is the very file that is written, so there is no second one that a killed program
would leave behind, nor one that cannot be cleared away without letting two in at once.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PAUSE: Final = 0.005
# Windows keeps others from reading what is locked, so the lock is on a byte behind any content.
_FAR: Final = 0x7FFF_0000

# Follow no link and wait at no pipe, whatever lies there.
_LOOK: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, shared: bool) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool) -> bool:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def take(descriptor: int, patience: float = 0.0) -> bool:
    """Whether the open file *descriptor* is ours alone now, after up to *patience* seconds.

    Raises ``OSError`` where the disk keeps no locks.
    """
    end = time.monotonic() + patience
    while not _lock(descriptor, shared=False):
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True


@contextmanager
def held(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Whether the file *path* is ours alone meanwhile, as by :func:`take`. Raises ``OSError``."""
    descriptor = os.open(path, _LOOK)
    try:
        yield take(descriptor, patience)
    finally:
        os.close(descriptor)


def busy(path: Path) -> bool:
    """Whether somebody holds the file *path*. False for one that cannot be opened.

    Two that look at the same time do not see each other; who takes the lock in that very moment
    needs a little patience.
    """
    try:
        descriptor = os.open(path, _LOOK)
    except OSError:
        return False
    try:
        return not _lock(descriptor, shared=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
