"""What can be wrong with a bot."""

from __future__ import annotations

from pazaak_p2p.errors import PazaakError, UsageError


class UnknownBot(UsageError):
    """There is no such bot."""

    code = "bot"
    next = "Type: pazaak bot list"


class TablesDamaged(PazaakError):
    """The tables of the bots expert and master, and of the hints, cannot be read."""

    code = "tables"
    next = "Install pazaak again. The other bots play without tables."


class ScriptError(UsageError):
    """The script of a bot cannot be played.

    *line* is None when the file as a whole is meant.
    """

    code = "script"
    why = "A script has one action a line: play +3, play +-4 as -, end, stand, lay, pass, auto."
    next = "Mend the script and start again."

    def __init__(self, file: str, line: int | None, what: str, *, why: str | None = None) -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {what}", why=why)
        self.file = file
        self.line = line
