"""Join codes: do both sides know the same short code? (specification, section 5.4)

SPAKE2 makes of a code that could be guessed in a minute a key that cannot: who listens learns
nothing that a guess could be held against, and who takes part can try one guess, by confirming. The
identities on both sides are made of the session id, hence of both hellos: keys, nonces and the
certificate. So a code that is passed on by somebody in between, who greets each side in his own
name, counts as wrong.

The package ``spake2`` does the arithmetic. It is imported only when a code is used.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, Final

from pazaak_p2p.fairness import digest, frame, is_weak
from pazaak_p2p.wire.errors import BadElement, LocalError, Reflected, Unexpected, WrongCode

if TYPE_CHECKING:
    from pazaak_p2p.wire.greeting import Role

FEATURE: Final = "code"
"""In the features of a hello: its sender has a join code."""
SECRET_SIZE: Final = 64
"""Bytes of fresh randomness that one exchange takes."""

_PRIME: Final = 2**255 - 19
_LETTER: Final = {"listener": b"A", "dialler": b"B"}


class _Split:
    """M or N of SPAKE2, multiplied by the code in two parts, of which one is random.

    The arithmetic takes longer the more bits of the factor are set. The factor is the same in every
    exchange with a code, and anyone may begin exchanges and measure; the parts are new each time.
    """

    def __init__(self, element: Any, part: int) -> None:
        self._element = element
        self._part = part

    def scalarmult(self, factor: int) -> Any:
        rest = self._element.scalarmult(factor - self._part)
        return rest.add(self._element.scalarmult(self._part))


class CodeExchange:
    """One side's part in finding out whether both know *code*, once in a session.

    *secret* is :data:`SECRET_SIZE` fresh random bytes, *session_id* 32 bytes. ``element`` (33
    bytes) is to be sent first. All methods raise a ``Refusal``.
    """

    def __init__(self, role: Role, code: str, secret: bytes, session_id: bytes) -> None:
        from spake2 import SPAKE2_A, SPAKE2_B

        if len(secret) != SECRET_SIZE:
            raise LocalError(f"A join code takes {SECRET_SIZE} secret bytes.")
        self._ours, self._theirs = role.value, role.other.value
        self._session_id = session_id
        id_a, id_b = (frame("code", session_id, who.encode("ascii")) for who in _LETTER)
        make = SPAKE2_A if self._ours == "listener" else SPAKE2_B
        side: Any = make(code.encode(), idA=id_a, idB=id_b, entropy_f=lambda size: secret[:size])
        part = int.from_bytes(digest("split", secret), "big")
        blinding, unblinding = side.my_blinding(), side.my_unblinding()
        side.my_blinding = lambda: _Split(blinding, part)
        side.my_unblinding = lambda: _Split(unblinding, part)
        self._side = side
        self.element: bytes = side.start()
        self._key: bytes | None = None
        self._mac: bytes | None = None
        self.agreed = False
        """Whether the other side has shown that it knows the code."""

    @property
    def waits(self) -> bool:
        """Has the other side confirmed, and nobody looked at it yet?"""
        return self._mac is not None and not self.agreed

    def take_element(self, theirs: bytes) -> None:
        """The other side's element, 33 bytes."""
        if self._key is not None:
            raise Unexpected(why="It sent its part of the join code twice.")
        if theirs[1:] == self.element[1:]:
            raise Reflected
        point = theirs[1:]
        canonical = int.from_bytes(point, "little") & (2**255 - 1) < _PRIME
        if theirs[:1] != _LETTER[self._theirs] or not canonical or is_weak(point):
            raise BadElement
        from spake2.ed25519_basic import NotOnCurve

        try:
            self._key = self._side.finish(theirs)
        except (NotOnCurve, ValueError):
            raise BadElement from None

    def confirm(self) -> bytes:
        """The 32 bytes that show the other side that we know the code."""
        return self._confirmation(self._ours)

    def take_confirm(self, mac: bytes) -> None:
        """The other side's confirmation, 32 bytes; :meth:`judge` looks at it."""
        if self._key is None or self._mac is not None:
            raise Unexpected(why="It confirmed a join code when that was not due.")
        self._mac = mac

    def judge(self) -> None:
        """Does the other side know the code? Raises ``WrongCode``."""
        if self._mac is None or self.agreed:
            raise LocalError("There is no join code to be judged.")
        if not hmac.compare_digest(self._mac, self._confirmation(self._theirs)):
            raise WrongCode
        self.agreed = True

    def _confirmation(self, role: str) -> bytes:
        assert self._key is not None
        return hmac.digest(
            self._key, frame("confirm", self._session_id, role.encode("ascii")), "sha256"
        )
