"""Bursts of SIGINT, and closed terminals; ``python -m tests.e2e.bursts`` has all the moments."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from collections.abc import Iterator

from tests.e2e.bursts import Place, a_place, burst, hang_up


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with a_place(seed=7) as place:
        yield place


@pytest.mark.parametrize(
    "moment",
    [
        "play starts",
        "asked to concede",
        "a bot thinks",
        "end of a set",
        "plain, asked to concede",
        "deck builder, not saved",
        "host waits",
        "join dials",
        "join plays",
    ],
)
def test_a_burst_of_SIGINT(place: Place, moment: str) -> None:
    burst(place, moment)


@pytest.mark.parametrize("moment", ["deck builder", "host waits", "join plays"])
def test_a_terminal_that_is_closed(place: Place, moment: str) -> None:
    hang_up(place, moment)
