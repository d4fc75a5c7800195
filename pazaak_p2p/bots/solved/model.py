"""What the opponent will do, by the habits that the solver found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter, mul
from typing import Any, Final, NamedTuple

from pazaak_p2p.bots.solved.tables import DRAWN, Habits, Row

RANKS: Final = range(1, 11)
WIN, TIE, LOSS = 0, 1, 2


class Reply(NamedTuple):
    """What the opponent's turn comes to once it has drawn."""

    chances: tuple[float, ...]
    pick: Callable[[Sequence[float]], Any]
    """From the values of all outcomes (see tables.py) those that *chances* are for."""

    def worth(self, values: Sequence[float]) -> float:
        """The mean of *values*, one for each outcome."""
        picked = self.pick(values)
        if len(self.chances) == 1:
            return float(picked)
        return sum(map(mul, self.chances, picked), 0.0)


class Model:
    """An opponent with these *habits*, against *own* hidden cards."""

    def __init__(self, habits: Habits, own: int) -> None:
        self._habits = habits
        self._own = own
        self._known: dict[tuple[bytes, bytes], Reply] = {}
        self._replies: dict[tuple[int, int, int], list[Reply | None]] = {}

    def row(self, cards: int, stands: int, total: int, drawn: int) -> Row:
        """What it comes to after a draw. *cards*: its own; *stands*, *total*: the own side's."""
        return self._habits.row(self._own, cards, stands, max(total, 0), max(drawn, 1))

    def replies(self, cards: int, stands: int, total: int, lowest: int) -> list[Reply | None]:
        """The same as replies by what it has after the draw, 0 to 30; those above *lowest*."""
        key = (cards, stands, total)
        found = self._replies.get(key)
        if found is None:
            found = self._replies[key] = [None] * (DRAWN + 1)
        for drawn in range(lowest + 1, DRAWN + 1):
            if found[drawn] is None:
                packed = self._habits.packed(self._own, cards, stands, total, drawn)
                reply = self._known.get(packed)
                if reply is None:
                    outcomes, chances = packed
                    whole = sum(chances)
                    shares = tuple(chance / whole for chance in chances)
                    reply = self._known[packed] = Reply(shares, itemgetter(*outcomes))
                found[drawn] = reply
        return found
