"""Hands of one side deck as nodes of a graph: which totals they reach, what is left of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from pazaak_p2p.rules import HAND_SIZE, Card, Kind, SideDeck

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]

MOST: Final = 6
"""No card but ``D`` moves a total by more."""
_MASKS: Final = 1 << HAND_SIZE


NONE: Final = -128
"""No card will do."""
ROOMS: Final = 2 * MOST + 2
"""What is left up to 20, from -MOST - 1 (too far over for any card) to MOST or more."""


class Hands:
    """All deals of *deck*. A node is the deal (its positions as digits of a number) and a mask of
    the cards that have been played.
    """

    def __init__(self, deck: SideDeck) -> None:
        deals = np.arange(10**HAND_SIZE)
        nodes = 10**HAND_SIZE * _MASKS
        self.deck = deck
        # The first slot that has a card of a value by itself, values from -MOST up.
        slot_of = np.full((nodes, 2 * MOST + 1), -1, np.int8)
        self.double = np.full(nodes, -1, np.int8)
        """The first slot with a ``D``; -1 for none. So the flips: see FLIPS."""
        self.flips = np.full((2, nodes), -1, np.int8)
        self.any = np.zeros(nodes, np.bool_)
        self.gold = any(card.kind in (Kind.DOUBLE, Kind.FLIP) for card in deck)
        self.flip_sums = any(card.kind is Kind.FLIP for card in deck)
        self.reach = None if self.flip_sums else 10 if self.gold else MOST
        """By how much a card can raise a total at most; None if by any number."""
        self.tiebreakers = Card.TIEBREAKER in deck
        kinds = np.array([card.number for card in deck])
        for slot in reversed(range(HAND_SIZE)):  # the first slot is written last and stays
            position = deals // 10 ** (HAND_SIZE - 1 - slot) % 10
            for mask in range(_MASKS):
                if mask >> slot & 1:
                    continue
                for card in set(deck):
                    at = deals[kinds[position] == card.number] * _MASKS + mask
                    self.any[at] = True
                    if card.kind is Kind.DOUBLE:
                        self.double[at] = slot
                    elif card.kind is Kind.FLIP:
                        self.flips[int(card is Card.FLIP_3_6), at] = slot
                    for value in card.values if card.kind is not Kind.FLIP else ():
                        slot_of[at, value + MOST] = slot
        self.kind_at = kinds.astype(np.int8)
        best = np.full((nodes, ROOMS), NONE, np.int8)
        for value in range(-MOST, MOST + 1):
            has = np.flatnonzero(slot_of[:, value + MOST] >= 0)
            best[has, value + MOST + 1 :] = (4 * value + slot_of[has, value + MOST])[:, None]
        self.best = best.reshape(-1)
        """By node and room: four times the highest value that fits, plus its slot; or NONE."""

    def nodes(self, deals: Bytes) -> Ints:
        """The nodes of these deals, nothing played."""
        number = np.zeros(len(deals), np.int32)
        for slot in range(HAND_SIZE):
            number = number * 10 + deals[:, slot]
        return number * _MASKS

    def kinds(self, nodes: Ints | npt.NDArray[np.intp], slots: Bytes) -> Bytes:
        """The numbers of the cards in these slots."""
        position = nodes // _MASKS // 10 ** (HAND_SIZE - 1 - slots.astype(np.int32)) % 10
        out: Bytes = self.kind_at[position]
        return out


@lru_cache(maxsize=16)
def hands_of(deck: SideDeck) -> Hands:
    """The same, kept for decks that come again: 4 MB each."""
    return Hands(deck)
