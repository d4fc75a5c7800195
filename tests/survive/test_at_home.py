"""``pazaak play`` that is killed, and goes on by ``pazaak resume``, in one program as before."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit
from tests.cli.ran import Ran, refused
from tests.e2e.killed import WHEN, Moment
from tests.e2e.processes import Pazaak
from tests.survive.forks import Fork
from tests.verifier import verify

pytestmark = pytest.mark.skipif(os.name == "nt", reason="forks, and kills")
# Longer than a screen is wide, and from where we stand: the saved match finds it all the same.
SCRIPT = "script:" + "a-folder-with-a-rather-long-name/" * 3 + "mine.txt"
CLASS_BOT = """
from pazaak_p2p.rules import Stand, legal_actions

class Mine:
    def choose(self, view):
        actions = legal_actions(view.state)
        return Stand() if Stand() in actions and view.total > 12 else actions[-1]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where bots are, named from here."""
    folder = tmp_path / "bots"
    script = folder / SCRIPT.removeprefix("script:")
    script.parent.mkdir(parents=True)
    script.write_text("at-end threshold:14\nend\nend\n")
    (folder / "mine.py").write_text(CLASS_BOT)
    monkeypatch.chdir(folder)
    return folder


def played(home: Path, moment: Moment | None = None) -> Fork:
    seats = ("--bot", SCRIPT, "--against", "random", "--name", "Ann")
    return Fork(
        "play", *seats, "--rules", "sets=2", "--seed", "home-a", "--json", home=home, moment=moment
    )


def only_record(home: Path) -> Path:
    (record,) = (home / "matches").glob("*.pzk")
    assert not list((home / "matches").glob("*.secret"))
    return record


def test_it_comes_to_the_same_end_whenever_it_is_killed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from another folder, with bots that were named from here."""
    undisturbed = played(tmp_path / "whole")
    assert undisturbed.finish() == Exit.DONE, str(undisturbed)
    head = verify(only_record(tmp_path / "whole").read_bytes()).head
    writes = undisturbed.writes
    assert writes >= 10
    moments = [Moment("write", n, WHEN[n % 3]) for n in range(1, writes)]
    moments += [Moment("write", writes - 1, "after"), Moment("settle", 0, "before")]
    for number, moment in enumerate(moments):
        home = tmp_path / str(number)
        monkeypatch.chdir(folder)
        killed = played(home, moment)
        assert killed.finish() == -signal.SIGKILL, f"{moment}: {killed}"
        monkeypatch.chdir(home)
        resumed = Fork("resume", "--json", home=home)
        assert resumed.finish() == Exit.DONE, f"{moment}: {resumed}"
        verdict = verify(only_record(home).read_bytes())
        assert verdict.clean
        assert verdict.complete
        assert verdict.head == head, str(moment)


def test_a_person_leaves_a_table_with_a_class_of_its_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    with Pazaak("play", "--plain", "--against", "mine.py:Mine", home=home) as left:
        assert left.finish(b"q\n") == Exit.INTERRUPTED
    (secret,) = (home / "matches").glob("*.secret")
    match_id = json.loads(secret.read_text())["match"]
    assert f"Next: Go on with the match: pazaak resume {match_id[:8]}\n" in left.stderr

    monkeypatch.chdir(tmp_path)
    listed = Ran(home, "resume", "--list")
    assert "against the bot mine.py:Mine on this machine" in listed.out
    assert json.loads(Ran(home, "resume", "--list", "--json").out)["against"] == "mine.py:Mine"
    refused(Ran(home, "resume", "--join", "127.0.0.1"), "against a bot on this machine")
    refused(Ran(home, "resume", "--claim"), "against a bot on this machine")
    shown = Ran(home, "history").out
    assert " can go on " in shown
    assert f"\nOne match can go on: pazaak resume {match_id[:8]}\n" in shown
    (past,) = Ran(home, "history", "--json").out.splitlines()
    assert json.loads(past)["can_go_on"]

    record = secret.with_suffix(".pzk")
    whole = Ran(home, "verify", *map(str, sorted(home.glob("matches/*"))))
    assert (whole.code, whole.err) == (Exit.PEER_LOST, "")
    assert whole.out.count(str(record)) == 1
    alone = Ran(home, "verify", str(secret))
    refused(alone, "only one player knows")
    assert alone.err.endswith(f"Next: Type: pazaak verify {record}\n")

    twin = tmp_path / "twin"
    shutil.copytree(home, twin)
    dropped = Ran(twin, "resume", match_id[:8], "--forget", "--json")
    assert json.loads(dropped.out)["event"] == "given-up"
    refused(Ran(twin, "resume", match_id[:8]), "cannot go on")
    assert '"code": "given-up"' in Ran(twin, "resume", record.name, "--json").out
    with Pazaak("resume", "--plain", home=home) as again:
        assert again.finish(b"c\n") == Exit.DONE
    assert "mine.py:Mine sits down" in again.stdout
    assert verify(only_record(home).read_bytes()).complete
    assert not secret.exists()


def test_a_person_goes_on_with_a_record_that_a_crash_tore_or_a_disk_damaged(
    tmp_path: Path,
) -> None:
    """The words about it come before there is a table, which shows them all the same."""
    home = tmp_path / "home"
    with Pazaak("play", "--plain", "--against", "random", "--seed", "torn", home=home) as left:
        assert left.finish(b"e\ne\nq\n") == Exit.INTERRUPTED
    (record,) = (home / "matches").glob("*.pzk")

    record.write_bytes(record.read_bytes()[:-5])
    with Pazaak("resume", "--plain", home=home) as torn:
        assert torn.finish(b"q\n") == Exit.INTERRUPTED, torn.stderr
    assert "cut off within a message, as a crash does" in " ".join(torn.stdout.split())
    assert len(list(home.glob("matches/*.damaged-*"))) == 1

    data = bytearray(record.read_bytes())
    data[len(data) * 3 // 4] ^= 1
    record.write_bytes(data)
    damaged = Ran(home, "resume")
    refused(damaged, "is damaged after")
    assert damaged.err.rstrip().endswith(" --mend")
    assert record.read_bytes() == data
    with Pazaak("resume", "--plain", "--mend", home=home) as mended:
        assert mended.finish(b"q\n") == Exit.INTERRUPTED, mended.stderr
    assert "was damaged after" in " ".join(mended.stdout.split())
    assert len(list(home.glob("matches/*.damaged-*"))) == 2
    assert verify(record.read_bytes()).clean
