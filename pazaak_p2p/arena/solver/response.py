"""The best response to ``master`` by who sees its hand: exact, position by position.

As the tables have it: green cards come from an endless deck, nine cards are not looked for (R16),
and master goes by its tables' averages of what an opponent does. Not for hands with flips (R15) or
tiebreakers (R17): there it counts too what lies on the table.

What is left of a hand of four is a *part* of it: a number from 0 to 15, a bit for every card that
is still there, the first card's lowest. Arrays of values have the axes ``[own part, own total,
master's total, master's part]`` unless they say otherwise; they are chances of the responder, who
is "we" here, to win the match. Totals below 0 are taken as 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from statistics import fmean
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.master import DOUBLED, SAFE
from pazaak_p2p.bots.solved.book import Book
from pazaak_p2p.bots.solved.hands import Kinds
from pazaak_p2p.bots.solved.layers import DOUBLE, Size, Ties, Tree
from pazaak_p2p.bots.solved.leaves import Leaves, Stakes
from pazaak_p2p.bots.solved.model import LOSS, TIE, WIN
from pazaak_p2p.bots.solved.tables import MOST_SETS, TOTALS, Score
from pazaak_p2p.rules import CARDS, HAND_SIZE, TARGET

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]

RANKS: Final = 10
PARTS: Final = 2**HAND_SIZE
HELD: Final = np.array([part.bit_count() for part in range(PARTS)])
ALL: Final = PARTS - 1
ENDED, STOOD, BUST = (way * TOTALS * PARTS for way in range(3))
"""What comes of a turn of master is the way in which it ends, plus PARTS times its total, plus what
is then left of its hand. (A bust has no total.)"""
_SETTLED: Final = 1e-4
"""Of a chance to win the match, from one pass to the next: ties bring less than a fifth of it back.
"""


def replies_of(book: Book, hand: Kinds, score: Score, opened: bool) -> Codes:
    """What comes of each draw of master, who was dealt *hand*: ``[its part, our cards, we stand,
    our total, its total before the draw, rank - 1]``.

    *score*: sets that it and we have to win. *opened*: it opened the set.
    """
    stakes = Stakes(score, (float(not opened),) * 3)
    tree = Tree(Leaves(book.tables, stakes), book.model(score).replies, hand, Ties())
    return np.stack([_Turns(tree, hand, part).codes() for part in range(PARTS)])


class _Turns:
    """Turns of master with a *part* of its *hand*."""

    def __init__(self, tree: Tree, hand: Kinds, part: int) -> None:
        self._tree, self._hand, self._part = tree, hand, part

    def codes(self) -> Codes:
        """``[our cards, we stand, our total, its total before the draw, rank - 1]``"""
        size, place = self._find(self._part)
        before, rank = np.mgrid[0:TOTALS, 1 : RANKS + 1]
        drawn = before + rank
        over = (drawn > TARGET)[..., None, None]
        values, codes = self._after(self._part)
        kept = np.minimum(drawn, TARGET)
        # [we stand, before, rank, our cards, our total]
        best = np.where(over, size.lost[:, place, None], values[:, kept])
        code = np.where(over, BUST + self._part, codes[:, kept])
        # As in plainly_ends() of the bot.
        doubles = DOUBLE in size.hands[place]
        quick = (drawn <= SAFE) & ~((rank >= DOUBLED) & doubles)
        quick = quick[..., None, None] & np.array([True, False])[:, None, None, None, None]
        code = np.where(quick, ENDED + drawn[..., None, None] * PARTS + self._part, code)
        for at, kind in _cards(self._hand, self._part):
            values, codes = self._after(self._part & ~(1 << at))
            for made in _made(kind, drawn, rank):
                placed = np.clip(made, 0, TARGET)
                possible = (made <= TARGET) & (drawn != TARGET)
                better = possible[..., None, None] & ~quick & (values[:, placed] > best + 1e-9)
                best = np.where(better, values[:, placed], best)
                code = np.where(better, codes[:, placed], code)
        return code.transpose(3, 0, 4, 1, 2).astype(np.int32)

    def _find(self, part: int) -> tuple[Size, int]:
        held = tuple(kind for _, kind in _cards(self._hand, part))
        size, place = self._tree.places[held, TIE]
        return self._tree.sizes[size], place

    def _after(self, part: int) -> tuple[Floats, Ints]:
        """``[we stand, its total, our cards, our total]``: with no card left to play in the turn,
        what master has from it, and what comes of it.
        """
        size, place = self._find(part)
        values = size.after[:, :, :, place]
        judged = np.stack([size.judged(total)[:, place] for total in range(TOTALS)])
        stands = np.stack([size.alone[:, :, place], judged]) >= values - 1e-12
        stands[:, TARGET] = True  # R11
        totals = np.arange(TOTALS)[:, None, None] * PARTS + part
        return values, np.where(stands, STOOD, ENDED) + totals


def _cards(hand: Kinds, part: int) -> Iterator[tuple[int, int]]:
    return ((at, kind) for at, kind in enumerate(hand) if part >> at & 1)


def _made(kind: int, drawn: Ints, rank: Ints) -> list[Ints]:
    """The totals that a card of *kind* makes."""
    return [drawn + value for value in CARDS[kind].values] if kind != DOUBLE else [drawn + rank]


class Response:
    """The best that can be done with *hand* against master with *masters*, both dealt four."""

    def __init__(self, hand: Kinds, masters: Kinds, book: Book) -> None:
        self._hand, self._masters, self._book = hand, masters, book
        self.values: dict[tuple[Score, bool], Floats] = {}
        """By sets to win (ours, master's) and whether we open: ``[own part, master's part]``."""
        self.sets: dict[tuple[Score, bool], Set] = {}
        for own, other in product(range(1, MOST_SETS + 1), repeat=2):
            self._settle(own, other)

    @property
    def chance(self) -> float:
        """To win the match, each side opening half of the times."""
        start = MOST_SETS, MOST_SETS
        return fmean(float(self.values[start, opens][ALL, ALL]) for opens in (False, True))

    def _settle(self, own: int, other: int) -> None:
        """Both openers with so many sets to win, as a tie leads from one to the other (R6)."""
        score = own, other
        turns = {
            opens: replies_of(self._book, self._masters, (other, own), not opens)
            for opens in (False, True)
        }
        for opens in turns:
            self.values[score, opens] = np.full((PARTS, PARTS), 0.5)
        change = 1.0
        while change > _SETTLED:
            change = 0.0
            for opens, codes in turns.items():
                after = ((own - 1, other), score, (own, other - 1))
                ends = np.stack([self._value(each, not opens) for each in after])
                found = Set(self._hand, codes, ends)
                new = found.first[int(opens)]
                change = max(change, float(np.abs(new - self.values[score, opens]).max()))
                self.values[score, opens], self.sets[score, opens] = new, found

    def _value(self, score: Score, opens: bool) -> Floats:
        if not score[0] or not score[1]:
            return np.full((PARTS, PARTS), float(not score[0]))
        return self.values[score, opens]


class Set:
    """One set, solved. *codes* are what comes of master's draws; *ends* ``[WIN | TIE | LOSS, own
    part, master's part]`` is what the set's end is worth.
    """

    def __init__(self, hand: Kinds, codes: Codes, ends: Floats) -> None:
        self.hand, self.codes, self.ends = hand, codes, ends
        shape = (PARTS, TOTALS, TOTALS, PARTS)
        own, other = np.mgrid[0:TOTALS, 0:TOTALS]
        results = np.where(own > other, WIN, np.where(own == other, TIE, LOSS))
        self.judged = np.ascontiguousarray(ends[results].transpose(2, 0, 1, 3))
        """Both stand."""
        self.alone = np.empty(shape)
        """We stand, and master goes on."""
        self.before = np.empty((2, *shape))
        """``[master stands, ...]``: before our draw."""
        self.after = np.empty((2, *shape))
        """``[master stands, ...]``: with no card left to play in our turn."""
        self.first = np.empty((2, PARTS, PARTS))
        """``[we open, own part, master's part]``: the start of the set."""
        for size in range(HAND_SIZE + 1):
            self._solve(np.flatnonzero(size == HELD), size)

    def _solve(self, parts: Ints, size: int) -> None:
        """Our *parts* of one size, those with a card less being done."""
        self._go_on(parts, size)
        win, _, loss = self.ends[:, parts]
        # Of our totals 0 to 30: [master stands, part, master's total, its part].
        best = np.empty((TOTALS + RANKS, 2, len(parts), TOTALS, PARTS))
        best[TARGET + 1 :] = loss[:, None]
        for total in range(TARGET + 1, TOTALS + RANKS):
            self._place(parts, best[total], total)
        for total in reversed(range(TOTALS)):
            before = self._draw(parts, best, total)
            codes = self.codes[:, size, 0, total]
            ways = [*before.reshape(2, len(parts), -1), win]
            ends = np.concatenate(ways, axis=1)[:, codes].mean(axis=3).transpose(0, 2, 1)
            stands = np.stack([self.alone[parts, total], self.judged[parts, total]])
            after = stands if total == TARGET else np.maximum(stands, [ends, before[1]])
            self.before[:, parts, total] = before
            self.after[:, parts, total] = best[total] = after
            if total != TARGET:
                self._place(parts, best[total], total)
        self.first[0, parts], self.first[1, parts] = ends[:, 0], before[0][:, 0]

    def _go_on(self, parts: Ints, size: int) -> None:
        """We stand, and master goes on."""
        codes = self.codes[:, size, 1]  # [its part, our total, its total, rank]
        bust = np.broadcast_to(self.ends[WIN, parts][:, None], (len(parts), TOTALS, PARTS))
        stood = self.judged[parts].reshape(len(parts), TOTALS, -1)
        worth = np.concatenate([np.empty_like(stood), stood, bust], axis=2)
        rows = np.arange(TOTALS)[:, None, None]
        for held in range(HAND_SIZE + 1):
            its = np.flatnonzero(held == HELD)
            # Without a card its total has grown; what it comes to with one less is done.
            for total in reversed(range(TOTALS)):
                comes_to = codes[its, :, total].transpose(1, 0, 2)
                worth[:, :, total * PARTS + its] = worth[:, rows, comes_to].mean(axis=3)
        self.alone[parts] = worth[:, :, : TOTALS * PARTS].reshape(-1, TOTALS, TOTALS, PARTS)

    def _place(self, parts: Ints, best: Floats, total: int) -> None:
        """Put into *best* ``[master stands, part, ...]`` what a card makes of our *total*."""
        for at, kind in enumerate(self.hand):
            holding = np.flatnonzero(parts >> at & 1)
            if kind == DOUBLE or not len(holding):
                continue
            left = parts[holding] & ~(1 << at)
            for value in CARDS[kind].values:
                if total + value <= TARGET:
                    new = self.after[:, left, max(total + value, 0)]
                    best[:, holding] = np.maximum(best[:, holding], new)

    def _draw(self, parts: Ints, best: Floats, total: int) -> Floats:
        """The mean over the ten ranks."""
        drawn = best[total + 1 : total + RANKS + 1]
        if DOUBLE in self.hand:
            drawn = drawn.copy()
            for at, kind in enumerate(self.hand):
                holding = np.flatnonzero(parts >> at & 1)
                if kind != DOUBLE or not len(holding):
                    continue
                left = parts[holding] & ~(1 << at)
                # R14: the double is worth the rank just drawn.
                for rank in range(1, (TARGET - total) // 2 + 1):
                    if rank > RANKS or total + rank == TARGET:
                        continue
                    new = self.after[:, left, total + 2 * rank]
                    drawn[rank - 1][:, holding] = np.maximum(drawn[rank - 1][:, holding], new)
        mean: Floats = drawn.mean(axis=0)
        return mean
