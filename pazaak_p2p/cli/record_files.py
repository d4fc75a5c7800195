"""Files that are to be records, read no further than a record can go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pazaak_p2p.store.match_errors import quoted
from pazaak_p2p.store.record import SUFFIX as RECORD
from pazaak_p2p.store.safe_files import pieces
from pazaak_p2p.store.saved_secrets import SUFFIX as SECRET
from pazaak_p2p.wire.reading import MAX_RECORD
from pazaak_p2p.wire.verdict import RecordProblem, TooLarge


class Unreadable(RecordProblem):
    """The file cannot be read."""

    code = "unreadable"
    why = "The system did not say why."
    next = "Check the name and the permissions."


class NotTheRecord(RecordProblem):
    """This is what only one player knows of a match, not its record."""

    code = "secret"
    why = "A match that can go on has a .secret beside its record, for nobody else to see."


class Folder(RecordProblem):
    """This is a folder, not a record."""

    code = "folder"
    why = "A record is one file; only files are read."


@contextmanager
def reading_record(path: Path, command: str) -> Iterator[Iterator[bytes]]:
    """The bytes of *path* in pieces, for a *command* of ours.

    Raises :class:`NotTheRecord`, :class:`Folder`, :class:`Unreadable` (also while it is read) or
    ``TooLarge``.
    """
    if path.suffix == SECRET:
        record = quoted(path.with_suffix(RECORD))
        raise NotTheRecord(next=f"Type: pazaak {command} {record}")
    try:
        if path.is_dir():
            raise Folder
        with path.open("rb") as file:
            # Also what is no plain file is read no further than a record can go.
            if os.fstat(file.fileno()).st_size > MAX_RECORD:
                raise TooLarge(why=f"A record has at most {MAX_RECORD >> 20} MiB.")
            yield pieces(file)
    except OSError as error:
        raise Unreadable(why=f"The system says: {error.strerror or error}.") from error
