"""The opponent as the solver sees it: habits, and what follows from them for a whole set.

Habits are an array ``[own cards, opponent's cards, own side stands, own total, opponent's total
after its draw, what it comes to]``; the last axis is a probability over OUTCOMES.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pazaak_p2p.bots.solved.model import Floats
from pazaak_p2p.bots.solved.tables import BUST, COUNTS, OUTCOMES, STOOD, TOTALS

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
