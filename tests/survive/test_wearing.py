"""An opponent whose line breaks again and again, or who always comes back just in time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.net.errors import OpponentAway, Refused
from pazaak_p2p.net.lasting import AWAY_GRACES, MOST_RETURNS, RETURN_RATE
from pazaak_p2p.net.player import Link, Request
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import Action, View
from tests.chaos.faults import Line
from tests.chaos.proxy import carry
from tests.survive.cases import CASES
from tests.survive.rig import Plans, Player, Street, meet
from tests.verifier import verify

CASE = CASES[2]
GRACE = 600.0
GOOD: Plans = ((), ())


class Fleeting(Street):
    """A street whose lines break after *lives* seconds, and lead nowhere for *gone* after that."""

    def __init__(self, lives: float, gone: float = 0.0) -> None:
        super().__init__(lambda line: GOOD)
        self._lives, self._gone = lives, gone
        self.dialled: list[float] = []

    def dial(self) -> LeanStream:
        now = trio.current_time()
        if self.dialled and now < self.dialled[-1] + self._lives + self._gone:
            raise Refused
        self.dialled.append(now)
        return super().dial()

    async def _carry(self, line: Line, near: LeanStream, far: LeanStream) -> None:
        with trio.move_on_after(self._lives):
            await super()._carry(line, near, far)


class Swallowing(Fleeting):
    """A street whose lines carry for *lives* seconds, and then swallow whatever is said on them."""

    async def _carry(self, line: Line, near: LeanStream, far: LeanStream) -> None:
        async with near, far:
            with trio.move_on_after(self._lives):
                await carry(line, near, far)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(swallow, near)
                nursery.start_soon(swallow, far)


async def swallow(end: LeanStream) -> None:
    with suppress(trio.BrokenResourceError):
        while await end.receive_some():
            pass


class Slow(BotSeat):
    """Somebody who plays as a bot would, and takes *thinks* seconds for it."""

    instant = False
    hold = 0.0
    thinks = 10_000.0

    def __init__(self, entrant: Entrant) -> None:
        super().__init__(entrant)
        self._send, self.requests = trio.open_memory_channel[Request](1)

    async def ask(self, view: View) -> Action:
        await trio.sleep(self.thinks)
        choice = self.choose(view)
        assert isinstance(choice, Action)
        return choice

    def linked(self, link: Link) -> None:
        """It looks at no clock."""

    def refused(self, why: str) -> None:
        """It asks for nothing."""


class Steady(Slow):
    """One move for every line."""

    thinks = 3.0


def players(folder: Path) -> tuple[Player, Player]:
    return Player(0, CASE, folder / "host", sits=Slow), Player(1, CASE, folder / "join")


async def play(host: Player, join: Player, street: Street) -> float:
    """How long it took until both had given up."""
    began = trio.current_time()
    with trio.fail_after(100_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(join.dial, street)
    return trio.current_time() - began


async def check_kept(host: Player, join: Player) -> None:
    """Both have saved the match, and end it later."""
    for player in (host, join):
        assert isinstance(player.error, OpponentAway)
        assert player.kept
    host.sits = BotSeat
    await meet(host, join, Street(lambda line: GOOD))
    check_over(host, join)


def check_over(host: Player, join: Player) -> None:
    """The match is through, and the same for both."""
    assert (host.error, join.error) == (None, None)
    verdicts = [verify(player.records[0].read_bytes()) for player in (host, join)]
    assert all(verdict.complete and verdict.clean for verdict in verdicts)
    assert verdicts[0].head == verdicts[1].head


async def test_a_storm_of_broken_lines_ends_and_the_match_is_kept(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = players(tmp_path)
    street = Fleeting(0.2)
    await play(host, join, street)
    stormed = street.dialled[-1] - street.dialled[0]
    assert stormed < 60
    # The first line is that on which the match began.
    assert MOST_RETURNS < len(street.dialled) <= MOST_RETURNS + 1 + stormed * RETURN_RATE
    for player in (host, join):
        assert isinstance(player.error, OpponentAway)
        assert player.error.why == "The line to them breaks again and again."
    await check_kept(host, join)


async def test_who_comes_back_just_in_time_and_says_nothing_has_one_grace(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = players(tmp_path)
    street = Fleeting(5.0, GRACE - 40)
    took = await play(host, join, street)
    assert len(street.dialled) == 2
    assert GRACE <= took <= GRACE + 30
    assert isinstance(join.error, OpponentAway)
    assert join.error.why == "They have been away for too long in all."
    await check_kept(host, join)


async def test_who_says_one_word_each_time_has_three_for_the_whole_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = players(tmp_path)
    host.sits = Steady
    street = Fleeting(5.0, GRACE - 40)
    took = await play(host, join, street)
    assert len(street.dialled) == 1 + AWAY_GRACES
    assert AWAY_GRACES * GRACE <= took <= AWAY_GRACES * GRACE + 60
    await check_kept(host, join)


async def test_a_line_that_is_merely_bad_is_borne(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """It breaks every five seconds in which something is said, twenty times or so."""
    host, join = players(tmp_path)
    host.sits = Steady
    street = Fleeting(5.0, 10.0)
    await play(host, join, street)
    assert len(street.dialled) > 5
    check_over(host, join)


@pytest.mark.parametrize("street", [Swallowing(0.2), Fleeting(29.0)], ids=["silent", "breaks"])
async def test_lines_that_are_there_and_bring_no_word_are_no_more_than_a_storm_has(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, street: Fleeting
) -> None:
    """Each costs half a minute in which nobody is away, and nothing is said."""
    host, join = players(tmp_path)
    took = await play(host, join, street)
    assert len(street.dialled) == 1 + MOST_RETURNS
    assert took < 2 * GRACE
    for player in (host, join):
        assert isinstance(player.error, OpponentAway)
        assert player.error.why == "The line to them breaks again and again."
    await check_kept(host, join)
