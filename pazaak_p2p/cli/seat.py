"""Who plays our seat: a bot, or the person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import trio
from msgspec import Struct

from pazaak_p2p.bots import Bot, find_bot
from pazaak_p2p.cli.first_use import first_words
from pazaak_p2p.cli.look import Look, settled
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.cli.outside_seat import OutsideSeat
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import Away, Concede, Link, Request
from pazaak_p2p.rules import Action, View
from pazaak_p2p.wire.events import Event, Resumed

if TYPE_CHECKING:
    from pazaak_p2p.tui.person import Person

T = TypeVar("T")


class Sitting(Struct, frozen=True, kw_only=True):
    """How a seat is sat at; most of it is for a person's screen."""

    json: bool
    """Whether standard output is for a script."""
    look: Look = Look()
    keeps: bool = False
    """Whether a match that is left can go on later."""
    practice: bool = False
    """Whether it is one against a bot on this machine."""
    tutorial: bool = False
    """Whether everything is to be explained."""
    debug: bool = False
    """Whether all is told of what a bot from outside does wrong."""


class BotSeat:
    """A bot, fresh for every match; :meth:`sit` says which match begins."""

    instant = True

    def __init__(self, entrant: Entrant) -> None:
        assert entrant.bot is not None
        self._spec = entrant.bot
        self._secrets = entrant.secrets
        self._bot: Bot | None = None
        self.secret = b""
        """What the bot's choices in this match follow from."""

    @property
    def text(self) -> str:
        """The bot, as it was asked for; raw."""
        return self._spec.typed

    def sit(self, match: int) -> None:
        """The entrant's *match*-th match begins, counted from 0."""
        self.secret = self._secrets.bot(match)
        self._bot = self._spec.make(self.secret)

    def take_up(self, text: str, folder: Path | None, secret: bytes) -> None:
        """A match goes on that the bot *text*, asked for in *folder*, began with this *secret*."""
        spec = find_bot(text, folder=folder)
        self._bot = spec.make(
            secret
        )  # raises for a bot that cannot sit here, which changes nothing
        self._spec, self.secret = spec, secret

    def again(self, choices: Sequence[View]) -> None:
        self._bot = bot = self._spec.make(self.secret)
        if self._spec.remembers:
            for view in choices:
                bot.choose(view)

    def choose(self, view: View) -> Action | Concede:
        assert self._bot is not None
        return self._bot.choose(view)

    def notice(self, event: Event | Away) -> None:
        """Nothing: the view holds all that a bot needs."""

    async def rest(self, *, again: bool = False) -> bool:
        """A bot has seen it, and wants no other."""
        return False

    async def leave(self) -> None:
        """Nothing: a bot holds on to nothing."""

    def tell(self, text: str) -> None:
        """Nothing: a bot reads no words."""


class PersonSeat:
    """The person at the terminal; the screen is up from :meth:`sit` to :meth:`leave`."""

    instant = False
    hold = 0.0

    def __init__(self, nursery: trio.Nursery, sitting: Sitting, welcome: str = "") -> None:
        self._nursery = nursery
        self._stdout = sys.stdout  # which may be put elsewhere for who plays the other seat
        self._sitting = sitting
        self._look, self._theme = settled(sitting.look)
        self._early = [welcome] if welcome else []
        """What is told before the table is up."""
        self._expected: tuple[str, Resumed] | None = None
        self._person: Person
        self._up = trio.CancelScope()
        self._down = trio.Event()
        self._down.set()

    @property
    def requests(self) -> trio.MemoryReceiveChannel[Request]:
        return self._person.requests

    def sit(self, match: int) -> None:
        """A match begins: show the table."""
        # prompt_toolkit comes along with it, so only a person's match pays for that.
        from pazaak_p2p.tui.terminal import at_terminal

        look, sitting = self._look, self._sitting
        self._person = at_terminal(
            plain=bool(look.plain) or sitting.json,
            ascii=bool(look.ascii),
            pace=look.pace or 0,
            theme=self._theme,
            bell=bool(look.bell),
            keeps=sitting.keeps,
            practice=sitting.practice,
            tutorial=sitting.tutorial,
            stdout=sys.stderr if sitting.json else self._stdout,  # standard output is the script's
        )
        if self._expected is not None:
            self._person.expect(*self._expected)
            self._expected = None
        for text in self._early:
            self._person.tell(text)
        self._early.clear()
        # Made here: it may have to go down before it has come up.
        self._up, self._down = trio.CancelScope(), trio.Event()
        self._nursery.start_soon(self._show, self._person, self._up, self._down)

    def expect(self, name: str, before: Resumed) -> None:
        """The next table is that of a match that goes on; see :meth:`Person.expect`."""
        self._expected = name, before

    def standing(self) -> list[str]:
        """That match in lines, for one who waits without a table; nothing where a script reads."""
        from pazaak_p2p.tui.glyphs import glyphs_for
        from pazaak_p2p.tui.plain import describe_standing

        if self._expected is None or self._sitting.json:
            return []
        glyphs = glyphs_for(sys.stderr.encoding, ascii=bool(self._look.ascii))
        return describe_standing(*self._expected, glyphs)

    async def _show(self, person: Person, up: trio.CancelScope, down: trio.Event) -> None:
        try:
            with up:
                await person.run()
                # The terminal is gone, and the last request says so; there is nothing to show.
                await trio.sleep_forever()
        finally:
            down.set()

    async def rest(self, *, again: bool = False) -> bool:
        """Leave the end of the match on the screen until the person has seen it.

        Whether it wants another match, if it can have one *again*.
        """
        return not self._down.is_set() and await self._person.rest(again=again)

    def finish(self) -> None:
        """Show at once what was to be shown one after the other."""
        if not self._down.is_set():
            self._person.finish()

    async def leave(self) -> None:
        """Take the screen down, so that the terminal can be printed to."""
        self.finish()
        self._up.cancel()
        await self._down.wait()

    def linked(self, link: Link) -> None:
        self._person.linked(link)

    async def ask(self, view: View) -> Action:
        return await self._person.ask(view)

    def notice(self, event: Event | Away) -> None:
        self._person.notice(event)

    def refused(self, why: str) -> None:
        self._person.refused(why)

    def tell(self, text: str) -> None:
        """Tell the person *text*, which is fit to be shown: now, or when the table is up."""
        if self._down.is_set():
            self._early.append(text)
        else:
            self._person.tell(text)


SeatPlayer: TypeAlias = BotSeat | PersonSeat | OutsideSeat
BOTS: Final = (BotSeat, OutsideSeat)
"""The seats that no person plays."""


async def with_seat(
    entrant: Entrant,
    work: Callable[[SeatPlayer], Awaitable[T]],
    output: Output,
    sitting: Sitting,
) -> T:
    """Run *work* with whoever plays *entrant*'s seat; what a bot from outside does wrong is told to
    *output*."""
    if entrant.bot is not None and entrant.bot.outside is None:
        return await work(BotSeat(entrant))
    results: list[T] = []
    failure: PazaakError | None = None
    async with trio.open_nursery() as nursery:
        try:
            if entrant.bot is None:
                quiet = sitting.json or sitting.tutorial
                person = PersonSeat(nursery, sitting, "" if quiet else first_words(entrant))
                try:
                    results.append(await work(person))
                    await person.rest()
                finally:
                    person.finish()
            else:
                seat = OutsideSeat(entrant, nursery, output, debug=sitting.debug)
                try:
                    await seat.open()
                    results.append(await work(seat))
                finally:
                    await seat.close()
        except PazaakError as error:
            failure = error  # raised below, not in a group
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return results[0]


def run_seat(
    entrant: Entrant,
    work: Callable[[SeatPlayer], Awaitable[T]],
    output: Output,
    sitting: Sitting,
) -> T:
    """Run :func:`with_seat` as a command's whole work (see :func:`run_trio`)."""
    return run_trio(lambda: with_seat(entrant, work, output, sitting))
