"""What is to go wrong on a line, and where.

A plan is the faults of one direction. It is also written as text, for commands:
``cut@120`` (after 120 bytes), ``delay@f3:2.5`` (2.5 s at the start of flight 3), ``corrupt@m5+7``
(byte 7 of message 5), several with blanks between.
"""

from __future__ import annotations

import random
import re
from enum import Enum
from typing import Final, TypeAlias, get_args

import msgspec
from msgspec import Struct


class Unit(Enum):
    """What a place is counted in; all counts begin at 0."""

    BYTE = ""
    FLIGHT = "f"
    """A burst in one direction, until the other side speaks."""
    MESSAGE = "m"
    """Where what flows is plain msgpack."""


class Place(Struct, frozen=True):
    """*offset* bytes after the start of flight or message *number*; of the direction for bytes."""

    offset: int = 0
    unit: Unit = Unit.BYTE
    number: int = 0

    def __str__(self) -> str:
        if self.unit is Unit.BYTE:
            return str(self.offset)
        after = f"+{self.offset}" if self.offset else ""
        return f"{self.unit.value}{self.number}{after}"


def flight(number: int, offset: int = 0) -> Place:
    return Place(offset, Unit.FLIGHT, number)


def message(number: int, offset: int = 0) -> Place:
    return Place(offset, Unit.MESSAGE, number)


class Cut(Struct, frozen=True):
    """The connection is gone, both ways, as soon as the bytes before *place* have passed."""

    place: Place


class Block(Struct, frozen=True):
    """The same, but only when a byte comes that would pass *place*."""

    place: Place


class End(Struct, frozen=True):
    """This direction ends in an orderly way; the other goes on, and nothing is closed."""

    place: Place


class Vanish(Struct, frozen=True):
    """From here on nothing arrives, and nobody is told (half-open)."""

    place: Place


class Delay(Struct, frozen=True):
    """What comes from here on waits for *seconds*."""

    place: Place
    seconds: float


class Throttle(Struct, frozen=True):
    """From here on *rate* bytes a second pass."""

    place: Place
    rate: int


class Split(Struct, frozen=True):
    """From here on everything arrives in pieces of *size* bytes."""

    place: Place
    size: int


class Merge(Struct, frozen=True):
    """From here on bytes wait for up to *seconds* for others, and arrive as one piece."""

    place: Place
    seconds: float


class Duplicate(Struct, frozen=True):
    """The next *size* bytes arrive twice."""

    place: Place
    size: int


class Swap(Struct, frozen=True):
    """The next *size* bytes change places with the *size* bytes after them."""

    place: Place
    size: int


class Corrupt(Struct, frozen=True):
    """The bits *flip* of the next byte are flipped."""

    place: Place
    flip: int


Fault: TypeAlias = (
    Cut | Block | End | Vanish | Delay | Throttle | Split | Merge | Duplicate | Swap | Corrupt
)
Plan: TypeAlias = tuple[Fault, ...]

_KINDS: Final[dict[str, type[Fault]]] = {kind.__name__.lower(): kind for kind in get_args(Fault)}
_FAULT: Final = re.compile(r"(\w+)@(?:([fm])(\d+)(?:\+(\d+))?|(\d+))(?::([\d.]+))?")


def write_plan(plan: Plan) -> str:
    """*plan* as text that :func:`read_plan` reads."""
    return " ".join(_write(fault) for fault in plan)


def _write(fault: Fault) -> str:
    amounts = [getattr(fault, name) for name in type(fault).__struct_fields__[1:]]
    return ":".join([f"{type(fault).__name__.lower()}@{fault.place}", *map(str, amounts)])


def read_plan(text: str) -> Plan:
    """The plan written as *text*. Raises ``ValueError``."""
    return tuple(_read(word) for word in text.split())


def _read(word: str) -> Fault:
    match = _FAULT.fullmatch(word)
    kind = None if match is None else _KINDS.get(match[1])
    if match is None or kind is None:
        raise ValueError(f"{word!r} is no fault; the kinds are {', '.join(_KINDS)}")
    unit, number, after, offset, amount = match.groups()[1:]
    place = Place(int(offset)) if unit is None else Place(int(after or 0), Unit(unit), int(number))
    takes = kind.__struct_fields__[1:]
    if bool(takes) is (amount is None):
        raise ValueError(f"{word!r}: {match[1]} takes {takes[0] if takes else 'no amount'}")
    fields = {} if amount is None else {takes[0]: float(amount)}
    return msgspec.convert({"place": place, **fields}, kind, strict=False)


# --- plans by chance


def gentle_plan(rng: random.Random, reach: int) -> Plan:
    """Up to three faults in the first *reach* bytes by which nothing is lost or altered.

    None takes long enough for a deadline.
    """
    return tuple(_gentle(rng, Place(rng.randrange(reach))) for _ in range(rng.randint(0, 3)))


def harsh_plan(rng: random.Random, reach: int) -> Plan:
    """The same, and one or two by which something is. Order is kept: no network changes that."""
    harsh = tuple(_harsh(rng, Place(rng.randrange(reach))) for _ in range(rng.randint(1, 2)))
    return gentle_plan(rng, reach) + harsh


def _gentle(rng: random.Random, place: Place) -> Fault:
    return rng.choice(
        (
            Delay(place, rng.uniform(0, 2)),
            Throttle(place, rng.choice((2_000, 10_000, 100_000))),
            Split(place, rng.choice((1, 2, 7, 64, 1000))),
            Merge(place, rng.uniform(0, 0.5)),
        )
    )


def _harsh(rng: random.Random, place: Place) -> Fault:
    size = rng.choice((1, 5, 64, 300, 1000))
    flip = rng.choice((1, 2, 4, 8, 16, 32, 64, 128, 255))
    return rng.choice(
        (
            Cut(place),
            End(place),
            Vanish(place),
            Duplicate(place, size),
            Corrupt(place, flip),
        )
    )
