"""A host's house for tests, with a bot in it, and a door on loopback."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.certificate import make_credentials
from pazaak_p2p.net.dial import dial, dial_plain
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.house import Place
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.player import Player
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Line, TlsStream
from pazaak_p2p.rules import Rules
from tests.matches import Side, bot

CREDENTIALS: Final = make_credentials()
"""A host's, for all tests: none of them wears them out."""


class House:
    """A house with a bot in it that remembers what it is told."""

    def __init__(
        self, rules: Rules | None = None, player: Player | None = None, *, encrypts: bool = True
    ) -> None:
        self.player = bot("threshold", "") if player is None else player
        self.rules = Rules(max_sets=99) if rules is None else rules
        self.credentials = CREDENTIALS if encrypts else None
        self.strangers: list[str] = []
        self.turned_down_by: list[PazaakError] = []
        self.results: list[MatchReport | PazaakError] = []
        self.greeted = 0
        self.port = 0
        self._news = trio.lowlevel.ParkingLot()

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait until *happened*, which is asked whenever the house is told something."""
        while not happened():
            await self._news.park()

    def receive(self, stream: Line, place: Place, since: float) -> Pump:
        side = Side(0, f"house {self.greeted}")
        self.greeted += 1
        self._news.unpark_all()

        return Pump(
            stream,
            side.peer(stream.certificate, since),
            "host",
            HostSeating(self.rules, side.kit, lambda event: place.greeted(), claim=place.take),
            self.player,
            side.record,
        )

    def stranger(self, address: str, what: str) -> None:
        assert address.startswith("127.") or address in ("somebody", "this machine")
        self.strangers.append(what)
        self._news.unpark_all()

    async def turned_down(self, error: PazaakError) -> None:
        self.turned_down_by.append(error)

    async def away(self, pump: Pump, error: PazaakError | None) -> MatchReport | PazaakError:
        raise AssertionError("nothing of a match is kept here")

    async def finished(self, report: MatchReport | None, error: PazaakError | None) -> bool:
        result = report if error is None else error
        assert result is not None
        self.results.append(result)
        self._news.unpark_all()
        return False

    async def connect(self) -> LeanStream:
        """A connection without encryption."""
        return await dial_plain(Address("127.0.0.1", self.port))

    async def dial(self) -> TlsStream:
        """A connection as a joiner makes it."""
        return await dial(Address("127.0.0.1", self.port))

    async def visit(self, side: Side) -> MatchReport | None:
        """Have *side* play, over whatever this house speaks."""
        return await side.run(await (self.dial() if self.credentials else self.connect()))


@asynccontextmanager
async def serving(house: House) -> AsyncIterator[None]:
    """The door of *house* stands open, and is closed again at the end."""
    listeners = await listen(0, "127.0.0.1")
    house.port = listeners[0].socket.getsockname()[1]
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:

            async def keep() -> None:
                with contextlib.suppress(PazaakError):
                    await keep_door(listeners, house, house.credentials, forever=True)

            nursery.start_soon(keep)
            yield
            nursery.cancel_scope.cancel()
    for listener in listeners:
        await listener.aclose()
