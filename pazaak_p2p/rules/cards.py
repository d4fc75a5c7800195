"""The 23 side cards and their notation (R2)."""

from __future__ import annotations

from enum import Enum
from typing import Final

from pazaak_p2p.rules.errors import CardError
from pazaak_p2p.text import printable


class Kind(Enum):
    """What a side card does when it is placed."""

    PLUS = "plus"
    MINUS = "minus"
    PLUSMINUS = "plusminus"
    TIEBREAKER = "tiebreaker"
    ONE_TWO = "one-two"
    FLIP = "flip"
    DOUBLE = "double"


def _kind_and_values(ascii: str) -> tuple[Kind, tuple[int, ...]]:
    if ascii == "D":
        return Kind.DOUBLE, ()
    if "&" in ascii:
        return Kind.FLIP, (0,)
    if ascii == "1+-2":
        return Kind.ONE_TWO, (1, 2, -1, -2)
    if ascii == "+-1T":
        return Kind.TIEBREAKER, (1, -1)
    size = int(ascii[-1])
    if ascii.startswith("+-"):
        return Kind.PLUSMINUS, (size, -size)
    return (Kind.PLUS, (size,)) if ascii[0] == "+" else (Kind.MINUS, (-size,))


def _flipped_values(ascii: str) -> tuple[int, ...]:
    if "&" not in ascii:
        return ()
    a, b = int(ascii[0]), int(ascii[2])
    return (a, b, -a, -b)


class Card(Enum):
    """A kind of side card (R2). Its value is its ASCII notation, as on the wire."""

    number: int
    """1..23, its number in hashes and in the public state (specification, section 8)."""
    ascii: str
    """Notation in files, hashes and on the wire."""
    text: str
    """Notation on screen, with the plus-minus sign."""
    kind: Kind
    values: tuple[int, ...]
    """The values it can be placed with, in the order offered. Empty for ``D`` (see R14)."""
    flips: tuple[int, ...]
    """The values of table cards whose sign it changes (R15). Empty for all but flips."""
    gold: bool

    PLUS_1 = "+1"
    PLUS_2 = "+2"
    PLUS_3 = "+3"
    PLUS_4 = "+4"
    PLUS_5 = "+5"
    PLUS_6 = "+6"
    MINUS_1 = "-1"
    MINUS_2 = "-2"
    MINUS_3 = "-3"
    MINUS_4 = "-4"
    MINUS_5 = "-5"
    MINUS_6 = "-6"
    PLUSMINUS_1 = "+-1"
    PLUSMINUS_2 = "+-2"
    PLUSMINUS_3 = "+-3"
    PLUSMINUS_4 = "+-4"
    PLUSMINUS_5 = "+-5"
    PLUSMINUS_6 = "+-6"
    TIEBREAKER = "+-1T"
    ONE_TWO = "1+-2"
    FLIP_2_4 = "2&4"
    FLIP_3_6 = "3&6"
    DOUBLE = "D"

    def __init__(self, ascii: str) -> None:
        # Plain attributes, since the engine reads them in its innermost steps.
        self.number = len(type(self).__members__) + 1
        self.ascii = ascii
        self.text = ascii.replace("+-", "±")
        self.kind, self.values = _kind_and_values(ascii)
        self.flips = _flipped_values(ascii)
        self.gold = self.kind not in (Kind.PLUS, Kind.MINUS, Kind.PLUSMINUS)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str) -> Card:
        """The card written as *text*, in Unicode (``±3``) or ASCII (``+-3``, ``+/-3``) notation.

        Raises :class:`CardError`, with its reason, for anything else.
        """
        card = _BY_NOTATION.get(text)
        if card is None:
            raise CardError(f"There is no side card {printable(text, 20)!r}.", why=_reason(text))
        return card


def _reason(text: str) -> str:
    size = text.removeprefix("±").removeprefix("+/-").removeprefix("+-").lstrip("+-−")
    if text == "":
        return "R2: a card needs a notation, and this one is empty."
    if size.isascii() and size.isdigit():
        if "−" in text:
            return "R2: minus cards are written with the plain hyphen, as in -3."
        if text[0].isdigit():
            return f"R2: a sign is missing; write +{size}, -{size} or ±{size}."
        if not int(size[:4]):
            return "R2: no side card is worth 0."
        if int(size[:4]) > 6:
            return "R2: signed side cards go from 1 to 6."
    return CardError.why


_BY_NOTATION: Final = {
    notation: card
    for card in Card
    for notation in (card.ascii, card.text, card.ascii.replace("+-", "+/-"))
}

# The engine's own names for members it compares with: a class lookup costs ten times as much.
TIEBREAKER: Final = Card.TIEBREAKER
DOUBLE: Final = Card.DOUBLE

CARDS: Final = tuple(Card)
"""All 23 kinds by number: ``CARDS[number - 1]``."""
