"""How a match of an arena came out."""

from __future__ import annotations

import msgspec


class Result(msgspec.Struct, frozen=True, array_like=True):
    """The game *number* as it came out. Seats are 0 (host) and 1 (join)."""

    number: int
    winner: int | None
    """The seat that won; None for a draw (R20)."""
    termination: str
    """That of the outcome, or the ``Fault`` of who lost."""
    sets: tuple[int, int]
    """Sets won, (host, join)."""
    note: str = ""
    """More on a fault, safe to show."""
