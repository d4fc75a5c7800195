"""What the opponent will do, by the habits that the solver found: over turns and whole sets.

Dense habits are an array ``[opponent's cards, own side stands, own total, opponent's total after
its draw, what it comes to]``, with further axes before; the last axis is a probability. What it
comes to: see tables.py.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.solved.tables import BUST, COUNTS, DRAWN, OUTCOMES, STOOD, TOTALS, USED, Habits

Floats: TypeAlias = npt.NDArray[np.float32]

Chances: TypeAlias = npt.NDArray[np.float64]

WIN, TIE, LOSS = 0, 1, 2
RANKS: Final = range(1, 11)
DRAWS: Final[npt.NDArray[np.int64]] = np.array(RANKS)


class Replies(NamedTuple):
    """What the opponent does, by the number of cards that the own side holds (0 to 4)."""

    turns: Floats
    """``[own cards, own total, its cards, outcome, its total before]``: one turn of it."""
    finishes: Floats
    """``[own cards, own total, its cards, (its cards left, WIN | TIE | LOSS), its total before]``:
    all its turns against a standing total, with the result for the side that stands."""
    ahead: Floats
    """The same against one with a tiebreaker on the table, which it sees: equal is not enough."""


class Model(NamedTuple):
    """An opponent."""

    habits: Habits
    replies: Replies


class Foresight(Protocol):
    """What the opponent will do in its next turn."""

    def turn(
        self, own: int, cards: int, stands: int, total: int, theirs: int, ranks: Chances
    ) -> Chances:
        """How likely each outcome is (in the order of tables.py).

        The own side has *own* cards and *total*, 0 to 20, and *stands* or not; the opponent has
        *cards* and *theirs*, and draws rank 1 to 10 as likely as in *ranks*.
        """
        ...


class ByHabits:
    """It does what the tables say of anybody who has so many cards."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits

    def turn(
        self, own: int, cards: int, stands: int, total: int, theirs: int, ranks: Chances
    ) -> Chances:
        weights: Chances = ranks @ self.by_rank(own, cards, stands, total, theirs)
        return weights

    def by_rank(self, own: int, cards: int, stands: int, total: int, theirs: int) -> Floats:
        """``[rank - 1, outcome]``"""
        rows = self._habits.rows(own, cards, stands, total)
        return rows[np.maximum(theirs + DRAWS, 1)]


def model(habits: Habits) -> Model:
    """The opponent with these *habits*."""
    return Model(habits, replies(dense(habits)))


def replies(habits: Floats) -> Replies:
    """Dense *habits* ``[own cards, ...]`` over whole turns and whole sets."""
    turn = turns(habits)
    # It goes for one more than that total; 20 it cannot beat at all.
    more = [*range(1, TOTALS), TOTALS - 1]
    stood = turn[:, :, 1]
    return Replies(
        np.ascontiguousarray(turn[:, :, 0].transpose(0, 2, 1, 4, 3)),
        *(
            np.ascontiguousarray(all_turns(part).transpose(0, 2, 1, 4, 3))
            for part in (stood, stood[:, :, more])
        ),
    )


def dense(habits: Habits) -> Floats:
    """``[own cards, ...]``, totals after the draw from 0 (nothing) to 30."""
    shape = (COUNTS, COUNTS, 2, TOTALS, DRAWN)
    rows = np.repeat(np.arange(len(habits.found)), habits.found)
    whole = np.bincount(rows, habits.chances, len(habits.found))
    flat = np.zeros((len(habits.found), OUTCOMES), np.float32)
    flat[rows, habits.outcomes] = habits.chances / whole[rows]
    out = np.zeros((*shape[:-1], DRAWN + 1, OUTCOMES), np.float32)
    out[..., 1:, :] = flat.reshape(*shape, OUTCOMES)
    return out


def turns(habits: Floats) -> Floats:
    """``[..., opponent's total before its draw, outcome]``: the mean over the ten ranks."""
    turn = sum(habits[..., rank : rank + TOTALS, :] for rank in RANKS)
    return np.asarray(turn, np.float32) / np.float32(10)


_OWN, _THEIRS = np.arange(TOTALS)[:, None], np.arange(TOTALS)
_JUDGED: Final = (_OWN > _THEIRS, _OWN == _THEIRS, _OWN < _THEIRS)


def all_turns(turn: Floats) -> Floats:
    """From turns against one who stands, ``[own cards, k, own total, total, outcome]``, what the
    opponent finally comes to: ``[own cards, k, own total, total, (k', result)]``.
    """
    own = len(turn)
    out = np.zeros((own, COUNTS, TOTALS, TOTALS, COUNTS, len(_JUDGED)), np.float32)
    for k in range(COUNTS):
        for used in range(min(k, 1) + 1):
            part = turn[:, k, ..., used * USED : (used + 1) * USED]
            stood = part[..., STOOD : STOOD + TOTALS]
            for result, mask in enumerate(_JUDGED):
                out[:, k, ..., k - used, result] = np.einsum("otuv,tv->otu", stood, mask)
            out[:, k, ..., k - used, WIN] += part[..., BUST]
    flat = out.reshape(own, COUNTS, TOTALS, TOTALS, -1)
    for k in range(COUNTS):
        for total in reversed(range(TOTALS)):
            for used in range(min(k, 1) + 1):
                # Without a card the total has grown, so those rows are done; so is all of k - 1.
                going_on = turn[:, k, :, None, total, used * USED : used * USED + TOTALS]
                flat[:, k, :, total] += (going_on @ flat[:, k - used])[:, :, 0]
    return flat
