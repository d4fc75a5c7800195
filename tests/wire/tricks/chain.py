"""Entries with wrong numbers, wrong hashes, or twins."""

from __future__ import annotations

from msgspec.structs import replace

from pazaak_p2p.rules import (
    Seat,
)
from pazaak_p2p.wire.codec import encode, read_body
from tests.cheating import Cheater
from tests.wire.tricks.case import (
    OTHER_BYTES,
    STAND,
    Case,
    cases,
)


def has_spoken(c: Cheater) -> bool:
    return bool(c.bodies) and c.due is not None


def again(c: Cheater, body: bytes, **changes: object) -> bytes:
    """Another entry for the place of this one."""
    c.accuse = read_body(body).n
    return c.sign(encode(replace(read_body(body), **changes)))


def in_another_encoding(c: Cheater) -> bytes:
    """The same content, but not the same bytes: what is signed are bytes."""
    body = c.bodies[-1]
    at = body.index(b"\xa1n") + 2
    assert body[at] < 128
    c.accuse = body[at]
    return c.sign(body[:at] + b"\xcc" + body[at:])


def two_at_once(c: Cheater) -> bytes:
    c.turn()
    return again(c, c.bodies[-1], state=OTHER_BYTES)


def author(c: Cheater, n: int) -> Seat:
    return c.transcript.authors[n]


def goes_on_alone(c: Cheater) -> bool:
    return c.floor and c.transcript.length > 0 and author(c, -1) is c.seat


def answers(c: Cheater) -> bool:
    return c.floor and c.transcript.length > 0 and author(c, -1) is not c.seat


CASES: list[Case] = [
    *cases(
        "two-entries",
        has_spoken,
        {
            "the first entry with another digest": lambda c: again(
                c, c.bodies[0], state=OTHER_BYTES
            ),
            "the last entry with another digest": lambda c: again(
                c, c.bodies[-1], state=OTHER_BYTES
            ),
            "the last entry with other statements": lambda c: again(c, c.bodies[-1], say=[STAND]),
            "the last entry chained to another": lambda c: again(c, c.bodies[-1], prev=OTHER_BYTES),
            "the last entry in another encoding": in_another_encoding,
        },
        points=(0, 3, 9),
    ),
    *cases(
        "two-entries",
        lambda c: c.floor and c.transcript.length > 1,
        {"two entries one after the other": two_at_once},
        points=(0, 4),
    ),
    *cases(
        "other-match",
        lambda c: c.floor and c.transcript.length == 0,
        {
            "chained to nothing": lambda c: c.rest(prev=bytes(32)),
            "chained to another match": lambda c: c.rest(prev=OTHER_BYTES),
        },
        seats=(Seat.HOST,),  # the first entry is always the host's
        points=(0,),
    ),
    *cases(
        "wrong-previous",
        goes_on_alone,
        {
            "invented": lambda c: c.rest(prev=OTHER_BYTES),
            "the match id": lambda c: c.rest(prev=c.match_id),
            "of an entry before": lambda c: c.rest(prev=c.transcript.heads[-2]),
        },
        splits=(True,),
        points=(0, 5),
    ),
    *cases(
        "wrong-sequence",
        answers,
        {
            "one too many": lambda c: c.rest(n=c.transcript.length + 1),
            "the largest": lambda c: c.rest(n=2**32 - 1),
            "the place of the other's entry": lambda c: c.rest(n=c.transcript.length - 1),
        },
        points=(0, 4),
    ),
    *cases(
        "wrong-sequence",
        lambda c: c.floor and c.transcript.length == 0,
        {"the first is not 0": lambda c: c.rest(n=1)},
        seats=(Seat.HOST,),
        points=(0,),
    ),
]
