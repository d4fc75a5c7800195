"""Whose statement is due, and how entries hang together (sections 3 and 6)."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pazaak_p2p.rules import (
    DECKS,
    Phase,
    Rules,
    Seat,
    State,
    digest,
)
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.terms import Due, Kind, agree
from pazaak_p2p.wire.transcript import Transcript
from tests.wire.agreement import OPTIONS, STANDARD, cautious
from tests.wire.pair import (
    Pair,
    Side,
    at_random,
    messages_in,
    objects_in,
)

# --- the floor, from the table of section 6.3


def floor(state: State, spoken: list[tuple[Seat, Kind]]) -> Due | None:
    """Whose statement of which kind is due, after all that was *spoken*, in a match without
    concessions."""
    if not spoken:
        return Due(Seat.HOST, Kind.COMMIT)
    if spoken == [(Seat.HOST, Kind.COMMIT)]:
        return Due(Seat.JOIN, Kind.COMMIT)
    last, _ = spoken[-1]
    half = sum(kind is Kind.REVEAL for _, kind in spoken) % 2 == 1
    opened = [seat for seat, kind in spoken if kind is Kind.OPEN]
    match state.phase:
        case Phase.DEAL | Phase.OPENING | Phase.OPENER:
            return Due(last.other if half else last, Kind.REVEAL)
        case Phase.DRAW:
            assert state.mover is not None
            return Due(state.mover if half else state.mover.other, Kind.REVEAL)
        case Phase.ACT | Phase.TIE:
            assert state.mover is not None
            return Due(state.mover, Kind.ACT)
        case Phase.OVER:
            assert state.outcome is not None
            first = Seat.HOST if state.outcome.winner is None else state.outcome.winner
            return (Due(first, Kind.OPEN), Due(first.other, Kind.OPEN), None)[len(opened)]


KINDS = {m.Commit: Kind.COMMIT, m.Reveal: Kind.REVEAL, m.Open: Kind.OPEN}


def terms_and_bodies(side: Side) -> tuple[Transcript, list[m.Body]]:
    """A fresh transcript of the match in this side's record, and its bodies."""
    objects = objects_in(bytes(side.record))
    keys = objects[0]["host"]["key"], objects[0]["join"]["key"]
    at = bytes(side.record).index(b"\x83\xa1t\xa5offer")
    exact = [exact for _, exact in messages_in(bytes(side.record)[at : at + 300])][:2]
    offer, _ = next(messages_in(exact[0]))
    assert isinstance(offer, m.Offer)
    transcript = Transcript(agree(offer.rules.rules(), keys, *exact))
    return transcript, [read_body(o["body"]) for o in objects if o["t"] == "entry"]


@pytest.mark.parametrize("rules", OPTIONS, ids=repr)
def test_the_floor_is_that_of_the_table(rules: Rules) -> None:
    for i in range(2):
        pair = Pair(
            f"floor {i}",
            (DECKS["balanced"], DECKS["average"]),
            (cautious(i), at_random(i)),
            persons=(bool(i), False),
        )
        pair.play(rules)
        transcript, bodies = terms_and_bodies(pair.join)
        spoken: list[tuple[Seat, Kind]] = []
        for body in bodies:
            for statement in body.say:
                assert transcript.due == floor(transcript.state, spoken)
                transcript.say(Seat(body.by), statement)
                spoken.append((Seat(body.by), KINDS.get(type(statement), Kind.ACT)))
            assert body.state == digest(transcript.state)
        assert transcript.due is floor(transcript.state, spoken) is None
        assert transcript.complete


def test_entries_are_chained_and_signed_as_the_page_says() -> None:
    pair = Pair()
    pair.play(STANDARD)
    keys = [side.key.public_key().public_bytes_raw() for side in pair.sides]
    objects = objects_in(bytes(pair.host.record))
    offer, accept = (
        exact
        for side in pair.sides
        for message, exact in messages_in(b"".join(side.sent))
        if isinstance(message, m.Offer | m.Accept)
    )

    def frame(tag: str, *parts: bytes) -> bytes:
        name = f"pazaak/1 {tag}".encode()
        return bytes([len(name)]) + name + b"".join(len(p).to_bytes(4, "big") + p for p in parts)

    match_id = head = hashlib.sha256(frame("match", *keys, offer, accept)).digest()
    assert match_id == pair.host.peer.match_id
    entries = [o for o in objects if o["t"] == "entry"]
    for n, entry in enumerate(entries):
        body = read_body(entry["body"])
        assert (body.n, body.prev) == (n, head)
        key = Ed25519PublicKey.from_public_bytes(keys[body.by])
        key.verify(entry["sig"], frame("entry", match_id, entry["body"]))
        head = hashlib.sha256(frame("entry", match_id, entry["body"])).digest()
    assert head == pair.host.peer.head
