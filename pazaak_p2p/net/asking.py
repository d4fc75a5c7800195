"""A player who takes its time: what it is asked, and what it wants beside that."""

from __future__ import annotations

from typing import cast

import trio

from pazaak_p2p.net.player import Concede, Player, Request, Thinking
from pazaak_p2p.rules import Action
from pazaak_p2p.wire.events import Choose


class Asking:
    """Asks *player* one question at a time. One that is ``instant`` is never asked here.

    Only the waiting can be ended from outside, and never a send: what a task does with an answer
    or a wish, it does after these methods have returned.
    """

    def __init__(self, player: Player) -> None:
        self._player = cast("Thinking", player)
        self.question: Choose | None = None
        """What the player has been asked, and has not answered."""
        # How long what was drawn is held back for the answer, and what tells of the answer.
        self._held_until = 0.0
        self._answered = trio.Event()
        self._choosing = trio.CancelScope()
        self._listening = trio.CancelScope()
        self._closed = False

    def put(self, question: Choose) -> None:
        """*question* is the player's now."""
        self.question = question
        self._held_until = trio.current_time() + self._player.hold

    async def answer(self, question: Choose) -> Action | Concede | None:
        """The player's choice; None if *question* was withdrawn."""
        if self.question is not question:  # withdrawn before this task came to run
            return None
        with trio.CancelScope() as self._choosing:
            choice = await self._player.ask(question.view)
        # The match may have ended in the very moment of the answer.
        if self._choosing.cancelled_caught or self.question is not question:
            return None
        self._settle()
        return choice

    async def hold(self) -> None:
        """Hold back what is to be sent while a quick player chooses: its turn is one entry then."""
        while self.question is not None and trio.current_time() < self._held_until:
            with trio.CancelScope(deadline=self._held_until):
                await self._answered.wait()

    def withdraw(self) -> None:
        """The question, if there is one, is answered by what has happened."""
        self._settle()
        self._choosing.cancel()

    async def wish(self) -> Request | None:
        """What the player wants next; None if it wants nothing any more, or :meth:`close` came."""
        with self._listening:
            try:
                request = await self._player.requests.receive()
            except trio.EndOfChannel:
                return None
        if self._closed:
            return None
        self._listening = trio.CancelScope()
        return request

    def close(self) -> None:
        """Nothing more is asked, nor heard."""
        self._closed = True
        self._choosing.cancel()
        self._listening.cancel()

    def _settle(self) -> None:
        self.question = None
        self._answered.set()
        self._answered = trio.Event()
