"""``pazaak seeds`` as a user meets it."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from pazaak_p2p.arena import seeds
from pazaak_p2p.cli.program import run

SEEDS = Path(__file__).parents[2] / "seeds"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two of the matches, to be spoilt."""
    for name in ("nine-beats-19", "below-zero"):
        shutil.copytree(SEEDS / name, tmp_path / name)
    return tmp_path


def test_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds", "list", "--dir", str(folder)]) == 0
    assert capsys.readouterr().out == (
        "below-zero     A total below zero\nnine-beats-19  Nine cards at 18 beat a standing 19\n"
    )


def test_list_shows_the_others_beside_a_broken_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "below-zero" / "match.toml").write_text("title = ")
    assert run(["seeds", "list", "--dir", str(folder), "--json"]) == 2
    broken, whole = map(json.loads, capsys.readouterr().out.splitlines())
    assert broken["code"] == "seed"
    assert "below-zero/match.toml, line 1: it is no valid TOML" in broken["what"]
    assert whole["seed"] == "nine-beats-19"
    assert whole["covers"] == ["R16", "C3"]


def test_run_one_shows_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds", "run", "below-zero", "--dir", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.startswith((folder / "below-zero" / "expected.txt").read_text(encoding="utf-8"))
    size = (folder / "below-zero" / "expected.pzk").stat().st_size
    assert out.endswith(f"As expected, to the byte ({size} bytes of record).\n")


def test_run_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds", "run", "--dir", str(folder)]) == 0
    assert capsys.readouterr().out == "as expected  below-zero\nas expected  nine-beats-19\n"


def test_run_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds", "run", str(folder / "below-zero"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    text = (folder / "below-zero" / "expected.txt").read_text(encoding="utf-8")
    assert told.pop("transcript") == text.split()[-1]
    assert told.pop("match_id") == text.split()[-3]
    assert told == {
        "event": "seed",
        "seed": "below-zero",
        "winner": "host",
        "sets": [1, 0],
        "termination": "normal",
    }


def test_a_difference_is_told_for_each_and_the_others_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = folder / "below-zero" / "expected.pzk"
    data = bytearray(record.read_bytes())
    data[77] ^= 1
    record.write_bytes(data)
    assert run(["seeds", "run", "--dir", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert out == "as expected  nine-beats-19\n"
    assert "below-zero gives something else than its expected.pzk" in err
    assert "the first difference at byte 77" in err
    assert "pazaak seeds update below-zero" in err
    assert run(["seeds", "run", "--dir", str(folder), "--json"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[0])["code"] == "seed-differs"


def test_update_writes_what_a_new_match_gives(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = (folder / "below-zero" / "expected.pzk").read_bytes()
    (folder / "below-zero" / "expected.pzk").unlink()
    assert run(["seeds", "run", "below-zero", "--dir", str(folder)]) == 1
    assert "has no expected.pzk to be compared with" in capsys.readouterr().err
    assert run(["seeds", "update", "--all", "--dir", str(folder)]) == 0
    assert capsys.readouterr().out == "written  below-zero\nthe same  nine-beats-19\n"
    assert (folder / "below-zero" / "expected.pzk").read_bytes() == expected
    assert run(["seeds", "run", "below-zero", "--dir", str(folder)]) == 0


def test_update_wants_to_be_told_which(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds", "update", "--dir", str(folder)]) == 2
    assert "Which seeded matches are to be updated?" in capsys.readouterr().err
    assert run(["seeds", "update", "below-zero", "--all", "--dir", str(folder)]) == 2
    assert "names or --all, not both" in capsys.readouterr().err


def test_an_unknown_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["seeds", "run", "nine", "--dir", str(folder)]) == 2
    assert "There are: below-zero, nine-beats-19." in capsys.readouterr().err


def test_installed_without_the_source_it_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    installed = tmp_path / "lib" / "pazaak_p2p" / "arena" / "seeds.py"
    monkeypatch.setattr(seeds, "__file__", str(installed))
    assert run(["seeds", "list"]) == 2
    err = capsys.readouterr().err
    assert "There are no seeded matches here." in err
    assert "not installed with it" in err
    assert "--dir path/to/seeds" in err


def test_a_terminal_without_the_plus_minus_sign(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    assert run(["seeds", "run", "nine-beats-19", "--dir", str(folder)]) == 0
    stream.seek(0)
    assert "Ben joins with +-1 +-1 +-2 +-2" in stream.read()
