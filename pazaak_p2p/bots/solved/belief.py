"""Which cards the opponent is likely to hold, by what it has played and what it has not.

Every hand that it may have is weighed by how well it explains each of its choices. All of it
follows from the view alone; what is kept only saves work.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from pazaak_p2p.bots.solved.book import Book, shipped_book
from pazaak_p2p.bots.solved.foresight import Informed
from pazaak_p2p.bots.solved.guess import Guesser, Hands
from pazaak_p2p.bots.solved.hands import Kinds, hand_numbers, kinds
from pazaak_p2p.bots.solved.layers import Values
from pazaak_p2p.bots.solved.leaves import TIEBREAKER
from pazaak_p2p.bots.solved.model import ByHabits, Foresight
from pazaak_p2p.bots.solved.past import NOTHING, Choice, past
from pazaak_p2p.bots.solved.prior import Prior, anybodys
from pazaak_p2p.rules import HAND_SIZE, View

_SAFE: Final = 10
"""Up to this total everybody goes on, whatever they hold."""
_MOST_CHOICES: Final = 40
"""So many are weighed, the latest."""
_TRUST: Final = 0.7
"""What the likelihoods count, as a power: players have other reasons than those of guess.py."""
_KEPT_PRIORS: Final = 30
_KEPT_WEIGHTS: Final = 500
"""Of single choices, up to 8 kB each."""
_PASSES: Final = 0.2
"""How often one who holds a tiebreaker lays none at a tie (R17)."""


class Belief(NamedTuple):
    """Hands that the opponent may hold."""

    hands: Hands
    weights: Values
    """How likely each of them is; the sum is 1."""

    def holds(self, kind: int) -> float:
        """How likely it holds that kind of card."""
        return float(self.weights[(self.hands.kinds == kind).any(axis=1)].sum())

    def of(self, hand: Kinds) -> float:
        """How likely it holds just that *hand*."""
        if len(hand) != self.hands.size:
            return 0.0
        return float(self.weights[(self.hands.kinds == hand).all(axis=1)].sum())


class Believer:
    """Guesses what the opponent holds, and from that what it will do."""

    def __init__(self, book: Book) -> None:
        self._guesser = Guesser(book)
        self._prior = lru_cache(_KEPT_PRIORS)(Prior)
        self._evidence = lru_cache(_KEPT_WEIGHTS)(self._weigh)
        # What every match needs is made before its first choice.
        hand_numbers()
        for size in range(1, HAND_SIZE + 1):
            anybodys(size, True)

    def prior(self, view: View) -> Belief:
        """What the opponent of *view* may hold, by what it has used alone."""
        prior = self._prior(_used(view), view.state.rules.gold)
        return Belief(prior.hands, prior.weights)

    def belief(self, view: View) -> Belief | None:
        """What the opponent of *view* holds; None if that may be anything still, or if there is no
        hand that explains what it has used.
        """
        used, gold = _used(view), view.state.rules.gold
        seen = past(view)
        choices = [choice for choice in seen.choices if not _goes_without_saying(choice)]
        prior = self._prior(used, gold)
        if not (used or choices or seen.passes) or not len(prior.weights):
            return None
        weights = np.log(prior.weights)
        for choice in choices[-_MOST_CHOICES:]:
            weights = weights + self._evidence(used, gold, choice)
        for before in seen.passes:
            held = (prior.before(before).kinds == TIEBREAKER).any(axis=1)
            weights = weights + np.where(held, np.log(_PASSES), 0)
        weights = np.exp(weights - weights.max())
        return Belief(prior.hands, weights / weights.sum())

    def _weigh(self, used: Kinds, gold: bool, choice: Choice) -> Values:
        """The logarithm of how likely each hand of that prior would have made *choice*, as far as
        that is trusted.
        """
        hands = self._prior(used, gold).before(choice.before)
        return _TRUST * np.log(self._guesser.likelihood(choice, hands).astype(np.float64))

    def forget(self) -> None:
        """Drop what has been worked out."""
        self._prior.cache_clear()
        self._evidence.cache_clear()

    def foresight(self, view: View, habits: ByHabits) -> Foresight:
        """What the opponent will do in its next turn, by its *habits* and by what it may hold."""
        belief = self.belief(view)
        if belief is None:
            return habits
        return Informed(self._guesser, habits, view, *belief)

    def lays(self, view: View) -> float:
        """How likely the opponent, asked next at a tie, lays a tiebreaker (R17)."""
        belief = self.belief(view) or self.prior(view)
        return (1 - _PASSES) * belief.holds(TIEBREAKER)


def _used(view: View) -> Kinds:
    hand = view.state.hands[view.seat.other]
    return kinds(held.card for held in hand if held.played and held.card)


def _goes_without_saying(choice: Choice) -> bool:
    """Whether just anybody would have chosen so."""
    return (
        choice.card == NOTHING
        and not choice.stood
        and 0 <= choice.total <= _SAFE
        and not choice.other_stands
    )


@cache
def shipped_believer() -> Believer:
    """By the tables that ship. Shared by all bots of this process: it only remembers."""
    return Believer(shipped_book())
