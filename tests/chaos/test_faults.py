"""The faulty stream itself: every fault, exact to the byte and the virtual second."""

from __future__ import annotations

import random

import msgpack
import pytest
import trio
import trio.testing

from tests.chaos.faults import FaultyStream, Line, faulty_pair
from tests.chaos.lane import Lane, Signal
from tests.chaos.plans import (
    Corrupt,
    Cut,
    Delay,
    End,
    Merge,
    Place,
    Plan,
    Split,
    Swap,
    Throttle,
    Vanish,
    flight,
    gentle_plan,
    harsh_plan,
    message,
    read_plan,
    write_plan,
)
from tests.delay import delayed_pair

Clock = trio.testing.MockClock


async def arrivals(stream: trio.abc.ReceiveStream) -> list[tuple[float, bytes]]:
    """What comes and when, up to the end, which is b"", or a reset, which is b"!"."""
    got: list[tuple[float, bytes]] = []
    while not got or got[-1][1]:
        try:
            data = bytes(await stream.receive_some())
        except trio.BrokenResourceError:
            data = b"!"
        got.append((trio.current_time(), data))
        if data == b"!":
            return got
    return got


async def through(plan: Plan, *chunks: bytes) -> list[tuple[float, bytes]]:
    """How *chunks*, sent one after the other at time 0, arrive, and the end that follows."""
    first, second, _ = faulty_pair(up=plan)
    for chunk in chunks:
        await first.send_all(chunk)
    await first.send_eof()
    with trio.move_on_after(1000):
        return await arrivals(second)
    return []


# The plan; what arrives, each after how many seconds if any: "." is the end and "!" a reset.
CASES = {
    "": "abcdef ghi .",
    "split@4:2": "abcd ef gh i .",
    "merge@2:0.5": "ab 0.5:cdefghi 0.5:.",
    "delay@6:2.5": "abcdef 2.5:ghi 2.5:.",
    "delay@2:1 delay@7:1": "ab 1:cdef 1:g 2:hi 2:.",
    "throttle@5:20": "abcde 0.05:f 0.15:gh 0.2:i 0.2:.",
    "duplicate@2:2": "ab cd cd ef ghi .",
    "duplicate@5:2": "abcde f g fg hi .",
    "swap@2:2": "ab ef cd ghi .",
    "swap@8:1": "abcdef gh i .",
    "corrupt@0:1": "` bcdef ghi .",
    "cut@0": "!",
    "cut@3": "abc !",
    "cut@6": "abcdef !",
    "cut@9": "abcdef ghi !",
    "cut@10": "abcdef ghi .",
    "end@4": "abcd .",
    "vanish@4": "",
    "delay@0:3 cut@3": "3:abc 3:!",
    "cut@f0+2": "ab !",
}


def told(got: list[tuple[float, bytes]]) -> str:
    return " ".join(
        (f"{round(at, 6):g}:" if at else "") + (data.decode() or ".") for at, data in got
    )


@pytest.mark.parametrize("plan", CASES)
async def test_a_fault_on_its_way_in(plan: str, autojump_clock: Clock) -> None:
    assert told(await through(read_plan(plan), b"abcdef", b"ghi")) == CASES[plan]


async def test_what_vanishes_leaves_what_came_before_and_no_end(autojump_clock: Clock) -> None:
    first, second, _ = faulty_pair(up=(Vanish(Place(2)),))
    await first.send_all(b"abc")
    assert await second.receive_some() == b"ab"
    await first.send_eof()
    with trio.move_on_after(1000) as scope:
        await second.receive_some()
    assert scope.cancelled_caught
    await second.send_all(b"back")  # the other direction does not notice
    assert await first.receive_some() == b"back"


async def test_a_cut_breaks_both_directions_at_once(autojump_clock: Clock) -> None:
    first, second, line = faulty_pair(up=(Cut(Place(3)),))
    await second.send_all(b"never received")
    await first.send_all(b"abcdef")
    assert await second.receive_some() == b"abc"
    assert line.cut
    with pytest.raises(trio.BrokenResourceError):
        await second.send_all(b"an answer")
    for stream in (first, second):
        with pytest.raises(trio.BrokenResourceError):
            await stream.receive_some()
        with pytest.raises(trio.BrokenResourceError):
            await stream.send_eof()


async def test_a_cut_wakes_who_waits(autojump_clock: Clock) -> None:
    first, second, _ = faulty_pair(up=(Cut(Place(1)),))
    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(trio.BrokenResourceError):
                await first.receive_some()

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await first.send_all(b"x")
        assert await arrivals(second) == [(0, b"x"), (0, b"!")]


async def test_an_end_leaves_the_other_direction_open(autojump_clock: Clock) -> None:
    first, second, _ = faulty_pair(up=(End(Place(1)),))
    await first.send_all(b"xyz")
    assert [data for _, data in await arrivals(second)] == [b"x", b""]
    await second.send_all(b"still here")
    assert await first.receive_some() == b"still here"


async def test_flights_and_messages_are_places(autojump_clock: Clock) -> None:
    """The second flight of the first end is its second message and half of the third."""
    one, two, three = (msgpack.packb({"n": [text]}) for text in ("one", "two", "three"))
    plan = (Corrupt(flight(1, 2), 0xFF), Delay(message(2), 5), Cut(message(2, 3)))
    first, second, line = faulty_pair(up=plan)
    await first.send_all(one[:3])
    await first.send_all(one[3:])
    assert await second.receive_some() == one[:3]
    assert await second.receive_some() == one[3:]
    await second.send_all(b"\x01")
    await first.receive_some()
    await first.send_all(two + three)
    got = await arrivals(second)
    broken = two[:2] + bytes([two[2] ^ 0xFF]) + two[3:]
    assert b"".join(data for at, data in got if at == 0) == broken
    assert [(at, data) for at, data in got if at > 0] == [(5, three[:3]), (5, b"!")]
    assert (line.up.bytes, line.up.flights) == (len(one + two + three), 2)
    assert (line.up.messages, line.down.flights) == (3, 1)


async def test_a_piece_that_is_not_taken_whole_waits(autojump_clock: Clock) -> None:
    first, second, _ = faulty_pair(up=(Merge(Place(0), 1),))
    await first.send_all(b"abc")
    await first.send_all(b"def")
    assert [await second.receive_some(4), await second.receive_some(4)] == [b"abcd", b"ef"]


async def test_a_cancelled_receive_loses_nothing(autojump_clock: Clock) -> None:
    first, second, _ = faulty_pair(up=(Delay(Place(1), 10), Split(Place(0), 1)))
    await first.send_all(b"abc")
    assert await second.receive_some() == b"a"
    with trio.move_on_after(3) as scope:
        await second.receive_some()
    assert scope.cancelled_caught
    assert await arrivals_of(second, 2) == [(10, b"b"), (10, b"c")]


async def arrivals_of(stream: FaultyStream, count: int) -> list[tuple[float, bytes]]:
    got = []
    for _ in range(count):
        data = await stream.receive_some()
        got.append((trio.current_time(), data))
    return got


async def test_faults_on_the_way_out_hold_the_sender(autojump_clock: Clock) -> None:
    ours, theirs = delayed_pair(0.0)
    line = Line(up=(Delay(Place(2), 4), Corrupt(Place(3), 1), End(Place(5))))
    stream = FaultyStream(ours, line, outgoing=line.up)
    await stream.send_all(b"aaaaaaa")
    assert trio.current_time() == 4
    await stream.send_all(b"lost")
    assert b"".join([data for _, data in await arrivals(theirs)]) == b"aaa`a"
    await theirs.send_all(b"back")
    assert await stream.receive_some() == b"back"


async def test_a_cut_on_the_way_out_breaks_the_sender(autojump_clock: Clock) -> None:
    ours, theirs = delayed_pair(0.0)
    line = Line(up=(Cut(Place(2)),))
    stream = FaultyStream(ours, line, outgoing=line.up)
    with pytest.raises(trio.BrokenResourceError):
        await stream.send_all(b"abcdef")
    assert b"".join([data for _, data in await arrivals(theirs)]) == b"ab"


async def test_a_sender_is_held_by_what_is_not_taken(autojump_clock: Clock) -> None:
    """At most about a chunk is read ahead of a slow direction."""
    first, second, line = faulty_pair(up=(Throttle(Place(0), 1000),))
    for _ in range(10):
        await first.send_all(bytes(65_536))
    await second.receive_some()
    with trio.move_on_after(20):
        while True:
            await second.receive_some()
    assert line.up.bytes <= 3 * 65_536


def test_a_plan_is_read_as_it_is_written() -> None:
    rng = random.Random(1)
    for _ in range(500):
        plan = (*harsh_plan(rng, 1000), Cut(flight(3)), Delay(message(2, 7), 0.5))
        assert read_plan(write_plan(plan)) == plan
    assert read_plan("") == ()
    assert read_plan("cut@f3+10 split@0:1") == (Cut(flight(3, 10)), Split(Place(0), 1))


@pytest.mark.parametrize(
    "text", ["cut", "cut@", "cut@x3", "cut@3:1", "delay@3", "tear@3", "cut@-1"]
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"fault|takes"):
        read_plan(text)


def test_however_the_bytes_are_fed_the_same_comes_out() -> None:
    """Faults are at bytes, not at chunks: chunking changes nothing that a reader can see."""
    rng = random.Random(2)
    data = rng.randbytes(600)
    for _ in range(100):
        plan = (*harsh_plan(rng, 600), Swap(Place(rng.randrange(600)), rng.randint(1, 100)))
        outcomes = set()
        for most in (1, 7, 100, 600):
            lane, pieces, rest = Lane(plan), [], data
            pieces += lane.feed(b"", 0.0)
            while rest:
                size = rng.randint(1, most)
                pieces += lane.feed(rest[:size], 0.0)
                rest = rest[size:]
            pieces += lane.finish(0.0)
            whole = b"".join(what for _, what in pieces if isinstance(what, bytes))
            ends = tuple(what for _, what in pieces if isinstance(what, Signal))
            assert len(ends) <= 1
            outcomes.add((whole, ends))
        assert len(outcomes) == 1, write_plan(plan)


def test_gentle_plans_lose_and_alter_nothing() -> None:
    rng = random.Random(3)
    data = rng.randbytes(3000)
    for _ in range(300):
        lane = Lane(gentle_plan(rng, 3000))
        pieces = lane.feed(data, 0.0) + lane.finish(0.0)
        assert b"".join(what for _, what in pieces if isinstance(what, bytes)) == data
        times = [at for at, _ in pieces]
        assert times == sorted(times)
