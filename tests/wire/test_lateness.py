"""Who is late is asked whether it is there, and only its answer convicts (section 10, being late).

Every moment is exact; the other side is the package's own peer, so what it would have said is at
hand, to come too late, just in time, or after this machine has slept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import (
    DECKS,
    Action,
    End,
    Leave,
    Outcome,
    Phase,
    Play,
    Seat,
    Stand,
    Termination,
    Tiebreaker,
    View,
    legal_actions,
)
from pazaak_p2p.wire import cheats, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.clock import Alarm, Deadline, Watch
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.errors import Silent
from pazaak_p2p.wire.terms import Due, Kind
from tests.cheating import HONEST, Cheater
from tests.verifier import verify
from tests.wire.agreement import STANDARD, cautious
from tests.wire.caught import BY_CODE
from tests.wire.pair import Pair, Side, last_legal, messages_in, objects_in
from tests.wire.timing import (
    NOBODY,
    TIMED,
    alive,
    asks,
    greeted,
    keep_alive,
    messages_of,
    silent,
    take,
    thinking,
    ticks,
)


class Late(NamedTuple):
    """A side for which something will be late, and what does not come."""

    side: Side
    at: float
    """When it is late."""
    comes: bytes
    """What the other side has said meanwhile; it is still on its way."""
    code: str
    """The cheat that it would be, or ``turn_seconds``."""
    convicted: Outcome
    """The outcome if the other side turns out to be there."""
    silent: Outcome = NOBODY
    """The outcome if it does not."""


def committing() -> Pair:
    """The host has offered, and the joiner has accepted."""
    pair = greeted()
    pair.host.offer(STANDARD, 2.0)
    take(pair.join, pair.host.send(), 2.0)
    return pair


def commit_of_the_host() -> Late:
    pair = committing()
    take(pair.host, pair.join.send(), 2.0)
    alive(pair.join, 2.0, 32.0)
    won = Outcome(Termination.CHEAT, Seat.JOIN)
    return Late(pair.join, 32.0, pair.host.send(), "will-not-reveal", won)


def commit_of_the_joiner() -> Late:
    pair = committing()
    take(pair.host, pair.join.send(), 2.0)
    take(pair.join, pair.host.send(), 2.0)
    alive(pair.host, 2.0, 32.0)
    won = Outcome(Termination.CHEAT, Seat.HOST)
    return Late(pair.host, 32.0, pair.join.send(), "will-not-reveal", won)


def reveal() -> Late:
    thinker, other = thinking(STANDARD)
    thinker.peer.act(End(), 4.0)
    take(other, thinker.send(), 4.0)
    alive(thinker, 4.0, 34.0)
    won = Outcome(Termination.CHEAT, thinker.seat)
    return Late(thinker, 34.0, other.send(), "will-not-reveal", won)


def act() -> Late:
    thinker, other = thinking(TIMED)
    alive(other, 0.0, 70.0)
    thinker.peer.act(End(), 59.0)
    won = Outcome(Termination.TIME, other.seat)
    return Late(other, 70.0, thinker.send(), "turn_seconds", won)


def open_of_the_winner(floor: bool) -> Late:
    thinker, other = thinking(STANDARD)
    side, winner = (thinker, other) if floor else (other, thinker)
    side.peer.concede(4.0)
    take(winner, side.send(), 4.0)
    alive(side, 4.0, 34.0)
    won = Outcome(Termination.CHEAT, side.seat)
    # Its own concession stands, if the other side does not answer any more.
    lost = Outcome(Termination.CONCESSION, winner.seat)
    return Late(side, 34.0, winner.send(), "will-not-open", won, lost)


def open_of_the_loser() -> Late:
    thinker, other = thinking(STANDARD)
    thinker.peer.concede(4.0)
    take(other, thinker.send(), 4.0)
    take(thinker, other.send(), 4.0)
    alive(other, 4.0, 34.0)
    won = Outcome(Termination.CONCESSION, other.seat)  # in any case: it has lost already
    return Late(other, 34.0, thinker.send(), "will-not-open", won, won)


LATE: dict[str, Callable[[], Late]] = {
    "commit of the host": commit_of_the_host,
    "commit of the joiner": commit_of_the_joiner,
    "reveal": reveal,
    "act": act,
    "open after our concession, our floor": lambda: open_of_the_winner(floor=True),
    "open after our concession, their floor": lambda: open_of_the_winner(floor=False),
    "open of the loser": open_of_the_loser,
}
every = pytest.mark.parametrize("make", LATE.values(), ids=LATE)


def check_convicted(late: Late) -> None:
    """All that follows once the other side has shown that it is there."""
    side = late.side
    (ended,) = side.of_kind(events.Ended)
    assert ended.outcome == late.convicted
    end = objects_in(bytes(side.record))[-1]
    assert (end["termination"], end["winner"], end["code"]) == (
        late.convicted.termination.value,
        side.seat,
        late.code,
    )
    if late.convicted.termination is Termination.CHEAT:
        (error,) = side.errors
        assert type(error) is BY_CODE[late.code]
        assert isinstance(error, cheats.Cheat)
        assert error.seat is side.seat.other
        assert error.entry == sum(o["t"] == "entry" for o in objects_in(bytes(side.record)))
        assert "record" in error.why
        bye = m.Bye(m.ByeReason.CHEAT, late.code)
    else:
        assert side.errors == []
        assert side.events[-1] == events.Closed()
        time = late.code == "turn_seconds"
        bye = m.Bye(m.ByeReason.TIMEOUT, late.code) if time else m.Bye(m.ByeReason.DONE, "")
    assert side.peer.next_deadline() is None
    assert side.said()[-1] == bye
    assert [type(said) for said in side.said()].count(m.Bye) == 1
    verdict = verify(bytes(side.record))
    assert verdict.cheat is None
    assert verdict.problem == ""


def check_silent(late: Late) -> None:
    """All that follows if it has not: nobody is accused."""
    side = late.side
    silent(side)
    (ended,) = side.of_kind(events.Ended)
    assert ended.outcome == late.silent
    assert objects_in(bytes(side.record))[-1]["code"] == "silent"
    assert verify(bytes(side.record)).clean


def check_unharmed(late: Late, now: float) -> None:
    """What was due has come: the match goes on, and nothing is late any more."""
    side = late.side
    side.send()
    assert side.errors == []
    assert side.of_kind(events.Closed) == []
    over = late.code == "will-not-open"
    assert len(side.of_kind(events.Ended)) == over
    if over:
        assert side.of_kind(events.Ended)[0].outcome.termination is Termination.CONCESSION
    # The question is dropped with what it was about: the next deadlines are those of the line.
    keep_alive(side, now)
    assert side.peer.next_deadline() == now + 10


# --- what convicts, and what does not


@every
@pytest.mark.parametrize("delay", [0.0, 0.5, 29.9])
def test_its_own_pong_convicts(make: Callable[[], Late], delay: float) -> None:
    late = make()
    pong = asks(late.side, late.at)
    if delay > 5:
        keep_alive(late.side, late.at + delay - 1)
    take(late.side, encode(pong), late.at + delay)
    late.side.send()
    check_convicted(late)


@every
def test_other_signs_of_life_convict_nobody(make: Callable[[], Late]) -> None:
    late = make()
    side, at = late.side, late.at
    pong = asks(side, at)
    for n in (0, pong.n - 1, pong.n + 1, 2**32 - 1):
        take(side, encode(m.Pong(n)), at + 1)
    take(side, encode(m.Chat("wait")), at + 2)
    keep_alive(side, at + 11)
    take(side, encode(m.Chat("wait")), at + 15)
    assert side.of_kind(events.Closed) == []
    assert side.errors == []
    # There is no other ping meanwhile: the pong of this one decides.
    ticks(side, at + 30)
    check_silent(late)


@every
def test_without_an_answer_it_is_silent_after_30_seconds(make: Callable[[], Late]) -> None:
    late = make()
    side, at = late.side, late.at
    asks(side, at)
    keep_alive(side, at + 9)
    keep_alive(side, at + 29.9)
    ticks(side, at + 30)
    check_silent(late)
    take(side, encode(m.Pong(1)) + late.comes, at + 31)  # too late for anything
    assert side.send() == b""


@every
def test_a_line_that_is_dead_after_a_crossing_chat_is_silence(make: Callable[[], Late]) -> None:
    late = make()
    side, at = late.side, late.at
    take(side, encode(m.Chat("hurry up")), at - 0.5)
    asks(side, at)
    ticks(side, at + 29.5)  # 30 seconds after the last message
    check_silent(late)


def test_a_line_that_is_dead_from_the_start_is_silence() -> None:
    thinker, _ = thinking(STANDARD)
    thinker.peer.act(End(), 0.0)
    thinker.send()
    ticks(thinker, 10.0)
    assert messages_of(thinker) == [m.Ping(1)]
    thinker.peer.handle_timeout(30.0)
    thinker.react(30.0)
    silent(thinker)
    assert thinker.of_kind(events.Ended)[0].outcome == NOBODY


# --- what was due comes after all


@every
def test_what_comes_before_the_pong_counts(make: Callable[[], Late]) -> None:
    late = make()
    pong = asks(late.side, late.at)
    take(late.side, late.comes, late.at + 20)
    late.side.send()
    take(late.side, encode(pong), late.at + 21)
    check_unharmed(late, late.at + 22)


@every
def test_also_in_one_piece_with_the_pong(make: Callable[[], Late]) -> None:
    late = make()
    pong = asks(late.side, late.at)
    take(late.side, late.comes + encode(pong), late.at + 20)
    check_unharmed(late, late.at + 21)


@every
def test_what_comes_after_the_pong_does_not(make: Callable[[], Late]) -> None:
    late = make()
    pong = asks(late.side, late.at)
    take(late.side, encode(pong) + late.comes + encode(m.Chat("sorry")), late.at + 20)
    late.side.send()
    check_convicted(late)
    assert late.side.of_kind(events.Chatted) == []


@every
@pytest.mark.parametrize("slept", [0.0, 1.5, 15.0])
def test_a_machine_that_slept_accuses_nobody(make: Callable[[], Late], slept: float) -> None:
    # It wakes long after the moment, with what was due unread, and looks at the clock first.
    late = make()
    side, now = late.side, late.at + slept
    while (deadline := side.peer.next_deadline()) is not None and deadline <= now:
        side.peer.handle_timeout(now)
        side.react(now)
        if any(isinstance(said, m.Ping) for said in messages_of(side)) and slept > 10:
            break
    take(side, late.comes, now)
    check_unharmed(late, now + 1)


@every
def test_a_machine_that_slept_for_minutes_accuses_nobody_either(make: Callable[[], Late]) -> None:
    late = make()
    side, now = late.side, late.at + 600
    while side.peer.next_deadline() is not None:
        side.peer.handle_timeout(now)
        side.react(now)
    check_silent(late)


@every
def test_nothing_is_asked_a_moment_before(make: Callable[[], Late]) -> None:
    late = make()
    late.side.peer.handle_timeout(late.at - 0.001)
    assert late.side.send() == b""
    take(late.side, late.comes, late.at - 0.001)
    check_unharmed(late, late.at)


# --- how an honest side answers


def order(side: Side) -> list[str]:
    """What a side says now: kinds of message, and of entries what they say."""
    return [
        " ".join(type(said).__name__ for said in read_body(message.body).say)
        if isinstance(message, m.Entry)
        else type(message).__name__
        for message in messages_of(side)
    ]


@pytest.mark.parametrize("first", ["entry", "ping"])
def test_a_pong_comes_after_all_that_was_due(first: str) -> None:
    # After a stall an entry and the question why it is not answered arrive in one piece.
    thinker, other = thinking(STANDARD)
    other.person = False
    thinker.peer.act(End(), 0.0)
    pieces = [thinker.send(), encode(m.Ping(1))]
    take(other, b"".join(pieces if first == "entry" else pieces[::-1]), 33.0)
    *said, pong = order(other)
    assert pong == "Pong"
    assert said == [" ".join(said)]  # and the ping changes nothing in how entries are closed
    assert said[0].startswith("Reveal ")


def test_an_opened_deck_comes_before_the_pong_too() -> None:
    thinker, other = thinking(STANDARD)
    thinker.peer.concede(0.0)
    take(other, thinker.send() + encode(m.Ping(1)), 33.0)
    assert order(other) == ["Open", "Pong"]


def test_a_slow_line_convicts_nobody_that_answers_at_once() -> None:
    # Everything takes 14 seconds each way, and both look at the clock whenever they can.
    pair = Pair(choose=(last_legal, last_legal))
    pair.run()
    pair.host.offer(replace(STANDARD, turn_seconds=5))
    on_the_way: list[tuple[float, Side, bytes]] = []
    for half_seconds in range(4000):
        now = half_seconds / 2
        while on_the_way and on_the_way[0][0] <= now:
            _, target, data = on_the_way.pop(0)
            take(target, data, now)
        for side, other in (pair.sides, pair.sides[::-1]):
            if (at := side.peer.next_deadline()) is not None and at <= now:
                side.peer.handle_timeout(now)
            side.react(now)
            if data := side.send():
                on_the_way.append((now + 14.0, other, data))
        if all(side.of_kind(events.Ended) for side in pair.sides):
            break
    for side in pair.sides:
        assert side.errors == []
        (ended,) = side.of_kind(events.Ended)
        assert ended.outcome.termination is Termination.NORMAL


# --- each thing that is due has its own time


def test_a_reveal_after_a_commit_has_30_seconds_of_its_own() -> None:
    side = Side(Seat.HOST, "split", DECKS["easy"], last_legal)
    cheater = Cheater(
        Seat.JOIN, HONEST, rules=STANDARD, deck=DECKS["hard"], seed="split", split=True
    )
    for _ in range(2):
        take(side, cheater.send(), 0.0)
        cheater.receive(side.send())
    side.offer(STANDARD)
    cheater.receive(side.send())
    take(side, cheater.send(), 0.0)  # the acceptance
    cheater.receive(side.send())
    commit, reveal = (exact for _, exact in messages_in(cheater.send()))
    alive(side, 0.0, 29.0)
    take(side, commit, 29.0)
    alive(side, 29.0, 59.0)
    pong = asks(side, 59.0)
    take(side, reveal + encode(pong), 60.0)
    assert side.errors == []


def test_an_open_has_30_seconds_from_our_concession_whatever_was_due_before() -> None:
    thinker, _ = thinking(STANDARD)
    thinker.peer.act(End(), 0.0)  # the other's share is due now
    thinker.send()
    alive(thinker, 0.0, 20.0)
    thinker.peer.concede(20.0)
    thinker.send()
    alive(thinker, 18.0, 50.0)
    asks(thinker, 50.0)


def test_an_open_has_30_seconds_from_their_concession_whatever_was_due_before() -> None:
    thinker, other = thinking(STANDARD)
    thinker.peer.act(End(), 0.0)
    thinker.send()
    alive(thinker, 0.0, 20.0)
    other.peer.concede(20.0)
    take(thinker, other.send(), 20.0)
    thinker.send()
    alive(thinker, 20.0, 50.0)
    ticks(thinker, 50.0)
    assert [type(said) for said in messages_of(thinker)] == [m.Ping]


def test_what_crosses_a_concession_does_not_prolong_the_time_for_the_open() -> None:
    pair = greeted()
    pair.host.offer(STANDARD)
    while not pair.host.thinking_about:
        assert pair.step()
    other, crossing = pair.join, pair.host.send()  # the share that completes a lot
    other.peer.concede(4.0)
    other.send()
    alive(other, 4.0, 20.0)
    lots = other.peer.lots_checked
    take(other, crossing, 20.0)
    assert other.peer.lots_checked == lots + 1
    alive(other, 20.0, 34.0)
    asks(other, 34.0)


def end_turn(view: View) -> Action:
    return legal_actions(view.state)[-2]


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
        alive(pair.host, now, now + 30)
        pong = asks(pair.host, now + 30)
        take(pair.host, encode(pong), now + 30)
        (error,) = pair.host.errors
        assert type(error) is cheats.WillNotReveal
        return
    raise AssertionError("no such match")


# --- turn_seconds


def test_R21_our_own_time_runs_out() -> None:
    thinker, other = thinking(TIMED)
    for side in (thinker, other):
        alive(side, 0.0, 60.0)
    ticks(thinker, 60.0)
    (said,) = messages_of(thinker)
    assert isinstance(said, m.Concede)
    assert said.reason is m.ConcedeReason.TIME
    take(other, thinker.sent[-1], 60.0)
    take(thinker, other.send(), 60.0)
    take(other, thinker.send(), 60.0)
    for side in (thinker, other):
        (ended,) = side.of_kind(events.Ended)
        assert ended.outcome == Outcome(Termination.TIME, other.seat)
        assert ended.opened == (True, True)
        assert side.of_kind(events.Moved)[-1].input == Leave(thinker.seat, Termination.TIME)


def test_R21_the_clock_of_the_turn_can_be_seen_on_both_sides() -> None:
    thinker, other = thinking(TIMED, 5.0)
    assert thinker.seat is not None
    for side in (thinker, other):
        assert side.peer.turn_clock == (thinker.seat, 65.0)
    thinker.peer.act(End(), 8.0)
    assert thinker.peer.turn_clock is None  # the next card is not known yet


def test_R21_without_turn_seconds_there_is_no_clock() -> None:
    thinker, other = thinking(STANDARD)
    assert thinker.peer.turn_clock is None
    assert other.peer.turn_clock is None


def test_R21_a_late_but_honest_act_within_the_10_seconds_counts() -> None:
    thinker, other = thinking(TIMED)
    alive(other, 0.0, 69.9)
    thinker.peer.act(End(), 59.9)
    take(other, thinker.send(), 69.9)
    assert other.of_kind(events.Ended) == []
    assert other.errors == []


def harmless_card(view: View) -> Action:
    """A card that leaves something to choose."""
    return next(
        action
        for action in legal_actions(view.state)
        if isinstance(action, Play) and view.total + action.value < 20
    )


def test_R21_all_acts_of_a_turn_share_one_clock() -> None:
    thinker, other = thinking(TIMED)
    assert thinker.thinking_about is not None
    thinker.peer.act(harmless_card(thinker.thinking_about), 50.0)
    take(other, thinker.send(), 50.0)
    thinker.react(50.0)
    assert len(thinker.of_kind(events.Choose)) == 2
    for side in (thinker, other):
        keep_alive(side, 55.0)
    assert thinker.peer.next_deadline() == 60.0
    keep_alive(other, 62.0)
    assert other.peer.next_deadline() == 70.0


def test_R21_a_card_does_not_end_a_turn_that_is_late() -> None:
    thinker, other = thinking(TIMED)
    assert thinker.thinking_about is not None
    thinker.peer.act(harmless_card(thinker.thinking_about), 59.0)
    alive(other, 0.0, 70.0)
    pong = asks(other, 70.0)
    take(other, thinker.send() + encode(pong), 71.0)
    (ended,) = other.of_kind(events.Ended)
    assert ended.outcome == Outcome(Termination.TIME, other.seat)
    assert ended.opened == (False, False)


@pytest.mark.parametrize("share", [51.0, 75.0, 79.9])
def test_R21_a_turn_begins_when_its_card_could_be_known(share: float) -> None:
    # The thinker's act and share are out at 50; the other's own share only comes later.
    thinker, other = thinking(TIMED)
    thinker.peer.act(End(), 50.0)
    take(other, thinker.send(), 50.0)
    alive(thinker, 50.0, share)
    take(thinker, other.send(), share)
    assert other.thinking_about is not None
    for side in (thinker, other):
        alive(side, share, 109.0)
        keep_alive(side, 109.0)
    assert other.peer.next_deadline() == 110.0  # it could know its card since 50
    keep_alive(thinker, 118.0)
    asks(thinker, 120.0)


def test_R21_the_share_of_a_turn_is_late_after_30_seconds_all_the_same() -> None:
    thinker, _ = thinking(TIMED)
    thinker.peer.act(End(), 50.0)
    thinker.send()
    alive(thinker, 50.0, 80.0)
    pong = asks(thinker, 80.0)
    take(thinker, encode(pong), 80.0)
    (error,) = thinker.errors
    assert type(error) is cheats.WillNotReveal


def test_R21_a_late_share_leaves_less_time_for_the_acts() -> None:
    # Under the shortest time the acts are late as soon as the share is there.
    thinker, other = thinking(replace(TIMED, turn_seconds=5))
    thinker.peer.act(End(), 1.0)
    take(other, thinker.send(), 1.0)
    alive(thinker, 1.0, 20.0)
    take(thinker, other.send(), 20.0)
    assert thinker.peer.next_deadline() == 16.0
    thinker.peer.handle_timeout(20.0)
    (ping,) = messages_of(thinker)
    assert isinstance(ping, m.Ping)
    take(thinker, encode(m.Pong(ping.n)), 20.5)
    assert thinker.of_kind(events.Ended)[0].outcome == Outcome(Termination.TIME, thinker.seat)


def test_R21_an_untimed_choice_is_never_late() -> None:
    for side in thinking(STANDARD):
        alive(side, 0.0, 5000.0)
        assert side.errors == []


def tied() -> tuple[Side, Side, float]:
    """Somebody is asked at a tie (R17) right after its own turn; who, the other, since when."""
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
            for side, other in (pair.sides, pair.sides[::-1]):
                side.react(now)
                view = side.thinking_about
                if view is None or view.state.phase is not Phase.TIE:
                    continue
                last = side.of_kind(events.Moved)[-1]
                if last.seat is side.seat and isinstance(last.input, Stand):
                    if data := side.send():
                        take(other, data, now)
                    return side, other, now
            now += 0.5
    raise AssertionError


def test_R21_the_question_at_a_tie_has_a_clock_of_its_own() -> None:
    asked, other, since = tied()
    state = other.peer.state
    assert state is not None
    assert state.phase is Phase.TIE
    alive(asked, since, since + 60)
    assert asked.peer.next_deadline() == since + 60
    alive(other, since, since + 70)
    pong = asks(other, since + 70)
    take(other, encode(pong), since + 70)
    assert other.of_kind(events.Ended)[0].outcome == Outcome(Termination.TIME, other.seat)


def test_R21_also_if_the_card_that_led_to_it_was_drawn_right_before() -> None:
    # Whoever draws to 20 stands without a choice (R11), and can be asked at a tie at once.
    watch = Watch(0.0)
    watch.greeted = True
    watch.await_statement(Due(Seat.HOST, Kind.REVEAL), (7, False), 60, 10.0)
    watch.await_statement(Due(Seat.HOST, Kind.ACT), (7, True), 60, 25.0)
    watch.heard = 94.0
    assert watch.deadline(Seat.JOIN) == Deadline(95.0, Alarm.THEIR_TURN)
    watch.await_statement(Due(Seat.JOIN, Kind.ACT), (7, True), 60, 40.0)
    assert watch.deadline(Seat.JOIN) == Deadline(100.0, Alarm.OUR_TURN)


def test_silence_is_the_error_of_a_lost_peer_and_no_cheat() -> None:
    assert not issubclass(Silent, cheats.Cheat)
