"""Elo, its errors and likelihoods, against closed forms, another algorithm and simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random

import pytest

from pazaak_p2p.arena.rating import (
    PAIR_SCORES,
    Duel,
    elo_of,
    expected_score,
    moments,
    rate,
    rate_duel,
)


def test_expected_score_and_elo_are_inverse_and_have_the_known_values() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(0.75) == pytest.approx(190.848501887865)
    assert elo_of(0.0) is None
    assert elo_of(1.0) is None


def test_two_players_have_the_rating_that_the_formula_gives() -> None:
    pairs = (10, 20, 40, 30, 20)
    score = (20 * 0.25 + 40 * 0.5 + 30 * 0.75 + 20) / 120
    difference = 400 * math.log10(score / (1 - score))
    one, two = rate(2, {(0, 1): pairs}).players
    assert one.elo == pytest.approx(difference / 2)
    assert two.elo == pytest.approx(-difference / 2)
    duel = rate_duel(pairs)
    assert duel is not None
    assert duel.score == pytest.approx(score)
    assert duel.elo == pytest.approx(difference)
    # The delta method by hand: squares summed result by result.
    squares = 10 * score**2 + 20 * (score - 0.25) ** 2 + 40 * (score - 0.5) ** 2
    squares += 30 * (score - 0.75) ** 2 + 20 * (1 - score) ** 2
    deviation = math.sqrt(squares / 120 / 119)
    error = 1.959963984540054 * deviation * 400 / math.log(10) / score / (1 - score)
    assert duel.error == pytest.approx(error)
    assert duel.los == pytest.approx(0.5 * math.erfc((0.5 - score) / deviation / math.sqrt(2)))
    scale = 800 / math.log(10) / math.sqrt(2)
    assert duel.nelo == pytest.approx(scale * (score - 0.5) / math.sqrt(squares / 120))
    assert duel.nelo_error == pytest.approx(1.959963984540054 * scale / math.sqrt(120))
    assert one.error == pytest.approx(error / 2)
    assert rate(2, {(0, 1): pairs}).superiority(0, 1) == pytest.approx(duel.los, abs=0.003)


def test_normalised_elo_is_elo_where_games_do_not_hang_on_each_other() -> None:
    # Pairs of games that are won with a chance of 0.51 each: as fastchess has it, about 7 Elo.
    lost, won = 0.49, 0.51
    pairs = [round(10**6 * chance) for chance in (lost**2, 0, 2 * lost * won, 0, won**2)]
    duel = rate_duel(pairs)
    assert duel is not None
    assert duel.elo == pytest.approx(6.95, abs=0.01)
    assert duel.nelo == pytest.approx(6.95, abs=0.01)


def minorise(players: int, results: Mapping[tuple[int, int], Sequence[int]]) -> list[float]:
    """Bradley-Terry by Zermelo's iteration, which shares nothing with Newton's method."""
    games = {key: 2 * sum(pairs) for key, pairs in results.items()}
    points = [0.0] * players
    for (a, b), pairs in results.items():
        score = sum(n * s for n, s in zip(pairs, PAIR_SCORES, strict=True)) / sum(pairs)
        points[a] += games[a, b] * score
        points[b] += games[a, b] * (1 - score)
    worth = [1.0] * players
    for _ in range(20_000):
        below = [0.0] * players
        for (a, b), n in games.items():
            below[a] += n / (worth[a] + worth[b])
            below[b] += n / (worth[a] + worth[b])
        worth = [p / d for p, d in zip(points, below, strict=True)]
        mean = math.exp(sum(map(math.log, worth)) / players)
        worth = [w / mean for w in worth]
    return [400 * math.log10(w) for w in worth]


def test_four_players_have_the_ratings_that_another_algorithm_finds() -> None:
    results = {
        (0, 1): (1, 4, 10, 12, 30),
        (0, 2): (5, 5, 9, 5, 6),
        (1, 2): (20, 3, 3, 1, 1),
        (2, 3): (0, 0, 1, 2, 40),
        (0, 3): (0, 1, 0, 0, 50),
    }
    found = [player.elo for player in rate(4, results).players]
    assert found == pytest.approx(minorise(4, results), abs=1e-6)
    assert sum(elo for elo in found if elo is not None) == pytest.approx(0)


def test_who_wins_all_games_has_no_number_and_the_others_keep_theirs() -> None:
    results = {(0, 1): (0, 0, 0, 0, 9), (0, 2): (0, 0, 0, 0, 9), (1, 2): (2, 3, 4, 5, 6)}
    best, one, two = rate(3, results).players
    assert (best.elo, best.error, best.beyond) == (None, None, 1)
    duel = rate_duel((2, 3, 4, 5, 6))
    assert duel is not None
    assert duel.elo is not None
    assert one.elo == pytest.approx(duel.elo / 2)
    assert two.elo == pytest.approx(-duel.elo / 2)
    assert rate(3, results).superiority(0, 1) is None


def test_who_lost_all_games_and_who_never_met_anybody() -> None:
    worst = rate(4, {(0, 1): (0, 0, 0, 0, 9), (1, 2): (2, 3, 4, 5, 6), (0, 2): (1, 1, 1, 1, 1)})
    assert [player.beyond for player in worst.players] == [0, 0, 0, 0]
    lost = rate(3, {(0, 1): (9, 0, 0, 0, 0), (0, 2): (9, 0, 0, 0, 0), (1, 2): (1, 1, 1, 1, 1)})
    assert [player.beyond for player in lost.players] == [-1, 0, 0]
    assert worst.players[3].elo is None


def test_of_two_the_one_that_won_all_is_above_the_other() -> None:
    ratings = rate(2, {(0, 1): (0, 0, 0, 0, 9)})
    assert [(p.elo, p.beyond) for p in ratings.players] == [(None, 1), (None, -1)]
    assert rate_duel((0, 0, 0, 0, 9)) == Duel(1.0, None, None, None, None, None)


def test_nothing_played_rates_nobody() -> None:
    assert [(p.elo, p.error, p.beyond) for p in rate(2, {}).players] == [(None, None, 0)] * 2
    assert rate_duel((0, 0, 0, 0, 0)) is None


def test_one_pair_or_equal_pairs_show_no_error() -> None:
    for pairs in ((0, 0, 1, 0, 0), (0, 0, 30, 0, 0)):
        duel = rate_duel(pairs)
        assert duel is not None
        assert (duel.score, duel.elo, duel.error, duel.los) == (0.5, 0.0, None, None)
        assert rate(2, {(0, 1): pairs}).players[0].error is None


def test_moments_of_pairs() -> None:
    assert moments((1, 0, 0, 0, 1)) == (0.5, 0.25)
    assert moments((0, 1, 0, 1, 0)) == (0.5, 0.0625)


def test_the_error_bars_hold_the_truth_as_often_as_they_say() -> None:
    # Three players whose pairs are far from independent games: luck of the cards decides most
    # pairs 1-1. Binomial errors would be too wide by half here, so they would never miss.
    truth = {(0, 1): 0.55, (1, 2): 0.60, (0, 2): 11 / 17}
    # By odds: 11/9 times 3/2 is 11/6, which is 105.2966 Elo.
    rng, held, tried = Random(5), 0, 400
    for _ in range(tried):
        results = {}
        for key, score in truth.items():
            pairs = [0] * 5
            for _ in range(150):
                # A third of what can be decided at all: the rest is 1-1 by swapped seats.
                both = rng.random() < 0.35
                edge = 0.5 + (score - 0.5) / 0.35
                pairs[(4 if rng.random() < edge else 0) if both else 2] += 1
            results[key] = pairs
        ratings = rate(3, results)
        first, third = ratings.players[0], ratings.players[2]
        assert first.elo is not None
        assert third.elo is not None
        cov = ratings.covariance
        deviation = math.sqrt(cov[0][0] + cov[2][2] - 2 * cov[0][2])
        off = first.elo - third.elo - 105.29657
        held += abs(off) <= 1.959964 * deviation
    # 95 % of 400 is 380; four standard deviations are 17.4.
    assert 362 <= held <= 397
