"""``pazaak verify`` on files that are no record, or not a sound one, and typed in other ways."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pazaak_p2p.cli.program import run
from pazaak_p2p.errors import Exit
from tests.cli.verified import Verified
from tests.e2e.processes import Pazaak
from tests.wire.records import RECORD, pieces, with_header


def bad(tmp_path: Path, path: Path, code: str, exit_code: Exit, says: str) -> None:
    """It is told in three parts, and to a script as one object."""
    verified = Verified(tmp_path, path)
    assert verified.code == exit_code
    assert verified.out == ""
    what, why, next_ = verified.err.splitlines()
    assert what.startswith(f"pazaak: {path}: ")
    assert says in verified.err
    assert (why[:8], next_[:8]) == ("  Why:  ", "  Next: ")
    verified = Verified(tmp_path, "--json", path)
    assert verified.code == exit_code
    assert verified.err == ""
    (event,) = verified.events
    assert event["event"] == "record"
    assert (event["exit"], event["match_id"]) == (exit_code, None)
    assert event["problem"]["code"] == code
    assert all(event["problem"].values())


@pytest.mark.parametrize(
    ("data", "code", "exit_code", "says"),
    [
        (b"", "empty", Exit.USAGE, "The file is empty."),
        (b"Dear Ann,\n\nyou won.\n", "no-record", Exit.USAGE, "This is no record of a match."),
        (bytes(range(255, -1, -1)) * 40, "no-record", Exit.USAGE, "This is no record"),
        (RECORD[3:], "no-record", Exit.USAGE, "This is no record"),
        (RECORD[:200], "cut-short", Exit.PEER_LOST, "breaks off before its match begins"),
        (with_header(RECORD, v=7), "version", Exit.MISFIT, "a record of a newer pazaak"),
    ],
    ids=["empty", "text", "bytes", "the-end", "the-beginning", "newer"],
)
def test_files_that_are_no_record(
    tmp_path: Path, data: bytes, code: str, exit_code: Exit, says: str
) -> None:
    path = tmp_path / "bad.pzk"
    path.write_bytes(data)
    bad(tmp_path, path, code, exit_code, says)


def test_a_folder_a_missing_file_and_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    bad(tmp_path, tmp_path, "folder", Exit.USAGE, f"pazaak verify {tmp_path / '*.pzk'}")
    bad(tmp_path, tmp_path / "no.pzk", "unreadable", Exit.USAGE, "No such file")
    if sys.platform != "win32":
        loop = tmp_path / "loop.pzk"
        loop.symlink_to(loop)
        bad(tmp_path, loop, "unreadable", Exit.USAGE, "symbolic links")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize("begins", [b"", RECORD], ids=["with zeros", "as a record"])
def test_a_file_of_1_GB_is_not_read(tmp_path: Path, begins: bytes) -> None:
    path = tmp_path / "large.pzk"
    with path.open("wb") as file:
        file.write(begins)
        file.truncate(1 << 30)

    def little_memory() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))

    with Pazaak("verify", str(path), home=tmp_path, prepare=little_memory) as process:
        assert process.finish() == Exit.USAGE
    assert "too large to be the record of a match" in process.stderr
    assert "at most 64 MiB" in process.stderr
    with Pazaak("verify", "/dev/zero", home=tmp_path, prepare=little_memory) as process:
        assert process.finish() == Exit.USAGE
    assert "/dev/zero: This is no record of a match." in process.stderr


def test_what_stands_before_a_fault_is_told(tmp_path: Path) -> None:
    record = tmp_path / "game.pzk"
    *before, end = pieces(RECORD)
    for tail, refusal in ((before[-1] + end, "unexpected"), (end + b"\x00", "garbage")):
        record.write_bytes(b"".join(before) + tail)
        verified = Verified(tmp_path, record)
        assert verified.code == 2
        assert verified.err.startswith(f"pazaak: {record}: After 7 entries comes ")
        assert f"({refusal})" in verified.err
        assert verified.text.startswith(
            f"{record}: NOT SOUND Only what stands before the fault counts:"
        )
        (event,) = Verified(tmp_path, "--json", record).events
        assert (event["verdict"], event["entries"]) == ("unsound", 7)
        assert event["problem"]["code"] == refusal


def test_a_torn_end(tmp_path: Path) -> None:
    record = tmp_path / "game.pzk"
    record.write_bytes(RECORD[:-5])
    verified = Verified(tmp_path, record)
    assert verified.code == 4
    assert "The file ends within a message, which is left out." in verified.text


def test_how_it_is_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify"]) == Exit.USAGE
    assert "FILE" in capsys.readouterr().err
    assert run(["verify", "--help"]) == 0
    out = capsys.readouterr().out
    assert "\n    pazaak verify mine.pzk theirs.pzk" in out
    for code in (0, 2, 4, 5, 6):
        assert f"\n    {code}  " in out


def test_a_traceback_only_with_debug(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no.pzk"
    path.write_bytes(b"text")
    assert run(["verify", "--debug", str(path)]) == Exit.USAGE
    err = capsys.readouterr().err
    assert "NoRecord" in err
    assert f"pazaak: {path}: This is no record of a match." in err
