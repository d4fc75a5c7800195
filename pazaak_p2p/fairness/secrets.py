"""Every secret of a seat, derived from one (specification, section 3).

The match id is part of each derivation, and our own fresh nonce is part of the match id. So even a
match secret that were used twice would give other shares and salts the second time. What is derived
from a text (:class:`SeedSecrets`) has no fresh nonce: an opponent who has seen one such match, and
repeats its own part, knows all shares of the next.
"""

from __future__ import annotations

import hmac
from typing import Final

from pazaak_p2p.fairness.hashing import digest, frame, template

_SALT: Final = template("salt", 32, 1, 1)
_ORDER: Final = template("order", 32, 1, 1)


def _derive(secret: bytes, tag: str, *parts: bytes) -> bytes:
    return hmac.digest(secret, frame(tag, *parts), "sha256")


class MatchSecret:
    """The shares and salts of one seat in one match.

    *secret* is 32 secret bytes, *match_id* 32 bytes, *seat* 0 (host) or 1 (join).
    """

    __slots__ = ("_match_id", "_seat", "_secret", "_share", "_to_share")

    def __init__(self, secret: bytes, match_id: bytes, seat: int) -> None:
        if len(secret) != 32 or len(match_id) != 32:
            raise ValueError("a match secret and a match id are 32 bytes each")
        self._secret = secret
        self._match_id = match_id
        self._seat = bytes([seat])
        self._to_share = frame("share", match_id, self._seat) + (4).to_bytes(4, "big")
        self._share = (-1, b"")

    def share(self, k: int) -> bytes:
        """This seat's 32-byte share of lot *k*."""
        # Each share is asked for twice in a row: to commit to it, then to reveal it.
        if self._share[0] != k:
            framed = self._to_share + k.to_bytes(4, "big")
            self._share = (k, hmac.digest(self._secret, framed, "sha256"))
        return self._share[1]

    def salt(self, position: int) -> bytes:
        """The 32-byte salt of the side card at *position*."""
        return self._derived(_SALT, bytes([position]))

    def order(self, size: int) -> tuple[int, ...]:
        """A secret order of *size* side cards: place p holds the order[p]-th card as written.

        Which positions are dealt is public; without this, a deck opened in one match or known to
        everybody would show the hand of the next (G3).
        """
        return tuple(sorted(range(size), key=lambda i: self._derived(_ORDER, bytes([i]))))

    def _derived(self, frames: bytes, which: bytes) -> bytes:
        framed = frames % (self._match_id, self._seat, which)
        return hmac.digest(self._secret, framed, "sha256")


class SeedSecrets:
    """All that a seat would otherwise draw at random, from a text (``--seed``, seeded matches).

    Who knows the text knows everything, and who has played one match against it can foresee the
    next: it is for tests, seeds and the arena, never against somebody who is not trusted.
    """

    __slots__ = ("_secret",)

    def __init__(self, text: str, seat: int) -> None:
        self._secret = digest("seed", text.encode(), bytes([seat]))

    def identity(self) -> bytes:
        """The Ed25519 private key, 32 bytes."""
        return _derive(self._secret, "identity")

    def hello(self, n: int) -> bytes:
        """The nonce of the *n*-th hello."""
        return _derive(self._secret, "hello", n.to_bytes(4, "big"))

    def nonce(self, m: int) -> bytes:
        """The nonce of the offer or accept of the *m*-th match."""
        return _derive(self._secret, "nonce", m.to_bytes(4, "big"))

    def match_secret(self, m: int) -> bytes:
        """The match secret of the *m*-th match."""
        return _derive(self._secret, "match", m.to_bytes(4, "big"))

    def bot(self, m: int) -> bytes:
        """The seed of a bot's own choices in the *m*-th match."""
        return _derive(self._secret, "bot", m.to_bytes(4, "big"))
