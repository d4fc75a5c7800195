"""Frames: byte strings that can be read in one way only (specification, section 3)."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Final

_PREFIX: Final = "pazaak/1 "


@cache
def _head(tag: str) -> bytes:
    name = (_PREFIX + tag).encode("ascii")
    return bytes([len(name)]) + name


_LENGTHS: Final = tuple(n.to_bytes(4, "big") for n in range(256))


def frame(tag: str, *parts: bytes) -> bytes:
    """The frame of *parts* under *tag*: what is hashed, signed or MACed."""
    pieces = [_head(tag)]
    for part in parts:
        size = len(part)
        pieces += (_LENGTHS[size] if size < 256 else size.to_bytes(4, "big"), part)
    return b"".join(pieces)


def template(tag: str, *sizes: int) -> bytes:
    """The frames under *tag* whose parts have these *sizes*: ``template % parts`` is the frame.

    For what is framed for every card: a part of another size would make another frame of it.
    """
    lengths = [size.to_bytes(4, "big").replace(b"%", b"%%") + b"%b" for size in sizes]
    return b"".join([_head(tag).replace(b"%", b"%%"), *lengths])


def digest(tag: str, *parts: bytes) -> bytes:
    """SHA-256 of the frame; 32 bytes."""
    return hashlib.sha256(frame(tag, *parts)).digest()
