"""Moments at which somebody waits, and the deadlines of those who do."""

from __future__ import annotations

from msgspec.structs import replace

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import Outcome, Rules, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Silent
from tests.wire.agreement import STANDARD
from tests.wire.pair import Pair, Side, messages_in

TIMED = replace(STANDARD, turn_seconds=60)
NOBODY = Outcome(Termination.ABANDONED, None)


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


def alive(side: Side, since: float, until: float) -> None:
    """The other side is there all that time, so that nobody need ask before *until*."""
    now = since + 9
    while now < until:
        keep_alive(side, now)
        now += 9


def asks(side: Side, at: float) -> m.Pong:
    """Something is late at exactly *at*: the side asks, and accuses nobody; the answer to that."""
    ticks(side, at)
    (ping,) = messages_of(side)
    assert isinstance(ping, m.Ping)
    assert side.errors == []
    assert side.of_kind(events.Ended) == []
    return m.Pong(ping.n)


def take(side: Side, data: bytes, now: float) -> None:
    side.peer.receive(data, now)
    side.react(now)


def silent(side: Side) -> None:
    (error,) = side.errors
    assert type(error) is Silent
    assert error.exit_code is Exit.PEER_LOST
    assert messages_of(side)[-1] == m.Bye(m.ByeReason.TIMEOUT, "silent")
    assert side.peer.next_deadline() is None
