"""Fuzzing in short: the corpus of every target, and some thousand mutations that never change."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.fuzz import __main__ as command
from tests.fuzz import beside, million
from tests.fuzz.corpus import FOLDER, corpus
from tests.fuzz.machine import Line
from tests.fuzz.mutate import mutated
from tests.fuzz.scenes import SCENES, moments
from tests.fuzz.targets import TARGETS, WIRE
from tests.wire.pair import Side

MUTATIONS = {
    "cutter": 400,
    "decoder": 400,
    "greeting": 300,
    "lobby": 150,
    "match": 250,
    "record": 60,
}
FEW = 300


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus(name: str) -> None:
    inputs = corpus(name)
    assert inputs
    for data in [b"", *inputs]:
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_of_the_corpus(name: str) -> None:
    rng, inputs = random.Random(name), corpus(name)
    for _ in range(MUTATIONS.get(name, FEW)):
        data = mutated(inputs, rng)
        try:
            TARGETS[name](data)
        except Exception as error:
            error.add_note(f"the input is {data.hex()}")
            raise


def test_a_pair_of_peers_on_a_bad_line() -> None:
    run_state_machine_as_test(
        Line,
        settings=settings(
            max_examples=12,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_a_copy_plays_on_as_the_original_did(number: int) -> None:
    *_, last = moments(number)
    for moment in moments(number)[3::3]:  # from the first message of the match on
        side = moment.copied_side()
        for message in moment.said[moment.at :]:
            _say_all(side)
            side.peer.receive(message, 0.0)
        _say_all(side)
        assert side.errors == []
        assert side.peer.head == last.side.peer.head != b""
        assert side.peer.state == last.side.peer.state


def _say_all(side: Side) -> None:
    side.react()
    while side.send() or side.think():
        side.react()


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="it needs an alarm clock")


@POSIX
def test_the_long_run_in_short() -> None:
    result = million.attack(0, 200, "short")
    assert result.inputs.total() == 200
    assert result.inputs.keys() == set(WIRE) == million.SHARES.keys()
    assert (result.crashes, result.hangs) == ([], [])
    assert "200 hostile inputs" in million.told([result], 1.0)


@POSIX
def test_the_long_run_tells_of_crashes_and_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(_: bytes) -> None:
        while True:
            pass

    def broken(_: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(million, "SECONDS", 0.01)
    monkeypatch.setattr(million, "SHARES", {"cutter": 1, "lobby": 1})
    monkeypatch.setitem(TARGETS, "cutter", stuck)
    monkeypatch.setitem(TARGETS, "lobby", broken)
    result = million.attack(0, 10, "faults")
    assert len(result.hangs) == result.inputs["cutter"] > 0
    assert len(result.crashes) == result.inputs["lobby"] > 0
    assert all("ZeroDivisionError" in what for _, _, what in result.crashes)


def test_the_names_of_the_command_are_the_targets() -> None:
    assert tuple(TARGETS) == command.NAMES


def test_without_atheris_the_command_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    assert command.main(["match"]) == 2
    assert capsys.readouterr().err == command.MISSING


def test_an_input_is_run_alone_by_the_command() -> None:
    path = sorted((FOLDER / "decoder").iterdir())[0]
    arguments = [sys.executable, "-m", "tests.fuzz", "decoder", "--input", str(path)]
    done = subprocess.run(arguments, check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_corpus_is_small() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} == set(TARGETS)
    assert len(files) < 700
    assert sum(path.stat().st_size for path in files) < 2**20


def test_a_flood_changes_nothing_of_a_match(tmp_path: Path) -> None:
    alone = beside.play(None, 0.0, tmp_path)
    flooded = beside.play(100.0, 0.0, tmp_path)
    assert flooded.head == alone.head
    assert (alone.hostile, flooded.hostile > 0) == (0, True)
