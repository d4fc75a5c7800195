"""What players are called on the table. Pure."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.text import printable
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import clip

NAME_COLUMNS: Final = 24
"""Columns of a name, at most."""


def called(name: str, glyphs: Glyphs) -> str:
    """What to call the player who gives *name*, fit to be shown."""
    shown = clip(printable(name.strip(), 40), NAME_COLUMNS, glyphs.ellipsis)
    # Nobody is called "You" beside us.
    return shown if shown and shown.casefold() != "you" else "Opponent"
