"""Short runs of :mod:`tests.survive.cuts` and :mod:`tests.survive.kills`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.survive.cases import CASES, Case
from tests.survive.cuts import run_case


@pytest.mark.parametrize("case", [CASES[0], CASES[6]], ids=lambda case: case.name)
def test_a_match_goes_on_wherever_its_line_is_cut(case: Case) -> None:
    tally = run_case(case, every=15)
    assert tally.failed == []
    assert tally.identical == tally.tried
    assert set(tally.tried) == {
        "one cut",
        "a cut, and one while resuming",
        "half-open",
        "encrypted",
        "away for too long",
        "left for later",
    }
    # Most of them hit a match, and not what comes before it.
    assert tally.anew.total() < tally.tried.total() / 3


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_match_goes_on_whenever_a_program_is_killed() -> None:
    """In a process of its own: one that forks must have no threads, which a runner of tests may."""
    command = (sys.executable, "-m", "tests.survive.kills", "--matches", "1", "--every", "12")
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    *_, counts, _ = done.stdout.splitlines()
    tried, identical, failed = (int(word) for word in counts.split() if word.isdigit())
    assert tried == identical >= 6
    assert failed == 0
