"""Chat: what may be said, how much of it, and that an honest side is never a flood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pazaak_p2p.wire import events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import LocalError
from tests.wire.agreement import STANDARD, lobby
from tests.wire.pair import Side, messages_in
from tests.wire.timing import thinking


def said(side: Side) -> list[m.Message]:
    return [message for message, _ in messages_in(side.send())]


@pytest.mark.parametrize(
    "text",
    ["x", "x" * 500, "\U0001f0cf" * 500, " ", "\x1b[31m", "\ud7ff\ue000\uffff\U0010ffff", "\0"],
)
def test_1_to_500_characters_of_any_kind_arrive_as_they_are(text: str) -> None:
    pair = lobby()
    pair.host.peer.chat(text, 0.0)
    pair.run()
    assert pair.join.of_kind(events.Chatted) == [events.Chatted(text)]


@pytest.mark.parametrize(
    "text",
    ["", "x" * 501, "\U0001f0cf" * 501, "\ud800", "\udfffx", "a\udcffb", "\ud83c\udccf"],
)
def test_what_cannot_be_sent_is_our_own_error_and_costs_nothing(text: str) -> None:
    side = lobby().host
    for _ in range(30):
        with pytest.raises(LocalError, match="1 to 500"):
            side.peer.chat(text, 0.0)
    assert side.send() == b""
    for _ in range(10):
        side.peer.chat("fine", 0.0)
    assert said(side) == [m.Chat("fine")] * 10


@pytest.mark.parametrize("start", [0.0, 100.0])
def test_10_lines_at_once_and_one_more_every_two_seconds(start: float) -> None:
    side = lobby().host

    def too_much(now: float) -> None:
        with pytest.raises(LocalError, match="too much"):
            side.peer.chat("more", now)

    for _ in range(10):
        side.peer.chat("x", start)
    too_much(start)
    too_much(start + 1.9)
    for i in range(1, 20):
        side.peer.chat("x", start + 2 * i)
        too_much(start + 2 * i)
    assert len(said(side)) == 29
    for _ in range(10):  # and never more than 10
        side.peer.chat("x", start + 1000)
    too_much(start + 1000)


def test_what_is_too_much_is_not_sent_and_harms_nothing() -> None:
    pair = lobby()
    for _ in range(10):
        pair.host.peer.chat("x", 0.0)
    with pytest.raises(LocalError):
        pair.host.peer.chat("y", 0.0)
    pair.run()
    assert pair.join.of_kind(events.Chatted) == [events.Chatted("x")] * 10
    pair.host.offer(STANDARD)
    pair.run()


def test_talk_is_over_with_the_session() -> None:
    side = lobby().host
    side.peer.receive(encode(m.Bye(m.ByeReason.DONE, "")), 0.0)
    with pytest.raises(LocalError):
        side.peer.chat("x", 0.0)
    assert side.send() == b""


def chatter(wishes: list[float], delays: list[float], until: float) -> int:
    """Two sides that think, and talk as much as they may whenever they wish, over a line that
    holds everything back for a while; how much was said."""
    sides = thinking(STANDARD)
    on_the_way: tuple[list[tuple[float, bytes]], ...] = ([], [])
    steps = sorted({*wishes, *(i / 2 for i in range(int(2 * until)))})
    lines = 0
    for i, now in enumerate(steps):
        for k, side in enumerate(sides):
            while on_the_way[k] and on_the_way[k][0][0] <= now:
                side.peer.receive(on_the_way[k].pop(0)[1], now)
            side.react(now)
            if (at := side.peer.next_deadline()) is not None and at <= now:
                side.peer.handle_timeout(now)
            try:
                while now in wishes:
                    side.peer.chat("x" * (lines % 9 + 1), now)
                    lines += 1
            except LocalError:
                pass
            if data := side.send():
                queue = on_the_way[1 - k]
                arrival = now + delays[i % len(delays)]
                queue.append((max(arrival, queue[-1][0] if queue else 0.0), data))
    for side in sides:
        assert side.errors == []
        assert side.of_kind(events.Ended) == []
    return lines


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    wishes=st.lists(st.floats(0, 120).map(lambda at: round(at, 1)), max_size=200),
    delays=st.lists(st.floats(0, 7), min_size=1, max_size=9),
)
def test_an_honest_side_is_never_a_flood(wishes: list[float], delays: list[float]) -> None:
    chatter(wishes, delays, 130.0)


@pytest.mark.parametrize("stall", [0.0, 3.0, 14.0])
def test_nor_is_one_that_says_all_it_may_over_a_line_that_stalls(stall: float) -> None:
    always = [i / 4 for i in range(1200)]
    # Everything that is said within one stall arrives at once.
    arrivals = [stall - at % stall if stall else 0.0 for at in always]
    assert chatter(always, arrivals, 300.0) >= 2 * 150
