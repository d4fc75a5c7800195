"""Matches that are broken off and resumed, back to back on one wire.

Both sides are stopped dead at any moment and set up again from nothing but what they had written:
their record and their secrets.
"""

from __future__ import annotations

from pazaak_p2p.rules import Rules, Seat
from pazaak_p2p.wire import Role, events
from pazaak_p2p.wire.reading import read_saved
from pazaak_p2p.wire.resuming import Interrupted, restore
from tests.wire.pair import Pair, Side, at_random


class Line:
    """Carries so many deliveries from one side to the other, and then nothing more."""

    def __init__(self, deliveries: int | None) -> None:
        self.left = deliveries
        self.delivered = 0
        self.inside: int | None = None
        """Of the delivery after the last one, so many bytes still arrive."""

    def __call__(self, side: Side, data: bytes) -> list[bytes]:
        if self.left is not None and self.delivered >= self.left:
            part = data[: self.inside] if self.inside and self.delivered == self.left else b""
            self.delivered += 1
            return [part] if part else []
        self.delivered += 1
        return [data]


def new_pair(seed: str, line: Line, persons: tuple[bool, bool] = (False, False)) -> Pair:
    """A pair that chooses at random, the same for the same *seed*."""
    choose = (at_random((seed, 0)), at_random((seed, 1)))
    return Pair(seed, choose=choose, persons=persons, between=line)


def begin(pair: Pair, rules: Rules) -> None:
    """Greet and play as far as the wire carries."""
    pair.go()
    pair.host.offer(rules)
    pair.go()


def written(side: Side) -> bytes:
    """The record of *side* as it is found: what was on its way to be sent is in it already."""
    side.send()
    return bytes(side.record)


def interrupted(side: Side) -> Interrupted:
    """The match of *side* from its record and its secrets alone; cuts its record back."""
    record = written(side)
    saved = read_saved([record])
    side.record = bytearray(record[: saved.length])
    return restore(saved, side.key, side.secrets.match_secret(0), side.deck)


def again(pair: Pair, seed: str, line: Line, *, swapped: bool = False) -> Pair:
    """New programs of the same two players, after the old ones were stopped.

    They resume on their own accord; *swapped* lets the other one listen.
    """
    persons = (pair.host.person, pair.join.person)
    fresh = new_pair(seed, line, persons)
    for old, new in zip(pair.sides, fresh.sides, strict=True):
        new.record = bytearray(written(old))
        role = Role.LISTENER if (new.seat is Seat.HOST) is not swapped else Role.DIALLER
        new.restart(role, 1)
    fresh.go()
    return fresh


def resume(pair: Pair, *sides: Side) -> None:
    """Let *sides* (both, if none is named) say that they want to go on, and play on."""
    for side in sides or pair.sides:
        side.resume(interrupted(side))
    pair.go()


def ended(side: Side) -> events.Ended:
    """How the match ended for *side*, at last."""
    return side.of_kind(events.Ended)[-1]
