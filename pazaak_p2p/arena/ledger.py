"""The ledger of an arena: results come in any order, and count in that of the schedule.

So what is counted, told, and decided by the test is the same whatever the number of processes and
however they were scheduled, and also for an arena that went on after an interruption. A pair counts
when both of its games are there and all earlier pairs have counted; when the test has decided a
pairing, later pairs of that pairing, played or not, are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pazaak_p2p.arena.plan import Game, Plan, game_of
from pazaak_p2p.arena.referee import FAULTS
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.sprt import Verdict


class Tally(msgspec.Struct):
    """The games of one player, or of one pairing as its first player sees them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    """Matches lost by each ``Fault``."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; 0 without any."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    def count(self, points: float, fault: str | None) -> None:
        """A game that gave 1, 1/2 or 0 *points*, and was lost by *fault*, if by any."""
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        if fault is not None:
            self.faults[fault] += 1


class Ledger:
    """What has been played of *plan*, and what counts of that."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.pairings = plan.pairings
        self.players = [Tally() for _ in plan.entrants]
        self.duels = [Tally() for _ in self.pairings]
        self.pairs = [[0] * 5 for _ in self.pairings]
        """Of each pairing: how many pairs gave its first 0, 1/2, 1, 3/2 and 2 points."""
        self.verdicts = [Verdict.OPEN for _ in self.pairings]
        """Of each pairing, as the test decided it."""
        self.counted = 0
        """Games that count."""
        self._waiting: dict[int, Result] = {}
        self._next = 0

    def add(self, result: Result) -> None:
        """Take *result*, unless there is one of this game already."""
        if result.number >= self._next:
            self._waiting.setdefault(result.number, result)

    def has(self, number: int) -> bool:
        """Whether the game *number* has been played, or need not be."""
        if number < self._next or number in self._waiting:
            return True
        return self.verdicts[number // 2 % len(self.pairings)] is not Verdict.OPEN

    @property
    def done(self) -> int:
        """Games that have been played, or need not be."""
        return self._next + len(self._waiting)

    def over(self) -> bool:
        """Whether nothing is left to be played."""
        all_played = self._next >= self.plan.games
        return all_played or Verdict.OPEN not in self.verdicts

    def release(self) -> Iterator[tuple[Game, Result]]:
        """The games that count from now on, in their order."""
        while not self.over():
            number = self._next
            game = game_of(self.plan, self.pairings, number)
            counting: list[tuple[Game, Result]] = []
            if self.verdicts[game.pairing] is Verdict.OPEN:
                first, second = self._waiting.get(number), self._waiting.get(number + 1)
                if first is None or second is None:
                    return
                counting = self._count(game, first, second)
            for played in (number, number + 1):
                self._waiting.pop(played, None)
            self._next += 2
            yield from counting

    def missing(self) -> Iterator[int]:
        """The games that are to be played, in the order of the schedule; asked as they go."""
        for number in range(self._next, self.plan.games):
            if not self.has(number):
                yield number

    def _count(self, game: Game, first: Result, second: Result) -> list[tuple[Game, Result]]:
        other = game_of(self.plan, self.pairings, game.number + 1)
        played = [(game, first), (other, second)]
        points = 0.0
        for each, result in played:
            points += self._count_game(each, result)
        pairs = self.pairs[game.pairing]
        pairs[round(2 * points)] += 1
        self.counted += 2
        if self.plan.sprt is not None:
            self.verdicts[game.pairing] = self.plan.sprt.judge(pairs)
        return played

    def _count_game(self, game: Game, result: Result) -> float:
        """Count it for both players; the points of the pairing's first."""
        fault = result.termination if result.termination in FAULTS else None
        points = (
            [0.5, 0.5] if result.winner is None else [float(result.winner == s) for s in (0, 1)]
        )
        for seat, player in enumerate((game.host, game.join)):
            lost_by = fault if points[seat] < 1 else None
            self.players[player].count(points[seat], lost_by)
        first = points[1] if game.swapped else points[0]
        self.duels[game.pairing].count(first, None)
        return first
