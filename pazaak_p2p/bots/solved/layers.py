"""Backward induction over what is left of a set, for the hand that is really held.

The same computation as in the solver (arena/solver/layers.py), for one hand and all that it may
come down to. Green cards come from an endless deck; the exact rest of the deck is for the next
draws only (chances.py). Arrays of values have the axes ``[opponent stands, own total, opponent's
cards, hand, opponent's total]``.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.solved.hands import Kinds
from pazaak_p2p.bots.solved.leaves import TIEBREAKER, Leaves
from pazaak_p2p.bots.solved.model import LOSS, TIE, WIN, Replies
from pazaak_p2p.bots.solved.tables import BUST, COUNTS, OUTCOMES, STOOD, TOTALS, USED
from pazaak_p2p.rules import CARDS, TARGET, Card, Kind

Values: TypeAlias = npt.NDArray[np.float64]

DRAWN: Final = 31
"""Totals after a draw: 0 to 30."""
DOUBLE: Final = Card.DOUBLE.number - 1
FLIPS: Final = {c.number - 1: c.flips for c in CARDS if c.kind is Kind.FLIP}
_VALUES: Final = [() if c.kind is Kind.FLIP else c.values for c in CARDS]
CARDS_FROM: Final = 8
"""Below this total a card is not looked at, but for a double and against one who stands."""
_OVER: Final = range(TARGET + 1, DRAWN)
_NEXT_TEN: Final = np.array(
    [[0.1 * (before < drawn <= before + 10) for before in range(TOTALS)] for drawn in range(DRAWN)]
)
"""Takes values after a draw to their mean before it."""


class Ties(NamedTuple):
    """What equal totals come to (R17)."""

    now: int = TIE
    played: int = WIN
    """Once another own tiebreaker is on the table."""


@cache
def flip_chances(kind: int) -> Values:
    """``[total after a draw, sum of the green cards that the flip would turn]``, rows sum to 1."""
    turned = {number for number in FLIPS[kind] if number > 0}
    ways = np.zeros((DRAWN, DRAWN))
    ways[0, 0] = 1
    for total in range(1, DRAWN):
        for rank in range(1, min(10, total) + 1):
            if total - rank <= TARGET:
                shift = rank if rank in turned else 0
                ways[total, shift:] += ways[total - rank, : DRAWN - shift] / 10
    out: Values = ways / ways.sum(axis=1, keepdims=True)
    return out


class Tree:
    """What is left of a set for *hand* and every hand that it may come down to."""

    def __init__(self, leaves: Leaves, replies: Replies, hand: Kinds, ties: Ties) -> None:
        self.sizes: list[Size] = []
        self.places: dict[tuple[Kinds, int], tuple[int, int]] = {}
        """By hand, and what equal totals come to with it: its size, and its place among those."""
        smaller = None
        for size in range(len(hand) + 1):
            hands = sorted(set(combinations(hand, size)))
            held = hand.count(TIEBREAKER)
            # A tiebreaker that is missing lies on the table.
            tied = [
                ties.now if some.count(TIEBREAKER) == held or leaves.stakes.lays else ties.played
                for some in hands
            ]
            smaller = Size(hands, tied, leaves, replies, smaller)
            self.sizes.append(smaller)
            for place, key in enumerate(zip(hands, tied, strict=True)):
                self.places[key] = size, place


class Size:
    """All the *hands* of one size; those with a card less are in *smaller*."""

    def __init__(
        self,
        hands: list[Kinds],
        tied: list[int],
        leaves: Leaves,
        replies: Replies,
        smaller: Size | None,
    ) -> None:
        self.hands, self.smaller = hands, smaller
        own = len(hands[0])
        after_set = np.array([leaves.of(hand) for hand in hands]).reshape(-1, COUNTS, 3)
        self.won, tie, self.lost = after_set.transpose(2, 1, 0)
        self.ahead, behind = np.array(tied) == WIN, np.array(tied) == LOSS
        self.even = np.where(self.ahead, self.won, np.where(behind, self.lost, tie))
        shape = (COUNTS, len(hands), TOTALS)
        self.after = np.empty((2, TOTALS, *shape))
        """After the turn, with no card left to play in it."""
        self.expected = np.empty((2, TOTALS, *shape))
        """Before the draw."""
        self.best = np.empty((2, DRAWN, *shape))
        """After a draw. What a double would make (R14) hangs on the rank: that is in *expected*."""
        flat = np.stack([self.won, self.even, self.lost], axis=2).transpose(1, 0, 2)
        flat = flat.reshape(1, 1, len(hands), -1)
        self.alone = flat @ replies.finishes[own]
        """Standing, against one who plays on: ``[own total, ...]``."""
        if self.ahead.any():
            self.alone[:, :, self.ahead] = flat[:, :, self.ahead] @ replies.ahead[own]
        self.rests = [(kind, *self._without(kind)) for kind in sorted(set().union(*hands))]
        """Kinds of cards, the hands that hold one, and what is left of each without it."""
        self.double = next((rest[1:] for rest in self.rests if rest[0] == DOUBLE), None)
        """The same for the double alone."""
        if not own:
            self.alone[:, 0, 0] = self._bare_alone()
        self._solve(replies.turns[own])

    def _without(self, kind: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        assert self.smaller is not None
        having, left = [], []
        for place, hand in enumerate(self.hands):
            if kind in hand:
                at = hand.index(kind)
                having.append(place)
                left.append(self.smaller.hands.index(hand[:at] + hand[at + 1 :]))
        return np.array(having), np.array(left)

    def judged(self, total: int) -> Values:
        """Both stand: ``[opponent's cards, hand, opponent's total]``."""
        out = np.empty((*self.won.shape, TOTALS))
        out[..., :total] = self.won[..., None]
        out[..., total] = self.even
        out[..., total + 1 :] = self.lost[..., None]
        return out

    # --- induction

    def _solve(self, turns: npt.NDArray[np.float32]) -> None:
        after, best = self.after, self.best
        best[:, TARGET + 1 :] = self.lost[..., None]
        cards = self._cards()
        self._flip()
        # What the opponent's turn may come to, in the order of tables.py.
        comes_to = np.zeros((*self.won.shape, OUTCOMES))
        comes_to[..., BUST] = self.won
        comes_to[1:, :, USED + BUST] = self.won[:-1]
        for total in reversed(range(TOTALS)):
            going = self._mean(total)
            self.expected[:, total] = going
            for at, part in ((0, going[0]), (STOOD, going[1])):
                comes_to[..., at : at + TOTALS] = part
                comes_to[1:, :, USED + at : USED + at + TOTALS] = part[:-1]
            judged = self.judged(total)
            if total == TARGET:
                after[0, total], after[1, total] = self.alone[total], judged
            else:
                ends = comes_to @ turns[total]
                if not self.smaller:
                    ends[0, 0] = self._bare_ends(going)
                np.maximum(self.alone[total], ends, out=after[0, total])
                np.maximum(judged, going[1], out=after[1, total])
            best[:, total] = after[:, total]
            if cards is not None and total < TARGET:
                np.maximum(best[:, total], cards[:, total], out=best[:, total])

    def _cards(self) -> Values | None:
        """What the best card makes of each total up to 20; over 20 it is put into *best*."""
        smaller = self.smaller
        if smaller is None:
            return None
        made = np.full(self.after.shape, -np.inf)
        for kind, having, left in self.rests:
            for value in _VALUES[kind]:
                low, high = max(0, -value), min(TARGET, TARGET - value)
                for rows, start, stop in (
                    (made, low, min(high, TARGET - 1) + 1),
                    (self.best, TARGET + 1, TARGET - value + 1),
                ):
                    if start < stop:
                        old = rows[:, start:stop, :, having]
                        new = smaller.after[:, start + value : stop + value, :, left]
                        rows[:, start:stop, :, having] = np.maximum(old, new)
        made[0, :CARDS_FROM] = -np.inf
        return made

    def _flip(self) -> None:
        """Over 20, averaged over what may lie on the table (R15). (Up to 20 flips are looked at
        where the choice is really to be made.)
        """
        smaller = self.smaller
        for kind, having, left in self.rests:
            if smaller is None or kind not in FLIPS:
                continue
            chances = flip_chances(kind)[TARGET + 1 :]
            sums = np.flatnonzero(chances.any(axis=0))
            made = np.array(_OVER)[:, None] - 2 * sums
            weights = chances[:, sums] * ((made <= TARGET) & (sums > 0))
            old = self.best[:, TARGET + 1 :, :, having]
            turned = smaller.after[:, :, :, left][:, np.clip(made, 0, TARGET)]
            np.maximum(turned, old[:, :, None], out=turned)
            rest = 1 - weights.sum(axis=1)
            self.best[:, TARGET + 1 :, :, having] = old * rest[:, None, None, None] + np.einsum(
                "dt,sdtkhu->sdkhu", weights, turned
            )

    def _mean(self, total: int) -> Values:
        best = self.best[:, total + 1 : total + 11]
        mean: Values = best.sum(axis=1)
        ranks = (TARGET - total) // 2
        if self.double is not None and self.smaller is not None and ranks:
            having, left = self.double
            old = best[:, :ranks, :, having]
            new = self.smaller.after[:, total + 2 : total + 2 * ranks + 1 : 2, :, left]
            mean[:, :, having] += np.maximum(new - old, 0).sum(axis=1)
        mean /= 10
        return mean

    # --- where nobody holds a card: the opponent's best play, exactly

    def _bare_alone(self) -> Values:
        """``[own total, opponent's total]``"""
        judged = np.stack([self.judged(total)[0, 0] for total in range(TOTALS)])
        # With totals after the draw up to 30: over 20 the own side has won.
        worth = np.full((TOTALS, DRAWN), self.won[0, 0])
        worth[:, TARGET] = judged[:, TARGET]
        alone = np.empty((TOTALS, TOTALS))
        for theirs in reversed(range(TOTALS)):
            alone[:, theirs] = worth[:, theirs + 1 : theirs + 11].sum(axis=1) / 10
            if theirs < TARGET:
                worth[:, theirs] = np.minimum(judged[:, theirs], alone[:, theirs])
        return alone

    def _bare_ends(self, going: Values) -> Values:
        """``[opponent's total]``"""
        worth = np.full(DRAWN, self.won[0, 0])
        worth[:TARGET] = going[:, 0, 0, :TARGET].min(axis=0)
        worth[TARGET] = going[1, 0, 0, TARGET]
        mean: Values = worth @ _NEXT_TEN
        return mean
