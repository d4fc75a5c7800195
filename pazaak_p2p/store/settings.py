"""The user's settings: the file ``config.toml`` of the configuration folder. Nobody needs one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import fields

from pazaak_p2p.errors import UsageError
from pazaak_p2p.store.folders import config_folder
from pazaak_p2p.store.texts import BadText, parse_toml, place_of, read_text
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

    def __init__(self, path: Path, bad: BadText, *, next: str | None = None) -> None:
        where = printable(str(path), 1000)
        if bad.line is not None:
            where += f", line {bad.line}"
        if bad.column is not None:
            where += f", column {bad.column}"
        super().__init__(f"{where}: {bad.what}", next=next)
        self.line = bad.line
        self.column = bad.column


_VALUES: Final = {
    str | None: "a text in quotes",
    float | None: "a number",
    bool | None: "true or false",
}


def load_settings() -> Settings:
    """The user's settings, or what holds without any. Raises :class:`SettingsError`."""
    path = config_folder() / NAME
    if not path.exists():
        return Settings()
    try:
        found = parse_toml(read_text(path, _MOST_BYTES))
    except BadText as error:
        raise SettingsError(path, error) from error
    _check(found, Settings)
    _check(found.get("table", {}), TableSettings, "table")
    for name, look in found.get("colours", {}).items():
        if not isinstance(look, str):
            what = f'{printable(name, 40)} is to be a text in quotes, such as "bg:#005faf bold".'
            raise setting_error(what, "colours", name)
    return msgspec.convert(found, Settings)


def _check(found: dict[str, object], known: type[msgspec.Struct], *table: str) -> None:
    """Whether everything in *found*, which stands under *table*, is *known*, and of its kind."""
    types = {field.name: field.type for field in fields(known)}
    for name, value in found.items():
        if name not in types:
            where = f"under [{table[0]}]" if table else "here"
            raise setting_error(
                f"there is no setting {printable(name, 40)} {where}.",
                *table,
                name,
                next=f"What can be set {where}: {', '.join(types)}.",
            )
        wanted = _VALUES.get(types[name])
        if wanted is None:
            if not isinstance(value, dict):
                what = f"{name} is to be a table: [{name}] on a line of its own."
                raise setting_error(what, *table, name)
            continue
        try:
            msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            raise setting_error(f"{name} is to be {wanted}.", *table, name) from error


def setting_error(what: str, *keys: str, next: str | None = None) -> SettingsError:
    """That there is something wrong with the setting of *keys*, told with its place."""
    path = config_folder() / NAME
    try:
        line, column = place_of(read_text(path, _MOST_BYTES), *keys)
    except BadText:  # it was there a moment ago
        line = column = None
    return SettingsError(path, BadText(what, line, column), next=next)
