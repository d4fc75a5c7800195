"""A host's door with a join code, over real loopback sockets.

Time stands still wherever guesses follow each other: how long a loaded machine takes for them must
not decide who is told what.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import trio
from trio.testing import MockClock

from pazaak_p2p.net import code_gate, host
from pazaak_p2p.net.code_gate import CodeGate
from pazaak_p2p.net.errors import CodeLater, CodeRefused
from pazaak_p2p.net.host import MOST_GREETING
from pazaak_p2p.net.house import Place
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating
from pazaak_p2p.net.tls import Line
from pazaak_p2p.rules import Termination
from pazaak_p2p.wire.errors import CodeRequired, CodeUnasked
from tests.matches import Side
from tests.net.house import House, serving

CODE, WRONG, NEXT = "17-copper-lantern", "17-copper-walnut", "18-copper-lantern"
WRONG_SAID = (
    "The join code is wrong. It was mistyped, or somebody is guessing, or stands between the two of"
    " you."
)


class CodeHouse(House):
    """A house that asks for a join code."""

    def __init__(self, renew: Callable[[], str] = lambda: NEXT) -> None:
        super().__init__()
        self.playing = False
        self.gate = CodeGate(CODE, renew, lambda: self.playing)

    def receive(self, stream: Line, place: Place, since: float) -> Pump:
        side = Side(0, f"house {self.greeted}", code=self.gate.code)
        self.greeted += 1
        self._news.unpark_all()

        def take() -> None:
            place.take()
            self.playing = True

        return Pump(
            stream,
            side.peer(stream.certificate, since),
            "host",
            HostSeating(self.rules, side.kit, lambda event: place.greeted(), claim=take),
            self.player,
            side.record,
            judge=partial(self.gate.judge, self.gate.code),
        )

    async def finished(self, report: MatchReport | None, error: Exception | None) -> bool:
        self.playing = False
        assert error is None
        return await super().finished(report, None)


def guest(number: int, code: str | None) -> Side:
    return Side(1, f"guest {number}", code=code)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No delays after wrong codes."""
    monkeypatch.setattr(code_gate, "FIRST_DELAY", 0.0)


async def test_who_knows_the_code_plays() -> None:
    house = CodeHouse()
    async with serving(house):
        for number in range(2):
            side = guest(number, CODE)
            report = await house.visit(side)
            assert side.error is None
            assert report is not None
            assert report.outcome.termination is Termination.NORMAL
            await house.until(lambda: len(house.results) > number)  # noqa: B023
    assert house.strangers == []


async def test_who_does_not_know_it_is_told_and_the_door_stays_open(
    quick: None, mock_clock: MockClock
) -> None:
    house = CodeHouse()
    async with serving(house):
        wrong, none = guest(0, WRONG), guest(1, None)
        await house.visit(wrong)
        assert isinstance(wrong.error, CodeRefused)
        await house.visit(none)
        assert isinstance(none.error, CodeRequired)
        right = guest(2, CODE)
        await house.visit(right)
        assert right.error is None
        await house.until(lambda: len(house.results) == 1)
    assert house.strangers == [
        WRONG_SAID,
        "The other side has no join code. This host asks for one, and its program came without.",
    ]


async def test_a_code_is_never_shown_to_a_host_that_does_not_ask() -> None:
    house = House()
    async with serving(house):
        side = guest(0, CODE)
        await house.visit(side)
        assert isinstance(side.error, CodeUnasked)
        await house.until(lambda: bool(house.strangers))
    assert house.strangers == [
        "The other side has a join code, and this one asks for none."
        " It may be looking for another host."
    ]


async def test_eight_who_guess_at_once_have_five_guesses(
    quick: None, mock_clock: MockClock
) -> None:
    house = CodeHouse()
    async with serving(house):
        sides = [guest(number, WRONG) for number in range(8)]
        async with trio.open_nursery() as nursery:
            for side in sides:
                nursery.start_soon(house.visit, side)
        await house.until(lambda: len(house.strangers) == 5)
        assert house.gate.code == NEXT
        errors = sorted(type(side.error).__name__ for side in sides)
        assert errors == ["CodeLater"] * 3 + ["CodeRefused"] * 5
        old = guest(9, CODE)
        await house.visit(old)
        assert isinstance(old.error, CodeRefused)
        new = guest(10, NEXT)
        await house.visit(new)
        assert new.error is None
    assert house.strangers == [WRONG_SAID] * 6


async def test_a_given_code_stays_and_the_door_open_however_often_it_is_guessed(
    quick: None, mock_clock: MockClock
) -> None:
    house = CodeHouse(renew=lambda: CODE)
    async with serving(house):
        for number in range(11):
            side = guest(number, WRONG)
            await house.visit(side)
            assert isinstance(side.error, CodeRefused)
        friend = guest(11, CODE)
        await house.visit(friend)
        assert friend.error is None
    assert house.strangers == [WRONG_SAID] * 11


async def test_one_who_does_not_confirm_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "MOST_GREETING", 8)
    house = CodeHouse()
    async with serving(house):
        idle = []
        for number in range(7):
            stream = await house.dial()
            peer = guest(number, WRONG).peer(stream.certificate)
            heard = b""
            while b"pake" not in heard:  # it has ours, and waits for nothing but the confirmation
                await stream.send_all(peer.data_to_send())
                heard += await stream.receive_some()
                if heard.count(b"hello") and peer.remote is None:
                    peer.receive(heard, trio.current_time())
            idle.append(stream)
        side = guest(99, CODE)
        await house.visit(side)
        assert side.error is None
        for stream in idle:
            await stream.aclose()
    assert house.gate.code == CODE


async def test_one_who_waits_in_line_does_not_make_room_for_strangers() -> None:
    house = CodeHouse()
    async with serving(house):
        side = guest(0, CODE)
        # The line is held as when somebody else's code is looked at.
        async with trio.open_nursery() as nursery, house.gate._line:
            nursery.start_soon(house.visit, side)
            await house.until(lambda: house.greeted == 1)
            while house.gate._line.statistics().tasks_waiting == 0:
                await trio.lowlevel.checkpoint()
            silent = [await house.dial() for _ in range(2 * MOST_GREETING)]
            await house.until(lambda: house.greeted == 1 + len(silent))
        assert side.error is None
        await house.until(lambda: len(house.strangers) == MOST_GREETING + 1)
        assert set(house.strangers) == {"it did not greet, and made room for another"}
        for stream in silent:
            await stream.aclose()


async def test_after_a_wrong_code_one_who_cannot_wait_so_long_is_told_at_once() -> None:
    house = CodeHouse()
    house.gate._not_before = trio.current_time() + 20
    async with serving(house):
        side = guest(0, CODE)
        await house.visit(side)
        assert isinstance(side.error, CodeLater)
        assert side.error.what == "The host does not look at a join code at this moment."
    assert house.strangers == []
