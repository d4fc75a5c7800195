"""Machines lose what they had written last, and the match goes on all the same (section 6.4)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import count, product

import pytest

from pazaak_p2p.rules import Outcome, Seat, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.messages import ByeReason
from tests.verifier import verify
from tests.wire.broken import (
    Line,
    again,
    begin,
    bodies,
    cut_back,
    ended,
    from_records,
    items,
    new_pair,
    resume,
    written,
)
from tests.wire.pair import Between, Pair, Side
from tests.wire.records import SHORT

BOTH = list(Seat)
# Many ways lead to the same records.
judged, verified = cache(judge), cache(verify)


def check(pair: Pair) -> bytes:
    """The match of *pair* came to one end for both, and nobody is accused; its head."""
    (one, two) = (ended(side) for side in pair.sides)
    assert one == two
    assert one.opened == (True, True)
    for side in pair.sides:
        assert side.errors == []
        verdict, second = judged(bytes(side.record)), verified(bytes(side.record))
        assert (verdict.cheat, verdict.problem, verdict.contradiction) == (None, None, "")
        assert second.clean
        assert second.head == verdict.head == one.head
        assert verdict.proven == one.outcome
    host, join = (bodies(bytes(side.record)) for side in pair.sides)
    assert host == join
    return one.head


def played(seed: str, persons: tuple[bool, bool] = (True, True)) -> Pair:
    """A short match to its end."""
    pair = new_pair(seed, Line(None), persons)
    begin(pair, SHORT)
    return pair


@pytest.mark.parametrize("persons", [(True, True), (False, True)], ids=["all", "as far"])
def test_every_tail_lost_on_either_side_or_both(persons: tuple[bool, bool]) -> None:
    whole = played("tails", persons)
    head, all_bodies = ended(whole.host).head, bodies(bytes(whole.host.record))
    n = len(all_bodies)
    assert n > 8
    for left in product(range(n + 1), repeat=2):
        if not all(persons) and left[0] != left[1]:
            continue
        pair = reduced(whole, "tails", left)
        resume(pair)
        final = check(pair)
        # What either side has kept is not said otherwise.
        assert bodies(bytes(pair.host.record))[: max(left)] == all_bodies[: max(left)]
        if max(left) == n:
            assert final == head


def reduced(whole: Pair, seed: str, left: Iterable[int]) -> Pair:
    """The players of *whole*, whose records have kept only so many entries and concessions."""
    records = [cut_back(written(side), keep) for side, keep in zip(whole.sides, left, strict=True)]
    return from_records(seed, records, Line(None), (whole.host.person, whole.join.person))


def at_a_choice(seed: str) -> Pair:
    """A match in which both have committed and somebody thinks about a choice."""
    pair = new_pair(seed, Line(None), (True, True))
    pair.go()
    pair.host.offer(SHORT)
    while not any(side.thinking_about for side in pair.sides):
        assert pair.step()
    return pair


def conceding(seats: tuple[Seat, ...]) -> Pair:
    """A match that *seats* concede before they hear each other, to its end."""
    pair = at_a_choice("given up")
    for seat in seats:
        side = pair.sides[seat]
        side.thinking_about = None
        side.peer.concede(0.0)
    pair.run()
    return pair


@pytest.mark.parametrize("seats", [(Seat.HOST,), (Seat.JOIN,), (Seat.HOST, Seat.JOIN)])
def test_concessions_lost_on_either_side_or_both(seats: tuple[Seat, ...]) -> None:
    """A concession counts as long as anybody holds it; where both lost it, it was never said."""
    whole = conceding(seats)
    outcome = ended(whole.host).outcome
    assert outcome.termination is Termination.CONCESSION
    records = [items(bytes(side.record)) for side in whole.sides]
    seen = set()
    for left in product(*(range(len(record) + 1) for record in records)):
        held = {
            item
            for record, keep in zip(records, left, strict=True)
            for item in record[:keep]
            if b"concede" in item
        }
        pair = reduced(whole, "given up", left)
        resume(pair)
        check(pair)
        end = ended(pair.host).outcome
        seen.add((len(held), end.termination))
        if held:
            assert end.termination is Termination.CONCESSION
        if len(held) == len(seats):
            assert end == outcome
    assert {number for number, _ in seen} == set(range(len(seats) + 1))


def outcome_for(side: Side) -> Outcome | None:
    """How the match has ended as *side* knows it."""
    return None if side.peer.state is None else side.peer.state.outcome


@pytest.mark.parametrize("conceder", BOTH)
def test_a_concession_that_the_end_of_the_match_had_crossed_stays_void(conceder: Seat) -> None:
    """The last act is on its way when the other one gives up; then the line breaks."""
    found = 0
    for seed in range(40):
        name = f"void {seed}"
        pair = at_a_choice(name)
        loser, winner = pair.sides[conceder], pair.sides[conceder.other]
        while not any(outcome_for(side) for side in pair.sides):
            for side in (winner, loser):
                if side.thinking_about and side.think(0.0):
                    break
            if not outcome_for(winner):
                pair.step()
        if outcome_for(loser) or not outcome_for(winner):
            continue
        found += 1
        loser.thinking_about = None
        loser.peer.concede(0.0)
        outcome = outcome_for(winner)
        for lost in (False, True):
            # Both have written what they said, and neither hears it; or the loser loses it again.
            broken = again(pair, name, Line(None))
            if lost:
                kept = len(items(bytes(broken.sides[conceder].record))) - 1
                left_of = (99, kept) if conceder is Seat.JOIN else (kept, 99)
                broken = reduced(broken, name, left_of)
            resume(broken)
            check(broken)
            assert ended(broken.host).outcome == outcome
    assert found >= 3


@pytest.mark.parametrize("lacking", BOTH)
@pytest.mark.parametrize("asking", BOTH)
def test_complete_on_one_side_only(lacking: Seat, asking: Seat) -> None:
    whole = played("complete")
    n = len(items(bytes(whole.host.record)))
    pair = reduced(whole, "complete", (n - 1, n) if lacking is Seat.HOST else (n, n - 1))
    resume(pair, pair.sides[asking])
    (asked,) = pair.sides[asking.other].of_kind(events.ResumeAsked)
    resume(pair, pair.sides[asking.other])
    check(pair)
    assert asked.match_id == pair.host.peer.match_id


@pytest.mark.parametrize("reason", [ByeReason.LATER, ByeReason.TIMEOUT, ByeReason.FAULT])
@pytest.mark.parametrize("leaver", BOTH)
def test_a_goodbye_that_gives_nothing_up(reason: ByeReason, leaver: Seat) -> None:
    pair = at_a_choice("later")
    pair.sides[leaver].peer.bye(reason)
    pair.go()
    assert [ended(side).resumable for side in pair.sides] == [True, True]
    assert [ended(side).outcome.winner for side in pair.sides] == [None, None]
    pair = again(pair, "later", Line(None))
    resume(pair)
    check(pair)


@pytest.mark.parametrize("leaver", BOTH)
def test_a_goodbye_that_gives_the_match_up_cannot_be_taken_back(leaver: Seat) -> None:
    pair = at_a_choice("given up for good")
    pair.sides[leaver].peer.bye(ByeReason.INTERRUPTED)
    pair.go()
    assert [ended(side).resumable for side in pair.sides] == [False, False]


@pytest.mark.parametrize("victim", BOTH)
def test_a_message_broken_on_the_way_convicts_nobody_and_the_match_goes_on(victim: Seat) -> None:
    for at in range(1, 6):
        pair = at_a_choice(f"altered {at}")
        pair.between = _altering(pair.sides[victim.other], at)
        pair.go()
        if not pair.sides[victim].errors:
            continue  # the match was over before
        assert pair.sides[victim].errors[0].code in ("bad-signature", "malformed", "garbage")
        assert [ended(side).resumable for side in pair.sides] == [True, True]
        pair = again(pair, f"altered {at}", Line(None))
        resume(pair)
        check(pair)


@pytest.mark.parametrize("seed", ["open 2", "open 3", "open 6", "open 8"])
def test_a_cut_as_the_winner_opens_is_settled_by_both_records_and_by_going_on(seed: str) -> None:
    """The loser has not seen the open on which the result rests, and has its word only."""
    pair = new_pair(seed, Line(None), (True, True))
    pair.go()
    pair.between = _swallowing_opens
    pair.host.offer(SHORT)
    pair.go()
    for side in pair.sides:
        side.peer.receive(b"", 0.0)
        side.react()
    outcomes = {judge(written(side)).proven for side in pair.sides}
    (outcome,) = outcomes
    assert outcome is not None
    assert outcome.winner is not None
    winner, loser = pair.sides[outcome.winner], pair.sides[outcome.winner.other]
    assert ended(winner).outcome == outcome
    assert ended(loser).outcome == Outcome(Termination.ABANDONED, loser.seat)
    assert [ended(side).resumable for side in pair.sides] == [True, True]
    for side in pair.sides:  # each record by itself bears its keeper out
        assert judge(written(side)).contradiction == ""
        assert verify(written(side)).clean
    together = judge_pair(written(pair.host), written(pair.join)).verdict
    assert together.proven == outcome
    assert together.opened[winner.seat]
    assert together.missing is not None
    assert together.missing.seat is loser.seat
    pair = again(pair, seed, Line(None))
    resume(pair)
    check(pair)
    assert ended(pair.host).outcome == outcome


def _swallowing_opens(_: Side, data: bytes) -> list[bytes]:
    """A wire that breaks as soon as a side deck is opened on it."""
    return [] if b"open" in data and b"salts" in data else [data]


def _altering(of: Side, at: int) -> Between:
    """A wire that turns one bit in what *of* says the *at*-th time."""
    said = count(1)

    def between(side: Side, data: bytes) -> list[bytes]:
        if side is of and next(said) == at:
            return [data[:-1] + bytes([data[-1] ^ 1])]
        return [data]

    return between
