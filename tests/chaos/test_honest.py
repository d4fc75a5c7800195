"""A short run of :mod:`tests.chaos.honest`."""

from __future__ import annotations

from tests.chaos.honest import Case, play_honest


def test_two_hundred_honest_matches_and_nobody_is_accused() -> None:
    tally = play_honest(200, "short")
    assert tally.wrong == []
    assert tally.fates.total() == 200
    gentle = sum(Case("short", number).plans()[0] for number in range(200))
    assert tally.fates["finished/finished"] > gentle
    # The faults are felt: matches are lost, refused and fall silent, from either side.
    for fate in ("lost/lost", "refused", "silent"):
        assert any(fate in found for found in tally.fates), tally


def test_a_match_is_given_by_seed_and_number() -> None:
    case = Case("short", 7)
    assert str(case) == str(Case("short", 7))
    assert str(case) != str(Case("short", 8))
