"""How a set is likely to end, from a position, when both sides have the habits of the tables.

Not for playing: a side's own hand counts here only by its number of cards. It is for guessing what
somebody with another hand would have chosen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from pazaak_p2p.bots.solved.model import LOSS, TIE, WIN, Floats, Model
from pazaak_p2p.bots.solved.tables import BUST, COUNTS, OUTCOMES, STOOD, TOTALS, USED

RESULTS: Final = 3
_TURNS: Final = 8
"""Of each side, after which it is taken to stand: few sets that are open last longer."""
_MIRRORED: Final = [LOSS, TIE, WIN]


class Outlook(NamedTuple):
    """How likely a side wins, ties and loses the set, with what it has after its turn. Axes:
    ``[own cards, own total, other's cards, WIN | TIE | LOSS, other's total]``.
    """

    stood: Floats
    """It stands, and the other plays on."""
    ended: Floats
    """It ended its turn, and the other plays on."""
    alone: Floats
    """It ended its turn, and the other stands."""


def outlooks(first: Model, second: Model) -> tuple[Outlook, Outlook]:
    """Of two sides. *first* is the second side as the first sees it, *second* the other way."""
    models = first, second
    stood = [_results(model.replies.finishes) for model in models]
    alone = [_mirrored(part) for part in reversed(stood)]
    ended = stood
    for _ in range(_TURNS):
        going = [_mirrored(part) for part in reversed(ended)]
        ended = [
            _after_its_turn(model.replies.turns, on, stands)
            for model, on, stands in zip(models, going, alone, strict=True)
        ]
    return Outlook(stood[0], ended[0], alone[0]), Outlook(stood[1], ended[1], alone[1])


def _results(finishes: Floats) -> Floats:
    """Without what is left to the other."""
    whole = finishes.reshape(COUNTS, TOTALS, COUNTS, COUNTS, RESULTS, TOTALS)
    return np.asarray(whole.sum(axis=3), np.float32)


def _mirrored(values: Floats) -> Floats:
    """From the other side: cards and totals change places, and so do WIN and LOSS."""
    return np.ascontiguousarray(values.transpose(2, 4, 0, 3, 1)[:, :, :, _MIRRORED])


def _after_its_turn(turns: Floats, going: Floats, alone: Floats) -> Floats:
    """The other takes its turn, and what it comes to is worth *going* where it ends its turn,
    *alone* where it stands.
    """
    comes_to = np.zeros((COUNTS, TOTALS, COUNTS, RESULTS, OUTCOMES), np.float32)
    for at, part in ((0, going), (STOOD, alone)):
        comes_to[..., at : at + TOTALS] = part
        comes_to[:, :, 1:, :, USED + at : USED + at + TOTALS] = part[:, :, :-1]
    comes_to[..., WIN, BUST] = comes_to[..., WIN, USED + BUST] = 1
    return comes_to @ turns
