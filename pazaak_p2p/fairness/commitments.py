"""Commitments to shares and side cards (specification, section 3).

Seat and place are inside the hash, so that a commitment copied from the other side, or from
another lot or match, can never be opened.
"""

from __future__ import annotations

from pazaak_p2p.fairness.hashing import digest


def share_commitment(match_id: bytes, seat: int, k: int, share: bytes) -> bytes:
    """The commitment of *seat* (0 host, 1 join) to its 32-byte share of lot *k*."""
    return digest("share", match_id, bytes([seat]), k.to_bytes(4, "big"), share)


def card_commitment(match_id: bytes, seat: int, position: int, salt: bytes, card: bytes) -> bytes:
    """The commitment to the card (ASCII notation) at *position* (0..9) of a side deck."""
    return digest("card", match_id, bytes([seat]), bytes([position]), salt, card)
