"""Somebody between two honest peers can spoil a match, but never make one accuse the other.

Only the clock is left out: whoever can hold back an entry for half a minute, and lets the answer to
a ping pass, can make its author look as if it kept the entry back. What a peer says of lateness is
therefore its own word, and no proof (section 10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pazaak_p2p.rules import DECKS, Rules, Seat
from pazaak_p2p.wire import events
from pazaak_p2p.wire.errors import BadSignature, LocalError, Refusal
from tests.verifier import verify
from tests.wire.agreement import cautious
from tests.wire.pair import Pair, Side, messages_in

# Decks that every rule set allows: a bit of the offer can change the rules.
HONEST = (DECKS["balanced"], DECKS["super"])
SHORT = Rules(sets=1)
Meddling = Callable[[int, bytes], Iterable[bytes]]
"""What becomes of the i-th message on the wire."""


class Match:
    """An honest match of two persons over a wire on which somebody is meddling."""

    def __init__(self, meddle: Meddling, concede_after: int | None = None) -> None:
        self.count = 0
        self.sizes: list[int] = []
        self._meddle = meddle
        self._concede_after = concede_after
        pair = Pair(
            "between",
            HONEST,
            (cautious(1), cautious(2)),
            persons=(True, False),
            between=self._between,
        )
        self.pair = pair
        pair.go()
        if pair.host.of_kind(events.Greeted) and pair.host.peer.next_deadline() is not None:
            pair.host.offer(SHORT)
            pair.go()

    def _between(self, source: Side, data: bytes) -> Iterator[bytes]:
        for _, exact in messages_in(data):
            i, self.count = self.count, self.count + 1
            self.sizes.append(len(exact))
            yield from self._meddle(i, exact)
        after = self._concede_after
        if after is not None and self.count >= after:
            self._concede_after = None
            with suppress(LocalError):  # the session may be over
                self.pair.join.peer.concede(0.0)

    def check(self) -> None:
        for side in self.pair.sides:
            assert all(isinstance(error, Refusal) for error in side.errors)
            assert len(side.errors) <= 1
            side.send()
            assert verify(bytes(side.record)).cheat is None


def leave(_: int, data: bytes) -> Iterable[bytes]:
    return (data,)


UNTOUCHED = Match(leave)
SIZES = UNTOUCHED.sizes
"""Of each message of the match that is meddled with."""
CONCEDED = Match(leave, concede_after=14)


def test_the_match_itself_is_whole() -> None:
    for match in (UNTOUCHED, CONCEDED):
        match.check()
        for side in match.pair.sides:
            assert side.errors == []
            assert side.of_kind(events.Ended)[0].opened == (True, True)
    assert len(SIZES) > 20


def only(at: int, what: Callable[[bytes], Iterable[bytes]]) -> Meddling:
    return lambda i, data: what(data) if i == at else (data,)


def later(at: int, by: int) -> Meddling:
    """Message *at* comes only after *by* others."""
    held: list[bytes] = []

    def meddle(i: int, data: bytes) -> Iterable[bytes]:
        if i == at:
            held.append(data)
            return ()
        return (data, held.pop()) if held and i >= at + by else (data,)

    return meddle


@pytest.mark.parametrize("concede_after", [None, 14])
@pytest.mark.parametrize("at", range(len(SIZES)))
def test_lost_repeated_and_late_messages_accuse_nobody(at: int, concede_after: int | None) -> None:
    for meddle in (
        only(at, lambda data: ()),
        only(at, lambda data: (data, data)),
        only(at, lambda data: (data + data,)),
        later(at, 1),
        later(at, 2),
        only(at, lambda data: (data[:-1],)),
        only(at, lambda data: (data[1:],)),
    ):
        Match(meddle, concede_after).check()


def flip(data: bytes, bit: int) -> bytes:
    i = bit // 8 % len(data)
    return data[:i] + bytes([data[i] ^ (1 << bit % 8)]) + data[i + 1 :]


@pytest.mark.parametrize("at", range(len(SIZES)))
def test_corrupted_messages_accuse_nobody(at: int) -> None:
    for bit in range(at % 8, 8 * SIZES[at], SIZES[at] // 5 * 2 + 1):
        Match(only(at, lambda data, bit=bit: (flip(data, bit),))).check()  # type: ignore[misc]


def test_every_bit_of_one_entry_accuses_nobody() -> None:
    at = min(range(12, len(SIZES)), key=lambda i: SIZES[i])
    for bit in range(0, 8 * SIZES[at], 13):
        match = Match(only(at, lambda data, bit=bit: (flip(data, bit),)))  # type: ignore[misc]
        match.check()
        assert any(side.errors for side in match.pair.sides) or match.count < len(SIZES)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"\xa4sets\x01", b"\xa4sets\x03"), (b"\xa4gold\xc3", b"\xa4gold\xc2")],
    ids=["more sets", "no gold"],
)
def test_changed_rules_are_noticed_at_the_first_entry(old: bytes, new: bytes) -> None:
    offer = 4
    match = Match(only(offer, lambda data: (data.replace(old, new),)))
    match.check()
    host, join = match.pair.sides
    assert host.peer.match_id != join.peer.match_id
    (error,) = join.errors
    assert isinstance(error, BadSignature)
    assert (error.seat, error.entry) == (Seat.HOST, 0)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    source=st.integers(0, len(SIZES) - 1),
    at=st.integers(0, len(SIZES) - 1),
    bit=st.none() | st.integers(0, 4000),
    concede_after=st.none() | st.integers(6, len(SIZES)),
)
def test_replayed_messages_accuse_nobody(
    source: int, at: int, bit: int | None, concede_after: int | None
) -> None:
    """A message of the same session comes again anywhere, as it was or with a bit changed."""
    kept: list[bytes] = []

    def meddle(i: int, data: bytes) -> Iterable[bytes]:
        kept.append(data)
        if i == at and source <= i:
            again = kept[source]
            return (data, again if bit is None else flip(again, bit))
        return (data,)

    Match(meddle, concede_after).check()
