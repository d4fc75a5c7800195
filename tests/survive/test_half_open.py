"""The line is dead, and only whoever dialled knows: it comes back by another at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio
import trio.testing
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.net import host as door
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.store.match_errors import MatchFinished
from pazaak_p2p.wire import Peer, Role, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from tests.chaos.faults import Line
from tests.survive.cases import CASES
from tests.survive.rig import Player, Street
from tests.survive.test_wearing import Steady, check_over

CASE = CASES[2]
BREAKS = 1.0
"""After so many seconds, which is in the middle of the host's first turn."""


class HalfOpen(Street):
    """The first line breaks, and whoever listens is not told."""

    def __init__(self) -> None:
        super().__init__(lambda line: ((), ()))

    async def _carry(self, line: Line, near: LeanStream, far: LeanStream) -> None:
        if line is not self.lines[0]:
            await super()._carry(line, near, far)
            return
        with trio.move_on_after(BREAKS):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_copy, near, far)
                nursery.start_soon(_copy, far, near)
        await near.aclose()
        try:
            await trio.sleep_forever()
        finally:
            await trio.aclose_forcefully(far)


async def _copy(source: LeanStream, target: LeanStream) -> None:
    while data := await source.receive_some():
        await target.send_all(data)
    await trio.sleep_forever()


async def play(
    folder: Path,
    street: Street,
    beside: Callable[[Player, Street], Awaitable[None]] | None = None,
) -> tuple[Player, Player, float]:
    """Both players, and when the match went on after its line had broken."""
    host = Player(0, CASE, folder / "host", sits=Steady)
    join = Player(1, CASE, folder / "join")
    back = 0.0
    note = host.notes._note

    def noted(event: events.Event) -> None:
        nonlocal back
        if isinstance(event, events.Resumed) and not back:
            back = trio.current_time()
        note(event)

    host.notes._note = noted  # type: ignore[method-assign]
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(join.dial, street)
            if beside is not None:
                nursery.start_soon(beside, host, street)
    return host, join, back


async def test_who_comes_back_need_not_wait_until_the_old_line_is_given_up(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    street = HalfOpen()
    began = trio.current_time()
    host, join, back = await play(tmp_path, street)
    check_over(host, join)
    assert len(street.lines) == 2
    assert back - began - BREAKS < 1.0
    assert host.notes.times_away == 1


async def test_without_it_that_takes_half_a_minute(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared with, and what happens where all places are taken by strangers."""
    monkeypatch.setattr(door, "MOST_RETURNING", 0)
    street = HalfOpen()
    began = trio.current_time()
    host, join, back = await play(tmp_path, street)
    check_over(host, join)
    assert back - began - BREAKS > 25.0


async def test_a_match_that_cannot_go_on_over_the_new_line_is_not_waited_for_for_ever(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """What it needs is not there any more when the other player is back, who then stays away."""

    async def lose(host: Player, street: Street) -> None:
        await trio.sleep(BREAKS)
        (secret,) = host.folder.glob("*.secret")
        secret.unlink()

    street = HalfOpen()
    street.most_lines = 2
    host, _, back = await play(tmp_path, street, lose)
    assert isinstance(host.error, MatchFinished)
    assert back == 0.0


@pytest.mark.parametrize("asks", [False, True])
async def test_nobody_else_takes_the_line_over(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, asks: bool
) -> None:
    """With another key, whether it asks for the match or not, or without a word."""
    answers: list[str] = []

    async def intrude(host: Player, street: Street) -> None:
        await trio.sleep(BREAKS)
        silent = [street.dial() for _ in range(door.MOST_RETURNING - 1)]
        (started,) = [event for event in host.notes.events if isinstance(event, events.Started)]
        wish = encode(m.Resume(started.match_id, 0, started.match_id, []))
        answers.append(await knock(street.dial(), wish if asks else b""))
        for stream in silent:
            await stream.aclose()

    host, join, back = await play(tmp_path, Street(lambda line: ((), ())), intrude)
    check_over(host, join)
    assert back == 0.0
    assert host.notes.times_away == 0
    assert answers == ["busy"]


async def knock(stream: LeanStream, then: bytes) -> str:
    """Greet with a key of one's own, and say *then*; with what reason one is sent away."""
    peer = Peer(
        key=Ed25519PrivateKey.generate(),
        role=Role.DIALLER,
        name="Ben",
        nonce=bytes(32),
        software="tests",
        now=trio.current_time(),
    )
    async with stream:
        while True:
            await stream.send_all(peer.data_to_send())
            peer.receive(bytes(await stream.receive_some()), trio.current_time())
            while (event := peer.next_event()) is not None:
                if isinstance(event, events.Left):
                    return event.reason
                if isinstance(event, events.Greeted) and then:
                    await stream.send_all(peer.data_to_send() + then)
