"""The tables, what has been worked out from them, and single values of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Final, TypeAlias

import numpy as np

from pazaak_p2p.bots.solved.hands import Kinds, hand_numbers
from pazaak_p2p.bots.solved.layers import Size, Ties, Tree, Values
from pazaak_p2p.bots.solved.leaves import Leaves, Stakes
from pazaak_p2p.bots.solved.model import DRAWS, ByHabits, Foresight, Model, model
from pazaak_p2p.bots.solved.outlook import Outlook, outlooks
from pazaak_p2p.bots.solved.tables import (
    BUST,
    MOST_SETS,
    OUTCOMES,
    STOOD,
    TOTALS,
    USED,
    Score,
    Tables,
    shipped,
)
from pazaak_p2p.rules import TARGET

_MOST_HANDS: Final = 2_000
"""Kept at a time, about 140 kB each."""

_Key: TypeAlias = tuple[Stakes, Kinds, Ties]
_Place: TypeAlias = tuple[Size, int]


Draws: TypeAlias = Callable[["Layer"], Values]
"""``[opponent stands, its total]``: before a draw."""


class Layer:
    """The values of one hand against one number of hidden *cards*."""

    def __init__(self, size: Size, place: int, cards: int, foresight: Foresight) -> None:
        self._size, self._place, self._cards, self._foresight = size, place, cards, foresight
        self._own = len(size.hands[0])
        self.won = float(size.won[cards, place])
        self.lost = float(size.lost[cards, place])
        self._even = float(size.even[cards, place])
        self._bare = not self._own and not cards
        # With the opponent's cards as they are, and with one less.
        self._both = cards, max(cards - 1, 0)

    def expected(self, stands: int, total: int) -> Values:
        """Before a draw from an endless deck, by the opponent's total; *stands*: it does."""
        values: Values = self._size.expected[stands, max(total, 0), self._cards, self._place]
        return values

    def after(self, stands: int, total: int) -> Values:
        """With *total* and nothing more to play in this turn, by the opponent's total."""
        values: Values = self._size.after[stands, max(total, 0), self._cards, self._place]
        return values

    def before_draw(self, total: int, ranks: Values) -> Values:
        """``[opponent stands, its total]``: before a draw of each rank (1 to 10) as likely as in
        *ranks*.
        """
        size, cards, place = self._size, self._cards, self._place
        if total >= 0:
            best = size.best[:, total + 1 : total + 11, cards, place]
        else:
            # All totals below 1 are as good as 1.
            best = size.best[:, :, cards, place][:, np.maximum(total + DRAWS, 1)]
        if size.double is not None and size.smaller is not None and place in size.double[0]:
            # R14: the double is worth the rank just drawn.
            rest = size.double[1][int(np.searchsorted(size.double[0], place))]
            made = total + 2 * DRAWS
            after = size.smaller.after[:, :, cards, rest][:, np.clip(made, 0, TARGET)]
            best = np.where((made <= TARGET)[:, None], np.maximum(best, after), best)
        values: Values = ranks @ best
        return values

    def standing(self, total: int, theirs: int, ranks: Values) -> float:
        """Standing with *total*, before the opponent at *theirs* draws, as likely as in *ranks*."""
        size, place, total = self._size, self._place, max(total, 0)
        if self._bare:
            worth = [
                min(self.judged(total, drawn), self.stand(total, drawn))
                if drawn < TARGET
                else self.judged(total, drawn)
                for drawn in range(TOTALS)
            ]
            return self._drawn_bare(worth, theirs, ranks)
        # Against a tiebreaker on the table it goes for one more; 20 it cannot beat at all.
        goal = min(total + 1, TARGET) if size.ahead[place] else total
        values = np.empty(OUTCOMES)
        for used, cards in zip((0, USED), self._both, strict=True):
            stood = used + STOOD
            values[used:stood] = size.alone[total, cards, place]
            values[stood : stood + total] = values[used + BUST] = size.won[cards, place]
            values[stood + total] = size.even[cards, place]
            values[stood + total + 1 : stood + TOTALS] = size.lost[cards, place]
        turn = self._foresight.turn(self._own, self._cards, 1, goal, theirs, ranks)
        return float(turn @ values)

    def ending(self, total: int, theirs: int, ranks: Values, draws: Draws) -> float:
        """The turn ends with *total*, and the opponent at *theirs* draws as likely as in *ranks*.
        *draws*: what then is the own next draw worth.
        """
        if self._bare:
            on, stood = draws(self).tolist()
            worth = [*map(min, on[:TARGET], stood[:TARGET]), stood[TARGET]]
            return self._drawn_bare(worth, theirs, ranks)
        values = np.empty(OUTCOMES)
        for used, cards in zip((0, USED), self._both, strict=True):
            after = Layer(self._size, self._place, cards, self._foresight)
            values[used : used + BUST] = draws(after).ravel()
            values[used + BUST] = after.won
        total = max(total, 0)
        turn = self._foresight.turn(self._own, self._cards, 0, total, theirs, ranks)
        return float(turn @ values)

    def _drawn_bare(self, worth: list[float], theirs: int, ranks: Values) -> float:
        worth += [self.won] * 10
        drawn = np.maximum(theirs + DRAWS, 0)
        return float(np.array(worth)[drawn] @ ranks)

    def stand(self, total: int, theirs: int) -> float:
        """Standing with *total* against one who plays on from *theirs*."""
        return float(self._size.alone[max(total, 0), self._cards, self._place, max(theirs, 0)])

    def judged(self, total: int, theirs: int) -> float:
        """Both stand."""
        return self.won if total > theirs else self.lost if total < theirs else self._even


class Book:
    """Tables, and what has been worked out from them: kept as long as that is not too much.

    Several threads may share one: a bot plays in its own, and a hint is worked out in another.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._models: dict[Score, Model] = {}
        self._outlooks: dict[Score, Outlook] = {}
        self._places: dict[_Key, _Place] = {}
        self._trees: deque[dict[_Key, _Place]] = deque()
        self._hands = 0
        """In all trees, those that several have counted for each."""
        self._lock = Lock()
        """For what is kept of trees; not while one is worked out."""

    def model(self, score: Score) -> Model:
        """The opponent at *score*: own sets to win, its sets to win."""
        found = self._models.get(score)
        if found is None:
            habits = self.tables.habits((score[1], score[0]))
            found = self._models[score] = model(habits)
        return found

    def habits(self, score: Score) -> ByHabits:
        """What the opponent at *score* does, of whom nothing more is known."""
        return ByHabits(self.model(score).habits)

    def outlook(self, score: Score) -> Outlook:
        """How sets are likely to end for a side at *score*."""
        found = self._outlooks.get(score)
        if found is None:
            mirrored = score[1], score[0]
            found, other = outlooks(self.model(score), self.model(mirrored))
            self._outlooks[score], self._outlooks[mirrored] = found, other
        return found

    def layer(
        self,
        stakes: Stakes,
        hand: Kinds,
        cards: int,
        ties: Ties,
        foresight: Foresight | None = None,
    ) -> Layer:
        """*hand* against so many *cards* in a set with these *stakes*. *foresight* of the
        opponent's next turn: its habits, unless another is given.
        """
        size, place = self._find(stakes, hand, ties)
        return Layer(size, place, cards, foresight or self.habits(stakes.score))

    def _find(self, stakes: Stakes, hand: Kinds, ties: Ties) -> _Place:
        # A hand that has lost a card in this set is in the tree of the hand that it was.
        found = self._places.get((stakes, hand, ties))
        if found is None:
            leaves = Leaves(self.tables, stakes)
            tree = Tree(leaves, self.model(stakes.score).replies, hand, ties)
            keys = {
                (stakes, some, Ties(now, ties.played)): (tree.sizes[size], place)
                for (some, now), (size, place) in tree.places.items()
            }
            with self._lock:
                self._keep(keys)
            found = keys[stakes, hand, ties]
        return found

    def _keep(self, keys: dict[_Key, _Place]) -> None:
        self._places.update(keys)
        self._trees.append(keys)
        self._hands += len(keys)
        while self._hands > _MOST_HANDS and len(self._trees) > 1:
            oldest = self._trees.popleft()
            self._hands -= len(oldest)
            for key, place in oldest.items():
                # What a later tree has too is kept there.
                if self._places[key] is place:
                    del self._places[key]

    def forget(self) -> None:
        """Drop what has been worked out for single hands."""
        with self._lock:
            self._trees.clear()
            self._places.clear()
            self._hands = 0


@cache
def shipped_book() -> Book:
    """The book of the tables that ship. Shared by all bots of this process: it only remembers."""
    return Book(shipped())


def read_all(book: Book) -> Book:
    """*book*, with all that its choices would else read and reckon when first made."""
    hand_numbers()
    for own in range(1, MOST_SETS + 1):
        for theirs in range(1, MOST_SETS + 1):
            book.tables.value((own, theirs), True, 0, 0)
            book.outlook((own, theirs))
    return book
