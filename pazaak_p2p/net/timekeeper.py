"""Who looks at the clock for a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from pazaak_p2p.wire import Peer

LOOK_SECONDS: Final = 5.0
"""How often it looks for new deadlines: the shortest that there is, a turn's (R21)."""


class Timekeeper:
    """Tells *peer* when a deadline has passed; *pulse* follows up on what it says then.

    Nobody need say when a deadline changes: whenever one is set it is at least ``LOOK_SECONDS``
    away, so looking that often misses none. While a session waits for the other side to take what
    we send, nothing is received either, so the deadline for silence covers both.
    """

    def __init__(self, peer: Peer, pulse: Callable[[], Awaitable[None]]) -> None:
        self._peer = peer
        self._pulse = pulse
        self._waiting = trio.CancelScope()
        self._stopped = False

    async def run(self) -> None:
        """Keep the time until the session is over, or :meth:`stop` comes."""
        while (deadline := self._peer.next_deadline()) is not None:
            # Only the waiting can be cancelled: what is being sent is not to be torn.
            with self._waiting:
                await trio.sleep_until(min(deadline, trio.current_time() + LOOK_SECONDS))
            if self._stopped:  # the scope does not tell, if the time came in the same moment
                return
            self._waiting = trio.CancelScope()
            # This machine may have slept, with the other side's words unread in the socket: whoever
            # waits for them runs before anybody is called silent.
            for _ in range(2):
                await trio.lowlevel.checkpoint()
            self._peer.handle_timeout(trio.current_time())
            await self._pulse()

    def stop(self) -> None:
        """No deadline matters any more."""
        self._stopped = True
        self._waiting.cancel()
