"""A short run of :mod:`tests.e2e.thousand`."""

from __future__ import annotations

from tests.e2e.thousand import play_many


async def test_a_hundred_matches_of_bots_without_divergence_or_accusation() -> None:
    tally = await play_many(100, "short")
    assert tally.matches == 100
    assert set(tally.ended) == {"normal", "cap", "concession"}
    assert len(tally.rules) > 90
