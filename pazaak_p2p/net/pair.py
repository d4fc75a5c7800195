"""Both seats of a match within one program."""

from __future__ import annotations

import socket
from types import TracebackType
from typing import Final, Self

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import CannotConnect, CannotListen, PeerLost
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.stream import LeanStream

_SECONDS: Final = 10.0


class Loopback:
    """A port of this machine's loopback, to which this program alone connects.

    Raises :class:`CannotListen`.
    """

    def __init__(self) -> None:
        try:
            self._door = socket.create_server(("127.0.0.1", 0))
        except OSError as error:
            raise CannotListen(why=f"The system says: {error.strerror or error}.") from error
        self._door.settimeout(_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._door.close()

    def connect(self) -> tuple[LeanStream, LeanStream]:
        """Both ends of a new TCP connection: who was dialled, and who dialled.

        At once, for the system answers by itself. Raises :class:`CannotConnect`.
        """
        dialled = None
        try:
            dialled = socket.create_connection(self._door.getsockname(), timeout=_SECONDS)
            taken, who = self._door.accept()
            while who != dialled.getsockname():  # another program's, which has no business here
                taken.close()
                taken, who = self._door.accept()
        except OSError as error:
            if dialled is not None:
                dialled.close()
            raise CannotConnect(
                "This machine did not connect to itself.",
                why=f"The system says: {error.strerror or error}.",
            ) from error
        for end in (taken, dialled):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return LeanStream(taken), LeanStream(dialled)


async def run_both(one: Pump, two: Pump) -> tuple[MatchReport, MatchReport]:
    """Run *one* and *two*, which are at the two ends of a stream, to their reports.

    Raises what broke the match off, as told by the side where it began.
    """
    failures: list[PazaakError] = []

    async def run(pump: Pump) -> None:
        try:
            await pump.run()
        except PazaakError as error:
            failures.append(error)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, one)
        nursery.start_soon(run, two)
    if failures:
        # Who is left alone by the other side knows the least of why.
        raise next((e for e in failures if not isinstance(e, PeerLost)), failures[0])
    assert one.report is not None
    assert two.report is not None
    return one.report, two.report
