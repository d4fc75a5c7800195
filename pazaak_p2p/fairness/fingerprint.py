"""Fingerprints: a player's key, short enough for two people to compare aloud.

Both forms are made of the SHA-256 of the 32-byte public key, which does not depend on the version
of the protocol. The spoken form is that hash, read as a big-endian integer, mod 10^24: six groups
of four digits, 79.7 bits. A stranger who wants to pass for somebody has to find a key that fits a
given fingerprint, about 2^79 keys; that is out of reach also for those for whom 2^64 is not, while
a dozen two-digit numbers are still read over a telephone in ten seconds. Digits, because every
language has them; hyphens, because the whole is then one word to a shell and to a double click.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

DIGITS: Final = 24
_GROUP: Final = 4
SHORTEST_PREFIX: Final = 4
"""Fewer characters than this do not name a key."""


def fingerprint(key: bytes) -> str:
    """The fingerprint of this 32-byte public key, to be shown and read aloud.

    >>> fingerprint(bytes(32))
    '9918-1038-2902-7665-3093-0981'
    """
    digits = _digits(key)
    return "-".join(digits[at : at + _GROUP] for at in range(0, DIGITS, _GROUP))


def full_fingerprint(key: bytes) -> str:
    """All 256 bits: the SHA-256 of this public key, in 64 hexadecimal digits."""
    return hashlib.sha256(key).hexdigest()


def is_fingerprint(text: str) -> bool:
    """Is *text* a whole fingerprint, spoken or full, as people type it?"""
    return re.fullmatch(rf"[0-9]{{{DIGITS}}}|[0-9a-f]{{64}}", _plain(text)) is not None


def fits(text: str, key: bytes) -> bool:
    """Is *text* (blanks and hyphens do not count) the fingerprint of *key*, or the beginning of it?

    Of the spoken form or the full one, from :data:`SHORTEST_PREFIX` characters on.
    """
    plain = _plain(text)
    return len(plain) >= SHORTEST_PREFIX and (
        _digits(key).startswith(plain) or full_fingerprint(key).startswith(plain)
    )


def _digits(key: bytes) -> str:
    number = int.from_bytes(hashlib.sha256(key).digest(), "big")
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def _plain(text: str) -> str:
    return re.sub(r"[\s-]", "", text).lower()
