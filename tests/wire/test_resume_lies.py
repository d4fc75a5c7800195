"""What a dishonest opponent can say about how far a match is, and in what order (section 6.4)."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import Outcome, Seat, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.errors import LocalError
from pazaak_p2p.wire.judge import judge
from tests.verifier import verify
from tests.wire.broken import (
    Foe,
    Line,
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
)
from tests.wire.liars import (
    KEPT,
    OTHER,
    SEED,
    entries,
    greeted,
    next_by,
    opponent,
    records,
    refused,
)

BOTH = list(Seat)


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

    def test_repeating_itself_fills_nothing(self, seat: Seat) -> None:
        """In a fork what we hold is passed over: neither record nor answers nor the talk grow."""
        foe = opponent(seat, KEPT)
        whole = records()[seat]
        foe.tell(foe.wish(whole, n=KEPT, head=b"?" * 32))
        written, heard = bytes(foe.side.record), len(foe.heard)
        for _ in range(200):
            foe.tell(*entries(whole)[: KEPT - 1])
        assert (bytes(foe.side.record), len(foe.heard)) == (written, heard)
        assert foe.side.errors == []
        foe.tell(*[m.Ping(n) for n in range(21)])
        assert refused(foe) == "flood"

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

    def test_said_after_the_end_means_nothing_and_is_not_written(self, seat: Seat) -> None:
        whole = records()[seat]
        foe = opponent(seat, len(bodies(whole)))
        said = concession(foe.key, seat.other, match_id(whole), head(whole))
        foe.tell(foe.wish(whole, conceded=[said]))
        assert foe.side.errors == []
        assert ended(foe.side).outcome == judge(whole).proven
        assert items(bytes(foe.side.record)) == items(whole)
        assert verify(bytes(foe.side.record)).clean

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
