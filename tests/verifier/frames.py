"""Frames, hashes, commitments and signatures (section 3)."""

import hmac
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PREFIX = b"pazaak/1 "
# The public keys of small order, with the top bit of the last byte cleared.
SMALL_ORDER = tuple(
    bytes.fromhex(key)
    for key in (
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    )
)


def u8(number: int) -> bytes:
    """One byte."""
    return number.to_bytes(1, "big")


def u32(number: int) -> bytes:
    """Four bytes, big-endian."""
    return number.to_bytes(4, "big")


def frame(tag: str, *parts: bytes) -> bytes:
    """The unambiguous bytes of which everything is a hash, a signature or a MAC."""
    title = PREFIX + tag.encode("ascii")
    return u8(len(title)) + title + b"".join(u32(len(part)) + part for part in parts)


def digest(tag: str, *parts: bytes) -> bytes:
    """H(tag, p1, .. pn)."""
    return sha256(frame(tag, *parts)).digest()


def mac(key: bytes, tag: str, *parts: bytes) -> bytes:
    """HMAC-SHA-256 of a frame."""
    return hmac.new(key, frame(tag, *parts), sha256).digest()


def number(value: bytes) -> int:
    """int(h): a hash as a big-endian integer."""
    return int.from_bytes(value, "big")


def match_id(keys: tuple[bytes, bytes], offer: bytes, accept: bytes) -> bytes:
    """The match id, from both keys and the exact bytes of both messages."""
    return digest("match", keys[0], keys[1], offer, accept)


def share_commitment(match: bytes, seat: int, k: int, share: bytes) -> bytes:
    """The commitment of a seat to its share of lot k."""
    return digest("share", match, u8(seat), u32(k), share)


def card_commitment(match: bytes, seat: int, position: int, salt: bytes, card: str) -> bytes:
    """The commitment of a seat to the card at a position of its side deck."""
    return digest("card", match, u8(seat), u8(position), salt, card.encode("ascii"))


def lot(match: bytes, k: int, host: bytes, join: bytes) -> bytes:
    """Lot k, from both shares."""
    return digest("lot", match, u32(k), host, join)


def entry_hash(match: bytes, body: bytes) -> bytes:
    """The hash of an entry, by which the next one names it."""
    return digest("entry", match, body)


def entry_frame(match: bytes, body: bytes) -> bytes:
    """What the signature of an entry covers."""
    return frame("entry", match, body)


def concede_frame(match: bytes, seat: int, head: bytes, reason: str) -> bytes:
    """What the signature of a concession covers."""
    return frame("concede", match, u8(seat), head, reason.encode("ascii"))


def claim_frame(match: bytes, seat: int, head: bytes) -> bytes:
    """What the signature of a claim covers."""
    return frame("claim", match, u8(seat), head)


def is_small_order(key: bytes) -> bool:
    """Whether this public key can sign nothing that binds anybody."""
    return key[:31] + u8(key[31] & 0x7F) in SMALL_ORDER


def signature_holds(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether this is an Ed25519 signature of the message by the holder of the key."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
