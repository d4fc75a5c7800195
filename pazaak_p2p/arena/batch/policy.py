"""Policies that are tables: when to play a card, when to stand."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pazaak_p2p.rules import TARGET

LOW: Final = 32
"""Totals from -32 to 31 have a place in the tables; lower ones count as -32."""
WIDTH: Final = 64
NO_CARD: Final = 127
"""In ``least``: no card is to be played."""


class Policy(NamedTuple):
    """Two tables ``[opponent stands, opponent's total + LOW, own total + LOW]``."""

    least: npt.NDArray[np.int8]
    """After the draw: the lowest total for which a card is played. The one played makes the highest
    total up to 20; of equals, the card dealt first. NO_CARD: none is."""
    stands: npt.NDArray[np.bool_]
    """Then: whether to stand. Never read above 20, where the set is lost either way."""


def threshold_policy(stand_at: int = 17) -> Policy:
    """What :class:`~pazaak_p2p.bots.ThresholdBot` does."""
    least = np.full((2, WIDTH, WIDTH), NO_CARD, np.int8)
    stands = np.zeros((2, WIDTH, WIDTH), np.bool_)
    for theirs in range(-LOW, WIDTH - LOW):
        for total in range(-LOW, WIDTH - LOW):
            for flag in range(2):
                at = flag, theirs + LOW, total + LOW
                enough = theirs + 1 if flag else stand_at
                if enough <= total <= TARGET:
                    stands[at] = True
                    continue
                if total > TARGET:
                    least[at] = -LOW
                elif flag:
                    least[at] = max(theirs if theirs >= stand_at else enough, total + 1)
                    stands[at] = total == theirs and total >= stand_at
                else:
                    least[at] = max(stand_at, 18)
    return Policy(least, stands)
