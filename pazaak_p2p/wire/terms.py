"""What a match is, what is signed in it, and kinds of statement."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from msgspec import Struct

from pazaak_p2p.fairness import digest, frame, template
from pazaak_p2p.rules import Rules, Seat
from pazaak_p2p.wire import messages

_ENTRY: Final = template("entry", 32)


class Terms(Struct, frozen=True):
    """What a match is: its rules and the two keys, bound together in its id."""

    match_id: bytes
    rules: Rules
    keys: tuple[bytes, bytes]


def agree(rules_: Rules, keys: tuple[bytes, bytes], offer: bytes, accept: bytes) -> Terms:
    """The terms that an offer and an accept (their exact bytes) make."""
    return Terms(digest("match", *keys, offer, accept), rules_, keys)


def entry_frame(match_id: bytes, body: bytes) -> bytes:
    """What an entry's signature covers, and its hash."""
    return _ENTRY % match_id + len(body).to_bytes(4, "big") + body


def concession_frame(
    match_id: bytes, seat: Seat, head: bytes, reason: messages.ConcedeReason
) -> bytes:
    """What a concession's signature covers."""
    return frame("concede", match_id, bytes([seat]), head, reason.value.encode("ascii"))


def claim_frame(match_id: bytes, seat: Seat, head: bytes) -> bytes:
    """What a claim's signature covers."""
    return frame("claim", match_id, bytes([seat]), head)


class Kind(Enum):
    """Kinds of statement, as far as the floor goes."""

    COMMIT = auto()
    REVEAL = auto()
    ACT = auto()
    OPEN = auto()


# As in rules/seats.py: these are asked for with every statement.
COMMIT: Final = Kind.COMMIT
REVEAL: Final = Kind.REVEAL
OPEN: Final = Kind.OPEN


class Due(Struct, frozen=True, gc=False):
    """Whose statement is due, and of which kind."""

    seat: Seat
    kind: Kind


KIND: Final[dict[type, Kind]] = {
    messages.Commit: Kind.COMMIT,
    messages.Reveal: Kind.REVEAL,
    messages.PlayCard: Kind.ACT,
    messages.EndTurn: Kind.ACT,
    messages.StandNow: Kind.ACT,
    messages.LayDown: Kind.ACT,
    messages.PassOn: Kind.ACT,
    messages.Open: Kind.OPEN,
}
"""The kind of each statement."""
