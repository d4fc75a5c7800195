"""A match that was broken off, and an opponent that lies about how far it is."""

from __future__ import annotations

from functools import cache

from pazaak_p2p.rules import Rules, Seat
from pazaak_p2p.wire import Role
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.judge import judge
from tests.wire.broken import (
    Foe,
    Line,
    begin,
    bodies,
    cut_back,
    ended,
    from_records,
    interrupted,
    items,
    new_pair,
)
from tests.wire.pair import Pair, messages_in
from tests.wire.records import SHORT

SEED, OTHER = "lies", "lies of another match"


@cache
def records(seed: str = SEED, rules: Rules = SHORT) -> tuple[bytes, bytes]:
    """The records of a whole match of two persons."""
    pair = new_pair(seed, Line(None), (True, True))
    begin(pair, rules)
    return bytes(pair.host.record), bytes(pair.join.record)


def entries(record: bytes) -> list[m.Entry]:
    """The entries of *record*."""
    found = [next(messages_in(item))[0] for item in items(record)]
    return [entry for entry in found if isinstance(entry, m.Entry)]


def opponent(seat: Seat, kept: int, seed: str = SEED) -> Foe:
    """The opponent of *seat*, which wants to go on with so much of the match."""
    record = cut_back(records(seed)[seat], kept)
    side = from_records(seed, [record, record], Line(None)).sides[seat]
    foe = Foe(side)
    side.resume(interrupted(side))
    foe.listen()
    return foe


def next_by(record: bytes, seat: Seat) -> int:
    """The first entry of *seat* in the game itself."""
    return next(n for n, said in enumerate(bodies(record)) if n > 3 and read_body(said).by == seat)


def refused(foe: Foe) -> str:
    """The code with which our player refuses what it was told; nobody is convicted by it."""
    (error,) = foe.side.errors
    (bye,) = (said for said in foe.heard if isinstance(said, m.Bye))
    assert bye == m.Bye(m.ByeReason.PROTOCOL, error.code)
    verdict = judge(bytes(foe.side.record))
    assert (verdict.cheat, verdict.problem, verdict.contradiction) == (None, None, "")
    assert ended(foe.side).resumable
    return error.code


KEPT = 6


def greeted(seed: str = SEED, kept: int = KEPT) -> Pair:
    """Two players of a broken-off match, who have greeted each other."""
    return from_records(seed, [cut_back(record, kept) for record in records(seed)], Line(None))


def side_role(seat: Seat) -> Role:
    """Who listens, if the host does."""
    return Role.LISTENER if seat is Seat.HOST else Role.DIALLER
