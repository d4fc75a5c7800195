"""The greeting: two hellos and two proofs make a session (specification, section 5.1)."""

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
    IdentityRefused,
    LocalError,
    NoCommonVersion,
    Reflected,
    Unexpected,
)
from pazaak_p2p.wire.messages import Hello, Proof

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
    ) -> None:
        self._key = key
        self._role = role
        listens = role is Role.LISTENER
        self._their_cert = None if listens else cert
        public = key.public_key().public_bytes_raw()
        shown = cert if listens else None
        self.ours = Hello(list(VERSIONS), name, public, nonce, software, [], shown)
        try:
            self.hello = encode(self.ours)
            msgspec.msgpack.decode(self.hello, type=Hello)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise LocalError(f"This greeting cannot be sent: {error}.") from None
        self.theirs: Hello | None = None
        self._session_id = b""
        self.done = False

    def take_hello(self, theirs: Hello, exact: bytes) -> bytes:
        """The proof to send in answer. Raises a ``Refusal``."""
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
        self.theirs = theirs
        hellos = (self.hello, exact) if self._role is Role.LISTENER else (exact, self.hello)
        self._session_id = digest("session", *hellos)
        return encode(Proof(self._key.sign(self._signed(self._role))))

    def take_proof(self, proof: Proof) -> Hello:
        """The other side's hello, now proven to be its key's. Raises a ``Refusal``."""
        if self.theirs is None or self.done:
            raise Unexpected(why="It sent a proof when none was due.")
        try:
            Ed25519PublicKey.from_public_bytes(self.theirs.key).verify(
                proof.sig, self._signed(self._role.other)
            )
        except InvalidSignature:
            raise IdentityRefused from None
        self.done = True
        return self.theirs

    def _signed(self, role: Role) -> bytes:
        return frame("proof", self._session_id, role.value.encode("ascii"))
