"""A person as a player: what the match tells goes to a face, what the person decides comes back."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import trio

from pazaak_p2p.bots.hints import Hint, Hinter
from pazaak_p2p.net.player import Away, Link, Quit, Request, Say
from pazaak_p2p.rules import Action, Draw, End, Opening, Play, SetResult, Stand, View, view
from pazaak_p2p.tui import kept_lines
from pazaak_p2p.tui.bridge import HungUp
from pazaak_p2p.tui.dialog import Act, Again, AskHint, Decision, GoOn, Help, Position
from pazaak_p2p.tui.face import Face
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.names import called
from pazaak_p2p.tui.pace import SET_PAUSE, Pace
from pazaak_p2p.tui.status import QUIET, Clock, Status
from pazaak_p2p.tui.story import Story
from pazaak_p2p.tui.tutorial import Lesson, Tutorial
from pazaak_p2p.wire.events import Ended, Event, Greeted, Moved, Resumed, Started

REST_SECONDS: Final = 60.0
"""How long the end of a match stays on a screen that nobody looks at."""
_LOOK_SECONDS: Final = 1.0
_CLOCK_LOOK_SECONDS: Final = 0.2


class _Question:
    """One question to the person and, in time, the answer."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.action: Action | None = None
        self._answered = trio.Event()

    def answer(self, action: Action) -> None:
        if self.action is None:
            self.action = action
            self._answered.set()

    async def wait(self) -> Action:
        await self._answered.wait()
        assert self.action is not None
        return self.action


class Person:
    """The :class:`pazaak_p2p.net.player.Thinking` player at *face*.

    :meth:`run` must be running in a nursery of the program's; cancel it when all is told. Answers
    to :meth:`ask` come back from there, everything else that the person wants (to concede, to
    leave, to say something) goes to ``requests``, at any time, also when nothing is asked.

    *pace* is how many seconds a card is looked at before the next one is shown; *keeps* tells
    whether a match that is left can go on later, *practice* whether the opponent is a bot on this
    machine; a *tutorial* is for newcomers.
    """

    instant = False
    hold = 0.0

    def __init__(
        self,
        face: Face,
        *,
        pace: float = 0,
        keeps: bool = False,
        practice: bool = False,
        tutorial: Tutorial | None = None,
    ) -> None:
        self._face = face
        self._keeps = keeps
        self._practice = practice
        self._tutorial = tutorial
        self._lesson: Line = ()
        self._hinter = Hinter()
        self._hint: Hint | None = None
        self._ask_hint, self._hints_asked = trio.open_memory_channel[_Question](math.inf)
        self._thinking = trio.CancelScope()
        self._story = Story(face.glyphs)
        self._wants, self.requests = trio.open_memory_channel[Request](math.inf)
        self._view: View | None = None
        self._banner: Line = ()
        self._result: SetResult | None = None
        self._claimable = False
        """Whether the match can be claimed, since the opponent stays away in its turn."""
        self._question = _Question(0)
        self._pace = Pace(pace, face.hold)
        self._status = Status()
        self._link: Link | None = None
        self._away_until: float | None = None
        self._claim_at: float | None = None
        self._enough = trio.Event()
        self._resting = self._again = self._gone = False

    # For the driver.

    def expect(self, name: str, before: Resumed) -> None:
        """The player called *name* (raw) is waited for, to go on with a match that was so *before*.

        It is looked at meanwhile.
        """
        self._story.opponent = called(name, self._face.glyphs)
        self._recall(before)
        if before.moves:
            self._view = view(before.state, before.seat)
        self._show(None)

    async def ask(self, view: View) -> Action:
        """The action that the person chooses; waits as long as the person thinks."""
        self._question = question = _Question(self._question.number + 1)
        self._view = view
        if self._tutorial is not None:
            self._learn(self._tutorial.asked(view, self._story.opponent))
        self._show(question.number)
        try:
            return await question.wait()
        finally:
            self._hint = None
            self._thinking.cancel()
            # With whatever has come meanwhile: the match may have ended under the question.
            self._learn(None)
            self._show(None)

    def notice(self, event: Event | Away) -> None:
        """Tell *event*."""
        if isinstance(event, Resumed):
            self._recall(event)
        lines = self._story.tell(event)
        kept = kept_lines.kept(event, lines)
        self._pace.put(partial(self._face.say, lines))
        if kept:
            self._pace.put(partial(self._face.keep, kept))
        if isinstance(event, Moved):
            self._moved(event, kept)
        elif isinstance(event, Ended):
            self._ended(lines)
        elif isinstance(event, Resumed):
            self._away_until, self._claimable = None, False
            self._view, self._result = view(event.state, event.seat), None
            self._show(None)
        elif isinstance(event, Greeted | Started):
            self._claimable = False
            if isinstance(event, Started):
                self._pace.keep_within(event.rules.turn_seconds)
            self._view, self._result, self._banner = None, None, ()
            self._show(None)
        elif isinstance(event, Away):
            self._link = None
            self._away_until = trio.current_time() + event.seconds
            self._claimable = event.claim_in == 0
            self._claim_at = None
            if event.claim_in is not None:
                self._claim_at = trio.current_time() + event.claim_in
            self._show(None)
            self._look()

    def _recall(self, resumed: Resumed) -> None:
        """Tell of a match that goes on what was told before, if it was not told here."""
        if earlier := self._story.retell(resumed):
            self._pace.put(partial(self._face.recall, earlier))

    def _moved(self, event: Moved, kept: Sequence[Line]) -> None:
        assert self._story.seat is not None
        before = self._view
        self._view = now = view(event.state, self._story.seat)
        results = event.state.results
        ended = len(results) > (0 if before is None else len(before.state.results))
        if kept:
            self._banner = kept_lines.banner(event, kept)
        elif isinstance(event.input, Play | End | Stand) and event.seat is now.seat:
            self._banner = ()  # the person is in the next set, in thought too
        self._result = results[-1] if ended else None
        if self._tutorial is not None and before is not None:
            opponent = self._story.opponent
            self._learn(self._tutorial.happened(event.input, before.state, now, opponent))
        if event.state.outcome is not None:
            self._show(None)  # it is looked at in peace, see rest()
        elif self._lesson:
            # Until a key says that it has been read; a face of lines can be read at any time.
            self._show(None, cards=math.inf if self._face.rests else 0)
            self._learn(None)
        else:
            self._show(None, cards=SET_PAUSE if ended else _cards(event, now))

    def _ended(self, lines: Sequence[Line]) -> None:
        """The match is over, and *lines* were said of that."""
        if banner := kept_lines.ending(lines):  # by no move, so the table does not tell it yet
            self._banner = banner
            self._show(None)
        if self._tutorial is not None:
            self._close(self._tutorial)

    def _learn(self, lesson: Lesson | None) -> None:
        """What is shown next comes with this *lesson*."""
        self._lesson = ()
        if lesson is not None:
            self._lesson = (("class:lesson", f"{self._face.glyphs.says} "), ("", lesson.text))

    def _close(self, tutorial: Tutorial) -> None:
        """At the end of the match tell what did not come up."""
        rest = [f"   {text}" for text in tutorial.rest()]
        texts = [" What did not come up:", *rest] if rest else []
        texts.append(" Now for the real thing: pazaak play. All the rules: pazaak rules.")
        lines: list[Line] = [(("", text),) for text in texts]
        self._pace.put(partial(self._face.say, lines))
        self._pace.put(partial(self._face.keep, lines))

    def linked(self, link: Link) -> None:
        """Show what *link* tells from now on."""
        self._link, self._away_until = link, None

    def refused(self, why: str) -> None:
        """Tell that what the person said was not sent."""
        self._face.say([(("class:bad", f" Not sent: {why}"),)])

    def tell(self, text: str) -> None:
        """Tell *text*, which is fit to be shown, if there is any; it is also to be read later."""
        if text:
            lines: list[Line] = [(("", f" {text}"),)]
            self._pace.put(partial(self._face.say, lines))
            self._pace.put(partial(self._face.keep, lines))

    async def rest(self, *, again: bool = False) -> bool:
        """Wait until the person has seen the end, on a face that goes away then; not for ever.

        Whether it wants another match, if it can have one *again*.
        """
        if self._gone or not (self._face.rests or again):
            return False
        self._pace.put(partial(self._rest, again))
        with trio.move_on_after(REST_SECONDS):
            await self._enough.wait()
        return self._again

    def _rest(self, again: bool) -> None:
        self._resting = True
        self._face.rest(again=again)

    def finish(self) -> None:
        """Show all that was to be shown one after the other."""
        self._pace.finish()

    # The person's own task.

    async def run(self) -> None:
        """Show and listen until cancelled.

        Returns early, after a last ``Quit`` among the requests, when the terminal is gone. While it
        runs, SIGINT is what Ctrl-C is: once asks, twice leaves.
        """
        bug: Exception | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen)
            nursery.start_soon(self._pace.run)
            nursery.start_soon(self._keep_looking)
            nursery.start_soon(self._give_hints)
            if _may_be_interrupted():
                await nursery.start(self._take_interrupts)
            try:
                await self._face.run()
            except HungUp:
                self._want(Quit())
            except Exception as error:
                bug = error  # raised below, not in a group
            finally:
                self._gone = True
                self._enough.set()
            nursery.cancel_scope.cancel()
        if bug is not None:
            raise bug

    async def _listen(self) -> None:
        async for decision in self._face.decisions:
            self._decided(decision)

    def _decided(self, decision: Decision) -> None:
        match decision:
            case Act():
                # An answer can cross the end of its question on the way.
                if decision.question == self._question.number:
                    self._question.answer(decision.action)
            case Help():
                pass  # a face shows that by itself
            case AskHint():
                if decision.question == self._question.number:
                    self._ask_hint.send_nowait(self._question)
            case GoOn() if not self._resting:
                self._pace.skip()
            case GoOn() | Again():
                self._again = isinstance(decision, Again)
                self._enough.set()
            case Say():
                self._face.say([self._story.said("You", decision.text)])
                self._want(decision)
            case Quit():
                self._enough.set()
                self._want(decision)
            case _:
                self._want(decision)

    async def _give_hints(self) -> None:
        async for question in self._hints_asked:
            view = self._view
            if question is not self._question or question.action is not None or view is None:
                continue
            with trio.CancelScope() as self._thinking:
                hint = await self._hinter.hint(view)
                if question is self._question and question.action is None:
                    self._hint = hint
                    self._show(question.number)

    def _want(self, request: Request) -> None:
        with suppress(trio.BrokenResourceError):  # nobody drives a match any more
            self._wants.send_nowait(request)

    async def _take_interrupts(self, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(signal.SIGINT) as signals:
            task_status.started()
            async for _ in signals:
                self._face.interrupt()

    async def _keep_looking(self) -> None:
        while True:
            self._look()
            await trio.sleep(_LOOK_SECONDS if self._status.clock is None else _CLOCK_LOOK_SECONDS)

    def _look(self) -> None:
        """Show how the line, the clock and the lots are now, where that has changed."""
        status = self._now()
        if status != self._status:
            self._status = status
            self._face.inform(status)

    def _now(self) -> Status:
        link, now = self._link, trio.current_time()
        if self._away_until is not None:
            left = max(0, math.ceil(self._away_until - now))
            claim = None if self._claim_at is None else max(0, math.ceil(self._claim_at - now))
            return Status(lots=self._status.lots, away=left, claim=claim)
        if link is None:
            return Status()
        lots, clock = link.lots_checked, self._clock(link)
        if self._practice or (self._view is not None and self._view.state.outcome is not None):
            # A bot in this program cannot be far away, and who has left is not to be heard.
            return Status(lots=lots, clock=clock)
        silent = int(now - link.last_heard)
        return Status(link.rtt, silent if silent >= QUIET else 0, lots, clock)

    def _clock(self, link: Link) -> Clock | None:
        if link.turn_clock is None:
            return None
        seat, until = link.turn_clock
        return Clock(seat == self._story.seat, max(0, math.ceil(until - trio.current_time())))

    def _show(self, question: int | None, *, cards: float = 0) -> None:
        position = Position(
            self._view,
            self._story.opponent,
            question,
            self._keeps,
            self._result,
            self._banner,
            self._claimable,
            self._practice,
            self._hint,
            self._lesson,
            absent=self._away_until is not None,
        )
        self._pace.put(partial(self._face.show, position), cards)


def _cards(event: Moved, now: View) -> float:
    """For how many cards' time what has moved is to be looked at."""
    match event.input:
        case Opening():
            return 2
        case Draw() | Play() | Stand() if event.seat is not now.seat:
            return 1
        case _:
            return 0


def _may_be_interrupted() -> bool:
    # Signals can be received in the main thread alone, and who was started to ignore this one (by
    # nohup, or as a shell's background job) goes on ignoring it.
    in_main_thread = threading.current_thread() is threading.main_thread()
    return in_main_thread and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
