"""How matches are left, and what is beside them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pazaak_p2p.rules import (
    DECKS,
    Action,
    Leave,
    Outcome,
    Rules,
    Seat,
    Termination,
    View,
    legal_actions,
)
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.terms import Kind
from tests.cheating import Cheater, Trick
from tests.verifier import verify
from tests.wire.agreement import STANDARD, cautious, check, in_match, lobby, moves
from tests.wire.caught import catch
from tests.wire.pair import Pair, Side, at_random, messages_in, objects_in
from tests.wire.tricks import Case
from tests.wire.tricks.case import opens

# --- leaving


LEAVING = ("done", "busy", "declined", "interrupted")
REASONS = list(m.ByeReason)


def check_left(side: Side, outcome: Outcome, code: str, text: str = "") -> events.Ended:
    """How the match ended for *side*, and that its record says the same."""
    side.send()
    (ended,) = side.of_kind(events.Ended)
    assert ended.outcome == outcome
    end = objects_in(bytes(side.record))[-1]
    assert (end["termination"], end["winner"]) == (outcome.termination.value, outcome.winner)
    assert (end["code"], end["text"]) == (code, text)
    assert end["opened"] == list(ended.opened)
    assert side.peer.next_deadline() is None
    verdict = verify(bytes(side.record))
    assert verdict.clean
    assert verdict.head == ended.head
    assert not verdict.complete
    return ended


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("seat", list(Seat))
def test_who_leaves_a_match_that_is_on_loses_it_on_both_sides(
    seat: Seat, reason: m.ByeReason
) -> None:
    pair = in_match()
    leaver, other = pair.sides[seat], pair.sides[seat.other]
    leaver.peer.bye(reason, "phone")
    leaver.thinking_about = other.thinking_about = None
    pair.go()
    winner = other.seat if reason.value in LEAVING else None
    for side in pair.sides:
        ended = check_left(side, Outcome(Termination.ABANDONED, winner), reason.value, "phone")
        assert ended.opened == (False, False)
    assert leaver.of_kind(events.Ended) == other.of_kind(events.Ended)
    assert other.events[-1] == events.Left(reason.value, "phone")
    assert leaver.errors == other.errors == []


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("seat", list(Seat))
def test_leaving_before_both_have_committed_is_leaving_too(seat: Seat, reason: m.ByeReason) -> None:
    pair = lobby()
    pair.host.offer(STANDARD)
    pair.join.peer.receive(pair.host.send(), 0.0)
    pair.join.react()
    pair.host.peer.receive(pair.join.send(), 0.0)
    pair.host.react()
    leaver = pair.sides[seat]
    leaver.peer.concede(0.0)  # there is nothing to concede yet
    leaver.peer.bye(reason)
    pair.go()
    winner = seat.other if reason.value in LEAVING else None
    for side in pair.sides:
        check_left(side, Outcome(Termination.ABANDONED, winner), reason.value)


@pytest.mark.parametrize("seat", list(Seat))
def test_a_stream_that_ends_in_a_match_leaves_no_winner(seat: Seat) -> None:
    side = in_match().sides[seat]
    side.peer.receive(b"", 0.0)
    side.react()
    assert [type(event) for event in side.events[-2:]] == [events.Ended, events.Closed]
    check_left(side, Outcome(Termination.ABANDONED, None), "closed")


@pytest.mark.parametrize("seat", list(Seat))
def test_a_session_that_is_refused_leaves_no_winner(seat: Seat) -> None:
    side = in_match().sides[seat]
    side.peer.receive(b"\xc1", 0.0)
    side.react()
    (error,) = side.errors
    check_left(side, Outcome(Termination.ABANDONED, None), "garbage", error.what)


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("offered", [False, True])
def test_leaving_the_lobby_costs_nothing(reason: m.ByeReason, offered: bool) -> None:
    pair = lobby()
    if offered:
        pair.host.offer(STANDARD)
    pair.join.peer.bye(reason)
    pair.go()
    for side in pair.sides:
        assert side.of_kind(events.Ended) == []
        assert side.record == b""


@pytest.mark.parametrize("reason", REASONS)
def test_leaving_after_a_match_changes_nothing(reason: m.ByeReason) -> None:
    pair = Pair(choose=(at_random(1), at_random(2)))
    pair.play(STANDARD)
    pair.join.peer.bye(reason)
    pair.go()
    check(pair)


def test_what_is_said_on_leaving_is_cut_and_made_safe() -> None:
    # Anything can be in the text of an error of ours.
    for text, said in (
        ("x" * 301, "x" * 299 + "…"),
        ("a\udcffb", "a\\udcffb"),
        ("\x1b[2J", "\\x1b[2J"),
    ):
        pair = in_match()
        pair.host.peer.bye(m.ByeReason.FAULT, text)
        pair.join.peer.receive(pair.host.send(), 0.0)
        pair.join.react()
        assert pair.join.errors == []
        assert pair.join.events[-1] == events.Left("fault", said)
        for side in pair.sides:
            side.react()
            check_left(side, Outcome(Termination.ABANDONED, None), "fault", said)
        pair = lobby()
        pair.host.offer(STANDARD)
        pair.join.peer.receive(pair.host.send(), 0.0)
        pair.join.peer.next_event()
        pair.join.peer.decline(m.DeclineReason.USER, text)
        pair.run()
        assert pair.host.of_kind(events.Declined) == [events.Declined("user", said)]


# --- only an `open` is missing


def owing(case: str, seat: Seat) -> Side:
    """A match in which only the ``open`` of *seat* is missing; the side that waits for it."""
    if case == "drawn":
        rules = Rules(max_sets=1)
        trick = Trick(
            lambda c: c.owes(Kind.OPEN) and c.state.outcome == Outcome(Termination.CAP, None),
            lambda _: b"",
        )
    else:
        rules, trick = STANDARD, Trick(opens(winner=case == "winner"), lambda _: b"")
    caught = catch(Case("", "", trick, rules=rules), seat, 0, True)
    assert caught.victim.errors == []
    assert caught.victim.of_kind(events.Ended) == []
    return caught.victim


HOWS = [reason.value for reason in REASONS] + ["closed", "garbage", "silent"]


def leaves(side: Side, how: str) -> None:
    """The other side goes, in this way."""
    if how == "silent":
        side.peer.handle_timeout(30.0)  # a ping
        side.peer.handle_timeout(30.0)
    elif how in ("closed", "garbage"):
        side.peer.receive(b"" if how == "closed" else b"\xc1", 0.0)
    else:
        side.peer.receive(encode(m.Bye(m.ByeReason(how), "")), 0.0)
    side.react(30.0)


@pytest.mark.parametrize(
    ("case", "how"),
    [
        *(("winner", how) for how in HOWS),
        *(
            ("drawn", how)
            for how in ("done", "interrupted", "fault", "closed", "garbage", "silent")
        ),
    ],
)
@pytest.mark.parametrize("seat", list(Seat))
def test_who_leaves_before_an_open_on_which_the_result_rests_loses(
    seat: Seat, case: str, how: str
) -> None:
    side = owing(case, seat)
    leaves(side, how)
    text = side.errors[0].what if side.errors else ""
    ended = check_left(side, Outcome(Termination.ABANDONED, seat.other), how, text)
    opened = case == "drawn" and seat is Seat.JOIN  # the host opens first, so it has
    assert ended.opened == (opened, False)


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("case", ["winner", "drawn"])
@pytest.mark.parametrize("seat", list(Seat))
def test_who_waits_for_such_an_open_may_leave(seat: Seat, case: str, reason: m.ByeReason) -> None:
    # Else a bad deck could be kept back until the other one goes.
    side = owing(case, seat)
    side.peer.bye(reason)
    side.react()
    check_left(side, Outcome(Termination.ABANDONED, seat.other), reason.value)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("seat", list(Seat))
def test_a_loser_that_leaves_without_opening_changes_nothing_either(seat: Seat, how: str) -> None:
    side = owing("loser", seat)
    leaves(side, how)
    text = side.errors[0].what if side.errors else ""
    ended = check_left(side, Outcome(Termination.NORMAL, seat.other), how, text)
    assert ended.opened == (seat is Seat.JOIN, seat is Seat.HOST)


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("seat", list(Seat))
def test_a_winner_that_has_opened_may_leave(seat: Seat, reason: m.ByeReason) -> None:
    # Its own result stands, whatever the reason is: it waits for nothing on which that rests.
    side = owing("loser", seat)
    side.peer.bye(reason)
    side.react()
    check_left(side, Outcome(Termination.NORMAL, seat.other), reason.value)


# --- a concession is on its way


def conceding_and_hearing() -> tuple[Pair, Side, Side, bytes]:
    """A match, one side of which has just conceded: who, the other, and what it said."""
    pair = in_match()
    side, other = pair.sides if pair.host.thinking_about else pair.sides[::-1]
    if data := side.send():
        other.peer.receive(data, 0.0)
    side.thinking_about = None
    side.peer.concede(0.0)
    return pair, side, other, side.send()


@pytest.mark.parametrize("how", HOWS)
def test_a_concession_counts_if_its_acceptance_has_not_come(how: str) -> None:
    _, side, other, _ = conceding_and_hearing()
    leaves(side, how)
    text = side.errors[0].what if side.errors else ""
    check_left(side, Outcome(Termination.CONCESSION, other.seat), how, text)
    # It is told like any other concession.
    moved, ended = side.events[-3:-1] if not side.errors else side.events[-2:]
    assert isinstance(moved, events.Moved)
    assert moved.input == Leave(side.seat, Termination.CONCESSION)
    assert isinstance(ended, events.Ended)


@pytest.mark.parametrize("reason", REASONS)
def test_who_concedes_and_leaves_has_conceded_on_both_sides_alike(reason: m.ByeReason) -> None:
    _, side, other, said = conceding_and_hearing()
    side.peer.bye(reason)
    side.react()
    other.peer.receive(said + side.send(), 0.0)
    other.react()
    outcome = Outcome(Termination.CONCESSION, other.seat)
    for each in (side, other):
        check_left(each, outcome, reason.value)
        assert each.errors == []
    assert moves(side) == moves(other)


@pytest.mark.parametrize("reason", REASONS)
def test_who_hears_a_concession_and_leaves_has_won_on_both_sides_alike(
    reason: m.ByeReason,
) -> None:
    _, side, other, said = conceding_and_hearing()
    other.peer.receive(said, 0.0)
    other.peer.bye(reason)
    other.react()
    side.peer.receive(other.send(), 0.0)
    side.react()
    outcome = Outcome(Termination.CONCESSION, other.seat)
    check_left(other, outcome, reason.value)
    # It had accepted, so to the one who conceded the match is complete.
    (ended,) = side.of_kind(events.Ended)
    assert ended.outcome == outcome
    assert ended.opened == (True, True)
    assert side.events[-1] == events.Left(reason.value, "")
    assert moves(side) == moves(other)


def void_concession(seat: Seat) -> Side:
    """*seat* has ended the match and won it, in an entry that crossed the other side's concession,
    but has not opened; the other side, which has heard that."""
    rules = Rules(sets=1)
    for i in range(100):
        cheater = Cheater(
            seat,
            Trick(opens(winner=True), lambda _: b""),
            rules=rules,
            deck=DECKS["hard"],
            seed=f"void {i}",
            split=True,
        )
        side = Side(seat.other, f"void {i}", DECKS["balanced"], cautious(i), person=True)
        side.react()
        while not cheater.struck:
            crossing = cheater.send()
            if not cheater.struck and crossing:
                side.peer.receive(crossing, 0.0)
            side.react()
            if side.of_kind(events.Greeted) and seat is Seat.JOIN and not side.matches:
                side.offer(rules)
            if not (said := side.send()) and not crossing and side.think():
                said = side.send()
            if not crossing and not said:
                break
            cheater.receive(said)
        crossing = cheater.send()
        state = side.peer.state
        if not crossing or state is None or state.outcome is not None:
            continue  # somebody else has won it, or by an entry of ours
        side.thinking_about = None
        side.peer.concede(0.0)
        assert [type(said) for said, _ in messages_in(side.send())] == [m.Concede]
        side.peer.receive(crossing, 0.0)
        side.react()
        assert side.errors == []
        assert side.peer.state is not None
        assert side.peer.state.outcome == Outcome(Termination.NORMAL, seat)
        return side
    raise AssertionError("no match ends so")


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("seat", list(Seat))
def test_a_void_concession_does_not_save_who_leaves_without_opening(seat: Seat, how: str) -> None:
    side = void_concession(seat)
    leaves(side, how)
    text = side.errors[0].what if side.errors else ""
    check_left(side, Outcome(Termination.ABANDONED, seat.other), how, text)


# --- questions that are no longer open are not asked


def one_piece_with_a_choice(then: Callable[[Side], bytes]) -> Side:
    """The side that gets a choice and, in the same piece, what takes it away again."""
    pair = Pair(persons=(True, True), choose=(end_turn, end_turn))
    pair.greet()
    pair.host.offer(STANDARD)
    for _ in range(10):
        for source, target in (pair.sides, pair.sides[::-1]):
            source.react()
            data = source.send()
            if not data and source.think():
                target.events.clear()
                target.peer.receive(source.send() + then(source), 0.0)
                return target
            if data:
                target.peer.receive(data, 0.0)
                target.react()
    raise AssertionError


def end_turn(view: View) -> Action:
    return legal_actions(view.state)[-2]


def conceding(side: Side) -> bytes:
    side.peer.concede(0.0)
    return side.send()


def test_a_choice_is_asked_for() -> None:
    target = one_piece_with_a_choice(lambda _: b"")
    target.react()
    assert target.of_kind(events.Choose) == target.events[-1:]


@pytest.mark.parametrize(
    "then",
    [
        conceding,
        lambda _: b"\xc1",
        lambda _: encode(m.Bye(m.ByeReason.INTERRUPTED, "")),
        lambda _: encode(m.Accept(bytes(32))),
    ],
    ids=["concession", "garbage", "goodbye", "unexpected"],
)
def test_a_choice_that_is_gone_is_not_asked_for(then: Callable[[Side], bytes]) -> None:
    target = one_piece_with_a_choice(then)
    target.person = False  # answers at once, as bots do
    target.react()
    assert target.of_kind(events.Choose) == []
    assert isinstance(target.events[-1], events.Ended | events.Left | events.Moved)


def test_a_concession_in_one_piece_with_a_choice_ends_the_match() -> None:
    target = one_piece_with_a_choice(conceding)
    target.person = False
    target.react()
    leave = target.of_kind(events.Moved)[-1].input
    assert leave == Leave(target.seat.other, Termination.CONCESSION)


@pytest.mark.parametrize("then", [b"\xc1", encode(m.Bye(m.ByeReason.INTERRUPTED, ""))])
def test_an_offer_that_is_gone_is_not_asked_for(then: bytes) -> None:
    pair = lobby()
    pair.host.offer(STANDARD)
    pair.join.peer.receive(pair.host.send() + then, 0.0)
    pair.join.react()
    assert pair.join.of_kind(events.Offered) == []


# --- beside the transcript


def test_chat_goes_both_ways_at_any_moment() -> None:
    pair = lobby()
    pair.host.peer.chat("good luck \x1b[31m", 0.0)
    pair.run()
    assert pair.join.of_kind(events.Chatted) == [events.Chatted("good luck \x1b[31m")]
    pair = in_match()
    heads = [side.peer.head for side in pair.sides]
    for side in pair.sides:
        side.thinking_about = None
        side.peer.chat(side.seat.name, 0.0)
    pair.run()
    assert pair.host.of_kind(events.Chatted) == [events.Chatted("JOIN")]
    assert pair.join.of_kind(events.Chatted) == [events.Chatted("HOST")]
    assert [side.peer.head for side in pair.sides] == heads


@pytest.mark.parametrize("then", [b"\xc1", encode(m.Chat("wait")), encode(m.Accept(bytes(32)))])
def test_nothing_is_taken_after_a_goodbye(then: bytes) -> None:
    pair = in_match()
    pair.join.peer.receive(encode(m.Bye(m.ByeReason.INTERRUPTED, "phone")) + then, 0.0)
    pair.join.peer.receive(then, 0.0)
    pair.join.react()
    assert pair.join.errors == []
    assert [type(event) for event in pair.join.events[-2:]] == [events.Ended, events.Left]
    assert pair.join.send() == b""
