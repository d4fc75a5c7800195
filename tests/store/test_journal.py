"""The journal of a running match."""

from __future__ import annotations

import base64
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Final

import pytest
import trio.testing

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.store import (
    Journal,
    MatchFinished,
    MatchInUse,
    RecordError,
    SavedDamaged,
    SavedMatchError,
    find_saved,
    saved_matches,
)
from pazaak_p2p.store import record as record_module
from pazaak_p2p.store.record import RecordWriter
from pazaak_p2p.store.saved_secrets import read_secrets, secret_file
from tests.delay import delayed_pair
from tests.matches import Side, play
from tests.store.keeping import MATCH_ID, begun, files, interrupted, secrets
from tests.store.killing import BURSTS, KEPT, TAIL
from tests.store.limits import at_most
from tests.store.ordinary import ordinary_folder

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and signals")
SECONDS: Final = 60


@pytest.fixture
def ordinary() -> Iterator[Path]:
    with ordinary_folder() as folder:
        yield folder


@pytest.fixture
def one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are called ``match``, ``match_2`` and so on."""
    monkeypatch.setattr(record_module, "record_stem", lambda *_: "match")


# --- what is there when


@pytest.mark.usefixtures("one_name")
def test_the_secrets_are_there_before_anything_is_written_and_until_the_match_is_over(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "made" / "matches"
    assert Journal(folder).path is None
    journal = Journal(folder)
    assert files(tmp_path) == set()
    journal.begin(MATCH_ID, "Ann", "Bob", secrets())
    assert journal.path == folder / "match.pzk"
    assert files(folder) == {"match.pzk", "match.secret"}
    assert journal.path.read_bytes() == b""
    assert read_secrets(folder / "match.secret") == secrets()
    journal.write(b"one")
    journal.write(b"two")
    assert journal.path.read_bytes() == b"onetwo"
    assert journal.length == 6
    journal.sync()
    journal.settle()
    assert files(folder) == {"match.pzk"}
    assert journal.path.read_bytes() == b"onetwo"
    journal.close()
    assert files(folder) == {"match.pzk"}


def test_a_match_that_was_left_keeps_its_secrets(tmp_path: Path) -> None:
    record = interrupted(tmp_path, b"said")
    assert files(tmp_path) == {record.name, secret_file(record).name}
    assert read_secrets(secret_file(record)) == secrets()


def test_a_match_in_which_nothing_was_written_leaves_nothing(tmp_path: Path) -> None:
    for leave in (Journal.close, Journal.settle):
        journal = Journal(tmp_path)
        journal.begin(MATCH_ID, "Ann", "Bob", secrets())
        leave(journal)
        assert journal.path is None
        assert files(tmp_path) == set()


def test_closing_before_a_match_began_is_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.close()
    journal.settle()
    assert files(tmp_path) == set()


def test_a_journal_keeps_one_match_and_its_own_secrets(tmp_path: Path) -> None:
    with pytest.raises(PazaakError, match="kept with another"):
        Journal(tmp_path).begin(bytes(32), "Ann", "Bob", secrets())
    assert files(tmp_path) == set()
    journal = begun(tmp_path)
    with pytest.raises(PazaakError, match="second match"):
        journal.begin(MATCH_ID, "Ann", "Bob", secrets())
    journal.close()
    assert len(files(tmp_path)) == 2


def test_secrets_that_cannot_be_written_down_leave_no_match(tmp_path: Path) -> None:
    for text in ("x" * 65_536, "\udcff"):
        with pytest.raises(SavedMatchError, match="cannot be written") as caught:
            begun(tmp_path, bot=text)
        assert "bot" in caught.value.why
        assert files(tmp_path) == set()


async def test_what_the_secrets_hold_is_never_in_the_record(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """A whole match, whose winner and loser both open their decks at its end."""
    host, join = Side(0, "kept"), Side(1, "kept")
    reports = await play(host, join, delayed_pair(0.0))
    for side, report in zip((host, join), reports, strict=True):
        assert report is not None
        drawn = SeedSecrets("kept", side.seat)
        keep = secrets(
            match_id=report.match_id,
            seat=side.seat,
            secret=drawn.match_secret(0),
            bot_secret=drawn.bot(0),
            seed="kept",
        )
        journal = Journal(tmp_path)
        journal.begin(report.match_id, "host", "join", keep)
        journal.write(side.record.data)
        journal.close()
        assert journal.path is not None
        said = journal.path.read_bytes()
        assert len(said) > 5000
        for secret in (drawn.match_secret(0), drawn.bot(0), drawn.identity()):
            for form in (secret, secret.hex().encode(), base64.b64encode(secret)):
                assert form not in said
        assert b"kept" not in said
        assert drawn.match_secret(0).hex() in secret_file(journal.path).read_text()


@posix_only
def test_nobody_else_can_get_at_the_files_from_the_first_moment(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        record = interrupted(tmp_path / "matches")
    finally:
        os.umask(before)
    assert (tmp_path / "matches").stat().st_mode & 0o777 == 0o700
    for path in (record, secret_file(record)):
        assert path.stat().st_mode & 0o777 == 0o600, path


@posix_only
@pytest.mark.usefixtures("one_name")
def test_each_sync_brings_what_was_written_to_the_disk_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is synced, in its order: the secrets and the names before the first byte."""
    asked: list[str] = []

    def noting(name: str) -> None:
        real = getattr(os, name)

        def call(descriptor: int) -> None:
            # Before a name is there, the file is called by the second one that it gets it from.
            path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            asked.append(f"{name} {path.relative_to(tmp_path)} {os.fstat(descriptor).st_size}")
            real(descriptor)

        monkeypatch.setattr(os, name, call)

    if sys.platform != "linux":
        pytest.skip("knows how Linux names open files")
    for name in ("fsync", "fdatasync"):
        noting(name)
    folder = tmp_path / "a" / "b"
    journal = Journal(folder)
    journal.begin(MATCH_ID, "Ann", "Bob", secrets())
    size = (folder / "match.secret").stat().st_size
    begun_by = [line if ".secret.new" in line else line.rpartition(" ")[0] for line in asked]
    assert begun_by == ["fsync a", "fsync .", f"fdatasync a/b/match.secret.new {size}", "fsync a/b"]
    asked.clear()
    journal.sync()
    assert asked == []
    journal.write(b"one")
    journal.write(b"two")
    assert asked == []
    journal.sync()
    journal.sync()
    assert asked == ["fdatasync a/b/match.pzk 6"]
    asked.clear()
    journal.write(b"three")
    journal.settle()
    assert [line.rpartition(" ")[0] for line in asked] == ["fdatasync a/b/match.pzk", "fsync a/b"]
    journal.close()

    asked.clear()
    fast = Journal(folder, sync=False)
    fast.begin(MATCH_ID, "Ann", "Bob", secrets())
    fast.write(b"one")
    fast.sync()
    fast.close()
    Journal.reopen(folder / "match_2.pzk", 2, sync=False).settle()
    assert asked == []

    # Who wrote it may have been killed before it was on the disk, so nothing to cut is no reason.
    interrupted(folder)
    asked.clear()
    journal = Journal.reopen(folder / "match_3.pzk", 4)
    assert asked == ["fdatasync a/b/match_3.pzk 4"]
    journal.close()
    asked.clear()
    journal = Journal.reopen(folder / "match_3.pzk")
    assert asked == []
    journal.sync()
    assert asked == ["fdatasync a/b/match_3.pzk 4"]
    journal.close()


# --- going on


def test_a_match_goes_on_behind_what_is_left_of_its_record(tmp_path: Path) -> None:
    record = interrupted(tmp_path, b"one two END")
    journal = Journal.reopen(record, 8)
    assert journal.path == record
    assert journal.length == 8
    assert record.read_bytes() == b"one two "
    journal.write(b"three")
    journal.sync()
    assert record.read_bytes() == b"one two three"
    journal.settle()
    assert files(tmp_path) == {record.name}
    with pytest.raises(MatchFinished) as caught:
        Journal.reopen(record, 8)
    assert caught.value.next == f"See how it ended: pazaak verify {record}"
    assert record.read_bytes() == b"one two three"


def test_a_record_can_be_read_and_cut_while_it_is_held(tmp_path: Path) -> None:
    record = interrupted(tmp_path, b"one two END")
    journal = Journal.reopen(record)
    assert record.read_bytes() == b"one two END"
    assert journal.length == 11
    journal.cut(8)
    journal.cut(4)
    assert record.read_bytes() == b"one "
    journal.write(b"more")
    for length in (4, 8):
        with pytest.raises(PazaakError, match="cut out"):
            journal.cut(length)
    journal.close()
    assert record.read_bytes() == b"one more"
    assert len(files(tmp_path)) == 2


def test_a_new_match_cannot_be_cut(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    with pytest.raises(PazaakError, match="cut out"):
        journal.cut(2)
    journal.close()


def test_a_record_that_is_shorter_than_was_read_is_left_as_it_is(tmp_path: Path) -> None:
    record = interrupted(tmp_path, b"four")
    with pytest.raises(SavedDamaged, match="it has 4 bytes, where 5 were read") as caught:
        Journal.reopen(record, 5)
    assert caught.value.path == record
    with pytest.raises(PazaakError, match="cut out"):
        Journal.reopen(record, 0)
    assert record.read_bytes() == b"four"
    record.write_bytes(b"")
    with pytest.raises(SavedDamaged, match="it is empty"):
        Journal.reopen(record, 0)
    assert files(tmp_path) == {record.name, secret_file(record).name}
    Journal.reopen(interrupted(tmp_path), 4).close()  # no lock is left behind


@posix_only
def test_only_a_plain_file_goes_on(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    record = interrupted(tmp_path / "matches")
    record.unlink()
    with pytest.raises(RecordError, match="cannot be written") as caught:
        Journal.reopen(record, 4)
    assert "No such file" in caught.value.why
    record.symlink_to(victim)
    with pytest.raises(RecordError, match="cannot be written"):
        Journal.reopen(record, 4)
    assert victim.read_text() == "precious"
    record.unlink()
    record.mkdir()
    with pytest.raises(RecordError, match="cannot be written") as caught:
        Journal.reopen(record, 4)
    assert "directory" in caught.value.why
    record.rmdir()
    os.mkfifo(record)
    reading = os.open(record, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(RecordError, match="cannot be written") as caught:
            Journal.reopen(record, 4)
    finally:
        os.close(reading)
    assert "no plain file" in caught.value.why
    assert secret_file(record).exists()


# --- killed


@posix_only
@pytest.mark.parametrize("scenario", ["fresh", "again"])
def test_killed_at_any_moment_everything_that_was_synced_is_there_and_goes_on(
    tmp_path: Path, scenario: str
) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.store.killing", scenario, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=SECONDS,
    ).stdout
    runs = [json.loads(line) for line in told.splitlines()]
    assert [run["status"] for run in runs] == [-signal.SIGKILL] * (len(runs) - 1) + [0]
    assert len(runs) >= 50
    before = KEPT if scenario == "again" else b""
    whole = before + b"".join(BURSTS)
    seen = set()
    for run in runs:
        folder = Path(run["folder"], "made", "matches")
        seen.add(tuple(run["told"]))
        found, troubles = saved_matches(folder)
        if "begun" not in run["told"] and scenario == "fresh":
            # The last thing before that is to make the names outlast a power cut.
            _check_just_beginning(folder)
            continue
        (record,) = folder.glob("*.pzk")
        safe = max((int(word) for word in run["told"] if word.isdigit()), default=0)
        data = record.read_bytes()
        assert len(data) >= max(safe, len(before))
        assert whole.startswith(data) or (not safe and data == KEPT + TAIL)
        if "settled" in run["told"]:
            assert data == whole
            assert files(folder) == {record.name}
            continue
        if not secret_file(record).exists():
            assert "settling" in run["told"]
            assert data == whole
            continue
        if not data:
            assert [trouble.path for trouble in troubles] == [record]
            continue
        assert troubles == []
        (saved,) = found
        assert saved.record == record
        assert saved.secrets == secrets()
        _play_to_the_end(record, whole)
    # It was killed after each report, but for the last burst's: settling comes at once after that.
    assert len(seen) == len(BURSTS) + (4 if scenario == "again" else 3)


def _check_just_beginning(folder: Path) -> None:
    """There may be an empty record, or one with its secrets; never secrets alone."""
    for record in folder.glob("*.pzk"):
        assert record.read_bytes() == b""
    assert {path.stem for path in folder.glob("*.secret")} <= {
        path.stem for path in folder.glob("*.pzk")
    }


def _play_to_the_end(record: Path, whole: bytes) -> None:
    held = record.read_bytes()
    length = len(held) if whole.startswith(held) else len(KEPT)
    journal = Journal.reopen(record, length)
    journal.write(whole[length:])
    journal.settle()
    assert record.read_bytes() == whole
    assert files(record.parent) == {record.name}


_WRITES: Final = """\
import sys
from pathlib import Path
from tests.store.keeping import MATCH_ID, secrets
from pazaak_p2p.store import Journal
journal = Journal(Path(sys.argv[1]))
journal.begin(MATCH_ID, "Ann", "Bob", secrets())
number = 0
while True:
    for _ in range(number % 3 + 1):
        journal.write(b"%07d " % number)
        number += 1
    journal.sync()
    print(journal.length, flush=True)
"""


@posix_only
def test_killed_by_somebody_else_in_full_swing(tmp_path: Path) -> None:
    chance = random.Random(3)
    for turn in range(8):
        folder = tmp_path / str(turn)
        with _program(_WRITES, folder) as writer:
            assert writer.stdout is not None
            safe = 0
            for _ in range(chance.randrange(1, 60)):
                safe = int(writer.stdout.readline())
            writer.kill()
            # What it told before the signal came counts, too.
            rest = writer.stdout.read().splitlines(keepends=True)
            safe = max([safe, *(int(line) for line in rest if line.endswith("\n"))])
        ((saved,), troubles) = saved_matches(folder)
        data = saved.record.read_bytes()
        assert troubles == []
        assert len(data) >= safe > 0
        expected = b"".join(b"%07d " % number for number in range(len(data) // 8 + 1))
        assert expected.startswith(data)
        Journal.reopen(saved.record, safe).settle()


@contextmanager
def _program(code: str, *arguments: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        try:
            yield process
        finally:
            process.kill()
            process.wait(SECONDS)


# --- one program at a time

_PLAYS: Final = """\
import sys
from pathlib import Path
from tests.store.keeping import begun
journal = begun(Path(sys.argv[1]))
print(journal.path, flush=True)
sys.stdin.readline()
journal.close()
print("closed", flush=True)
sys.stdin.readline()
"""
_GOES_ON: Final = """\
import sys
from pathlib import Path
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.store import Journal
print("ready", flush=True)
sys.stdin.readline()
try:
    journal = Journal.reopen(Path(sys.argv[1]), 4)
except PazaakError as error:
    print(error.code, flush=True)
else:
    print("mine", flush=True)
sys.stdin.readline()
"""


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def _go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _assert_in_use(record: Path) -> None:
    with pytest.raises(MatchInUse, match="is being played"):
        Journal.reopen(record, 4)
    for wanted in (None, str(record), MATCH_ID.hex()[:8]):
        with pytest.raises(MatchInUse):
            find_saved(record.parent, wanted)


def test_two_programs_never_go_on_with_one_match(tmp_path: Path) -> None:
    with _program(_PLAYS, tmp_path) as player:
        record = Path(_line(player))
        _assert_in_use(record)
        _go_on(player)
        assert _line(player) == "closed"
        assert find_saved(tmp_path, None).record == record
        journal = Journal.reopen(record, 4)
        _assert_in_use(record)  # nor does one program go on twice
        journal.close()
    assert record.read_bytes() == b"said"


def test_who_is_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    with _program(_PLAYS, tmp_path) as player:
        record = Path(_line(player))
        _assert_in_use(record)
        player.kill()
        player.wait(SECONDS)
        assert find_saved(tmp_path, None).record == record
        Journal.reopen(record, 4).settle()
    assert files(tmp_path) == {record.name}


def test_of_programs_that_go_on_at_once_one_does(tmp_path: Path) -> None:
    record = interrupted(tmp_path)
    with (
        _program(_GOES_ON, record) as one,
        _program(_GOES_ON, record) as two,
        _program(_GOES_ON, record) as three,
    ):
        programs = (one, two, three)
        for program in programs:
            assert _line(program) == "ready"
        for program in programs:
            _go_on(program)
        told = [_line(program) for program in programs]
    assert sorted(told) == ["match-in-use", "match-in-use", "mine"]


def test_both_seats_of_a_match_are_played_from_one_folder(tmp_path: Path) -> None:
    """By one person with one key, at two terminals; and go on one after the other."""
    host = begun(tmp_path, b"host", seat=0)
    join = begun(tmp_path, b"join", seat=1)
    assert host.path is not None
    assert join.path is not None
    assert len(files(tmp_path)) == 4
    join.close()
    saved = find_saved(tmp_path, None)
    assert (saved.record, saved.secrets.seat) == (join.path, 1)
    assert find_saved(tmp_path, MATCH_ID.hex()[:4]).record == join.path
    again = Journal.reopen(saved.record, 4)
    with pytest.raises(MatchInUse):
        find_saved(tmp_path, None)
    host.close()
    assert find_saved(tmp_path, None).record == host.path
    again.settle()
    Journal.reopen(host.path, 4).settle()
    assert files(tmp_path) == {host.path.name, join.path.name}


def test_who_looks_in_the_very_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = interrupted(tmp_path)
    looking = os.open(record, os.O_RDONLY)
    try:
        import fcntl

        fcntl.flock(looking, fcntl.LOCK_SH)
        # The one who looks is done by the time that we look again.
        monkeypatch.setattr("time.sleep", lambda _: fcntl.flock(looking, fcntl.LOCK_UN))
        Journal.reopen(record, 4).close()
    finally:
        os.close(looking)


if sys.platform == "win32":
    del test_who_looks_in_the_very_moment_is_waited_for


# --- what cannot be written


@posix_only
def test_a_disk_without_room_for_the_secrets(tmp_path: Path) -> None:
    with at_most(100), pytest.raises(RecordError, match="secret") as caught:
        begun(tmp_path)
    assert caught.value.why.startswith("The system says: File too large.")
    assert files(tmp_path) == set()


@posix_only
def test_a_disk_that_becomes_full(tmp_path: Path) -> None:
    """What was written stays, and once there is room again the match can go on."""
    journal = begun(tmp_path, b"a" * 90)
    assert journal.path is not None
    for _ in range(2):
        with at_most(100), pytest.raises(RecordError, match="cannot be written"):
            journal.write(b"b" * 90)
        assert journal.path.read_bytes() == b"a" * 90
        assert journal.length == 90
    journal.write(b"c")
    journal.sync()
    assert journal.path.read_bytes() == b"a" * 90 + b"c"
    with at_most(91), pytest.raises(RecordError):
        journal.write(b"d")
    journal.close()
    assert len(files(tmp_path)) == 2
    Journal.reopen(journal.path, 91).settle()


@posix_only
def test_a_match_whose_beginning_cannot_be_written_is_none(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin(MATCH_ID, "Ann", "Bob", secrets())
    for size in (101, 10):
        with at_most(100), pytest.raises(RecordError):
            journal.write(b"a" * size)
        assert journal.path is None
        assert files(tmp_path) == set()
    journal.close()


@posix_only
def test_a_device_without_room(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    journal = begun(tmp_path)
    assert journal.path is not None
    assert journal._record._file is not None
    journal._record._file.close()
    journal._record._file = FileIO(full, "wb")
    for _ in range(2):
        with pytest.raises(RecordError, match="cannot be written") as caught:
            journal.write(b"x")
        assert "No space left" in caught.value.why
    journal.close()
    assert journal.path.read_bytes() == b"said"
    assert len(files(tmp_path)) == 2


@posix_only
def test_after_a_failed_sync_nothing_is_written_any_more(tmp_path: Path) -> None:
    """The system drops what it could not bring to the disk, and a second sync would not tell."""
    journal = begun(tmp_path)
    assert journal.path is not None
    journal.write(b" more")
    assert journal._record._file is not None
    journal._record._file.close()
    journal._record._file = FileIO(os.devnull, "wb")  # cannot be synced
    ways = (journal.sync, journal.sync, lambda: journal.write(b"x"), journal.settle)
    for way in ways:
        with pytest.raises(RecordError, match="cannot be written") as caught:
            way()
        assert caught.value.why.startswith("The system says: Invalid argument.")
    journal.close()
    assert journal.path.read_bytes() == b"said more"
    assert len(files(tmp_path)) == 2


@posix_only
def test_a_folder_that_cannot_be_written(ordinary: Path) -> None:
    folder = ordinary / "matches"
    folder.mkdir(mode=0o500)
    with pytest.raises(RecordError, match="cannot be written") as caught:
        begun(folder)
    assert "Permission denied" in caught.value.why
    assert "PAZAAK_HOME" in caught.value.next
    with pytest.raises(RecordError):
        begun(folder / "deeper")
    folder.chmod(0o700)

    journal = begun(folder)
    folder.chmod(0o500)
    journal.write(b" more")
    with pytest.raises(RecordError, match="secret") as caught:
        journal.settle()
    assert "Permission denied" in caught.value.why
    journal.close()
    folder.chmod(0o700)
    assert journal.path is not None
    assert journal.path.read_bytes() == b"said more"
    Journal.reopen(journal.path).settle()
    assert files(folder) == {journal.path.name}


@posix_only
def test_on_a_disk_without_locks_no_match_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Better none than one that two programs could go on with."""
    record = interrupted(tmp_path / "before")

    def flock(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(RecordError, match="cannot be written") as caught:
        begun(tmp_path / "new")
    assert "No locks available" in caught.value.why
    with pytest.raises(RecordError, match="cannot be written") as caught:
        Journal.reopen(record, 4)
    assert "No locks available" in caught.value.why
    assert files(tmp_path / "new") == set()
    assert files(record.parent) == {record.name, secret_file(record).name}
    assert find_saved(record.parent, None).record == record


@posix_only
def test_a_record_that_cannot_be_written_does_not_go_on(ordinary: Path) -> None:
    record = interrupted(ordinary)
    record.chmod(0o400)
    with pytest.raises(RecordError, match="cannot be written") as caught:
        Journal.reopen(record, 4)
    assert "Permission denied" in caught.value.why


# --- what lies in the way


@posix_only
@pytest.mark.usefixtures("one_name")
@pytest.mark.parametrize("kind", ["link", "dead link", "folder", "file"])
def test_what_lies_in_the_place_of_the_secrets_is_left_alone(tmp_path: Path, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "matches"
    folder.mkdir()
    _put(folder / "match.secret", kind, victim)
    record = interrupted(folder)
    assert record.name == "match_2.pzk"
    assert not secret_file(record).is_symlink()
    assert victim.read_text() == "precious"
    assert files(folder) == {"match.secret", "match_2.pzk", "match_2.secret"}
    assert not (tmp_path / "nowhere").exists()


@posix_only
@pytest.mark.usefixtures("one_name")
@pytest.mark.parametrize("kind", ["link", "dead link", "folder", "file"])
def test_what_comes_into_the_place_of_the_secrets_at_the_last_moment_is_left_alone(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "matches"
    hold = RecordWriter.hold

    def late(record: RecordWriter) -> None:
        hold(record)
        _put(folder / "match.secret", kind, victim)

    monkeypatch.setattr(RecordWriter, "hold", late)
    with pytest.raises(RecordError, match="secret") as caught:
        begun(folder)
    assert "exists" in caught.value.why
    assert victim.read_text() == "precious"
    assert files(folder) == {"match.secret"}
    assert not (tmp_path / "nowhere").exists()


@posix_only
@pytest.mark.usefixtures("one_name")
def test_a_link_that_waits_where_the_secrets_are_written_first_is_not_followed(
    tmp_path: Path,
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "matches"
    folder.mkdir()
    _put(folder / "match.secret.new", "link", victim)
    interrupted(folder)
    assert files(folder) == {"match.pzk", "match.secret"}
    assert not (folder / "match.secret").is_symlink()
    assert victim.read_text() == "precious"
    (folder / "match.secret.new").mkdir()
    (folder / "match.pzk").unlink()
    (folder / "match.secret").unlink()
    with pytest.raises(RecordError, match="secret"):
        begun(folder)
    assert files(folder) == {"match.secret.new"}


@posix_only
@pytest.mark.usefixtures("one_name")
def test_the_record_is_never_somebody_elses_file(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "matches"
    folder.mkdir()
    _put(folder / "match.pzk", "link", victim)
    _put(folder / "match_2.pzk", "dead link", victim)
    (folder / "match_3.pzk").mkdir()
    record = interrupted(folder)
    assert record.name == "match_4.pzk"
    assert victim.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


def _put(path: Path, kind: str, victim: Path) -> None:
    match kind:
        case "link":
            path.symlink_to(victim)
        case "dead link":
            path.symlink_to(victim.with_name("nowhere"))
        case "folder":
            path.mkdir()
        case "file":
            path.write_text("another's")


def test_what_a_killed_program_left_of_the_secrets_goes_with_them(tmp_path: Path) -> None:
    """It is killed between the two names of one file; nothing secret may outlast the match."""
    record = interrupted(tmp_path)
    left = secret_file(record).with_name(f"{secret_file(record).name}.new")
    shutil.copy(secret_file(record), left)
    Journal.reopen(record, 4).settle()
    assert files(tmp_path) == {record.name}
