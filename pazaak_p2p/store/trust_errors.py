"""What can go wrong with the files that decide who is who: our identity and the known players."""

from __future__ import annotations

import shlex
from pathlib import Path

from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.text import printable


class TrustFileError(PazaakError):
    """A file that says who is who cannot be used."""

    code = "trust-file"
    exit_code = Exit.IDENTITY_REFUSED
    why = "The system did not say why."
    next = "Mend the permissions there, or set PAZAAK_HOME to another folder."


class FileExposed(TrustFileError):
    """A file that says who is who is open to other users of this machine.

    ``command`` is what closes it.
    """

    code = "trust-file-exposed"

    def __init__(self, path: Path, why: str) -> None:
        self.command = f"chmod 600 {quoted(path)}"
        super().__init__(
            f"{shown(path)} has the wrong permissions.",
            why=why,
            next=f"Type: {self.command}",
        )


class FileDamaged(TrustFileError):
    """A file that says who is who is damaged.

    *line* and *column* count from 1 and are None where they are not known; *aside* is where the
    file is now, None if it could not be moved.
    """

    code = "trust-file-damaged"

    def __init__(
        self,
        path: Path,
        what: str,
        *,
        aside: Path | None,
        follows: str,
        next: str,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        where = shown(path)
        if line is not None:
            where += f", line {line}"
        if column is not None:
            where += f", column {column}"
        moved = (
            "It could not be set aside, and stays where it is."
            if aside is None
            else f"Nothing of it is lost: it is now {shown(aside)}."
        )
        super().__init__(f"{where}: {what}", why=f"{moved} {follows}", next=next)
        self.line = line
        self.column = column
        self.aside = aside


class IdentityLost(TrustFileError):
    """Your identity is gone."""

    code = "identity-lost"


class IdentityStands(UsageError):
    """You have an identity, and it is in order."""

    code = "identity-stands"


class PlayersLost(TrustFileError):
    """The list of the players you know was damaged, and has been set aside."""

    code = "players-lost"


class UnknownPlayer(UsageError):
    """You know no such player."""

    code = "player"
    why = "A player is named by nickname, by name, or by the beginning of a fingerprint."
    next = "Type: pazaak peers list"


class AmbiguousPlayer(UsageError):
    """More than one player you know fits that."""

    code = "player-ambiguous"


class NicknameRefused(UsageError):
    """That cannot be a nickname."""

    code = "nickname"


def shown(path: Path) -> str:
    """*path* for a message, whatever is in it."""
    return printable(str(path), 1000)


def quoted(path: Path) -> str:
    """*path* as a word of a command to type."""
    return printable(shlex.quote(str(path)), 1000)
