"""``records.json``: records that are whole, broken off, or not as they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from pazaak_p2p.arena.seeds import RECORD_FILE
from pazaak_p2p.fairness import digest
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import Reader, encode
from tests.vectors_tools.matches import SEEDS

Vector = dict[str, Any]


class Record:
    """The objects of a record, each with its exact bytes."""

    def __init__(self, data: bytes) -> None:
        self.header = msgspec.msgpack.decode(_first(data), type=messages.Header)
        rest = data[len(_first(data)) :]
        reader = Reader()
        # The end map is no message, so it goes first.
        end_at = data.rindex(b"\x86\xa1t\xa3end")
        reader.feed(rest[: end_at - len(_first(data))])
        self.messages = [exact for _, exact in reader]
        self.end = msgspec.msgpack.decode(data[end_at:], type=messages.RecordEnd)

    @property
    def match_id(self) -> bytes:
        offer, accept = self.messages[:2]
        return digest("match", self.header.host.key, self.header.join.key, offer, accept)

    def entries(self) -> list[messages.Entry]:
        decoded = [msgspec.msgpack.decode(m, type=messages.Message) for m in self.messages]
        return [each for each in decoded if isinstance(each, messages.Entry)]

    def head(self, entries: int) -> str:
        if entries == 0:
            return self.match_id.hex()
        return digest("entry", self.match_id, self.entries()[entries - 1].body).hex()

    def pack(self, messages_: list[bytes] | None = None, *, end: bool = True) -> bytes:
        middle = self.messages if messages_ is None else messages_
        return encode(self.header) + b"".join(middle) + (encode(self.end) if end else b"")


def _first(data: bytes) -> bytes:
    """The header's bytes: the offer follows it."""
    return data[: data.index(b"\x83\xa1t\xa5offer")]


def load(name: str) -> Record:
    """The record of a seeded match."""
    return Record((SEEDS / name / RECORD_FILE).read_bytes())


def records() -> list[Vector]:
    """Every record, with what it proves."""
    return list(_records())


def vector(
    name: str,
    what: str,
    data: bytes,
    record: Record,
    entries: int,
    *,
    result: tuple[str, int | None] | None = None,
    opened: tuple[bool, bool] = (False, False),
    refused: str | None = None,
    contradicted: bool = False,
    claim: int | None = None,
) -> Vector:
    """*data*, made from *record*, and what it proves."""
    return {
        "name": name,
        "what": what,
        "record": data.hex(),
        "match_id": record.match_id.hex(),
        "entries": entries,
        "head": record.head(entries),
        "termination": None if result is None else result[0],
        "winner": None if result is None else result[1],
        "opened": list(opened),
        "complete": all(opened),
        "claim": claim,
        "refused": refused,
        "end_contradicted": contradicted,
    }


def _records() -> Iterator[Vector]:
    whole = load("minus-card-saves")
    count = len(whole.entries())
    won = ("normal", 0)
    both = (True, True)
    yield vector(
        "whole", "A match from offer to end.", whole.pack(), whole, count, result=won, opened=both
    )
    without_end = whole.pack(end=False)
    yield vector(
        "no end map",
        "The keeper's program did not end properly. All that counts is there.",
        without_end,
        whole,
        count,
        result=won,
        opened=both,
    )
    yield vector(
        "torn",
        "Its last entry, the loser's open, is cut: it is left out.",
        without_end[:-7],
        whole,
        count - 1,
        result=won,
        opened=(True, False),
    )
    busted = load("still-over-20-busts")
    yield vector(
        "unaudited",
        "The match is over, and nobody has opened.",
        busted.pack(busted.messages[:-2], end=False),
        busted,
        len(busted.entries()) - 2,
        result=won,
    )
    yield vector(
        "broken off",
        "It stops in the middle of the match.",
        whole.pack(whole.messages[:8], end=False),
        whole,
        6,
    )
    yield vector(
        "agreed only",
        "It stops after the accept.",
        whole.pack(whole.messages[:2], end=False),
        whole,
        0,
    )
    left = replace(whole.end, termination="abandoned", winner=None, opened=(False, False))
    yield vector(
        "abandoned",
        "The same match broken off, with an end map.",
        whole.pack(whole.messages[:8], end=False) + encode(left),
        whole,
        6,
    )
    stopped = whole.pack(whole.messages[:8], end=False)
    for name, what, changes, contradicted in (
        (
            "left",
            "The same, and the end map tells of a bye: its sender, the host, has lost.",
            {"winner": 1, "code": "interrupted"},
            False,
        ),
        (
            "left, and nobody lost",
            "Who says goodbye in a match loses it.",
            {"code": "interrupted"},
            True,
        ),
        (
            "abandoned, and won",
            "A line that is closed makes nobody lose a match that is on.",
            {"winner": 1, "code": "closed"},
            True,
        ),
    ):
        yield vector(
            name,
            what,
            stopped + encode(replace(left, **changes)),
            whole,
            6,
            contradicted=contradicted,
        )
    for name, what, end, contradicted in (
        (
            "an open owed",
            "The match is over, but its winner is gone before its open, and loses.",
            replace(left, winner=1, code="closed"),
            False,
        ),
        (
            "an open owed, and nobody lost",
            "Who owes the open on which the result rests loses.",
            replace(left, code="closed"),
            True,
        ),
        (
            "an open owed, and won",
            "Without the winner's open the result does not stand.",
            replace(busted.end, opened=(False, False), code="closed"),
            True,
        ),
    ):
        yield vector(
            name,
            what,
            busted.pack(busted.messages[:-2], end=False) + encode(end),
            busted,
            len(busted.entries()) - 2,
            result=won,
            contradicted=contradicted,
        )
    lie = replace(whole.end, winner=1)
    yield vector(
        "a keeper that lies",
        "The end map names another winner than the transcript proves.",
        without_end + encode(lie),
        whole,
        count,
        result=won,
        opened=both,
        contradicted=True,
    )
    accused = replace(left, termination="cheat", winner=0, code="wrong-share")
    yield vector(
        "a keeper that accuses",
        "The end map tells of a cheat, but no entry shows it.",
        whole.pack(whole.messages[:8], end=False) + encode(accused),
        whole,
        6,
        contradicted=True,
    )

    middle = whole.messages
    yield vector(
        "an entry left out",
        "What follows does not continue the transcript, which proves nothing against its author.",
        whole.pack([*middle[:6], *middle[7:]], end=False),
        whole,
        4,
        refused="broken-chain",
    )
    yield vector(
        "an entry twice",
        "An entry of the other seat follows, then the first comes again.",
        whole.pack([*middle[:8], middle[6], *middle[8:]], end=False),
        whole,
        6,
        refused="broken-chain",
    )
    forged = bytearray(middle[7])
    forged[-1] ^= 1
    yield vector(
        "a forged signature",
        "Anybody can write an entry that its author has not signed.",
        whole.pack([*middle[:7], bytes(forged)], end=False),
        whole,
        5,
        refused="bad-signature",
    )
    yield vector(
        "two matches in one record",
        "A record holds one match.",
        without_end + whole.messages[0],
        whole,
        count,
        result=won,
        opened=both,
        refused="unexpected",
    )
    other = replace(whole.header, join=replace(whole.header.join, key=whole.header.host.key))
    changed = Record(whole.pack())
    changed.header = other
    yield vector(
        "another key in the header",
        "The match id depends on both keys, so no signature holds any more.",
        changed.pack(end=False),
        changed,
        0,
        refused="bad-signature",
    )

    conceded = load("concession")
    at = next(i for i, m in enumerate(conceded.messages) if m.startswith(b"\x85\xa1t\xa7concede"))
    rest = [*conceded.messages[:at], *conceded.messages[at + 1 :]]
    n = len(conceded.entries())
    yield vector(
        "a concession and no open",
        "The entries end without having ended the match: the concession counts.",
        conceded.pack(conceded.messages[: at + 1], end=False),
        conceded,
        n - 2,
        result=("concession", 0),
    )
    for name, what, changes, contradicted in (
        ("a concession not accepted", "The same, with an end map.", {}, False),
        (
            "a concession not accepted, abandoned",
            "The end map says that the match was abandoned; but the concession counts.",
            {"termination": "abandoned", "winner": 1},
            True,
        ),
    ):
        end = replace(conceded.end, opened=(False, False), code="closed")
        yield vector(
            name,
            what,
            conceded.pack(conceded.messages[: at + 1], end=False) + encode(replace(end, **changes)),
            conceded,
            n - 2,
            result=("concession", 0),
            contradicted=contradicted,
        )
    yield vector(
        "a concession that is missing",
        "Without it an open may not come. That proves nothing against its author: whoever keeps the"
        " record can have left the other's concession out.",
        conceded.pack(rest, end=False),
        conceded,
        n - 2,
        refused="broken-chain",
    )
