"""Claims: a match ends since the other side does not come back (specification, section 10)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pazaak_p2p.cli.verdicts import exit_code, tell_record
from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import Outcome, Seat, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.claims import CLAIM_SECONDS, CLAIM_TOLERANCE
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.errors import LocalError
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.resuming import Interrupted, claim
from pazaak_p2p.wire.terms import Due, Kind, claim_frame
from tests.verifier import verify
from tests.wire.broken import (
    Foe,
    Line,
    bodies,
    cut_back,
    ended,
    from_records,
    heads,
    interrupted,
    match_id,
)
from tests.wire.liars import SEED, entries, records, refused
from tests.wire.pair import Pair, Side

BOTH = list(Seat)
LONG = 10_000.0
WHOLE = len(bodies(records()[0]))


def pair_at(host: int, join: int) -> Pair:
    """Two players who hold so many entries, and have greeted each other."""
    whole = records()
    return from_records(SEED, [cut_back(whole[0], host), cut_back(whole[1], join)], Line(None))


def due_at(kept: int) -> Due | None:
    return interrupted(pair_at(kept, kept).host).match.transcript.due


def place(away: Seat, *, first: int = 4) -> int:
    """A place in the game at which something is due from *away*."""
    return next(n for n in range(first, WHOLE) if read_body(bodies(records()[0])[n]).by == away)


def claims(side: Side) -> None:
    """Our program has claimed the match; the record says so."""
    kept = interrupted(side)
    data, outcome = claim(kept)
    assert outcome == Outcome(Termination.ABANDONED, side.seat)
    side.record += data


def come_together(pair: Pair, away: float = LONG) -> None:
    """Both resume; who has not claimed was away for so many seconds."""
    for side in pair.sides:
        side.resume(replace(interrupted(side), away=away))
    pair.go()


def leave(side: Side, pair: Pair) -> None:
    """The match is over for *side*, as its claim is void; its program says so."""
    side.peer.bye(m.ByeReason.DONE)
    pair.go()


def check(pair: Pair, outcome: Outcome) -> None:
    """Both have come to this end, and so do both judges of both records."""
    claimed = outcome.termination is Termination.ABANDONED
    for side in pair.sides:
        assert side.errors == []
        last = ended(side)
        assert (last.outcome, last.claimed, last.resumable) == (outcome, claimed, False)
        record = bytes(side.record)
        verdict, second = judge(record), verify(record)
        assert (verdict.cheat, verdict.problem, verdict.contradiction) == (None, None, "")
        assert verdict.claim == second.claim == (outcome.winner if claimed else None)
        assert second.clean, str(second)
        if claimed:
            assert (verdict.proven, verdict.claimed) == (None, outcome)
        else:
            assert verdict.proven == outcome
    together = judge_pair(bytes(pair.host.record), bytes(pair.join.record)).verdict
    assert together.claim == (outcome.winner if claimed else None)


def test_a_match_can_be_claimed_wherever_the_other_side_owes_a_word() -> None:
    for seat in Seat:
        for kept in range(WHOLE + 1):
            match = interrupted(pair_at(kept, kept).sides[seat]).match
            due, decided = match.transcript.due, match.decided
            theirs = due is not None and due.seat is seat.other
            assert match.claimable is (theirs and kept >= 2 and decided is None), kept
            if not match.claimable:
                with pytest.raises(LocalError):
                    claim(Interrupted(match, ()))


@pytest.mark.parametrize("claimer", BOTH)
def test_a_record_of_a_claim_proves_no_end(claimer: Seat) -> None:
    """That the other was away is only a word, so for a checker the match is broken off."""
    pair = pair_at(place(claimer.other), place(claimer.other))
    claims(pair.sides[claimer])
    verdict = judge(bytes(pair.sides[claimer].record))
    assert exit_code(verdict) is Exit.PEER_LOST
    assert "only the word of the" in tell_record(verdict)


@pytest.mark.parametrize("claimer", BOTH)
class TestTheOtherSideComesBack:
    def test_and_hears_it(self, claimer: Seat) -> None:
        kept = place(claimer.other)
        pair = pair_at(kept, kept)
        claims(pair.sides[claimer])
        come_together(pair)
        check(pair, Outcome(Termination.ABANDONED, claimer))
        # The one who came back has said nothing in the match: it heard the claim first.
        assert [len(bodies(bytes(side.record))) for side in pair.sides] == [kept, kept]

    def test_with_the_answer_to_its_own_wish(self, claimer: Seat) -> None:
        """The program of the claimer waits for somebody to play with, and is asked."""
        kept = place(claimer.other)
        pair = pair_at(kept, kept)
        one, other = pair.sides[claimer], pair.sides[claimer.other]
        claims(one)
        other.resume(replace(interrupted(other), away=LONG))
        pair.go()
        assert [asked.match_id for asked in one.of_kind(events.ResumeAsked)] == [
            match_id(bytes(one.record))
        ]
        one.resume(interrupted(one))
        pair.go()
        check(pair, Outcome(Termination.ABANDONED, claimer))

    def test_having_said_what_was_due_and_stayed_away(self, claimer: Seat) -> None:
        kept = place(claimer.other)
        ahead = [kept + (seat is claimer.other) for seat in Seat]
        pair = pair_at(*ahead)
        claims(pair.sides[claimer])
        come_together(pair)
        check(pair, Outcome(Termination.ABANDONED, claimer))
        assert [len(bodies(bytes(side.record))) for side in pair.sides] == [kept + 1, kept + 1]

    def test_having_claimed_as_well(self, claimer: Seat) -> None:
        """Each misses the other's next word; the later head counts."""
        kept = next(
            n
            for n in range(4, WHOLE)
            if due_at(n) and due_at(n).seat is claimer.other and due_at(n + 1).seat is claimer  # type: ignore[union-attr]
        )
        ahead = [kept + (seat is claimer.other) for seat in Seat]
        pair = pair_at(*ahead)
        for side in pair.sides:
            claims(side)
        come_together(pair, away=0.0)
        check(pair, Outcome(Termination.ABANDONED, claimer.other))

    def test_having_conceded_before(self, claimer: Seat) -> None:
        kept = place(claimer.other)
        pair = pair_at(kept, kept)
        claims(pair.sides[claimer])
        other = pair.sides[claimer.other]
        other.record += interrupted(other).match.concede(m.ConcedeReason.CONCESSION)
        come_together(pair)
        leave(pair.sides[claimer], pair)
        check(pair, Outcome(Termination.CONCESSION, claimer))

    def test_just_not_too_early(self, claimer: Seat) -> None:
        kept = place(claimer.other)
        pair = pair_at(kept, kept)
        claims(pair.sides[claimer])
        come_together(pair, away=CLAIM_SECONDS - CLAIM_TOLERANCE)
        check(pair, Outcome(Termination.ABANDONED, claimer))

    def test_too_early(self, claimer: Seat) -> None:
        kept = place(claimer.other)
        pair = pair_at(kept, kept)
        one, other = pair.sides[claimer], pair.sides[claimer.other]
        claims(one)
        come_together(pair, away=CLAIM_SECONDS - CLAIM_TOLERANCE - 1)
        assert [error.code for error in other.errors] == ["early-claim"]
        assert ended(other).resumable
        verdict, second = judge(bytes(other.record)), verify(bytes(other.record))
        assert (verdict.claim, verdict.contradiction, verdict.problem) == (None, "", None)
        assert second.clean
        assert second.claim is None
        # Its maker keeps to it.
        assert (ended(one).outcome.winner, ended(one).claimed) == (claimer, True)
        assert judge(bytes(one.record)).claim is claimer
        # The other one can go on with what it has.
        assert interrupted(other).match.transcript.length == kept


def test_the_winner_was_away_with_its_last_word() -> None:
    """It has won, and its deck is open: that decides the match, and the claim is void."""
    (outcome,) = {judge(record).proven for record in records()}
    assert outcome is not None
    assert outcome.winner is not None
    winner, loser = outcome.winner, outcome.winner.other
    last = WHOLE - 1
    assert due_at(last) == Due(loser, Kind.OPEN)
    ahead = [last - (seat is loser) for seat in Seat]
    pair = pair_at(*ahead)
    claims(pair.sides[loser])
    come_together(pair)
    leave(pair.sides[loser], pair)
    check(pair, outcome)
    assert ended(pair.sides[winner]).opened[winner]


@pytest.mark.parametrize("claimer", BOTH)
@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("forged", "bad-signature"),
        ("of another match", "bad-signature"),
        ("head nowhere", "broken-chain"),
        ("own turn", "unexpected"),
        ("before the commits", "unexpected"),
        ("our name", "reflected"),
        ("twice", "unexpected"),
        ("too late", "unexpected"),
    ],
)
def test_what_is_no_claim(claimer: Seat, what: str, code: str) -> None:
    away = claimer.other
    kept = place(away)
    whole = records()[away]
    side = pair_at(kept, kept).sides[away]
    foe = Foe(side)
    side.resume(replace(interrupted(side), away=LONG))
    foe.listen()
    record = cut_back(whole, kept)
    match, chain = match_id(record), heads(whole)
    at = {"head nowhere": kept + 1, "before the commits": 1 - away}.get(what, kept)
    if what == "own turn":
        at = next(n for n in range(2, kept) if read_body(bodies(whole)[n]).by == claimer)
    by = away if what == "our name" else claimer
    signed = claim_frame(bytes(32) if what == "of another match" else match, by, chain[at])
    said = m.Claim(by, chain[at], bytes(64) if what == "forged" else foe.key.sign(signed))
    wish = foe.wish(record)
    match what:
        case "twice":
            foe.tell(said, said, wish)
        case "too late":
            foe.tell(wish, said)
        case _:
            foe.tell(said, wish)
    if what == "twice":  # before the match was on again
        assert [error.code for error in side.errors] == [code]
        assert not side.of_kind(events.Ended)
    else:
        assert refused(foe) == code
    assert judge(bytes(side.record)).claim is None


def test_who_plays_on_has_taken_its_claim_back() -> None:
    """Of records alone: no program of ours does that."""
    claimer = Seat.HOST
    kept = place(claimer.other)
    pair = pair_at(kept, kept)
    claims(pair.host)
    interrupted(pair.host)  # cuts the end off
    for entry in entries(records()[0])[kept:]:
        pair.host.record += encode(entry)
    verdict, second = judge(bytes(pair.host.record)), verify(bytes(pair.host.record))
    assert (verdict.claim, verdict.problem, verdict.cheat) == (None, None, None)
    assert verdict.proven == judge(records()[0]).proven
    assert second.clean
    assert second.claim is None
