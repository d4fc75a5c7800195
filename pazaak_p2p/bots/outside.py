"""A bot that is a program of its own, in any language: over its standard streams, or over TCP.

See protocol/bot-interface.md. What it says is bounded in size, number and time; whatever else it
does raises a ``BotFault``, after which it is of no use but to be closed.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol, TypeVar

import trio

from pazaak_p2p.bots.faults import (
    BotCrashed,
    BotFault,
    BotGarbage,
    BotTooSlow,
    CannotStart,
)
from pazaak_p2p.bots.interface import (
    MOST_GREETING,
    QUIT,
    Begin,
    BotGreeting,
    answered_number,
    begin_text,
    check_first,
    check_options,
    error_text,
    gave_up,
    hello_text,
    parse_answer,
    parse_greeting,
    question_text,
)
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import dial_plain
from pazaak_p2p.net.errors import CannotConnect
from pazaak_p2p.net.lines import EndOfLines, LineFault, Lines
from pazaak_p2p.net.player import Concede
from pazaak_p2p.net.program import Program, start_program
from pazaak_p2p.rules import Action, View
from pazaak_p2p.text import in_seconds, printable

GREETING_SECONDS: Final = 10.0
"""From the start of a bot to the end of its greeting."""
QUIT_SECONDS: Final = 1.0
"""How long a bot may take to leave when it is told to."""
TELL_SECONDS: Final = 1.0
"""How long a bot may take nothing of what it is told, where the system has no room for it."""

_BEGINS: Final = "It is told that a match begins."
_AT_ONCE: Final = (
    "Read each line as it comes, answer at 'end' and not at the end of the input, and write every"
    " line out at once (flush)."
)

T = TypeVar("T")
Options = Sequence[tuple[str, str]]


class Outside(Protocol):
    """A bot that takes its time. One that has raised a ``BotFault`` is to be closed."""

    async def open(self) -> BotGreeting:
        """Start it, or connect to it, and greet. Raises ``CannotStart`` or a ``BotFault``."""

    async def begin(self, begin: Begin) -> None:
        """A match begins or goes on. Raises a ``BotFault``."""

    async def ask(self, view: View, seconds: float) -> Action | Concede:
        """What it chooses; it has *seconds*.

        May be cancelled, which takes the question back. Raises a ``BotFault``.
        """

    async def tell(self, text: str) -> None:
        """Tell it *text*, whole lines, if it is there and listens."""

    async def close(self, fault: BotFault | None = None) -> bool:
        """Have done with it, because of *fault* or in peace; did it leave by itself?

        Can not be cancelled, and ends within a few seconds.
        """


class _Talker:
    """A bot that is talked to by lines; what is left to say is how that begins and ends."""

    _talk: _Talk | None = None

    async def begin(self, begin: Begin) -> None:
        assert self._talk is not None
        await self._talk.begin(begin)

    async def ask(self, view: View, seconds: float) -> Action | Concede:
        assert self._talk is not None
        return await self._talk.ask(view, seconds)

    async def tell(self, text: str) -> None:
        if self._talk is not None:
            await self._talk.tell(text)


class ProgramBot(_Talker):
    """The program *argv*, started in *folder*, or else where we are; what it says on standard
    error is taken in a task of *nursery*."""

    def __init__(
        self,
        argv: Sequence[str],
        options: Options,
        nursery: trio.Nursery,
        folder: Path | None = None,
    ) -> None:
        self._argv = argv
        self._folder = folder
        self._options = options
        self._nursery = nursery
        self._program: Program | None = None
        self.runs: Callable[[int], object] = lambda group: None
        """Is told its process group when it has started, and 0 when nothing is left of that."""

    async def open(self) -> BotGreeting:
        shown = printable(self._argv[0], 80)
        try:
            self._program = await start_program(self._argv, self._nursery, self._folder)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise CannotStart(
                f"The bot {shown!r} cannot be started.",
                why=f"The system says: {printable(str(why), 200)}.",
                next=self._to_start(),
            ) from error
        self.runs(self._program.pid)
        self._talk = _Talk(self._program.lines, self._program)
        return await self._talk.greet(self._options)

    def _to_start(self) -> str:
        """What to do about a program that cannot be started."""
        name = self._argv[0]
        if (
            name
            and os.path.basename(name) == name
            and (self._folder or Path()).joinpath(name).is_file()
        ):
            shown = printable(name, 80)
            python = f" A Python class is written {shown}:CLASS." if name.endswith(".py") else ""
            return f"A program of the folder where it was typed is written ./{shown}.{python}"
        return (
            "It has to be a program that runs by itself (a script needs its first line, as in"
            " #!/bin/sh, and to be executable). Its path counts from the folder where it was typed."
        )

    async def close(self, fault: BotFault | None = None) -> bool:
        program, talk = self._program, self._talk
        self._program = self._talk = None
        if program is None:
            return True
        if talk is not None:
            await talk.say_goodbye(fault)
        polite = await program.close(QUIT_SECONDS if fault is None else 0)
        self.runs(0)
        return polite


class TcpBot(_Talker):
    """The bot that listens at *address*."""

    def __init__(self, address: Address, options: Options) -> None:
        self._address = address
        self._options = options

    async def open(self) -> BotGreeting:
        address = printable(str(self._address), 80)
        try:
            stream = await dial_plain(self._address)
        except CannotConnect as error:
            raise CannotStart(
                f"There is no bot at {address}.",
                why=error.what,
                next="Start the bot first; it has to listen on that address and port.",
            ) from error
        self._talk = _Talk(Lines(stream, stream), None)
        return await self._talk.greet(self._options)

    async def close(self, fault: BotFault | None = None) -> bool:
        talk, self._talk = self._talk, None
        if talk is not None:
            await talk.say_goodbye(fault)
            with trio.CancelScope(shield=True):
                await talk.lines.close()
        return True


class _Talk:
    """The conversation with a bot, over *lines*; *program* is what is at the other end, if ours."""

    def __init__(self, lines: Lines, program: Program | None) -> None:
        self.lines = lines
        self._program = program
        self._asked = 0
        self._taken_back: set[int] = set()

    async def greet(self, options: Options) -> BotGreeting:
        async def talk() -> BotGreeting:
            with suppress(trio.BrokenResourceError):  # it may have said why, and gone
                await self.lines.send(hello_text(options), TELL_SECONDS)
            said: list[str] = []
            while (line := await self.lines.line()) != "ready":
                if said:
                    gave_up(line)
                else:
                    check_first(line)  # at once: it may be all that the bot ever says
                said.append(line)
                if len(said) == MOST_GREETING:
                    raise BotGarbage(
                        "The bot's greeting has no end.",
                        why=f"It has more than {MOST_GREETING} lines, and none is 'ready'.",
                    )
            return parse_greeting(said)

        late = "It has to say who it is, and then 'ready'."
        greeting = await self._within(GREETING_SECONDS, talk, "did not greet", late, _AT_ONCE)
        check_options(greeting, options)
        return greeting

    async def begin(self, begin: Begin) -> None:
        async def talk() -> None:
            await self.lines.send(begin_text(begin), TELL_SECONDS)

        await self._within(TELL_SECONDS, talk, "does not read", _BEGINS, _AT_ONCE)

    async def ask(self, view: View, seconds: float) -> Action | Concede:
        self._asked += 1
        number = self._asked

        async def talk() -> Action | Concede:
            await self.lines.send(question_text(number, view, seconds), min(seconds, TELL_SECONDS))
            while True:
                line = await self.lines.line()
                answered = answered_number(line)
                if answered not in self._taken_back:
                    return parse_answer(line, number, view)
                self._taken_back.discard(answered)

        try:
            return await self._within(
                seconds, talk, "did not answer", f"That was question {number}."
            )
        except trio.Cancelled:
            self._taken_back.add(number)
            raise

    async def _within(
        self,
        seconds: float,
        talk: Callable[[], Awaitable[T]],
        late: str,
        why: str,
        next: str | None = None,
    ) -> T:
        """The result of *talk*, which has *seconds*; whatever goes wrong comes as a fault."""
        if self.lines.torn:
            raise BotGarbage("The bot was told half a sentence.", why="The line was cut in it.")
        try:
            with trio.fail_after(seconds):
                return await talk()
        except trio.TooSlowError as error:
            raise BotTooSlow(
                f"The bot {late} within {in_seconds(seconds)}.",
                why=why + self._words(),
                next=next,
            ) from error
        except (EndOfLines, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            how = "It closed the connection."
            if self._program is not None:
                how = await self._program.ended()
            raise BotCrashed(why=how + self._words()) from error
        except LineFault as error:
            raise BotGarbage("The bot said what is no line.", why=str(error)) from error

    def _words(self) -> str:
        words = "" if self._program is None else self._program.last_words
        return f" Its last words on standard error: {words}" if words else ""

    async def tell(self, text: str) -> None:
        if not self.lines.torn:
            with suppress(trio.TooSlowError, trio.BrokenResourceError, trio.ClosedResourceError):
                await self.lines.send(text, TELL_SECONDS)

    async def say_goodbye(self, fault: BotFault | None) -> None:
        await self.tell(QUIT if fault is None else error_text(fault))
