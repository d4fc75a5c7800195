"""What makes the tests of the verifier quick."""

from functools import lru_cache

import pytest

from . import transcript
from .frames import signature_holds


@pytest.fixture(autouse=True)
def _remember_signatures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most mutated records share most of their entries."""
    monkeypatch.setattr(transcript, "signature_holds", lru_cache(maxsize=None)(signature_holds))
