"""One set at one score, for many hands at once: backward induction over its positions.

Arrays of values have the axes ``[hand, who opened, opponent's cards, opponent's total]``; there is
one for every own total and for an opponent who still plays (0) or stands (1).
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pazaak_p2p.arena.solver.opponent import ACTIVE, DRAWN
from pazaak_p2p.bots.solved.hands import all_hands, hand_numbers
from pazaak_p2p.bots.solved.layers import CARDS_FROM, DOUBLE, FLIPS, flip_chances
from pazaak_p2p.bots.solved.leaves import TIEBREAKER
from pazaak_p2p.bots.solved.model import Floats, Replies
from pazaak_p2p.bots.solved.tables import BUST, COUNTS, OUTCOMES, STOOD, TOTALS, USED
from pazaak_p2p.rules import CARDS, HAND_SIZE, TARGET

Ints: type = np.int64
HANDS: Final = len(all_hands())
SIZES: Final = np.array([len(hand) for hand in all_hands()])
SMALLER: Final = int((SIZES < HAND_SIZE).sum())
"""Hands that can be what is left of another."""
_NOT: Final = TOTALS
"""The row of a total that a card cannot make: never chosen."""
_SHAPE: Final = (2, COUNTS, TOTALS)


def _without() -> npt.NDArray[np.int64]:
    """``[hand, slot]``: the hand without the card in that slot."""
    numbers = hand_numbers()
    out = np.zeros((HANDS, HAND_SIZE), np.int64)
    for number, hand in enumerate(all_hands()):
        for slot in range(len(hand)):
            out[number, slot] = numbers[hand[:slot] + hand[slot + 1 :]]
    return out


WITHOUT: Final = _without()
KIND: Final = np.array([hand + (-1,) * (HAND_SIZE - len(hand)) for hand in all_hands()])
_NONE: Final = 99
VALUES: Final = np.array(
    [[*(card.values if not card.flips else ()), *[_NONE] * 4][:4] for card in CARDS] + [[_NONE] * 4]
)


@cache
def _flipped_shares(kind: int) -> Floats:
    return flip_chances(kind).astype(np.float32)


@cache
def _rank_shares() -> Floats:
    """``[total after a draw, below 20, rank]``: how likely that draw was of each rank."""
    visits = np.zeros(TARGET)
    visits[0] = 1
    shares = np.zeros((TARGET, 11), np.float32)
    for total in range(1, TARGET):
        for rank in range(1, min(10, total) + 1):
            shares[total, rank] = visits[total - rank]
        visits[total] = shares[total].sum() / 10
        shares[total] /= shares[total].sum()
    return shares


class _Holders(NamedTuple):
    """Which hands hold a card of a kind, and what is left of each without it."""

    rows: npt.NDArray[np.int64]
    left: npt.NDArray[np.int64]


class _Chances(NamedTuple):
    """What those *rows* do by chance: *ways* are how likely, and what comes of it (-1: nothing)."""

    rows: npt.NDArray[np.int64]
    ways: list[tuple[float, npt.NDArray[np.int8]]]


class Leaves(NamedTuple):
    """Chances to win the match after this set: ``[hand, who opened this set, their cards]``."""

    win: Floats
    tie: Floats
    loss: Floats


class Store:
    """What is known of the hands of up to three cards, which larger hands come down to."""

    def __init__(self) -> None:
        rows = (2, 2, TOTALS + 1, SMALLER, *_SHAPE)
        # [tiebreaker on the table, opponent stands, own total, hand, ...]
        self.after = np.full(rows, -1, np.float32)
        self.stands = np.zeros(rows[1:], np.bool_)


def solve_size(
    hands: npt.NDArray[np.int64],
    leaves: Leaves,
    model: Replies,
    store: Store,
    weights: Floats | None = None,
    habits: Floats | None = None,
) -> Floats:
    """The values ``[hand, who opens, opponent's cards]`` at the start of a set of *hands*.

    All hands have the same size, and the smaller ones are in *store*, where these go too. With
    *weights* (a number for each hand) their choices are added to *habits* ``[opponent's cards,
    opponent stands, its total, own total, outcome]``.
    """
    return _Size(hands, leaves, model, store, weights, habits).solve()


class _Size:
    def __init__(
        self,
        hands: npt.NDArray[np.int64],
        leaves: Leaves,
        model: Replies,
        store: Store,
        weights: Floats | None,
        habits: Floats | None,
    ) -> None:
        self.hands, self.store = hands, store
        self.weights, self.habits = weights, habits
        self.size = int(SIZES[hands[0]])
        self.turns, self.finishes, self.ahead = (part[self.size] for part in model)
        self.win, self.tie, self.loss = (leaf[hands] for leaf in leaves)
        self.count = len(hands)
        self.slots = [(KIND[hands, slot], WITHOUT[hands, slot]) for slot in range(self.size)]
        self.flips = {flip: self._holders(flip) for flip in FLIPS}
        self.doubles = self._holders(DOUBLE)

    def _holders(self, kind: int) -> _Holders:
        left = np.full(self.count, -1)
        for kinds, without in self.slots:
            left = np.where(kinds == kind, without, left)
        rows = np.flatnonzero(left >= 0)
        return _Holders(rows, left[rows])

    def solve(self) -> Floats:
        drawn: list[tuple[Floats, Floats]] = [None] * DRAWN  # type: ignore[list-item]
        for total in reversed(range(DRAWN)):
            if total > 20:
                low = np.broadcast_to(self.loss[..., None], (self.count, *_SHAPE))
                after = [low, low]
                stands = None
            else:
                going = self._expected(drawn, total)
                end = [self._reply(going, total), going[1]]
                after, stands = self._settle(end, total)
            if total:
                drawn[total] = (
                    self._best(after[0], stands, total, 0),
                    self._best(after[1], stands, total, 1),
                )
        value = np.empty((self.count, 2, COUNTS), np.float32)
        value[:, 1] = going[0][:, 1, :, 0]
        value[:, 0] = end[0][:, 0, :, 0]
        return value

    def _expected(self, drawn: list[tuple[Floats, Floats]], total: int) -> list[Floats]:
        """Before the draw: the mean over the ten ranks."""
        out = []
        for stands in range(2):
            mean = np.zeros((self.count, *_SHAPE), np.float32)
            for rank in range(1, 11):
                best = drawn[total + rank][stands]
                mean += best
                made = total + 2 * rank
                if made <= TARGET:  # R14: the double is worth the rank just drawn.
                    rows, left = self.doubles
                    other = self.store.after[0, stands, made][left]
                    mean[rows] += np.maximum(other - best[rows], 0)
            mean /= 10
            out.append(mean)
        return out

    def _reply(self, going: list[Floats], total: int) -> Floats:
        """After the turn ended at *total*: the opponent's turn."""
        won = self.win.reshape(-1, COUNTS).T
        comes_to = np.zeros((*won.shape, OUTCOMES), np.float32)
        comes_to[..., BUST] = won
        comes_to[1:, :, USED + BUST] = won[:-1]
        for at, values in zip((ACTIVE, STOOD), going, strict=True):
            part = values.reshape(-1, COUNTS, TOTALS).transpose(1, 0, 2)
            comes_to[..., at : at + TOTALS] = part
            comes_to[1:, :, USED + at : USED + at + TOTALS] = part[:-1]
        return self._by_hand(comes_to @ self.turns[total])

    def _by_hand(self, values: Floats) -> Floats:
        """From ``[opponent's cards, (hand, who opened), ...]``."""
        return np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(self.count, *_SHAPE)

    def _standing(self, total: int, tie: Floats) -> list[Floats]:
        """*tie* is what equal totals are worth: a win with a tiebreaker on the table (R17)."""
        leaves = np.stack([self.win, tie, self.loss], axis=3).reshape(self.count * 2, -1)
        finishes = self.ahead if tie is self.win else self.finishes
        alone = self._by_hand(leaves @ finishes[total])
        judged = np.empty((self.count, *_SHAPE), np.float32)
        judged[..., :total] = self.win[..., None]
        judged[..., total] = tie
        judged[..., total + 1 :] = self.loss[..., None]
        return [alone, judged]

    def _settle(
        self, end: list[Floats], total: int
    ) -> tuple[list[Floats], list[npt.NDArray[np.bool_]]]:
        """The better of standing and ending at *total*; both, with no card left to play."""
        after, stands = [], []
        for flag, stand in enumerate(self._standing(total, self.tie)):
            stands.append(stand >= end[flag] if total < 20 else np.ones_like(stand, np.bool_))
            after.append(np.where(stands[flag], stand, end[flag]))
        if self.size < HAND_SIZE:
            for flag, stand in enumerate(self._standing(total, self.win)):
                self.store.after[0, flag, total, self.hands] = after[flag]
                self.store.stands[flag, total, self.hands] = stands[flag]
                best = np.maximum(stand, end[flag]) if total < 20 else stand
                self.store.after[1, flag, total, self.hands] = best
        return after, stands

    def _best(
        self, base: Floats, stands: list[npt.NDArray[np.bool_]] | None, total: int, flag: int
    ) -> Floats:
        """After the draw: the best of playing nothing and of each card."""
        best: Floats = base
        choice = None
        chances: list[_Chances] = []
        if self.habits is not None:
            choice = np.full(base.shape, BUST, np.int8)
            if stands is not None:
                choice[...] = np.where(stands[flag], STOOD + total, ACTIVE + total)
        if total != 20 and (total >= CARDS_FROM or flag):
            for kind, left in self.slots:
                for values in VALUES[kind].T:
                    made = total + values
                    possible = (values != _NONE) & (made <= 20)
                    if not possible.any():
                        continue
                    row = np.where(possible, np.maximum(made, 0), _NOT)
                    tied = (kind == TIEBREAKER).astype(np.int64)
                    value = self.store.after[tied, flag, row, left]
                    if choice is not None:
                        stood = self.store.stands[flag, row, left]
                        code = np.where(stood, STOOD, ACTIVE) + row[:, None, None, None] + USED
                        choice = np.where(value > best + 1e-7, code, choice).astype(np.int8)
                    best = np.maximum(best, value)
            for flip in FLIPS:
                best, turning = self._flipped(best, flip, total, flag)
                chances.append(turning)
        if choice is not None:
            chances.append(self._doubled(best, total, flag))
            self._note(choice, chances, total, flag)
        return best

    def _flipped(self, best: Floats, flip: int, total: int, flag: int) -> tuple[Floats, _Chances]:
        """With a flip in the hand: averaged over what may lie on the table (R15)."""
        rows, left = self.flips[flip]
        before, ways = best[rows], []
        if not len(rows):
            return best, _Chances(rows, [])
        mean = np.zeros_like(before)
        for turned, chance in enumerate(_flipped_shares(flip)[total]):
            made = total - 2 * turned
            if chance == 0 or turned == 0 or made > TARGET:
                mean += chance * before
                continue
            other, codes = self._placed(before, max(made, 0), left, flag)
            mean += chance * np.maximum(before, other)
            ways.append((float(chance), codes))
        best = best.copy()
        best[rows] = mean
        return best, _Chances(rows, ways)

    def _doubled(self, best: Floats, total: int, flag: int) -> _Chances:
        """With a double in the hand: by what the draw may have been, of which it has the worth."""
        rows, left = self.doubles
        ways = []
        if len(rows):
            for rank in range(1, min(10, TARGET - total) + 1):
                chance = float(_rank_shares()[total, rank])
                if chance:
                    _, codes = self._placed(best[rows], total + rank, left, flag)
                    ways.append((chance, codes))
        return _Chances(rows, ways)

    def _placed(
        self, before: Floats, made: int, left: npt.NDArray[np.int64], flag: int
    ) -> tuple[Floats, npt.NDArray[np.int8]]:
        """A card makes the total *made*: the values, and what comes of it where it is better."""
        other: Floats = self.store.after[0, flag, made, left]
        stood = self.store.stands[flag, made, left]
        code = np.where(stood, STOOD, ACTIVE) + made + USED
        return other, np.where(other > before + 1e-7, code, -1).astype(np.int8)

    def _note(
        self, choice: npt.NDArray[np.int8], chances: list[_Chances], total: int, flag: int
    ) -> None:
        """Add to the habits: first what is done by chance, the last of it first, then *choice*."""
        rest = np.ones(choice.shape, np.float32)
        for rows, ways in reversed(chances):
            taken = np.zeros((len(rows), *choice.shape[1:]), np.float32)
            for chance, codes in ways:
                self._add(codes, chance * rest[rows], rows, total, flag)
                taken += chance * (codes >= 0)
            rest[rows] *= 1 - taken
        self._add(choice, rest, np.arange(self.count), total, flag)

    def _add(
        self,
        codes: npt.NDArray[np.int8],
        shares: Floats,
        rows: npt.NDArray[np.int64],
        total: int,
        flag: int,
    ) -> None:
        assert self.habits is not None
        assert self.weights is not None
        for outcome in np.unique(codes[codes >= 0]):
            share = np.where(codes == outcome, shares, np.float32(0)).mean(axis=1)
            mass = np.tensordot(self.weights[rows], share, axes=1)
            self.habits[:, flag, :, total, outcome] += mass


def no_habits() -> Floats:
    """Habits of one size of hand, to be added to."""
    return np.zeros((COUNTS, 2, TOTALS, DRAWN, OUTCOMES), np.float32)
