"""Every cheat of the second table of section 11 that is made by saying something."""

from tests.wire.tricks import cards, chain, ends, floor, lots
from tests.wire.tricks.case import Case

CASES: list[Case] = [*chain.CASES, *floor.CASES, *lots.CASES, *cards.CASES, *ends.CASES]

__all__ = ["CASES", "Case"]
