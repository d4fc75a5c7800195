"""The tables that the solver made (``python -m pazaak_p2p.arena.solver``), as they ship.

``tables.zip`` has two members for every score, ``own-theirs`` being the sets that the side in
question and its opponent still have to win:

- ``values-own-theirs``: chances to win the match from the start of a set in 65535ths, as
  ``[who opens (1: the own side), opponent's cards, hand]``; first all low bytes, then all high
  ones. Hands as in hands.py.
- ``habits-own-theirs``: what the side does after a draw, as rows ``[opponent's cards, own cards,
  opponent stands, opponent's total, own total 1..30]``: first how many outcomes each row has, then
  the outcomes of all rows, then their chances in 255ths, a byte each.
"""

from __future__ import annotations

import sys
from array import array
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import accumulate
from typing import Final, TypeAlias
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.solved.hands import all_hands

MOST_SETS: Final = 3
"""Scores from 1 to this have tables; others are scaled down to them."""
COUNTS: Final = 5
TOTALS: Final = 21
DRAWN: Final = 30
USED: Final = 43
STOOD: Final = 21
BUST: Final = 42
OUTCOMES: Final = 2 * USED

Score: TypeAlias = tuple[int, int]
Row: TypeAlias = npt.NDArray[np.float64]
"""How likely each outcome is, 86 of them. Below USED without a card: ``total`` if the turn ends
there, ``STOOD + total`` if it stands there, BUST; from USED on the same with a card."""


class Tables:
    """What one file of tables says."""

    def __init__(self, data: bytes) -> None:
        self._archive = ZipFile(BytesIO(data))
        self._values: dict[Score, array[int]] = {}
        self._habits: dict[Score, Habits] = {}

    def value(self, score: Score, opens: bool, cards: int, hand: int) -> float:
        """The chance to win the match for the side that has *hand* (a number), against so many
        *cards*.

        *score*: sets that the side and its opponent still have to win, 0 to MOST_SETS, not both 0.
        """
        if not score[0]:
            return 1.0
        if not score[1]:
            return 0.0
        values = self._values.get(score)
        if values is None:
            data = self._archive.read(f"values-{score[0]}-{score[1]}")
            half = len(data) // 2
            pairs = bytearray(len(data))
            pairs[0::2], pairs[1::2] = data[:half], data[half:]
            values = self._values[score] = array("H", bytes(pairs))
            if sys.byteorder == "big":
                values.byteswap()
        return values[(opens * COUNTS + cards) * len(all_hands()) + hand] / 65535

    def habits(self, score: Score) -> Habits:
        """The habits of a side that has to win *score[0]* sets, its opponent *score[1]*."""
        habits = self._habits.get(score)
        if habits is None:
            data = self._archive.read(f"habits-{score[0]}-{score[1]}")
            habits = self._habits[score] = Habits(data)
        return habits


class Habits:
    """What a side does after its draw, at one score."""

    def __init__(self, data: bytes) -> None:
        rows = COUNTS * COUNTS * 2 * TOTALS * DRAWN
        self.ends = array("I", accumulate(data[:rows]))
        """Where the outcomes of each row end."""
        found = self.ends[-1]
        self.outcomes = data[rows : rows + found]
        self.chances = data[rows + found :]
        self._rows: dict[int, Row] = {}

    def row(self, theirs: int, own: int, stands: int, total: int, drawn: int) -> Row:
        """The opponent has *theirs* cards and *total*, and *stands* or not; the side has *own*
        cards, and *drawn* (1 to 30) after its draw.
        """
        at = (((theirs * COUNTS + own) * 2 + stands) * TOTALS + total) * DRAWN + drawn - 1
        row = self._rows.get(at)
        if row is None:
            start, end = self.ends[at - 1] if at else 0, self.ends[at]
            row = self._rows[at] = np.zeros(OUTCOMES)
            chances = np.frombuffer(self.chances[start:end], np.uint8)
            row[np.frombuffer(self.outcomes[start:end], np.uint8)] = chances / chances.sum()
        return row


@cache
def shipped() -> Tables:
    """The tables of this package."""
    return Tables(shipped_bytes())


def shipped_bytes() -> bytes:
    """The file that they come from."""
    return files(__package__).joinpath("tables.zip").read_bytes()
