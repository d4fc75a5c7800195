"""What the opponent will do next, by what it may hold.

The tables' habits are those of anybody with so many cards. They are corrected: what a guess at the
choices of this opponent's likely hands says is set against what it says of anybody's hands. So with
nothing known nothing changes, and what the guess gets wrong of both is lost.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pazaak_p2p.bots.solved.guess import Draws, Guesser, Hands, Position
from pazaak_p2p.bots.solved.layers import Values
from pazaak_p2p.bots.solved.leaves import set_stakes
from pazaak_p2p.bots.solved.model import RANKS, ByHabits, Chances, Floats
from pazaak_p2p.bots.solved.past import flipped
from pazaak_p2p.bots.solved.prior import anybodys
from pazaak_p2p.bots.solved.scene import Scene
from pazaak_p2p.rules import View

_FEW: Final = 96
"""Hands that are looked at."""
_NEVER: Final = 1e-9
_MOST_LIKELIER: Final = 3.0
"""What this opponent is at the most likelier to do than anybody."""


class Informed:
    """A ``Foresight`` of one opponent at one moment."""

    def __init__(
        self, guesser: Guesser, habits: ByHabits, view: View, hands: Hands, weights: Values
    ) -> None:
        """The opponent of *view* holds one of the *hands*, each as likely as in *weights*, whose
        sum is 1.
        """
        self._habits = habits
        state, them = view.state, view.seat.other
        opener = them if state.opener is None else state.opener
        number = len(state.results) + 1
        self._stakes = set_stakes(state.rules, them, opener, state.won, number)
        table = [placed.value for placed in view.opponent_table]
        totals = [view.opponent_total + rank for rank in RANKS]
        draws = Draws(RANKS, totals, [flipped([*table, rank]) for rank in RANKS])
        few, shares = _few(hands, weights, anybodys(hands.size, state.rules.gold))
        self._scene = Scene(guesser, few, shares, draws)
        self._known: dict[tuple[int, int, int], Chances] = {}

    def turn(
        self, own: int, cards: int, stands: int, total: int, theirs: int, ranks: Chances
    ) -> Chances:
        """As ``Foresight`` says. *cards* and *theirs* are those of the view."""
        key = own, stands, total
        found = self._known.get(key)
        if found is None:
            habits = self._habits.by_rank(own, cards, stands, total, theirs)
            position = Position(self._stakes, own, total, bool(stands))
            opponent, anybody = self._scene.turn(position)
            ratio = np.where(anybody > _NEVER, opponent / np.maximum(anybody, _NEVER), 1)
            corrected = habits * np.minimum(ratio, _MOST_LIKELIER)
            whole = corrected.sum(axis=1, keepdims=True)
            found = np.where(whole > _NEVER, corrected / np.maximum(whole, _NEVER), habits)
            self._known[key] = found
        weights: Chances = ranks @ found
        return weights


def _few(hands: Hands, weights: Values, others: tuple[Hands, Values]) -> tuple[Hands, Floats]:
    """A few hands that stand for all of both, and how likely they are by the weights of each."""
    numbers = np.concatenate([hands.numbers, others[0].numbers])
    _, first, at = np.unique(numbers, return_index=True, return_inverse=True)
    both: Values = np.stack(
        [
            np.bincount(at[: len(weights)], weights, len(first)),
            np.bincount(at[len(weights) :], others[1], len(first)),
        ]
    )
    if len(first) > _FEW:
        # The same hands for both: then what is left to chance does not make a difference.
        mixed = both.mean(axis=0)
        steps = (np.arange(_FEW) + 0.5) / _FEW
        taken = np.minimum(np.searchsorted(np.cumsum(mixed), steps), len(first) - 1)
        taken, times = np.unique(taken, return_counts=True)
        both, first = both[:, taken] * times / mixed[taken], first[taken]
    both = both / both.sum(axis=1, keepdims=True)
    kinds = np.concatenate([hands.kinds, others[0].kinds])[first]
    return Hands(kinds), both.astype(np.float32)
