"""Which part of the log is looked at: its end, or a place further up. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pazaak_p2p.tui.lines import Line, wrapped

UP: Final = "up"
DOWN: Final = "down"
PAGE_UP: Final = "page up"
PAGE_DOWN: Final = "page down"
WHEEL_UP: Final = "wheel up"
WHEEL_DOWN: Final = "wheel down"
HOME: Final = "Home"
END: Final = "End"

SCROLLS: Final = frozenset({UP, DOWN, PAGE_UP, PAGE_DOWN, WHEEL_UP, WHEEL_DOWN, HOME, END})
"""The keys that scroll where nothing but the log is to be seen."""
PAGES: Final = frozenset({PAGE_UP, PAGE_DOWN, WHEEL_UP, WHEEL_DOWN})
"""Those that scroll also beside the table."""
_WHEEL: Final = 3


class Span(msgspec.Struct, frozen=True):
    """How long the log is, and how much of it is to be seen."""

    total: int = 0
    """Lines of the terminal that the whole log takes."""
    room: int = 0
    """Lines that there are for it; 0 if it is not shown."""

    @property
    def end(self) -> int:
        """The first line that is shown when the newest is."""
        return max(0, self.total - self.room)


def lines_of(log: Sequence[Line], columns: int) -> list[Line]:
    """The whole *log* in lines of the terminal."""
    return [part for line in log for part in wrapped(line, columns - 1, "   ")]


def tail_of(log: Sequence[Line], columns: int, room: int) -> list[Line]:
    """The last *room* lines of it."""
    lines: list[Line] = []
    for line in reversed(log):
        if len(lines) >= room:
            break
        lines[:0] = wrapped(line, columns - 1, "   ")
    return lines[max(0, len(lines) - room) :]


def scrolled(top: int | None, key: str, span: Span) -> int | None:
    """Where *key* leads from *top*, the first line that is shown; None: the newest is followed."""
    at = span.end if top is None else min(top, span.end)
    page = max(1, span.room - 1)
    match key:
        case "up":
            at -= 1
        case "down":
            at += 1
        case "page up":
            at -= page
        case "page down":
            at += page
        case "wheel up":
            at -= _WHEEL
        case "wheel down":
            at += _WHEEL
        case "Home":
            at = 0
        case _:
            at = span.end
    at = max(0, at)
    return None if at >= span.end else at
