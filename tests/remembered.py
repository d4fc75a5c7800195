"""What is reckoned once in a process of the tests: most of their matches and records share most of
their entries, and most join codes are the same.

All of it is pure: what goes in decides what comes out, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, Self

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pazaak_p2p.wire import greeting, transcript
from tests.verifier import transcript as verified
from tests.verifier.frames import signature_holds

_MOST = 1 << 16
_holds = lru_cache(maxsize=_MOST)(signature_holds)
_key_of = lru_cache(maxsize=_MOST)(Ed25519PrivateKey.from_private_bytes)


@lru_cache(maxsize=_MOST)
def _signature(secret: bytes, message: bytes) -> bytes:
    return _key_of(secret).sign(message)


class _Key:
    """What of ``Ed25519PublicKey`` a transcript and a greeting use."""

    def __init__(self, key: bytes) -> None:
        Ed25519PublicKey.from_public_bytes(key)  # raises what that raises
        self._key = key

    @classmethod
    def from_public_bytes(cls, key: bytes) -> Self:
        return cls(key)

    def verify(self, signature: bytes, message: bytes) -> None:
        if not _holds(self._key, bytes(signature), bytes(message)):
            raise InvalidSignature


class _SigningKey:
    """An ``Ed25519PrivateKey``."""

    def __init__(self, secret: bytes) -> None:
        _key_of(secret)  # raises what that raises
        self._secret = secret

    def sign(self, message: bytes) -> bytes:
        return _signature(self._secret, bytes(message))

    @cached_property
    def _public(self) -> Ed25519PublicKey:
        return _key_of(self._secret).public_key()

    def public_key(self) -> Ed25519PublicKey:
        return self._public

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of a copy that is being made
            raise AttributeError(name)
        return getattr(_key_of(self._secret), name)


@contextmanager
def arithmetic() -> Iterator[None]:
    """Within this, each signature is made and checked once, and each
    multiplication of SPAKE2 is done once."""
    from spake2 import ed25519_basic

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ed25519PrivateKey, "from_private_bytes", _SigningKey)
        for module in (transcript, greeting):
            patch.setattr(module, "Ed25519PublicKey", _Key)
        patch.setattr(verified, "signature_holds", _holds)
        for name in ("scalarmult_element", "scalarmult_element_safe_slow"):
            multiply = getattr(ed25519_basic, name)
            patch.setattr(ed25519_basic, name, lru_cache(maxsize=_MOST)(multiply))
        yield
