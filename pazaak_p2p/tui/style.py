"""Colours. They repeat what sign and shape say already, so all of it reads without them too."""

from __future__ import annotations

import re
from typing import Final

from prompt_toolkit.styles import Style

from pazaak_p2p.rules import Card, Kind

# Cards bring their own background, so they look the same on dark and on light terminals; it is from
# the 256-colour cube, where other colours would be rounded to grey. Text uses the terminal's own
# foreground, or one of the ANSI colours that both kinds of terminal can show.
Theme = dict[str, str]
"""What each name of a style looks like, in prompt_toolkit's words."""

STANDARD: Final[Theme] = {
    "card.green": "bg:#008700 #ffffff",
    "card.blue": "bg:#005faf #ffffff",
    "card.red": "bg:#af0000 #ffffff",
    "card.purple": "bg:#8700af #ffffff",
    "card.gold": "bg:#d7af00 #000000",
    "card.back": "bg:#5f5f5f #ffffff",
    "key": "bold reverse",
    "chosen": "bold reverse",
    "name": "bold",
    "total": "bold",
    "total.twenty": "bold ansigreen",
    "total.over": "bold ansired",
    "pip": "bold",
    "good": "bold ansigreen",
    "bad": "bold ansired",
    "faint": "",
    "warning": "bold ansired",
    "question": "bold",
    "lesson": "bold",
    "won": "bg:#008700 #ffffff bold",
    "lost": "bg:#af0000 #ffffff bold",
    "tied": "bg:#5f5f5f #ffffff bold",
    "chat": "italic",
}

# Of the palette by Okabe and Ito, which is told apart with every kind of colour vision: no red
# beside a green, and kinds that differ in lightness too.
_COLOUR_BLIND: Final[Theme] = {
    "card.green": "bg:#009e73 #000000",
    "card.blue": "bg:#0072b2 #ffffff",
    "card.red": "bg:#d55e00 #000000",
    "card.purple": "bg:#cc79a7 #000000",
    "card.gold": "bg:#f0e442 #000000",
    "total.twenty": "bold ansiblue",
    "total.over": "bold reverse",
    "good": "bold ansiblue",
    "bad": "bold reverse",
    "warning": "bold reverse",
    "won": "bg:#0072b2 #ffffff bold",
    "lost": "bg:#d55e00 #000000 bold",
}

THEMES: Final[dict[str, Theme]] = {
    "standard": STANDARD,
    "colour-blind": STANDARD | _COLOUR_BLIND,
    "plain": {
        name: look if name in ("key", "chosen", "chat") else ("bold" if look else "")
        for name, look in STANDARD.items()
    },
}
"""The themes that ship."""


_RGB: Final = re.compile("((fg|bg):)?#([0-9a-fA-F]{3}){1,2}")


def style_of(theme: Theme) -> Style:
    """*theme* for prompt_toolkit. Raises ``ValueError`` if it says what prompt_toolkit cannot."""
    for look in theme.values():
        for word in look.split():
            # prompt_toolkit itself takes #zzzzzz, and draws nothing at all then.
            if "#" in word and not _RGB.fullmatch(word):
                raise ValueError(f"{word} is no colour.")
    return Style.from_dict(theme)


STYLE: Final = style_of(STANDARD)

_CARDS: Final = {
    Kind.PLUS: "class:card.blue",
    Kind.MINUS: "class:card.red",
    Kind.PLUSMINUS: "class:card.purple",
}


def card_style(card: Card | None) -> str:
    """The style of a card; None is a green one."""
    return "class:card.green" if card is None else _CARDS.get(card.kind, "class:card.gold")
