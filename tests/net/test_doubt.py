"""A host that is not sure about who has come, and keeps them waiting; to the virtual second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
import trio.testing

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import PeerLost, TermsRefused, Undecided
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.seating import DOUBT_SECONDS, HostSeating
from pazaak_p2p.rules import Rules
from pazaak_p2p.wire.events import Greeted, Started
from tests.delay import delayed_pair
from tests.matches import Side

Clock = trio.testing.MockClock


class Doubtful(PazaakError):
    """Who is that?"""


class Doorkeeper:
    """Lets nobody in before :meth:`settle` has ended well."""

    def __init__(self, settle: Callable[[], Awaitable[None]]) -> None:
        self._settle = settle
        self._sure = False

    def welcome(self, event: Greeted) -> None:
        if not self._sure:
            raise Doubtful

    def doubt(self, error: PazaakError) -> Callable[[], Awaitable[None]]:
        assert isinstance(error, Doubtful)
        return self._settled

    async def _settled(self) -> None:
        await self._settle()
        self._sure = True


def pump_of(host: Side, stream: trio.abc.Stream, keeper: Doorkeeper) -> Pump:
    seating = HostSeating(Rules(max_sets=99), host.kit, keeper.welcome, doubt=keeper.doubt)
    return Pump(
        stream,
        host.peer(),
        "host",
        seating,
        host.player,
        host.record,
        [lambda event: host.events.append((trio.current_time(), event))],
    )


async def meet(settle: Callable[[], Awaitable[None]]) -> tuple[Side, Side, BaseException | None]:
    """Host, joiner, and what the host's session ended by."""
    host, join = Side(0, "doubt"), Side(1, "doubt")
    streams = delayed_pair(0.1)
    failure: BaseException | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(join.run, streams[1])
        try:
            await pump_of(host, streams[0], Doorkeeper(settle)).run()
        except PazaakError as error:
            failure = error
    return host, join, failure


async def test_who_is_doubted_waits_and_then_plays(autojump_clock: Clock) -> None:
    """For far longer than it may be silent: both sides ask whether the other is there."""
    host, join, failure = await meet(partial(trio.sleep, 99))
    assert failure is None
    assert join.error is None
    assert host.kinds()[:2] == ["Greeted", "Started"]
    began = next(at for at, event in join.events if isinstance(event, Started))
    assert 99 < began < 100


async def test_who_is_not_answered_is_told_why_and_what_to_do(autojump_clock: Clock) -> None:
    async def undecided() -> None:
        await trio.sleep(DOUBT_SECONDS)
        raise Undecided

    host, join, failure = await meet(undecided)
    assert isinstance(failure, Undecided)
    assert host.kinds() == []
    assert isinstance(join.error, TermsRefused)
    assert "has not yet said whether you are let in" in join.error.what
    assert "join again" in join.error.next


async def test_whoever_gets_tired_of_waiting_ends_the_doubt(autojump_clock: Clock) -> None:
    host, peer = Side(0, "doubt"), Side(1, "doubt").peer()
    streams = delayed_pair(0.1)
    async with trio.open_nursery() as nursery:

        async def come_and_go() -> None:
            await streams[1].send_all(peer.data_to_send())
            peer.receive(await streams[1].receive_some(), trio.current_time())
            await streams[1].send_all(peer.data_to_send())
            await trio.sleep(5)
            await streams[1].aclose()

        nursery.start_soon(come_and_go)
        with trio.fail_after(10), pytest.raises(PeerLost):
            await pump_of(host, streams[0], Doorkeeper(trio.sleep_forever)).run()
    assert host.kinds() == []
