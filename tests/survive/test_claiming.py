"""A match is claimed since the other side does not come back: real files, and the front door."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.errors import Exit
from pazaak_p2p.net.errors import OpponentAway
from pazaak_p2p.net.player import Away, Claim, Link, Request
from pazaak_p2p.rules import Action, Outcome, Seat, Termination, View
from pazaak_p2p.wire.events import Ended, Event
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.reading import read_saved
from tests.chaos.plans import Cut, message
from tests.e2e.processes import Pazaak, hosting
from tests.survive.cases import CASES
from tests.survive.rig import Player, Street
from tests.verifier import verify
from tests.wire.broken import items

CASE = CASES[2]
CLAIM = ("resume", "--claim", "--json")


class Claimer(BotSeat):
    """Somebody who plays as a bot would, takes time for it, and claims as soon as it is told how.

    First it claims too early, and is told so.
    """

    instant = False
    hold = 0.0

    def __init__(self, entrant: Entrant) -> None:
        super().__init__(entrant)
        self._send, self.requests = trio.open_memory_channel[Request](10)
        self.told: list[Away | Ended] = []
        self.refusals: list[str] = []

    async def ask(self, view: View) -> Action:
        await trio.lowlevel.checkpoint()
        choice = self.choose(view)
        assert isinstance(choice, Action)
        return choice

    def notice(self, event: Event | Away) -> None:
        if isinstance(event, Away | Ended):
            self.told.append(event)
        if isinstance(event, Away) and event.claim_in is not None:
            self._send.send_nowait(Claim())

    def linked(self, link: Link) -> None:
        """It looks at no clock."""

    def refused(self, why: str) -> None:
        self.refusals.append(why)


@dataclass
class Broken:
    """A match that was broken off: each player's home, and who owes the next word."""

    players: tuple[Player, Player]
    homes: tuple[Path, Path]
    away: Seat

    @property
    def claimer(self) -> Seat:
        return self.away.other

    def record(self, seat: Seat) -> Path:
        (path,) = self.players[seat].records
        return path

    def written_ago(self, seconds: float, *seats: Seat) -> None:
        """The records of *seats* (both, if none is named) were written to so long ago."""
        for seat in seats or Seat:
            then = time.time() - seconds
            os.utime(self.record(seat), (then, then))


@pytest.fixture(params=[0, 1], ids=["guest-away", "host-away"])
def broken(tmp_path: Path, request: pytest.FixtureRequest) -> Broken:
    homes = (tmp_path / "host", tmp_path / "join")
    players = tuple(Player(n, CASE, homes[n] / "matches", grace=5.0) for n in (0, 1))

    async def play() -> None:
        cut = (Cut(message(7)),)  # the last that whoever will be away has heard, or said
        street = Street(lambda line: ((), cut) if request.param else (cut, ()))
        street.most_lines = 1
        with trio.fail_after(10_000):
            async with street, trio.open_nursery() as nursery:
                nursery.start_soon(players[0].listen, street)
                await trio.testing.wait_all_tasks_blocked()
                nursery.start_soon(players[1].dial, street)

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    dues = [judge(player.records[0].read_bytes()).missing for player in players]
    lengths = [judge(player.records[0].read_bytes()).entries for player in players]
    due = dues[lengths.index(max(lengths))]
    assert due is not None
    # Who has said the last word misses the other's, whichever of the two got through.
    assert [player.kept for player in players] == [True, True]
    return Broken((players[0], players[1]), homes, due.seat)


def run(broken: Broken, seat: Seat, *arguments: str) -> Pazaak:
    with Pazaak(*arguments, home=broken.homes[seat]) as process:
        process.code = process.finish_json()  # type: ignore[attr-defined]
    return process


def code(process: Pazaak) -> Any:
    return process.process.returncode


def test_a_kept_match_is_claimed_and_nothing_is_kept_for_it(broken: Broken) -> None:
    broken.written_ago(301)
    process = run(broken, broken.claimer, *CLAIM)
    assert code(process) == Exit.DONE, process.stderr
    (claim,) = process.of("claim")
    (result,) = process.of("result")
    assert claim["seat"] == str(broken.claimer)
    assert claim["match_id"] == result["match_id"]
    assert (result["termination"], result["winner"]) == ("abandoned", str(broken.claimer))
    assert result["unfinished"] is False
    assert not broken.players[broken.claimer].kept
    record = broken.record(broken.claimer).read_bytes()
    verdict, second = judge(record), verify(record)
    assert verdict.claim == second.claim == broken.claimer
    assert (verdict.contradiction, verdict.problem, verdict.torn) == ("", None, False)
    assert verdict.claimed == Outcome(Termination.ABANDONED, broken.claimer)
    assert second.clean
    again = run(broken, broken.claimer, *CLAIM)
    assert code(again) == Exit.USAGE


def test_a_claim_that_was_interrupted_is_made_once(broken: Broken) -> None:
    """The program was killed after it wrote the claim, and before it put the secrets away."""
    broken.written_ago(301)
    (secret,) = broken.players[broken.claimer].folder.glob("*.secret")
    kept = secret.read_bytes()
    assert code(run(broken, broken.claimer, *CLAIM)) == Exit.DONE
    record = broken.record(broken.claimer).read_bytes()
    secret.write_bytes(kept)
    secret.chmod(0o600)
    broken.written_ago(301)
    assert broken.players[broken.claimer].kept
    assert code(run(broken, broken.claimer, *CLAIM)) == Exit.DONE
    assert broken.record(broken.claimer).read_bytes() == record
    assert not broken.players[broken.claimer].kept


def test_verify_and_history_tell_of_it(broken: Broken) -> None:
    broken.written_ago(301)
    run(broken, broken.claimer, *CLAIM)
    path = broken.record(broken.claimer)
    with Pazaak("verify", str(path), home=broken.homes[0]) as process:
        process.finish()
    words = " ".join(process.stdout.split())
    names = ("the host", "the joiner")
    claimer, away = names[broken.claimer], names[broken.away]
    assert f"{claimer.capitalize()} claimed the match, since {away} did not come back." in words
    assert f"only the word of {claimer}, who has signed it" in words
    with Pazaak("history", "--json", home=broken.homes[broken.claimer]) as process:
        process.finish_json()
    (event,) = [event for event in process.events if "termination" in event]
    assert event["termination"] == "abandoned"
    assert event["result"] == "won"


@pytest.mark.parametrize(
    ("ago", "says"), [(299 - 30, "claim-too-early"), (-3600, "clock")], ids=["early", "clock"]
)
def test_it_is_refused(broken: Broken, ago: float, says: str) -> None:
    broken.written_ago(ago)
    before = broken.record(broken.claimer).read_bytes()
    process = run(broken, broken.claimer, *CLAIM)
    assert code(process) == Exit.USAGE
    (error,) = process.of("error")
    assert error["code"] == says
    assert error["why"]
    assert error["next"]
    assert broken.record(broken.claimer).read_bytes() == before
    assert broken.players[broken.claimer].kept


def test_whose_turn_it_is_cannot_claim(broken: Broken) -> None:
    """The last word of the claimer has arrived, and was written down."""
    path = broken.record(broken.away)
    held, more = path.read_bytes(), items(broken.record(broken.claimer).read_bytes())
    whole = held[: read_saved([held]).length] + b"".join(more[len(items(held)) :])
    path.write_bytes(whole)
    due = judge(whole).missing
    assert due is not None
    assert due.seat is broken.away
    broken.written_ago(301)
    process = run(broken, broken.away, *CLAIM)
    assert code(process) == Exit.USAGE
    (error,) = process.of("error")
    assert error["code"] == "nothing-to-claim"
    assert broken.players[broken.away].kept


def meet(broken: Broken) -> None:
    """The one who was away comes back; the claimer waits for anybody who wants to play."""
    claimer, away = broken.players[broken.claimer], broken.players[broken.away]
    away.notes.events.clear()

    async def play() -> None:
        with trio.fail_after(10_000):
            async with Street(lambda line: ((), ())) as street, trio.open_nursery() as nursery:
                nursery.start_soon(claimer.listen, street)
                await trio.testing.wait_all_tasks_blocked()
                await away.dial(street, resume=True)
                nursery.cancel_scope.cancel()

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize("seconds", [271.0, 269.0 - 20], ids=["long", "short"])
def test_the_other_side_comes_back_and_hears_it(broken: Broken, seconds: float) -> None:
    claimer, away = broken.claimer, broken.away
    broken.written_ago(400, claimer)
    assert code(run(broken, claimer, *CLAIM)) == Exit.DONE
    broken.written_ago(seconds, away)
    meet(broken)
    player = broken.players[away]
    record, kept = (broken.record(seat).read_bytes() for seat in (away, claimer))
    verdict, second = judge(record), verify(record)
    assert (verdict.contradiction, verdict.problem, second.clean) == ("", None, True)
    if seconds < 270:
        assert player.error is not None
        assert player.error.code == "early-claim"
        assert player.kept
        assert verdict.claim is second.claim is None
    else:
        assert player.error is None
        assert player.report is not None
        assert player.report.outcome == Outcome(Termination.ABANDONED, claimer)
        assert not player.kept
        ended = [event for event in player.notes.events if isinstance(event, Ended)]
        assert [event.claimed for event in ended] == [True]
        assert verdict.claim == second.claim == claimer
    # Whatever the other one says, the claimer keeps to it.
    assert judge(kept).claim == verify(kept).claim == claimer
    assert judge(kept).contradiction == ""
    assert verify(kept).clean
    assert judge_pair(kept, record).verdict.claim == claimer
    assert not broken.players[claimer].kept


def test_a_claimer_who_came_before_goes_there_and_tells(broken: Broken) -> None:
    """``pazaak join`` is enough: whoever waits there to go on asks for the match, and hears."""
    claimer, away = broken.players[broken.claimer], broken.players[broken.away]
    broken.written_ago(400)
    assert code(run(broken, broken.claimer, *CLAIM)) == Exit.DONE

    async def play() -> None:
        with trio.fail_after(10_000):
            async with Street(lambda line: ((), ())) as street, trio.open_nursery() as nursery:
                nursery.start_soon(partial(away.listen, street, resume=True))
                await trio.testing.wait_all_tasks_blocked()
                await claimer.dial(street)

    trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    assert away.error is None
    assert away.report is not None
    assert away.report.outcome == Outcome(Termination.ABANDONED, broken.claimer)
    assert not away.kept
    assert judge(broken.record(broken.away).read_bytes()).claim == broken.claimer


@pytest.mark.parametrize("broken", [0], ids=["guest-away"], indirect=True)
def test_between_processes(broken: Broken) -> None:
    """``pazaak host`` waits for anybody; the guest comes back by ``pazaak resume``."""
    assert broken.away is Seat.JOIN
    broken.written_ago(400)
    assert code(run(broken, Seat.HOST, *CLAIM)) == Exit.DONE
    with hosting(broken.homes[0], "--seed", CASE.seed, "--insecure-plain") as (host, address):
        guest = run(broken, Seat.JOIN, "resume", "--json", "--join", address)
        assert host.finish_json() == Exit.DONE
    assert code(guest) == Exit.DONE, guest.stdout
    for process in (host, guest):
        (claim,) = process.of("claim")
        (result,) = process.of("result")
        assert claim["seat"] == result["winner"] == "host"
        assert claim["match_id"] == result["match_id"]
        assert result["termination"] == "abandoned"
        assert result["unfinished"] is False
    assert not broken.players[Seat.JOIN].kept
    with Pazaak(
        "verify", "--json", *(str(broken.record(seat)) for seat in Seat), home=broken.homes[0]
    ) as verified:
        verified.finish_json()
    assert [event["claim"] for event in verified.events if "claim" in event] == ["host"] * 3


@pytest.mark.parametrize("stays", list(Seat))
async def test_a_person_claims_while_the_program_runs(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, stays: Seat
) -> None:
    """The other one gives up waiting before, and its match is kept."""
    seats: list[Claimer] = []

    def sit(entrant: Entrant) -> Claimer:
        seats.append(Claimer(entrant))
        return seats[-1]

    cut = (Cut(message(9)),)
    players = tuple(
        Player(
            n,
            CASE,
            tmp_path / str(n),
            grace=600.0 if n == stays else 5.0,
            sits=sit if n == stays else BotSeat,
        )
        for n in (0, 1)
    )
    street = Street(lambda line: ((), cut) if stays is Seat.HOST else (cut, ()))
    street.most_lines = 1
    began = trio.current_time()
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(players[0].listen, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(players[1].dial, street)
    player = players[stays]
    assert player.error is None
    # Whoever dials looks at the clock between two attempts, a quarter of a minute apart.
    assert 300 <= trio.current_time() - began <= 330
    (seat,) = seats
    first, then, ended = seat.told[-3:]
    assert isinstance(first, Away)
    assert isinstance(then, Away)
    assert isinstance(ended, Ended)
    assert (first.seconds, first.claim_in, then.claim_in) == (600, 300, 0)
    outcome = Outcome(Termination.ABANDONED, stays)
    assert (ended.outcome, ended.claimed) == (outcome, True)
    assert [why.split(",")[0] for why in seat.refusals] == [
        "the match can be claimed in 300 seconds"
    ]
    assert "You have claimed the match" in " ".join(player.notes.lines)
    assert not player.kept
    (record,) = player.records
    verdict = judge(record.read_bytes())
    assert (verdict.claim, verdict.contradiction) == (stays, "")
    assert verify(record.read_bytes()).clean
    assert players[stays.other].kept


async def test_a_bot_claims_nothing(tmp_path: Path, autojump_clock: trio.testing.MockClock) -> None:
    players = tuple(Player(n, CASE, tmp_path / str(n)) for n in (0, 1))
    street = Street(lambda line: ((Cut(message(7)),), ()))
    street.most_lines = 1
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(players[0].listen, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(players[1].dial, street)
    assert [type(player.error) for player in players] == [OpponentAway] * 2
    assert [player.kept for player in players] == [True, True]
