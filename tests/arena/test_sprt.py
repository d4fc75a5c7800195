"""The sequential test: known values, and how often it is wrong."""

from __future__ import annotations

import math
from random import Random

import pytest

from pazaak_p2p.arena.errors import SprtError
from pazaak_p2p.arena.rating import PAIR_SCORES, expected_score, moments
from pazaak_p2p.arena.sprt import Sprt, Verdict, parse_sprt


def test_the_bounds_are_those_of_wald() -> None:
    test = Sprt(0, 10)
    assert test.upper == pytest.approx(math.log(19))
    assert test.lower == pytest.approx(-math.log(19))
    skewed = Sprt(0, 10, alpha=0.01, beta=0.1)
    assert skewed.upper == pytest.approx(math.log(90))
    assert skewed.lower == pytest.approx(math.log(0.1 / 0.99))


def test_the_ratio_is_near_that_of_normal_scores_when_there_are_many() -> None:
    # To second order the GSPRT is n (m1 - m0) (2 m - m0 - m1) / (2 variance).
    test, pairs = Sprt(0, 5), (900, 2000, 4100, 2100, 1000)
    mean, variance = moments(pairs)
    m0, m1 = 0.5, expected_score(5)
    normal = sum(pairs) * (m1 - m0) * (2 * mean - m0 - m1) / (2 * variance)
    assert test.llr(pairs) == pytest.approx(normal, rel=0.01)


def constrained(pairs: tuple[int, ...], mean: float) -> float:
    """The greatest log-likelihood of *pairs* at that mean, by a search that knows no formula."""
    # Start within the constraint: two points that have the mean, mixed with a little of all.
    p = [0.02] * 5
    rest = 1 - sum(p[1:4])
    high = mean - sum(p[i] * PAIR_SCORES[i] for i in (1, 2, 3))
    p[4], p[0] = high, rest - high

    def value(q: list[float]) -> float:
        if min(q) <= 0:
            return -math.inf
        return sum(n * math.log(x) for n, x in zip(pairs, q, strict=True))

    # Directions that keep both the sum and the mean.
    ways = [
        (1, -2, 1, 0, 0),
        (0, 1, -2, 1, 0),
        (0, 0, 1, -2, 1),
        (1, -1, -1, 1, 0),
        (0, 1, -1, -1, 1),
        (1, 0, -2, 0, 1),
        (1, -1, 0, -1, 1),
    ]
    best, step = value(p), 0.05
    while step > 1e-9:
        moved = False
        for way in ways:
            for sign in (step, -step):
                q = [x + sign * w for x, w in zip(p, way, strict=True)]
                if value(q) > best:
                    p, best, moved = q, value(q), True
        if not moved:
            step /= 2
    return best


@pytest.mark.parametrize("pairs", [(12, 9, 30, 14, 20), (40, 5, 20, 5, 10), (1, 1, 3, 2, 8)])
def test_the_ratio_is_that_of_the_likeliest_distributions(pairs: tuple[int, ...]) -> None:
    test = Sprt(-20, 60)
    expected = constrained(pairs, expected_score(60)) - constrained(pairs, expected_score(-20))
    assert test.llr(pairs) == pytest.approx(expected, abs=1e-5)


def test_the_ratio_is_antisymmetric() -> None:
    pairs = (3, 4, 11, 9, 6)
    assert Sprt(0, 30).llr(pairs) == pytest.approx(-Sprt(-30, 0).llr(pairs[::-1]))


def test_results_of_one_kind_decide_nothing_at_once() -> None:
    test = Sprt(0, 10)
    assert test.llr((0, 0, 0, 0, 0)) == 0
    for pairs in ((0, 0, 0, 0, 3), (3, 0, 0, 0, 0), (0, 0, 3, 0, 0)):
        assert test.judge(pairs) is Verdict.OPEN
    assert test.judge((0, 0, 0, 0, 300)) is Verdict.H1
    assert test.judge((300, 0, 0, 0, 0)) is Verdict.H0


# Frequencies of the five results at exactly the mean that the Elo asks for.
def frequencies(elo: float) -> list[float]:
    tilt = expected_score(elo) - 0.5
    base = [0.18, 0.08, 0.48, 0.08, 0.18]
    return [f + tilt * w for f, w in zip(base, (-0.8, -0.4, 0.0, 0.4, 0.8), strict=True)]


def test_the_frequencies_of_these_tests_have_the_mean() -> None:
    for elo in (0, 60):
        mean = sum(f * s for f, s in zip(frequencies(elo), PAIR_SCORES, strict=True))
        assert mean == pytest.approx(expected_score(elo))


@pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.H1), (60, Verdict.H0)])
def test_it_is_wrong_no_more_often_than_allowed(elo: float, wrong: Verdict) -> None:
    test, rng, tried = Sprt(0, 60), Random(7), 400
    weights, mistakes, pairs_played = frequencies(elo), 0, 0
    for _ in range(tried):
        pairs, verdict = [0] * 5, Verdict.OPEN
        while verdict is Verdict.OPEN:
            pairs[rng.choices(range(5), weights)[0]] += 1
            verdict = test.judge(pairs)
        mistakes += verdict is wrong
        pairs_played += sum(pairs)
    # 5 % of 400 is 20; three standard deviations above are 33. That there are mistakes at all shows
    # that the test does not merely wait.
    assert 4 <= mistakes <= 33
    assert pairs_played / tried < 200


def test_parse() -> None:
    assert parse_sprt("elo0=0,elo1=10") == Sprt(0, 10)
    assert parse_sprt("elo1=5, elo0=-5,beta=0.1,alpha=0.01") == Sprt(-5, 5, 0.01, 0.1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "elo0=0",
        "elo0=1,elo1=1",
        "elo0=5,elo1=1",
        "elo0=x,elo1=2",
        "elo0=0,elo1=nan",
        "elo0=0,elo1=10,alpha=0",
        "elo0=0,elo1=10,beta=0.6",
        "elo0=0,elo0=1,elo1=2",
        "elo0=0,elo1=10,gamma=1",
        "elo0=0,elo1=9999",
    ],
)
def test_parse_refuses(text: str) -> None:
    with pytest.raises(SprtError):
        parse_sprt(text)
