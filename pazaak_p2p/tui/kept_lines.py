"""Which of the lines that a :class:`~pazaak_p2p.tui.story.Story` tells stay to be read. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pazaak_p2p.net.player import Away
from pazaak_p2p.rules import Leave
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.story import ENDINGS
from pazaak_p2p.wire.events import Ended, Event, Greeted, Moved, Resumed


def kept(event: Event | Away, lines: Sequence[Line]) -> list[Line]:
    """Of *lines*, told of *event*, what tells how a match came about and went, and why it ended."""
    match event:
        case Greeted() | Resumed() | Ended() | Moved(input=Leave()):
            return list(lines)
        case _:
            return [line for line in lines if line[0][0] in ENDINGS]


def banner(event: Moved, lines: Sequence[Line]) -> Line:
    """What stands at the table after *event*, of which *lines* were kept: at least one."""
    if event.state.outcome is None:
        return lines[0]
    return ending(lines) if isinstance(event.input, Leave) else lines[-1]


def ending(lines: Sequence[Line]) -> Line:
    """Of *lines*, what ended the match and how it came out, as one; empty if they tell no end."""
    for at, line in enumerate(lines):
        if line[0][0] in ENDINGS:
            return tuple([fragment for said in lines[: at + 1] for fragment in said])
    return ()
