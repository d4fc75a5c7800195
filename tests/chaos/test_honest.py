"""A short run of :mod:`tests.chaos.honest`."""

from __future__ import annotations

from tests.chaos.honest import Case, play_honest


def test_forty_honest_matches_and_nobody_is_accused() -> None:
    tally = play_honest(40, "short")
    assert tally.wrong == []
    assert tally.fates.total() == 40
    finished = sum(count for fate, count in tally.fates.items() if "finished" in fate)
    assert finished >= 38
    # The faults are felt: lines break, and the match goes on over others.
    assert finished - tally.fates["finished, 1 line"] > 8


def test_a_match_is_given_by_seed_and_number() -> None:
    case = Case("short", 7)
    assert str(case) == str(Case("short", 7))
    assert str(case) != str(Case("short", 8))
