"""Every benchmark still runs. How fast anything is, no test says: that is for a quiet machine."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import benchmarks

TINY = {
    "arena_speed": "--matches 2 --rounds 1 --cores 1",
    "batch_speed": "--matches 100 --rounds 1 --cores 1",
    "bot_belief": "--matches 1 --bots classic",
    "bot_calibration": "--matches 1",
    "bot_gauntlet": "--bot careful --policies twenty:17 --matches 4 --decks balanced --cores 1",
    "bot_latency": "--bot careful --matches 1 --hands 1 --processes 1",
    "bot_levels": "careful classic --matches 4 --decks balanced --cores 1",
    "fast_speed": "--matches 4 --rounds 1",
    "history_speed": "--matches 2 --rounds 1",
    "journal_speed": "--matches 1 --rounds 1",
    "match_speed": "--matches 1 --rounds 1",
    "rules_speed": "--matches 2 --rounds 1",
    "version_speed": "--rounds 1",
}
BY_HAND = {"screen_speed"}
"""Plays whole matches at terminals, with limits of time; tests/e2e does that too."""
HELPERS = {"__init__", "bare", "bare_screen", "policies"}


def test_none_is_left_out() -> None:
    files = {path.stem for path in Path(benchmarks.__path__[0]).glob("*.py")}
    assert files - HELPERS - BY_HAND == TINY.keys()


@pytest.mark.parametrize("name", TINY)
def test_it_runs_and_tells_what_it_has_found(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    code = import_module(f"benchmarks.{name}").main(TINY[name].split())
    # Whether a limit is reached shows nothing in so short a time.
    assert code in (None, 0, 1)
    told = capfd.readouterr()
    assert any(character.isdigit() for character in told.out)
    assert told.err == ""
