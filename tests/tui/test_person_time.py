"""What a person is shown as time passes: pace, clock, link, the end. By a virtual clock."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
import trio
from trio.testing import MockClock

from pazaak_p2p.net.player import Away, Claim, Concede, Quit, Request
from pazaak_p2p.rules import (
    Deal,
    Draw,
    End,
    Input,
    Leave,
    Opening,
    Outcome,
    Rules,
    Seat,
    Stand,
    State,
    Termination,
    apply,
    new_match,
    parse_rules,
    view,
)
from pazaak_p2p.tui.dialog import Again, Decision, GoOn, Position
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.lines import Line, plain
from pazaak_p2p.tui.pace import SET_PAUSE
from pazaak_p2p.tui.person import REST_SECONDS, Person
from pazaak_p2p.tui.status import Clock, Status
from pazaak_p2p.wire.events import Ended, Greeted, Moved, Resumed, Started
from tests.tui.positions import OURS, THEIRS


class Recorder:
    """A face that only writes down what it is told."""

    glyphs = UNICODE
    rests = True

    def __init__(self) -> None:
        self.decide, self.decisions = trio.open_memory_channel[Decision](math.inf)
        self.said: list[str] = []
        self.recalled: list[str] = []
        self.kept: list[str] = []
        self.shown: list[tuple[float, Position]] = []
        self.informed: list[tuple[float, Status]] = []
        self.holds: list[bool] = []
        self.rested = trio.Event()

    def say(self, lines: Sequence[Line]) -> None:
        self.said += map(plain, lines)

    def recall(self, lines: Sequence[Line]) -> None:
        self.recalled += map(plain, lines)

    def keep(self, lines: Sequence[Line]) -> None:
        self.kept += map(plain, lines)

    def show(self, position: Position) -> None:
        self.shown.append((trio.current_time(), position))

    def inform(self, status: Status) -> None:
        self.informed.append((trio.current_time(), status))

    def hold(self, on: bool) -> None:
        self.holds.append(on)

    def rest(self, *, again: bool = False) -> None:
        self.rested.set()

    def interrupt(self) -> None:
        """Nobody does."""

    async def run(self) -> None:
        await trio.sleep_forever()


@dataclass
class FakeLink:
    """A session, as the one who has it would tell of it."""

    rtt: float | None = None
    last_heard: float = field(default_factory=trio.current_time)
    lots_checked: int = 0
    turn_clock: tuple[int, float] | None = None


class Told:
    """A person at the host's seat, told of a match move by move."""

    def __init__(self, pace: float = 0, rules: Rules | None = None) -> None:
        self.face = Recorder()
        self.person = Person(self.face, pace=pace)
        self._rules = rules or Rules()

    def begin(self) -> None:
        self.person.notice(Greeted("Kreia", bytes(32), "test"))
        self.person.notice(Started(bytes(32), Seat.HOST, self._rules))
        self.state: State = new_match(self._rules, (OURS, THEIRS))
        self.move(Deal((0, 1, 2, 3), (0, 1, 2, 3)), Opening(4, 7))

    def move(self, *steps: Input) -> None:
        for step in steps:
            mover = self.state.mover
            self.state = apply(self.state, step)
            seen = view(self.state, Seat.HOST).state
            self.person.notice(Moved(step, mover, seen))

    @property
    def last(self) -> Position:
        return self.face.shown[-1][1]

    def asked(self) -> bool:
        return self.last.question is not None

    def theirs(self) -> list[tuple[float, int]]:
        """When each new total of theirs was shown."""
        found: list[tuple[float, int]] = []
        for when, position in self.face.shown:
            seen = position.view
            if seen is not None and (not found or found[-1][1] != seen.opponent_total):
                found.append((when, seen.opponent_total))
        return found


async def test_their_cards_are_shown_one_after_the_other(autojump_clock: MockClock) -> None:
    told = Told(pace=1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        began = trio.current_time()
        told.begin()  # the opening is looked at for two cards' time
        told.move(Draw(9), End(), Draw(3), End(), Draw(8), Stand(), Draw(4))
        await trio.sleep(20)
        nursery.cancel_scope.cancel()
    times = [(when - began, total) for when, total in told.theirs()]
    assert times == [(0, 0), (2, 9), (3, 17)]
    assert told.face.said[-1] == " You draw [4]: 7."


async def test_a_question_waits_for_what_is_shown_before_it(autojump_clock: MockClock) -> None:
    told = Told(pace=1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.move(Draw(9), End(), Draw(3))
        nursery.start_soon(told.person.ask, view(told.state, Seat.HOST))
        await trio.testing.wait_all_tasks_blocked()
        assert not told.asked()
        told.face.decide.send_nowait(GoOn())
        await trio.testing.wait_all_tasks_blocked()
        assert told.asked()
        nursery.cancel_scope.cancel()


async def test_the_end_of_a_set_is_looked_at_and_then_remembered(
    autojump_clock: MockClock,
) -> None:
    told = Told(pace=1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.move(Draw(9), End(), Draw(10), End(), Draw(9), Stand(), Draw(9), Stand(), Draw(5))
        await trio.sleep(5.5)  # opening 2; their cards, and that they stand, 1 each; ours none
        position = told.last
        assert position.result is not None
        assert position.result.totals == (19, 18)
        assert plain(position.banner) == " Set 1 is yours: 19 beats 18 (R18)."
        await trio.sleep(SET_PAUSE)
        assert told.last.result is None
        assert told.last.banner == position.banner  # until our next move
        told.move(End())
        await trio.sleep(SET_PAUSE)
        assert told.last.banner == ()
        nursery.cancel_scope.cancel()
    assert told.face.kept == [
        " Kreia sits down at the table.",
        " Set 1 is yours: 19 beats 18 (R18).",
    ]


async def test_a_clock_on_the_turn_is_shown_as_it_runs(autojump_clock: MockClock) -> None:
    told = Told(rules=parse_rules("turn_seconds=30"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        began = trio.current_time()
        link = FakeLink(0.5, began + 100, 4, (1, began + 30))
        told.person.linked(link)
        await trio.sleep(3.1)
        link.turn_clock = None
        await trio.sleep(2)
        nursery.cancel_scope.cancel()
    clocks = [status.clock for _, status in told.face.informed if status.clock is not None]
    assert clocks == [Clock(False, seconds) for seconds in (30, 29, 28, 27)]
    assert told.face.informed[-1][1] == Status(0.5, 0, 4, None)


async def test_nothing_is_redrawn_while_nothing_changes(autojump_clock: MockClock) -> None:
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        link = FakeLink(0.5, trio.current_time(), 4)
        told.person.linked(link)
        await trio.sleep(11.5)
        assert len(told.face.informed) == 1
        await trio.sleep(3)
        assert told.face.informed[-1][1].silent == 14
        link.last_heard = trio.current_time()
        await trio.sleep(2)
        assert told.face.informed[-1][1].silent == 0
        nursery.cancel_scope.cancel()


async def test_away_and_back(autojump_clock: MockClock) -> None:
    told = Told()
    told.begin()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.person.linked(FakeLink(0.5, trio.current_time(), 4))
        await trio.sleep(1)
        told.person.notice(Away(60))
        await trio.sleep(10.5)
        assert told.face.informed[-1][1] == Status(lots=4, away=50)
        told.person.notice(Away(49, claim_in=20))
        await trio.sleep(8.7)
        assert told.face.informed[-1][1] == Status(lots=4, away=41, claim=12)
        told.person.notice(Away(29, claim_in=0))
        await trio.sleep(0.1)
        claims = [position.away for _, position in told.face.shown]
        assert claims[-2:] == [False, True]  # no key that would only be refused
        told.person.linked(FakeLink(0.25, trio.current_time(), 4))
        seen = view(told.state, Seat.HOST).state
        told.person.notice(Resumed(bytes(32), Seat.HOST, Rules(), seen, ()))
        await trio.sleep(1)
        assert told.face.informed[-1][1] == Status(0.25, 0, 4, None)
        nursery.cancel_scope.cancel()


async def test_the_end_stays_until_a_key(autojump_clock: MockClock) -> None:
    told = Told(pace=1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        began = trio.current_time()

        async def press_when_rested() -> None:
            await told.face.rested.wait()
            await trio.sleep(5)
            told.face.decide.send_nowait(GoOn())

        nursery.start_soon(press_when_rested)
        await told.person.rest()
        assert trio.current_time() - began == 5
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("wish", "seconds"), [(Quit(), 0), (Claim(), REST_SECONDS)])
async def test_only_who_leaves_has_seen_the_end(
    wish: Request, seconds: float, autojump_clock: MockClock
) -> None:
    """Who has claimed the match still looks at the end of it."""
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.face.decide.send_nowait(wish)
        assert await told.person.requests.receive() == wish
        began = trio.current_time()
        await told.person.rest(again=True)
        assert trio.current_time() - began == seconds
        nursery.cancel_scope.cancel()


async def test_the_end_does_not_stay_for_ever(autojump_clock: MockClock) -> None:
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        began = trio.current_time()
        await told.person.rest()
        assert trio.current_time() - began == REST_SECONDS
        nursery.cancel_scope.cancel()


async def test_finish_leaves_nothing_untold(autojump_clock: MockClock) -> None:
    told = Told(pace=1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.move(Draw(9), End(), Draw(10), End(), Draw(9), Stand(), Draw(9), Stand())
        told.person.finish()
        assert told.face.kept[-1] == " Set 1 is yours: 19 beats 18 (R18)."
        assert told.face.holds[-1] is False
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("rests", [True, False])
async def test_a_face_that_stays_needs_no_rest(rests: bool, autojump_clock: MockClock) -> None:
    told = Told()
    told.face.rests = rests
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        await told.person.rest()
        nursery.cancel_scope.cancel()
    assert trio.current_time() - began == (REST_SECONDS if rests else 0)


async def test_a_match_that_goes_on_can_be_looked_at_while_the_other_is_away(
    autojump_clock: MockClock,
) -> None:
    state, moves = new_match(Rules(), (OURS, THEIRS)), list[Moved]()
    for step in (Deal((0, 1, 2, 3), (0, 1, 2, 3)), Opening(7, 4), Draw(9)):
        mover, state = state.mover, apply(state, step)
        moves.append(Moved(step, mover, view(state, Seat.HOST).state))
    before = Resumed(bytes(32), Seat.HOST, Rules(), moves[-1].state, (), tuple(moves))
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.person.expect("Kreia", before)
        told.person.notice(Away(60))
        await trio.sleep(1)
        looked_at = told.last
        assert (looked_at.opponent, looked_at.view) == ("Kreia", view(state, Seat.HOST))
        assert looked_at.absent
        assert told.face.recalled[0] == " The match begins: first to 3 sets (standard)."
        assert told.face.recalled[-1] == " You draw [9]: 9."
        recalled = len(told.face.recalled)
        told.person.notice(Greeted("Kreia", bytes(32), "test"))
        told.person.notice(before)
        await trio.sleep(1)
        assert len(told.face.recalled) == recalled  # once is enough
        assert told.face.said[-1] == " Your hand: [+3] [±4] [1±2] [D] (R4)."
        assert not told.last.absent
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        (Termination.TIME, "Your clock has run out (R21)."),
        (Termination.CONCESSION, "You concede the match."),
    ],
)
async def test_why_a_match_ended_stands_at_the_table_and_is_kept(
    how: Termination, cause: str, autojump_clock: MockClock
) -> None:
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.move(Draw(9), Leave(Seat.HOST, how))
        await trio.sleep(SET_PAUSE)
        nursery.cancel_scope.cancel()
    lost = " Kreia wins the match; sets: 0 to 0. "
    assert plain(told.last.banner) == f" {cause}{lost}".rstrip()
    assert told.face.kept[-2:] == [f" {cause}", lost.rstrip()]


async def test_a_claim_stands_at_the_table(autojump_clock: MockClock) -> None:
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.move(Draw(9))
        claimed = Outcome(Termination.ABANDONED, Seat.HOST)
        told.person.notice(Ended(claimed, (False, False), bytes(32), claimed=True))
        await trio.sleep(SET_PAUSE)
        nursery.cancel_scope.cancel()
    assert plain(told.last.banner) == (
        " You have claimed the match, since Kreia did not come back (R21)."
        " You win the match; sets: 0 to 0."
    )


@pytest.mark.parametrize("practice", [False, True])
async def test_of_the_line_nothing_is_told_where_there_is_none(
    practice: bool, autojump_clock: MockClock
) -> None:
    told = Told()
    told.person = Person(told.face, practice=practice)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.move(Draw(9))
        link = FakeLink(rtt=0.04, lots_checked=4)
        told.person.linked(link)
        await trio.sleep(20.5)
        playing = Status(lots=4) if practice else Status(0.04, 20, 4)
        assert told.face.informed[-1][1] == playing
        told.move(Leave(Seat.JOIN, Termination.CONCESSION))
        await trio.sleep(2)
        assert told.face.informed[-1][1] == Status(lots=4)
        nursery.cancel_scope.cancel()


async def test_who_concedes_sees_the_end_and_can_play_again(autojump_clock: MockClock) -> None:
    told = Told()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(told.person.run)
        told.begin()
        told.face.decide.send_nowait(Concede())
        assert await told.person.requests.receive() == Concede()
        told.move(Leave(Seat.HOST, Termination.CONCESSION))
        wishes: list[bool] = []

        async def rest() -> None:
            wishes.append(await told.person.rest(again=True))

        nursery.start_soon(rest)
        await told.face.rested.wait()
        await trio.sleep(REST_SECONDS / 2)
        assert not wishes
        told.face.decide.send_nowait(Again())
        await trio.testing.wait_all_tasks_blocked()
        assert wishes == [True]
        nursery.cancel_scope.cancel()
