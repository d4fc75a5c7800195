"""What crosses and follows each other until a match goes on, and how its time begins (6.4)."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.errors import LocalError
from pazaak_p2p.wire.judge import judge
from tests.wire.broken import (
    Foe,
    Line,
    begin,
    concession,
    cut_back,
    ended,
    from_records,
    head,
    interrupted,
    match_id,
    new_pair,
    resume,
)
from tests.wire.liars import KEPT, SEED, entries, greeted, opponent, records, refused, side_role
from tests.wire.pair import Pair, Side
from tests.wire.records import SHORT

BOTH = list(Seat)


def carry(pair: Pair) -> None:
    """What both have said crosses on the line; then they talk on."""
    waiting = []
    for side in pair.sides:
        side.react()
        waiting.append(side.send())
    for side, data in zip(pair.sides, reversed(waiting), strict=True):
        if data:
            side.peer.receive(data, 0.0)
    pair.go()


@pytest.mark.parametrize("asking", BOTH)
class TestTheLobby:
    """Wishes and offers that cross or follow each other."""

    def test_an_offer_that_crosses_a_wish_is_void(self, asking: Seat) -> None:
        pair = greeted()
        asker, other = pair.sides[asking], pair.sides[asking.other]
        asker.resume(interrupted(asker))
        other.offer(SHORT)
        carry(pair)
        assert asker.of_kind(events.Offered) == []
        assert [asked.match_id for asked in other.of_kind(events.ResumeAsked)] == [
            match_id(records()[0])
        ]
        resume(pair, other)
        assert ended(asker) == ended(other)
        assert [side.errors for side in pair.sides] == [[], []]

    def test_an_offer_is_answered_with_a_wish(self, asking: Seat) -> None:
        """*asking* was offered a new match, and wants to end the old one first."""
        pair = greeted()
        asker, other = pair.sides[asking], pair.sides[asking.other]
        other.offer(SHORT)
        asker.peer.receive(other.send(), 0.0)
        asker.resume(interrupted(asker))
        asker.react()
        assert asker.of_kind(events.Offered) == []  # it can be answered no more
        other.peer.receive(asker.send(), 0.0)
        other.resume(interrupted(other))
        pair.go()
        assert ended(asker) == ended(other)
        assert [side.errors for side in pair.sides] == [[], []]

    def test_who_has_offered_does_not_ask_as_well(self, asking: Seat) -> None:
        """The other's accept may be on its way."""
        pair = greeted()
        asker = pair.sides[asking]
        asker.offer(SHORT)
        with pytest.raises(LocalError):
            asker.resume(interrupted(asker))
        foe = Foe(asker)
        foe.tell(m.Offer(m.RulesMap.of(SHORT), b"n" * 32), foe.wish(bytes(asker.record)))
        assert [error.code for error in asker.errors] == ["unexpected"]

    def test_declined_and_then_a_new_match(self, asking: Seat) -> None:
        pair = greeted()
        asker, other = pair.sides[asking], pair.sides[asking.other]
        resume(pair, asker)
        other.peer.decline(m.DeclineReason.UNKNOWN)
        pair.go()
        assert asker.of_kind(events.Declined) == [events.Declined("unknown", "")]
        for side in pair.sides:
            side.record, side.matches = bytearray(), 1
        asker.offer(SHORT)
        pair.go()
        assert ended(asker) == ended(other)
        assert [side.errors for side in pair.sides] == [[], []]

    def test_wishes_for_different_matches_cross(self, asking: Seat) -> None:
        """Neither counts, both are told so, and the next wish counts again."""
        pair = greeted()
        asker, other = pair.sides[asking], pair.sides[asking.other]
        mine = interrupted(asker)
        old = bytes(other.record)
        other.record = bytearray(another_match(other))
        other.resume(interrupted(other, 1))
        asker.resume(mine)
        carry(pair)
        assert [side.errors for side in pair.sides] == [[], []]
        for side in pair.sides:
            assert side.of_kind(events.Declined) == [events.Declined("unknown", "")]
        other.record = bytearray(old)
        resume(pair, asker)
        resume(pair, other)
        assert ended(asker) == ended(other)

    def test_a_second_wish_is_refused(self, asking: Seat) -> None:
        kept = cut_back(records()[asking], KEPT)
        foe = opponent(asking, KEPT)
        foe.tell(foe.wish(kept), foe.wish(kept))  # the match is on
        assert refused(foe) == "unexpected"
        side = greeted().sides[asking]
        foe = Foe(side)
        foe.tell(foe.wish(kept), foe.wish(kept))  # the first one waits
        assert [error.code for error in side.errors] == ["unexpected"]
        foe = opponent(asking, KEPT)
        foe.tell(foe.wish(kept, match=b"?" * 32), foe.wish(kept))  # the first one crossed ours
        assert [error.code for error in foe.side.errors] == ["unexpected"]

    @pytest.mark.parametrize("kind", ["entry", "concede", "accept", "decline", "offer"])
    def test_what_cannot_be_said_to_a_wish(self, asking: Seat, kind: str) -> None:
        """*asking* has said how far it is and waits for the same of the other side."""
        foe = opponent(asking, KEPT)
        whole = cut_back(records()[asking], KEPT)
        said: dict[str, m.Message] = {
            "entry": entries(whole)[-1],
            "concede": concession(foe.key, asking.other, match_id(whole), head(whole)),
            "accept": m.Accept(b"n" * 32),
            "decline": m.Decline(m.DeclineReason.UNKNOWN, ""),
            "offer": m.Offer(m.RulesMap.of(SHORT), b"n" * 32),
        }
        foe.tell(said[kind])
        allowed = kind in ("decline", "offer")
        assert [error.code for error in foe.side.errors] == ([] if allowed else ["unexpected"])

    def test_somebody_else_with_the_match_of_two(self, asking: Seat) -> None:
        """A third key: our own program does not even begin."""
        side = greeted().sides[asking]
        foe = Foe(side, key=Ed25519PrivateKey.from_private_bytes(b"3" * 32))
        foe.tell(foe.wish(bytes(side.record)))
        assert len(side.of_kind(events.ResumeAsked)) == 1
        with pytest.raises(LocalError):
            side.resume(interrupted(side))
        side.peer.decline(m.DeclineReason.UNKNOWN)
        foe.listen()
        assert foe.heard[-1] == m.Decline(m.DeclineReason.UNKNOWN, "")


def another_match(side: Side) -> bytes:
    """The record of *side* of another match between the same two, as far as its first entries."""
    pair = new_pair(SEED, Line(None), (True, True))
    for each in pair.sides:
        each.matches = 1
    begin(pair, SHORT)
    return cut_back(bytes(pair.sides[side.seat].record), KEPT)


@pytest.mark.parametrize("seat", BOTH)
def test_a_session_replayed_to_us_proves_nothing_of_its_sender(seat: Seat) -> None:
    """All that the other side has said in one session, to us in another: its proof is not of it."""
    pair = greeted()
    resume(pair)
    said = b"".join(pair.sides[seat.other].sent)
    side = from_records(SEED, [cut_back(r, KEPT) for r in records()], Line(None)).sides[seat]
    side.restart(side_role(seat), 5)
    side.peer.receive(said[: 1 << 16], 0.0)
    side.react()
    assert [error.code for error in side.errors] == ["identity"]


@pytest.mark.parametrize("swapped", [False, True])
def test_equal_keys_on_both_seats(swapped: bool) -> None:
    """Who plays against itself goes on as well; that both come as one seat convicts nobody."""
    key = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
    pair = new_pair("alone", Line(9), (True, True))
    for side in pair.sides:
        side.key = key
        side.restart(side_role(side.seat), 0)
    begin(pair, SHORT)
    kept = [bytes(side.record) for side in pair.sides]
    for same_seat in (False, True):
        fresh = new_pair("alone", Line(None), (True, True))
        for side, record in zip(fresh.sides, kept, strict=True):
            side.key = key
            side.record = bytearray(kept[0] if same_seat else record)
            side.restart(side_role(side.seat.other if swapped else side.seat), 1)
        if same_seat:
            fresh.join.secrets, fresh.join.deck = fresh.host.secrets, fresh.host.deck
        fresh.go()
        resume(fresh)
        if same_seat:
            assert {e.code for side in fresh.sides for e in side.errors} <= {"reflected"}
        else:
            assert [side.errors for side in fresh.sides] == [[], []]
            assert ended(fresh.host) == ended(fresh.join)
        for side in fresh.sides:
            assert judge(bytes(side.record)).cheat is None


@pytest.mark.parametrize("seat", BOTH)
def test_the_time_of_a_turn_begins_anew(seat: Seat) -> None:
    rules = Rules(sets=1, turn_seconds=20)
    whole = records("timed", rules)
    kept = next(
        n for n in range(4, 20) if (due := due_after(whole[0], n)) is not None and due is seat
    )
    pair = from_records("timed", [cut_back(r, kept) for r in whole], Line(None), (True, True))
    side = pair.sides[seat]
    for each in pair.sides:
        each.resume(interrupted(each), 100.0)
    for source, target in (pair.sides, pair.sides[::-1]):
        target.peer.receive(source.send(), 100.0)
    for each in pair.sides:
        each.react(100.0)
    assert side.thinking_about is not None
    side.thinking_about = None  # and never answers
    now = 100.0
    while not side.of_kind(events.Ended):
        now = min(d for each in pair.sides if (d := each.peer.next_deadline()) is not None)
        for each in pair.sides:
            each.peer.handle_timeout(now)
        pair.go(now)
    assert now == 120.0
    assert ended(side).outcome == Outcome(Termination.TIME, seat.other)


def due_after(record: bytes, n: int) -> Seat | None:
    """Whose act is due after *n* entries."""
    missing = judge(cut_back(record, n)).missing
    return missing.seat if missing is not None and missing.kind.name == "ACT" else None
