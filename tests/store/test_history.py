"""The index of past matches: kept up to date, made anew, shared, damaged."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.store import history as history_module
from pazaak_p2p.store.history import (
    NAME,
    History,
    HistoryError,
    HistoryNewer,
    Scan,
    with_history,
)
from pazaak_p2p.store.history_tables import APPLICATION, VERSION
from pazaak_p2p.store.played import read_played
from tests.history import some_records
from tests.wire.records import RECORD, kind, pieces

RECORDS = [ours for ours, _ in some_records(12)]
THEIRS = [theirs for _, theirs in some_records(12)]
Tables = dict[str, list[tuple[Any, ...]]]


posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with twelve records."""
    folder = tmp_path / "home"
    (folder / "matches").mkdir(parents=True)
    for number, record in enumerate(RECORDS):
        (folder / "matches" / f"{number:02}.pzk").write_bytes(record)
    return folder


def look(home: Path, *, rebuild: bool = False) -> tuple[Scan, Tables]:
    """What a look at the records found, and all that is in the tables."""

    def everything(history: History, scan: Scan) -> tuple[Scan, Tables]:
        tables = {}
        # By the file's name in place of its number, which depends on who came first.
        name = "(SELECT name FROM files WHERE files.id = t.{})"
        for table, key in (("matches", "id"), ("sets", "match"), ("uses", "match")):
            sql = f"SELECT {name.format(key)}, t.* FROM {table} AS t ORDER BY 1, t.{key}, 3"
            rows = history.db.execute(sql).fetchall()
            tables[table] = [(row[0], *row[2:]) for row in rows]
        sql = f"SELECT {name.format('match')}, t.* FROM draws AS t ORDER BY 1, 3"
        tables["draws"] = [(row[0], *row[2:]) for row in history.db.execute(sql)]
        return scan, tables

    return with_history(home, home / "matches", everything, rebuild=rebuild)


def counted(tables: Tables) -> list[str]:
    """The files whose matches count."""
    return [row[0].decode() for row in tables["matches"] if row[2]]


NOTHING = Scan(0, 0, (), ())
SOUND = [f"{number:02}.pzk" for number in range(12)]


@posix_only
def test_nobody_else_can_read_the_index_of_records_that_nobody_else_can_read(home: Path) -> None:
    before = os.umask(0)
    try:
        look(home)
    finally:
        os.umask(before)
    assert (home / NAME).stat().st_mode & 0o777 == 0o600


# --- kept up to date


def test_at_first_there_is_nothing(tmp_path: Path) -> None:
    scan, tables = look(tmp_path / "home")
    assert scan == NOTHING
    assert not any(tables.values())


def test_all_records_are_read_once(home: Path) -> None:
    scan, tables = look(home)
    assert scan == Scan(12, 0, (), ())
    assert counted(tables) == SOUND
    assert look(home) == (NOTHING, tables)


def test_what_is_in_the_tables_is_what_was_played(home: Path) -> None:
    _, tables = look(home)
    played = [read_played([record]) for record in RECORDS]
    assert [row[1] for row in tables["matches"]] == [match.match_id for match in played]
    assert len(tables["sets"]) == sum(len(match.sets) for match in played)
    draws = [(draw.set, int(draw.seat is m.seat), draw.rank) for m in played for draw in m.draws]
    assert [row[2:5] for row in tables["draws"]] == draws
    uses = [
        (use.set, int(use.seat is m.seat), use.card.ascii, use.before, use.after)
        for m in played
        for use in m.uses
    ]
    assert [row[2:] for row in tables["uses"]] == uses


def test_new_changed_and_gone_records(home: Path) -> None:
    look(home)
    (home / "matches" / "00.pzk").unlink()
    (home / "matches" / "01.pzk").write_bytes(RECORD)
    (home / "matches" / "new.pzk").write_bytes(RECORDS[0])
    (home / "matches" / "new.txt").write_bytes(RECORDS[0])
    scan, tables = look(home)
    assert scan == Scan(2, 1, (), ())
    assert counted(tables) == [*SOUND[1:], "new.pzk"]
    assert look(home, rebuild=True) == (Scan(12, 0, (), ()), tables)


def test_a_match_that_is_being_played_is_left_out_and_told_until_it_is_over(home: Path) -> None:
    look(home)
    path = home / "matches" / "now.pzk"
    whole = b"".join(piece for piece in pieces(RECORD) if kind(piece) != "end")
    for length in (0, 100, 400, 1300):
        path.write_bytes(whole[:length])
        scan, tables = look(home)
        assert scan == Scan(0, 0, ("now.pzk",), ())
        assert counted(tables) == SOUND
        assert look(home)[0] == scan  # told again
    path.write_bytes(RECORD)
    scan, tables = look(home)
    assert scan == Scan(1, 0, (), ())
    assert counted(tables) == [*SOUND, "now.pzk"]


@pytest.mark.parametrize(("most", "count"), [(3, 7), (7, 7), (100, 7), (1, 2)])
def test_many_unfinished_records_are_written_in_steps(
    home: Path, monkeypatch: pytest.MonkeyPatch, most: int, count: int
) -> None:
    monkeypatch.setattr(history_module, "_MOST_AT_ONCE", most)
    names = tuple(f"a{number}.pzk" for number in range(count))
    for name in names:
        (home / "matches" / name).write_bytes(RECORD[:1300])
    assert look(home)[0] == Scan(12, 0, names, ())
    assert look(home)[0] == Scan(0, 0, names, ())


def test_damaged_records_are_left_out_and_told_with_the_reason(home: Path) -> None:
    folder = home / "matches"
    (folder / "00.pzk").write_bytes(RECORDS[0][:500] + b"\xff" + RECORDS[0][501:])
    (folder / "text.pzk").write_text("Dear Ann")
    (folder / "folder.pzk").mkdir()
    scan, tables = look(home)
    assert (scan.read, scan.unfinished) == (11, ())
    assert [name for name, _ in scan.damaged] == ["00.pzk", "text.pzk"]
    assert scan.damaged[1][1] == "This is no record of a match."
    assert counted(tables) == SOUND[1:]


@pytest.mark.skipif(sys.platform == "win32", reason="names are bytes elsewhere only")
def test_names_that_are_no_text(home: Path) -> None:
    folder = os.fsencode(home / "matches")
    with open(folder + b"/\xff\x1b[31m.pzk", "wb") as file:
        file.write(b"text")
    scan, _ = look(home)
    assert scan.damaged == (("\udcff\x1b[31m.pzk", "This is no record of a match."),)


def test_a_huge_file_is_not_read(home: Path) -> None:
    with (home / "matches" / "huge.pzk").open("wb") as file:
        file.write(RECORD)
        file.truncate(1 << 34)
    scan, _ = look(home)
    assert scan.damaged == (("huge.pzk", "It is too large to be the record of a match."),)


# --- several records of one match


def test_both_seats_records_of_one_match_count_once(home: Path) -> None:
    for number, record in enumerate(THEIRS):
        (home / "matches" / f"{number:02}_2.pzk").write_bytes(record)
    (home / "matches" / "copy.pzk").write_bytes(RECORDS[3])
    scan, tables = look(home)
    assert scan.read == 25
    seats = {row[0].decode(): row[4] for row in tables["matches"]}
    names = counted(tables)
    assert len(names) == 12
    assert {seats[name] for name in names} == {0}  # the host's of two that are equally long
    assert look(home, rebuild=True)[1] == tables


def test_the_longer_of_two_records_counts_and_the_other_when_that_is_gone(home: Path) -> None:
    cut = b"".join(pieces(RECORDS[3])[:-2])  # without the last entry: the loser's side deck
    (home / "matches" / "00_short.pzk").write_bytes(cut)
    _, tables = look(home)
    assert counted(tables) == SOUND
    (home / "matches" / "03.pzk").unlink()
    scan, tables = look(home)
    assert scan.gone == 1
    assert counted(tables) == ["00.pzk", "00_short.pzk", *SOUND[1:3], *SOUND[4:]]
    (home / "matches" / "03.pzk").write_bytes(RECORDS[3])
    assert counted(look(home)[1]) == SOUND


# --- damaged


def overwritten(path: Path) -> None:
    path.write_text("no database at all, but a text that is long enough to be looked at")


def torn(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def zeroed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)


def anothers(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE diary (text)")


def without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE draws")


def with_another_column(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("ALTER TABLE sets RENAME COLUMN match TO game")


def with_orphans(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM files")


@pytest.mark.parametrize(
    "damage",
    [overwritten, torn, zeroed, anothers, without_a_table, with_another_column, with_orphans],
)
def test_a_damaged_index_is_set_aside_and_made_anew(
    home: Path, damage: Callable[[Path], None]
) -> None:
    _, tables = look(home)
    path = home / NAME
    damage(path)
    damaged = path.read_bytes()
    (home / "matches" / "13.pzk").write_bytes(RECORD)
    if damage in (without_a_table, zeroed):
        # What is damaged is found when it is looked at.
        (home / "matches" / "00.pzk").touch()
    scan, again = look(home)
    assert scan.aside is not None
    assert scan.aside.name.startswith(f"{NAME}.damaged-")
    assert scan.aside.read_bytes()[:20] == damaged[:20]
    assert (scan.read, counted(again)) == (13, [*SOUND, "13.pzk"])
    (home / "matches" / "13.pzk").unlink()
    assert look(home)[1] == tables


def test_an_empty_file_is_an_index_to_be_made(home: Path) -> None:
    (home / NAME).touch()
    scan, _ = look(home)
    assert (scan.read, scan.aside) == (12, None)


def test_tables_of_an_earlier_version_are_made_anew(home: Path) -> None:
    with closing(sqlite3.connect(home / NAME)) as db:
        db.execute("CREATE TABLE files (name)")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
    scan, _ = look(home)
    assert (scan.read, scan.aside) == (12, None)


def test_tables_of_a_later_version_are_left_alone(home: Path) -> None:
    look(home)
    with closing(sqlite3.connect(home / NAME)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(HistoryNewer) as caught:
        look(home)
    assert caught.value.exit_code == Exit.MISFIT
    assert "--rebuild" in caught.value.next
    assert look(home, rebuild=True)[0].read == 12
    assert look(home)[0] == NOTHING


# --- places that cannot be used


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(HistoryError, match="cannot be used"):
        look(tmp_path)


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(HistoryError, match="cannot be made"):
        with_history(tmp_path / "home", tmp_path, lambda history, scan: None)


def test_records_that_are_no_folder(tmp_path: Path) -> None:
    (tmp_path / "matches").touch()
    with pytest.raises(HistoryError, match="matches cannot be read"):
        look(tmp_path)


def test_an_index_that_another_program_holds(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look(home)
    monkeypatch.setattr(history_module, "PATIENCE", 0.05)
    with closing(sqlite3.connect(home / NAME, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(HistoryError, match="Another program keeps") as caught:
            look(home)
        assert "0.05 seconds" in caught.value.why
        other.execute("ROLLBACK")
    assert look(home)[0] == NOTHING


# --- several programs at once

_LOOK = """
import sys
from pathlib import Path
from pazaak_p2p.store import history
history._BATCH = 1
home = Path(sys.argv[1])
def told(done, of):
    print(done, flush=True)
print(history.with_history(home, home / "matches", lambda h, s: s.aside, progress=told))
"""


def looking(home: Path) -> subprocess.Popen[str]:
    """Another process that takes the records in, one by one."""
    argv = [sys.executable, "-c", _LOOK, str(home)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_programs_that_look_at_once_do_not_disturb_each_other(home: Path) -> None:
    others = [looking(home) for _ in range(4)]
    for other in others:
        out, err = other.communicate(timeout=60)
        assert (other.returncode, err) == (0, "")
        assert out.endswith("None\n")
    scan, tables = look(home)
    assert scan == NOTHING
    assert counted(tables) == SOUND
    assert look(home, rebuild=True)[1] == tables


def test_programs_that_find_the_same_damage_mend_it_once(home: Path) -> None:
    look(home)
    overwritten(home / NAME)
    others = [looking(home) for _ in range(4)]
    for other in others:
        _, err = other.communicate(timeout=60)
        assert (other.returncode, err) == (0, "")
    assert len(list(home.glob(f"{NAME}.damaged-*"))) == 1
    assert counted(look(home)[1]) == SOUND


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_program_that_is_killed_leaves_what_it_had_read(home: Path) -> None:
    other = looking(home)
    assert other.stdout is not None
    for _ in range(5):
        other.stdout.readline()
    other.send_signal(signal.SIGKILL)
    other.communicate(timeout=60)
    scan, tables = look(home)
    assert scan.aside is None
    assert 0 < scan.read < 12
    assert counted(tables) == SOUND
