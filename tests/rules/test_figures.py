"""The figures of RULES.md, computed exactly: by counting cards, and by walking the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb, prod

from msgspec.structs import replace

from pazaak_p2p.rules import FULL_DECK, Draw, End, Rules, SetEnd, State, apply
from tests.rules.table import HOST, JOIN, go, start

RULES = Rules(auto_stand=False)  # A player who never stands; with it on, a 20 would.


def alone() -> State:
    """The joiner stands, the host draws next, and the deck is full as if nothing were drawn."""
    return replace(go(start(rules=RULES, opener=JOIN), 1, "stand"), deck=FULL_DECK)


def chance(state: State, hit: Callable[[State], bool], known: dict[bytes, Fraction]) -> Fraction:
    """How often the host, who draws and never stands, comes to a *hit*.

    What is left in the deck says which cards the host has, and their order does not matter, so
    every deck is walked once (*known*).
    """
    if state.deck in known:
        return known[state.deck]
    total = Fraction(0)
    for rank in sorted(set(state.deck)):
        share = Fraction(state.deck.count(rank), len(state.deck))
        after = apply(state, Draw(rank))
        if hit(after):
            total += share
        elif not after.results:
            after = apply(after, End())
            if not after.results:
                total += share * chance(after, hit, known)
    known[state.deck] = total
    return total


def hands(size: int, most: int, lowest: int = 1) -> Iterator[tuple[int, ...]]:
    """Every choice of *size* ranks from *lowest* up, four of each at most, with a sum of <= *most*.

    A choice is how many there are of each rank, from *lowest* to 10.
    """
    if lowest > 10:
        if size == 0:
            yield ()
        return
    for count in range(min(4, size, most // lowest) + 1):
        for rest in hands(size - count, most - count * lowest, lowest + 1):
            yield (count, *rest)


def frequency(size: int, sums: range) -> Fraction:
    """How often the first *size* cards of a full deck have one of these sums."""
    ways = sum(
        prod(comb(4, count) for count in counts)
        for counts in hands(size, sums[-1])
        if sum(rank * count for rank, count in enumerate(counts, start=1)) in sums
    )
    return Fraction(ways, comb(40, size))


def test_R16_nine_green_cards_at_20_or_less_are_rare() -> None:
    """1.7e-4 if cards came from an endless deck; the real one runs out of low cards: 1.4e-5."""
    endless = Fraction(comb(20, 9), 10**9)
    assert f"{float(endless):.1e}" == "1.7e-04"
    assert frequency(9, range(9, 21)) == Fraction(3_888, 273_438_880)
    assert f"{3_888 / 273_438_880:.1e}" == "1.4e-05"


def test_R16_the_engine_gives_nine_cards_exactly_as_often() -> None:
    def nine(state: State) -> bool:
        return bool(state.results) and state.results[-1].reason is SetEnd.NINE

    assert chance(alone(), nine, {}) == frequency(9, range(9, 21))


def test_R11_exactly_20_is_touched_in_18_percent_of_sets() -> None:
    """From an endless deck: each total is reached from the ten before it."""
    touched = [Fraction(1)]
    for total in range(1, 21):
        touched.append(sum(touched[max(0, total - 10) : total], Fraction(0)) / 10)
    assert f"{float(touched[20]):.2%}" == "18.29%"


def test_R11_the_engine_touches_20_exactly_as_often_as_the_cards_say() -> None:
    """From a real deck; a set touches 20 at most once, with some number of cards up to nine."""

    def twenty(state: State) -> bool:
        totals = state.results[-1].totals if state.results else state.totals
        return totals[HOST] == 20

    counted = sum((frequency(size, range(20, 21)) for size in range(1, 10)), Fraction(0))
    assert chance(alone(), twenty, {}) == counted
    assert f"{float(counted):.2%}" == "18.00%"
