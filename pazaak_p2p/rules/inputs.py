"""What moves a match on: chance, from outside as an input like any other; actions; leaving."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from pazaak_p2p.rules.cards import Card
from pazaak_p2p.rules.seats import Seat
from pazaak_p2p.rules.state import Termination


class Deal(msgspec.Struct, frozen=True, gc=False):
    """Both hands as positions 0..9 of the side decks, four each, in the order dealt (R4)."""

    host: tuple[int, ...]
    join: tuple[int, ...]


class Opening(msgspec.Struct, frozen=True, gc=False):
    """The ranks drawn for who opens the first set (R5)."""

    host: int
    join: int


class FirstMove(msgspec.Struct, frozen=True, gc=False):
    """The seat that opens this set, drawn by lot (R6, ``opener: random``)."""

    seat: Seat


class Draw(msgspec.Struct, frozen=True, gc=False):
    """The rank 1..10 of the mover's green card (R7)."""

    card: int


class Play(msgspec.Struct, frozen=True, gc=False):
    """Place the hand card at position *at* of the side deck with *value* (R8, R14, R15)."""

    at: int
    card: Card
    value: int


class End(msgspec.Struct, frozen=True, gc=False):
    """End the turn and draw again next turn (R9)."""


class Stand(msgspec.Struct, frozen=True, gc=False):
    """Stand for the rest of the set (R9, R12)."""


class Lay(msgspec.Struct, frozen=True, gc=False):
    """Lay down the ``±1T`` at position *at* at a tie (R17, ``tiebreaker: at-tie``)."""

    at: int


class Pass(msgspec.Struct, frozen=True, gc=False):
    """Lay nothing at a tie (R17)."""


class Leave(msgspec.Struct, frozen=True, gc=False):
    """*seat* loses the match by *termination*: any but ``normal`` and ``cap`` (R21)."""

    seat: Seat
    termination: Termination


Chance: TypeAlias = Deal | Opening | FirstMove | Draw
Action: TypeAlias = Play | End | Stand | Lay | Pass
Input: TypeAlias = Chance | Action | Leave
