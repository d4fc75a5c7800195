"""One burst of SIGINT at each moment; ``python -m tests.e2e.bursts`` has more of them."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from collections.abc import Iterator

from tests.e2e.bursts import MOMENTS, Place, a_place, burst


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with a_place(seed=7) as place:
        yield place


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_burst(place: Place, moment: str) -> None:
    burst(place, moment)
