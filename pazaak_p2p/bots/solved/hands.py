"""Every hand there can be, numbered: what the tables of the solver are indexed by."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from typing import Final, TypeAlias

from pazaak_p2p.rules import CARDS, HAND_SIZE, Card

Kinds: TypeAlias = tuple[int, ...]
"""A hand without its order: the numbers of its cards (0..22, ascending), at most four."""

KINDS: Final = len(CARDS)


def kinds(cards: Iterable[Card]) -> Kinds:
    """The hand that *cards* are, whatever their order."""
    return tuple(sorted(card.number - 1 for card in cards))


@cache
def all_hands() -> tuple[Kinds, ...]:
    """The 17,550 hands of no card to four, by size, then in ascending order."""
    return tuple(
        hand
        for size in range(HAND_SIZE + 1)
        for hand in combinations_with_replacement(range(KINDS), size)
    )


@cache
def hand_numbers() -> dict[Kinds, int]:
    """The place of every hand in :func:`all_hands`."""
    return {hand: number for number, hand in enumerate(all_hands())}
