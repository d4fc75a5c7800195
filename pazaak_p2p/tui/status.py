"""What is known of the line, the clock and the lots, for the last line of the screen. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from pazaak_p2p.tui.lines import Fragment, Line, clip, joined, width

QUIET: Final = 12
"""Seconds without a message after which that is worth a word; somebody is pinged after ten."""
URGENT: Final = 10
"""Seconds left on a clock that are shown as a warning."""


class Clock(msgspec.Struct, frozen=True):
    """The clock of a turn (R21)."""

    ours: bool
    seconds: int
    """Left, rounded up."""


class Status(msgspec.Struct, frozen=True):
    """As it is now; nothing is known at first."""

    rtt: float | None = None
    """Seconds to the other side and back."""
    silent: int = 0
    """Seconds since the other side was heard."""
    lots: int = 0
    """Lots whose shares were both checked."""
    clock: Clock | None = None
    away: int | None = None
    """The other side is away, and waited for that many seconds more."""
    claim: int | None = None
    """It has to move, and in that many seconds the match can be claimed (R21)."""


def status_line(status: Status, opponent: str, columns: int, between: str) -> Line:
    """*status* in words: as much as fits into *columns*, the most urgent first."""
    room = columns - 2
    name = clip(opponent, 16 if columns >= 80 else 10)
    parts: list[Line] = []
    for part in _parts(status, name):
        if width(joined([*parts, (part,)], between)) <= room:
            parts.append((part,))
    return (("", " "), *joined(parts, between))


def _parts(status: Status, opponent: str) -> list[Fragment]:
    parts: list[Fragment] = []
    if status.away is not None:
        parts.append(("class:warning", f"{opponent} is away"))
        parts.append(("class:warning", f"reconnecting, {_time(status.away)} left"))
        if status.claim is not None:
            when = f"in {_time(status.claim)}" if status.claim else "now"
            parts.append(("class:warning", f"w claims {when}"))
    elif status.clock is not None:
        whose = "your clock" if status.clock.ours else f"{opponent}'s clock"
        style = "class:warning" if status.clock.seconds <= URGENT else "class:name"
        parts.append((style, f"{whose} {_time(status.clock.seconds)}"))
    if status.away is None:
        if status.silent >= QUIET:
            parts.append(("class:warning", f"last heard {status.silent} s ago"))
        elif status.rtt is not None:
            parts.append(("", f"link {_milliseconds(status.rtt)}"))
    if status.lots:
        checked = "1 draw" if status.lots == 1 else f"all {status.lots} draws"
        parts.append(("", f"{checked} checked"))
    return parts


def _time(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


def _milliseconds(seconds: float) -> str:
    return "under 1 ms" if seconds < 0.001 else f"{seconds * 1000:.0f} ms"
