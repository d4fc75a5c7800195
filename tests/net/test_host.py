"""The host's door over real loopback sockets."""

from __future__ import annotations

import contextlib
import errno
import socket
import ssl
import sys
import time
from functools import partial

import pytest
import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Busy, Left, PeerLeft, PeerLost, Refused, RulesDiffer, TermsRefused
from pazaak_p2p.net.host import MOST_GREETING, MOST_LEAVING, MOST_OFFERED, keep_door
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.player import Quit
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.strangers import describe_stranger
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line, only_pazaak, shake_hands
from pazaak_p2p.rules import Termination, parse_rules
from pazaak_p2p.wire import Peer, events
from pazaak_p2p.wire.errors import Garbage, Malformed, NoCommonVersion, Silent
from tests.matches import Side, SlowPlayer
from tests.net.house import House, serving

_TLS = only_pazaak(ssl.PROTOCOL_TLS_CLIENT)


async def say(stream: LeanStream, data: bytes) -> bytes:
    """Send *data* and return all that comes until the other side closes."""
    await stream.send_all(data)
    got = b""
    with contextlib.suppress(trio.BrokenResourceError):
        while piece := await stream.receive_some():
            got += piece
    await stream.aclose()
    return got


async def test_one_match_after_the_other() -> None:
    house = House()
    async with serving(house):
        for number in range(3):
            side = Side(1, f"guest {number}")
            report = await house.visit(side)
            assert side.error is None
            assert report is not None
            assert report.outcome.termination is Termination.NORMAL
        await house.until(lambda: len(house.results) == 3)
    assert [type(result) for result in house.results] == [MatchReport] * 3
    assert house.strangers == []


async def test_a_door_that_opens_once_ends_with_its_match() -> None:
    house = House()
    listeners = await listen(0, "127.0.0.1")
    house.port = listeners[0].socket.getsockname()[1]
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.visit, Side(1, "guest"))
            report = await keep_door(listeners, house, house.credentials, forever=False)
    assert report is house.results[0]
    with pytest.raises(Refused):
        await house.connect()


async def test_a_door_that_opens_once_raises_what_broke_its_match_off() -> None:
    house = House()
    listeners = await listen(0, "127.0.0.1")
    house.port = listeners[0].socket.getsockname()[1]
    slow = SlowPlayer(1000)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:

            async def visit_and_leave() -> None:
                with trio.move_on_after(0.5):
                    await house.visit(Side(1, "guest", slow))

            nursery.start_soon(visit_and_leave)
            with pytest.raises(PeerLeft):
                await keep_door(listeners, house, house.credentials, forever=False)


@pytest.mark.parametrize("forever", [False, True])
async def test_our_own_player_who_leaves_ends_the_door(forever: bool) -> None:
    """Also when serving."""
    player = SlowPlayer(1000)
    house = House(player=player)
    listeners = await listen(0, "127.0.0.1")
    house.port = listeners[0].socket.getsockname()[1]
    guest = Side(1, "guest")
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:

            async def leave_when_asked() -> None:
                await player.first_asked.wait()
                player.wants.send_nowait(Quit())

            nursery.start_soon(house.visit, guest)
            nursery.start_soon(leave_when_asked)
            with pytest.raises(Left):
                await keep_door(listeners, house, house.credentials, forever=forever)
            nursery.cancel_scope.cancel()
    assert [type(result) for result in house.results] == [Left]
    assert house.turned_down_by == []


@pytest.mark.parametrize("encrypts", [True, False])
async def test_strangers_are_noticed_and_the_door_stays_open(encrypts: bool) -> None:
    house = House(encrypts=encrypts)
    async with serving(house):
        assert b"bye" in await say(await house.connect(), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await say(await house.connect(), b"\x16\x03\x01\x02\x00" + bytes(512))
        assert (b"bye" in answer) == (not encrypts)
        assert b"bye" in await say(await house.connect(), b"SSH-2.0-OpenSSH_9.2\r\n")
        assert b"bye" in await say(await house.connect(), bytes(range(255, 0, -1)))
        await (await house.connect()).aclose()
        await house.until(lambda: len(house.strangers) == 5)
        report = await house.visit(Side(1, "guest"))
        assert report is not None
        await house.until(lambda: len(house.results) == 1)
    assert house.strangers == [
        "it spoke HTTP, as a web browser does",
        "The other side broke TLS off, as a web browser does, or does it wrongly. OpenSSL says:"
        " unexpected message."
        if encrypts
        else "it spoke TLS, as a web browser does, and a pazaak without --insecure-plain",
        "it spoke SSH",
        "what it sent is not pazaak",
        "it left without a word",
    ]


async def test_a_silent_stranger_keeps_nobody_out() -> None:
    house = House()
    async with serving(house):
        silent = [await house.connect() for _ in range(MOST_GREETING - 1)]
        report = await house.visit(Side(1, "guest"))
        assert report is not None
        for stream in silent:
            await stream.aclose()


async def test_strangers_who_hold_all_places_make_room_for_a_player() -> None:
    """Also those who encrypt, and then say nothing."""
    house = House()
    async with serving(house):
        silent = [await (house.connect() if n % 2 else house.dial()) for n in range(MOST_GREETING)]
        await house.until(lambda: house.greeted == MOST_GREETING // 2)
        side = Side(1, "guest")
        await house.visit(side)
        assert side.error is None
        await house.until(lambda: bool(house.strangers))
        assert house.strangers[0].endswith("made room for another")
        for stream in silent:
            await stream.aclose()


@pytest.mark.skipif(sys.platform != "linux", reason="only there every 127.x.x.x is our own")
@pytest.mark.parametrize(
    ("flooder", "encrypts"),
    [("127.0.0.2", True), ("127.0.0.2", False), ("127.0.7.{}", True)],
)
async def test_who_dials_fast_pushes_out_nobody_but_themselves(
    flooder: str, encrypts: bool
) -> None:
    """Far faster than a player greets, who came first of all; also from many addresses."""
    house = House(encrypts=encrypts)
    async with serving(house):
        friend = await house.connect()
        flood = []
        for number in range(3 * MOST_GREETING):
            sock = trio.socket.socket()
            await sock.bind((flooder.format(number), 0))
            await sock.connect(("127.0.0.1", house.port))
            flood.append(sock)
        await house.until(lambda: len(house.strangers) == 2 * MOST_GREETING + 1)
        side = Side(1, "guest")
        if encrypts:
            await side.run(await shake_hands(Carrier(friend), _TLS))
        else:
            await side.run(friend)
        assert side.error is None
        for sock in flood:
            sock.close()


async def test_of_strangers_from_one_place_those_give_way_who_have_not_encrypted() -> None:
    house = House()
    async with serving(house):
        friend = await house.dial()
        await house.until(lambda: house.greeted == 1)
        flood = [await house.connect() for _ in range(3 * MOST_GREETING)]
        await house.until(lambda: len(house.strangers) == 2 * MOST_GREETING + 1)
        side = Side(1, "guest")
        await side.run(friend)
        assert side.error is None
        for stream in flood:
            await stream.aclose()


async def greet(house: House, name: str) -> tuple[Line, Peer]:
    """Greet as a player does, have the offer, and say nothing more."""
    stream: Line = await (house.dial() if house.credentials else house.connect())
    peer = Side(1, name).peer(stream.certificate)
    while True:
        while (event := peer.next_event()) is not None:
            if isinstance(event, events.Offered):
                return stream, peer
        await stream.send_all(peer.data_to_send())
        peer.receive(bytes(await stream.receive_some()), trio.current_time())


@pytest.mark.parametrize("number", [1, 7, 200])
async def test_who_greets_and_then_says_nothing_keeps_nobody_out(number: int) -> None:
    """As soon as the friend accepts, the others are told that we are busy."""
    house = House(encrypts=number < 200)
    async with serving(house):
        silent = [await greet(house, f"silent {n}") for n in range(number)]
        began = time.perf_counter()
        slow = SlowPlayer(0.05)
        friend = Side(1, "friend", slow)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.visit, friend)
            await slow.first_asked.wait()
            print(f"{number} silent: the friend chooses after {time.perf_counter() - began:.2f} s")
            stream, peer = silent[-1]
            peer.receive(bytes(await stream.receive_some()), trio.current_time())
            left = peer.next_event()
            assert isinstance(left, events.Left)
            assert left.reason == "busy"
            for stream, _ in silent:
                await trio.aclose_forcefully(stream)
        assert friend.error is None
        pushed_out = max(0, number - MOST_OFFERED + 1)
        await house.until(lambda: len(house.strangers) == pushed_out)
        assert set(house.strangers) <= {"it took no offer, and made room for another"}
        assert house.turned_down_by == []


async def test_a_second_opponent_is_told_busy_and_the_match_does_not_notice() -> None:
    house = House()
    async with serving(house):
        slow = SlowPlayer(0.05)
        first, second = Side(1, "first", slow), Side(1, "second")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.visit, first)
            await slow.first_asked.wait()
            await house.visit(second)
            assert isinstance(second.error, Busy)
        assert first.error is None
        third = Side(1, "third")
        await house.visit(third)
        assert third.error is None
        await house.until(lambda: len(house.results) == 2)
    assert [type(result) for result in house.results] == [MatchReport] * 2


async def test_one_who_was_greeting_when_another_got_the_seat_is_told_busy() -> None:
    house = House()
    async with serving(house):
        late = Side(1, "late")
        stream = await house.dial()
        await house.until(lambda: house.greeted == 1)
        slow = SlowPlayer(0.05)
        first = Side(1, "first", slow)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.visit, first)
            await slow.first_asked.wait()
            await late.run(stream)
            assert isinstance(late.error, Busy)
        assert first.error is None


async def test_one_who_declines_leaves_the_seat_to_the_next() -> None:
    house = House(parse_rules("tournament"))
    async with serving(house):
        picky = Side(1, "picky", rules=parse_rules("kotor1"))
        await house.visit(picky)
        assert isinstance(picky.error, RulesDiffer)
        report = await house.visit(Side(1, "guest", deck=Side(0, "").deck))
        assert report is not None
        await house.until(lambda: len(house.results) == 1)
    (error,) = house.turned_down_by
    assert isinstance(error, TermsRefused)


async def test_a_match_that_breaks_off_leaves_the_seat_to_the_next() -> None:
    house = House()
    async with serving(house):
        slow = SlowPlayer(1000)
        gone = Side(1, "gone", slow)
        stream = await house.dial()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(gone.run, stream)
            await slow.first_asked.wait()
            stream._lean._sock.shutdown(socket.SHUT_RDWR)  # as when its machine stops
            await house.until(lambda: len(house.results) == 1)
        report = await house.visit(Side(1, "guest"))
        assert report is not None
        await house.until(lambda: len(house.results) == 2)
    assert isinstance(house.results[0], PeerLost)
    assert isinstance(house.results[1], MatchReport)


async def test_a_connection_that_is_gone_at_once_is_a_stranger_who_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(stream: trio.SocketStream) -> LeanStream:
        raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")

    house = House()
    async with serving(house):
        take = LeanStream.take
        monkeypatch.setattr(LeanStream, "take", gone)
        stream = await trio.open_tcp_stream("127.0.0.1", house.port)
        assert await stream.receive_some() == b""
        await stream.aclose()
        monkeypatch.setattr(LeanStream, "take", take)
        await house.visit(Side(1, "guest"))
        await house.until(lambda: len(house.results) == 1)
    assert house.strangers == ["it was gone at once (Transport endpoint is not connected)"]


@pytest.mark.parametrize(
    ("first", "error", "says"),
    [
        (b"", Silent(), "it said nothing for ten seconds"),
        (b"\x87", Silent(), "it did not finish its greeting within ten seconds"),
        (b"", PeerLost(), "it left without a word"),
        (b"POST / ", Garbage(), "it spoke HTTP, as a web browser does"),
        (b"\x87\xa1t", NoCommonVersion((1,), (2,)), "different versions"),
        (b"\x87\xa1t", Malformed(why="A key is wrong."), "A key is wrong."),
        (b"\x87\xa1t", PeerLost(), "connection to the other player was lost"),
    ],
)
def test_strangers_are_described(first: bytes, error: PazaakError, says: str) -> None:
    assert says in describe_stranger(first, error)


async def test_however_many_come_few_are_open_at_once() -> None:
    """Who has to make room is said goodbye, unless too many are being said goodbye already."""
    house = House(encrypts=False)
    async with serving(house):
        streams = []
        for number in range(MOST_GREETING + MOST_LEAVING + 5):
            streams.append(await house.connect())
            await house.until(lambda number=number: house.greeted == number + 1)  # type: ignore[misc]
        for at, stream in enumerate(streams[:-MOST_GREETING]):
            said = await say(stream, b"")
            assert (b"bye" in said) == (at < MOST_LEAVING)
        await house.until(lambda: len(house.strangers) == MOST_LEAVING + 5)
        side = Side(1, "guest")
        await house.visit(side)
        assert side.error is None
        for stream in streams:
            await stream.aclose()


class FullListener(trio.abc.Listener[trio.SocketStream]):
    """A listener on a system that has no descriptor left for the connections numbered *full*."""

    def __init__(self, listener: trio.SocketListener, full: range) -> None:
        self._listener = listener
        self._full = full
        self._asked = 0

    async def accept(self) -> trio.SocketStream:
        self._asked += 1
        if self._asked - 1 in self._full:
            await trio.lowlevel.checkpoint()
            raise OSError(errno.EMFILE, "Too many open files")
        return await self._listener.accept()

    async def aclose(self) -> None:
        await self._listener.aclose()


async def test_no_descriptor_left_is_told_once_and_the_oldest_stranger_makes_room() -> None:
    house = House(encrypts=False)
    (listener,) = await listen(0, "127.0.0.1")
    house.port = listener.socket.getsockname()[1]
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                partial(keep_door, [FullListener(listener, range(2, 5))], house, None, forever=True)
            )
            silent = []
            for number in range(2):
                silent.append(await house.connect())
                await house.until(lambda number=number: house.greeted == number + 1)  # type: ignore[misc]
            for stream in silent:
                assert b"bye" in await say(stream, b"")
            side = Side(1, "guest")
            await house.visit(side)
            assert side.error is None
            await house.until(lambda: len(house.results) == 1)
            nursery.cancel_scope.cancel()
    assert house.strangers == [
        "there is no room for more connections now (Too many open files)",
        "it did not greet, and made room for another",
        "it did not greet, and made room for another",
    ]


async def test_a_listener_that_fails_for_good_ends_the_door() -> None:
    class Broken(FullListener):
        async def accept(self) -> trio.SocketStream:
            raise OSError(errno.EIO, "Input/output error")

    (listener,) = await listen(0, "127.0.0.1")
    with trio.fail_after(30), pytest.raises(ExceptionGroup) as caught:
        await keep_door([Broken(listener, range(0))], House(), None, forever=True)
    assert caught.group_contains(OSError, match="Input/output")
    assert listener.socket.fileno() == -1
