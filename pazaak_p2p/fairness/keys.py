"""Public keys that cannot bind anybody (specification, section 3)."""

from __future__ import annotations

from typing import Final

_P: Final = 2**255 - 19
# The y coordinates of the eight points of small order, and the encodings p and p + 1 of 0 and 1.
_SMALL: Final = frozenset(
    {
        0,
        1,
        _P - 1,
        _P,
        _P + 1,
        int.from_bytes(
            bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
            "little",
        ),
        int.from_bytes(
            bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
            "little",
        ),
    }
)


def is_weak(key: bytes) -> bool:
    """Is this 32-byte Ed25519 public key a point of small order?

    Signatures that verify under such a key can be made without any secret, so what it signs could
    always be denied.
    """
    return int.from_bytes(key, "little") & (2**255 - 1) in _SMALL
