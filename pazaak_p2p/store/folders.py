"""Where the user's files are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

from pazaak_p2p.store.errors import UnknownUser
from pazaak_p2p.text import printable

HOME_VARIABLE: Final = "PAZAAK_HOME"
"""The environment variable that puts everything into one folder."""


def config_folder() -> Path:
    """Where a person writes: ``decks/*.toml``."""
    return _folder(platformdirs.user_config_path)


def data_folder() -> Path:
    """Where the program writes: ``matches/*.pzk``."""
    return _folder(platformdirs.user_data_path)


def deck_folder() -> Path:
    return config_folder() / "decks"


def match_folder() -> Path:
    return data_folder() / "matches"


def expanded(text: str) -> Path:
    """The path *text*, with a folder in place of ``~`` or ``~user``. Raises ``UnknownUser``."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UnknownUser(
            f"{printable(text)!r} is no path: no such user has a folder on this machine."
        ) from error


def _folder(standard: object) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return expanded(home)
    path = standard("pazaak", appauthor=False)  # type: ignore[operator]
    assert isinstance(path, Path)
    return path
