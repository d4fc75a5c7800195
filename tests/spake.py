"""SPAKE2 as section 5.4 of the specification tells it, by plain arithmetic and nothing else.

It shares no code with the package that we use; slow, and not for secrets.
"""

from __future__ import annotations

import hashlib
import hmac

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

Point = tuple[int, int]
ZERO: Point = (0, 1)


def add(a: Point, b: Point) -> Point:
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + y1 * x2) * pow(1 + t, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - t, -1, P)
    return x % P, y % P


def times(n: int, point: Point) -> Point:
    total = ZERO
    while n:
        if n & 1:
            total = add(total, point)
        point = add(point, point)
        n >>= 1
    return total


def even_x(y: int) -> int | None:
    """The even x of the point at *y*, if there is a point."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return None
    return x if x % 2 == 0 else P - x


def encode(point: Point) -> bytes:
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(data: bytes) -> Point:
    number = int.from_bytes(data, "little")
    y = number & (2**255 - 1)
    x = even_x(y)
    assert x is not None
    return (P - x if number >> 255 else x), y


def hkdf(secret: bytes, info: bytes, size: int) -> bytes:
    """HKDF-SHA-256 with an empty salt (RFC 5869)."""
    key = hmac.digest(bytes(32), secret, "sha256")
    made, block = b"", b""
    while len(made) < size:
        block = hmac.digest(key, block + info + bytes([len(made) // 32 + 1]), "sha256")
        made += block
    return made[:size]


def constant(letter: str) -> Point:
    """M or N, from its letter."""
    y = int.from_bytes(hkdf(letter.encode(), b"SPAKE2 arbitrary element", 48), "big") % P
    while (x := even_x(y)) is None:
        y += 1
    return times(8, (x, y))


BASE: Point = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
M, N = constant("M"), constant("N")


def password(code: str) -> int:
    """w, the scalar of a code."""
    return int.from_bytes(hkdf(code.encode(), b"SPAKE2 pw", 48), "big") % L


def frame(tag: str, *parts: bytes) -> bytes:
    name = f"pazaak/1 {tag}".encode()
    return bytes([len(name)]) + name + b"".join(len(p).to_bytes(4, "big") + p for p in parts)


class Side:
    """One side of an exchange; *secret* are 64 bytes."""

    def __init__(self, role: str, code: str, secret: bytes, session_id: bytes) -> None:
        self.role, self.code, self.session_id = role, code, session_id
        self.scalar = int.from_bytes(secret, "big") % L
        listener = role == "listener"
        ours, self.their_blinding = (M, N) if listener else (N, M)
        self.w = password(code)
        point = add(times(self.scalar, BASE), times(self.w, ours))
        self.element = (b"\x41" if listener else b"\x42") + encode(point)

    def key(self, theirs: bytes) -> bytes:
        """K, by the other side's element."""
        unblinded = add(decode(theirs[1:]), times(L - self.w, self.their_blinding))
        z = encode(times(self.scalar, unblinded))
        pair = [self.element, theirs] if self.role == "listener" else [theirs, self.element]
        ids = [frame("code", self.session_id, who) for who in (b"listener", b"dialler")]
        hashes = [hashlib.sha256(part).digest() for part in (self.code.encode(), *ids)]
        return hashlib.sha256(b"".join([*hashes, *(m[1:] for m in pair), z])).digest()

    def mac(self, key: bytes, role: str) -> bytes:
        """The confirmation of *role*."""
        return hmac.digest(key, frame("confirm", self.session_id, role.encode()), "sha256")
