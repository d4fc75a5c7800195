"""A bot that takes no risks, and is sparing with its cards."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.bots.classic import by_totals
from pazaak_p2p.rules import TARGET, Action, View

STANDS_AT: Final = 16
"""The first total that more than half of a full deck would bust."""


class CarefulBot:
    """Does not draw where it is likelier to bust than not, and keeps a card until it decides a set.

    1. Against a player who stands it stands as soon as it matches or beats their total, and plays
       the card that makes the highest total to do so. It goes on drawing until it has.
    2. Over 20 it plays the card that brings it back to the highest total.
    3. Otherwise it stands at 16 or more, and below that plays a card only to make exactly 20.
    4. At a tie it lays a tiebreaker if it has one.

    That it saves its cards is what makes it stronger than ``classic``. It never asks what a card
    may be worth in a later set, nor how many sets there still are.
    """

    def choose(self, view: View) -> Action:
        return by_totals(view, STANDS_AT, TARGET)
