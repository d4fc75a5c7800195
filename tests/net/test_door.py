"""The door under TLS: what handshakes may cost, in time and in number."""

from __future__ import annotations

import contextlib
import socket
import ssl

import pytest
import trio
import trio.testing

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net import strangers
from pazaak_p2p.net.certificate import receive_line
from pazaak_p2p.net.errors import Busy
from pazaak_p2p.net.host import AWAY_RATE, MOST_LEAVING, keep_door
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.strangers import AWAY_SECONDS
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, only_pazaak, shake_hands
from pazaak_p2p.rules import Action, View
from tests.matches import Side, SlowPlayer
from tests.net.house import House, serving

Clock = trio.testing.MockClock


class Doorbell(trio.abc.Listener[trio.SocketStream]):
    """A listener to whom connections come within this program, and so in virtual time."""

    def __init__(self) -> None:
        self._calls, self._waiting = trio.open_memory_channel[socket.socket](100)

    def ring(self) -> LeanStream:
        ours, theirs = socket.socketpair()
        self._calls.send_nowait(ours)
        return LeanStream(theirs)

    async def accept(self) -> trio.SocketStream:
        sock = await self._waiting.receive()
        return trio.SocketStream(trio.socket.from_stdlib_socket(sock))

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def client_hello() -> bytes:
    """How TLS begins."""
    out = ssl.MemoryBIO()
    tls = only_pazaak(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(ssl.MemoryBIO(), out)
    with contextlib.suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return out.read()


async def say_nothing(stream: LeanStream) -> None:
    await trio.sleep_forever()


async def trickle(stream: LeanStream) -> None:
    for byte in client_hello():
        await stream.send_all(bytes([byte]))
        await trio.sleep(1)


async def stop_half_way(stream: LeanStream) -> None:
    await stream.send_all(client_hello())
    await trio.sleep_forever()


async def encrypt_late_and_say_nothing(stream: LeanStream) -> None:
    await trio.sleep(6)
    await shake_hands(Carrier(stream), only_pazaak(ssl.PROTOCOL_TLS_CLIENT))
    await trio.sleep_forever()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (say_nothing, "it said nothing for ten seconds"),
        (trickle, "it did not finish its greeting within ten seconds"),
        (stop_half_way, "it did not finish its greeting within ten seconds"),
        (encrypt_late_and_say_nothing, "it said nothing for ten seconds"),
    ],
)
async def test_handshake_and_greeting_together_have_ten_seconds(
    autojump_clock: Clock, how: object, says: str
) -> None:
    house, bell = House(), Doorbell()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_keep, bell, house)
        stream = bell.ring()

        async def come() -> None:
            with contextlib.suppress(trio.BrokenResourceError):
                await how(stream)  # type: ignore[operator]

        nursery.start_soon(come)
        await house.until(lambda: bool(house.strangers))
        # One that has shaken hands is said goodbye to, which it does not answer for a second.
        assert trio.current_time() == (11.0 if how is encrypt_late_and_say_nothing else 10.0)
        nursery.cancel_scope.cancel()
    assert house.strangers == [says]
    await stream.aclose()


async def test_being_sent_away_has_two_seconds(autojump_clock: Clock) -> None:
    """Handshake and all; also for one who stops half-way."""
    house, bell, slow = House(), Doorbell(), SlowPlayer(1000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_keep, bell, house)

        async def play() -> None:
            lean = bell.ring()
            stream = await shake_hands(Carrier(lean), only_pazaak(ssl.PROTOCOL_TLS_CLIENT))
            await Side(1, "first", slow).run(stream)

        nursery.start_soon(play)
        await slow.first_asked.wait()
        began = trio.current_time()
        stranger = bell.ring()
        await stranger.send_all(client_hello())
        while await stranger.receive_some():
            pass
        assert trio.current_time() - began == AWAY_SECONDS == 2.0
        await stranger.aclose()
        nursery.cancel_scope.cancel()


async def _keep(bell: Doorbell, house: House) -> None:
    with contextlib.suppress(PazaakError):
        await keep_door([bell], house, house.credentials, forever=True)


async def test_200_strangers_during_a_match_cost_it_a_bounded_number_of_handshakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A third of them says nothing, a third stops half-way, and a third plays by the rules."""
    at_once = most = handshakes = 0

    async def counted(*arguments: object) -> object:
        nonlocal at_once, most, handshakes
        at_once += 1
        handshakes += 1
        most = max(most, at_once)
        try:
            return await receive_line(*arguments)  # type: ignore[arg-type]
        finally:
            at_once -= 1

    monkeypatch.setattr(strangers, "receive_line", counted)
    crowd_gone = trio.Event()

    class Disturbed(SlowPlayer):
        """Plays on meanwhile, but makes the fifth choice only when all have gone."""

        async def ask(self, view: View) -> Action:
            action = await super().ask(view)
            if self.asked == 5:
                await crowd_gone.wait()
            return action

    house, slow = House(), Disturbed(0.05)
    first = Side(1, "first", slow)
    ended = told = 0

    async def disturb(number: int) -> None:
        nonlocal ended, told
        if number % 3 == 0:
            guest = Side(1, f"guest {number}")
            with contextlib.suppress(PazaakError):
                await house.visit(guest)
            told += isinstance(guest.error, Busy)
        else:
            async with await house.connect() as stream:
                with contextlib.suppress(trio.BrokenResourceError):
                    if number % 3 == 1:
                        await stream.send_all(client_hello())
                    while await stream.receive_some():
                        pass
            if number % 3 == 2:
                return
        ended += 1
        if ended == 134:
            # Of the silent the system itself keeps some waiting, as so many come at once.
            crowd.cancel_scope.cancel()

    async with serving(house):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.visit, first)
            await slow.first_asked.wait()
            began = trio.current_time()
            async with trio.open_nursery() as crowd:
                for number in range(200):
                    crowd.start_soon(disturb, number)
            seconds = trio.current_time() - began
            assert house.results == []
            crowd_gone.set()
        assert first.error is None
        await house.until(lambda: len(house.results) == 1)
    assert ended == 134
    assert isinstance(house.results[0], MatchReport)
    assert most <= MOST_LEAVING
    assert MOST_LEAVING <= handshakes <= MOST_LEAVING + AWAY_RATE * seconds
    assert told >= 1
    assert house.strangers == []  # nobody is told of them in a match
