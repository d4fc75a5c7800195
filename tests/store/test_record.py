"""Record files."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path

import pytest

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.store import NoRecord, RecordError, RecordWriter
from pazaak_p2p.store.record import file_name_part, record_stem
from tests.store.limits import at_most

MATCH_ID = bytes.fromhex("1a2b3c4d") + bytes(28)
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and limits")


def test_a_record_is_named_by_date_players_and_match() -> None:
    when = datetime(2031, 5, 4, 21, 30)
    assert record_stem(when, MATCH_ID, "Ann", "Bob") == "2031-05-04_21-30_Ann_vs_Bob_1a2b3c4d"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Ann", "Ann"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON:|?*<>", "CON"),
        ("a b\tc\n", "a-b-c"),
        ("\x1b[31m\u202e", "31m"),
        ("...", "nobody"),
        ("Zoë Ünal", "Zoë-Ünal"),
        ("ｗｉｄｅ", "wide"),
        ("x" * 100, "x" * 24),
        ("", "nobody"),
    ],
)
def test_names_are_made_harmless(name: str, part: str) -> None:
    assert file_name_part(name) == part


def test_what_is_written_is_in_the_file_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "matches"
    record = RecordWriter(folder)
    assert list(tmp_path.iterdir()) == []
    record.begin(MATCH_ID, "Ann", "Bob")
    (path,) = folder.iterdir()
    assert record.path == path
    record.write(b"one")
    assert path.read_bytes() == b"one"
    record.write(b"two")
    assert path.read_bytes() == b"onetwo"
    record.close()
    record.close()


def test_both_seats_of_a_match_get_files_of_their_own(tmp_path: Path) -> None:
    records = [RecordWriter(tmp_path) for _ in range(3)]
    for record in records:
        record.begin(MATCH_ID, "Ann", "Bob")
        record.write(b"x")
        record.close()
    names = [record.path.name for record in records if record.path is not None]
    assert len(set(names)) == 3
    assert names[1] == names[0].replace(".pzk", "_2.pzk")


@posix_only
def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "matches").write_text("a file is in the way")
    with pytest.raises(RecordError, match="cannot be written") as caught:
        RecordWriter(tmp_path / "matches").begin(MATCH_ID, "Ann", "Bob")
    assert "exists" in caught.value.why or "Not a directory" in caught.value.why
    assert "PAZAAK_HOME" in caught.value.next


@posix_only
def test_a_full_disk_is_an_error_and_what_was_written_stays(tmp_path: Path) -> None:
    record = RecordWriter(tmp_path)
    record.begin(MATCH_ID, "Ann", "Bob")
    record.write(b"a" * 90)
    with at_most(100), pytest.raises(RecordError) as caught:
        record.write(b"b" * 90)
    assert caught.value.why.startswith("The system says: File too large.")
    assert record.path is not None
    assert record.path.read_bytes() == b"a" * 90
    record.write(b"c")  # once there is room again
    record.close()
    assert record.path.read_bytes() == b"a" * 90 + b"c"


@posix_only
def test_a_device_without_room(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    record = RecordWriter(tmp_path)
    record.begin(MATCH_ID, "Ann", "Bob")
    record.write(b"x")
    assert record._file is not None
    record._file.close()
    record._file = full.open("wb", buffering=0)
    with pytest.raises(RecordError, match="cannot be written") as caught:
        record.write(b"x")
    assert "No space left" in caught.value.why
    record.close()


@posix_only
def test_a_record_whose_beginning_cannot_be_written_is_none(tmp_path: Path) -> None:
    """No empty file stays, and nothing that comes later is taken for its beginning."""
    record = RecordWriter(tmp_path)
    record.begin(MATCH_ID, "Ann", "Bob")
    for size in (101, 10):
        with at_most(100), pytest.raises(RecordError):
            record.write(b"a" * size)
        assert record.path is None
        assert list(tmp_path.iterdir()) == []
    record.close()


def test_a_record_that_nothing_was_written_to_leaves_no_file(tmp_path: Path) -> None:
    record = RecordWriter(tmp_path)
    record.begin(MATCH_ID, "Ann", "Bob")
    record.close()
    assert record.path is None
    assert list(tmp_path.iterdir()) == []


def test_a_record_holds_one_match(tmp_path: Path) -> None:
    record = RecordWriter(tmp_path)
    record.begin(MATCH_ID, "Ann", "Bob")
    record.write(b"one")
    with pytest.raises(PazaakError, match="second match"):
        record.begin(MATCH_ID, "Ann", "Eve")
    record.close()
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() == b"one"


@posix_only
def test_a_record_is_synced_if_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    name = "fdatasync" if sys.platform == "linux" else "fsync"
    monkeypatch.setattr(os, name, lambda descriptor: sizes.append(os.fstat(descriptor).st_size))
    for sync in (False, True):
        record = RecordWriter(tmp_path / str(sync), sync=sync)
        record.begin(MATCH_ID, "Ann", "Bob")
        sizes.clear()  # of the folder that was made
        record.write(b"one")
        record.sync()
        record.sync()
        record.write(b"two")
        record.settle()
        assert sizes == ([3, 6] if sync else [])
        (path,) = (tmp_path / str(sync)).iterdir()
        assert path.read_bytes() == b"onetwo"
        assert path.stat().st_mode & 0o777 == 0o600


def test_no_record_takes_all_and_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = NoRecord()
    record.begin(MATCH_ID, "Ann", "Bob")
    record.write(b"one")
    record.sync()
    record.settle()
    record.close()
    assert record.path is None
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_the_file_system_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    assert file_name_part("日本") == "nobody"
    assert file_name_part("Zoë 日") == "Zo"
