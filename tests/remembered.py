"""Signatures that have been checked once: most records of the tests share most of their entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Self

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pazaak_p2p.wire import transcript
from tests.verifier import transcript as verified
from tests.verifier.frames import signature_holds

_remembered = lru_cache(maxsize=1 << 16)(signature_holds)
"""Pure, and every bit of key, signature and message counts, so it tells of each what it is."""


class _Key:
    """What of ``Ed25519PublicKey`` a transcript uses."""

    def __init__(self, key: bytes) -> None:
        Ed25519PublicKey.from_public_bytes(key)  # raises what that raises
        self._key = key

    @classmethod
    def from_public_bytes(cls, key: bytes) -> Self:
        return cls(key)

    def verify(self, signature: bytes, message: bytes) -> None:
        if not _remembered(self._key, bytes(signature), bytes(message)):
            raise InvalidSignature


@contextmanager
def signatures() -> Iterator[None]:
    """Within this, the package's transcript and the second verifier's check each only once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript, "Ed25519PublicKey", _Key)
        patch.setattr(verified, "signature_holds", _remembered)
        yield
