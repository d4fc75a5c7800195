"""A seat that has signed two entries for one place is convicted when a match goes on (6.4)."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from pazaak_p2p.rules import DECKS, Outcome, Seat, Termination
from pazaak_p2p.wire.cheats import ActedAfterConceding, TwoEntries
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.errors import BrokenChain, Forked, RemoteError
from pazaak_p2p.wire.judge import judge, judge_pair
from tests.verifier import verify
from tests.wire.broken import (
    Foe,
    Line,
    bodies,
    concession,
    cut_back,
    ended,
    from_records,
    heads,
    interrupted,
    items,
    match_id,
    new_pair,
    resume,
)
from tests.wire.pair import Pair, at_random
from tests.wire.records import SHORT

BOTH = list(Seat)
SEED = "fork"


@cache
def told(forker: Seat | None) -> tuple[bytes, bytes]:
    """The records of one match; *forker* chose otherwise in it than it had (None: nobody did)."""
    choose = tuple(
        at_random((SEED, "other")) if seat is forker else at_random((SEED, seat)) for seat in Seat
    )
    pair = Pair(SEED, (DECKS["wanderer"], DECKS["hard"]), (choose[0], choose[1]), (True, True))
    pair.go()
    pair.host.offer(SHORT)
    pair.go()
    return bytes(pair.host.record), bytes(pair.join.record)


def parting(forker: Seat) -> int:
    """The first entry in which the two histories differ."""
    before, after = bodies(told(None)[0]), bodies(told(forker)[0])
    return next(n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)


@pytest.mark.parametrize("ours", [1, 2, 4], ids="we hold {}".format)
@pytest.mark.parametrize("theirs", [1, 2, 4], ids="they hold {}".format)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("forker", BOTH)
def test_who_has_said_two_things_is_convicted_and_the_other_is_not(
    forker: Seat, swapped: bool, ours: int, theirs: int
) -> None:
    """Our own restored backup is the forker's side of it: it leaves, and accuses nobody."""
    at = parting(forker)
    victim = forker.other
    records = [b"", b""]
    records[victim] = cut_back(told(None)[victim], at + ours)
    records[forker] = cut_back(told(forker)[forker], at + theirs)
    pair = from_records(SEED, records, Line(None), swapped=swapped)
    resume(pair)

    honest, other = pair.sides[victim], pair.sides[forker]
    (cheat,) = honest.errors
    assert isinstance(cheat, TwoEntries)
    assert (cheat.seat, cheat.entry) == (forker, at)
    assert ended(honest).outcome == Outcome(Termination.CHEAT, victim)
    assert not ended(honest).resumable
    assert [type(error) for error in other.errors] in ([Forked], [])
    assert ended(other).outcome.winner is None
    # The record of the one who was told two things proves it, to both judges and together.
    record = bytes(honest.record)
    for verdict in (judge(record), judge_pair(record, bytes(other.record)).verdict):
        assert verdict.cheat is not None
        assert (verdict.cheat.code, verdict.cheat.seat) == ("two-entries", forker)
        assert verdict.cheat.entry == at
        assert verdict.proven == ended(honest).outcome
    assert verify(record).cheat == ("two-entries", forker, at)
    alone = judge(bytes(other.record))
    assert (alone.cheat, alone.problem, alone.contradiction) == (None, None, "")


@pytest.mark.parametrize("ours", BOTH)
@pytest.mark.parametrize("whole", [(True, True), (True, False), (False, True)], ids=str)
def test_a_complete_match_does_not_hide_a_fork(ours: Seat, whole: tuple[bool, bool]) -> None:
    at, forker = parting(ours.other), ours.other
    records = [b"", b""]
    records[ours] = told(None)[ours] if whole[0] else cut_back(told(None)[ours], at + 1)
    records[forker] = told(forker)[forker] if whole[1] else cut_back(told(forker)[forker], at + 1)
    pair = from_records(SEED, records, Line(None))
    resume(pair)
    assert [error.code for error in pair.sides[ours].errors] == ["two-entries"]
    assert verify(bytes(pair.sides[ours].record)).cheat == ("two-entries", forker, at)
    assert judge(bytes(pair.sides[ours].record)).contradiction == ""


@pytest.mark.parametrize("forker", BOTH)
@pytest.mark.parametrize("beyond", [1, 3])
def test_the_older_side_of_a_fork_gets_the_proof_in_a_match_that_goes_on(
    forker: Seat, beyond: int
) -> None:
    """The forker says that it holds no more than both do, and then says something else."""
    at = parting(forker)
    victim = forker.other
    side = from_records(SEED, told(None), Line(None)).sides[victim]
    side.record = bytearray(cut_back(told(None)[victim], at + beyond))
    foe = Foe(side)
    side.resume(interrupted(side))
    foe.tell(foe.wish(cut_back(told(None)[victim], at)))
    rest = bodies(bytes(told(None)[victim]))[at : at + beyond]
    assert [entry.body for entry in foe.entries()][: len(rest)] == rest  # word for word
    foe.tell(foe.entry(bodies(told(forker)[forker])[at], match_id(told(None)[victim])))
    (cheat,) = side.errors
    assert isinstance(cheat, TwoEntries)
    assert (cheat.seat, cheat.entry) == (forker, at)
    assert verify(bytes(side.record)).cheat == ("two-entries", forker, at)


@pytest.mark.parametrize("forker", BOTH)
def test_a_fork_that_is_only_claimed_convicts_nobody(forker: Seat) -> None:
    """The head of another history, and then nothing, until the time is up."""
    at = parting(forker)
    victim = forker.other
    record = cut_back(told(None)[victim], at + 2)
    side = from_records(SEED, [record, record], Line(None)).sides[victim]
    foe = Foe(side)
    side.resume(interrupted(side))
    foe.tell(foe.wish(cut_back(told(forker)[forker], at + 1)))
    assert [entry.body for entry in foe.entries()] == bodies(record)  # once, and no more
    foe.stay(120.0)
    assert [error.code for error in side.errors] == ["silent"]
    assert ended(side).resumable
    assert bodies(bytes(side.record)) == bodies(record)
    assert judge(bytes(side.record)).cheat is None


def foe_of(seat: Seat, record: bytes) -> tuple[Foe, list[RemoteError]]:
    """An opponent of *seat*, which goes on with *record*; and what *seat* finds wrong with it."""
    side = from_records(SEED, [record, record], Line(None)).sides[seat]
    foe = Foe(side)
    side.resume(interrupted(side))
    return foe, side.errors


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("seat", BOTH)
def test_a_concession_that_its_own_entries_refute_convicts_with_proof(
    seat: Seat, complete: bool
) -> None:
    """It has conceded, has acted all the same, and shows that only now."""
    record = told(None)[seat]
    authors = [author(body) for body in bodies(record)]
    last = max(n for n, by in enumerate(authors[:-2]) if by == seat.other)
    kept = cut_back(record, 999 if complete else last + 1)
    n = len(bodies(kept))
    foe, errors = foe_of(seat, kept)
    said = concession(foe.key, seat.other, match_id(kept), heads(kept)[last])
    foe.tell(foe.wish(kept, conceded=[said]))
    (cheat,) = errors
    assert isinstance(cheat, ActedAfterConceding)
    assert cheat.seat is seat.other
    # Who has already lost loses no more by it (section 10).
    before = judge(kept).proven
    lost = complete and before is not None and before.winner is seat
    assert ended(foe.side).outcome == (before if lost else Outcome(Termination.CHEAT, seat))
    written = bytes(foe.side.record)
    assert verify(written).cheat == ("acted-after-conceding", seat.other, n)
    verdict = judge(written)
    assert verdict.cheat is not None
    assert (verdict.cheat.code, verdict.cheat.seat) == ("acted-after-conceding", seat.other)
    assert verdict.contradiction == ""


@pytest.mark.parametrize("seat", BOTH)
def test_our_own_forgotten_concession_is_no_confession(seat: Seat) -> None:
    """Our record is older than our concession, and has gone on: we leave, and convict nobody."""
    record = told(None)[seat]
    authors = [author(body) for body in bodies(record)]
    last = min(n for n, by in enumerate(authors) if by == seat and n >= 4)
    kept = cut_back(record, last + 1)
    foe, errors = foe_of(seat, kept)
    ours = concession(foe.side.key, seat, match_id(kept), heads(kept)[last])
    foe.tell(foe.wish(kept, conceded=[ours]))
    assert [type(error) for error in errors] == [Forked]
    assert ended(foe.side).outcome.winner is None
    assert ended(foe.side).outcome.termination is Termination.ABANDONED
    assert judge(bytes(foe.side.record)).cheat is None


def given_up(seat: Seat) -> tuple[bytes, bytes]:
    """The records of a match that *seat* conceded at its first choice."""
    pair = new_pair("both", Line(None), (True, True))
    pair.go()
    pair.host.offer(SHORT)
    while not any(side.thinking_about for side in pair.sides):
        assert pair.step()
    pair.sides[seat].peer.concede(0.0)
    pair.go()
    return bytes(pair.host.record), bytes(pair.join.record)


def test_two_who_have_each_accepted_the_others_concession_convict_nobody() -> None:
    """Both had conceded and lost their own word, against section 6.4: two entries stand at one
    place, but no seat has signed both of them."""
    records = (given_up(Seat.JOIN)[0], given_up(Seat.HOST)[1])
    assert bodies(records[0])[-2] != bodies(records[1])[-2]
    pair = from_records("both", records, Line(None))
    resume(pair)
    assert {type(error) for side in pair.sides for error in side.errors} == {BrokenChain}
    for side in pair.sides:
        assert judge(bytes(side.record)).cheat is None
    assert judge_pair(*(bytes(side.record) for side in pair.sides)).verdict.cheat is None


def test_both_judges_agree_on_whatever_a_keeper_makes_of_three_histories() -> None:
    """Cut anywhere, whole, and with entries of another history behind."""
    random = Random(3)
    histories = [record for forker in (None, *Seat) for record in told(forker)]
    found = Counter[str]()
    for _ in range(300):
        record, other = random.choices(histories, k=2)
        n = len(items(record))
        record = cut_back(record, random.choice([n, random.randrange(n + 1)]))
        record += b"".join(random.sample(items(other), random.randrange(3)))
        verdict, second = judge(record), verify(record)
        cheat = verdict.cheat and (verdict.cheat.code, verdict.cheat.seat, verdict.cheat.entry)
        assert cheat == second.cheat
        assert (verdict.problem is None) is (second.problem == "")
        found["convicted" if cheat else "refused" if verdict.problem else "sound"] += 1
    assert min(found["convicted"], found["refused"], found["sound"]) > 30


def author(body: bytes) -> int:
    return read_body(body).by
