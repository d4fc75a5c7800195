"""Bots from outside in an arena: programs of their own, and whoever listens on TCP.

A match of the arena is one loop in which every choice is taken at once (``net/at_once.py``), so who
takes its time is waited for there. The conversations themselves are those that these bots have
everywhere, under trio, which runs in a thread of its own; each of their steps is bounded in time.
A bot is started when it is needed first, and plays match after match, as long as it does nothing
wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

import trio
from msgspec import structs

from pazaak_p2p.arena.errors import BotNotReady
from pazaak_p2p.arena.referee import MOST_NOTE, Fault, kind_of
from pazaak_p2p.bots.faults import BotFault, BotTooSlow, CannotStart
from pazaak_p2p.bots.outside import Outside, ProgramBot
from pazaak_p2p.bots.outside_player import OutsidePlayer
from pazaak_p2p.bots.outside_spec import OutsideSpec, find_outside
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import Away, Concede
from pazaak_p2p.rules import Action, Outcome, Rules, Seat, View
from pazaak_p2p.text import printable
from pazaak_p2p.wire.events import Event

_ONE_AT_A_TIME: Final = (
    " In an arena it needs a connection for each process, and in a match against itself two: if"
    " it takes one at a time, type --concurrency 1."
)

T = TypeVar("T")


class Noted(Protocol):
    """Where it is noted which process groups are to go, should this process end otherwise."""

    def runs(self, place: int, group: int) -> None:
        """The bot in *place* runs in this process *group*; with 0, it does not."""


class Guest:
    """A bot from outside, as *spec* says, that plays matches begun with :meth:`sit`."""

    instant = True

    def __init__(self, thread: _TrioThread, spec: OutsideSpec) -> None:
        self._run = thread.run
        self._player = OutsidePlayer(spec, thread.nursery, self._lose, self._restarted)
        self.text = spec.text
        self.fault: Fault | None = None
        self.note = ""

    def open(self) -> None:
        """Start it. Raises ``CannotStart`` or a ``BotFault``."""
        self._run(self._player.open)

    def sit(self, secret: bytes) -> None:
        """A match begins; what the bot chooses by chance follows from *secret*."""
        self.fault, self.note = None, ""
        self._player.sit(secret)

    def choose(self, view: View) -> Action | Concede:
        """What the bot chooses, which is legal; ``Concede()`` with a :attr:`fault` if not."""
        return self._run(self._player.ask, view)

    ask = choose

    def refuse(self, view: View, action: Action) -> Concede:
        """Never called: a bot from outside can only choose by the numbers of what is legal."""
        raise AssertionError(f"{action!r} was offered")

    def notice(self, event: Event | Away) -> None:
        """Keeps what the bot is to be told."""
        self._player.notice(event)

    def again(self, choices: Sequence[View]) -> None:
        """Nothing: no match of the arena goes on in another session."""

    def starts(self, match_id: bytes, seat: Seat, rules: Rules) -> None:
        """For matches without events: one begins."""
        self._player.starts(match_id, seat, rules)

    def ends(self, outcome: Outcome, won: tuple[int, int]) -> None:
        """For matches without events: it is over."""
        self._player.ends(outcome, won)

    def leave(self) -> None:
        """A match is over: tell the bot."""
        self._run(self._player.leave)

    async def close(self) -> None:
        """Have done with the bot; under trio. Ends within a few seconds."""
        await self._player.close()

    def _lose(self, fault: PazaakError) -> None:
        self.fault = kind_of(fault)
        self.note = printable(f"{fault.what} {fault.why}", MOST_NOTE)

    def _restarted(self, told: str) -> None:
        self.note = told


class Guests:
    """All bots from outside that one process talks to; to be used in ``with``."""

    def __init__(self, noted: Noted) -> None:
        self._noted = noted
        self._thread: _TrioThread | None = None
        self._all: list[Guest] = []
        self._idle: dict[str, list[Guest]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._thread.run(self._close)
            self._thread.end()

    async def _close(self) -> None:
        async with trio.open_nursery() as nursery:
            for guest in self._all:
                nursery.start_soon(guest.close)

    def take(self, text: str, seconds: float) -> Guest:
        """The bot called *text*, which has *seconds* for a decision and sits nowhere else.

        Raises :class:`~pazaak_p2p.arena.errors.BotNotReady`.
        """
        idle = self._idle.setdefault(text, [])
        if idle:
            return idle.pop()
        if self._thread is None:
            self._thread = _TrioThread()
        spec = find_outside(text)
        assert spec is not None
        opened = partial(self._open, spec.open, len(self._all))
        guest = Guest(self._thread, structs.replace(spec, open=opened, seconds=seconds))
        self._all.append(guest)
        try:
            guest.open()
        except (CannotStart, BotFault) as error:
            late = text.startswith("tcp") and isinstance(error, BotTooSlow)
            hint = _ONE_AT_A_TIME if late else ""
            raise BotNotReady(error.what, why=error.why, next=error.next + hint) from error
        return guest

    def put_back(self, guest: Guest) -> None:
        """Its match is over."""
        guest.leave()
        self._idle[guest.text].append(guest)

    def _open(
        self, opened: Callable[[trio.Nursery], Outside], place: int, nursery: trio.Nursery
    ) -> Outside:
        bot = opened(nursery)
        if isinstance(bot, ProgramBot):
            bot.runs = partial(self._noted.runs, place)
        return bot


class _TrioThread:
    """trio in a thread of its own, for who does not run under it."""

    def __init__(self) -> None:
        ready: SimpleQueue[tuple[Any, trio.Nursery, trio.Event]] = SimpleQueue()

        async def main() -> None:
            over = trio.Event()
            async with trio.open_nursery() as nursery:
                ready.put((trio.lowlevel.current_trio_token(), nursery, over))
                await over.wait()

        self._thread = threading.Thread(target=trio.run, args=(main,), daemon=True)
        self._thread.start()
        self._token, self.nursery, self._over = ready.get()

    def run(self, call: Callable[..., Awaitable[T]], *arguments: object) -> T:
        """What comes of *call*, waited for here."""
        return trio.from_thread.run(call, *arguments, trio_token=self._token)

    def end(self) -> None:
        """Nothing more is to be run."""
        self._token.run_sync_soon(self._over.set)
        self._thread.join()
