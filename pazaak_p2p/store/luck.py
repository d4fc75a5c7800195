"""How far draws were from what was to be expected of them.

Every green card is drawn from what is left in the deck (R1, R7), which both players know. So each
draw has its own exact chances, ``left of that rank / left in all``, and what was to be expected is
their sum. Whatever the players do, the difference between what came and that sum has the mean zero:
it is a martingale, so neither standing early nor ending a match can bend it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, pi, sqrt
from typing import Final

from msgspec import Struct

from pazaak_p2p.rules import TARGET

RANKS: Final = 10
FEWEST: Final = 5
"""The fewest expected draws of each rank for which chi-squared says anything."""


class Chances(Struct, frozen=True, gc=False):
    """What one draw could bring."""

    twenty: float
    """To exactly 20."""
    over: float
    """Over 20."""


def chances(deck: bytes, total: int) -> Chances:
    """What a draw from *deck* (ranks) could make of *total*."""
    exact = sum(total + rank == TARGET for rank in deck)
    over = sum(total + rank > TARGET for rank in deck)
    return Chances(exact / len(deck), over / len(deck))


class Count(Struct, frozen=True, gc=False):
    """How often something came, and how often it was to be expected."""

    came: int
    expected: float
    variance: float
    """Of the difference between the two."""

    @property
    def deviation(self) -> float:
        """The difference in standard deviations; 0 where nothing could vary."""
        return (self.came - self.expected) / sqrt(self.variance) if self.variance > 0 else 0.0


class Luck(Struct, frozen=True):
    """The draws of one side, or of both."""

    came: tuple[int, ...]
    """How often each rank came, 1 to 10."""
    expected: tuple[float, ...]
    twenty: Count
    """Draws to exactly 20."""
    over: Count
    """Draws over 20."""

    @property
    def draws(self) -> int:
        return sum(self.came)

    @property
    def enough(self) -> bool:
        """Whether there are enough draws for chi-squared."""
        return min(self.expected, default=0.0) >= FEWEST

    @property
    def chi_squared(self) -> float:
        """The differences, squared and weighed; about 9 for a fair deck."""
        return chi_squared(self.came, self.expected)

    @property
    def chance(self) -> float:
        """With what chance a fair deck strays at least as far."""
        return tail(self.chi_squared, RANKS - 1)


def chi_squared(came: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's statistic. Ranks that cannot be expected at all do not count."""
    return sum((c - e) ** 2 / e for c, e in zip(came, expected, strict=True) if e > 0)


def spread(expected: float) -> float:
    """About the standard deviation of how often one rank comes, where so much is expected."""
    return sqrt(expected * (1 - 1 / RANKS))


def tail(x: float, freedom: int) -> float:
    """The chance that chi-squared with *freedom* degrees of freedom is *x* or more.

    In closed form (Abramowitz and Stegun, 26.4.4 and 26.4.5).
    """
    if x <= 0:
        return 1.0
    if freedom % 2:
        total, term, first = erfc(sqrt(x / 2)), sqrt(2 * x / pi) * exp(-x / 2), 3
    else:
        total, term, first = 0.0, exp(-x / 2), 2
    for k in range(first, freedom + 1, 2):
        total += term
        term *= x / k
    return min(total, 1.0)
