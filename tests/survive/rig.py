"""Two players of one match in one program: a host's door, a guest, and a bad street between them.

Everything is what ``pazaak host`` and ``pazaak join`` are made of: door, house, guest, pumps,
journals in files. Only three things are other: the sockets are pairs of this machine, so that a
virtual clock can tell when nothing is under way; what would be printed is kept; and whoever dials
walks a :class:`Street`, on which the n-th connection goes wrong as its plans say.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import trio
import trio.testing

from pazaak_p2p.cli.guest import Guest
from pazaak_p2p.cli.house import House
from pazaak_p2p.cli.introduction import NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output, Watch
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.certificate import Credentials
from pazaak_p2p.net.dial import encrypt
from pazaak_p2p.net.errors import Refused
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.player import Away
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Line
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import find_saved, saved_matches
from pazaak_p2p.wire.events import Event
from tests.chaos import faults
from tests.chaos.plans import Plan
from tests.chaos.proxy import carry
from tests.survive.cases import Case

GRACE = 600.0
HANGS = 7200.0
"""Seconds of the virtual clock after which a match hangs."""

Plans = tuple[Plan, Plan]
"""What goes wrong up, which is from whoever dials, and down."""


def memory() -> str | None:
    """A folder for files that cost no disk, where there is one."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


class Street:
    """Where connections are made; the n-th, from 0, goes wrong by the n-th of *plans*."""

    def __init__(self, plans: Callable[[int], Plans], *, plain: bool = True) -> None:
        self._plans = plans
        self._plain = plain
        self._door: Doorway | None = None
        self._nursery: trio.Nursery
        self.lines: list[faults.Line] = []
        self.most_lines: int | None = None
        """After so many connections there are no more."""

    async def __aenter__(self) -> Street:
        self._manager = trio.open_nursery()
        self._nursery = await self._manager.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._nursery.cancel_scope.cancel()
        await self._manager.__aexit__(None, None, None)

    def listen(self) -> Doorway:
        """Wait for connections here."""
        self._door = Doorway()
        return self._door

    def dial(self) -> LeanStream:
        """A new connection to whoever listens. Raises ``Refused`` if nobody does."""
        number = len(self.lines)
        if number == self.most_lines:
            raise Refused
        line = faults.Line(*self._plans(number), plain=self._plain)
        stream = self._connect(line)
        self.lines.append(line)
        return stream

    def call(self) -> LeanStream:
        """A connection on which nothing goes wrong, and which counts for nothing, of a stranger.

        Raises ``Refused`` as :meth:`dial`.
        """
        return self._connect(faults.Line((), (), plain=self._plain))

    def _connect(self, line: faults.Line) -> LeanStream:
        if self._door is None or self._door.closed:
            raise Refused
        ours, near = socket.socketpair()
        far, theirs = socket.socketpair()
        self._door.knock(theirs)
        self._nursery.start_soon(self._carry, line, LeanStream(near), LeanStream(far))
        return LeanStream(ours)

    async def _carry(self, line: faults.Line, near: LeanStream, far: LeanStream) -> None:
        async with near, far:
            await carry(line, near, far)


class SideStreet(Street):
    """The way to the door of *street* for those with whom no match is on."""

    def __init__(self, street: Street) -> None:
        super().__init__(lambda line: ((), ()))
        self._street = street

    def dial(self) -> LeanStream:
        return self._street.call()


class Doorway(trio.abc.Listener[trio.SocketStream]):
    """Gives the sockets of those who knock."""

    def __init__(self) -> None:
        self._send, self._waiting = trio.open_memory_channel[socket.socket](100)
        self.closed = False

    def knock(self, sock: socket.socket) -> None:
        self._send.send_nowait(sock)

    async def accept(self) -> trio.SocketStream:
        sock = await self._waiting.receive()
        return trio.SocketStream(trio.socket.from_stdlib_socket(sock))

    async def aclose(self) -> None:
        self.closed = True
        while self._waiting.statistics().current_buffer_used:
            self._waiting.receive_nowait().close()
        await trio.lowlevel.checkpoint()


class Notes(Output):
    """What a player is told, kept in place of being printed."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.lines: list[str] = []
        self.times_away = 0
        self.leave_after: int | None = None
        """After so many events its player wants to leave for now."""
        self.leaving = trio.CancelScope()

    def watch(self, address: str) -> Watch:
        return self._note

    def _note(self, event: Event) -> None:
        self.events.append(event)
        if len(self.events) == self.leave_after:
            self.leaving.cancel()

    def away(self, away: Away) -> None:
        self.times_away += 1

    def result(self, report: MatchReport) -> None:
        """It is returned as well."""

    def tell(self, failure: PazaakError) -> None:
        """It is raised as well."""

    def say(self, line: str) -> None:
        self.lines.append(line)

    complain = say


class _Guest(Guest):
    """A guest who goes through a street."""

    street: Street
    encrypts: bool

    async def _dial(self) -> Line:
        await trio.lowlevel.checkpoint()
        lean = self.street.dial()
        if not self.encrypts:
            return lean
        try:
            with trio.fail_after(10):
                return await encrypt(lean, "the street")
        except trio.TooSlowError:
            await trio.aclose_forcefully(lean)
            raise Refused from None
        except BaseException:
            await trio.aclose_forcefully(lean)
            raise


@dataclass
class Player:
    """A player of a match, and what became of the last time it played."""

    seat: int
    case: Case
    folder: Path
    credentials: Credentials | None = None
    """A listener's; None where nothing is encrypted."""
    encrypts: bool = False
    grace: float = GRACE
    serves: bool = False
    """Does it, listening, wait for the next after a match, until it is cancelled?"""
    mends: bool = False
    """Does it go on with a damaged record?"""
    sits: Callable[[Entrant], BotSeat] = BotSeat
    notes: Notes = field(default_factory=Notes)
    report: MatchReport | None = None
    error: PazaakError | None = None
    alone: Callable[[], bool] = lambda: False
    """Has the other one gone for now?"""

    def __post_init__(self) -> None:
        chair = self.case.chairs[self.seat]
        self.entrant = Entrant(
            seat=self.seat,
            name=("Ann", "Ben")[self.seat],
            deck=chair.deck,
            bot=chair.bot_in(self.folder),
            seed=self.case.seed,
            known=True,
        )

    @property
    def records(self) -> list[Path]:
        """The oldest first."""
        return sorted(self.folder.glob("*.pzk"), key=lambda path: path.stat().st_mtime_ns)

    @property
    def kept(self) -> bool:
        """Has it a match that can go on?"""
        found, troubles = saved_matches(self.folder)
        assert not troubles, troubles
        return bool(found)

    def _keeping(self, seat: BotSeat, route: Route) -> Keeping:
        kept = Keeping(
            self.entrant,
            seat,
            self.folder,
            route,
            sync=False,
            mends=self.mends,
            complain=self.notes.complain,
        )
        kept.take_up(find_saved(self.folder, None))
        return kept

    async def listen(self, street: Street, *, resume: bool = False) -> None:
        """Play as the one who waits for the other."""
        seat = self.sits(self.entrant)
        route = Route(True, "street", 1, not self.encrypts)
        kept = self._keeping(seat, route) if resume else None
        stood = None if kept is None else kept.take_stock()
        house = House(
            self.entrant,
            seat,
            self.notes,
            self.folder,
            NoIntroductions(),
            route,
            rules=None if resume else parse_rules(self.case.rules),
            grace=self.grace,
            sync=False,
            forever=self.serves,
            rests=kept,
            stood=stood,
        )
        self._begin()
        door = [street.listen()]
        with self.notes.leaving as leaving, house.waiting as waiting:
            try:
                self.report = await keep_door(door, house, self.credentials, forever=self.serves)
            except PazaakError as error:
                self.error = error
        if waiting.cancelled_caught:
            assert kept is not None
            assert stood is not None
            kept.end(stood)
            self.report = stood
        if leaving.cancelled_caught:
            await self._come_back(lambda kept: self.listen(street, resume=kept))

    async def dial(self, street: Street, *, resume: bool = False) -> None:
        """Play as the one who comes to the other."""
        seat = self.sits(self.entrant)
        route = Route(False, "street", 1, not self.encrypts)
        if resume:
            kept = self._keeping(seat, route)
        else:
            kept = Keeping(self.entrant, seat, self.folder, route, sync=False)
        guest = _Guest(
            self.entrant, seat, self.notes, NoIntroductions(), route, kept, grace=self.grace
        )
        guest.street, guest.encrypts = street, self.encrypts
        self._begin()
        with self.notes.leaving as leaving:
            try:
                if resume:
                    self.report = await guest.resume(kept.take_stock())
                else:
                    self.report = await guest.join(None, None)
            except PazaakError as error:
                self.error = error
        if leaving.cancelled_caught:
            await self._come_back(lambda kept: self.dial(street, resume=kept))

    def _begin(self) -> None:
        self.report = self.error = None
        self.notes.leaving = trio.CancelScope()

    async def _come_back(self, play: Callable[[bool], Awaitable[None]]) -> None:
        """Its user has left; some time later it goes on with what it has, or begins anew."""
        await trio.sleep(20)
        if self.alone():
            return  # so they meet another time
        if self.kept or not self.records:
            await play(self.kept)


async def meet(listener: Player, dialler: Player, street: Street) -> int:
    """Let both play until both are through; how often the one who came had to begin anew.

    That is if its line broke before there was a match. If one of them has come back too late to
    find the other still there, they meet again. Raises ``trio.TooSlowError`` if they hang.
    """
    anew = 0
    for _ in range(3):
        anew += await _meet(listener, dialler, street)
        if not (listener.kept or dialler.kept):
            return anew
        street.most_lines = None
    raise AssertionError("they do not get through")


async def _meet(listener: Player, dialler: Player, street: Street) -> int:
    anew = 0
    waits = comes = True
    listener.alone = lambda: not comes
    dialler.alone = lambda: not waits
    with trio.fail_after(HANGS):
        async with street, trio.open_nursery() as nursery:

            async def wait() -> None:
                nonlocal waits
                await listener.listen(street, resume=listener.kept)
                waits = False

            async def come() -> None:
                nonlocal anew, comes
                await dialler.dial(street, resume=dialler.kept)
                while dialler.error is not None and not dialler.records and anew < 5:
                    anew += 1
                    await trio.sleep(30)
                    await dialler.dial(street)
                comes = False

            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(come)
    return anew
