"""One thing after the other, at a pace, by a virtual clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from math import inf

import pytest
import trio
from trio.testing import MockClock

from pazaak_p2p.tui.pace import SET_PAUSE, Pace


class Shown:
    """What was shown, and when."""

    def __init__(self, seconds: float) -> None:
        self.items: list[tuple[float, str]] = []
        self.holds: list[tuple[float, bool]] = []
        self.pace = Pace(seconds, lambda on: self.holds.append((trio.current_time(), on)))
        self._began = trio.current_time()

    def put(self, name: str, cards: float = 0) -> None:
        self.pace.put(partial(self._show, name), cards)

    def _show(self, name: str) -> None:
        self.items.append((trio.current_time() - self._began, name))

    @property
    def names(self) -> str:
        return "".join(name for _, name in self.items)


@asynccontextmanager
async def paced(seconds: float) -> AsyncIterator[Shown]:
    shown = Shown(seconds)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(shown.pace.run)
        await trio.testing.wait_all_tasks_blocked()
        yield shown
        nursery.cancel_scope.cancel()


async def test_cards_come_one_after_the_other(autojump_clock: MockClock) -> None:
    async with paced(2.0) as shown:
        began = trio.current_time()
        for name, cards in (("a", 1), ("b", 0), ("c", 0.5), ("d", 0)):
            shown.put(name, cards)
        assert shown.names == "a"
        await trio.sleep(10)
    assert shown.items == [(0, "a"), (2, "b"), (2, "c"), (3, "d")]
    assert shown.holds == [(began, True), (began + 3, False)]


async def test_without_a_pace_nothing_waits(autojump_clock: MockClock) -> None:
    shown = Shown(0)  # and nothing need run
    shown.put("a", 1)
    shown.put("b", SET_PAUSE)
    shown.put("c")
    assert shown.names == "abc"
    assert shown.holds == []


async def test_what_comes_when_nothing_waits_is_shown_at_once(autojump_clock: MockClock) -> None:
    async with paced(1.0) as shown:
        shown.put("a", 1)
        await trio.sleep(5)
        shown.put("b", 1)
    assert shown.items == [(0, "a"), (5, "b")]


async def test_a_skip_goes_on_to_the_end_of_a_set_and_no_further(
    autojump_clock: MockClock,
) -> None:
    async with paced(1.0) as shown:
        for name, cards in (("a", 1), ("b", 1), ("c", SET_PAUSE), ("d", 1), ("e", 0)):
            shown.put(name, cards)
        shown.pace.skip()
        assert shown.names == "abc"
        shown.pace.skip()
        assert shown.names == "abcde"
        shown.pace.skip()
        assert shown.names == "abcde"


async def test_a_pause_that_begins_by_a_skip_ends_in_its_time(autojump_clock: MockClock) -> None:
    async with paced(1.0) as shown:
        shown.put("a", 1)
        shown.put("b", SET_PAUSE)
        shown.put("c")
        await trio.sleep(0.5)
        shown.pace.skip()
        await trio.sleep(100)
    assert shown.items == [(0, "a"), (0.5, "b"), (0.5 + SET_PAUSE, "c")]


async def test_finish_shows_all(autojump_clock: MockClock) -> None:
    async with paced(1.0) as shown:
        for name, cards in (("a", 1), ("b", SET_PAUSE), ("c", SET_PAUSE), ("d", 0)):
            shown.put(name, cards)
        shown.pace.finish()
        assert shown.names == "abcd"
        assert shown.holds[-1][1] is False


@pytest.mark.parametrize("seconds", [0, 1.0])
async def test_what_is_to_be_read_waits_for_a_key_at_any_pace(
    autojump_clock: MockClock, seconds: float
) -> None:
    async with paced(seconds) as shown:
        shown.put("a", inf)
        shown.put("b", inf)
        shown.put("c", 0)
        await trio.sleep(1000)
        assert shown.names == "a"
        shown.pace.skip()
        await trio.sleep(1000)
        assert shown.names == "ab"
        shown.pace.skip()
        assert shown.names == "abc"
        shown.put("d", inf)
        shown.put("e", inf)
        shown.pace.finish()  # somebody leaves
        assert shown.names == "abcde"
        assert shown.holds[-1][1] is False


@pytest.mark.parametrize(("turn", "seconds"), [(None, 1.0), (80, 1.0), (20, 0.5)])
async def test_R21_a_clock_on_the_turn_bounds_the_pace(turn: int | None, seconds: float) -> None:
    pace = Shown(1.0).pace
    pace.keep_within(turn)
    assert pace.seconds == seconds
