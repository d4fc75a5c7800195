"""The opponent as the solver sees it: habits, and what follows from them for a whole set.

Habits are an array ``[own cards, opponent's cards, own side stands, own total, opponent's total
after its draw, what it comes to]``; the last axis is a probability over OUTCOMES.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from pazaak_p2p.bots.solved.model import Floats, all_turns, turns
from pazaak_p2p.bots.solved.tables import BUST, COUNTS, OUTCOMES, STOOD, TOTALS, USED

DRAWN: Final = 31
"""Totals after a draw: 0 to 30."""
ACTIVE: Final = 0
"""Of the outcomes (tables.py): ACTIVE + total, the turn ends there."""


def first_habits() -> Floats:
    """Someone who stands at 17 or to win, and never uses a card: where the computation starts."""
    habits = np.zeros((COUNTS, COUNTS, 2, TOTALS, DRAWN, OUTCOMES), np.float32)
    for drawn in range(DRAWN):
        for total in range(TOTALS):
            for stands in range(2):
                if drawn > 20:
                    outcome = BUST
                elif (drawn >= max(total, 17) if stands else drawn >= 17) or (
                    stands and drawn > total
                ):
                    outcome = STOOD + drawn
                else:
                    outcome = ACTIVE + drawn
                habits[:, :, stands, total, drawn, outcome] = 1
    return habits


class Replies(NamedTuple):
    """What the opponent does, for one number of own cards."""

    moves: Floats
    """``[own total, (k', stands, total'), (k, total)]``: one turn of it, from k cards to k'."""
    busts: Floats
    """``[own total, k', (k, total)]``: one turn of it that busts."""
    finishes: Floats
    """``[own total, (k, total), (k', WIN | TIE | LOSS)]``: all its turns against a standing total,
    with the result for the side that stands."""
    ahead: Floats
    """The same against one with a tiebreaker on the table, which it sees: equal is not enough."""


def replies(habits: Floats) -> Replies:
    """*habits* ``[k, stands, own total, drawn, outcome]`` over whole turns and whole sets."""
    turn = turns(habits)
    moves = np.zeros((TOTALS, COUNTS, 2, TOTALS, COUNTS, TOTALS), np.float32)
    busts = np.zeros((TOTALS, COUNTS, COUNTS, TOTALS), np.float32)
    for k in range(COUNTS):
        for used in range(min(k, 1) + 1):
            part = turn[k, 0, :, :, used * USED : (used + 1) * USED].transpose(0, 2, 1)
            moves[:, k - used, 0, :, k] += part[:, ACTIVE : ACTIVE + TOTALS]
            moves[:, k - used, 1, :, k] += part[:, STOOD : STOOD + TOTALS]
            busts[:, k - used, k] += part[:, BUST]
    return Replies(
        moves.reshape(TOTALS, COUNTS * 2 * TOTALS, COUNTS * TOTALS),
        busts.reshape(TOTALS, COUNTS, COUNTS * TOTALS),
        _finishes(turn[:, 1]),
        # It goes for one more than that total; 20 it cannot beat at all.
        _finishes(turn[:, 1, [*range(1, TOTALS), TOTALS - 1]]),
    )


def _finishes(turn: Floats) -> Floats:
    found: Floats = all_turns(turn[None])[0].transpose(1, 0, 2, 3)
    return found.reshape(TOTALS, COUNTS * TOTALS, COUNTS * 3)
