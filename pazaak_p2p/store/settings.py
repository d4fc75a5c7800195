"""The user's settings: the file ``config.toml`` of the configuration folder. Nobody needs one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from pazaak_p2p.errors import UsageError
from pazaak_p2p.store.folders import config_folder
from pazaak_p2p.store.texts import BadText, parse_toml, read_text
from pazaak_p2p.text import printable

NAME: Final = "config.toml"
_MOST_BYTES: Final = 65_536


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the table is to look; None leaves it to the program."""

    theme: str | None = None
    pace: float | None = None
    """Seconds for which a card of the other side is shown before the next one."""
    ascii: bool | None = None
    bell: bool | None = None
    """Ring when it becomes the person's turn."""
    plain: bool | None = None


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings."""

    name: str | None = None
    """What the user is called at the table; raw. None takes that of the account."""
    table: TableSettings = TableSettings()
    colours: dict[str, str] = {}
    """A theme of the user's own, on top of the one that was chosen: style by name."""


class SettingsError(UsageError):
    """The settings cannot be read.

    *line* and *column* count from 1 and are None where they are not known.
    """

    code = "settings"
    why = "What cannot be understood is never guessed at, and the file is left as it is."
    next = "Mend it, or move it away: the program does without it."

    def __init__(self, path: Path, bad: BadText) -> None:
        where = printable(str(path), 1000)
        if bad.line is not None:
            where += f", line {bad.line}"
        if bad.column is not None:
            where += f", column {bad.column}"
        super().__init__(f"{where}: {bad.what}")
        self.line = bad.line
        self.column = bad.column


def load_settings() -> Settings:
    """The user's settings, or what holds without any. Raises :class:`SettingsError`."""
    path = config_folder() / NAME
    if not path.exists():
        return Settings()
    try:
        return msgspec.convert(parse_toml(read_text(path, _MOST_BYTES)), Settings)
    except BadText as error:
        raise SettingsError(path, error) from error
    except msgspec.ValidationError as error:
        raise SettingsError(path, BadText(f"{printable(str(error))}.")) from error
