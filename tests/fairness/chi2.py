"""Pearson's chi-squared test with the one critical value that these tests use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

# The seeds are fixed, so a test either always passes or always fails. A value above this one comes
# up once in a thousand times if all is well.
_Z = 3.0902  # the normal distribution's upper tail is 0.001 beyond this


def critical(freedom: int) -> float:
    """What chi-squared with *freedom* degrees of freedom exceeds with probability 0.001.

    Wilson and Hilferty's approximation, within 0.5 % for 9 degrees and better for more:
    27.88 for 9 (exact: 27.88), 149.45 for 100 (exact: 149.45).
    """
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + _Z * part**0.5) ** 3)


def chi_squared(observed: Sequence[float], expected: Sequence[float]) -> float:
    assert abs(sum(observed) - sum(expected)) < 1e-6 * sum(expected)
    assert min(expected) >= 5  # below that the approximation does not hold
    return sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))


def check(observed: Sequence[float], expected: Sequence[float]) -> None:
    """These counts are as they should be."""
    assert chi_squared(observed, expected) < critical(len(observed) - 1)


def check_flat(counts: Mapping[T, int], cells: int) -> None:
    """There are *cells* outcomes, and all come up equally often."""
    total = sum(counts.values())
    missing = cells - len(counts)
    check([*counts.values(), *[0] * missing], [total / cells] * cells)


def check_rate(hits: int, expected: float, variance: float) -> None:
    """A number of hits that is as it should be, within the same odds to both sides."""
    assert abs(hits - expected) < 3.2905 * variance**0.5
