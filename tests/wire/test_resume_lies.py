"""What a dishonest opponent can say about how far a match is, and in what order (section 6.4)."""

from __future__ import annotations

from functools import cache

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.wire import Role, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.errors import LocalError
from pazaak_p2p.wire.judge import judge
from tests.wire.broken import (
    Foe,
    Line,
    begin,
    bodies,
    concession,
    cut_back,
    ended,
    from_records,
    head,
    heads,
    interrupted,
    items,
    match_id,
    new_pair,
    resume,
)
from tests.wire.pair import Pair, Side, messages_in
from tests.wire.records import SHORT

BOTH = list(Seat)
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


@pytest.mark.parametrize("seat", BOTH)
class TestHowFar:
    """Lies about how many entries it holds, and which."""

    def test_less_than_it_holds(self, seat: Seat) -> None:
        """It is told the same once more, and we say nothing else in its place."""
        told: list[list[bytes]] = []
        whole = records()[seat]
        for claimed in range(KEPT + 1):
            foe = opponent(seat, KEPT)
            foe.tell(foe.wish(cut_back(whole, claimed)))
            told.append([entry.body for entry in foe.entries()])
            assert foe.side.errors == []
            assert told[-1][: KEPT - claimed] == bodies(whole)[claimed:KEPT]
        ours = {body for said in told for body in said if read_body(body).by == seat}
        places = [read_body(body).n for body in ours]
        assert len(set(places)) == len(places)  # of all sessions together

    @pytest.mark.parametrize("claimed", [KEPT + 1, KEPT + 5, 2**32 - 1])
    def test_more_than_there_is(self, seat: Seat, claimed: int) -> None:
        """The tail never comes: pings are answered, nothing is said, and the time is bounded."""
        foe = opponent(seat, KEPT)
        foe.tell(foe.wish(cut_back(records()[seat], KEPT), n=claimed, head=b"?" * 32))
        assert foe.side.of_kind(events.Choose) == []
        with pytest.raises(LocalError):
            foe.side.peer.concede(1.0)
        foe.stay(119.0)
        assert foe.side.errors == []
        foe.stay(120.0)
        (error,) = foe.side.errors
        assert error.code == "silent"
        assert foe.entries() == []
        assert {type(said) for said in foe.heard} == {
            m.Hello,
            m.Proof,
            m.Resume,
            m.Ping,
            m.Pong,
            m.Bye,
        }

    def test_a_line_that_goes_dead_during_the_tail(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        foe.tell(foe.wish(records()[seat]))
        peer = foe.side.peer
        while not foe.side.errors:
            at = peer.next_deadline()
            assert at is not None
            assert at <= 30.0
            peer.handle_timeout(at)
            foe.side.react(at)
        assert foe.side.errors[0].code == "silent"

    def test_more_than_it_announced(self, seat: Seat) -> None:
        """One entry of the tail is announced and two are told: the second is as any other entry."""
        whole = records()[seat]
        foe = opponent(seat, KEPT)
        said = entries(whole)
        foe.tell(foe.wish(cut_back(whole, KEPT + 1)), said[KEPT], *said[KEPT + 1 : KEPT + 3])
        # Ours told as if it were theirs is refused; theirs in its place is taken.
        if all(read_body(entry.body).by == seat.other for entry in said[KEPT + 1 : KEPT + 3]):
            assert foe.side.errors == []
        else:
            assert refused(foe) in ("reflected", "broken-chain")

    def test_the_tail_makes_another_head(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = records()[seat]
        foe.tell(foe.wish(cut_back(whole, KEPT + 2), head=b"?" * 32), *entries(whole)[KEPT:])
        assert refused(foe) == "unexpected"

    @pytest.mark.parametrize("claimed", [0, 1, KEPT - 1, KEPT])
    def test_a_head_that_is_nowhere(self, seat: Seat, claimed: int) -> None:
        """We tell all we hold, once; it tells the same, so that there is no fork."""
        foe = opponent(seat, KEPT)
        whole = records()[seat]
        foe.tell(foe.wish(whole, n=claimed, head=b"?" * 32))
        assert [entry.body for entry in foe.entries()] == bodies(whole)[:KEPT]
        foe.tell(*entries(whole)[: max(1, claimed)])
        assert refused(foe) == "unexpected"
        assert len(foe.entries()) == KEPT

    def test_old_entries_again_and_again_without_a_fork(self, seat: Seat) -> None:
        """Whoever tells what we hold as if there were a fork gets our side of it once."""
        foe = opponent(seat, KEPT)
        whole = records()[seat]
        first = entries(whole)[0]
        foe.tell(foe.wish(whole), *[first] * 50)
        assert [entry.body for entry in foe.entries()] == bodies(whole)[:KEPT]
        foe.tell(*entries(whole)[:KEPT])
        assert refused(foe) == "unexpected"

    def test_the_tail_in_another_order(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = records()[seat]
        foe.tell(foe.wish(whole), entries(whole)[KEPT + 1])
        assert refused(foe) == "broken-chain"

    def test_a_tail_that_is_altered(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = records()[seat]
        entry = entries(whole)[KEPT]
        foe.tell(foe.wish(whole), m.Entry(entry.body, entry.sig[:-1] + bytes([entry.sig[-1] ^ 1])))
        assert refused(foe) == "bad-signature"

    def test_our_own_word_in_its_hand(self, seat: Seat) -> None:
        """An entry in our name that we have not signed, and one of another match that we have."""
        whole = records()[seat]
        own = next(
            n for n, body in enumerate(bodies(whole)) if n >= 4 and read_body(body).by == seat
        )
        foe = opponent(seat, own)
        foe.tell(foe.wish(whole), foe.entry(bodies(whole)[own], match_id(whole)))
        assert refused(foe) == "bad-signature"
        foe = opponent(seat, own)
        foe.tell(foe.wish(whole), entries(records(OTHER)[seat])[0])
        assert refused(foe) == "bad-signature"

    def test_the_tail_of_another_match_with_the_key_of_this(self, seat: Seat) -> None:
        """Signed for another match by both, or anew for this one by its own seat."""
        other = records(OTHER)[seat]
        theirs = [body for body in bodies(other) if read_body(body).by == seat.other]
        kept = next_by(records()[seat], seat.other)
        foe = opponent(seat, kept)
        foe.tell(foe.wish(records()[seat]), foe.entry(theirs[-1], match_id(other)))
        assert refused(foe) == "bad-signature"
        foe = opponent(seat, kept)
        foe.tell(foe.wish(records()[seat]), foe.entry(theirs[-1], match_id(records()[seat])))
        assert refused(foe) == "broken-chain"

    def test_a_cheat_in_the_tail(self, seat: Seat) -> None:
        """The tail is checked as anything else that it says."""
        whole = records()[seat]
        at = next(
            n for n, body in enumerate(bodies(whole)) if n >= 4 and read_body(body).by != seat
        )
        body = read_body(bodies(whole)[at])
        lie = encode(m.Body(body.n, body.by, body.prev, body.say, bytes(32)))
        foe = opponent(seat, at)
        foe.tell(foe.wish(whole), foe.entry(lie, match_id(whole)))
        (error,) = foe.side.errors
        assert error.code == "wrong-digest"
        assert ended(foe.side).outcome == Outcome(Termination.CHEAT, seat)
        verdict = judge(bytes(foe.side.record))
        assert verdict.cheat is not None
        assert (verdict.cheat.code, verdict.cheat.seat) == ("wrong-digest", seat.other)

    def test_more_entries_than_a_complete_match_has(self, seat: Seat) -> None:
        whole = records()[seat]
        n = len(bodies(whole))
        foe = opponent(seat, n)
        last = read_body(bodies(whole)[-1])
        more = encode(m.Body(n, seat.other, head(whole), last.say, last.state))
        foe.tell(foe.wish(whole, n=n + 1, head=b"?" * 32), foe.entry(more, match_id(whole)))
        (error,) = foe.side.errors
        assert error.code == "unexpected"
        assert ended(foe.side).outcome == judge(whole).proven
        assert not ended(foe.side).resumable
        assert judge(bytes(foe.side.record)).contradiction == ""


@pytest.mark.parametrize("seat", BOTH)
class TestConcessions:
    """Lies about who has conceded, and where."""

    def test_forged_in_our_name(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = cut_back(records()[seat], KEPT)
        said = concession(foe.key, seat, match_id(whole), head(whole))
        foe.tell(foe.wish(whole, conceded=[said]))
        assert refused(foe) == "bad-signature"

    def test_of_another_match(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole, other = cut_back(records()[seat], KEPT), records(OTHER)[seat]
        ours = foe.side.key
        for key, by in ((ours, seat), (foe.key, seat.other)):
            foe = opponent(seat, KEPT)
            said = concession(key, by, match_id(other), heads(other)[4])
            foe.tell(foe.wish(whole, conceded=[said]))
            assert refused(foe) == "bad-signature"

    def test_at_a_head_that_is_nowhere(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = cut_back(records()[seat], KEPT)
        said = concession(foe.key, seat.other, match_id(whole), b"?" * 32)
        foe.tell(foe.wish(whole, conceded=[said]))
        assert refused(foe) == "broken-chain"

    def test_before_both_had_committed(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = cut_back(records()[seat], KEPT)
        said = concession(foe.key, seat.other, match_id(whole), heads(whole)[1])
        foe.tell(foe.wish(whole, conceded=[said]))
        assert refused(foe) == "unexpected"

    def test_two_of_one_seat(self, seat: Seat) -> None:
        foe = opponent(seat, KEPT)
        whole = cut_back(records()[seat], KEPT)
        said = concession(foe.key, seat.other, match_id(whole), head(whole))
        foe.tell(foe.wish(whole, conceded=[said, said]))
        (error,) = foe.side.errors
        assert error.code == "unexpected"
        # It has conceded all the same; that it talks on does not take that back.
        assert ended(foe.side).outcome == Outcome(Termination.CONCESSION, seat)
        verdict = judge(bytes(foe.side.record))
        assert (verdict.cheat, verdict.contradiction) == (None, "")
        assert verdict.proven == ended(foe.side).outcome

    def test_said_and_then_a_tail_that_never_comes(self, seat: Seat) -> None:
        """It cannot keep us from winning by a concession by claiming that there is more."""
        foe = opponent(seat, KEPT)
        whole = cut_back(records()[seat], KEPT)
        said = concession(foe.key, seat.other, match_id(whole), head(whole))
        foe.tell(foe.wish(whole, n=KEPT + 1, head=b"?" * 32, conceded=[said]))
        foe.stay(120.0)
        assert [error.code for error in foe.side.errors] == ["silent"]
        assert ended(foe.side).outcome == Outcome(Termination.CONCESSION, seat)
        # What it said is written, and counts from the next time on.
        found = judge(bytes(foe.side.record))
        assert found.proven == Outcome(Termination.CONCESSION, seat)
        side = from_records(SEED, [bytes(foe.side.record)] * 2, Line(None)).sides[seat]
        once_more = Foe(side)
        side.resume(interrupted(side))
        once_more.tell(once_more.wish(whole, n=KEPT + 9, head=b"?" * 32))
        side.peer.receive(b"", 1.0)
        once_more.listen()
        side.react()
        assert ended(side).outcome == Outcome(Termination.CONCESSION, seat)
        assert judge(bytes(side.record)).contradiction == ""

    def test_while_the_tail_is_told(self, seat: Seat) -> None:
        whole = records()[seat]
        foe = opponent(seat, KEPT)
        said = concession(foe.key, seat.other, match_id(whole), heads(whole)[KEPT])
        foe.tell(foe.wish(whole), said)
        assert refused(foe) == "unexpected"

    def test_our_own_binds_us(self, seat: Seat) -> None:
        """We have lost it: told of it, we say nothing more but what is due when it is accepted."""
        foe = opponent(seat, KEPT)
        whole = cut_back(records()[seat], KEPT)
        said = concession(foe.side.key, seat, match_id(whole), head(whole))
        foe.tell(foe.wish(whole, conceded=[said]))
        assert foe.side.errors == []
        assert foe.side.of_kind(events.Choose) == []
        assert foe.entries() == []
        with pytest.raises(LocalError):
            foe.side.peer.concede(1.0)
        foe.side.peer.receive(b"", 1.0)
        foe.side.react()
        assert ended(foe.side).outcome == Outcome(Termination.CONCESSION, seat.other)


def greeted(seed: str = SEED, kept: int = KEPT) -> Pair:
    """Two players of a broken-off match, who have greeted each other."""
    return from_records(seed, [cut_back(record, kept) for record in records(seed)], Line(None))


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


def side_role(seat: Seat) -> Role:
    """Who listens, if the host does."""
    return Role.LISTENER if seat is Seat.HOST else Role.DIALLER


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


@pytest.mark.parametrize("seat", BOTH)
def test_what_is_wrong_with_a_wish_is_told_as_an_event_also_when_it_is_answered(seat: Seat) -> None:
    """It asks first, and our answer finds its lie: the session ends, and our program does not."""
    side = greeted().sides[seat]
    foe = Foe(side)
    whole = bytes(side.record)
    said = concession(foe.key, seat, match_id(whole), head(whole))  # in our name
    foe.tell(foe.wish(whole, conceded=[said]))
    side.resume(interrupted(side))
    side.react()
    foe.listen()
    assert refused(foe) == "bad-signature"
