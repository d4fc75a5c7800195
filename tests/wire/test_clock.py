"""Every deadline to the exact moment. Time is an argument: nothing here waits."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import (
    DECKS,
    Action,
    End,
    Leave,
    Outcome,
    Phase,
    Rules,
    Seat,
    Stand,
    Termination,
    Tiebreaker,
    View,
    legal_actions,
)
from pazaak_p2p.wire import cheats, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Flood, Silent
from tests.verifier import verify
from tests.wire.agreement import STANDARD, cautious, check
from tests.wire.pair import Pair, Side, at_random, last_legal, messages_in, objects_in

TIMED = replace(STANDARD, turn_seconds=60)


def greeted(now: float = 0.0) -> Pair:
    pair = Pair(persons=(True, True))
    pair.run(now)
    return pair


def thinking(rules: Rules, now: float = 0.0) -> tuple[Side, Side]:
    """A match at the moment at which somebody begins to think: who, and the other."""
    pair = Pair(persons=(True, True))
    pair.run(now)
    pair.host.offer(rules, now)
    while not any(side.thinking_about for side in pair.sides):
        assert pair.step(now)
    thinker, other = pair.sides if pair.host.thinking_about else pair.sides[::-1]
    if data := thinker.send():  # the share that shows it its card
        other.peer.receive(data, now)
        other.react(now)
    return thinker, other


def messages_of(side: Side) -> list[m.Message]:
    return [message for message, _ in messages_in(side.send())]


def ticks(side: Side, at: float) -> None:
    """The deadline is exactly *at*: nothing before, and handled then."""
    assert side.peer.next_deadline() == at
    side.peer.handle_timeout(at - 0.001)
    assert side.send() == b""
    assert side.peer.next_deadline() == at
    side.peer.handle_timeout(at)
    side.react(at)


def keep_alive(side: Side, now: float) -> None:
    """The other side is there, but says nothing of the match."""
    side.peer.receive(encode(m.Ping(7)), now)
    assert messages_of(side) == [m.Pong(7)]


def silent(side: Side) -> None:
    (error,) = side.errors
    assert type(error) is Silent
    assert error.exit_code is Exit.PEER_LOST
    assert messages_of(side)[-1] == m.Bye(m.ByeReason.TIMEOUT, "silent")
    assert side.peer.next_deadline() is None


# --- the greeting: 10 seconds from the start


@pytest.mark.parametrize("start", [0.0, 1000.5, -3.0])
def test_the_greeting_has_10_seconds(start: float) -> None:
    side = Side(Seat.HOST, "clock", DECKS["easy"], at_random(0), now=start)
    side.send()
    ticks(side, start + 10)
    silent(side)


def test_bytes_that_trickle_in_do_not_prolong_the_greeting() -> None:
    pair = Pair()
    hello = pair.join.send()
    pair.host.send()
    for i, byte in enumerate(hello[:18]):
        pair.host.peer.receive(bytes([byte]), i * 0.5)
        assert pair.host.peer.next_deadline() == 10.0
    ticks(pair.host, 10.0)
    silent(pair.host)


def test_a_hello_without_a_proof_does_not_prolong_the_greeting() -> None:
    pair = Pair()
    pair.host.peer.receive(pair.join.send(), 9.0)
    pair.host.send()
    ticks(pair.host, 10.0)
    silent(pair.host)


# --- keep-alive: asked after 10 seconds of silence, given up after 30


def test_a_ping_after_10_seconds_and_the_end_after_30() -> None:
    side = greeted(5.0).host
    ticks(side, 15.0)
    assert messages_of(side) == [m.Ping(1)]
    ticks(side, 35.0)
    silent(side)
    assert side.peer.last_heard == 5.0


def test_any_byte_is_a_sign_of_life() -> None:
    side = greeted().host
    part = encode(m.Chat("not finished"))[:-1]
    for i, byte in enumerate(part):
        side.peer.receive(bytes([byte]), 9.0 * (i + 1))
        assert side.peer.next_deadline() == 9.0 * (i + 1) + 10
        assert side.peer.last_heard == 9.0 * (i + 1)


@pytest.mark.parametrize("delay", [0.0, 0.25, 19.5])
def test_a_pong_gives_the_round_trip_and_the_next_ping(delay: float) -> None:
    side = greeted().host
    for n, at in ((1, 10.0), (2, 20.0 + delay)):
        ticks(side, at)
        assert messages_of(side) == [m.Ping(n)]
        assert side.peer.next_deadline() == at + 20
        side.peer.receive(encode(m.Pong(n)), at + delay)
        assert side.peer.rtt == delay
        assert side.peer.next_deadline() == at + delay + 10


def test_without_a_ping_no_round_trip_is_known() -> None:
    assert greeted().host.peer.rtt is None


def test_two_idle_peers_stay_together() -> None:
    pair = greeted()
    now = 0.0
    for _ in range(50):
        deadlines = [side.peer.next_deadline() for side in pair.sides]
        now = min(at for at in deadlines if at is not None)
        for side in pair.sides:
            side.peer.handle_timeout(now)
        pair.run(now)
    assert now == 500.0


# --- an offer: 120 seconds


def test_an_offer_has_120_seconds() -> None:
    pair = greeted()
    pair.host.offer(STANDARD, 3.0)
    pair.host.send()
    for second in range(9, 120, 9):
        keep_alive(pair.host, float(second))
    ticks(pair.host, 123.0)
    silent(pair.host)


def test_who_has_to_answer_an_offer_has_all_time() -> None:
    pair = greeted()
    pair.host.offer(STANDARD)
    pair.join.peer.receive(pair.host.send(), 0.0)
    for now in range(0, 1000, 9):
        keep_alive(pair.join, float(now))
        assert pair.join.peer.next_deadline() == now + 10
    pair.join.accept(1000.0)


def test_after_a_refusal_nothing_is_waited_for() -> None:
    pair = greeted()
    pair.host.offer(STANDARD)
    pair.host.send()
    pair.host.peer.receive(encode(m.Decline(m.DeclineReason.USER, "")), 119.0)
    assert pair.host.peer.next_deadline() == 129.0
    keep_alive(pair.host, 125.0)
    assert pair.host.peer.next_deadline() == 135.0


# --- statements: 30 seconds, for what nobody has to think about


def committing(now: float) -> Pair:
    """The host has offered, and the joiner has accepted."""
    pair = greeted()
    pair.host.offer(STANDARD, now)
    pair.join.peer.receive(pair.host.send(), now)
    pair.join.react(now)
    return pair


@pytest.mark.parametrize("seat", list(Seat))
def test_a_commit_has_30_seconds(seat: Seat) -> None:
    pair = committing(2.0)
    if seat is Seat.HOST:
        waiting = pair.join
        waiting.send()
    else:
        waiting = pair.host
        waiting.peer.receive(pair.join.send(), 2.0)
        waiting.react(2.0)
        waiting.send()
    for now in (10.0, 19.0, 28.0):
        keep_alive(waiting, now)
    ticks(waiting, 32.0)
    (error,) = waiting.errors
    assert type(error) is cheats.WillNotReveal
    assert (error.seat, error.entry) == (seat, 1 if seat is Seat.JOIN else 0)
    assert waiting.of_kind(events.Ended)[0].outcome == Outcome(Termination.CHEAT, waiting.seat)
    assert messages_of(waiting) == [m.Bye(m.ByeReason.CHEAT, "will-not-reveal")]
    assert verify(bytes(waiting.record)).cheat is None


def test_a_reveal_has_30_seconds_from_the_act_before_it() -> None:
    thinker, other = thinking(STANDARD)
    for second in range(9, 100, 9):
        keep_alive(thinker, float(second))
    thinker.peer.act(End(), 100.0)
    thinker.send()
    for now in (105.0, 114.0, 123.0):
        keep_alive(thinker, now)
    ticks(thinker, 130.0)
    (error,) = thinker.errors
    assert type(error) is cheats.WillNotReveal
    assert error.seat is other.seat


def test_a_dead_line_is_silence_and_not_a_cheat() -> None:
    thinker, _ = thinking(STANDARD)
    thinker.peer.act(End(), 0.0)
    thinker.send()
    ticks(thinker, 10.0)
    assert messages_of(thinker) == [m.Ping(1)]
    ticks(thinker, 30.0)
    silent(thinker)
    assert thinker.of_kind(events.Ended)[0].outcome == Outcome(Termination.ABANDONED, None)


def test_nobody_waits_for_a_choice_without_turn_seconds() -> None:
    thinker, other = thinking(STANDARD)
    for side in (thinker, other):
        for now in range(9, 2000, 9):
            keep_alive(side, float(now))
            assert side.peer.next_deadline() == now + 10


@pytest.mark.parametrize("floor", [True, False])
def test_the_winners_open_has_30_seconds_after_a_concession(floor: bool) -> None:
    thinker, other = thinking(STANDARD)
    side = thinker if floor else other
    side.peer.concede(4.0)
    side.send()
    for now in (9.0, 18.0, 27.0):
        keep_alive(side, now)
    ticks(side, 34.0)
    (error,) = side.errors
    assert type(error) is cheats.WillNotOpen
    assert error.seat is side.seat.other
    assert side.of_kind(events.Ended)[0].outcome == Outcome(Termination.CHEAT, side.seat)


def test_a_losers_open_has_30_seconds_too() -> None:
    thinker, other = thinking(STANDARD)
    thinker.peer.concede(1.0)
    other.peer.receive(thinker.send(), 1.0)
    other.react(1.0)
    other.send()
    for now in (9.0, 18.0, 27.0):
        keep_alive(other, now)
    ticks(other, 31.0)
    assert other.errors == []
    (ended,) = other.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.CONCESSION, other.seat)
    assert other.events[-1] == events.Closed()
    assert messages_of(other) == [m.Bye(m.ByeReason.DONE, "")]
    assert objects_in(bytes(other.record))[-1]["code"] == "will-not-open"


# --- turn_seconds


def alive(sides: tuple[Side, Side], first: float, last: float) -> None:
    """Both hear of the other every five seconds."""
    now = first
    while now < last:
        for side in sides:
            keep_alive(side, now)
        now += 5


def test_R21_our_own_time_runs_out() -> None:
    thinker, other = thinking(TIMED)
    alive((thinker, other), 5.0, 60.0)
    ticks(thinker, 60.0)
    (said,) = messages_of(thinker)
    assert isinstance(said, m.Concede)
    assert said.reason is m.ConcedeReason.TIME
    other.peer.receive(thinker.sent[-1], 60.0)
    other.react(60.0)
    thinker.peer.receive(other.send(), 60.0)
    thinker.react(60.0)
    other.peer.receive(thinker.send(), 60.0)
    other.react(60.0)
    for side in (thinker, other):
        (ended,) = side.of_kind(events.Ended)
        assert ended.outcome == Outcome(Termination.TIME, other.seat)
        assert ended.opened == (True, True)
        assert side.of_kind(events.Moved)[-1].input == Leave(thinker.seat, Termination.TIME)


def test_R21_the_other_sides_time_has_10_seconds_more() -> None:
    _, other = thinking(TIMED)
    for now in range(9, 64, 9):
        keep_alive(other, float(now))
    keep_alive(other, 65.0)
    ticks(other, 70.0)
    assert other.errors == []
    (ended,) = other.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.TIME, other.seat)
    assert other.events[-1] == events.Closed()
    assert messages_of(other) == [m.Bye(m.ByeReason.TIMEOUT, "turn_seconds")]
    end = objects_in(bytes(other.record))[-1]
    assert (end["termination"], end["winner"], end["code"]) == (
        "time",
        other.seat,
        "turn_seconds",
    )
    verdict = verify(bytes(other.record))
    assert verdict.problem == ""
    assert verdict.cheat is None


def test_R21_a_late_but_honest_act_within_the_10_seconds_counts() -> None:
    thinker, other = thinking(TIMED)
    for now in range(9, 70, 9):
        keep_alive(other, float(now))
    thinker.peer.act(End(), 59.9)
    other.peer.receive(thinker.send(), 69.9)
    other.react(69.9)
    assert other.of_kind(events.Ended) == []
    assert other.errors == []


def test_R21_all_acts_of_a_turn_share_one_clock() -> None:
    thinker, other = thinking(TIMED)
    assert thinker.thinking_about is not None
    card = next(
        action
        for action in legal_actions(thinker.thinking_about.state)
        if thinker.thinking_about.total + getattr(action, "value", 0) < 20
    )
    thinker.peer.act(card, 50.0)
    other.peer.receive(thinker.send(), 50.0)
    other.react(50.0)
    thinker.react(50.0)
    assert len(thinker.of_kind(events.Choose)) == 2
    for side in (thinker, other):
        keep_alive(side, 55.0)
    assert thinker.peer.next_deadline() == 60.0
    keep_alive(other, 62.0)
    assert other.peer.next_deadline() == 70.0


def test_R21_every_turn_has_a_clock_of_its_own() -> None:
    thinker, other = thinking(TIMED)
    thinker.peer.act(End(), 50.0)
    other.peer.receive(thinker.send(), 50.0)
    other.react(50.0)
    thinker.peer.receive(other.send(), 51.0)
    thinker.react(51.0)
    assert other.thinking_about is not None
    for side in (thinker, other):
        for now in range(60, 105, 5):
            keep_alive(side, float(now))
    assert other.peer.next_deadline() == 110.0  # it has its card since 50
    for side in (thinker, other):
        keep_alive(side, 105.0)
    keep_alive(thinker, 114.0)
    assert thinker.peer.next_deadline() == 121.0


def end_turn(view: View) -> Action:
    return legal_actions(view.state)[-2]


def tied() -> tuple[Side, float]:
    """Somebody is asked at a tie (R17) right after its own turn; who, and since when."""
    rules = replace(TIMED, tiebreaker=Tiebreaker.AT_TIE, sets=9)
    for seed in range(200):
        pair = Pair(
            f"tied {seed}",
            (DECKS["balanced"], DECKS["balanced"]),
            (cautious(seed), cautious(-seed)),
            persons=(True, True),
        )
        pair.run()
        pair.host.offer(rules)
        now = 0.0
        while pair.step(now):
            for side in pair.sides:
                side.react(now)
                view = side.thinking_about
                if view is None or view.state.phase is not Phase.TIE:
                    continue
                last = side.of_kind(events.Moved)[-1]
                if last.seat is side.seat and isinstance(last.input, Stand):
                    side.send()
                    return side, now
            now += 0.5
    raise AssertionError


def test_R21_the_question_at_a_tie_has_a_clock_of_its_own() -> None:
    asked, since = tied()
    for i in range(1, 12):
        keep_alive(asked, since + 5 * i)
    assert asked.peer.next_deadline() == since + 60


def test_every_share_has_30_seconds_of_its_own() -> None:
    # R12: against a standing player the other takes turn after turn, and each of its entries,
    # [reveal, end], leaves the same thing due as the one before.
    for seed in range(100):
        pair = Pair(f"turns {seed}", (DECKS["easy"], DECKS["easy"]), (last_legal, end_turn))
        pair.run()
        pair.host.offer(STANDARD)
        now, turns = 0.0, 0
        while turns < 3 and pair.step(now):
            state = pair.host.peer.state
            waiting = state is not None and state.stood[0] and state.phase is Phase.DRAW
            turns = turns + 1 if waiting else 0
            now += 14.0
        if turns < 3:
            continue
        now -= 14.0  # since then the joiner's share is due
        pair.host.send()
        for second in (9.0, 18.0, 27.0):
            keep_alive(pair.host, now + second)
        ticks(pair.host, now + 30)
        (error,) = pair.host.errors
        assert type(error) is cheats.WillNotReveal
        return
    raise AssertionError("no such match")


# --- budgets


FLOODS: dict[str, Callable[[int], m.Message]] = {
    "pings": m.Ping,
    "pongs": lambda i: m.Pong(i + 1000),
    "chats": lambda i: m.Chat(str(i)),
    "all kinds": lambda i: (m.Ping(i), m.Pong(i), m.Chat("x"))[i % 3],
}


def send_in(side: Side, make: Callable[[int], m.Message], n: int, now: float) -> None:
    side.peer.receive(b"".join(encode(make(i)) for i in range(n)), now)
    side.react(now)


@pytest.mark.parametrize("make", FLOODS.values(), ids=FLOODS)
def test_20_are_fine_and_21_are_a_flood(make: Callable[[int], m.Message]) -> None:
    side = greeted().host
    send_in(side, make, 20, 0.0)
    assert side.errors == []
    send_in(side, make, 1, 0.0)
    (error,) = side.errors
    assert type(error) is Flood
    assert messages_of(side)[-1] == m.Bye(m.ByeReason.PROTOCOL, "flood")


@pytest.mark.parametrize("make", FLOODS.values(), ids=FLOODS)
def test_the_budget_refills_by_one_a_second(make: Callable[[int], m.Message]) -> None:
    side = greeted().host
    send_in(side, make, 20, 0.0)
    for now in range(1, 100):
        send_in(side, make, 1, float(now))
    assert side.errors == []
    send_in(side, make, 1, 99.5)
    assert [type(error) for error in side.errors] == [Flood]


def test_the_budget_does_not_grow_beyond_20() -> None:
    side = greeted().host
    for now in range(9, 900, 9):
        keep_alive(side, float(now))
    send_in(side, m.Ping, 20, 1000.0)
    assert side.errors == []
    send_in(side, m.Ping, 1, 1000.0)
    assert [type(error) for error in side.errors] == [Flood]


def test_a_pong_that_was_asked_for_is_free_once() -> None:
    side = greeted().host
    side.peer.handle_timeout(10.0)
    send_in(side, m.Ping, 20, 10.0)
    side.peer.receive(encode(m.Pong(1)), 10.0)
    assert side.peer.next_event() is None
    side.peer.receive(encode(m.Pong(1)), 10.0)
    side.react(10.0)
    assert [type(error) for error in side.errors] == [Flood]


# --- no clock of its own


def test_no_clock_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> float:
        raise AssertionError("somebody looked at a clock")

    for name in ("time", "monotonic", "perf_counter", "time_ns", "monotonic_ns"):
        monkeypatch.setattr(time, name, read)
    pair = Pair(choose=(at_random(1), at_random(2)))
    pair.play(TIMED)
    monkeypatch.undo()
    check(pair)


@pytest.mark.parametrize("start", [-1e6, 0.0, 1e9])
def test_the_match_does_not_depend_on_the_time(start: float) -> None:
    pair = Pair(choose=(at_random(1), at_random(2)))
    pair.run(start)
    pair.host.offer(TIMED, start)
    pair.run(start)
    same = Pair(choose=(at_random(1), at_random(2)))
    same.play(TIMED)
    assert pair.host.record == same.host.record
    assert check(pair) == check(same)


def test_timeouts_after_the_end_do_nothing() -> None:
    side = greeted().host
    side.peer.bye(m.ByeReason.DONE)
    side.send()
    assert side.peer.next_deadline() is None
    side.peer.handle_timeout(1e9)
    side.react()
    assert side.send() == b""
    assert side.errors == []
