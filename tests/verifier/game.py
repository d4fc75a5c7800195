"""The game: one public state and what moves it (R1 .. R21; section 9 for its fields).

Nothing is checked here but what follows from the rules by itself; who may say what, and whether a
card is real, is for the transcript.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from .cards import FLIPS, is_gold
from .lots import FULL_DECK

NOBODY = 255


class Phase(IntEnum):
    """What the match waits for."""

    DEAL = 0
    OPENING = 1
    OPENER = 2
    DRAW = 3
    ACT = 4
    TIE = 5
    OVER = 6


TERMINATIONS = ("unfinished", "normal", "cap", "concession", "time")


@dataclass(frozen=True)
class Rules:
    """The options both peers agreed on (section 8)."""

    copies: str = "unlimited"
    gold: bool = True
    opener: str = "alternate"
    auto_stand: bool = True
    nine: str = "win"
    tiebreaker: str = "played"
    sets: int = 3
    max_sets: int | None = None
    turn_seconds: int | None = None


@dataclass
class Side:
    """One seat: its mark, its table as (number, value), its hand as [position, number or 0]."""

    stands: bool = False
    table: list[tuple[int, int]] = field(default_factory=list)
    hand: list[list[int]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The sum of the table."""
        return sum(value for _, value in self.table)

    @property
    def hides(self) -> bool:
        """Whether there is an unplayed hand card."""
        return any(number == 0 for _, number in self.hand)

    def show(self, position: int, number: int) -> None:
        """Turn the hand card of this position face up; it is gone for the match (R4)."""
        for card in self.hand:
            if card[0] == position:
                card[1] = number


@dataclass
class Game:
    """The public state; `mover` and `opener` are NOBODY where they have no meaning."""

    rules: Rules
    phase: Phase = Phase.DEAL
    finished: int = 0
    won: list[int] = field(default_factory=lambda: [0, 0])
    opener: int = NOBODY
    mover: int = NOBODY
    played: bool = False
    laid: int = 0
    deck: list[int] = field(default_factory=lambda: list(FULL_DECK))
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))
    termination: int = 0
    winner: int = NOBODY

    def deal(self, hands: list[list[int]]) -> None:
        """Give both seats their four positions (R4)."""
        for side, hand in zip(self.sides, hands, strict=True):
            side.hand = [[position, 0] for position in hand]
        self.phase = Phase.OPENING

    def open_set(self, seat: int) -> None:
        """A seat opens the set: it draws first (R5, R6)."""
        self.opener = seat
        self._turn(seat)

    def draw(self, rank: int) -> None:
        """Place a green card on the mover's table (R7)."""
        self.deck[rank - 1] -= 1
        self.sides[self.mover].table.append((0, rank))
        self.phase = Phase.ACT
        self._placed()

    def play(self, position: int, number: int, value: int) -> None:
        """Place a hand card, with all it does (R8, R14, R15)."""
        side = self.sides[self.mover]
        side.show(position, number)
        sizes = FLIPS.get(number, ())
        side.table = [(n, -v if abs(v) in sizes else v) for n, v in side.table]
        side.table.append((number, value))
        self.played = True
        self._placed()

    def end(self) -> None:
        """The mover ends its turn (R9, R10)."""
        if self.sides[self.mover].total > 20:
            self._set_over(1 - self.mover)
        else:
            self._pass_on()

    def stand(self) -> None:
        """The mover stands (R9, R10, R12)."""
        if self.sides[self.mover].total > 20:
            self._set_over(1 - self.mover)
        else:
            self._stands()

    def lay(self, position: int, number: int) -> None:
        """The seat that is asked lays down its tiebreaker (R17)."""
        self.sides[self.mover].show(position, number)
        self.laid |= 1 << self.mover
        self._asked()

    def keep(self) -> None:
        """The seat that is asked lays nothing."""
        self._asked()

    def concede(self, seat: int, reason: str) -> None:
        """A seat leaves: the other wins (R21, section 10)."""
        self._match_over(TERMINATIONS.index("time" if reason == "time" else "concession"), 1 - seat)

    def _turn(self, seat: int) -> None:
        self.phase = Phase.DRAW
        self.mover = seat
        self.played = False

    def _pass_on(self) -> None:
        other = 1 - self.mover
        self._turn(self.mover if self.sides[other].stands else other)

    def _placed(self) -> None:
        """R16, then R11, judged whenever a card was placed."""
        side = self.sides[self.mover]
        if len(side.table) == 9:
            if side.total > 20:
                self._set_over(1 - self.mover)
            elif self.rules.nine == "win":
                self._set_over(self.mover)
            else:
                self._stands()
        elif side.total == 20 and self.rules.auto_stand:
            self._stands()

    def _stands(self) -> None:
        self.sides[self.mover].stands = True
        if not self.sides[1 - self.mover].stands:
            self._pass_on()
            return
        host, join = (side.total for side in self.sides)
        if host != join:
            self._set_over(0 if host > join else 1)
        elif self.rules.tiebreaker == "at-tie":
            self._ask((self.opener, 1 - self.opener) if self.rules.gold else ())
        else:
            self._break_tie([self._has_tiebreaker(side) for side in self.sides])

    def _has_tiebreaker(self, side: Side) -> bool:
        last = self.rules.tiebreaker == "last"
        return any(number == 19 for number, _ in (side.table[-1:] if last else side.table))

    def _break_tie(self, has: list[bool]) -> None:
        self._set_over(None if has[0] == has[1] else has.index(True))

    def _ask(self, seats: tuple[int, ...]) -> None:
        """Ask the first of these seats that still hides a card; else the tie is judged."""
        for seat in seats:
            if self.sides[seat].hides:
                self.phase = Phase.TIE
                self.mover = seat
                self.played = False
                return
        self._break_tie([bool(self.laid & 1), bool(self.laid & 2)])

    def _asked(self) -> None:
        self._ask((1 - self.opener,) if self.mover == self.opener else ())

    def _set_over(self, winner: int | None) -> None:
        """Count the set (R18, R19, R20); begin the next one or end the match."""
        self.finished += 1
        if winner is not None:
            self.won[winner] += 1
            if self.won[winner] == self.rules.sets:
                self._match_over(TERMINATIONS.index("normal"), winner)
                return
        if self.finished == self.rules.max_sets:
            host, join = self.won
            best = NOBODY if host == join else (0 if host > join else 1)
            self._match_over(TERMINATIONS.index("cap"), best)
            return
        for side in self.sides:
            side.table.clear()
            side.stands = False
        self.deck = list(FULL_DECK)
        self.laid = 0
        self._next_opener(winner)

    def _next_opener(self, winner: int | None) -> None:
        """R6: who opens a later set; a tie keeps the opener under `winner` and `loser`."""
        option = self.rules.opener
        if option == "random":
            self.phase = Phase.OPENER
            self.opener = self.mover = NOBODY
            self.played = False
        elif option == "alternate":
            self.open_set(1 - self.opener)
        elif option == "host":
            self.open_set(0)
        elif winner is None:
            self.open_set(self.opener)
        else:
            self.open_set(winner if option == "winner" else 1 - winner)

    def _match_over(self, termination: int, winner: int) -> None:
        self.phase = Phase.OVER
        self.termination = termination
        self.winner = winner
        self.mover = NOBODY
        self.played = False
        self.laid = 0


def needs_gold(number: int, rules: Rules) -> bool:
    """Whether the card is a gold one and the rules have none (R3)."""
    return is_gold(number) and not rules.gold
