"""An opponent whose line breaks again and again, or who always comes back just in time."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.net.errors import OpponentAway, Refused
from pazaak_p2p.net.lasting import AWAY_GRACES, MOST_RETURNS, RETURN_RATE
from pazaak_p2p.net.stream import LeanStream
from tests.chaos.plans import Cut, message
from tests.survive.cases import CASES
from tests.survive.cuts import reference
from tests.survive.rig import Plans, Player, Street, meet
from tests.verifier import verify

CASE = CASES[2]
GRACE = 600.0
GOOD: Plans = ((), ())


class Late(Street):
    """A street on which nobody gets through for so many seconds after a line has broken."""

    def __init__(self, seconds: float, messages: int) -> None:
        super().__init__(lambda line: ((), (Cut(message(9 if line == 0 else messages)),)))
        self._seconds = seconds
        self._closed = -seconds
        self.dialled: list[float] = []

    def dial(self) -> LeanStream:
        now = trio.current_time()
        if now < self._closed + self._seconds:
            raise Refused
        self._closed = now
        self.dialled.append(now)
        return super().dial()


def players(folder: Path) -> tuple[Player, Player]:
    return Player(0, CASE, folder / "host"), Player(1, CASE, folder / "join")


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
    """Both have saved the match, and end it later as if nothing had been."""
    for player in (host, join):
        assert isinstance(player.error, OpponentAway)
        assert player.kept
    await meet(host, join, Street(lambda line: GOOD))
    head = (await reference(CASE)).head
    for player in (host, join):
        assert player.error is None
        assert verify(player.records[0].read_bytes()).head == head


async def test_a_storm_of_broken_lines_ends_and_the_match_is_kept(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = players(tmp_path)
    street = Late(0.0, messages=3)
    await play(host, join, street)
    stormed = street.dialled[-1] - street.dialled[0]
    assert stormed < GRACE
    assert MOST_RETURNS < len(street.dialled) <= MOST_RETURNS + 2 + stormed * RETURN_RATE
    assert isinstance(join.error, OpponentAway)
    assert join.error.why == "The line to them breaks again and again."
    await check_kept(host, join)


async def test_who_comes_back_just_in_time_and_says_nothing_has_one_grace(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = players(tmp_path)
    street = Late(GRACE - 20, messages=3)
    took = await play(host, join, street)
    assert len(street.dialled) == 2
    assert GRACE <= took <= GRACE + 20
    assert isinstance(join.error, OpponentAway)
    assert join.error.why == "They have been away for too long in all."
    await check_kept(host, join)


async def test_who_says_one_word_each_time_has_three_for_the_whole_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = players(tmp_path)
    street = Late(GRACE - 20, messages=4)
    took = await play(host, join, street)
    assert len(street.dialled) == 1 + AWAY_GRACES
    assert AWAY_GRACES * GRACE <= took <= AWAY_GRACES * GRACE + 60
    await check_kept(host, join)


@pytest.mark.parametrize("outages", [10])
async def test_a_line_that_is_merely_bad_is_borne(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, outages: int
) -> None:
    host, join = players(tmp_path)

    def plans(line: int) -> Plans:
        return ((), (Cut(message(5)),)) if line < outages else GOOD

    await meet(host, join, Street(plans))
    assert (host.error, join.error) == (None, None)
    assert verify(host.records[0].read_bytes()).head == (await reference(CASE)).head
