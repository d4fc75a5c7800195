"""Colours. They repeat what sign and shape say already, so all of it reads without them too."""

from __future__ import annotations

from typing import Final

from prompt_toolkit.styles import Style

from pazaak_p2p.rules import Card, Kind

# Cards bring their own background, so they look the same on dark and on light terminals; it is from
# the 256-colour cube, where other colours would be rounded to grey. Text uses the terminal's own
# foreground, or one of the ANSI colours that both kinds of terminal can show.
STYLE: Final = Style.from_dict(
    {
        "card.green": "bg:#008700 #ffffff",
        "card.blue": "bg:#005faf #ffffff",
        "card.red": "bg:#af0000 #ffffff",
        "card.purple": "bg:#8700af #ffffff",
        "card.gold": "bg:#d7af00 #000000",
        "card.back": "bg:#5f5f5f #ffffff",
        "key": "bold reverse",
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
        "won": "bg:#008700 #ffffff bold",
        "lost": "bg:#af0000 #ffffff bold",
        "tied": "bg:#5f5f5f #ffffff bold",
        "chat": "italic",
    }
)

_CARDS: Final = {
    Kind.PLUS: "class:card.blue",
    Kind.MINUS: "class:card.red",
    Kind.PLUSMINUS: "class:card.purple",
}


def card_style(card: Card | None) -> str:
    """The style of a card; None is a green one."""
    return "class:card.green" if card is None else _CARDS.get(card.kind, "class:card.gold")
