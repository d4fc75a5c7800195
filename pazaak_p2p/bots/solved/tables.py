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
from itertools import product
from typing import Final, TypeAlias
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.errors import TablesDamaged
from pazaak_p2p.bots.solved.hands import all_hands
from pazaak_p2p.text import printable

_FILE: Final = "tables.zip"
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
Rows: TypeAlias = npt.NDArray[np.float32]
"""``[own total after the draw, 0 to 30, outcome]``: how likely each outcome is. Outcomes below USED
are without a card: ``total`` if the turn ends there, ``STOOD + total`` if it stands there, BUST;
from USED on the same with a card."""
_MOST_ROWS: Final = 1_000
"""Kept by each score, 11 kB each."""


class Tables:
    """What one file of tables says."""

    def __init__(self, data: bytes) -> None:
        self._archive = ZipFile(BytesIO(data))
        self._values: dict[Score, array[int]] = {}
        self._habits: dict[Score, Habits] = {}

    def check(self) -> None:
        """Raise an error of some kind if a table is missing, or not as it was written."""
        for score in product(range(1, MOST_SETS + 1), repeat=2):
            for kind in ("values", "habits"):
                self._archive.read(f"{kind}-{score[0]}-{score[1]}")  # which checks its sum

    def value(self, score: Score, opens: bool, cards: int, hand: int) -> float:
        """The chance to win the match for the side that has *hand* (a number), against so many
        *cards*.

        *score*: sets that the side and its opponent still have to win, 0 to MOST_SETS, not both 0.
        """
        if not score[0]:
            return 1.0
        if not score[1]:
            return 0.0
        values = self._read(score)
        return values[(opens * COUNTS + cards) * len(all_hands()) + hand] / 65535

    def values(self, score: Score) -> npt.NDArray[np.uint16]:
        """All chances of :meth:`value` in 65535ths, ``[opens, cards, hand]``; *score* has no 0."""
        values = np.frombuffer(self._read(score), np.uint16)
        return values.reshape(2, COUNTS, len(all_hands()))

    def _read(self, score: Score) -> array[int]:
        values = self._values.get(score)
        if values is None:
            data = self._archive.read(f"values-{score[0]}-{score[1]}")
            half = len(data) // 2
            pairs = bytearray(len(data))
            pairs[0::2], pairs[1::2] = data[:half], data[half:]
            values = self._values[score] = array("H", bytes(pairs))
            if sys.byteorder == "big":
                values.byteswap()
        return values

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
        self.found = np.frombuffer(data, np.uint8, rows)
        """How many outcomes each row has."""
        self._ends = np.cumsum(self.found, dtype=np.int64)
        count = int(self._ends[-1])
        self.outcomes = np.frombuffer(data, np.uint8, count, rows)
        self.chances = np.frombuffer(data, np.uint8, count, rows + count)
        """In (about) 255ths."""
        self._rows: dict[tuple[int, int, int, int], Rows] = {}

    def rows(self, theirs: int, own: int, stands: int, total: int) -> Rows:
        """The opponent has *theirs* cards and *total*, and *stands* or not; the side has *own*
        cards.
        """
        key = (theirs, own, stands, total)
        rows = self._rows.get(key)
        if rows is None:
            first = (((theirs * COUNTS + own) * 2 + stands) * TOTALS + total) * DRAWN
            ends = self._ends[first : first + DRAWN]
            start = int(ends[0]) - int(self.found[first])
            at = np.repeat(np.arange(1, DRAWN + 1), self.found[first : first + DRAWN])
            rows = np.zeros((DRAWN + 1, OUTCOMES), np.float32)
            rows[at, self.outcomes[start : ends[-1]]] = self.chances[start : ends[-1]]
            rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1)
            if len(self._rows) == _MOST_ROWS:
                self._rows.clear()
            self._rows[key] = rows
        return rows


@cache
def shipped() -> Tables:
    """The tables of this package, all of which are whole. Raises :class:`TablesDamaged`."""
    try:
        tables = Tables(shipped_bytes())
        tables.check()
    except Exception as error:  # what a damaged archive raises is of many kinds
        why = f"{_FILE}: {type(error).__name__}: {printable(str(error), 200)}."
        raise TablesDamaged(why=why) from error
    return tables


def shipped_bytes() -> bytes:
    """The file that they come from."""
    return files(__package__).joinpath(_FILE).read_bytes()
