"""A person as a player: what the match tells goes to a face, what the person decides comes back."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TextIO

import trio
from prompt_toolkit.input import create_input
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output

from pazaak_p2p.net.player import Away, Quit, Request, Say
from pazaak_p2p.rules import Action, View, view
from pazaak_p2p.tui.bridge import HungUp
from pazaak_p2p.tui.dialog import Act, Decision, Help, Position
from pazaak_p2p.tui.face import Face
from pazaak_p2p.tui.glyphs import glyphs_for
from pazaak_p2p.tui.plain import Plain
from pazaak_p2p.tui.screen import Screen
from pazaak_p2p.tui.stdin import LineReader, input_encoding
from pazaak_p2p.tui.story import Story
from pazaak_p2p.wire.events import Event, Greeted, Moved, Resumed, Started


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
    """

    instant = False

    def __init__(self, face: Face) -> None:
        self._face = face
        self._story = Story(face.glyphs)
        self._wants, self.requests = trio.open_memory_channel[Request](math.inf)
        self._view: View | None = None
        self._away = False
        self._question = _Question(0)

    # For the driver.

    async def ask(self, view: View) -> Action:
        """The action that the person chooses; waits as long as the person thinks."""
        self._question = question = _Question(self._question.number + 1)
        self._view = view
        self._show(question.number)
        try:
            return await question.wait()
        finally:
            # With whatever has come meanwhile: the match may have ended under the question.
            self._show(None)

    def notice(self, event: Event | Away) -> None:
        """Tell *event*."""
        self._face.say(self._story.tell(event))
        if isinstance(event, Away):
            self._away = event.claim_in is not None
            self._show(None)
        elif isinstance(event, Moved):
            assert self._story.seat is not None
            self._view = view(event.state, self._story.seat)
            self._show(None)
        elif isinstance(event, Resumed):
            self._away = False
            self._view = view(event.state, event.seat)
            self._show(None)
        elif isinstance(event, Greeted | Started):
            self._away = False
            self._view = None
            self._show(None)

    def refused(self, why: str) -> None:
        """Tell that what the person said was not sent."""
        self._face.say([(("class:bad", f" Not sent: {why}"),)])

    def tell(self, text: str) -> None:
        """Tell *text*, which is fit to be shown, if there is any."""
        if text:
            self._face.say([(("", f" {text}"),)])

    # The person's own task.

    async def run(self) -> None:
        """Show and listen until cancelled.

        Returns early, after a last ``Quit`` among the requests, when the terminal is gone. While it
        runs, SIGINT is what Ctrl-C is: once asks, twice leaves.
        """
        bug: Exception | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen)
            if _may_be_interrupted():
                await nursery.start(self._take_interrupts)
            try:
                await self._face.run()
            except HungUp:
                self._want(Quit())
            except Exception as error:
                bug = error  # raised below, not in a group
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
            case Say():
                self._face.say([self._story.said("You", decision.text)])
                self._want(decision)
            case _:
                self._want(decision)

    def _want(self, request: Request) -> None:
        with suppress(trio.BrokenResourceError):  # nobody drives a match any more
            self._wants.send_nowait(request)

    async def _take_interrupts(self, task_status: trio.TaskStatus[None]) -> None:
        with trio.open_signal_receiver(signal.SIGINT) as signals:
            task_status.started()
            async for _ in signals:
                self._face.interrupt()

    def _show(self, question: int | None) -> None:
        self._face.show(Position(self._view, self._story.opponent, question, self._away))


def _may_be_interrupted() -> bool:
    # Signals can be received in the main thread alone, and who was started to ignore this one (by
    # nohup, or as a shell's background job) goes on ignoring it.
    in_main_thread = threading.current_thread() is threading.main_thread()
    return in_main_thread and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def at_terminal(
    *,
    plain: bool = False,
    ascii: bool = False,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
) -> Person:
    """The person at *stdin* and *stdout* (standard: the program's own).

    A screen if both are a terminal that can move its cursor, numbered lines otherwise or if *plain*
    asks for them; *ascii* keeps to ASCII signs.
    """
    source = stdin if stdin is not None else sys.stdin
    target = stdout if stdout is not None else sys.stdout
    glyphs = glyphs_for(getattr(target, "encoding", None), ascii=ascii)
    typed_at = source is not None and source.isatty()
    if not plain and typed_at and target.isatty() and os.environ.get("TERM") != "dumb":
        output = create_output(target)
        if isinstance(output, Vt100_Output):
            # The table needs no cursor position; asking would confuse terminals that do not answer.
            output.enable_cpr = False
        return Person(Screen(glyphs, create_input(source), output))
    descriptor = source.fileno() if source is not None else None
    reader = LineReader(descriptor, input_encoding(source))
    return Person(Plain(glyphs, reader, target, interactive=typed_at))
