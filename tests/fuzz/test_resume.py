"""Matches that keep being broken off come to their end (specification, section 6.4)."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.fuzz.resumed import Broken


def test_a_match_survives_whatever_line_and_machines_do() -> None:
    run_state_machine_as_test(
        Broken,
        settings=settings(
            max_examples=25,
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
