"""The peer's deadlines. Time is an argument everywhere: seconds of any monotonic clock."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

from msgspec import Struct

from pazaak_p2p.wire.terms import Due, Kind

GREETING_LIMIT: Final = 10.0
"""Seconds from the start of a session to the other side's proof."""
OFFER_LIMIT: Final = 120.0
"""Seconds in the lobby without a match: a person may have to look at the rules of an offer."""
PING_AFTER: Final = 10.0
"""Seconds without a message after which we ask whether the other side is there."""
SILENT_AFTER: Final = 30.0
"""Seconds without a message, or without an answer where something is late, after which the other
side counts as lost."""
STATEMENT_LIMIT: Final = 30.0
"""Seconds that a commit, reveal or open may take; no person has to do anything for them."""
TURN_GRACE: Final = 10.0
"""Seconds beyond ``turn_seconds`` before we act on the other side's clock instead of leaving that
to its own program."""


class Alarm(Enum):
    """What a deadline stands for."""

    GREETING = auto()
    OFFER = auto()
    PING = auto()
    SILENCE = auto()
    STATEMENT = auto()
    THEIR_TURN = auto()
    OUR_TURN = auto()


class Deadline(Struct, frozen=True):
    at: float
    alarm: Alarm


class Budget:
    """A budget of *size* pieces that refills by *rate* a second."""

    def __init__(self, size: float, rate: float, now: float) -> None:
        self._size = size
        self._rate = rate
        self._left = size
        self._seen = now

    def spend(self, now: float) -> bool:
        """Take one piece; False if there is none."""
        self._left = min(self._size, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Watch:
    """Since when each thing that has a deadline has been waited for.

    A statement or an act that is overdue proves nothing yet: the line may be dead, or this machine
    may have slept with the other side's words unread. So the alarm for it is only a reason to ask
    (:meth:`ask`): if the other side answers a ping that was sent then, and has not said what is
    due before, it was there and kept it back. Without an answer it is silent, no more.
    """

    def __init__(self, now: float) -> None:
        self.greeted = False
        self.began = self.heard = now
        self.lobby_since = now
        """When the lobby was entered, or an offer made in it."""
        self.pinged: float | None = None
        """When we last asked whether the other side is there."""
        self.asked: tuple[Alarm, float] | None = None
        """The alarm that we asked about and when, until what was due has come."""
        self._due: Due | None = None
        self._turn: tuple[int, bool] | None = None
        self._due_since = now
        self._turn_seconds: int | None = None

    def await_statement(
        self, due: Due | None, turn: tuple[int, bool], turn_seconds: int | None, now: float
    ) -> None:
        """*due* is due now, in *turn*; None if nothing is.

        The reveal with which a player draws and all acts of that turn share one clock: the player
        knows the card as soon as it can make that reveal.
        """
        was, then = self._due, self._turn
        self._due, self._turn, self._turn_seconds = due, turn, turn_seconds
        if due == was and (due is None or due.kind is Kind.OPEN or turn == then):
            return
        self.asked = None
        drawn = (
            was is not None
            and due is not None
            and was.kind is Kind.REVEAL
            and due.kind is Kind.ACT
            and was.seat is due.seat
        )
        if not drawn or turn != then:
            self._due_since = now

    def ask(self, alarm: Alarm, now: float) -> None:
        """We have pinged because of *alarm*; until the answer it does not ring again."""
        self.asked = (alarm, now)

    @property
    def turn(self) -> tuple[int, float] | None:
        """Whose act is due and until when; None if none is, or turns have no clock (R21)."""
        due = self._due
        if due is None or due.kind is not Kind.ACT or self._turn_seconds is None:
            return None
        return due.seat, self._due_since + self._turn_seconds

    def deadline(self, ours: int | None) -> Deadline:
        """The earliest deadline; *ours* is our seat in the match that is on, if one is."""
        if not self.greeted:
            return Deadline(self.began + GREETING_LIMIT, Alarm.GREETING)
        return min(self._deadlines(ours), key=lambda deadline: deadline.at)

    def _deadlines(self, ours: int | None) -> Iterator[Deadline]:
        yield Deadline(self.heard + SILENT_AFTER, Alarm.SILENCE)
        if self.asked is not None:  # no other ping then: this one's pong is what counts
            yield Deadline(self.asked[1] + SILENT_AFTER, Alarm.SILENCE)
        elif self.pinged is None or self.pinged <= self.heard:
            yield Deadline(self.heard + PING_AFTER, Alarm.PING)
        if ours is None:
            yield Deadline(self.lobby_since + OFFER_LIMIT, Alarm.OFFER)
        due, since = self._due, self._due_since
        if due is None:
            return
        ask = self.asked is None and due.seat != ours
        if due.kind is not Kind.ACT:
            if ask:
                yield Deadline(since + STATEMENT_LIMIT, Alarm.STATEMENT)
        elif self._turn_seconds is not None:
            limit = since + self._turn_seconds
            if due.seat == ours:
                yield Deadline(limit, Alarm.OUR_TURN)
            elif ask:
                yield Deadline(limit + TURN_GRACE, Alarm.THEIR_TURN)
