"""The host's door: strangers go, one opponent stays, the others are told that we are busy.

Connections greet beside each other, so many at a time; all that prove to be players are offered the
match, and the first that accepts gets the seat. So one that is slow, says nothing, or greets and
then says nothing, keeps nobody out.

While a match is on its other player may come by a new line, its old one being dead without our
knowing it yet. It is let in when it has proven its key and asked for this match; then the old line
is given up.

However many come, no more are open than the limits below add up to, and where even so many are more
than the system gives us, the oldest stranger goes first.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.certificate import Credentials, receive_line
from pazaak_p2p.net.crowd import home_of, least_likely
from pazaak_p2p.net.errors import Busy, Left, PeerLost
from pazaak_p2p.net.house import House
from pazaak_p2p.net.parting import PARTING_SECONDS, linger
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.strangers import describe_stranger, send_away
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line
from pazaak_p2p.wire.clock import GREETING_LIMIT, Budget
from pazaak_p2p.wire.errors import RemoteError, Silent

MOST_GREETING: Final = 64
"""Connections that may be greeting at the same time.

A player takes some round trips for it, and has to give way if so many come meanwhile from as many
places: by a line of 100 ms those are some 300 in a second."""
MOST_OFFERED: Final = 32
"""Connections that may have greeted and be thinking about our offer at the same time."""
MOST_RETURNING: Final = 4
"""Connections that may be proving, while a match is on, that they are its other player."""
RETURN_SECONDS: Final = 5.0
"""How long that may take. A program needs a round trip or two."""
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
    no match begins never ends this; our own player who leaves always does. Closes the listeners.
    """
    door = _Door(house, credentials, forever)
    async with trio.open_nursery() as nursery:
        door.nursery = nursery
        for listener in listeners:
            nursery.start_soon(door.stand_at, listener)
    if isinstance(door.result, PazaakError):
        raise door.result
    assert door.result is not None
    return door.result


class _Caller:
    """One who has come, and has not got the seat."""

    def __init__(self, door: _Door, lean: LeanStream, *, returns: bool) -> None:
        self._door = door
        self.lean = lean
        self.home = home_of(lean.remote)
        self.returns = returns
        self.since = trio.current_time()
        self.scope = trio.CancelScope()
        self.in_doubt = trio.CancelScope()
        """While it may still turn out to be the other player of the match that is on."""
        self.pump: Pump | None = None
        self.has_greeted = False
        self.leaving = False
        """Has it to make room for another?"""

    @property
    def tried_code(self) -> bool:
        """Has it tried a join code, on which it waits for our word?"""
        return self.pump is not None and self.pump.code_waits

    @property
    def has_encrypted(self) -> bool:
        """Has it got as far as the greeting?"""
        return self.pump is not None

    def send_away(self) -> None:
        """See to it that it goes, with a goodbye if it has begun to speak."""
        if self.pump is None:
            self.scope.cancel()
        else:
            self.pump.stop(Busy())

    async def hurry(self) -> None:
        """Send it away if it is in doubt for too long."""
        with self.in_doubt:
            await trio.sleep_until(self.since + RETURN_SECONDS)
            if not self.in_doubt.cancel_called:  # the time can have come in the same moment
                self.send_away()

    def greeted(self) -> None:
        self._door.greeted(self)

    async def make_way(self) -> None:
        await self._door.make_way()

    def take(self) -> None:
        self._door.take(self)


class _Door:
    def __init__(self, house: House, credentials: Credentials | None, forever: bool) -> None:
        self._house = house
        self._credentials = credentials
        self._forever = forever
        self._playing: Pump | None = None
        self._callers: list[_Caller] = []
        """Who has come and has no seat, the oldest first."""
        self._leaving = 0
        """Who is being sent away, or has to make room for another and says goodbye."""
        self._crowded_at: float | None = None
        """When the system last had no room for a connection."""
        self._goodbyes = Budget(MOST_LEAVING, AWAY_RATE, trio.current_time())
        self._rests = trio.lowlevel.ParkingLot()
        """Where one waits for a session to end."""
        self._away: trio.CancelScope | None = None
        """Where an opponent is waited for whose match can go on."""
        self.nursery: trio.Nursery
        self.result: MatchReport | PazaakError | None = None

    async def stand_at(self, listener: trio.abc.Listener[trio.SocketStream]) -> None:
        """Take connections for ever, each in a task of the nursery. Closes *listener*."""
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
                    self.nursery.start_soon(self.enter, accepted)

    def _make_do(self, error: OSError) -> None:
        """The system has no room for a connection: the oldest stranger gives its place."""
        now, last = trio.current_time(), self._crowded_at
        self._crowded_at = now
        if last is None or now - last >= QUIET_SECONDS:
            said = os.strerror(error.errno or 0)
            self._house.stranger("somebody", f"there is no room for more connections now ({said})")
        if self._callers:
            self._give_way(self._callers)

    async def enter(self, accepted: trio.SocketStream) -> None:
        """Handle one connection to its end."""
        try:
            stream = LeanStream.take(accepted)
        except OSError as error:
            self._house.stranger("somebody", f"it was gone at once ({error.strerror or error})")
            await trio.aclose_forcefully(accepted)
            return
        playing = self._playing
        if playing is None or playing.over:
            # While goodbyes are said the seat is as good as free: it will be when this one has
            # greeted.
            self._make_room()
            await self._greet(_Caller(self, stream, returns=False))
        elif playing.match.started and playing.match.can_go_on and self._may_return():
            await self._greet(_Caller(self, stream, returns=True))
        else:
            await self._turn_away(stream)

    @property
    def _may_go_on(self) -> bool:
        """Is there a match that its other player may come back to?"""
        playing = self._playing
        on = playing is not None and playing.match.started and playing.match.can_go_on
        return on or self._away is not None

    def _may_return(self) -> bool:
        """May one more try to prove that it is the other player of the match that is on?"""
        returning = sum(caller.returns for caller in self._callers)
        return returning < MOST_RETURNING and self._goodbyes.spend(trio.current_time())

    def _make_room(self) -> None:
        """See to it that one more can greet: another gives way, if need be."""
        greeting = [caller for caller in self._callers if not caller.has_greeted]
        if len(greeting) >= MOST_GREETING:
            self._give_way(greeting)

    def _give_way(self, callers: Sequence[_Caller]) -> None:
        """The one of *callers* leaves who is least likely to be a player."""
        oldest = least_likely(callers)
        self._callers.remove(oldest)
        oldest.leaving = True
        oldest.send_away()
        if self._leaving >= MOST_LEAVING:
            oldest.lean.hang_up()  # no goodbye, which takes time
        self._leaving += 1

    def greeted(self, caller: _Caller) -> None:
        """*caller* is a player. A program accepts at once, so again there is one who waits."""
        if self._playing not in (None, caller.pump) and not caller.returns:
            raise Busy
        offered = [other for other in self._callers if other.has_greeted]
        if len(offered) >= MOST_OFFERED:
            self._give_way(offered)
        caller.has_greeted = True

    async def make_way(self) -> None:
        """End the session of the match that is on, since its other player has come anew."""
        old = self._playing
        if old is not None:
            old.stop(PeerLost(why="They have come back by another line."))
            while self._playing is old:
                await self._rests.park()
        if self._away is None:
            raise Busy

    def take(self, caller: _Caller) -> None:
        """*caller* gets the seat, and the others, whom it was offered to, go."""
        if self._playing is not None and self._playing is not caller.pump:
            raise Busy
        self._playing = caller.pump
        if caller in self._callers:
            self._callers.remove(caller)
        caller.in_doubt.cancel()
        for other in self._callers:
            if other.has_greeted:
                other.send_away()
        if self._away is not None:
            self._away.cancel()

    async def _turn_away(self, stream: LeanStream) -> None:
        if self._leaving >= MOST_LEAVING or not self._goodbyes.spend(trio.current_time()):
            await trio.aclose_forcefully(stream)
            return
        self._leaving += 1
        try:
            await send_away(stream, self._credentials)
        finally:
            self._leaving -= 1

    async def _greet(self, caller: _Caller) -> None:
        lean = caller.lean
        self._callers.append(caller)
        if caller.returns:
            self.nursery.start_soon(caller.hurry)
        try:
            with caller.scope:
                stream = await self._receive(lean)
                if stream is not None:
                    await self._play(caller, stream)
            if caller.leaving:
                did = "took no offer" if caller.has_greeted else "did not greet"
                self._house.stranger(lean.remote, f"it {did}, and made room for another")
        finally:
            caller.in_doubt.cancel()
            if caller.leaving:
                self._leaving -= 1
            elif caller in self._callers:
                self._callers.remove(caller)
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

    async def _play(self, caller: _Caller, stream: Line) -> None:
        """Greet, and if we are both what we want, play."""
        if caller.returns and not self._may_go_on:
            # The match was over before this one had encrypted: it has come for another.
            caller.returns = False
            caller.in_doubt.cancel()
            self._make_room()
        pump = caller.pump = self._house.receive(stream, caller, caller.since)
        try:
            report = await pump.run()
        except Left as error:
            # Our own player wants to go, however far the match has come.
            await self._house.finished(pump.match.report, error)
            self._close(error)
        except PazaakError as error:
            if self._playing is not pump:
                await self._no_opponent(caller, stream.remote, error)
            elif pump.match.can_go_on:
                await self._wait(pump, error)
            elif not pump.match.started:
                await self._house.turned_down(error)
            else:
                await self._end(pump, error)
        else:
            if pump.match.can_go_on:
                await self._wait(pump, None)
            else:
                await self._end(pump, report)
        finally:
            if self._playing is pump:
                self._playing = None
            self._rests.unpark_all()

    async def _no_opponent(self, caller: _Caller, remote: str, error: PazaakError) -> None:
        """*caller*, who had not got the seat, is gone by *error*."""
        assert caller.pump is not None
        if isinstance(error, Busy):
            return
        if not caller.has_greeted or isinstance(error, PeerLost | RemoteError):
            first = caller.pump.first_bytes
            what = describe_stranger(first, error, greeted=caller.has_greeted)
            self._house.stranger(remote, what)
        elif self._playing is None:
            await self._house.turned_down(error)

    async def _wait(self, pump: Pump, error: PazaakError | None) -> None:
        """The line broke in a match that can go on: wait for whom it was with, and nobody else."""
        self._playing = None
        left: Left | None = None
        with trio.CancelScope() as away:
            self._away = away
            self._rests.unpark_all()
            try:
                result = await self._house.away(pump, error)
            except Left as wish:
                left = wish
        if self._away is away:
            self._away = None
        if left is not None:
            self._playing = self._playing or pump
            await self._house.finished(pump.match.report, left)
            self._close(left)
        elif not away.cancel_called:
            self._playing = pump  # nobody comes in while this is put away
            await self._end(pump, result)

    async def _end(self, pump: Pump, result: MatchReport | PazaakError) -> None:
        error = result if isinstance(result, PazaakError) else None
        again = await self._house.finished(pump.match.report, error)
        if not (self._forever or again):
            self._close(result)

    def _close(self, result: MatchReport | PazaakError) -> None:
        self.result = result
        self.nursery.cancel_scope.cancel()
