"""The state of an arena: kept line by line, and only for the very same arena."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from pazaak_p2p.arena.errors import StateDamaged, StateDiffers
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.sprt import Sprt
from pazaak_p2p.arena.state import StateFile
from pazaak_p2p.rules import DECKS, Rules
from pazaak_p2p.store.lines import FileTrouble
from tests.arena.arenas import plan_of

PLAN = plan_of("threshold", "random", matches=6)
RESULTS = [Result(n, n % 2, "normal", (3, n)) for n in range(3)]


def kept(path: Path) -> list[Result]:
    with StateFile(path) as state:
        state.begin(PLAN)
        return state.results


def make(path: Path) -> bytes:
    with StateFile(path) as state:
        assert state.seed is None
        state.begin(PLAN)
        state.add(RESULTS[:1])
        state.add(RESULTS[1:])
    return path.read_bytes()


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "state"
    make(path)
    assert kept(path) == RESULTS
    with StateFile(path) as state:
        assert state.seed == "s"


def test_cut_off_anywhere_it_holds_what_was_whole(tmp_path: Path) -> None:
    path = tmp_path / "state"
    data = make(path)
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        whole = max(data[:length].count(b"\n") - 1, 0)
        assert kept(path) == RESULTS[:whole]
        with StateFile(path) as state:
            state.begin(PLAN)
            state.add(RESULTS[whole:])
        assert path.read_bytes() == data


def test_a_game_that_stands_there_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "state"
    make(path)
    with StateFile(path) as state:
        state.begin(PLAN)
        state.add(RESULTS[:2])
    assert kept(path) == RESULTS


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ({"seed": "t"}, "seed"),
        ({"matches": 8}, "matches"),
        ({"rules": Rules(sets=2)}, "rules"),
        ({"gauntlet": True}, "gauntlet"),
        ({"fast": False}, "fast"),
        ({"sprt": Sprt(0, 5)}, "sprt"),
        ({"entrants": PLAN.entrants[::-1]}, "players"),
        (
            {
                "entrants": tuple(
                    msgspec.structs.replace(e, deck=DECKS["hard"]) for e in PLAN.entrants
                )
            },
            "players",
        ),
    ],
)
def test_that_of_another_arena_is_refused_and_left_alone(
    tmp_path: Path, change: dict[str, object], option: str
) -> None:
    path = tmp_path / "state"
    data = make(path)
    with StateFile(path) as state, pytest.raises(StateDiffers, match="another arena") as caught:
        state.begin(msgspec.structs.replace(PLAN, **change))
    assert caught.value.why == f"It was begun with other options: {option}."
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"my notes",
        b"my notes\n",
        b"my notes\nof today\n",
        b'{"arena":2}\n',
        b'{"arena":10',
        b"[1]\n",
        b"\xff\xfe\n",
        b"\n",
        b'{"a":' * 100_000 + b"\n",
        b'{"arena":1}\n',
        b'{"arena":1,"seed":7}\n',
        b'{"arena":1,"seed":""}\n',
        b'{"arena":1,"seed":"\\u001b[2J"}\n',
    ],
)
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(StateDamaged, match="line 1"):
        StateFile(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[1]",
        b"[" * 100_000,
        b'[99,0,"normal",[3,0]]',
        b'[-1,0,"normal",[3,0]]',
        b'[0,2,"normal",[3,0]]',
        b'[0,0,"x",[3,0]]',
    ],
)
def test_a_line_that_is_no_result_is_told(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "state"
    data = make(path) + line + b"\n"
    path.write_bytes(data)
    with pytest.raises(StateDamaged, match="line 5"):
        kept(path)
    assert path.read_bytes() == data


def test_two_arenas_do_not_share_one(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with StateFile(path), pytest.raises(FileTrouble, match="is in use"):
        StateFile(path)
    kept(path)


def test_a_file_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="cannot be written"):
        StateFile(tmp_path)
    with pytest.raises(FileTrouble, match="cannot be written"):
        StateFile(tmp_path / "no" / "where")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such devices")
def test_a_device_is_no_state_and_is_not_read_for_ever() -> None:
    for path in ("/dev/zero", "/dev/full", "/dev/null"):
        with pytest.raises(FileTrouble, match="is no plain file"):
            StateFile(Path(path))
