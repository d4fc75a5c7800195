"""How matches are left, and what is beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from pazaak_p2p.rules import (
    Action,
    Leave,
    Outcome,
    Termination,
    View,
    legal_actions,
)
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from tests.verifier import verify
from tests.wire.agreement import STANDARD, in_match, lobby
from tests.wire.pair import (
    Pair,
    Side,
    at_random,
    messages_in,
    objects_in,
)

# --- leaving


def test_goodbye_in_a_match_breaks_it_off_for_both() -> None:
    pair = in_match()
    pair.host.peer.bye(m.ByeReason.INTERRUPTED, "phone")
    pair.host.thinking_about = pair.join.thinking_about = None
    pair.go()
    (ended,) = pair.host.of_kind(events.Ended)
    assert pair.join.of_kind(events.Ended) == [ended]
    assert ended.outcome == Outcome(Termination.ABANDONED, None)
    assert ended.opened == (False, False)
    assert pair.join.events[-1] == events.Left("interrupted", "phone")
    assert objects_in(bytes(pair.host.record)) != []
    for side in pair.sides:
        end = objects_in(bytes(side.record))[-1]
        assert (end["termination"], end["winner"]) == ("abandoned", None)
        assert (end["code"], end["text"]) == ("interrupted", "phone")
        assert verify(bytes(side.record)).clean
        assert not verify(bytes(side.record)).complete


def test_a_stream_that_ends_in_a_match_breaks_it_off() -> None:
    pair = in_match()
    pair.join.peer.receive(b"", 0.0)
    pair.join.react()
    assert [type(event) for event in pair.join.events[-2:]] == [events.Ended, events.Closed]
    assert pair.join.of_kind(events.Ended)[0].outcome == Outcome(Termination.ABANDONED, None)
    pair.join.send()
    assert verify(bytes(pair.join.record)).clean


def last_open_withheld() -> tuple[Pair, Side, Side]:
    """A match of which only the loser's ``open`` is missing; the winner, and the loser."""
    held: list[Side] = []

    def hold(source: Side, data: bytes) -> Iterable[bytes]:
        state = source.peer.state
        outcome = None if state is None else state.outcome
        if outcome is not None and outcome.winner is not source.seat:
            last = list(messages_in(data))[-1]
            body = read_body(last[0].body) if isinstance(last[0], m.Entry) else None
            if body is not None and isinstance(body.say[-1], m.Open):
                held.append(source)
                return ()
        return (data,)

    pair = Pair(between=hold, choose=(at_random(0), at_random(1)))
    pair.play(STANDARD)
    loser = held[0]
    return pair, pair.join if loser is pair.host else pair.host, loser


@pytest.mark.parametrize("how", ["bye", "close"])
def test_a_loser_that_leaves_without_opening_changes_nothing(how: str) -> None:
    _, winner, loser = last_open_withheld()
    winner.peer.receive(encode(m.Bye(m.ByeReason.DONE, "")) if how == "bye" else b"", 0.0)
    winner.react()
    winner.send()
    (ended,) = winner.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.NORMAL, winner.seat)
    assert ended.opened[winner.seat]
    assert not ended.opened[loser.seat]
    verdict = verify(bytes(winner.record))
    assert verdict.clean
    assert not verdict.complete
    assert verdict.winner == winner.seat


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
    pair.host.peer.chat("good luck \x1b[31m")
    pair.run()
    assert pair.join.of_kind(events.Chatted) == [events.Chatted("good luck \x1b[31m")]
    pair = in_match()
    heads = [side.peer.head for side in pair.sides]
    for side in pair.sides:
        side.thinking_about = None
        side.peer.chat(side.seat.name)
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
