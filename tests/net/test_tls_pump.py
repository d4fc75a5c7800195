"""The pump over TLS: who is cancelled can still say goodbye, and nothing waits for ever."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from pazaak_p2p.net.errors import Left, PeerLeft
from pazaak_p2p.net.player import Quit
from pazaak_p2p.net.tls import TlsStream
from tests.matches import Side, SlowPlayer
from tests.net.tls_pair import tls_pair
from tests.verifier import verify

Clock = trio.testing.MockClock


class CancelAfter(trio.abc.Instrument):
    """Cancels a scope when the task that it watches has taken so many steps."""

    def __init__(self, scope: trio.CancelScope, steps: int) -> None:
        self._scope = scope
        self._left = steps
        self.watched: trio.lowlevel.Task | None = None

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if task is self.watched:
            self._left -= 1
            if self._left == 0:
                self._scope.cancel()


async def cancelled_after(steps: int) -> tuple[Side, Side, bool]:
    """A match of bots in which the host is cancelled after *steps*; was it, in time?"""
    host, guest = Side(0, "cancel"), Side(1, "cancel")
    ours, theirs = await tls_pair()
    scope = trio.CancelScope()
    instrument = CancelAfter(scope, steps)

    async def run_host() -> None:
        instrument.watched = trio.lowlevel.current_task()
        with scope:
            await host.run(ours)

    trio.lowlevel.add_instrument(instrument)
    try:
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(run_host)
                nursery.start_soon(guest.run, theirs)
    finally:
        trio.lowlevel.remove_instrument(instrument)
    return host, guest, scope.cancelled_caught


async def test_one_who_is_cancelled_at_any_moment_of_a_match_says_goodbye() -> None:
    """At each step of its task, among them all that lie within a send."""
    told = 0
    for steps in range(1, 400):
        host, guest, cancelled = await cancelled_after(steps)
        if not cancelled:
            break
        if guest.error is None:  # all was said when it came
            assert guest.kinds()[-1] == "Ended"
            continue
        assert type(guest.error) is PeerLeft, steps
        assert guest.error.what == "The other player left."
        told += 1
        for side in (host, guest):
            if side.record.data:
                assert not verify(side.record.data).problem
    else:
        pytest.fail("the match never came to its end")
    assert told > 50


async def test_one_who_takes_nothing_does_not_keep_us_from_leaving(autojump_clock: Clock) -> None:
    """The system's buffers are full of talk when our player wants to go."""
    player = SlowPlayer(1000)
    host, guest = Side(0, "full", player), Side(1, "full", SlowPlayer(1000))
    ours, theirs = await tls_pair()
    full = trio.Event()

    class Deaf(TlsStream):
        async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
            if guest.kinds().count("Started"):
                await trio.sleep_forever()
            return await super().receive_some(max_bytes)

    theirs.__class__ = Deaf
    async with trio.open_nursery() as nursery:
        nursery.start_soon(guest.run, theirs)

        async def fill_and_quit() -> None:
            while host.kinds().count("Started") == 0:
                await trio.testing.wait_all_tasks_blocked()
            lean = ours._lean
            while lean.send_now(bytes(65536)):
                pass
            full.set()
            player.wants.send_nowait(Quit())

        nursery.start_soon(fill_and_quit)
        await host.run(ours)
        nursery.cancel_scope.cancel()
    assert full.is_set()
    assert isinstance(host.error, Left)
    assert host.ended_at <= 1.0
    await ours.aclose()
