"""A pace at which a person can follow: what is to be seen comes one after the other.

Bots move as fast as the line allows, and a whole turn of theirs arrives at once. Only what is shown
waits here; the match, and the other side, never do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf
from typing import Final

import trio

SET_PAUSE: Final = 6
"""How many times as long as a card the end of a set is shown."""
_TURN_SHARE: Final = 40
"""With a clock on the turn (R21), a card is shown for at most this part of it."""


class Pace:
    """Shows things in order, each for a while; *seconds* is how long a card is shown.

    *hold* is told when a pause begins and when it ends. With *seconds* 0 no card is waited for,
    else :meth:`run` has to be running.
    """

    def __init__(self, seconds: float, hold: Callable[[bool], None]) -> None:
        self._wanted = self.seconds = seconds
        self._hold = hold
        self._waiting: deque[tuple[Callable[[], None], float]] = deque()
        self._pause: float | None = None
        self._held = False
        self._changed = trio.Event()

    def keep_within(self, turn_seconds: int | None) -> None:
        """From now on a turn has *turn_seconds*, of which little is to be lost by showing."""
        limit = self._wanted if turn_seconds is None else turn_seconds / _TURN_SHARE
        self.seconds = min(self._wanted, limit)

    def put(self, show: Callable[[], None], cards: float = 0) -> None:
        """Call *show* when its time has come, and then nothing for as long as *cards* are shown.

        With infinitely many cards it waits for :meth:`skip`, at whatever pace.
        """
        self._waiting.append((show, cards))
        if self._pause is None:
            self._go_on()

    def skip(self) -> None:
        """Show what waits, at once; but the end of a set is stopped at."""
        self._pause = None
        self._go_on(SET_PAUSE)

    def finish(self) -> None:
        """Show all that waits, at once."""
        self._pause = None
        self._go_on(None)

    async def run(self) -> None:
        """Let time pass, until cancelled."""
        while True:
            self._changed = trio.Event()
            with trio.move_on_after(inf if self._pause is None else self._pause) as passed:
                await self._changed.wait()
            if passed.cancelled_caught:
                self._pause = None
                self._go_on()

    def _go_on(self, least: float | None = 0) -> None:
        """Show what waits up to the next pause of at least *least* cards; None: all of it."""
        while self._waiting and self._pause is None:
            show, cards = self._waiting.popleft()
            show()
            if cards <= 0 or least is None or cards < least:
                continue
            if cards == inf or self.seconds > 0:
                self._pause = inf if cards == inf else cards * self.seconds
        if self._held is not (self._pause is not None):
            self._held = not self._held
            self._hold(self._held)
        self._changed.set()
