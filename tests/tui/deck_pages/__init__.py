"""Pictures of the deck builder, one file each, that its pages must equal in every sign,
every style, and in what a click does.

``python -m tests.tui.deck_pages`` draws them anew, and with a folder as its argument also as SVG
there, to be looked at; look at every difference before it is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.rules import CARDS, DECKS, PRESETS, Card
from pazaak_p2p.tui.deck_builder import Builder, Mode
from pazaak_p2p.tui.deck_page import draw_page
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.page import Row
from pazaak_p2p.tui.picture import as_svg
from tests.tui.drawn import marks, text_of

FOLDER: Final = Path(__file__).parent

_EMPTY = Builder()
_HALF = Builder(cards=DECKS["hard"][:6], source="hard", at=CARDS.index(Card.FLIP_2_4))
_FULL = Builder(cards=DECKS["from-hell"], name="mine", kept=DECKS["from-hell"], on_disk=True)
_AGAINST = replace(_FULL, rules=PRESETS["kotor1"], cards=(*DECKS["hard"][:9], Card.DOUBLE))
_MANY = Builder(cards=(Card.PLUSMINUS_6,) * 10, rules=PRESETS["tournament"], name="sixes")
_NAMING = replace(_FULL, mode=Mode.NAME, typed="my-deck")
_LEAVING = replace(_AGAINST, mode=Mode.LEAVE)
_LEAVING_HALF = replace(_HALF, mode=Mode.LEAVE, kept=())
_REPLACING = replace(_FULL, mode=Mode.REPLACE, typed="other")
_SAID = replace(_FULL, message="The deck is full: take a card out first (R3).")
_HELP = replace(_FULL, mode=Mode.HELP)

PAGES: Final[dict[str, tuple[Builder, int, int, Glyphs]]] = {
    "empty": (_EMPTY, 80, 24, UNICODE),
    "half": (_HALF, 80, 24, UNICODE),
    "half_ascii": (_HALF, 80, 24, ASCII),
    "half_compact": (_HALF, 40, 16, UNICODE),
    "full": (_FULL, 80, 24, UNICODE),
    "full_compact_ascii": (_FULL, 40, 16, ASCII),
    "full_large": (_FULL, 200, 50, UNICODE),
    "against_the_rules": (_AGAINST, 80, 24, UNICODE),
    "against_the_rules_compact": (_AGAINST, 40, 16, UNICODE),
    "too_many": (_MANY, 80, 24, UNICODE),
    "too_many_compact": (_MANY, 40, 16, ASCII),
    "naming": (_NAMING, 80, 24, UNICODE),
    "naming_compact": (_NAMING, 40, 16, UNICODE),
    "leaving": (_LEAVING, 80, 24, UNICODE),
    "leaving_compact": (_LEAVING, 40, 16, UNICODE),
    "leaving_half": (_LEAVING_HALF, 80, 24, UNICODE),
    "leaving_half_compact": (_LEAVING_HALF, 40, 16, UNICODE),
    "replacing": (_REPLACING, 80, 24, UNICODE),
    "full_said": (_SAID, 80, 24, UNICODE),
    "full_said_compact": (_SAID, 40, 16, UNICODE),
    "help": (_HELP, 80, 24, UNICODE),
    "help_compact": (_HELP, 40, 16, UNICODE),
    "too_small": (_FULL, 39, 16, UNICODE),
    "much_too_small": (_FULL, 12, 4, UNICODE),
}


def text(name: str) -> str:
    """The page *name* in signs, and below them what has a style, or does something when clicked."""
    page = draw_page(*PAGES[name])
    return text_of(page) + "\n" + "".join(f"{line}\n" for line in marks(page))


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def svg(name: str, style: BaseStyle) -> str:
    """The page *name* as a terminal of dark background shows it."""
    _, columns, rows, _ = PAGES[name]
    page: list[Row] = [
        [(look, shown, None) for look, shown, _ in row] for row in draw_page(*PAGES[name])
    ]
    return as_svg(page, columns, rows, style, name)
