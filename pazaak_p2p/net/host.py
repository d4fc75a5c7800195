"""The host's door: strangers go, one opponent stays, the others are told that we are busy.

Connections greet beside each other, a few at a time, and the first that proves to be a player gets
the seat. So one that is slow, or says nothing at all, keeps nobody out.

However many come, no more are open than the limits below add up to, and where even so many are more
than the system gives us, the oldest stranger goes first.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.certificate import Credentials, receive_line
from pazaak_p2p.net.errors import Busy, CodeUsedUp, Left, PeerLost
from pazaak_p2p.net.parting import linger
from pazaak_p2p.net.pump import PARTING_SECONDS, Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.strangers import describe_stranger, send_away
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line
from pazaak_p2p.wire.clock import GREETING_LIMIT, Budget
from pazaak_p2p.wire.errors import RemoteError, Silent

MOST_GREETING: Final = 8
"""Connections that may be greeting at the same time."""
MOST_LEAVING: Final = 16
"""Connections that may be being sent away at the same time; more are closed without a word."""
CROWDED_SECONDS: Final = 0.1
"""How long no connection is taken after the system had no room for one."""
QUIET_SECONDS: Final = 60.0
"""How long there must have been room before it is told again that there is none."""

# No descriptor left, for us or for anybody, or no memory for the socket: it passes.
_CROWDED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
AWAY_RATE: Final = 8.0
"""Connections that are sent away in a second, beyond the first sixteen; the same holds for more.

A handshake takes less than a millisecond from the match that is on (benchmarks/match_speed.py tells
for both sides), so that strangers take no hundredth of its time, however many come."""


class House(Protocol):
    """What the door opens to."""

    def receive(self, stream: Line, claim: Callable[[], None], since: float) -> Pump:
        """The pump for a connection that came in at *since*, which its greeting's time counts from.

        It calls *claim* when the other side has proven itself a player; that takes the seat or
        raises ``Busy``."""

    def stranger(self, address: str, what: str) -> None:
        """Someone at *address* was no opponent."""

    async def turned_down(self, error: PazaakError) -> None:
        """An opponent came, but no match with it; we wait for the next."""

    async def away(self, pump: Pump, error: PazaakError | None) -> MatchReport | PazaakError:
        """The session of a match has ended, by *error* (None: quietly), and the match can go on.

        Waits for its opponent, if that is to be waited for, and is cancelled when it comes back;
        how the match ends if it does not. Raises ``Left`` if our own player does not want to wait.
        """

    async def finished(self, report: MatchReport | None, error: PazaakError | None) -> bool:
        """A match is over. *error* is what broke it off, if it was. Is there to be another?"""


async def keep_door(
    listeners: Sequence[trio.abc.Listener[trio.SocketStream]],
    house: House,
    credentials: Credentials | None,
    *,
    forever: bool,
) -> MatchReport:
    """Wait on *listeners* for an opponent and play a match; if *forever*, again and again.

    All talk is encrypted; *credentials* None is for debugging, and encrypts nothing.

    Returns the report of the match, or raises the error that broke it off. A connection with which
    no match begins never ends this; our own player who leaves always does, and so does a join code
    that is used up. Closes the listeners.
    """
    door = _Door(house, credentials, forever)
    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(door.stand_at, listener, nursery)
        door.scope = nursery.cancel_scope
    if isinstance(door.result, PazaakError):
        raise door.result
    assert door.result is not None
    return door.result


class _Caller:
    """One who is greeting."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()
        self.pump: Pump | None = None

    @property
    def tried_code(self) -> bool:
        """Has it tried a join code, on which it waits for our word?"""
        return self.pump is not None and self.pump.code_waits


class _Door:
    def __init__(self, house: House, credentials: Credentials | None, forever: bool) -> None:
        self._house = house
        self._credentials = credentials
        self._forever = forever
        self._playing: Pump | None = None
        self._greeting: dict[LeanStream, _Caller] = {}
        """Who is greeting, the oldest first."""
        self._leaving = 0
        """Who is being sent away, or has to make room for another and says goodbye."""
        self._crowded_at: float | None = None
        """When the system last had no room for a connection."""
        self._goodbyes = Budget(MOST_LEAVING, AWAY_RATE, trio.current_time())
        self._away: trio.CancelScope | None = None
        """Where an opponent is waited for whose match can go on."""
        self.scope: trio.CancelScope
        self.result: MatchReport | PazaakError | None = None

    async def stand_at(
        self, listener: trio.abc.Listener[trio.SocketStream], nursery: trio.Nursery
    ) -> None:
        """Take connections for ever, each in a task of *nursery*. Closes *listener*."""
        async with listener:
            while True:
                try:
                    accepted = await listener.accept()
                except OSError as error:
                    if error.errno not in _CROWDED:
                        raise
                    self._make_do(error)
                    await trio.sleep(CROWDED_SECONDS)
                else:
                    nursery.start_soon(self.enter, accepted)

    def _make_do(self, error: OSError) -> None:
        """The system has no room for a connection: the oldest stranger gives its place."""
        now, last = trio.current_time(), self._crowded_at
        self._crowded_at = now
        if last is None or now - last >= QUIET_SECONDS:
            said = os.strerror(error.errno or 0)
            self._house.stranger("somebody", f"there is no room for more connections now ({said})")
        if self._greeting:
            self._give_way()

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
        if taken:
            await self._turn_away(stream)
        else:
            self._make_room()
            await self._greet(stream)

    def _make_room(self) -> None:
        """See to it that one more can greet: the oldest gives way, if need be.

        A player greets within a round trip; so those who hold their places longest are the least
        likely to be players, and cannot keep one out. Who has tried a join code is made to wait by
        us, so it gives way last.
        """
        if len(self._greeting) >= MOST_GREETING:
            self._give_way()

    def _give_way(self) -> None:
        """The one who has been greeting for longest leaves."""
        oldest = min(self._greeting, key=lambda lean: self._greeting[lean].tried_code)
        self._greeting.pop(oldest).scope.cancel()
        if self._leaving >= MOST_LEAVING:
            oldest.hang_up()  # no goodbye, which takes time
        self._leaving += 1

    async def _turn_away(self, stream: LeanStream) -> None:
        if self._leaving >= MOST_LEAVING or not self._goodbyes.spend(trio.current_time()):
            await trio.aclose_forcefully(stream)
            return
        self._leaving += 1
        try:
            await send_away(stream, self._credentials)
        finally:
            self._leaving -= 1

    async def _greet(self, lean: LeanStream) -> None:
        since = trio.current_time()
        caller = self._greeting[lean] = _Caller()
        scope = caller.scope
        try:
            with scope:
                stream = await self._receive(lean)
                if stream is not None:
                    await self._play(caller, stream, lambda: self._greeting.pop(lean, None), since)
            if scope.cancelled_caught:
                self._house.stranger(lean.remote, "it did not greet, and made room for another")
        finally:
            if scope.cancel_called:
                self._leaving -= 1
            self._greeting.pop(lean, None)
            await trio.aclose_forcefully(lean)

    async def _receive(self, lean: LeanStream) -> Line | None:
        """The line to whoever dialled, or None if it was a stranger who does not encrypt as we do.

        It has the ten seconds of a greeting for that, and what is left of them for the rest.
        """
        carrier = Carrier(lean)
        error: PazaakError
        try:
            with trio.fail_after(GREETING_LIMIT):
                return await receive_line(carrier, self._credentials)
        except trio.TooSlowError:
            error = Silent()
        except (PeerLost, RemoteError) as refused:
            error = refused
        self._house.stranger(lean.remote, describe_stranger(carrier.first, error))
        if isinstance(error, RemoteError):
            with trio.move_on_after(PARTING_SECONDS), suppress(trio.BrokenResourceError):
                await linger(lean)
        return None

    async def _play(
        self, caller: _Caller, stream: Line, seated: Callable[[], object], since: float
    ) -> None:
        """Greet, and if we are both what we want, play. *seated* is called in between."""

        def claim() -> None:
            if self._playing is not None:
                raise Busy
            self._playing = pump
            seated()
            if self._away is not None:
                self._away.cancel()

        pump = caller.pump = self._house.receive(stream, claim, since)
        try:
            report = await pump.run()
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
            elif pump.can_go_on:
                await self._wait(pump, error)
            elif not pump.started:
                await self._house.turned_down(error)
            else:
                await self._end(pump, error)
        else:
            if pump.can_go_on:
                await self._wait(pump, None)
            else:
                await self._end(pump, report)
        finally:
            if self._playing is pump:
                self._playing = None

    async def _wait(self, pump: Pump, error: PazaakError | None) -> None:
        """The line broke in a match that can go on: wait for whom it was with, and nobody else."""
        self._playing = None
        left: Left | None = None
        with trio.CancelScope() as away:
            self._away = away
            try:
                result = await self._house.away(pump, error)
            except Left as wish:
                left = wish
        if self._away is away:
            self._away = None
        if left is not None:
            self._playing = self._playing or pump
            await self._house.finished(pump.report, left)
            self._close(left)
        elif not away.cancel_called:
            self._playing = pump  # nobody comes in while this is put away
            await self._end(pump, result)

    async def _end(self, pump: Pump, result: MatchReport | PazaakError) -> None:
        error = result if isinstance(result, PazaakError) else None
        again = await self._house.finished(pump.report, error)
        if not (self._forever or again):
            self._close(result)

    def _close(self, result: MatchReport | PazaakError) -> None:
        self.result = result
        self.scope.cancel()
