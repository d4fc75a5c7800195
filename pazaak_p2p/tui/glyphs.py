"""The signs the table is drawn with: one set for Unicode terminals, one for ASCII."""

from __future__ import annotations

from typing import Final

import msgspec

from pazaak_p2p.rules import Card

Digits = dict[str, tuple[str, str, str]]


class Glyphs(msgspec.Struct, frozen=True):
    """One character each unless said otherwise; ``big`` holds digits three wide and three high."""

    ascii: bool
    top: tuple[str, str, str]
    """Left corner, line and right corner of a card."""
    side: str
    bottom: tuple[str, str, str]
    rule: str
    slot: str
    """An empty slot."""
    back: str
    """A card of the opponent's hand, two wide."""
    won: str
    """A set won."""
    open: str
    """A set still to win."""
    arrow: str
    dot: str
    """Between things in a row."""
    good: str
    """A way back, or a total of exactly 20."""
    bad: str
    """Over 20."""
    says: str
    said: str
    """The counterpart of ``says``: the two of them hold what is chosen."""
    ellipsis: str
    big: Digits

    def name(self, card: Card) -> str:
        """*card* in the notation that these signs can show."""
        return card.ascii if self.ascii else card.text


def _digits(*rows: str) -> Digits:
    names = "0123456789-"
    return {
        name: (rows[0][at : at + 3], rows[1][at : at + 3], rows[2][at : at + 3])
        for name, at in zip(names, range(0, 4 * len(names), 4), strict=True)
    }


UNICODE: Final = Glyphs(
    ascii=False,
    top=("╭", "─", "╮"),
    side="│",
    bottom=("╰", "─", "╯"),
    rule="─",
    slot="·",
    back="▒▒",
    won="●",
    open="○",
    arrow="→",
    dot="·",
    good="✓",
    bad="✗",
    says="▸",
    said="◂",
    ellipsis="…",
    big=_digits(
        "┏━┓ ╺┓  ╺━┓ ╺━┓ ╻ ╻ ┏━╸ ┏━╸ ╺━┓ ┏━┓ ┏━┓    ",
        "┃ ┃  ┃  ┏━┛ ╺━┫ ┗━┫ ┗━┓ ┣━┓   ┃ ┣━┫ ┗━┫ ╺━╸",
        "┗━┛ ╺┻╸ ┗━╸ ╺━┛   ╹ ╺━┛ ┗━┛   ╹ ┗━┛ ╺━┛    ",
    ),
)

ASCII: Final = Glyphs(
    ascii=True,
    top=(".", "-", "."),
    side="|",
    bottom=("'", "-", "'"),
    rule="-",
    slot=".",
    back="##",
    won="*",
    open="o",
    arrow=">",
    dot="|",
    good="!",
    bad="x",
    says=">",
    said="<",
    ellipsis="...",
    big=_digits(
        " _       _   _       _   _   _   _   _     ",
        "| |   |  _|  _| |_| |_  |_    | |_| |_|  _ ",
        "|_|   | |_   _|   |  _| |_|   | |_|  _|    ",
    ),
)


def glyphs_for(encoding: str | None, *, ascii: bool = False) -> Glyphs:
    """The signs that *encoding* can show; always ASCII if *ascii* asks for it."""
    if ascii or encoding is None:
        return ASCII
    try:
        "±╭─╮│╰╯·▒●○←→↑↓✓✗▸◂…┏━┓┃┗┛┣┫╺╸╻╹┻".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
