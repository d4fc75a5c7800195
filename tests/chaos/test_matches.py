"""Today's product on lines that go wrong: nothing is decided that was not played, and nobody
honest is accused. All on the virtual clock; *up* is what flows from the host to the joiner."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest
import trio
import trio.testing

from pazaak_p2p.net.errors import PeerLeft, PeerLost
from pazaak_p2p.rules import Outcome, Seat, Termination, parse_rules
from pazaak_p2p.wire.cheats import WrongShare
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.errors import Silent
from pazaak_p2p.wire.messages import Bye, Entry, Proof
from tests.chaos.matches import NotHonest, Played, check_honest, disturbed, each
from tests.chaos.plans import (
    Corrupt,
    Cut,
    Delay,
    Duplicate,
    End,
    Merge,
    Place,
    Plan,
    Split,
    Swap,
    Throttle,
    Vanish,
    gentle_plan,
)
from tests.delay import DelayedStream, delayed_pair
from tests.matches import Side, SlowPlayer, bot, play
from tests.wire.pair import messages_in, objects_in

Clock = trio.testing.MockClock

UP, DOWN = WAYS = (0, 1)


def seats(seed: str, rules: str = "standard,sets=1", *, persons: bool = False) -> tuple[Side, Side]:
    """Two seats of a match of bots, or of persons, which says its reveals and acts one by one."""
    agreed = parse_rules(rules)
    if persons:
        return Side(0, seed, SlowPlayer(1), rules=agreed), Side(1, seed, SlowPlayer(2))
    return Side(0, seed, rules=agreed), Side(1, seed, bot("random", seed))


@dataclass(frozen=True)
class Undisturbed:
    """What flows in a match over a good line; pairs are (up, down)."""

    head: bytes
    ends: tuple[list[int], list[int]]
    """Where each message ends."""
    kinds: tuple[list[type], list[type]]
    loser: Seat
    """Who says the last statement, the opening of the loser's side deck."""

    def last_entry(self, way: int) -> tuple[int, int]:
        """Where the last entry of that direction begins and ends."""
        at = max(i for i, kind in enumerate(self.kinds[way]) if kind is Entry)
        return self.ends[way][at - 1], self.ends[way][at]

    def greeting(self, way: int) -> int:
        """Bytes of the hello and the proof of that direction."""
        return self.ends[way][self.kinds[way].index(Proof)]

    def finished_if_cut(self, way: int, at: int) -> tuple[bool, bool]:
        """For whom (host, joiner) the match is over if the line is cut after *at* bytes of *way*.

        First the winner opens its side deck, then the loser. It is over for the loser when it has
        said that; for the winner too if the line is lost then, since that changes nothing any more.
        """
        start, end = self.last_entry(way)
        if way == self.loser:
            loser, winner = at > start, at >= start
        else:
            loser, winner = at >= end, at > start
        return (loser, winner) if self.loser is Seat.HOST else (winner, loser)


class Tapped(DelayedStream):
    """The same end as *stream*, which remembers what it sent."""

    def __init__(self, stream: DelayedStream) -> None:
        super().__init__(stream._outgoing, stream._incoming)
        self.said = b""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self.said += bytes(data)
        await super().send_all(data)


async def undisturbed(seed: str, *, persons: bool = False) -> Undisturbed:
    """The match of :func:`seats` over a good line."""
    first, second = (Tapped(stream) for stream in delayed_pair(0.0))
    host, join = seats(seed, persons=persons)
    played = Played(host, join, await play(host, join, (first, second)))
    ends: tuple[list[int], list[int]] = ([], [])
    kinds: tuple[list[type], list[type]] = ([], [])
    for way, data in enumerate((first.said, second.said)):
        at = 0
        for said, exact in messages_in(data):
            at += len(exact)
            ends[way].append(at)
            kinds[way].append(type(said))
        assert at == len(data)
    entries = [item for item in objects_in(host.record.data) if item["t"] == "entry"]
    loser = Seat(read_body(entries[-1]["body"]).by)
    report = played.reports[0]
    assert report is not None
    assert report.outcome == Outcome(Termination.NORMAL, loser.other)
    return Undisturbed(played.head, ends, kinds, loser)


async def under(
    seed: str, way: int, plan: Plan, *, persons: bool = False, ordered: bool = True
) -> Played:
    """The match of :func:`seats` with *plan* in one direction, checked."""
    up, down = (plan, ()) if way == UP else ((), plan)
    return await disturbed(*seats(seed, persons=persons), up, down, ordered=ordered)


# --- what loses nothing changes nothing

GENTLE: dict[str, Plan] = {
    "single bytes": (Split(Place(0), 1),),
    "merged": (Merge(Place(0), 0.5),),
    "delayed": tuple(Delay(Place(at), 4.0) for at in range(0, 20_000, 700)),
    "throttled": (Throttle(Place(0), 3000),),
    "single bytes, merged again in part": (Split(Place(0), 1), Merge(Place(900), 0.01)),
    "throttled to single bytes": (Throttle(Place(0), 500), Split(Place(0), 1)),
}


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("name", GENTLE)
async def test_the_match_is_the_same(name: str, persons: bool, autojump_clock: Clock) -> None:
    plan = GENTLE[name]
    for seed in ("one", "two"):
        good = await undisturbed(seed, persons=persons)
        for up, down in ((plan, ()), ((), plan), (plan, plan)):
            played = await disturbed(*seats(seed, persons=persons), up, down)
            assert played.head == good.head


async def test_the_match_is_the_same_under_any_gentle_plan(autojump_clock: Clock) -> None:
    good = {seed: await undisturbed(seed) for seed in "abcd"}
    rng = random.Random(4)

    async def run(case: tuple[str, Plan, Plan]) -> Played:
        seed, up, down = case
        played = await disturbed(*seats(seed), up, down)
        assert played.head == good[seed].head
        return played

    cases = [
        (rng.choice("abcd"), gentle_plan(rng, 9000), gentle_plan(rng, 9000)) for _ in range(60)
    ]
    assert await each(cases, run) == {"finished/finished": 60}


# --- altered bytes


async def test_every_byte_of_the_greeting_and_the_agreement_altered(autojump_clock: Clock) -> None:
    """Hello, proof, offer and accept: no match comes about that both do not see alike."""
    good = await undisturbed("alter")
    rng = random.Random(5)

    async def run(case: tuple[int, Corrupt]) -> Played:
        way, fault = case
        return await under("alter", way, (fault,))

    fates = await each(
        [
            (way, Corrupt(Place(at), rng.choice(FLIPS)))
            for way in WAYS
            for at in range(good.ends[way][2])
        ],
        run,
    )
    # A name, or a program's, may be altered: the proof, which is over it, then is not.
    assert sum(fates.values()) == good.ends[0][2] + good.ends[1][2]
    assert "finished" not in "".join(fates)


FLIPS = (1, 2, 4, 8, 16, 32, 64, 128, 255)


@pytest.mark.parametrize("persons", [False, True])
async def test_any_message_altered(persons: bool, autojump_clock: Clock) -> None:
    """At its head, its end and places between; only a goodbye may be altered for nothing."""
    good = await undisturbed("alter", persons=persons)
    rng = random.Random(6)
    cases = []
    for way in WAYS:
        for at, (start, end) in enumerate(itertools.pairwise([0, *good.ends[way]])):
            goodbye = good.kinds[way][at] is Bye
            inside = [rng.randrange(start, end) for _ in range(1 if persons else 4)]
            places = [start, *inside] if persons else [start, start + 1, *inside, end - 1]
            cases += [(way, Corrupt(Place(at_), rng.choice(FLIPS)), goodbye) for at_ in places]

    async def run(case: tuple[int, Corrupt, bool]) -> Played:
        way, fault, goodbye = case
        played = await under("alter", way, (fault,), persons=persons)
        if goodbye:
            assert played.head == good.head
        else:
            report = played.reports[1 - way]
            assert report is None or report.opened != (True, True)
        return played

    fates = await each(cases, run)
    assert sum(fates.values()) == len(cases)


@pytest.mark.parametrize("kind", [Duplicate, Swap])
@pytest.mark.parametrize("persons", [False, True])
async def test_what_comes_twice_or_too_late(
    kind: type[Duplicate] | type[Swap], persons: bool, autojump_clock: Clock
) -> None:
    """Whole messages, which a careless reader would take, and pieces of any size."""
    good = await undisturbed("again", persons=persons)
    rng = random.Random(7)
    cases: list[tuple[int, Plan]] = []
    for way in WAYS:
        for start, end in itertools.pairwise([0, *good.ends[way]]):
            cases.append((way, (kind(Place(start), end - start),)))
            cases.append((way, (kind(Place(rng.randrange(start, end)), rng.randint(1, 600)),)))

    async def run(case: tuple[int, Plan]) -> Played:
        ordered = kind is Duplicate
        played = await under("again", *case, persons=persons, ordered=ordered)
        for report in played.reports:
            if report is not None and report.opened == (True, True):
                assert report.head == good.head
        return played

    fates = await each(cases, run)
    assert sum(fates.values()) == len(cases)
    refused = sum(count for fate, count in fates.items() if "refused" in fate)
    assert refused > (len(cases) / 2 if kind is Duplicate else 0)


# --- a line that is cut


async def test_cut_at_every_byte_of_the_greeting(autojump_clock: Clock) -> None:
    good = await undisturbed("cut")

    async def run(case: tuple[int, Cut]) -> Played:
        way, fault = case
        played = await under("cut", way, (fault,))
        assert played.reports == [None, None]
        return played

    cases = [(way, Cut(Place(at))) for way in WAYS for at in range(good.greeting(way) + 1)]
    assert await each(cases, run) == {"lost/lost": len(cases)}


@pytest.mark.parametrize(("seed", "persons"), [("cut", False), ("again", False), ("three", True)])
async def test_cut_before_inside_and_after_every_message(
    seed: str, persons: bool, autojump_clock: Clock
) -> None:
    good = await undisturbed(seed, persons=persons)
    rng = random.Random(8)

    async def run(case: tuple[int, int]) -> Played:
        way, at = case
        played = await under(seed, way, (Cut(Place(at)),), persons=persons)
        if not persons or (way, at) != (good.loser, good.last_entry(way)[0]):
            # A person may still be thinking there, before it comes to opening.
            assert played.finished == good.finished_if_cut(way, at)
        for side in played.sides:
            assert type(side.error) in (type(None), PeerLost)
        return played

    cases = []
    for way in WAYS:
        for start, end in itertools.pairwise([0, *good.ends[way]]):
            cases += [(way, start), (way, rng.randrange(start + 1, end)), (way, end)]
    fates = await each(cases, run)
    assert sum(fates.values()) == len(cases)
    assert fates["lost/lost"] > len(cases) * 0.7


async def test_a_direction_that_ends_is_a_line_that_is_lost(autojump_clock: Clock) -> None:
    good = await undisturbed("end")

    async def run(case: tuple[int, End]) -> Played:
        way, fault = case
        played = await under("end", way, (fault,))
        hears = good.finished_if_cut(way, fault.place.offset)[1 - way]
        assert type(played.sides[1 - way].error) is (type(None) if hears else PeerLost)
        return played

    cases = [
        (way, End(Place(at)))
        for way in WAYS
        for at in good.ends[way]
        if at < good.last_entry(way)[1]
    ]
    await each(cases, run)


async def test_half_open_is_noticed_in_time(autojump_clock: Clock) -> None:
    """Whoever hears nothing any more gives up after 30 seconds and says so; so both know."""
    good = await undisturbed("half")

    async def run(case: tuple[int, Vanish]) -> Played:
        way, fault = case
        began = trio.current_time()
        played = await under("half", way, (fault,))
        deaf, other = played.sides[1 - way], played.sides[way]
        assert isinstance(deaf.error, Silent)
        at = fault.place.offset
        if at >= good.last_entry(way)[0]:  # it has heard all, and says its last
            assert other.error is None
        else:
            assert isinstance(other.error, PeerLeft | Silent)
        assert max(side.ended_at for side in played.sides) - began < 35
        return played

    cases = [
        (way, Vanish(Place(at)))
        for way in WAYS
        for at in good.ends[way]
        if at < good.last_entry(way)[1]
    ]
    await each(cases, run)


# --- the check itself


async def test_a_false_accusation_would_be_noticed(autojump_clock: Clock) -> None:
    host, join = seats("check")
    played = await disturbed(host, join)
    check_honest(played)
    for error in (WrongShare(Seat.JOIN, 3), ZeroDivisionError()):
        host.error = error
        with pytest.raises(NotHonest, match=r"conviction|another kind"):
            check_honest(played)
    host.error = None
    other = await disturbed(*seats("other"))
    with pytest.raises(NotHonest, match=r"another history|two results"):
        check_honest(Played(host, other.join, [played.reports[0], other.reports[1]]))
    host.record.data = host.record.data[:-40]
    with pytest.raises(NotHonest, match="not sound"):
        check_honest(played)
