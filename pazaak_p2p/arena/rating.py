"""Ratings from results: Elo by maximum likelihood, how far it may be off, and who is stronger.

The model is that of Bradley and Terry (1952) with a draw as half a win of each side: who is rated
``d`` Elo higher than the other scores ``1 / (1 + 10 ** (-d / 400))`` on average. The likelihood is
concave and, up to a constant for all, has one maximum if and only if nobody, and no group, has won
every game against the rest or lost every one (Ford 1957); who has is rated infinitely high or low.

The errors are not those that the model itself would give. It takes games for independent and a
draw for half a win and half a loss, whereas here two games of a pair are played with the same cards
from swapped seats, so that what luck gives in the one it takes in the other. What is independent
are the pairs. So the variance is taken from the pairs as they came out: with the information matrix
``H`` of the model and the outer products ``B`` of each pair's part of its gradient, it is ``H^-1 B
H^-1`` (the "sandwich" of Huber and White, with pairs as clusters). For two players that is the
known formula from the five results of a pair (0, 1/2, 1, 3/2, 2 points: "pentanomial"). A bootstrap
over pairs gives the same to first order, for a thousand times the work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Final

import msgspec

from pazaak_p2p.arena.algebra import inverse, times

PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The scores per game that a pair of games can have, as fractions of one."""
ELO: Final = 400 / math.log(10)
"""Elo per unit of the natural logarithm of odds."""
TWO_SIDED: Final = NormalDist().inv_cdf(0.975)
"""Standard deviations within which 95 % of a normal distribution lie."""
_ROUNDS: Final = 200
_CLOSE: Final = 1e-12

Pentanomial = tuple[int, int, int, int, int]
"""How many pairs of games had each of :data:`PAIR_SCORES`, for the first of two players."""


class Rating(msgspec.Struct, frozen=True):
    """What the results say of one player."""

    elo: float | None
    """Above the average of all that are rated; None where there is no estimate, for nobody and no
    group may have won (or lost) all games against the others. Positive infinity is never used."""
    error: float | None
    """Half the width of its 95 % interval; None where it is not known."""
    beyond: int = 0
    """1 or -1 for one who won, or lost, too much to be compared with the rated ones; else 0."""


class Ratings(msgspec.Struct, frozen=True):
    """What the results say of all players, and of any two of them."""

    players: tuple[Rating, ...]
    covariance: tuple[tuple[float, ...], ...]
    """Of the players' Elo, in their order; zero for those that are not rated."""

    def superiority(self, one: int, two: int) -> float | None:
        """The likelihood that player *one* is stronger than *two* (LOS); None if not known."""
        first, second = self.players[one], self.players[two]
        if first.elo is None or second.elo is None:
            return None
        cov = self.covariance
        variance = cov[one][one] + cov[two][two] - 2 * cov[one][two]
        if variance <= 0:
            return None
        return NormalDist().cdf((first.elo - second.elo) / math.sqrt(variance))


def expected_score(elo: float) -> float:
    """The score, 0 to 1, of one who is rated *elo* higher than the other.

    >>> round(expected_score(100), 4)
    0.6401
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float | None:
    """The difference in Elo that gives *score*; None for 0 and 1, which none gives.

    >>> round(elo_of(0.75), 2)
    190.85
    """
    return None if not 0 < score < 1 else -400 * math.log10(1 / score - 1)


class Duel(msgspec.Struct, frozen=True):
    """Two players by their games against each other alone, for the first of them."""

    score: float
    elo: float | None
    error: float | None
    """Half the width of the 95 % interval."""
    los: float | None
    """The likelihood of superiority: that the first is the stronger one."""
    nelo: float | None
    """The difference in normalised Elo (``nElo``): how far the score is from a half in standard
    deviations of a pair, so that it tells how soon a difference shows. On the scale of fastchess
    and OpenBench: where it is small, no game drawn and none hangs on another, it is Elo."""
    nelo_error: float | None
    """Half the width of its 95 % interval."""


def rate_duel(pairs: Sequence[int]) -> Duel | None:
    """What the *pairs* of games (see :data:`Pentanomial`) say; None without any."""
    count = sum(pairs)
    if count == 0:
        return None
    score, variance = moments(pairs)
    elo, error, los, nelo, nelo_error = elo_of(score), None, None, None, None
    if count > 1 and variance > 0:
        deviation = math.sqrt(variance / (count - 1))
        los = NormalDist().cdf((score - 0.5) / deviation)
        if elo is not None:
            error = TWO_SIDED * deviation * ELO / (score * (1 - score))
        nelo = 2 * ELO * (score - 0.5) / math.sqrt(2 * variance)
        nelo_error = 2 * ELO * TWO_SIDED / math.sqrt(2 * count)
    return Duel(score, elo, error, los, nelo, nelo_error)


def moments(pairs: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the score per game of the *pairs* (see :data:`Pentanomial`)."""
    count = sum(pairs)
    mean = sum(n * s for n, s in zip(pairs, PAIR_SCORES, strict=True)) / count
    spread = sum(n * (s - mean) ** 2 for n, s in zip(pairs, PAIR_SCORES, strict=True))
    return mean, spread / count


def rate(players: int, results: Mapping[tuple[int, int], Sequence[int]]) -> Ratings:
    """Rate *players* by *results*: for each two that met, their pairs of games.

    Keys are (first, second), each two players in one order only; values are
    :data:`Pentanomial` for the first.
    """
    met = {key: pairs for key, pairs in results.items() if sum(pairs)}
    group, beyond = _comparable(players, met)
    index = {player: at for at, player in enumerate(group)}
    inner = {
        (index[a], index[b]): pairs for (a, b), pairs in met.items() if a in index and b in index
    }
    nothing = tuple([0.0] * players)
    if not inner:
        ratings = tuple(Rating(None, None, beyond[player]) for player in range(players))
        return Ratings(ratings, (nothing,) * players)
    strengths = _most_likely(len(group), inner)
    covariance = _covariance(strengths, inner)
    spread = [[0.0] * players for _ in range(players)]
    if covariance is not None:
        for a, at in index.items():
            for b, other in index.items():
                spread[a][b] = covariance[at][other] * ELO**2
    ratings = tuple(
        Rating(
            strengths[index[player]] * ELO,
            TWO_SIDED * math.sqrt(spread[player][player]) if spread[player][player] > 0 else None,
        )
        if player in index
        else Rating(None, None, beyond[player])
        for player in range(players)
    )
    return Ratings(ratings, tuple(tuple(row) for row in spread))


_Results = Mapping[tuple[int, int], Sequence[int]]


def _comparable(players: int, met: _Results) -> tuple[list[int], list[int]]:
    """The largest group in which everybody can be compared, and where the others are: 1, -1, 0."""
    beats = [[False] * players for _ in range(players)]
    for (a, b), pairs in met.items():
        score, _ = moments(pairs)
        beats[a][b] |= score > 0
        beats[b][a] |= score < 1
    for k in range(players):
        for i in range(players):
            if beats[i][k]:
                beats[i] = [direct or on for direct, on in zip(beats[i], beats[k], strict=True)]
    groups = [
        [j for j in range(players) if j == i or (beats[i][j] and beats[j][i])]
        for i in range(players)
    ]
    group = max(groups, key=len)
    # Where nobody can be compared with anybody, with all the others; else with the group.
    against = range(players) if len(group) == 1 else group[:1]
    beyond = []
    for player in range(players):
        above = any(beats[player][other] for other in against if other not in groups[player])
        below = any(beats[other][player] for other in against if other not in groups[player])
        beyond.append(above - below)
    return group, beyond


def _chance(difference: float) -> float:
    return 0.5 * (1 + math.tanh(difference / 2))


def _most_likely(players: int, results: _Results) -> list[float]:
    """Strengths in natural logarithms of odds, their average 0: Newton's method."""
    strengths = [0.0] * players
    for _ in range(_ROUNDS):
        gradient = [0.0] * players
        for (a, b), pairs in results.items():
            score, _ = moments(pairs)
            surplus = 2 * sum(pairs) * (score - _chance(strengths[a] - strengths[b]))
            gradient[a] += surplus
            gradient[b] -= surplus
        step = times(inverse(_information(strengths, results)), gradient)
        # Far from the maximum Newton's step may be too long; shortened, it still leads up.
        longest = max(map(abs, step))
        shorten = min(1.0, 1.0 / longest) if longest > 0 else 1.0
        strengths = [s + shorten * d for s, d in zip(strengths, step, strict=True)]
        if longest < _CLOSE:
            break
    average = sum(strengths) / players
    return [strength - average for strength in strengths]


def _information(strengths: Sequence[float], results: _Results) -> list[list[float]]:
    """The information matrix, made regular by a part that only the average feels."""
    size = len(strengths)
    matrix = [[1.0] * size for _ in range(size)]
    for (a, b), pairs in results.items():
        p = _chance(strengths[a] - strengths[b])
        _add(matrix, a, b, 2 * sum(pairs) * p * (1 - p))
    return matrix


def _covariance(strengths: Sequence[float], results: _Results) -> list[list[float]] | None:
    """That of *strengths*, from the variance between pairs; None if that shows nothing."""
    count = sum(map(sum, results.values()))
    if count < 2:
        return None
    size = len(strengths)
    meat = [[0.0] * size for _ in range(size)]
    for (a, b), pairs in results.items():
        p = _chance(strengths[a] - strengths[b])
        spread = sum(n * (2 * (s - p)) ** 2 for n, s in zip(pairs, PAIR_SCORES, strict=True))
        _add(meat, a, b, spread * count / (count - 1))
    bread = inverse(_information(strengths, results))
    rows = [times(bread, row) for row in meat]  # both are symmetric
    return [times(bread, column) for column in zip(*rows, strict=True)]


def _add(matrix: list[list[float]], a: int, b: int, value: float) -> None:
    matrix[a][a] += value
    matrix[b][b] += value
    matrix[a][b] -= value
    matrix[b][a] -= value
