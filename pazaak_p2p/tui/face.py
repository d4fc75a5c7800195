"""What a person sees and types on: the two faces of the game, a screen and plain lines, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import trio

from pazaak_p2p.tui.dialog import Decision, Position
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line


class Face(Protocol):
    """All methods are called from trio and none but :meth:`run` waits."""

    glyphs: Glyphs
    decisions: trio.MemoryReceiveChannel[Decision]
    """What the person decides, in order."""

    def say(self, lines: Sequence[Line]) -> None:
        """Add *lines* to the log."""

    def show(self, position: Position) -> None:
        """The table is now as *position* says."""

    def interrupt(self) -> None:
        """Ctrl-C came as a signal."""

    async def run(self) -> None:
        """Work until cancelled. Raises :exc:`pazaak_p2p.tui.bridge.HungUp`."""
