"""What can go wrong with matches that are to go on."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.text import printable

_MOST_NAMED: Final = 8


class SavedMatchError(PazaakError):
    """A saved match cannot be used.

    *path* is the file that stands in the way.
    """

    code = "saved-match"
    why = "The system did not say why."
    next = "Mend the permissions there, or set PAZAAK_HOME to another folder."

    def __init__(
        self, path: Path, what: str, *, why: str | None = None, next: str | None = None
    ) -> None:
        super().__init__(what, why=why, next=next)
        self.path = path


class SavedDamaged(SavedMatchError):
    """A file of a saved match is damaged. *flaw* is what is wrong, as the rest of a sentence."""

    code = "saved-match-damaged"
    why = "Without it nobody can say what was played and promised, so the match cannot go on."
    next = "Put a good copy back if you have one, or move the file away."

    def __init__(
        self, path: Path, flaw: str, *, why: str | None = None, next: str | None = None
    ) -> None:
        super().__init__(path, f"{_shown(path)}: {flaw}", why=why, next=next)


class SavedLater(SavedMatchError):
    """A match was saved by a later version of pazaak."""

    code = "saved-match-later"
    next = "Update your copy of pazaak."

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(
            path,
            f"{_shown(path)} was saved by a later version of pazaak.",
            why=f"It has version {version}, and this program reads version {known}.",
        )


class NothingSaved(UsageError):
    """There is no match to go on with."""

    code = "nothing-saved"
    next = "Begin one: pazaak host, or pazaak join ADDRESS"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            why=f"A match can go on as long as its .secret lies in {_shown(folder)}; there is none."
        )


class UnknownMatch(UsageError):
    """There is no such saved match."""

    code = "match-unknown"
    next = "Type: pazaak resume   It goes on with the latest."

    def __init__(self, wanted: str, folder: Path) -> None:
        super().__init__(
            f"There is no saved match {printable(wanted, 200)!r}.",
            why="A match is named by its record, or by the first digits of its id, at least four;"
            f" the records are in {_shown(folder)}.",
        )


class AmbiguousMatch(UsageError):
    """More than one saved match fits that. *records* are theirs."""

    code = "match-ambiguous"

    def __init__(self, wanted: str, records: Sequence[Path]) -> None:
        super().__init__(
            f"{len(records)} saved matches begin with {printable(wanted, 64)}.",
            why=f"Their records are {listed(records)}.",
            next=f"Name one: pazaak resume {quoted(records[0].name)}",
        )


class MatchFinished(UsageError):
    """That match is over: there is a record, and no secret any more to go on with.

    *record* is its.
    """

    code = "match-finished"

    def __init__(self, record: Path) -> None:
        self.record = record
        super().__init__(
            f"The match in {_shown(record)} cannot go on.",
            why="It is over: what only you knew of it was cleared away when it ended.",
            next=f"See how it ended: pazaak verify {quoted(record)}",
        )


class MatchInUse(UsageError):
    """Another program is playing that match."""

    code = "match-in-use"
    next = "Go on in that other window, or end the program there and try again."

    def __init__(self, record: Path) -> None:
        super().__init__(
            f"The match in {_shown(record)} is being played.",
            why="Another pazaak on this machine holds it. If two went on with one match, they would"
            " say different things in your name, which is proof of cheating.",
        )


def quoted(path: Path | str) -> str:
    """*path* as a word of a command to type."""
    return printable(shlex.quote(str(path)), 1000)


def _shown(path: Path | str) -> str:
    return printable(str(path), 1000)


def listed(records: Sequence[Path]) -> str:
    """The names of the first of *records*, and how many more there are."""
    names = ", ".join(_shown(path.name) for path in records[:_MOST_NAMED])
    more = len(records) - _MOST_NAMED
    return f"{names} and {more} more" if more > 0 else names
