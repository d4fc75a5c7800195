"""What a match that goes on needs of the programs around it."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.kept_errors import OtherSeat
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Busy, NotOpen, OpponentAway, Refused
from pazaak_p2p.net.lasting import BUSY_SECONDS, OBLIGING_SECONDS, Patience
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.store import find_saved
from pazaak_p2p.store.journal import Journal
from pazaak_p2p.store.match_errors import MatchInUse
from pazaak_p2p.wire.messages import ByeReason
from tests.chaos.plans import Block, Cut, Delay, Vanish, message
from tests.survive.cases import CASES
from tests.survive.cuts import Trial, play, reference
from tests.survive.rig import Plans, Player, Street, meet
from tests.verifier import verify
from tests.wire.broken import Line, new_pair

CASE = CASES[0]
GOOD = ((), ())


def seats(folder: Path) -> tuple[Player, Player]:
    return Player(0, CASE, folder / "host"), Player(1, CASE, folder / "join")


async def broken_off(folder: Path, number: int) -> tuple[Player, Player]:
    """A match whose line was cut after message *number* of the host, and never came back."""
    players = seats(folder)
    street = Street(lambda line: ((), (Cut(message(number)),)))
    street.most_lines = 1
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(players[0].listen, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(players[1].dial, street)
    return players


async def test_an_acceptance_that_was_lost_is_begun_anew(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """The joiner alone knows of that match; the host waits for somebody to play with."""
    players = seats(tmp_path)
    street = Street(lambda line: GOOD if line else ((Block(message(2)),), ()))
    assert await meet(*players, street) == 0
    assert [len(player.records) for player in players] == [1, 1]
    assert [player.error for player in players] == [None, None]
    heads = [verify(player.records[0].read_bytes()).head for player in players]
    assert heads == [(await reference(CASE)).head] * 2
    # The line that broke, the one on which they found out, and the match's.
    assert len(street.lines) == 3


async def test_who_resumes_such_a_match_is_told_that_it_never_was_one(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = seats(tmp_path)
    street = Street(lambda line: GOOD if line else ((Block(message(2)),), ()))
    street.most_lines = 1
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            await join.dial(street)
            kept = [join.kept]
            street.most_lines = None
            await join.dial(street, resume=True)
            nursery.cancel_scope.cancel()
    assert isinstance(join.error, NotOpen)
    assert "never was one" in join.error.why
    assert [*kept, join.kept] == [True, False]
    assert join.records == []


async def test_what_both_have_played_is_not_given_up_because_one_has_lost_it(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = await broken_off(tmp_path, 6)
    for path in host.folder.iterdir():
        path.unlink()
    street = Street(lambda line: GOOD)
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            await join.dial(street, resume=True)
            nursery.cancel_scope.cancel()
    assert isinstance(join.error, NotOpen)
    assert join.kept


@pytest.mark.skipif(os.name == "nt", reason="files have no such permissions there")
async def test_the_host_is_told_why_a_match_that_is_asked_for_cannot_go_on(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    host, join = await broken_off(tmp_path, 6)
    (secret,) = host.folder.glob("*.secret")
    secret.chmod(0o644)
    street = Street(lambda line: GOOD)
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            await join.dial(street, resume=True)
            await trio.sleep(10)  # of the virtual clock: the host parts, and says why
            nursery.cancel_scope.cancel()
    assert isinstance(join.error, NotOpen)
    assert join.kept
    said = "\n".join(host.notes.lines)
    assert "wants to go on with a match that cannot go on here." in said
    assert f"chmod 600 {secret}" in said


def test_why_a_match_that_is_asked_for_cannot_go_on(tmp_path: Path) -> None:
    async def begin() -> tuple[Player, Player]:
        return await broken_off(tmp_path, 6)

    players = trio.run(begin, clock=trio.testing.MockClock(autojump_threshold=0))
    entrants = [player.entrant for player in players]
    saved = find_saved(players[0].folder, None)
    match_id, theirs = saved.secrets.match_id, entrants[1].public_key
    route = Route(True, "street", 1)
    person = Keeping(entrants[0], None, players[0].folder, route, sync=False)
    with pytest.raises(OtherSeat) as other:
        person.find(match_id, theirs)
    assert other.value.why == "It was begun by a bot, and here you would go on with it."
    bot = Keeping(entrants[0], BotSeat(entrants[0]), players[0].folder, route, sync=False)
    assert bot.find(bytes(32), theirs) is None
    assert bot.find(match_id, entrants[0].public_key) is None
    found = bot.find(match_id, theirs)
    assert found is not None
    with pytest.raises(MatchInUse):
        Keeping(entrants[0], BotSeat(entrants[0]), players[0].folder, route, sync=False).find(
            match_id, theirs
        )
    bot.close()


async def test_both_give_up_after_the_grace_and_keep_the_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()
    players = await broken_off(tmp_path, 6)
    assert [type(player.error) for player in players] == [OpponentAway] * 2
    assert [player.kept for player in players] == [True, True]
    assert trio.current_time() - began == pytest.approx(600, abs=1)


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_match_that_is_complete_needs_nobody_to_come(
    tmp_path: Path,
    autojump_clock: trio.testing.MockClock,
    seat: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its program was killed after the last word, and before it put the secrets away."""
    players = seats(tmp_path)
    player = players[seat]
    settle = Journal.settle

    def leave(journal: Journal) -> None:
        """As a kill leaves it."""
        assert journal.path is not None
        if journal.path.parent == player.folder:
            copy = tmp_path / "copy"
            shutil.copytree(player.folder, copy)
        settle(journal)

    monkeypatch.setattr(Journal, "settle", leave)
    await meet(*players, Street(lambda line: GOOD))
    monkeypatch.undo()
    head = verify(player.records[0].read_bytes()).head
    player.folder = tmp_path / "copy"
    kept = [player.kept]
    began = trio.current_time()
    async with Street(lambda line: GOOD) as street:
        street.most_lines = 0
        await (player.dial if seat else player.listen)(street, resume=True)
    assert trio.current_time() - began <= OBLIGING_SECONDS
    assert player.error is None
    assert player.report is not None
    assert player.report.head == head
    assert player.report.outcome.termination is Termination.NORMAL
    assert [*kept, player.kept] == [True, False]
    verdict = verify(player.records[0].read_bytes())
    assert verdict.complete
    assert verdict.ended


def test_the_bot_that_began_a_match_goes_on_with_it(tmp_path: Path) -> None:
    """Whatever the seat was about to begin: other secrets would be another bot."""

    async def begin() -> None:
        await broken_off(tmp_path, 6)

    trio.run(begin, clock=trio.testing.MockClock(autojump_threshold=0))
    folder = tmp_path / "join"
    saved = find_saved(folder, None)
    chair = CASE.join
    entrant = Entrant(
        seat=1, name="Ben", deck=chair.deck, bot=chair.bot, seed=CASE.seed, known=True
    )
    seat = BotSeat(entrant)
    kept = Keeping(entrant, seat, folder, Route(False, "street", 1), sync=False)
    kept.take_up(saved)
    seat.sit(7)
    assert seat.secret != saved.secrets.bot_secret
    kept.reopen()
    assert seat.secret == saved.secrets.bot_secret
    kept.close()


def report(termination: Termination) -> MatchReport:
    """A match that is not through, and has ended so, if it has."""
    return MatchReport(
        match_id=bytes(32),
        seat=Seat.HOST,
        rules=Rules(),
        outcome=Outcome(termination, None),
        won=(0, 0),
        opened=(True, True),
        head=bytes(32),
        lots=0,
        record=None,
        unfinished=True,
    )


@pytest.mark.parametrize(
    ("termination", "error", "seconds"),
    [
        (Termination.ABANDONED, Refused(), 600.0),
        (Termination.ABANDONED, Busy(), 600.0),
        (Termination.NORMAL, Refused(), OBLIGING_SECONDS),
        # It is there, and may not know yet that the old line is dead.
        (Termination.NORMAL, Busy(), BUSY_SECONDS),
    ],
)
def test_how_long_the_other_side_is_waited_for(
    termination: Termination, error: PazaakError, seconds: float
) -> None:
    patience = Patience(600.0, report(termination))
    assert patience.broken(None, error, 100.0) == seconds
    assert patience.broken(None, error, 104.0) == seconds - 4.0
    assert patience.broken(None, Refused(), 100.0 + seconds) == max(
        0.0, (600.0 if termination is Termination.ABANDONED else OBLIGING_SECONDS) - seconds
    )


@pytest.mark.parametrize("reason", [ByeReason.DONE, ByeReason.LATER, ByeReason.FAULT])
def test_only_who_is_done_is_known_to_have_the_last_entry(reason: ByeReason) -> None:
    pair = new_pair("last", Line(None))
    pair.play(Rules(sets=1))
    last = next(side for side in pair.sides if not side.peer.confirmed)
    other = next(side for side in pair.sides if side is not last)
    assert other.peer.confirmed
    other.peer.bye(reason)
    pair.go()
    assert last.peer.confirmed is (reason is ByeReason.DONE)


async def test_a_trial_that_comes_to_nothing_is_noticed(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The runs of this package can fail: here no line is whole for long enough."""
    plans = tuple(((Cut(message(3 if line == 0 else 1)),), ()) for line in range(1000))
    with pytest.raises(trio.TooSlowError):
        await play(Trial(CASE.name, plans))


async def test_a_caller_who_leaves_does_not_take_the_record_along(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """One who says nothing is there before the opponent, and goes while the match goes on."""
    host, join = await broken_off(tmp_path, 7)
    # The opponent's line, the second, is slower than a silent caller may be.
    street = Street(lambda line: ((Delay(message(3), 12),), ()) if line else GOOD)
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(partial(host.listen, street, resume=True))
            await trio.testing.wait_all_tasks_blocked()
            silent = street.dial()
            await trio.testing.wait_all_tasks_blocked()
            await join.dial(street, resume=True)
    await silent.aclose()
    assert len(street.lines) == 2
    assert [host.kept, join.kept] == [False, False]
    heads = [verify(player.records[0].read_bytes()).head for player in (host, join)]
    assert heads == [(await reference(CASE)).head] * 2


async def test_a_caller_from_before_the_line_broke_gets_no_new_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """One who came while the goodbyes of a broken session were said finds the seat taken."""
    host, join = seats(tmp_path)
    lost = (Vanish(message(6)),)
    plans: list[Plans] = [
        (lost, lost),
        ((Delay(message(1), 0.7),), ()),
    ]  # the caller greets when they are said
    street = Street(lambda line: plans[line] if line < len(plans) else GOOD)
    caller = Player(1, CASE, tmp_path / "caller")
    with trio.fail_after(10_000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(join.dial, street)
            # Silence is noticed after half a minute, and a second is for the goodbye.
            await trio.sleep(30.5)
            await caller.dial(street)
    assert isinstance(caller.error, Busy)
    assert not caller.records
    heads = [verify(player.records[0].read_bytes()).head for player in (host, join)]
    assert heads == [(await reference(CASE)).head] * 2
