"""Files that are to be records, read no further than a record can go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from pazaak_p2p.wire.reading import MAX_RECORD
from pazaak_p2p.wire.verdict import RecordProblem, TooLarge

_PIECE: Final = 65_536


class Unreadable(RecordProblem):
    """The file cannot be read."""

    code = "unreadable"
    why = "The system did not say why."
    next = "Check the name and the permissions."


class Folder(RecordProblem):
    """This is a folder, not a record."""

    code = "folder"
    why = "A record is one file; only files are read."


@contextmanager
def reading_record(path: Path) -> Iterator[Iterator[bytes]]:
    """The bytes of *path* in pieces.

    Raises :class:`Folder`, :class:`Unreadable` (also while it is read) or ``TooLarge``.
    """
    try:
        if path.is_dir():
            raise Folder
        with path.open("rb") as file:
            # Also what is no plain file is read no further than a record can go.
            if os.fstat(file.fileno()).st_size > MAX_RECORD:
                raise TooLarge(why=f"A record has at most {MAX_RECORD >> 20} MiB.")
            yield _pieces(file)
    except OSError as error:
        raise Unreadable(why=f"The system says: {error.strerror or error}.") from error


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece
