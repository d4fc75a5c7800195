"""The greeting: two hellos and two proofs make a session (specification, section 5.1).

With a join code the proofs wait until both sides have shown that they know it (section 5.4).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pazaak_p2p.fairness import digest, frame, is_weak
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import (
    CertificateRefused,
    CodeRequired,
    CodeUnasked,
    IdentityRefused,
    LocalError,
    NoCommonVersion,
    Reflected,
    Unexpected,
)
from pazaak_p2p.wire.messages import Confirm, Hello, Pake, Proof
from pazaak_p2p.wire.pake import FEATURE, CodeExchange

VERSIONS: Final = (1,)


class Role(Enum):
    """Who accepted and who opened the stream."""

    LISTENER = "listener"
    DIALLER = "dialler"

    @property
    def other(self) -> Role:
        return Role.DIALLER if self is Role.LISTENER else Role.LISTENER


class Greeting:
    """One side of a greeting. ``hello`` are the bytes to send first.

    *cert* is the fingerprint of the certificate of this very connection: a listener's own, or what
    a dialler has seen; None without TLS.
    """

    def __init__(
        self,
        key: Ed25519PrivateKey,
        role: Role,
        name: str,
        nonce: bytes,
        software: str,
        cert: bytes | None = None,
        code: str | None = None,
        code_secret: bytes = b"",
    ) -> None:
        self._key = key
        self._role = role
        self._code = code
        self._code_secret = code_secret
        self._exchange: CodeExchange | None = None
        listens = role is Role.LISTENER
        self._their_cert = None if listens else cert
        features = [] if code is None else [FEATURE]
        public = key.public_key().public_bytes_raw()
        shown = cert if listens else None
        self.ours = Hello(list(VERSIONS), name, public, nonce, software, features, shown)
        try:
            self.hello = encode(self.ours)
            msgspec.msgpack.decode(self.hello, type=Hello)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise LocalError(f"This greeting cannot be sent: {error}.") from None
        self.theirs: Hello | None = None
        self._session_id = b""
        self.done = False

    def take_hello(self, theirs: Hello, exact: bytes) -> bytes:
        """What to send in answer: the proof, or our part of the code. Raises a ``Refusal``."""
        if self.theirs is not None:
            raise Unexpected(why="It greeted twice.")
        if theirs.nonce == self.ours.nonce or exact == self.hello:
            raise Reflected
        if not set(theirs.versions) & set(VERSIONS):
            raise NoCommonVersion(VERSIONS, tuple(theirs.versions))
        if is_weak(theirs.key):
            raise IdentityRefused(why="Its key is one that anybody can sign for.")
        if theirs.cert != self._their_cert:
            # The proofs sign both hellos, so whoever stands between two connections can neither
            # leave the fingerprint in place nor put another there.
            raise CertificateRefused
        self._check_code_is_wanted(theirs)
        self.theirs = theirs
        hellos = (self.hello, exact) if self._role is Role.LISTENER else (exact, self.hello)
        self._session_id = digest("session", *hellos)
        if self._code is None:
            return self._proof()
        self._exchange = CodeExchange(self._role, self._code, self._code_secret, self._session_id)
        return encode(Pake(self._exchange.element))

    def take_code(self, message: Pake | Confirm) -> bytes:
        """What to send in answer to a step of the code. Raises a ``Refusal``.

        The dialler's confirmation is only kept, for :meth:`judge_code`: it is a guess, and whoever
        keeps the door decides when it is looked at.
        """
        exchange = self._exchange
        if exchange is None or self.done:
            raise Unexpected(why="It sent a part of a join code when none was due.")
        dialler = self._role is Role.DIALLER
        if isinstance(message, Pake):
            exchange.take_element(message.m)
            return encode(Confirm(exchange.confirm())) if dialler else b""
        exchange.take_confirm(message.mac)
        return self.judge_code() if dialler else b""

    @property
    def code_waits(self) -> bool:
        """Has the dialler tried a code that nobody has looked at yet?"""
        return self._exchange is not None and self._exchange.waits

    def judge_code(self) -> bytes:
        """What to send if the code that the other side tried is right. Raises ``WrongCode``."""
        if self._exchange is None:
            raise LocalError("There is no join code to be judged.")
        self._exchange.judge()
        if self._role is Role.DIALLER:
            return self._proof()
        return encode(Confirm(self._exchange.confirm())) + self._proof()

    def take_proof(self, proof: Proof) -> Hello:
        """The other side's hello, now proven to be its key's. Raises a ``Refusal``."""
        agreed = self._exchange is None or self._exchange.agreed
        if self.theirs is None or self.done or not agreed:
            raise Unexpected(why="It sent a proof when none was due.")
        try:
            Ed25519PublicKey.from_public_bytes(self.theirs.key).verify(
                proof.sig, self._signed(self._role.other)
            )
        except InvalidSignature:
            raise IdentityRefused from None
        self.done = True
        return self.theirs

    def _check_code_is_wanted(self, theirs: Hello) -> None:
        """Codes are for both or for neither: who has one goes on with nobody who has not."""
        ours, they = self._code is not None, FEATURE in theirs.features
        if ours is they:
            return
        listener_asks = ours if self._role is Role.LISTENER else they
        if not listener_asks:
            if ours:
                raise CodeUnasked
            raise CodeUnasked(
                "The other side has a join code, and this one asks for none.",
                why="It may be looking for another host.",
                next="Host with --code, or have the other player join without.",
            )
        if ours:
            raise CodeRequired
        raise CodeRequired(
            "This host asks for a join code.",
            why="Only those to whom its player has told the code can join.",
            next="Ask the other player for the code, and type: pazaak join ADDR --code",
        )

    def _proof(self) -> bytes:
        return encode(Proof(self._key.sign(self._signed(self._role))))

    def _signed(self, role: Role) -> bytes:
        return frame("proof", self._session_id, role.value.encode("ascii"))
