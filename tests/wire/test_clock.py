"""Every deadline to the exact moment. Time is an argument: nothing here waits.

What follows from a statement or an act that is late is in ``test_lateness.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pazaak_p2p.rules import DECKS, Seat
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Flood, LocalError, Silent
from tests.wire.agreement import STANDARD, check
from tests.wire.pair import Pair, Side, at_random
from tests.wire.timing import (
    TIMED,
    alive,
    greeted,
    keep_alive,
    messages_of,
    silent,
    take,
    thinking,
    ticks,
)

# --- the greeting: 10 seconds from the start


@pytest.mark.parametrize("start", [0.0, 1000.5, -3.0])
def test_the_greeting_has_10_seconds(start: float) -> None:
    side = Side(Seat.HOST, "clock", DECKS["easy"], at_random(0), now=start)
    side.send()
    ticks(side, start + 10)
    silent(side)


def test_bytes_that_trickle_in_do_not_prolong_the_greeting() -> None:
    pair = Pair()
    hello = pair.join.send()
    pair.host.send()
    for i, byte in enumerate(hello[:18]):
        pair.host.peer.receive(bytes([byte]), i * 0.5)
        assert pair.host.peer.next_deadline() == 10.0
    ticks(pair.host, 10.0)
    silent(pair.host)


def test_a_hello_without_a_proof_does_not_prolong_the_greeting() -> None:
    pair = Pair()
    pair.host.peer.receive(pair.join.send(), 9.0)
    pair.host.send()
    ticks(pair.host, 10.0)
    silent(pair.host)


# --- keep-alive: asked after 10 seconds of silence, given up after 30


def test_a_ping_after_10_seconds_and_the_end_after_30() -> None:
    side = greeted(5.0).host
    ticks(side, 15.0)
    assert messages_of(side) == [m.Ping(1)]
    ticks(side, 35.0)
    silent(side)
    assert side.peer.last_heard == 5.0


def test_only_a_whole_message_is_a_sign_of_life() -> None:
    side = greeted().host
    chat = encode(m.Chat("not finished"))
    take(side, chat[:1], 9.0)
    ticks(side, 10.0)
    assert messages_of(side) == [m.Ping(1)]
    for i, now in ((1, 19.0), (2, 29.0)):
        take(side, chat[i : i + 1], now)
        assert side.peer.last_heard == 0.0
        assert side.peer.next_deadline() == 30.0
    ticks(side, 30.0)
    silent(side)


def test_a_message_that_trickled_in_counts_from_its_last_byte() -> None:
    side = greeted().host
    chat = encode(m.Chat("long"))
    take(side, chat[:-1], 8.0)
    take(side, chat[-1:], 9.5)
    assert side.of_kind(events.Chatted) == [events.Chatted("long")]
    assert side.peer.last_heard == 9.5
    assert side.peer.next_deadline() == 19.5


@pytest.mark.parametrize("delay", [0.0, 0.25, 19.5])
def test_a_pong_gives_the_round_trip_and_the_next_ping(delay: float) -> None:
    side = greeted().host
    for n, at in ((1, 10.0), (2, 20.0 + delay)):
        ticks(side, at)
        assert messages_of(side) == [m.Ping(n)]
        assert side.peer.next_deadline() == at + 20
        side.peer.receive(encode(m.Pong(n)), at + delay)
        assert side.peer.rtt == delay
        assert side.peer.next_deadline() == at + delay + 10


def test_without_a_ping_no_round_trip_is_known() -> None:
    assert greeted().host.peer.rtt is None


def test_two_who_only_think_stay_together() -> None:
    sides = thinking(STANDARD)
    pair = Pair()
    pair.host, pair.join = pair.sides = sides if sides[0].seat is Seat.HOST else sides[::-1]
    for side in sides:
        side.thinking_about = None
    now = 0.0
    for _ in range(50):
        deadlines = [side.peer.next_deadline() for side in sides]
        now = min(at for at in deadlines if at is not None)
        for side in sides:
            side.peer.handle_timeout(now)
        pair.run(now)
    assert now == 500.0
    assert all(side.of_kind(events.Ended) == [] for side in sides)


# --- the lobby: 120 seconds without a match, for either side


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("start", [0.0, 7.5])
def test_a_lobby_where_nobody_offers_lasts_120_seconds(seat: Seat, start: float) -> None:
    side = greeted(start).sides[seat]
    alive(side, start, start + 120)
    ticks(side, start + 120)
    silent(side)
    assert side.of_kind(events.Ended) == []
    assert side.record == b""


def test_the_lobby_begins_with_the_session() -> None:
    pair = Pair(persons=(True, True))
    hellos = [side.send() for side in pair.sides]
    for side, hello in zip(pair.sides, hellos[::-1], strict=True):
        side.peer.receive(hello, 4.0)
    take(pair.host, pair.join.send(), 9.0)
    assert pair.host.of_kind(events.Greeted)
    pair.host.send()
    alive(pair.host, 9.0, 129.0)
    ticks(pair.host, 129.0)
    silent(pair.host)


def test_two_idle_peers_give_up_together() -> None:
    pair = greeted()
    now = 0.0
    while None not in (deadlines := [side.peer.next_deadline() for side in pair.sides]):
        now = min(at for at in deadlines if at is not None)
        for side in pair.sides:
            side.peer.handle_timeout(now)
        pair.go(now)
    assert now == 120.0
    for side in pair.sides:
        (error,) = side.errors
        assert type(error) is Silent


@pytest.mark.parametrize("seat", list(Seat))
def test_an_offer_has_120_seconds(seat: Seat) -> None:
    side = greeted().sides[seat]
    side.offer(STANDARD, 3.0)
    side.send()
    alive(side, 3.0, 123.0)
    ticks(side, 123.0)
    silent(side)


@pytest.mark.parametrize("seat", list(Seat))
def test_who_has_to_answer_an_offer_has_no_more_time(seat: Seat) -> None:
    pair = greeted()
    side, other = pair.sides[seat], pair.sides[seat.other]
    other.offer(STANDARD, 3.0)
    side.peer.receive(other.send(), 3.0)
    assert side.peer.next_event() == events.Offered(STANDARD)
    alive(side, 3.0, 120.0)
    ticks(side, 120.0)
    silent(side)
    with pytest.raises(LocalError):
        side.accept(120.0)


@pytest.mark.parametrize("seat", list(Seat))
def test_a_refusal_does_not_prolong_the_lobby(seat: Seat) -> None:
    pair = greeted()
    side, other = pair.sides[seat], pair.sides[seat.other]
    side.offer(STANDARD, 1.0)
    other.peer.receive(side.send(), 1.0)
    other.peer.next_event()
    other.peer.decline(m.DeclineReason.USER)
    take(side, other.send(), 112.0)
    assert side.peer.next_deadline() == 121.0
    ticks(side, 121.0)
    silent(side)
    alive(other, 1.0, 120.0)
    ticks(other, 120.0)
    silent(other)


def test_a_lobby_has_no_deadline_while_a_match_is_on_and_a_new_one_after_it() -> None:
    pair = greeted()
    for side in pair.sides:
        side.person = False
    pair.host.offer(STANDARD, 100.0)
    pair.run(110.0)
    for side in pair.sides:
        assert len(side.of_kind(events.Ended)) == 1
        alive(side, 110.0, 230.0)
        ticks(side, 230.0)
        silent(side)


def test_in_a_match_nobody_gives_up_after_120_seconds() -> None:
    for side in thinking(STANDARD):
        for now in range(9, 2000, 9):
            keep_alive(side, float(now))
            assert side.peer.next_deadline() == now + 10


# --- budgets


FLOODS: dict[str, Callable[[int], m.Message]] = {
    "pings": m.Ping,
    "pongs": lambda i: m.Pong(i + 1000),
    "chats": lambda i: m.Chat(str(i)),
    "all kinds": lambda i: (m.Ping(i), m.Pong(i), m.Chat("x"))[i % 3],
}


def send_in(side: Side, make: Callable[[int], m.Message], n: int, now: float) -> None:
    side.peer.receive(b"".join(encode(make(i)) for i in range(n)), now)
    side.react(now)


@pytest.mark.parametrize("make", FLOODS.values(), ids=FLOODS)
def test_20_are_fine_and_21_are_a_flood(make: Callable[[int], m.Message]) -> None:
    side = greeted().host
    send_in(side, make, 20, 0.0)
    assert side.errors == []
    send_in(side, make, 1, 0.0)
    (error,) = side.errors
    assert type(error) is Flood
    assert messages_of(side)[-1] == m.Bye(m.ByeReason.PROTOCOL, "flood")


@pytest.mark.parametrize("make", FLOODS.values(), ids=FLOODS)
def test_the_budget_refills_by_one_a_second(make: Callable[[int], m.Message]) -> None:
    side = greeted().host
    send_in(side, make, 20, 0.0)
    for now in range(1, 100):
        send_in(side, make, 1, float(now))
    assert side.errors == []
    send_in(side, make, 1, 99.5)
    assert [type(error) for error in side.errors] == [Flood]


def test_the_budget_does_not_grow_beyond_20() -> None:
    side = greeted().host
    for now in range(9, 900, 9):
        keep_alive(side, float(now))
    send_in(side, m.Ping, 20, 1000.0)
    assert side.errors == []
    send_in(side, m.Ping, 1, 1000.0)
    assert [type(error) for error in side.errors] == [Flood]


def test_a_pong_that_was_asked_for_is_free_once() -> None:
    side = greeted().host
    side.peer.handle_timeout(10.0)
    send_in(side, m.Ping, 20, 10.0)
    side.peer.receive(encode(m.Pong(1)), 10.0)
    assert side.peer.next_event() is None
    side.peer.receive(encode(m.Pong(1)), 10.0)
    side.react(10.0)
    assert [type(error) for error in side.errors] == [Flood]


# --- no clock of its own


def test_no_clock_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> float:
        raise AssertionError("somebody looked at a clock")

    for name in ("time", "monotonic", "perf_counter", "time_ns", "monotonic_ns"):
        monkeypatch.setattr(time, name, read)
    pair = Pair(choose=(at_random(1), at_random(2)))
    pair.play(TIMED)
    monkeypatch.undo()
    check(pair)


@pytest.mark.parametrize("start", [-1e6, 0.0, 1e9])
def test_the_match_does_not_depend_on_the_time(start: float) -> None:
    pair = Pair(choose=(at_random(1), at_random(2)))
    pair.run(start)
    pair.host.offer(TIMED, start)
    pair.run(start)
    same = Pair(choose=(at_random(1), at_random(2)))
    same.play(TIMED)
    assert pair.host.record == same.host.record
    assert check(pair) == check(same)


def test_timeouts_after_the_end_do_nothing() -> None:
    side = greeted().host
    side.peer.bye(m.ByeReason.DONE)
    side.send()
    assert side.peer.next_deadline() is None
    side.peer.handle_timeout(1e9)
    side.react()
    assert side.send() == b""
    assert side.errors == []
