"""Which hands there are, before anything is seen of how they are played.

Most players take a deck that ships; the others have hands of any cards.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import combinations
from math import factorial
from typing import Final

import numpy as np

from pazaak_p2p.bots.solved.guess import Hands, Ints
from pazaak_p2p.bots.solved.hands import KINDS, Kinds
from pazaak_p2p.bots.solved.layers import Values
from pazaak_p2p.rules import CARDS, DECKS, HAND_SIZE

SHARE_RANDOM: Final = 0.4
"""Of the hands, those that are of any cards."""
_SHARE_GOLD: Final = 0.1
"""Of those, cards that are golden."""
_SAMPLES: Final = 200
"""Of hands of any cards."""


class Prior:
    """The hands that somebody may hold who has used certain cards, and how likely each is."""

    def __init__(self, used: Kinds, gold: bool) -> None:
        """*gold*: whether there are gold cards in this match (R3)."""
        self._used = np.bincount(np.array(used, np.int64), minlength=KINDS)
        self._before: dict[Kinds, Hands] = {}
        self._counts, weights = _merged(_shipped(self._used, gold), _random(self._used, gold))
        self.weights: Values = weights / weights.sum()
        """How likely each of the hands is; none if no hand explains what was used."""

    @cached_property
    def hands(self) -> Hands:
        """As they are now."""
        return Hands(_cards(self._counts))

    def before(self, used: Kinds) -> Hands:
        """As they were when only *used* had been used."""
        found = self._before.get(used)
        if found is None:
            more = self._used - np.bincount(np.array(used, np.int64), minlength=KINDS)
            found = self._before[used] = Hands(_cards(self._counts + np.maximum(more, 0)))
        return found


def _cards(counts: Ints) -> Ints:
    """From ``[hand, kind]``, how many, to ``[hand, place]``, which."""
    hands = len(counts)
    cards = np.repeat(np.tile(np.arange(KINDS), hands), counts.ravel())
    return cards.reshape(hands, len(cards) // max(hands, 1))


def _counts(cards: Ints) -> Ints:
    """The other way."""
    counts: Ints = (cards[:, :, None] == np.arange(KINDS)).sum(axis=1)
    return counts


@cache
def anybodys(size: int, gold: bool) -> tuple[Hands, Values]:
    """Hands of *size* cards of somebody of whom nothing is known, and how likely each is."""
    shipped, chances = _shipped_hands(size, gold)
    samples = _samples(size, gold)
    counts, weights = _merged(
        (shipped, (1 - SHARE_RANDOM) * chances),
        (samples, SHARE_RANDOM * _drawn(samples, gold)),
    )
    return Hands(_cards(counts)), weights / weights.sum()


def _merged(*parts: tuple[Ints, Values]) -> tuple[Ints, Values]:
    """Each hand that is possible, once, with all its weight."""
    counts, weights = zip(*parts, strict=True)
    found, at = np.unique(np.concatenate(counts), axis=0, return_inverse=True)
    total = np.bincount(at.ravel(), np.concatenate(weights), len(found)).astype(np.float64)
    possible = total > 0
    return found[possible], total[possible]


@cache
def _shipped_hands(size: int, gold: bool) -> tuple[Ints, Values]:
    """Every hand of *size* from the decks that ship, ``[hand, kind]``, and how likely it is."""
    decks = [deck for deck in DECKS.values() if gold or not any(card.gold for card in deck)]
    hands = [
        hand
        for deck in decks
        for hand in combinations(sorted(card.number - 1 for card in deck), size)
    ]
    found, times = np.unique(np.array(hands), axis=0, return_counts=True)
    return _counts(found), times / len(hands)


def _shipped(used: Ints, gold: bool) -> tuple[Ints, Values]:
    """What is left of them without the cards *used*."""
    hands, chances = _shipped_hands(HAND_SIZE, gold)
    fits = (hands >= used).all(axis=1)
    return hands[fits] - used, (1 - SHARE_RANDOM) * chances[fits]


@cache
def _shares(gold: bool) -> Values:
    """How likely a card of any kind is each of them."""
    golden = np.array([card.gold for card in CARDS])
    share_gold = _SHARE_GOLD if gold else 0.0
    shares: Values = np.where(golden, share_gold / golden.sum(), (1 - share_gold) / (~golden).sum())
    return shares


@cache
def _samples(size: int, gold: bool) -> Ints:
    """``[hand, kind]``: hands of *size* cards; of one card all that there are."""
    if size == 0:
        return np.zeros((1, KINDS), np.int64)
    if size == 1:
        return np.eye(KINDS, dtype=np.int64)
    rng = np.random.default_rng(1)
    return _counts(rng.choice(KINDS, (_SAMPLES, size), p=_shares(gold)))


def _random(used: Ints, gold: bool) -> tuple[Ints, Values]:
    """Hands of any cards without the cards *used*."""
    size = HAND_SIZE - int(used.sum())
    shares, rests = _shares(gold), _samples(size, gold)
    # How likely the hand of four is, for one among the hands of this size.
    ways = _FACTORIALS[rests].prod(axis=1) / _FACTORIALS[rests + used].prod(axis=1)
    chances = ways * factorial(HAND_SIZE) / factorial(size) * (shares**used).prod()
    return rests, SHARE_RANDOM * chances * _drawn(rests, gold)


def _drawn(samples: Ints, gold: bool) -> Values:
    """How much each of the *samples* stands for."""
    if samples.sum() == len(samples):  # every single card
        return _shares(gold)
    return np.full(len(samples), 1 / len(samples))


_FACTORIALS: Final = np.array([factorial(number) for number in range(HAND_SIZE + 1)], float)
