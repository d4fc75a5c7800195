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
"""Seconds that an offer may stay unanswered: a person may have to look at the rules."""
PING_AFTER: Final = 10.0
"""Seconds without a byte after which we ask whether the other side is there."""
SILENT_AFTER: Final = 30.0
"""Seconds without a byte after which the other side counts as lost."""
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
    """Since when each thing that has a deadline has been waited for."""

    def __init__(self, now: float) -> None:
        self.greeted = False
        self.began = self.heard = now
        self.offered: float | None = None
        """When we made the offer that waits for its answer."""
        self.pinged: float | None = None
        """When we last asked whether the other side is there."""
        self._due: tuple[Due, tuple[int, bool]] | None = None
        self._due_since = now
        self._turn_seconds: int | None = None

    def await_statement(
        self, due: Due | None, turn: tuple[int, bool], turn_seconds: int | None, now: float
    ) -> None:
        """*due* is due now, in *turn*; None if nothing is.

        All acts of one turn share one clock.
        """
        key = None if due is None else (due, turn)
        if key != self._due:
            self._due, self._due_since = key, now
        self._turn_seconds = turn_seconds

    def deadline(self, ours: int | None) -> Deadline:
        """The earliest deadline; *ours* is our seat in the match that is on, if one is."""
        if not self.greeted:
            return Deadline(self.began + GREETING_LIMIT, Alarm.GREETING)
        return min(self._deadlines(ours), key=lambda deadline: deadline.at)

    def _deadlines(self, ours: int | None) -> Iterator[Deadline]:
        yield Deadline(self.heard + SILENT_AFTER, Alarm.SILENCE)
        if self.pinged is None or self.pinged <= self.heard:
            yield Deadline(self.heard + PING_AFTER, Alarm.PING)
        if self.offered is not None:
            yield Deadline(self.offered + OFFER_LIMIT, Alarm.OFFER)
        if self._due is None:
            return
        due = self._due[0]
        if due.kind is not Kind.ACT:
            if due.seat != ours:
                yield Deadline(self._due_since + STATEMENT_LIMIT, Alarm.STATEMENT)
        elif self._turn_seconds is not None:
            limit = self._due_since + self._turn_seconds
            if due.seat == ours:
                yield Deadline(limit, Alarm.OUR_TURN)
            else:
                yield Deadline(limit + TURN_GRACE, Alarm.THEIR_TURN)
