"""Entries and concessions that are refused but convict nobody (section 11, first table)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.fairness import digest, frame
from pazaak_p2p.rules import Outcome, Seat, Termination
from pazaak_p2p.wire import cheats, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Refusal, Unproven
from pazaak_p2p.wire.terms import concession_frame, entry_frame
from tests.cheating import Cheater, Trick, body_of
from tests.wire.caught import Caught, catch, check_over
from tests.wire.pair import messages_in, objects_in
from tests.wire.tricks import Case
from tests.wire.tricks.case import BOTH, END, OTHER_BYTES

What = Callable[[Cheater], bytes]
ORDER = 2**252 + 27742317777372353535851937790883648493
STRANGER = Ed25519PrivateKey.from_private_bytes(b"s" * 32)


def check_refused(caught: Caught, code: str) -> None:
    """The session ends, the match is broken off, and nobody is accused."""
    cheater, victim = caught
    (error,) = victim.errors
    assert isinstance(error, Refusal)
    assert not isinstance(error, cheats.Cheat)
    assert error.code == code
    verdict = caught.verdict
    if isinstance(error, Unproven):
        assert (error.seat, error.entry) == (cheater.seat, verdict.entries)
    (ended,) = victim.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.ABANDONED, None)
    # Not recorded: what is in the record is what was accepted.
    assert verdict.cheat is None
    assert verdict.problem == ""
    assert verdict.head == ended.head
    end = objects_in(caught.record)[-1]
    assert (end["code"], end["termination"], end["winner"]) == (code, "abandoned", None)
    check_over(caught, m.ByeReason.PROTOCOL, code)


def signed(c: Cheater, signature: Callable[[bytes], bytes]) -> bytes:
    """An honest entry with the signature that *signature* makes of its body."""
    body = body_of(c.rest())
    return encode(m.Entry(body, signature(body)))


def bits(at: int) -> What:
    def what(c: Cheater) -> bytes:
        def signature(body: bytes) -> bytes:
            good = bytearray(c.key.sign(entry_frame(c.match_id, body)))
            good[at] ^= 1 << (at % 8)
            return bytes(good)

        return signed(c, signature)

    return what


def order_added(c: Cheater) -> bytes:
    def signature(body: bytes) -> bytes:
        good = c.key.sign(entry_frame(c.match_id, body))
        s = int.from_bytes(good[32:], "little") + ORDER
        return good[:32] + s.to_bytes(32, "little")

    return signed(c, signature)


def conceded(
    c: Cheater,
    *,
    by: Seat | None = None,
    head: bytes | None = None,
    reason: m.ConcedeReason = m.ConcedeReason.TIME,
) -> bytes:
    """A concession that was signed for something else."""
    t = c.transcript
    by = c.seat if by is None else by
    covered = concession_frame(c.match_id, by, t.head if head is None else head, reason)
    return encode(m.Concede(c.seat, t.head, m.ConcedeReason.CONCESSION, c.key.sign(covered)))


BAD_SIGNATURES: dict[str, What] = {
    **{f"a bit of byte {at}": bits(at) for at in (0, 31, 32, 63)},
    "another key": lambda c: c.rest_signed_by(STRANGER),
    "the order added": order_added,
    "of the body without a frame": lambda c: signed(c, c.key.sign),
    "of another match": lambda c: signed(c, lambda b: c.key.sign(entry_frame(OTHER_BYTES, b))),
    "as another thing": lambda c: signed(c, lambda b: c.key.sign(frame("concede", c.match_id, b))),
    "zeros": lambda c: signed(c, lambda _: bytes(64)),
    "concession for another reason": conceded,
    "concession at another head": lambda c: conceded(
        c, head=OTHER_BYTES, reason=m.ConcedeReason.CONCESSION
    ),
    "concession of the other seat": lambda c: conceded(
        c, by=c.seat.other, reason=m.ConcedeReason.CONCESSION
    ),
}


def after_a_lost_entry(c: Cheater) -> bytes:
    lost = body_of(c.rest())
    prev = digest("entry", c.match_id, lost)
    return c.sign(encode(m.Body(c.transcript.length + 1, c.seat, prev, [END], OTHER_BYTES)))


def concession_after_a_lost_entry(c: Cheater) -> bytes:
    c.turn()
    c.send()
    return c.concession()


BROKEN_CHAINS: dict[str, What] = {
    "the own last entry again": lambda c: c.sign(c.bodies[-1]),
    "the own first entry again": lambda c: c.sign(c.bodies[0]),
    "after a lost entry": after_a_lost_entry,
    "after a lost entry, a concession": concession_after_a_lost_entry,
    "chained to nothing": lambda c: c.rest(prev=OTHER_BYTES),
    "chained to the match": lambda c: c.rest(prev=c.match_id),
    "before the other's last entry": lambda c: c.rest(
        n=c.transcript.length - 1, prev=c.transcript.heads[-2]
    ),
    "the deck, as if a concession had been accepted": lambda c: c.entry(c.opening()),
    "concession at no head": lambda c: c.concession(OTHER_BYTES),
}

REFLECTED: dict[str, What] = {
    "its last entry": lambda c: c.their_entries[-1],
    "its first entry": lambda c: c.their_entries[0],
    "an entry in its name": lambda c: c.entry(END, by=c.seat.other),
    "a concession in its name": lambda c: c.concession(by=c.seat.other),
}


def with_body(body: bytes) -> What:
    return lambda c: c.sign(body)


OTHERS: dict[str, tuple[str, What]] = {
    "a second concession": ("unexpected", lambda c: c.concession() * 2),
    "an offer": (
        "unexpected",
        lambda c: encode(m.Offer(m.RulesMap.of(c.rules), OTHER_BYTES)),
    ),
    "a hello": ("unexpected", lambda c: c.hello),
    "a body that is no map": ("malformed", with_body(b"\x90")),
    "a body that is too deep": ("malformed", with_body(b"\x81\xa1n" * 20)),
    "a body cut short": ("malformed", lambda c: c.sign(body_of(c.rest())[:-1])),
    "a body and more": ("malformed", lambda c: c.sign(body_of(c.rest()) + b"\xc0")),
    "garbage": ("garbage", lambda c: b"\xc1"),
    "a large message": ("oversized", lambda c: b"\xdd\xff\xff\xff\xff"),
    "a deep message": ("too-deep", lambda c: b"\x81\xa1t" * 9 + b"\x01"),
}


def answers(c: Cheater) -> bool:
    """We have spoken before, and the other side has just had the last word."""
    spoken = len(c.bodies) > 0 and c.transcript.authors[-1] is not c.seat
    return spoken and c.floor and not c.midway


CASES = [
    *(Case("bad-signature", name, Trick(answers, what)) for name, what in BAD_SIGNATURES.items()),
    *(Case("broken-chain", name, Trick(answers, what)) for name, what in BROKEN_CHAINS.items()),
    *(Case("reflected", name, Trick(answers, what)) for name, what in REFLECTED.items()),
    *(Case(code, name, Trick(answers, what)) for name, (code, what) in OTHERS.items()),
]


@pytest.mark.parametrize("seat", BOTH)
@pytest.mark.parametrize("point", [0, 5])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.name}")
def test_what_proves_nothing_accuses_nobody(case: Case, seat: Seat, point: int) -> None:
    caught = catch(case, seat, point, split=False)
    if case.name == "a second concession":
        # The first one counts.
        (ended,) = caught.victim.of_kind(events.Ended)
        assert ended.outcome == Outcome(Termination.CONCESSION, seat.other)
        assert [error.code for error in caught.victim.errors] == ["unexpected"]
        assert caught.verdict.clean
        check_over(caught, m.ByeReason.PROTOCOL, "unexpected")
        return
    check_refused(caught, case.code)


def test_an_own_concession_sent_back_is_reflected() -> None:
    caught = catch(Case("", "", Trick(lambda c: c.they_think, lambda _: b"")), Seat.JOIN, 0, False)
    victim = caught.victim
    victim.peer.concede(0.0)
    said = victim.send()
    victim.peer.receive(said, 0.0)
    victim.react()
    caught.cheater.receive(victim.send())
    assert [type(message) for message, _ in messages_in(said)] == [m.Concede]
    (error,) = victim.errors
    assert error.code == "reflected"
    check_over(caught, m.ByeReason.PROTOCOL, "reflected")
