"""What the opponent will do, by the habits that the solver found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from pazaak_p2p.bots.solved.tables import (
    BUST,
    COUNTS,
    STOOD,
    USED,
    Habits,
    Row,
)
from pazaak_p2p.rules import TARGET

RANKS: Final = range(1, 11)
WIN, TIE, LOSS = 0, 1, 2


class Turn(NamedTuple):
    """One turn of the opponent, from an endless deck."""

    chances: tuple[float, ...]
    pick: Callable[[Sequence[float]], tuple[Any, ...]]
    """From 84 values, ``[a card used, it stands, its total]``, those that *chances* are for."""
    bust: float


class Model:
    """An opponent with these *habits*, against *own* hidden cards."""

    def __init__(self, habits: Habits, own: int) -> None:
        self._habits = habits
        self._own = own
        self._turns: dict[tuple[int, int, int], Turn] = {}
        self._all_turns: dict[tuple[int, int], list[Turn]] = {}
        self._all_finishes: dict[tuple[int, int, bool], list[tuple[float, ...]]] = {}
        self._finishes: dict[tuple[int, int, int, bool], tuple[float, ...]] = {}

    def row(self, cards: int, stands: int, total: int, drawn: int) -> Row:
        """What it comes to after a draw. *cards*: its own; *stands*, *total*: the own side's."""
        return self._habits.row(self._own, cards, stands, max(total, 0), max(drawn, 1))

    def turn(self, cards: int, total: int, theirs: int) -> Turn:
        """A turn of its, from *theirs*, against a side that has *total* and still plays."""
        key = (cards, total, theirs)
        turn = self._turns.get(key)
        if turn is None:
            mass: dict[int, float] = {}
            for rank in RANKS:
                for outcome, chance in self.row(cards, 0, total, theirs + rank):
                    mass[outcome] = mass.get(outcome, 0.0) + chance / 10
            bust = mass.pop(BUST, 0.0) + mass.pop(USED + BUST, 0.0)
            # Without their places for a bust the outcomes are the places of the 84 values.
            places = [place - 1 if place >= USED else place for place in mass] or [0, 0]
            chances = tuple(mass.values()) or (0.0, 0.0)
            if len(places) == 1:
                places, chances = places * 2, (chances[0], 0.0)
            turn = self._turns[key] = Turn(chances, itemgetter(*places), bust)
        return turn

    def turns(self, cards: int, total: int) -> list[Turn]:
        """:meth:`turn` from each of its totals, 0 to 20."""
        key = (cards, total)
        rows = self._all_turns.get(key)
        if rows is None:
            rows = self._all_turns[key] = [self.turn(cards, total, u) for u in range(TARGET + 1)]
        return rows

    def all_finishes(self, cards: int, total: int, ahead: bool) -> list[tuple[float, ...]]:
        """:meth:`finishes` from each of its totals, 0 to 20."""
        key = (cards, total, ahead)
        rows = self._all_finishes.get(key)
        if rows is None:
            rows = self._all_finishes[key] = [
                self.finishes(cards, total, u, ahead) for u in range(TARGET + 1)
            ]
        return rows

    def finishes(self, cards: int, total: int, theirs: int, ahead: bool) -> tuple[float, ...]:
        """All its turns, from *theirs*, against a side that stands at *total*: 15 chances, ``[cards
        left, WIN | TIE | LOSS]``, the result being the standing side's.

        *ahead*: with a tiebreaker on the table, so that equal totals are not enough for it.
        """
        key = (cards, total, theirs, ahead)
        found = self._finishes.get(key)
        if found is None:
            out = [0.0] * (3 * COUNTS)
            for rank in RANKS:
                self.add_outcomes(out, cards, total, theirs + rank, ahead, 0.1)
            found = self._finishes[key] = tuple(out)
        return found

    def add_outcomes(
        self, out: list[float], cards: int, total: int, drawn: int, ahead: bool, weight: float
    ) -> None:
        """Add *weight* times what its turn, and those after it, come to from *drawn* on."""
        # It then goes for one more than that total; 20 it cannot beat at all.
        goal = min(total + 1, TARGET) if ahead else total
        for outcome, chance in self.row(cards, 1, goal, drawn):
            left = cards
            if outcome >= USED:
                outcome, left = outcome - USED, cards - 1
            chance *= weight
            if outcome == BUST:
                out[3 * left + WIN] += chance
            elif outcome >= STOOD:
                theirs = outcome - STOOD
                result = WIN if total > theirs else LOSS if total < theirs else TIE
                out[3 * left + result] += chance
            else:
                for place, rest in enumerate(self.finishes(left, total, outcome, ahead)):
                    if rest:
                        out[place] += chance * rest
