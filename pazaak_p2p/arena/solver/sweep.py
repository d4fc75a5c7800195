"""The whole match: scores from the last set backwards, habits and values in turn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pazaak_p2p.arena.solver.layers import (
    HANDS,
    SIZES,
    Leaves,
    Store,
    no_habits,
    solve_size,
)
from pazaak_p2p.arena.solver.opponent import first_habits
from pazaak_p2p.bots.solved.hands import KINDS, hand_numbers
from pazaak_p2p.bots.solved.model import Floats, Replies, replies
from pazaak_p2p.bots.solved.tables import COUNTS, MOST_SETS, Score
from pazaak_p2p.rules import CARDS, DECKS, HAND_SIZE

Hands: TypeAlias = list[npt.NDArray[np.int64]]
"""By size, 0 to 4; what a hand comes down to is there too."""

ROUNDS: Final = 4
"""How often habits and values follow from each other at each score."""
TIES: Final = 5
"""How often a tied set, which leads back to the same score, is worked in before the habits."""
_MOST_PASSES: Final = 12
_SETTLED: Final = 1e-5
"""Values that change by no more need not be worked out further."""
_BATCH: Final = 1000
_RANDOM_DECKS: Final = 30
_SHARE_RANDOM: Final = 0.3
_EVERYTHING: Final[Hands] = [np.flatnonzero(size == SIZES) for size in range(HAND_SIZE + 1)]


class Prior:
    """The hands that a player may hold, and how likely each is among those of its size."""

    def __init__(self, decks: list[tuple[tuple[int, ...], float]]) -> None:
        numbers = hand_numbers()
        self.hands: Hands = []
        self.weights: list[Floats] = []
        for size in range(HAND_SIZE + 1):
            chances: dict[tuple[int, ...], float] = {}
            for deck, share in decks:
                for hand in combinations(sorted(deck), size):
                    chances[hand] = chances.get(hand, 0) + share / comb(10, size)
            self.hands.append(np.array([numbers[hand] for hand in chances]))
            self.weights.append(np.array(list(chances.values()), np.float32))


def anybody() -> Prior:
    """Any opponent: 70 % have a shipped deck, the rest a random one without gold cards."""
    rng = np.random.default_rng(1)
    decks = [
        (tuple(card.number - 1 for card in deck), (1 - _SHARE_RANDOM) / len(DECKS))
        for deck in DECKS.values()
    ]
    ordinary = [number for number in range(KINDS) if not CARDS[number].gold] * 4
    decks += [
        (tuple(rng.choice(ordinary, 10, replace=False).tolist()), _SHARE_RANDOM / _RANDOM_DECKS)
        for _ in range(_RANDOM_DECKS)
    ]
    return Prior(decks)


class Sweep:
    """Values of hands at all scores, and the habits that go with them."""

    def __init__(self, prior: Prior, say: Callable[[str], None] = lambda line: None) -> None:
        self._say, self._prior = say, prior
        self.values: dict[Score, Floats] = {}
        """``[hand, who opens (1: the own side), opponent's cards]``: chance to win the match."""
        self.habits: dict[Score, Floats] = {}
        """By the score of the side whose habits they are: see opponent.py."""
        self._store = Store()
        self._last: tuple[Floats | None, Replies | None] = None, None

    def run(self) -> None:
        """Solve the game: all scores, all hands."""
        for lost in range(1, MOST_SETS + 1):
            for won in range(1, lost + 1):
                self._solve_pair((won, lost))

    def answer(self, habits: dict[Score, Floats]) -> None:
        """The best that the prior's hands can do against an opponent with these *habits*."""
        self.habits = habits
        for score in sorted(habits, key=sum):
            self.values[score] = self._guess(score)
            self._settle(score, self._prior.hands)

    def habits_of(self, score: Score) -> Floats:
        """What the prior's hands do at *score*, by the values as they are."""
        found = np.zeros_like(self.habits[score])
        self._pass(score, self._prior.hands, found)
        return found

    def _solve_pair(self, score: Score) -> None:
        """*score* and the same seen from the other side."""
        sides = list(dict.fromkeys((score, score[::-1])))
        for side in sides:
            start = (max(side[0] - 1, 1), max(side[1] - 1, 1))
            self.habits[side] = self.habits.get(start, first_habits()).copy()
            self.values[side] = self._guess(side)
        for number in range(ROUNDS):
            found = {}
            for side in sides:
                for _ in range(1 if number else TIES):
                    self._pass(side, self._prior.hands, None)
                found[side] = self.habits_of(side)
            for side, habits in found.items():
                change = float(np.abs(habits - self.habits[side]).mean())
                self._say(f"{side}: round {number}, habits change by {change:.2e}")
                if number >= 2:
                    # Averaged, as best replies to each other's last move may go round in circles.
                    habits = np.asarray((habits + self.habits[side]) / 2, np.float32)
                self.habits[side] = habits
        for side in sides:
            passes = self._settle(side, _EVERYTHING)
            self._say(f"{side}: all hands settled in {passes} passes")

    def _settle(self, score: Score, hands: Hands) -> int:
        """Work out *hands* at *score*, to which a tie leads back; how many passes that took."""
        passes, change = 0, 1.0
        while change > _SETTLED and passes < _MOST_PASSES:
            before = self.values[score].copy()
            self._pass(score, hands, None)
            change = float(np.abs(before - self.values[score]).max())
            passes += 1
        return passes

    def _guess(self, score: Score) -> Floats:
        """Where the values of *score* start: those of a score near by."""
        near = self.values.get((score[0], score[1] - 1), self.values.get((score[0] - 1, score[1])))
        return np.full((HANDS, 2, COUNTS), 0.5, np.float32) if near is None else near.copy()

    def _pass(self, score: Score, hands: Hands, habits: Floats | None) -> None:
        """New values of *hands* at *score*, and their choices added to *habits*."""
        model = self._model(self.habits[score[::-1]])
        leaves = self._leaves(score)
        values = self.values[score]
        for size, index in enumerate(hands):
            for at in range(0, len(index), _BATCH):
                part = index[at : at + _BATCH]
                weights = found = None
                if habits is not None:
                    weights = self._prior.weights[size][at : at + _BATCH]
                    found = no_habits()
                values[part] = solve_size(part, leaves, model, self._store, weights, found)
                if habits is not None and found is not None:
                    # Own and opponent's cards change places with the sides.
                    habits[:, size] += found

    def _model(self, habits: Floats) -> Replies:
        """*habits* over turns and sets."""
        last, model = self._last
        if model is None or last is not habits:
            model = replies(habits)
            self._last = habits, model
        return model

    def _leaves(self, score: Score) -> Leaves:
        own, theirs = score
        nothing = np.zeros((HANDS, 2, COUNTS), np.float32)
        win = self.values[own - 1, theirs] if own > 1 else nothing + 1
        loss = self.values[own, theirs - 1] if theirs > 1 else nothing
        # R6: the other opens the next set, so the axis of who opened is turned round.
        return Leaves(win[:, ::-1].copy(), self.values[score][:, ::-1].copy(), loss[:, ::-1].copy())
