"""Commitments to shares and side cards (specification, section 3).

Seat and place are inside the hash, so that a commitment copied from the other side, or from
another lot or match, can never be opened.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from pazaak_p2p.fairness.hashing import template

_SHARE: Final = template("share", 32, 1, 4, 32)
_CARD: Final = tuple(template("card", 32, 1, 1, 32, size) for size in range(6))
"""By the length of the card's notation."""
_SEATS: Final = (b"\0", b"\1")


def share_commitment(match_id: bytes, seat: int, k: int, share: bytes) -> bytes:
    """The commitment of *seat* (0 host, 1 join) to its 32-byte share of lot *k*."""
    return sha256(_SHARE % (match_id, _SEATS[seat], k.to_bytes(4, "big"), share)).digest()


def card_commitment(match_id: bytes, seat: int, position: int, salt: bytes, card: bytes) -> bytes:
    """The commitment to the card (ASCII notation) at *position* (0..9) of a side deck."""
    frame = _CARD[len(card)] % (match_id, _SEATS[seat], bytes((position,)), salt, card)
    return sha256(frame).digest()
