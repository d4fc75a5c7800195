"""The peer's deadlines. Time is an argument everywhere: seconds of any monotonic clock."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from msgspec import Struct

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
