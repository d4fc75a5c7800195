"""The two seats. Which of them is ours, no part of the rules knows."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeVar

T = TypeVar("T")


class Seat(IntEnum):
    """A place at the table. Its number indexes every pair of a state: ``totals[Seat.JOIN]``."""

    HOST = 0
    JOIN = 1

    @property
    def other(self) -> Seat:
        """The seat across the table."""
        return OTHER[self]

    def __str__(self) -> str:
        return "host" if self is HOST else "join"


# An enum member is looked up slowly by its class; the engine asks for these a million times.
HOST: Final = Seat.HOST
JOIN: Final = Seat.JOIN
OTHER: Final = (JOIN, HOST)


def with_seat(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    """*pair* with *seat*'s half replaced by *value*."""
    return (value, pair[1]) if seat is HOST else (pair[0], value)
