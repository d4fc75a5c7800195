"""Our seat, played by a bot from outside."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TextIO

import trio

from pazaak_p2p.bots.outside_player import OutsidePlayer
from pazaak_p2p.bots.outside_spec import is_class
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.net.player import Away, Concede, Link, Request
from pazaak_p2p.rules import Action, View
from pazaak_p2p.wire.events import Event


class OutsideSeat:
    """A bot that takes its time; the same one for all matches, as long as it does nothing wrong."""

    instant = False

    def __init__(
        self, entrant: Entrant, nursery: trio.Nursery, output: Output, *, debug: bool
    ) -> None:
        assert entrant.bot is not None
        self._secrets = entrant.secrets
        self.secret = b""
        """What the bot's choices by chance follow from in this match."""
        spec = entrant.bot.outside
        assert spec is not None
        self._stdout: TextIO | None = None
        self.text = spec.text
        """The bot, as it was asked for; raw."""
        self._player = OutsidePlayer(
            spec, nursery, partial(output.failure, debug=debug), output.restarted
        )

    async def open(self) -> None:
        """Start the bot. Raises what is wrong with it.

        From here on until :meth:`close` what is printed goes to standard error, if the bot is a
        class, which runs in this process: standard output is what scripts follow.
        """
        if is_class(self.text):
            self._stdout, sys.stdout = sys.stdout, sys.stderr
        await self._player.open()

    async def close(self) -> None:
        """Have done with it. Can not be cancelled."""
        await self._player.close()
        if self._stdout is not None:
            sys.stdout = self._stdout

    def sit(self, match: int) -> None:
        """The entrant's *match*-th match begins, counted from 0."""
        self.secret = self._secrets.bot(match)
        self._player.sit(self.secret)

    def take_up(self, text: str, folder: Path | None, secret: bytes) -> None:
        """A match goes on that the bot *text* began with this *secret*: our bot takes it over."""
        self.secret = secret
        self._player.sit(secret)

    @property
    def hold(self) -> float:
        return self._player.hold

    @property
    def requests(self) -> trio.MemoryReceiveChannel[Request]:
        return self._player.requests

    async def ask(self, view: View) -> Action | Concede:
        return await self._player.ask(view)

    def notice(self, event: Event | Away) -> None:
        self._player.notice(event)

    def linked(self, link: Link) -> None:
        self._player.linked(link)

    def refused(self, why: str) -> None:
        self._player.refused(why)

    async def rest(self, *, again: bool = False) -> bool:
        """A bot has seen it, and wants no other."""
        return False

    async def leave(self) -> None:
        """A match is over: tell the bot."""
        await self._player.leave()

    def tell(self, text: str) -> None:
        """Nothing: a bot reads no words."""
