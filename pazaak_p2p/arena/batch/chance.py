"""Where the cards of a batch come from: shuffled, or given (to play the same elsewhere)."""

from __future__ import annotations

from itertools import permutations
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from pazaak_p2p.rules import FULL_DECK, HAND_SIZE

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]

MOST_DRAWS: Final = 18
"""Green cards that a set can need: nine slots a side (R1)."""
_POOL: Final = 16_384
_DEALS: Final = np.array(list(permutations(range(10), HAND_SIZE)), np.int8)
_GREEN: Final = np.frombuffer(FULL_DECK, np.int8)


class Chance(Protocol):
    """What is drawn in the matches with these numbers, in the sets with these numbers (from 0)."""

    def deals(self, matches: Ints, seat: int) -> Bytes:
        """Four different positions 0..9 of a side deck each (R4)."""

    def openers(self, matches: Ints) -> Bytes:
        """The seats that open the first set (R5)."""

    def first_moves(self, matches: Ints, sets: Ints) -> Bytes:
        """The seats that open these sets by lot (R6, ``opener: random``)."""

    def draws(self, matches: Ints, sets: Ints) -> Bytes:
        """The first MOST_DRAWS cards of a shuffled main deck each (R1)."""


class Shuffled:
    """Random cards. The same *seed* gives the same matches."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.Generator(np.random.SFC64(seed))
        self._pool = np.empty((0, MOST_DRAWS), np.int8)
        self._next = 0

    def deals(self, matches: Ints, seat: int) -> Bytes:
        return _DEALS.take(self._rng.integers(0, len(_DEALS), len(matches), np.int16), axis=0)

    def openers(self, matches: Ints) -> Bytes:
        return self._rng.integers(0, 2, len(matches), np.int8)

    def first_moves(self, matches: Ints, sets: Ints) -> Bytes:
        return self.openers(matches)

    def draws(self, matches: Ints, sets: Ints) -> Bytes:
        if self._next + len(matches) > len(self._pool):
            self._pool = self._shuffle(max(_POOL, len(matches)))
            self._next = 0
        rows = self._pool[self._next : self._next + len(matches)]
        self._next += len(matches)
        return rows

    def _shuffle(self, count: int) -> Bytes:
        """*count* decks, each shuffled as far as it can be needed (Fisher and Yates)."""
        size = len(FULL_DECK)
        flat = np.tile(_GREEN, count)
        decks = flat.reshape(count, size)
        here = np.arange(count, dtype=np.uint64) * np.uint64(size)
        other = np.empty(count, np.int64)
        place = other.view(np.uint64)
        # 32 bits scaled to the cards that are left: uneven by one in a hundred million.
        drawn = self._rng.integers(0, 1 << 32, (MOST_DRAWS, count), np.uint32)
        for card in range(MOST_DRAWS):
            np.multiply(drawn[card], np.uint64(size - card), out=place)
            place >>= np.uint64(32)
            place += here
            taken = flat.take(other, mode="clip")
            flat[other] = decks[:, card]
            decks[:, card] = taken
            here += np.uint64(1)
        return decks[:, :MOST_DRAWS]


class Given:
    """The cards of arrays: deals ``[match, seat, 4]``, openers ``[match]``, and for every set
    first_moves ``[match, set]`` and draws ``[match, set, MOST_DRAWS]``.
    """

    def __init__(self, deals: Bytes, openers: Bytes, first_moves: Bytes, draws: Bytes) -> None:
        self._deals, self._openers = deals, openers
        self._first_moves, self._draws = first_moves, draws

    def deals(self, matches: Ints, seat: int) -> Bytes:
        out: Bytes = self._deals[matches, seat]
        return out

    def openers(self, matches: Ints) -> Bytes:
        return self._openers[matches]

    def first_moves(self, matches: Ints, sets: Ints) -> Bytes:
        out: Bytes = self._first_moves[matches, sets]
        return out

    def draws(self, matches: Ints, sets: Ints) -> Bytes:
        out: Bytes = self._draws[matches, sets]
        return out
