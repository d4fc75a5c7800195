"""Lots: joint random numbers that neither peer can foresee or bend (specification, section 7).

Committing to one seed for a whole match would be fair but would not hide the future: once both
seeds are open, both peers know every card to come (G2). Therefore each lot has shares of its own,
revealed when, and not before, it is due. A lot is the hash of both shares; each share was fixed by
its commitment before either was revealed. So if one share is uniform, the lot is, whatever the
other peer does; and while one share is missing every value is still possible.

A green card is drawn as one step of a Fisher-Yates shuffle of what is left in the deck: the
sequence of draws is distributed as a shuffled deck dealt from the top, without that deck ever
existing anywhere.

Reducing 256 bits modulo n <= 40 favours small results by less than n / 2**256 < 2**-250.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from pazaak_p2p.fairness.hashing import digest, template

FULL_DECK: Final = bytes(rank for rank in range(1, 11) for _ in range(4))
"""The 40 green cards in ascending order (R1), a byte each."""

_SIDE_DECK = 10
_HAND = 4
_LOT: Final = template("lot", 32, 4, 32, 32)


def lot(match_id: bytes, k: int, host_share: bytes, join_share: bytes) -> bytes:
    """Lot *k* of a match: 32 bytes."""
    return sha256(_LOT % (match_id, k.to_bytes(4, "big"), host_share, join_share)).digest()


def _sub_value(lot: bytes, label: str, *numbers: int) -> int:
    return int.from_bytes(digest(label, lot, *(bytes([n]) for n in numbers)), "big")


def _hand(lot: bytes, seat: int) -> tuple[int, ...]:
    positions = list(range(_SIDE_DECK))
    for i in range(_HAND):
        j = i + _sub_value(lot, "deal", seat, i) % (_SIDE_DECK - i)
        positions[i], positions[j] = positions[j], positions[i]
    return tuple(positions[:_HAND])


def deal(lot: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The four side-deck positions dealt to the host and to the joiner, in order (R4)."""
    return _hand(lot, 0), _hand(lot, 1)


def opening(lot: bytes) -> tuple[int, int]:
    """The opening cards (ranks) of the host and, from the other 39, of the joiner (R5)."""
    i = _sub_value(lot, "opening", 0) % 40
    rest = FULL_DECK[:i] + FULL_DECK[i + 1 :]
    return FULL_DECK[i], rest[_sub_value(lot, "opening", 1) % 39]


def first_move(lot: bytes) -> int:
    """The seat that opens a set under ``opener: random`` (R6)."""
    return lot[-1] & 1


def draw(lot: bytes, deck: bytes) -> int:
    """The rank drawn from *deck*, the green cards left in ascending order (R7)."""
    return deck[int.from_bytes(lot, "big") % len(deck)]
