"""Records of short matches, taken apart and put together otherwise."""

from __future__ import annotations

from itertools import pairwise

import msgpack

from pazaak_p2p.rules import Rules, Seat
from tests.wire.agreement import cautious
from tests.wire.pair import Pair, last_legal

SHORT = Rules(sets=1)
BOTH = (Seat.HOST, Seat.JOIN)


def played(seed: str = "short 4", rules: Rules = SHORT, persons: bool = False) -> Pair:
    """Two who stand as soon as they can; the first of these matches has only seven entries."""
    pair = Pair(seed, choose=(last_legal, last_legal), persons=(persons, persons))
    pair.play(rules)
    return pair


def conceded(seats: tuple[Seat, ...]) -> tuple[Pair, tuple[bytes, bytes]]:
    """A match of persons that these seats conceded (at once, if both); both sides' records."""
    pair = Pair("conceded", choose=(cautious(1), cautious(2)), persons=(True, True))
    pair.greet()
    pair.host.offer(SHORT)
    while not any(side.thinking_about for side in pair.sides):
        assert pair.step()
    for seat in seats:
        side = pair.sides[seat]
        side.thinking_about = None
        side.peer.concede(0.0)
    pair.run()
    return pair, (bytes(pair.host.record), bytes(pair.join.record))


RECORD = bytes(played().host.record)


def pieces(record: bytes) -> list[bytes]:
    """The objects of a record as bytes."""
    unpacker = msgpack.Unpacker(raw=False)
    unpacker.feed(record)
    ends = [0, *(unpacker.tell() for _ in unpacker)]
    return [record[start:end] for start, end in pairwise(ends)]


def kind(piece: bytes) -> str:
    """Of which kind an object is."""
    return str(msgpack.unpackb(piece)["t"])


def with_end(record: bytes, **changes: object) -> bytes:
    """With another end map."""
    *before, end = pieces(record)
    return b"".join([*before, msgpack.packb({**msgpack.unpackb(end), **changes})])


def with_header(record: bytes, **changes: object) -> bytes:
    """With another header."""
    header, *rest = pieces(record)
    return b"".join([msgpack.packb({**msgpack.unpackb(header), **changes}), *rest])
