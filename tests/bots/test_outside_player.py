"""Bots from outside at the table, in matches between two pumps."""

from __future__ import annotations

import sys

import pytest
import trio
import trio.testing

from pazaak_p2p.bots import RandomBot
from pazaak_p2p.bots.faults import BotFault
from pazaak_p2p.bots.interface import Begin, BotGreeting, over_text
from pazaak_p2p.bots.outside_player import OutsidePlayer, restart_note
from pazaak_p2p.bots.outside_spec import OutsideSpec, find_outside
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import BotPlayer
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import Action, Input, Rules, Seat, Termination, View, legal_actions
from pazaak_p2p.wire import events
from tests.bots.outsiders import EXAMPLES, misbehaving, python
from tests.delay import delayed_pair
from tests.matches import Side, SlowPlayer, bot, play
from tests.verifier import verify

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="kills process groups")


def moves_of(side: Side) -> list[Input]:
    """All that happened in the match, as *side* saw it."""
    return [event.input for _, event in side.events if isinstance(event, events.Moved)]


class Table:
    """A host's seat played by a bot from outside, against the threshold bot."""

    def __init__(self, nursery: trio.Nursery, bot: str | OutsideSpec) -> None:
        spec = find_outside(bot) if isinstance(bot, str) else bot
        assert spec is not None
        self.troubles: list[PazaakError] = []
        self.restarts: list[str] = []
        self.player = OutsidePlayer(spec, nursery, self.troubles.append, self.restarts.append)
        self.moves: list[Input] = []

    async def match(self, seed: str, rules: Rules | None = None) -> MatchReport:
        self.player.sit(bytes(32))
        host, join = Side(0, seed, self.player, rules=rules), Side(1, seed)
        ours, theirs = await play(host, join, delayed_pair(0.0))
        assert host.error is None
        assert join.error is None
        assert ours is not None
        assert theirs is not None
        assert ours.outcome == theirs.outcome
        assert verify(host.record.data).clean
        self.moves = moves_of(host)
        await self.player.leave()
        return ours


async def test_a_program_plays_match_after_match_without_another_start() -> None:
    async with trio.open_nursery() as nursery:
        table = Table(nursery, python(EXAMPLES / "bot.py"))
        assert (await table.player.open()).name == "Python example"
        for seed in ("one", "two"):
            report = await table.match(seed)
            assert report.outcome.termination is Termination.NORMAL
        await table.player.close()
    assert table.troubles == []
    assert table.restarts == []


class LastAction:
    """Stands at once, as the program of the tests does until it misbehaves."""

    def choose(self, view: View) -> Action:
        return legal_actions(view.state)[-1]


async def test_a_program_plays_the_match_that_its_like_in_this_process_plays() -> None:
    """Cards follow from the seeds, so equal choices give equal matches."""
    async with trio.open_nursery() as nursery:
        table = Table(nursery, misbehaving("hang", 10_000))
        report = await table.match("same")
        await table.player.close()
    here = Side(0, "same", BotPlayer(LastAction))
    (wanted, _) = await play(here, Side(1, "same"), delayed_pair(0.0))
    assert wanted is not None
    assert (report.outcome, report.won) == (wanted.outcome, wanted.won)
    assert table.moves == moves_of(here)


@posix_only
@pytest.mark.parametrize("deed", ["crash", "garbage", "illegal", "flood", "child", "gives-up"])
async def test_what_a_bot_does_wrong_costs_the_match_and_the_next_is_played(deed: str) -> None:
    async with trio.open_nursery() as nursery:
        table = Table(nursery, misbehaving(deed, 2, ",seconds=1"))
        for seed, count in (("one", 1), ("two", 2)):
            report = await table.match(seed)
            assert report.outcome.termination is Termination.CONCESSION
            assert report.outcome.winner is Seat.JOIN
            assert len(table.troubles) == count
        await table.player.close()
    assert table.restarts == []
    first = table.troubles[0]
    assert first.next.startswith(f"The bot {misbehaving(deed, 2, ',seconds=1')[:20]}")
    assert "has conceded this match (R21)." in first.next


@posix_only
async def test_a_bot_is_restarted_as_often_as_asked_and_the_match_goes_on() -> None:
    async with trio.open_nursery() as nursery:
        table = Table(nursery, misbehaving("crash", 2, ",restart=100"))
        report = await table.match("one")
        await table.player.close()
    assert report.outcome.termination is Termination.NORMAL
    assert table.troubles == []
    assert table.restarts
    for number, said in enumerate(table.restarts, start=1):
        assert "It ended with exit code 3." in said
        assert said.endswith(f"again ({number} of 100).")


@pytest.mark.parametrize("cause", ["It ended.", "It ended"])
def test_why_it_is_restarted_is_a_sentence_of_its_own(cause: str) -> None:
    """Last words, or what an exception says, may end in anything."""
    assert restart_note(cause, "cmd:x", 1, 2) == "It ended. Starting cmd:x again (1 of 2)."


@posix_only
async def test_restarts_are_counted_in_each_match_anew() -> None:
    async with trio.open_nursery() as nursery:
        table = Table(nursery, misbehaving("crash", 1, ",restart=2"))
        for seed, count in (("one", 1), ("two", 2)):
            report = await table.match(seed)
            assert report.outcome.termination is Termination.CONCESSION
            assert (len(table.troubles), len(table.restarts)) == (count, 2 * count)
        await table.player.close()


async def test_a_bot_that_has_gone_away_between_two_matches_loses_the_next_alone() -> None:
    async with trio.open_nursery() as nursery:
        table = Table(nursery, "cmd:./no-such-bot")
        report = await table.match("one")
        assert report.outcome.termination is Termination.CONCESSION
        assert [trouble.code for trouble in table.troubles] == ["bot-start"]
        await table.player.close()


class Watched:
    """A bot from outside that stands at once, and notes what time it has and what it is told."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.began: list[Begin] = []
        self.told: list[str] = []

    async def open(self) -> BotGreeting:
        return BotGreeting("watched", "", ())

    async def begin(self, begin: Begin) -> None:
        self.began.append(begin)

    async def ask(self, view: View, seconds: float) -> Action:
        self.seconds.append(seconds)
        return legal_actions(view.state)[-1]

    async def tell(self, text: str) -> None:
        self.told.append(text)

    async def close(self, fault: BotFault | None = None) -> bool:
        return True


@pytest.mark.parametrize(("clock", "seconds"), [(None, 10), (60, 10), (15, 5), (5, 5 / 3)])
async def test_R21_a_bot_has_a_third_of_the_turns_clock_at_most(
    clock: int | None, seconds: float
) -> None:
    watched = Watched()
    async with trio.open_nursery() as nursery:
        table = Table(nursery, OutsideSpec("watched", lambda nursery: watched, RandomBot))
        report = await table.match("one", Rules(turn_seconds=clock))
        await table.player.close()
    assert set(watched.seconds) == {seconds}
    assert [begin.resumed for begin in watched.began] == [False]
    assert watched.began[0].match_id == report.match_id
    (over,) = watched.told
    assert over == over_text(report.match_id, Seat.HOST, report.outcome, report.won)


# --- how its turns travel


async def test_the_turns_of_who_answers_soon_travel_as_a_bots_do(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The same seeds and choices: the same record, byte for byte."""
    records = []
    for seconds, hold in ((None, 0.0), (0.04, 0.05), (0.06, 0.05)):
        player = bot("threshold", "")
        if seconds is None:
            host = Side(0, "held", player)
        else:
            slow = SlowPlayer(seconds)
            slow.hold = hold
            host = Side(0, "held", slow)
        await play(host, Side(1, "held"), delayed_pair(0.1))
        assert host.error is None
        records.append(host.record.data)
    assert records[0] == records[1]
    assert records[2] != records[0]
    assert verify(records[2]).entries > verify(records[0]).entries
