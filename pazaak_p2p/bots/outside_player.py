"""A bot from outside at the table: what it does wrong costs a restart or the match, no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from pazaak_p2p.bots.faults import BotFault, CannotStart
from pazaak_p2p.bots.interface import Begin, BotGreeting, over_text
from pazaak_p2p.bots.outside import Outside
from pazaak_p2p.bots.outside_spec import OutsideSpec
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import Away, Concede, Link, Request
from pazaak_p2p.rules import Action, Outcome, Rules, Seat, View
from pazaak_p2p.text import printable
from pazaak_p2p.wire import events
from pazaak_p2p.wire.events import Event

HOLD_SECONDS: Final = 0.05
"""How long the other side is kept waiting so that a turn can travel as one entry."""
_MOST_CAUSE: Final = 600


def restart_note(cause: str, text: str, number: int, restarts: int) -> str:
    """What is told of the bot *text* that is started again because of *cause*, in sentences."""
    shown = printable(text, 80)
    told = printable(cause, _MOST_CAUSE).rstrip(".")
    return f"{told}. Starting {shown} again ({number} of {restarts})."


class OutsidePlayer:
    """Plays one match after the other, each begun with :meth:`sit`, as *spec* says.

    *trouble* is told what the bot did wrong, and *restarted* that it plays on nevertheless. The
    bot runs from :meth:`open` to :meth:`close`; one that had to be ended is started again when it
    is needed next.
    """

    instant = False
    hold = HOLD_SECONDS

    def __init__(
        self,
        spec: OutsideSpec,
        nursery: trio.Nursery,
        trouble: Callable[[PazaakError], object],
        restarted: Callable[[str], object],
    ) -> None:
        self._spec = spec
        self._nursery = nursery
        self._trouble = trouble
        self._restarted = restarted
        self._bot: Outside | None = None
        self._begin: Begin | None = None
        self._told = self._lost = False
        self._seed = b""
        self._restarts = 0
        self._owed = ""
        self._won = (0, 0)
        # Nothing is ever sent: a bot wants nothing beside its choices.
        self._wants, self.requests = trio.open_memory_channel[Request](0)

    async def open(self) -> BotGreeting:
        """Start the bot, so that one that cannot be started is told at once."""
        self._bot = bot = self._spec.open(self._nursery)
        self._told = False
        return await bot.open()

    def sit(self, seed: bytes) -> None:
        """A match begins, or one goes on; what the bot chooses by chance follows from *seed*."""
        self._seed = seed
        self._restarts = 0
        self._lost = False
        self._begin = None

    async def ask(self, view: View) -> Action | Concede:
        """What the bot chooses; ``Concede`` if it does wrong and has no restart left."""
        while not self._lost:
            try:
                return await self._ask(view)
            except (BotFault, CannotStart) as fault:
                await self._end(fault if isinstance(fault, BotFault) else None)
                self._count(fault)
        return Concede()

    async def _ask(self, view: View) -> Action | Concede:
        begin = self._begin
        assert begin is not None
        if self._bot is None:
            await self.open()
        bot = self._bot
        assert bot is not None
        await self._pay(bot)
        if not self._told:
            await bot.begin(begin)
            # Whoever is told of the match later on, knows nothing of it.
            self._begin = Begin(begin.match_id, begin.seat, begin.rules, begin.seed, True)
            self._told = True
        return await bot.ask(view, self._limit(begin.rules))

    def _limit(self, rules: Rules) -> float:
        # R21: a turn is two choices at most, and its clock is the other side's too.
        clock = rules.turn_seconds
        return self._spec.seconds if clock is None else min(self._spec.seconds, clock / 3)

    def _count(self, fault: PazaakError) -> None:
        if self._restarts < self._spec.restarts:
            self._restarts += 1
            cause = f"{fault.what} {fault.why}"
            told = restart_note(cause, self._spec.text, self._restarts, self._spec.restarts)
            self._restarted(told)
            return
        self._lost = True
        shown = printable(self._spec.text, 80)
        fault.next = f"The bot {shown} has conceded this match (R21). {fault.next}"
        self._trouble(fault)

    async def _pay(self, bot: Outside) -> None:
        text, self._owed = self._owed, ""
        if text:
            await bot.tell(text)

    async def _end(self, fault: BotFault | None) -> None:
        bot, self._bot = self._bot, None
        self._told = False
        if bot is not None:
            await bot.close(fault)

    def notice(self, event: Event | Away) -> None:
        """Keeps what the bot is to be told."""
        match event:
            case events.Started(match_id, seat, rules):
                self.starts(match_id, seat, rules)
            case events.Resumed(match_id, seat, rules, state, _):
                self._begin = Begin(match_id, seat, rules, self._seed, True)
                self._told, self._won = False, state.won
            case events.Moved(_, _, state):
                self._won = state.won
            case events.Ended(outcome, _, _, resumable) if not resumable:
                self.ends(outcome, self._won)

    def starts(self, match_id: bytes, seat: Seat, rules: Rules) -> None:
        """A match begins in which the bot has this *seat*."""
        self._begin = Begin(match_id, seat, rules, self._seed, False)
        self._told, self._won = False, (0, 0)

    def ends(self, outcome: Outcome, won: tuple[int, int]) -> None:
        """The match is over; *won* are the sets of (host, join)."""
        if self._told:
            assert self._begin is not None
            begin = self._begin
            self._owed = over_text(begin.match_id, begin.seat, outcome, won)
            self._told = False

    def linked(self, link: Link) -> None:
        """Nothing: it looks at no clock but its own."""

    def refused(self, why: str) -> None:
        """Nothing: it says nothing."""

    async def leave(self) -> None:
        """A match is over: tell the bot."""
        if self._bot is not None:
            await self._pay(self._bot)

    async def close(self) -> None:
        """Have done with the bot. Can not be cancelled, and ends within a few seconds."""
        with trio.CancelScope(shield=True):
            await self.leave()
            await self._end(None)
            await self._wants.aclose()
            await self.requests.aclose()
