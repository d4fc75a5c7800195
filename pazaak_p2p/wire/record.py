"""The record of a match as bytes (specification, section 12)."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import Outcome
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.messages import Header, Player, RecordEnd

RECORD_VERSION = 1

ARENA: Final = "pazaak-p2p arena"
"""The software of matches in which one program has both keys, and plays more than one with the same
keys, nonces and decks: they have one match id, and say nothing of each other (section 12)."""

END: Final = b"\x86\xa1t\xa3end"
"""How the last object of a record begins, in the form of section 4."""
MOST_END: Final = 2048
"""Bytes of that object, at most, in that form."""


def header(
    seat: int,
    names: tuple[str, str],
    keys: tuple[bytes, bytes],
    software: str,
    began: int,
) -> bytes:
    """The first object of a record; *began* is Unix time in whole seconds."""
    host, join = (Player(name, key) for name, key in zip(names, keys, strict=True))
    return encode(Header(RECORD_VERSION, seat, host, join, software, began))


def ending(outcome: Outcome, opened: tuple[bool, bool], code: str = "", text: str = "") -> bytes:
    """The last object of a record: how its keeper saw the match end."""
    return encode(RecordEnd(outcome.termination.value, outcome.winner, opened, code, text[:300]))
