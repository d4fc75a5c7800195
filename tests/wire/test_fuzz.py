"""Whatever comes, at whatever stage: a refusal or nothing, and soon, and in little memory.

A short run that is the same every time. ``PAZAAK_FUZZ=10000 pytest tests/wire/test_fuzz.py`` makes
a long one that is new every time.
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pazaak_p2p.rules import DECKS, Card, Rules, Seat
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import RemoteError
from tests.cheating import Cheater, Trick, duel
from tests.wire.agreement import cautious
from tests.wire.caught import Caught
from tests.wire.pair import Pair, Side, at_random, messages_in
from tests.wire.test_codec import MESSAGES, STATEMENTS

SEED = "fuzz"
RULES = Rules(sets=1)
HOSTS = (DECKS["balanced"], DECKS["super"])


def play() -> Pair:
    pair = Pair(SEED, HOSTS, (at_random(1), at_random(2)))
    pair.play(RULES)
    return pair


def streams() -> tuple[list[bytes], list[bytes]]:
    """What the host and the joiner said in a whole session, message by message."""
    host, join = ([exact for _, exact in messages_in(b"".join(s.sent))] for s in play().sides)
    return host, join


SAID = streams()
SEATS = st.sampled_from(Seat)
STAGES = st.integers(0, min(len(said) for said in SAID) - 1)
EXAMPLES = os.environ.get("PAZAAK_FUZZ")
few = settings(max_examples=int(EXAMPLES or 100), deadline=None, derandomize=EXAMPLES is None)


def at_stage(seat: Seat, stage: int) -> Side:
    """The peer of *seat* after the first *stage* messages of the other side."""
    side = Side(seat, SEED, HOSTS[seat], at_random(seat + 1))
    for i, message in enumerate(SAID[seat.other][:stage]):
        side.peer.receive(message, 0.0)
        side.react()
        side.send()
        if i == 1 and seat is Seat.HOST:
            side.offer(RULES)
            side.send()
    assert side.errors == []
    return side


def feed(side: Side, data: bytes, size: int = 65_536) -> None:
    """Give *data* to the side; check all that must hold whatever it is."""
    told, sent, recorded = len(side.events), 0, len(side.record)
    for start in range(0, len(data), size):
        side.peer.receive(data[start : start + size], 0.0)
        side.react()  # raises whatever is no RemoteError
        sent += len(side.send())
    assert len(side.errors) <= 1
    assert all(isinstance(error, RemoteError) for error in side.errors)
    assert len(side.events) - told <= 20 + len(data)
    assert sent <= 5_000 + 10 * len(data)
    assert len(side.record) - recorded <= 5_000 + 2 * len(data) + sent
    if side.errors:
        assert side.peer.next_deadline() is None
        return
    # Nobody says anything any more: it ends by itself.
    for _ in range(6):
        at = side.peer.next_deadline()
        if at is None:
            return
        side.peer.handle_timeout(at)
        side.react(at)
        side.send()
    raise AssertionError("it goes on for ever")


@few
@given(seat=SEATS, stage=STAGES, data=st.binary(max_size=2_000), size=st.integers(1, 2_000))
def test_random_bytes(seat: Seat, stage: int, data: bytes, size: int) -> None:
    feed(at_stage(seat, stage), data, size)


@few
@given(
    seat=SEATS,
    stage=STAGES,
    bits=st.lists(st.integers(0, 100_000), min_size=1, max_size=8),
    end=st.none() | st.integers(0, 5_000),
    size=st.integers(1, 3_000),
)
def test_flipped_bits_and_cut_streams(
    seat: Seat, stage: int, bits: list[int], end: int | None, size: int
) -> None:
    data = bytearray(b"".join(SAID[seat.other][stage:]))
    for bit in bits:
        data[bit // 8 % min(len(data), 700)] ^= 1 << bit % 8
    feed(at_stage(seat, stage), bytes(data[:end]), size)


@few
@given(
    seat=SEATS,
    stage=STAGES,
    parts=st.lists(
        st.tuples(SEATS, st.integers(0, 60), st.integers(0, 700), st.integers(1, 700)),
        min_size=1,
        max_size=6,
    ),
)
def test_spliced_streams(seat: Seat, stage: int, parts: list[tuple[Seat, int, int, int]]) -> None:
    pieces = [SAID[s][i % len(SAID[s])][start : start + n] for s, i, start, n in parts]
    feed(at_stage(seat, stage), b"".join(pieces))


@few
@given(
    seat=SEATS,
    stage=STAGES,
    order=st.lists(st.tuples(SEATS, st.integers(0, 60)), min_size=1, max_size=8),
)
def test_whole_messages_in_any_order(seat: Seat, stage: int, order: list[tuple[Seat, int]]) -> None:
    feed(at_stage(seat, stage), b"".join(SAID[s][i % len(SAID[s])] for s, i in order))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=70)
    | st.sampled_from([bytes(32), bytes(64), "user", "time", "+1", 0, 1])
    | st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=20)),
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.dictionaries(st.text(max_size=8) | st.integers(0, 99) | st.binary(max_size=4), inner)
    ),
    max_leaves=12,
)


@st.composite
def near_messages(draw: st.DrawFn) -> bytes:
    """Messages with the right kind and keys, and a value or two that may be anything."""
    raw = dict(draw(st.sampled_from([raw for raw, _ in MESSAGES])))
    for key in draw(st.lists(st.sampled_from([*raw, "x"]), max_size=2)):
        raw[key] = draw(VALUES)
    if draw(st.booleans()):
        raw["body"] = msgpack.packb(draw(near_bodies()))
    packed: bytes = msgpack.packb(raw)
    return packed


@st.composite
def near_bodies(draw: st.DrawFn) -> dict[str, object]:
    say = draw(st.lists(st.sampled_from([raw for raw, _ in STATEMENTS]) | VALUES, max_size=4))
    body: dict[str, object] = {"n": 0, "by": 1, "prev": bytes(32), "say": say, "state": bytes(32)}
    for key in draw(st.lists(st.sampled_from([*body, "x"]), max_size=1)):
        body[key] = draw(VALUES)
    return body


@few
@given(seat=SEATS, stage=STAGES, messages=st.lists(near_messages(), min_size=1, max_size=3))
def test_messages_that_are_nearly_right(seat: Seat, stage: int, messages: list[bytes]) -> None:
    feed(at_stage(seat, stage), b"".join(messages))


HASHES = st.sampled_from([bytes(32), b"?" * 32, b"\xff" * 32])
CARDS = st.sampled_from(Card)
POSITIONS = st.integers(0, 9)
SAYABLE: dict[str, st.SearchStrategy[Callable[[Cheater], m.Statement]]] = {
    "honest": st.sampled_from(
        [
            lambda c: c.commit(),
            lambda c: c.reveal(),
            lambda c: c.opening(),
            lambda c: c.play(c.dealt[0] if c.dealt else 0),
        ]
    ),
    "simple": st.sampled_from(
        [lambda _: m.EndTurn(), lambda _: m.StandNow(), lambda _: m.PassOn()]
    ),
    "play": st.builds(
        lambda at, card, value: lambda c: m.PlayCard(at, card, c.secret.salt(at), value),
        POSITIONS,
        CARDS,
        st.integers(-10, 10),
    ),
    "lay": st.builds(lambda at: lambda c: m.LayDown(at, c.secret.salt(at)), POSITIONS),
    "reveal": st.builds(lambda a, b: lambda _: m.Reveal(a, b), HASHES, HASHES),
    "commit": st.builds(lambda a, b: lambda _: m.Commit([a] * 10, b), HASHES, HASHES),
    "open": st.builds(lambda a, s: lambda _: m.Open([a] * 10, [s] * 10), CARDS, HASHES),
}


@few
@given(
    seat=SEATS,
    point=st.integers(0, 25),
    say=st.lists(st.one_of(*SAYABLE.values()), min_size=1, max_size=8),
    n=st.none() | st.integers(0, 30),
    concede=st.booleans(),
    finish=st.booleans(),
)
def test_well_signed_nonsense(
    seat: Seat,
    point: int,
    say: list[Callable[[Cheater], m.Statement]],
    n: int | None,
    concede: bool,
    finish: bool,
) -> None:
    """A peer with a good key that says anything at all."""

    def what(c: Cheater) -> bytes:
        conceded = c.concession() if concede else b""
        if finish:
            c.finish()
        return conceded + c.entry(*(make(c) for make in say[: 8 - 4 * finish]), n=n)

    cheater = Cheater(
        seat,
        Trick(lambda c: c.due is not None, what),
        rules=RULES,
        deck=DECKS["balanced"],
        seed=SEED,
        skip=point,
        split=True,
    )
    victim = Side(seat.other, SEED, DECKS["super"], cautious(1))
    duel(cheater, victim)
    caught = Caught(cheater, victim)
    assert len(victim.errors) <= 1
    if victim.errors:
        assert victim.peer.next_deadline() is None
        cheat = caught.verdict.cheat
        code = victim.errors[0].code
        assert cheat is None or cheat[0] == code


LONG: dict[str, bytes] = {
    "noise": bytes(range(256)) * 4_000,
    "pings": encode(m.Ping(1)) * 100_000,
    "chats": encode(m.Chat("x" * 500)) * 2_000,
    "an entry without end": b"\x83\xa1t\xa5entry\xa4body\xc6\x00\x00\xff\xff" + bytes(1_000_000),
    "a nest": b"\x81\xa1t" * 300_000,
    "hellos": SAID[0][0] * 7_000,
}


@pytest.mark.parametrize("stage", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("data", LONG.values(), ids=LONG)
def test_a_megabyte_of_anything_in_little_memory(data: bytes, stage: int) -> None:
    side = at_stage(Seat.HOST, stage)
    tracemalloc.start()
    try:
        feed(side, data)
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()
