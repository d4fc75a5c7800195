"""The sequential probability ratio test over pairs of games: play until it is decided.

Wald's test (1945) asks after every observation how much likelier it is under one hypothesis than
under the other, and stops when the logarithm of that ratio (LLR) leaves the interval from
``log(beta / (1 - alpha))`` to ``log((1 - beta) / alpha)``: then the chance to accept H1 (the first
player is *elo1* stronger) when H0 (it is *elo0* stronger) holds is about *alpha*, and that of the
opposite about *beta*. No other test with these chances needs fewer games on average.

Elo says what the mean score is and nothing about how often games of a pair are drawn or shared, so
the hypotheses are composite. The generalised test (GSPRT) takes for each the likeliest distribution
over the five results of a pair that has its mean. That one is known (a case of Owen's empirical
likelihood; Van den Bergh, "The GSPRT"): with observed frequencies ``f_i`` of the scores ``s_i`` and
the mean ``m``, it is ``p_i = f_i / (1 + t * (s_i - m))``, where ``t`` is the one number for which
``sum of p_i * (s_i - m)`` is zero. Then ``LLR = n * sum of f_i * log(p1_i / p0_i)``.

A result that was not seen yet is counted as a thousandth of a pair, or no distribution of the
observed results may have the mean asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

from pazaak_p2p.arena.errors import SprtError
from pazaak_p2p.arena.rating import PAIR_SCORES, expected_score
from pazaak_p2p.text import printable

_UNSEEN: Final = 1e-3
_ROUNDS: Final = 100
_CLOSE: Final = 1e-14
_MOST_ELO: Final = 2000.0


class Verdict(StrEnum):
    """What a test has come to."""

    H0 = "H0"
    """Accepted: the first is not *elo1* stronger."""
    H1 = "H1"
    """Accepted: the first is more than *elo0* stronger."""
    OPEN = "open"


class Sprt(msgspec.Struct, frozen=True):
    """What is tested: whether the first of two players is *elo0* or *elo1* stronger."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The chance to accept H1 although H0 holds."""
    beta: float = 0.05
    """The chance to accept H0 although H1 holds."""

    @property
    def lower(self) -> float:
        """The LLR at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """The logarithm of the likelihood ratio of H1 to H0, given *pairs* (``Pentanomial``)."""
        if not any(pairs):
            return 0.0
        counts = [count or _UNSEEN for count in pairs]
        total = sum(counts)
        frequencies = [count / total for count in counts]
        tilt0 = _tilt(frequencies, expected_score(self.elo0))
        tilt1 = _tilt(frequencies, expected_score(self.elo1))
        mean0, mean1 = expected_score(self.elo0), expected_score(self.elo1)
        return total * sum(
            f * math.log((1 + tilt0 * (s - mean0)) / (1 + tilt1 * (s - mean1)))
            for f, s in zip(frequencies, PAIR_SCORES, strict=True)
        )

    def judge(self, pairs: Sequence[int]) -> Verdict:
        """What *pairs* have shown; asked after each, the first answer but OPEN counts."""
        llr = self.llr(pairs)
        if llr <= self.lower:
            return Verdict.H0
        return Verdict.H1 if llr >= self.upper else Verdict.OPEN


def _tilt(frequencies: Sequence[float], mean: float) -> float:
    """The ``t`` of this module's text: the sum falls as ``t`` grows.

    By Newton's steps, and by halves where one would leave the bounds, which close in on both sides.
    """
    low, high = -1 / (PAIR_SCORES[-1] - mean), 1 / (mean - PAIR_SCORES[0])
    tilt = (low + high) / 2
    for _ in range(_ROUNDS):
        surplus = slope = size = 0.0
        for frequency, score in zip(frequencies, PAIR_SCORES, strict=True):
            part = (score - mean) / (1 + tilt * (score - mean))
            surplus += frequency * part
            size += frequency * abs(part)
            slope += frequency * part * part
        # Not when a step is small: next to the bounds, where the sum is endless, all are.
        if abs(surplus) <= _CLOSE * size:
            break
        if surplus > 0:
            low = tilt
        else:
            high = tilt
        tilt += surplus / slope
        if not low < tilt < high:
            tilt = (low + high) / 2
            if tilt in (low, high):
                break
    return tilt


def parse_sprt(text: str) -> Sprt:
    """The test written as *text*: ``elo0=0,elo1=10``, and ``alpha`` and ``beta`` if wanted.

    Raises :class:`SprtError`.
    """
    values: dict[str, float] = {}
    for part in text.split(","):
        key, equals, number = part.partition("=")
        key = key.strip()
        if key not in Sprt.__struct_fields__ or not equals or key in values:
            raise SprtError(f"{printable(part, 40)!r} is no part of a test.")
        try:
            values[key] = float(number)
        except ValueError:
            raise SprtError(f"{printable(number, 40)!r} is no number.") from None
    if not {"elo0", "elo1"} <= values.keys():
        raise SprtError("A test needs both elo0 and elo1.")
    test = Sprt(**values)
    if not -_MOST_ELO <= test.elo0 < test.elo1 <= _MOST_ELO:
        raise SprtError(
            "These two hypotheses cannot be told apart.",
            why=f"elo0 must be less than elo1, and both within ±{_MOST_ELO:.0f}.",
        )
    if not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise SprtError("alpha and beta are chances of being wrong: above 0 and below 0.5.")
    return test
