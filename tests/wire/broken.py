"""Matches that are broken off and resumed, back to back on one wire.

Both sides are stopped dead at any moment and set up again from nothing but what they had written:
their record and their secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from pazaak_p2p.fairness import SeedSecrets, digest
from pazaak_p2p.rules import Rules, Seat
from pazaak_p2p.wire import Role, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import MAX_MESSAGE, encode
from pazaak_p2p.wire.greeting import Greeting
from pazaak_p2p.wire.reading import read_saved
from pazaak_p2p.wire.resuming import Interrupted, restore
from pazaak_p2p.wire.terms import concession_frame, entry_frame
from tests.wire.pair import Pair, Side, at_random, messages_in
from tests.wire.records import kind, pieces


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


def interrupted(side: Side, match: int = 0) -> Interrupted:
    """The *match*-th match of *side* from its record and secrets alone; cuts its record back."""
    record = written(side)
    saved = read_saved([record])
    side.record = bytearray(record[: saved.length])
    return restore(saved, side.key, side.secrets.match_secret(match), side.deck)


def again(pair: Pair, seed: str, line: Line, *, swapped: bool = False) -> Pair:
    """New programs of the same two players, after the old ones were stopped.

    They resume on their own accord; *swapped* lets the other one listen.
    """
    records = tuple(written(side) for side in pair.sides)
    return from_records(seed, records, line, (pair.host.person, pair.join.person), swapped=swapped)


def from_records(
    seed: str,
    records: Sequence[bytes],
    line: Line,
    persons: tuple[bool, bool] = (False, False),
    *,
    swapped: bool = False,
) -> Pair:
    """Two players who have nothing but these *records* and their secrets, and greet each other."""
    pair = new_pair(seed, line, persons)
    for side, record in zip(pair.sides, records, strict=True):
        side.record = bytearray(record)
        role = Role.LISTENER if (side.seat is Seat.HOST) is not swapped else Role.DIALLER
        side.restart(role, 1)
    pair.go()
    return pair


def resume(pair: Pair, *sides: Side) -> None:
    """Let *sides* (both, if none is named) say that they want to go on, and play on."""
    for side in sides or pair.sides:
        side.resume(interrupted(side))
    pair.go()


def ended(side: Side) -> events.Ended:
    """How the match ended for *side*, at last."""
    return side.of_kind(events.Ended)[-1]


def items(record: bytes) -> list[bytes]:
    """The entries and concessions of *record*, each as its bytes."""
    return [piece for piece in pieces(record) if kind(piece) in ("entry", "concede")]


def cut_back(record: bytes, left: int) -> bytes:
    """*record* with only its first *left* entries and concessions: a machine has lost the rest."""
    return b"".join([*pieces(record)[:3], *items(record)[:left]])


def bodies(record: bytes) -> list[bytes]:
    """The bodies of the entries of *record*."""
    return [msgpack.unpackb(item)["body"] for item in items(record) if kind(item) == "entry"]


class Foe:
    """Whoever has the key of a player's opponent, greets that player and says what it likes."""

    def __init__(self, side: Side, *, hello: int = 9, key: Ed25519PrivateKey | None = None) -> None:
        self.side = side
        secrets = SeedSecrets(side.seed, side.seat.other)
        self.key = key or Ed25519PrivateKey.from_private_bytes(secrets.identity())
        role = Role.DIALLER if side.seat is Seat.HOST else Role.LISTENER
        self._greeting = Greeting(self.key, role, "Foe", secrets.hello(hello), "by hand")
        self.heard: list[m.Message] = []
        side.restart(Role.LISTENER if side.seat is Seat.HOST else Role.DIALLER, hello)
        self.tell(self._greeting.hello)
        (theirs, proof) = self.heard
        assert isinstance(theirs, m.Hello)
        assert isinstance(proof, m.Proof)
        answer = self._greeting.take_hello(theirs, encode(theirs))
        self._greeting.take_proof(proof)
        self.tell(answer)

    def tell(self, *said: bytes | m.Message, now: float = 0.0) -> None:
        """Say this, and hear what comes of it."""
        data = b"".join(each if isinstance(each, bytes) else encode(each) for each in said)
        for start in range(0, len(data), MAX_MESSAGE):
            self.side.peer.receive(data[start : start + MAX_MESSAGE], now)
        self.side.react(now)
        self.listen()

    def listen(self) -> None:
        """Hear what our player has to say."""
        self.heard += [message for message, _ in messages_in(self.side.send())]

    def stay(self, until: float) -> None:
        """Time passes; every ten seconds we show that we are there, and say nothing else."""
        peer = self.side.peer
        while (at := peer.next_deadline()) is not None and at <= until:
            peer.handle_timeout(at)
            self.tell(m.Ping(7), now=at)

    def wish(self, record: bytes, **changes: Any) -> m.Resume:
        """The wish to go on where *record* ends, or with other fields."""
        said = m.Resume(match_id(record), len(bodies(record)), head(record), [])
        return replace(said, **changes)

    def entry(self, body: bytes, match: bytes) -> m.Entry:
        """*body* signed for *match* with our key."""
        return m.Entry(body, self.key.sign(entry_frame(match, body)))

    def entries(self) -> list[m.Entry]:
        """The entries that we have heard."""
        return [message for message in self.heard if isinstance(message, m.Entry)]


def concession(key: Ed25519PrivateKey, seat: Seat, match: bytes, head: bytes) -> m.Concede:
    """The concession of *seat*, which has *key*, at *head* of the match with this id."""
    reason = m.ConcedeReason.CONCESSION
    return m.Concede(seat, head, reason, key.sign(concession_frame(match, seat, head, reason)))


def match_id(record: bytes) -> bytes:
    return read_saved([record]).terms.match_id


def heads(record: bytes) -> list[bytes]:
    """The heads after 0, 1, 2 .. entries of *record*."""
    match = match_id(record)
    return [match, *(digest("entry", match, body) for body in bodies(record))]


def head(record: bytes) -> bytes:
    return heads(record)[-1]
