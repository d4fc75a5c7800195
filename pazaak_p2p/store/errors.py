"""What can go wrong with the user's files."""

from __future__ import annotations

from pathlib import Path

from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.text import printable


class RecordError(PazaakError):
    """The record of the match cannot be written."""

    code = "record"
    why = "The system did not say why."
    next = "Make room or mend the permissions there, or set PAZAAK_HOME to another folder."

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"The record of the match cannot be written to {printable(str(path))}.",
            why=f"The system says: {error.strerror or error}. A match goes on only while it is"
            " recorded; what was written so far stays readable.",
        )


class DeckFileError(UsageError):
    """A side deck cannot be read.

    *line* and *column* count from 1 and are None where they are not known.
    """

    code = "deck-file"
    why = 'A deck file is TOML with cards = ["+1", ...], or the ten cards on one line.'
    next = "Mend it, or take a deck that ships, such as starter: pazaak deck list shows them."

    def __init__(
        self,
        file: str,
        what: str,
        *,
        line: int | None = None,
        column: int | None = None,
        why: str | None = None,
    ) -> None:
        where = printable(file)
        if line is not None:
            where += f", line {line}"
        if column is not None:
            where += f", column {column}"
        super().__init__(f"{where}: {what}", why=why)
        self.line = line
        self.column = column


class DeckUnreadable(DeckFileError):
    """The system does not give the file of a side deck."""

    why = "What has a / in it, or ends in .toml or .txt, is taken for the path of a file."
    next = "Check the path. The decks that have names: pazaak deck list."


class UnknownDeck(UsageError):
    """There is no such side deck."""

    code = "deck"
    next = 'Name one of these, a file, or ten cards in quotes: --deck "+1 -2 ±3 ..."'


class UnknownUser(UsageError):
    """A path begins with the name of a user who has no folder here."""

    code = "unknown-user"
    why = "A ~ at the beginning of a path stands for a user's own folder."
    next = "Write the path out in full, also where it is set in PAZAAK_HOME."
