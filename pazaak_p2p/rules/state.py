"""The position of a match as one frozen value."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final, TypeAlias

import msgspec

from pazaak_p2p.rules.cards import Card
from pazaak_p2p.rules.decks import SideDeck
from pazaak_p2p.rules.options import Rules
from pazaak_p2p.rules.seats import Seat

SLOTS: Final = 9
"""Cards of both colours that a table takes (R16)."""

TARGET: Final = 20
"""The total to reach and not to exceed (R10, R11)."""

HAND_SIZE: Final = 4
"""Cards dealt to each seat before the first set (R4)."""

FULL_DECK: Final = bytes(rank for rank in range(1, 11) for _ in range(4))
"""The green cards with which every set starts, by rank (R1)."""


# gc=False: frozen values that hold only older values can never form a cycle.
class Placed(msgspec.Struct, frozen=True, gc=False):
    """A card on a table. ``card`` is None for a green card; ``value`` is signed, flips done."""

    card: Card | None
    value: int


class HandCard(msgspec.Struct, frozen=True, gc=False):
    """A card of a hand. ``card`` is None while it is hidden from whoever holds this state."""

    position: int
    """Its index 0..9 in its owner's side deck."""
    card: Card | None
    played: bool
    """Placed on the table or laid at a tie: gone for the match (R4)."""


class Phase(IntEnum):
    """What is due next. The numbers are those of the public state (specification, section 9)."""

    DEAL = 0
    """:class:`Deal`: the hands (R4)."""
    OPENING = 1
    """:class:`Opening`: a card each, the higher opens the first set (R5)."""
    OPENER = 2
    """:class:`FirstMove`: who opens this set, by lot (R6, ``opener: random``)."""
    DRAW = 3
    """:class:`Draw`: the mover's green card (R7)."""
    ACT = 4
    """:class:`Play`, :class:`End` or :class:`Stand` by the mover (R8, R9)."""
    TIE = 5
    """:class:`Lay` or :class:`Pass` by the mover (R17, ``tiebreaker: at-tie``)."""
    OVER = 6
    """Nothing: the match has its outcome."""


# As in seats.py: the engine compares with these in every step.
DEAL: Final = Phase.DEAL
OPENING: Final = Phase.OPENING
DRAW: Final = Phase.DRAW
ACT: Final = Phase.ACT
TIE: Final = Phase.TIE
OVER: Final = Phase.OVER


class Termination(StrEnum):
    """Why a match is over."""

    NORMAL = "normal"
    """A seat won its sets (R19)."""
    CAP = "cap"
    """``max_sets`` were played (R20)."""
    CONCESSION = "concession"
    TIME = "time"
    ABANDONED = "abandoned"
    CHEAT = "cheat"


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How a match ended. ``winner`` is None for a drawn match (R20)."""

    termination: Termination
    winner: Seat | None


class SetEnd(StrEnum):
    """Why a set is over."""

    HIGHER = "higher"
    """Both stood, one higher (R18)."""
    BUST = "bust"
    """One was over 20 at the end of a turn (R10) or with the ninth card (R16)."""
    NINE = "nine"
    """Nine cards at 20 or less (R16)."""
    TIE = "tie"
    """Both stood on equal totals (R18)."""
    TIEBREAKER = "tiebreaker"
    """Both stood on equal totals and one alone had the tiebreaker (R17)."""


Table: TypeAlias = tuple[Placed, ...]
Hand: TypeAlias = tuple[HandCard, ...]


NOBODY: Final = (False, False)
NO_TABLES: Final[tuple[Table, Table]] = ((), ())


class SetResult(msgspec.Struct, frozen=True, gc=False):
    """A finished set. Pairs are (host, join); tables and marks are as they were when it ended."""

    number: int
    """From 1, tied sets counted."""
    opener: Seat
    totals: tuple[int, int]
    winner: Seat | None
    reason: SetEnd
    tables: tuple[Table, Table]
    stood: tuple[bool, bool]


class State(msgspec.Struct, frozen=True, gc=False):
    """Everything that one engine knows of a match. Pairs are (host, join).

    Made by :func:`new_match` and changed only by :func:`apply`.
    """

    rules: Rules
    phase: Phase
    decks: tuple[SideDeck | None, SideDeck | None]
    """Side decks; None for one that this engine does not know."""
    hands: tuple[Hand, Hand]
    """In the order dealt; empty before the deal."""
    tables: tuple[Table, Table]
    """In the order placed, at most nine each."""
    totals: tuple[int, int]
    """Sums of the tables, kept here so that nobody need add them up."""
    stood: tuple[bool, bool]
    """Who stands in this set (R12). A seat that stands over 20 busts and gets no mark."""
    deck: bytes
    """Ranks of the green cards left in this set, ascending."""
    mover: Seat | None
    """Who draws (DRAW), acts (ACT) or is asked (TIE); None in all other phases."""
    opener: Seat | None
    """Who opened or opens this set; None while that is not known."""
    played: bool
    """Whether the mover has placed a hand card in this turn (R8)."""
    laid: tuple[bool, bool]
    """Who has laid a tiebreaker at the tie that is being decided (R17)."""
    won: tuple[int, int]
    """Sets won."""
    results: tuple[SetResult, ...]
    """Finished sets, ties included, in order."""
    outcome: Outcome | None
    """None while the match goes on."""
