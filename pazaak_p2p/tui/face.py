"""What a person sees and types on: the two faces of the game, a screen and plain lines, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import trio

from pazaak_p2p.tui.dialog import Decision, Position
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.status import Status


class Face(Protocol):
    """All methods are called from trio and none but :meth:`run` waits."""

    glyphs: Glyphs
    rests: bool
    """Whether it goes with the program, so that the person has to be asked when it may go."""
    decisions: trio.MemoryReceiveChannel[Decision]
    """What the person decides, in order."""

    def say(self, lines: Sequence[Line]) -> None:
        """Add *lines* to the log."""

    def recall(self, lines: Sequence[Line]) -> None:
        """*lines* were said before this face was there: they belong into a log to look back in."""

    def show(self, position: Position) -> None:
        """The table is now as *position* says."""

    def keep(self, lines: Sequence[Line]) -> None:
        """*lines*, said already, are also to be read when the screen has gone."""

    def inform(self, status: Status) -> None:
        """Line, clock and lots are now as *status* says."""

    def hold(self, on: bool) -> None:
        """What is shown stands still for a while, or does no longer."""

    def rest(self, *, again: bool = False) -> None:
        """All is over and shown; the person says when it is enough, by ``GoOn``, or by ``Again`` if
        that can be. Where nobody can be asked, ``GoOn`` comes by itself.
        """

    def interrupt(self) -> None:
        """Ctrl-C came as a signal."""

    async def run(self) -> None:
        """Work until cancelled. Raises :exc:`pazaak_p2p.tui.bridge.HungUp`."""
