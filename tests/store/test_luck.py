"""Luck: exact expectations, chi-squared, and what they say of fair and of rigged decks."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest

from pazaak_p2p.rules import FULL_DECK
from pazaak_p2p.store.luck import Count, Luck, chances, chi_squared, tail

Draw = Callable[[random.Random, bytes], int]
"""Takes one card of a deck; its index."""


def fair(chance: random.Random, deck: bytes) -> int:
    return chance.randrange(len(deck))


def loves_tens(chance: random.Random, deck: bytes) -> int:
    """One draw in four is made again if it is no ten."""
    at = chance.randrange(len(deck))
    return chance.randrange(len(deck)) if deck[at] != 10 and chance.random() < 0.25 else at


def never_a_seven(chance: random.Random, deck: bytes) -> int:
    at = chance.randrange(len(deck))
    while deck[at] == 7:
        at = chance.randrange(len(deck))
    return at


@cache
def draws(seed: int, sets: int, draw: Draw, stop: int = 17) -> Luck:
    """The draws of so many sets by a player who draws up to *stop*, which ends the set."""
    chance = random.Random(seed)
    came, expected = [0] * 10, [0.0] * 10
    twenty, over = [0, 0.0, 0.0], [0, 0.0, 0.0]
    for _ in range(sets):
        deck, total = FULL_DECK, 0
        while total < stop:
            for rank in deck:
                expected[rank - 1] += 1 / len(deck)
            could = chances(deck, total)
            at = draw(chance, deck)
            rank = deck[at]
            came[rank - 1] += 1
            for counted, p, happened in (
                (twenty, could.twenty, total + rank == 20),
                (over, could.over, total + rank > 20),
            ):
                counted[0] += happened
                counted[1] += p
                counted[2] += p * (1 - p)
            deck, total = deck[:at] + deck[at + 1 :], total + rank
    return Luck(
        tuple(came),
        tuple(expected),
        Count(int(twenty[0]), twenty[1], twenty[2]),
        Count(int(over[0]), over[1], over[2]),
    )


# --- the formulae


@pytest.mark.parametrize(
    ("x", "freedom", "chance"),
    [
        (16.919, 9, 0.05),
        (21.666, 9, 0.01),
        (27.877, 9, 0.001),
        (4.168, 9, 0.9),
        (3.841, 1, 0.05),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (18.307, 10, 0.05),
        (124.342, 100, 0.05),
    ],
)
def test_the_tail_is_that_of_the_tables(x: float, freedom: int, chance: float) -> None:
    assert tail(x, freedom) == pytest.approx(chance, rel=1e-3)


def test_the_tail_at_the_ends() -> None:
    assert tail(0, 9) == tail(-1, 9) == 1
    assert 0 <= tail(5000, 9) < 1e-300
    values = [tail(x / 10, 9) for x in range(1, 500)]
    assert values == sorted(values, reverse=True)
    assert all(0 < value < 1 for value in values)


def test_chi_squared_by_hand() -> None:
    assert chi_squared([10, 20], [15, 15]) == pytest.approx(2 * 25 / 15)
    assert chi_squared([0, 5], [0, 5]) == 0


def test_chances_are_those_of_the_cards_that_are_left() -> None:
    deck = bytes([1, 1, 5, 9, 10])
    assert (chances(deck, 11).twenty, chances(deck, 11).over) == (1 / 5, 1 / 5)
    assert (chances(deck, 19).twenty, chances(deck, 19).over) == (2 / 5, 3 / 5)
    assert (chances(deck, 5).twenty, chances(deck, 5).over) == (0, 0)
    assert (chances(deck, 25).twenty, chances(deck, 25).over) == (0, 1)
    assert (chances(FULL_DECK, -3).twenty, chances(FULL_DECK, 10).twenty) == (0, 4 / 40)


def test_a_count_that_cannot_vary_does_not_deviate() -> None:
    assert Count(0, 0.0, 0.0).deviation == 0
    assert Count(30, 20.0, 25.0).deviation == 2


def test_few_draws_are_too_few() -> None:
    assert not draws(1, 5, fair).enough
    assert draws(1, 50, fair).enough
    empty = Luck((0,) * 10, (0.0,) * 10, Count(0, 0, 0), Count(0, 0, 0))
    assert (empty.enough, empty.draws, empty.chi_squared, empty.chance) == (False, 0, 0, 1)


# --- fair and rigged decks. The seeds are fixed, so these always come out the same.


@pytest.mark.parametrize("stop", [10, 14, 17, 20])
def test_fair_decks_stray_as_often_as_they_should_whenever_the_player_stops(stop: int) -> None:
    found = [draws(seed, 60, fair, stop).chance for seed in range(400)]
    for level in (0.05, 0.25, 0.5, 0.75):
        expected = 400 * level
        below = sum(chance < level for chance in found)
        assert abs(below - expected) < 3.3 * (expected * (1 - level)) ** 0.5


def test_what_is_expected_is_exact_where_a_flat_tenth_is_not() -> None:
    """A player who goes on after low cards only meets a deck that has fewer of them."""
    luck = draws(7, 2_000, fair, 17)
    flat = luck.draws / 10
    assert luck.expected[0] < 0.985 * flat
    assert luck.expected[9] > 1.01 * flat
    assert sum(luck.expected) == pytest.approx(luck.draws)
    assert luck.chance > 0.01


def test_counts_of_fair_decks_deviate_as_the_normal_distribution_does() -> None:
    for name in ("twenty", "over"):
        far = sum(abs(getattr(draws(seed, 60, fair), name).deviation) > 1.96 for seed in range(400))
        assert 8 <= far <= 34  # 20 expected, 4.4 standard deviation


@pytest.mark.parametrize(("rigged", "sets"), [(loves_tens, 3000), (never_a_seven, 150)])
def test_rigged_decks_are_found(rigged: Draw, sets: int) -> None:
    found = [draws(seed, sets, rigged).chance for seed in range(5)]
    assert max(found) < 0.001


def test_a_deck_that_is_rigged_for_one_total_shows_in_the_counts() -> None:
    """It gives no card more often than another, but spares a player at 11 to 19."""
    chance = random.Random(3)
    came, expected, variance = 0, 0.0, 0.0
    for _ in range(400):
        total = chance.randrange(11, 20)
        could = chances(FULL_DECK, total)
        at = chance.randrange(40)
        if total + FULL_DECK[at] > 20 and chance.random() < 0.3:
            at = chance.randrange(40)
        came += total + FULL_DECK[at] > 20
        expected += could.over
        variance += could.over * (1 - could.over)
    assert Count(came, expected, variance).deviation < -3
