"""The host's door: strangers go, one opponent stays, the others are told that we are busy.

Connections greet beside each other, a few at a time, and the first that proves to be a player gets
the seat. So one that is slow, or says nothing at all, keeps nobody out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Busy, CodeUsedUp, Left
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.strangers import describe_stranger, send_away
from pazaak_p2p.net.stream import LeanStream

MOST_GREETING: Final = 8
"""Connections that may be greeting at the same time."""
MOST_LEAVING: Final = 16
"""Connections that may be being sent away at the same time; more are closed without a word."""


class House(Protocol):
    """What the door opens to."""

    def receive(self, stream: LeanStream, claim: Callable[[], None]) -> Pump:
        """The pump for a new connection. It calls *claim* when the other side has proven itself a
        player; that takes the seat or raises ``Busy``."""

    def stranger(self, address: str, what: str) -> None:
        """Someone at *address* was no opponent."""

    async def turned_down(self, error: PazaakError) -> None:
        """An opponent came, but no match with it; we wait for the next."""

    async def finished(self, report: MatchReport | None, error: PazaakError | None) -> None:
        """A match is over. *error* is what broke it off, if it was."""


async def keep_door(
    listeners: Sequence[trio.SocketListener], house: House, *, forever: bool
) -> MatchReport:
    """Wait on *listeners* for an opponent and play a match; if *forever*, again and again.

    Returns the report of the match, or raises the error that broke it off. A connection with which
    no match begins never ends this; our own player who leaves always does, and so does a join code
    that is used up. Closes the listeners.
    """
    door = _Door(house, forever)
    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(trio.serve_listeners, door.enter, [listener])
        door.scope = nursery.cancel_scope
    if isinstance(door.result, PazaakError):
        raise door.result
    assert door.result is not None
    return door.result


class _Door:
    def __init__(self, house: House, forever: bool) -> None:
        self._house = house
        self._forever = forever
        self._playing: Pump | None = None
        self._greeting: dict[LeanStream, tuple[trio.CancelScope, Pump]] = {}
        """Who is greeting, the oldest first."""
        self._leaving = 0
        self.scope: trio.CancelScope
        self.result: MatchReport | PazaakError | None = None

    async def enter(self, accepted: trio.SocketStream) -> None:
        """Handle one connection to its end."""
        try:
            stream = LeanStream.take(accepted)
        except OSError as error:
            self._house.stranger("somebody", f"it was gone at once ({error.strerror or error})")
            await trio.aclose_forcefully(accepted)
            return
        # While goodbyes are said the seat is as good as free: it will be when this one has greeted.
        taken = self._playing is not None and not self._playing.over
        if taken or not self._make_room():
            await self._turn_away(stream)
        else:
            await self._greet(stream)

    def _make_room(self) -> bool:
        """Can one more greet? Then the oldest gives way, if need be.

        A player greets within a round trip; so those who hold their places longest are the least
        likely to be players, and cannot keep one out. Who has tried a join code is made to wait by
        us, so it gives way last.
        """
        if len(self._greeting) < MOST_GREETING:
            return True
        if self._leaving >= MOST_LEAVING:
            return False
        oldest = min(self._greeting, key=lambda stream: self._greeting[stream][1].code_waits)
        self._greeting.pop(oldest)[0].cancel()
        return True

    async def _turn_away(self, stream: LeanStream) -> None:
        if self._leaving >= MOST_LEAVING:
            await trio.aclose_forcefully(stream)
            return
        self._leaving += 1
        try:
            await send_away(stream)
        finally:
            self._leaving -= 1

    async def _greet(self, stream: LeanStream) -> None:
        def claim() -> None:
            if self._playing is not None:
                raise Busy
            self._playing = pump
            self._greeting.pop(stream, None)

        scope = trio.CancelScope()
        pump = self._house.receive(stream, claim)
        self._greeting[stream] = scope, pump
        try:
            with scope:
                report = await pump.run()
            if scope.cancelled_caught:
                self._house.stranger(stream.remote, "it did not greet, and made room for another")
                return
        except Left as error:
            # Our own player wants to go, however far the match has come.
            await self._house.finished(pump.report, error)
            self._close(error)
        except CodeUsedUp as error:
            self._close(error)  # nobody can come in any more
        except PazaakError as error:
            if self._playing is not pump:
                if not isinstance(error, Busy):
                    what = describe_stranger(pump.first_bytes, error)
                    self._house.stranger(stream.remote, what)
            elif not pump.started:
                await self._house.turned_down(error)
            else:
                await self._end(pump, error)
        else:
            await self._end(pump, report)
        finally:
            self._greeting.pop(stream, None)
            if self._playing is pump:
                self._playing = None

    async def _end(self, pump: Pump, result: MatchReport | PazaakError) -> None:
        await self._house.finished(pump.report, result if isinstance(result, PazaakError) else None)
        if not self._forever:
            self._close(result)

    def _close(self, result: MatchReport | PazaakError) -> None:
        self.result = result
        self.scope.cancel()
