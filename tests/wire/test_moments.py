"""Right things said at the wrong moment, by the other side and by our own program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import (
    DECKS,
    Action,
    Card,
    DeckError,
    Outcome,
    Pass,
    Phase,
    Play,
    RuleError,
    Seat,
    Stand,
    Termination,
    legal_actions,
    parse_deck,
)
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import LocalError
from tests.wire.agreement import STANDARD, check, in_match, lobby
from tests.wire.pair import (
    Pair,
    Side,
    first_legal,
    last_legal,
    messages_in,
)

# --- messages at moments when they cannot come


def refused(side: Side, data: bytes) -> str:
    side.peer.receive(data, 0.0)
    side.react()
    (error,) = side.errors
    side.send()
    assert side.said()[-1] == m.Bye(m.ByeReason.PROTOCOL, error.code)
    return error.code


OFFER = encode(m.Offer(m.RulesMap.of(STANDARD), bytes(32)))
ACCEPT = encode(m.Accept(bytes(32)))
DECLINE = encode(m.Decline(m.DeclineReason.USER, ""))
ENTRY = encode(m.Entry(b"\x80", bytes(64)))
CONCEDE = encode(m.Concede(0, bytes(32), m.ConcedeReason.TIME, bytes(64)))


@pytest.mark.parametrize("data", [ACCEPT, DECLINE, ENTRY, CONCEDE], ids=["a", "d", "e", "c"])
def test_without_an_offer_only_an_offer_is_expected(data: bytes) -> None:
    pair = Pair()
    pair.greet()
    assert refused(pair.host, data) == "unexpected"


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("data", [ENTRY, CONCEDE], ids=["entry", "concede"])
def test_an_offer_waits_for_its_answer_only(data: bytes, seat: Seat) -> None:
    pair = Pair()
    pair.greet()
    side = pair.sides[seat]
    side.offer(STANDARD)
    side.send()
    assert refused(side, data) == "unexpected"


@pytest.mark.parametrize("data", [OFFER, ACCEPT, DECLINE, ENTRY], ids=["o", "a", "d", "e"])
def test_nothing_follows_an_offer_before_its_answer(data: bytes) -> None:
    pair = Pair()
    pair.greet()
    pair.host.offer(STANDARD)
    pair.join.peer.receive(pair.host.send(), 0.0)
    assert refused(pair.join, data) == "unexpected"


@pytest.mark.parametrize("data", [OFFER, ACCEPT, DECLINE], ids=["offer", "accept", "decline"])
def test_no_offer_within_a_match(data: bytes) -> None:
    pair = Pair(persons=(True, True))
    pair.greet()
    pair.host.offer(STANDARD)
    for _ in range(5):
        pair.step()
    assert refused(pair.host, data) == "unexpected"
    assert pair.host.of_kind(events.Ended)[0].outcome == Outcome(Termination.ABANDONED, None)


@pytest.mark.parametrize("data", [ENTRY, CONCEDE, ACCEPT], ids=["entry", "concede", "accept"])
def test_nothing_more_after_a_match(data: bytes) -> None:
    pair = Pair()
    pair.play(STANDARD)
    ended = check(pair)
    assert refused(pair.join, data) == "unexpected"
    assert pair.join.of_kind(events.Ended) == [ended]


# --- offers that cross


THEIRS = replace(STANDARD, sets=1)
"""Rules of the dialler's offer, where it crosses one of the listener."""


def crossed() -> tuple[Pair, bytes, bytes]:
    """Both have offered before either has heard of it: the listener's offer, and the dialler's."""
    pair = Pair()
    pair.greet()
    pair.host.offer(STANDARD)
    pair.join.offer(THEIRS)
    return pair, pair.host.send(), pair.join.send()


@pytest.mark.parametrize("listener_first", [True, False])
def test_of_offers_that_cross_the_listeners_stands(listener_first: bool) -> None:
    pair, listeners, diallers = crossed()
    arrivals = [(pair.join, listeners), (pair.host, diallers)]
    for side, data in arrivals if listener_first else arrivals[::-1]:
        side.peer.receive(data, 0.0)
        side.react()
    pair.run()
    for side in pair.sides:
        (started,) = side.of_kind(events.Started)
        assert started.rules == STANDARD
    assert pair.host.of_kind(events.Offered) == []
    assert pair.join.of_kind(events.Offered) == [events.Offered(STANDARD)]
    assert (pair.host.peer.seat, pair.join.peer.seat) == (Seat.HOST, Seat.JOIN)
    check(pair)


@pytest.mark.parametrize("listener_first", [True, False])
def test_a_void_offer_can_be_made_again_when_the_other_is_declined(listener_first: bool) -> None:
    pair, listeners, diallers = crossed()
    if not listener_first:
        pair.host.peer.receive(diallers, 0.0)
    pair.join.peer.receive(listeners, 0.0)
    assert pair.join.peer.next_event() == events.Offered(STANDARD)
    pair.join.peer.decline(m.DeclineReason.RULES)
    pair.join.offer(THEIRS)
    if listener_first:
        pair.host.peer.receive(diallers, 0.0)
    pair.run()
    assert pair.host.of_kind(events.Declined) == [events.Declined("rules", "")]
    assert pair.host.of_kind(events.Offered) == [events.Offered(THEIRS)]
    assert [side.peer.seat for side in pair.sides] == [Seat.JOIN, Seat.HOST]
    check(pair)


def test_a_listener_ignores_one_offer_that_crosses_and_no_more() -> None:
    pair, _, diallers = crossed()
    pair.host.peer.receive(diallers, 0.0)
    assert pair.host.peer.next_event() is None
    assert pair.host.send() == b""
    assert refused(pair.host, OFFER) == "unexpected"


def test_offers_can_cross_again_and_again() -> None:
    pair = Pair()
    pair.greet()
    for _ in range(3):
        pair.host.offer(STANDARD)
        pair.join.offer(THEIRS)
        data = pair.host.send()
        pair.host.peer.receive(pair.join.send(), 0.0)
        pair.join.peer.receive(data, 0.0)
        assert pair.join.peer.next_event() == events.Offered(STANDARD)
        pair.join.peer.decline(m.DeclineReason.USER)
        pair.run()
    assert len(pair.host.of_kind(events.Declined)) == 3


@pytest.mark.parametrize("data", [OFFER, ACCEPT, DECLINE], ids=["offer", "accept", "decline"])
def test_a_void_offer_waits_for_no_answer(data: bytes) -> None:
    pair, listeners, _ = crossed()
    pair.join.peer.receive(listeners, 0.0)
    assert refused(pair.join, data) == "unexpected"


# --- several things in one piece


def before_the_last_open(now: float = 0.0) -> tuple[Pair, Side, Side, bytes]:
    """The match is over but for the loser's deck, which is on its way: the winner, the loser."""
    pair = in_match()
    loser, winner = thinker(pair)
    loser.thinking_about = None
    loser.peer.concede(now)
    winner.peer.receive(loser.send(), now)
    winner.react(now)
    loser.peer.receive(winner.send(), now)
    loser.react(now)
    return pair, winner, loser, loser.send()


def test_an_offer_may_come_in_one_piece_with_the_last_statement() -> None:
    pair, winner, loser, last = before_the_last_open()
    loser.offer(THEIRS)
    winner.peer.receive(last + loser.send(), 0.0)
    winner.react()
    kinds = [type(event) for event in winner.events]
    assert kinds[kinds.index(events.Ended) :][:3] == [events.Ended, events.Offered, events.Started]
    pair.run()
    assert len(winner.of_kind(events.Ended)) == len(loser.of_kind(events.Ended)) == 2
    assert winner.of_kind(events.Ended) == loser.of_kind(events.Ended)


@pytest.mark.parametrize(
    "then",
    [
        b"",
        encode(m.Pong(1)),
        encode(m.Chat("well played")),
        encode(m.Ping(3)) + OFFER,
        encode(m.Bye(m.ByeReason.DONE, "")),
        OFFER + encode(m.Bye(m.ByeReason.DONE, "")),
        OFFER + b"\xc1",
        OFFER + OFFER,
        ENTRY,
        CONCEDE,
        b"\xc1",
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_nothing_that_follows_the_last_statement_is_our_fault(then: bytes, late: bool) -> None:
    _, winner, _, last = before_the_last_open()
    if late:  # the pong that was asked for comes after what was due
        for now in (9.0, 18.0, 27.0):
            winner.peer.receive(encode(m.Chat("wait")), now)
        winner.peer.handle_timeout(30.0)
        assert [said for said, _ in messages_in(winner.send())] == [m.Ping(1)]
        last += encode(m.Pong(1))
    winner.peer.receive(last + then, 30.0)
    winner.react(30.0)
    (ended,) = winner.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.CONCESSION, winner.seat)
    assert ended.opened == (True, True)
    assert winner.of_kind(events.Closed) == []
    assert {error.code for error in winner.errors} <= {"unexpected", "garbage"}
    assert len(winner.errors) <= 1


# --- local misuse


def thinker(pair: Pair) -> tuple[Side, Side]:
    """The side that has the choice, and the other."""
    thinking = pair.host if pair.host.thinking_about else pair.join
    return thinking, pair.join if thinking is pair.host else pair.host


def local(do: Callable[[], object]) -> None:
    with pytest.raises(LocalError):
        do()


def test_nothing_can_be_said_before_the_greeting() -> None:
    side = Pair().host
    for do in (
        lambda: side.offer(STANDARD),
        side.accept,
        lambda: side.peer.decline(m.DeclineReason.USER),
        lambda: side.peer.act(Stand(), 0.0),
        lambda: side.peer.concede(0.0),
        lambda: side.peer.chat("x", 0.0),
    ):
        local(do)
    assert [type(message) for message, _ in messages_in(side.send())] == [m.Hello]


def test_nothing_but_an_offer_can_be_said_without_a_match() -> None:
    side = lobby().join
    for do in (
        side.accept,
        lambda: side.peer.decline(m.DeclineReason.USER),
        lambda: side.peer.act(Stand(), 0.0),
        lambda: side.peer.concede(0.0),
    ):
        local(do)
    assert side.send() == b""


def test_one_offer_at_a_time() -> None:
    pair = lobby()
    pair.host.offer(STANDARD)
    local(lambda: pair.host.offer(STANDARD))
    pair.join.peer.receive(pair.host.send(), 0.0)
    local(lambda: pair.join.offer(STANDARD))
    local(pair.host.accept)
    pair.join.react()
    for side in pair.sides:
        pair.step()
        local(partial(side.offer, STANDARD))


def test_acts_only_when_asked() -> None:
    pair = in_match()
    thinking, other = thinker(pair)
    local(lambda: other.peer.act(Stand(), 0.0))
    assert other.send() == b""
    assert thinking.send() == b""
    pair.run()
    check(pair)


def test_a_card_deck_that_is_not_legal_is_refused_and_harmless() -> None:
    pair = lobby()
    no_gold = replace(STANDARD, gold=False)
    with pytest.raises(DeckError):
        pair.host.offer(no_gold)
    assert pair.host.send() == b""
    pair.host.deck = DECKS["super"]
    pair.host.offer(no_gold)
    pair.join.peer.receive(pair.host.send(), 0.0)
    pair.join.peer.next_event()
    with pytest.raises(DeckError):
        pair.join.accept()
    assert pair.join.send() == b""
    pair.join.deck = parse_deck("+1 " * 10)
    pair.join.accept()
    pair.run()
    check(pair)


def test_conceding_once_and_only_while_it_matters() -> None:
    pair = in_match()
    thinking, other = thinker(pair)
    thinking.peer.concede(0.0)
    local(lambda: thinking.peer.concede(0.0))
    local(lambda: thinking.peer.act(Stand(), 0.0))
    other.peer.receive(thinking.send(), 0.0)
    other.react()
    local(lambda: other.peer.concede(0.0))  # the match is over, though not complete
    thinking.thinking_about = None
    pair.run()
    local(lambda: pair.host.peer.concede(0.0))
    check(pair)


@pytest.mark.parametrize("seat", list(Seat))
def test_conceding_once_also_before_both_have_committed(seat: Seat) -> None:
    pair = lobby()
    pair.host.offer(STANDARD)
    pair.join.peer.receive(pair.host.send(), 0.0)
    pair.join.react()
    if seat is Seat.HOST:
        pair.host.peer.receive(pair.join.send(), 0.0)
    side = pair.sides[seat]
    side.peer.concede(0.0)
    for reason in m.ConcedeReason:
        local(partial(side.peer.concede, 0.0, reason))
    pair.run()
    for ending in pair.sides:
        (ended,) = ending.of_kind(events.Ended)
        assert ended.outcome == Outcome(Termination.CONCESSION, seat.other)
        assert ended.opened == (True, True)
    assert [type(said) for said in side.said()].count(m.Concede) == 1
    side.offer(STANDARD)  # and in the next match it can be done again
    pair.sides[seat.other].peer.receive(side.send(), 0.0)
    pair.sides[seat.other].react()
    side.peer.receive(pair.sides[seat.other].send(), 0.0)
    side.peer.concede(0.0)
    local(partial(side.peer.concede, 0.0))


def test_nothing_can_be_said_after_goodbye() -> None:
    pair = in_match()
    side = pair.host
    side.peer.bye(m.ByeReason.INTERRUPTED, "enough")
    side.peer.bye(m.ByeReason.DONE)  # harmless
    for do in (
        lambda: side.offer(STANDARD),
        side.accept,
        lambda: side.peer.decline(m.DeclineReason.USER),
        lambda: side.peer.act(Stand(), 0.0),
        lambda: side.peer.concede(0.0),
        lambda: side.peer.chat("x", 0.0),
    ):
        local(do)
    data = side.send()
    assert [message for message, _ in messages_in(data)] == [
        m.Bye(m.ByeReason.INTERRUPTED, "enough")
    ]
    assert side.peer.next_deadline() is None
    side.peer.receive(encode(m.Chat("x")), 0.0)
    side.react()
    assert side.of_kind(events.Chatted) == []
    assert side.of_kind(events.Ended)[0].outcome == Outcome(Termination.ABANDONED, Seat.JOIN)


# --- our own player's illegal choices


def test_an_illegal_choice_leaves_the_choice_open() -> None:
    pair = Pair(persons=(True, True), choose=(first_legal, last_legal))
    pair.greet()
    pair.host.offer(STANDARD)
    refusals = 0
    while pair.step():
        for side, other in (pair.sides, pair.sides[::-1]):
            view = side.thinking_about
            if view is None:
                continue
            if data := side.send():
                other.peer.receive(data, 0.0)
            before = side.peer.state
            hand = view.state.hands[side.seat]
            others = [at for at in range(10) if at not in [card.position for card in hand]]
            wrong: list[Action] = [Pass()] if view.state.phase is Phase.ACT else [Stand()]
            wrong += [Play(at, Card.PLUS_1, 1) for at in others]
            wrong += [Play(c.position, c.card, 9) for c in hand if c.card and not c.card.gold]
            wrong += [Play(c.position, Card.MINUS_6, -6) for c in hand]
            for action in wrong:
                if action in legal_actions(view.state):
                    continue
                with pytest.raises(RuleError):
                    side.peer.act(action, 0.0)
                refusals += 1
            assert side.peer.state == before
            assert side.send() == b""
    check(pair)
    assert refusals > 100
