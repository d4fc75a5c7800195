"""Matches that can go on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p.errors import Exit, PazaakError, UsageError
from pazaak_p2p.rules import format_deck
from pazaak_p2p.store import (
    AmbiguousMatch,
    Journal,
    MatchFinished,
    MatchInUse,
    NothingSaved,
    SavedDamaged,
    SavedLater,
    SavedMatchError,
    Standing,
    UnknownMatch,
    UnknownUser,
    find_saved,
    forget,
    records_of,
    saved_matches,
    set_aside,
    standing,
)
from pazaak_p2p.store import safe_files as safe_files_module
from pazaak_p2p.store.saved_secrets import MOST_BYTES, encoded, read_secrets, secret_file
from tests.store.keeping import MATCH_ID, begun, files, interrupted, secrets
from tests.store.ordinary import NOBODY, ordinary_folder
from tests.wire.records import RECORD, pieces

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


@pytest.fixture
def ordinary() -> Iterator[Path]:
    with ordinary_folder() as folder:
        yield folder


def match_id(digits: str) -> bytes:
    return bytes.fromhex(digits.ljust(64, "0"))


def saved_at(folder: Path, digits: str, when: int, **changes: Any) -> Path:
    """The record of a match whose id begins with *digits*, last written to at *when*."""
    record = interrupted(folder, match_id=match_id(digits), **changes)
    os.utime(record, (when, when))
    return record


def finished(folder: Path, digits: str) -> Path:
    journal = begun(folder, match_id=match_id(digits))
    journal.settle()
    assert journal.path is not None
    return journal.path


def put(path: Path, data: bytes) -> Path:
    path.touch(mode=0o600)
    path.write_bytes(data)
    return path


def check(error: PazaakError, *parts: str) -> None:
    """It has all three parts, each on one line, and *parts* are in them."""
    for part in (error.what, error.why, error.next):
        assert part
        assert "\n" not in part
    whole = f"{error.what} {error.why} {error.next}"
    for part in parts:
        assert part in whole, whole


# --- the secrets


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"bot": None, "bot_secret": None, "seed": None, "host": "", "port": 0, "began": 0},
        {"seat": 1, "listened": False, "plain": True, "host": "fe80::1%eth0", "port": 65535},
        {"name": "Zoë ‮\x1b[31m", "seed": '\x00\n"\\ 日本', "bot": "script:/a b/ü.txt"},
    ],
)
def test_secrets_come_back_as_they_were(tmp_path: Path, changes: dict[str, Any]) -> None:
    keep = secrets(**changes)
    path = put(tmp_path / "x.secret", encoded(keep, tmp_path))
    assert read_secrets(path) == keep
    assert format_deck(read_secrets(path).side_deck, ascii=True) == keep.deck


def test_the_file_is_json_that_a_person_can_read(tmp_path: Path) -> None:
    table = json.loads(encoded(secrets(), tmp_path))
    assert table["v"] == 1
    assert table["match"] == MATCH_ID.hex()
    assert table["secret"] == bytes(range(150, 182)).hex()
    assert table["deck"] == "+1 -2 +-3 D 2&4 3&6 +-1T 1+-2 +5 +6"
    assert len(table) == 16


def test_secrets_do_not_show_up_in_a_traceback() -> None:
    assert repr(secrets()) == "<SavedSecrets of seat 0 in 1a2b3c4d>"


@pytest.mark.parametrize(
    "changes",
    [
        {"match_id": bytes(31)},
        {"key": bytes(33)},
        {"secret": b""},
        {"bot_secret": bytes(31)},
        {"seat": 2},
        {"seat": -1},
        {"deck": "+1 -2 +-3"},
        {"deck": "+1 -2 ±3 D 2&4 3&6 +-1T 1+-2 +5 +6"},
        {"deck": "+1,-2,+-3 D 2&4 3&6 +-1T 1+-2 +5 +6"},
        {"deck": "+1 -2 +-3 D 2&4 3&6 +-1T 1+-2 +5 +9"},
        {"name": ""},
        {"name": "x" * 33},
        {"port": -1},
        {"port": 65536},
        {"began": -1},
        {"began": 2**53 + 1},
        {"host": "x" * 301},
    ],
)
def test_what_no_seat_can_have_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"seat of a match|side deck") as caught:
        secrets(**changes)
    assert bytes(range(150, 182)).hex() not in str(caught.value)


# --- damaged secrets


def test_secrets_with_a_byte_changed_are_never_other_secrets(tmp_path: Path) -> None:
    """Each byte: a bit flipped, a digit for a digit, a letter for a letter."""
    whole = encoded(secrets(), tmp_path)
    path = put(tmp_path / "x.secret", whole)
    tried = refused = 0
    with path.open("r+b", buffering=0) as file:
        for at, byte in enumerate(whole):
            for other in {byte ^ 1, byte ^ 32, byte ^ 128, ord("0"), ord("f")} - {byte}:
                tried += 1
                file.seek(at)
                file.write(bytes([other]))
                try:
                    assert read_secrets(path) == secrets()
                except (SavedDamaged, SavedLater) as error:
                    check(error, str(path))
                    refused += 1
            file.seek(at)
            file.write(bytes([byte]))
    assert path.read_bytes() == whole
    assert tried == refused


def test_records_and_secrets_cut_short_at_every_byte_are_answered_for(tmp_path: Path) -> None:
    both, cut_record = tmp_path / "both", tmp_path / "record"
    record = interrupted(both, bytes(range(100)))
    secret = secret_file(record)
    size = secret.stat().st_size
    for length in reversed(range(size)):
        os.truncate(secret, length)
        os.truncate(record, min(length, 100))
        found, troubles = saved_matches(both)
        if length == size - 1:  # the end of the line is no loss
            assert [saved.secrets for saved in found] == [secrets()]
            assert troubles == []
        else:
            assert found == []
            assert [(type(t), t.path) for t in troubles] == [(SavedDamaged, secret)]
        assert secret.stat().st_size == length
    record = interrupted(cut_record, bytes(range(100)))
    for length in reversed(range(100)):
        os.truncate(record, length)
        found, troubles = saved_matches(cut_record)
        if length == 0:
            assert found == []
            assert [(type(t), t.path) for t in troubles] == [(SavedDamaged, record)]
        else:
            assert [saved.record for saved in found] == [record]
            assert troubles == []
        assert record.stat().st_size == length


@pytest.mark.parametrize(
    ("data", "flaw"),
    [
        (b"", "it is empty."),
        (b"\x00" * 600, "these are no secrets of a match."),
        (b"[" * 60_000, "these are no secrets of a match."),
        (b'{"v": 1, "x": ' + b"[" * 60_000, "these are no secrets of a match."),
        (b'{"v": 1, "x": ' + b"9" * 60_000 + b"}", "these are no secrets of a match."),
        (b'{"v": ' + b"9" * 60_000 + b"}", "these are no secrets of a match."),
        (b'{"v": 0}', "these are no secrets of a match."),
        (b'{"v": true}', "these are no secrets of a match."),
        (b'{"v": "1"}', "these are no secrets of a match."),
        (b'{"v": 1, "name": "\xff"}', "these are no secrets of a match."),
        (b'{"v": 1, "name": "\\ud800"}', "these are no secrets of a match."),
        (b"{}", "these are no secrets of a match."),
        (b" " * MOST_BYTES + b" ", "it has more than 65536 bytes."),
    ],
)
def test_damaged_secrets(tmp_path: Path, data: bytes, flaw: str) -> None:
    secret = secret_file(interrupted(tmp_path))
    secret.write_bytes(data)
    found, (trouble,) = saved_matches(tmp_path)
    assert found == []
    assert isinstance(trouble, SavedDamaged)
    assert trouble.what == f"{secret}: {flaw}"
    check(trouble)
    assert secret.read_bytes() == data


def test_secrets_of_another_shape_are_damaged(tmp_path: Path) -> None:
    whole = json.loads(encoded(secrets(), tmp_path))
    path = put(tmp_path / "x.secret", b"")
    for change in ({"extra": 1}, {"seat": 2}, {"secret": whole["secret"].upper()}, {"port": "1"}):
        path.write_text(json.dumps({**whole, **change}))
        with pytest.raises(SavedDamaged, match="no secrets of a match"):
            read_secrets(path)
    for name in whole:
        less = {key: value for key, value in whole.items() if key != name}
        path.write_text(json.dumps(less))
        if name == "v":
            with pytest.raises(SavedDamaged, match="no secrets of a match"):
                read_secrets(path)
        elif name == "check":
            with pytest.raises(SavedDamaged, match="its checksum does not fit"):
                read_secrets(path)
        else:
            with pytest.raises(SavedDamaged, match="no secrets of a match"):
                read_secrets(path)


def test_secrets_that_no_seat_can_have_are_damaged_though_their_checksum_fits(
    tmp_path: Path,
) -> None:
    whole = json.loads(encoded(secrets(), tmp_path))
    whole |= {"deck": "+1 -2", "check": ""}
    bare = json.dumps(whole, separators=(",", ":")).encode()
    whole["check"] = hashlib.sha256(bare).hexdigest()
    path = put(tmp_path / "x.secret", json.dumps(whole).encode())
    with pytest.raises(SavedDamaged, match="the side deck is no ten cards") as caught:
        read_secrets(path)
    check(caught.value)


def test_secrets_of_a_later_version_say_so(tmp_path: Path) -> None:
    secret = secret_file(interrupted(tmp_path))
    secret.write_text('{"v": 2, "all": ["new"]}')
    found, (trouble,) = saved_matches(tmp_path)
    assert found == []
    assert isinstance(trouble, SavedLater)
    check(trouble, "later version", "It has version 2, and this program reads version 1", "Update")


@posix_only
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o601])
def test_secrets_that_others_can_get_at_are_refused(tmp_path: Path, mode: int) -> None:
    secret = secret_file(interrupted(tmp_path))
    secret.chmod(mode)
    found, (trouble,) = saved_matches(tmp_path)
    assert found == []
    assert trouble.path == secret
    check(trouble, "wrong permissions", f"{mode:04o}", "of a match", f"Type: chmod 600 {secret}")
    with pytest.raises(SavedMatchError, match="wrong permissions"):
        find_saved(tmp_path, None)
    secret.chmod(0o600)
    assert len(saved_matches(tmp_path)[0]) == 1


@posix_only
def test_secrets_of_another_user_are_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    secret = secret_file(interrupted(tmp_path))
    os.chown(secret, NOBODY, NOBODY)
    _, (trouble,) = saved_matches(tmp_path)
    check(trouble, "belongs to another user", str(NOBODY))


@posix_only
def test_what_is_no_plain_file_is_no_saved_match(tmp_path: Path) -> None:
    record = interrupted(tmp_path)
    secret = secret_file(record)
    keep = secret.read_bytes()
    real = put(tmp_path / "elsewhere", keep)
    secret.unlink()

    secret.symlink_to(real)
    assert _only_trouble(tmp_path).endswith(".secret is a link.")
    secret.unlink()
    secret.symlink_to(tmp_path / "nowhere")
    assert _only_trouble(tmp_path).endswith(".secret is a link.")
    secret.unlink()
    secret.mkdir()
    assert _only_trouble(tmp_path).endswith(".secret is a folder.")
    secret.rmdir()
    os.mkfifo(secret, 0o600)
    assert _only_trouble(tmp_path).endswith(".secret is a pipe.")
    secret.unlink()
    put(secret, keep)
    assert saved_matches(tmp_path)[1] == []

    record.rename(tmp_path / "real")
    for make in (Path.mkdir, lambda path: path.symlink_to("real"), os.mkfifo):
        make(record)
        assert _only_trouble(tmp_path).endswith(".pzk is no record of a match.")
        with pytest.raises(SavedMatchError, match="no record of a match"):
            find_saved(tmp_path, record.name)
        if record.is_dir() and not record.is_symlink():
            record.rmdir()
        else:
            record.unlink()
    assert "is missing" in _only_trouble(tmp_path)


def _only_trouble(folder: Path) -> str:
    found, (trouble,) = saved_matches(folder)
    assert found == []
    check(trouble)
    return trouble.what


# --- all of them


def test_no_folder_and_an_empty_one_hold_nothing(tmp_path: Path) -> None:
    assert saved_matches(tmp_path / "nowhere") == ([], [])
    assert saved_matches(tmp_path) == ([], [])
    assert records_of(tmp_path / "nowhere", MATCH_ID) == []
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(NothingSaved) as caught:
            find_saved(folder, None)
        check(caught.value, "no match to go on with", str(folder), "pazaak host")
        with pytest.raises(UnknownMatch):
            find_saved(folder, "1a2b")


def test_the_latest_comes_first_and_what_is_damaged_is_told_apart(tmp_path: Path) -> None:
    old = saved_at(tmp_path, "aaaa", 1_000)
    new = saved_at(tmp_path, "bbbb", 3_000)
    middle = saved_at(tmp_path, "cccc", 2_000)
    damaged = saved_at(tmp_path, "dddd", 4_000)
    secret_file(damaged).write_text("{")
    finished(tmp_path, "eeee")
    (tmp_path / "notes.txt").write_text("no match")
    (tmp_path / "x.secret.new").write_text("left by a program that was killed")
    found, troubles = saved_matches(tmp_path)
    assert [saved.record for saved in found] == [new, middle, old]
    assert [saved.mtime for saved in found] == [3_000, 2_000, 1_000]
    assert [saved.secrets.match_id for saved in found] == [
        match_id(digits) for digits in ("bbbb", "cccc", "aaaa")
    ]
    assert [saved.secret_file for saved in found] == [secret_file(s.record) for s in found]
    assert [trouble.path for trouble in troubles] == [secret_file(damaged)]
    assert find_saved(tmp_path, None) == found[0]


def test_a_match_that_is_over_is_told_apart_and_comes_after_those_that_are_not(
    tmp_path: Path,
) -> None:
    """Nothing of it goes by itself: it can be listed, gone on with by its name, and given up."""
    whole = pieces(RECORD)[:-1]  # without the end map
    kept = {}
    for digits, when, left, stands in (
        ("aaaa", 1_000, 4, Standing.OPEN),
        ("bbbb", 2_000, 1, Standing.UNAUDITED),
        ("cccc", 3_000, 0, Standing.UNHEARD),
    ):
        data = b"".join(whole[: len(whole) - left])
        kept[stands] = record = interrupted(tmp_path, data, match_id=match_id(digits))
        os.utime(record, (when, when))
    found, troubles = saved_matches(tmp_path)
    assert troubles == []
    assert {standing(saved): saved.record for saved in found} == kept
    assert find_saved(tmp_path, None).record == kept[Standing.OPEN]
    assert find_saved(tmp_path, "bbbb").record == kept[Standing.UNAUDITED]
    forget(find_saved(tmp_path, "aaaa"))
    assert find_saved(tmp_path, None).record == kept[Standing.UNHEARD]
    for digits in ("bbbb", "cccc"):
        forget(find_saved(tmp_path, digits))
    assert saved_matches(tmp_path) == ([], [])
    assert all(record.exists() for record in kept.values())


def test_secrets_without_their_record_are_a_trouble(tmp_path: Path) -> None:
    record = interrupted(tmp_path)
    record.unlink()
    found, (trouble,) = saved_matches(tmp_path)
    assert found == []
    assert trouble.path == secret_file(record)
    check(trouble, record.name, "is missing", f"rm {secret_file(record)}")
    for wanted in (None, record.name, str(record), record.stem):
        with pytest.raises(SavedDamaged, match="is missing"):
            find_saved(tmp_path, wanted)
    # Nothing of them is lost, nor taken for another's, when the same match is written again.
    again = interrupted(tmp_path)
    assert again.stem == f"{record.stem}_2"
    assert secret_file(record).exists()


def test_a_match_that_is_just_beginning_is_no_trouble(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin(MATCH_ID, "Ann", "Bob", secrets())
    ((saved,), troubles) = saved_matches(tmp_path)
    assert saved.record == journal.path
    assert troubles == []
    with pytest.raises(MatchInUse):
        find_saved(tmp_path, None)
    journal.close()
    assert saved_matches(tmp_path) == ([], [])


@posix_only
def test_a_match_that_was_killed_before_it_began(tmp_path: Path) -> None:
    record = interrupted(tmp_path)
    record.write_bytes(b"")
    _, (trouble,) = saved_matches(tmp_path)
    check(trouble, "it is empty.", f"rm {record} {secret_file(record)}")
    for wanted in (None, record.name, MATCH_ID.hex()):
        with pytest.raises(SavedDamaged, match="it is empty"):
            find_saved(tmp_path, wanted)


def test_a_match_that_ends_while_we_look_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = interrupted(tmp_path)
    lstat = os.lstat

    def put_away(path: Path) -> os.stat_result:
        if path == record:
            secret_file(record).unlink(missing_ok=True)
            record.unlink(missing_ok=True)
        return lstat(path)

    listdir = os.listdir
    monkeypatch.setattr(os, "lstat", put_away)
    assert saved_matches(tmp_path) == ([], [])
    # Or between the listing and the look at the secrets.
    monkeypatch.setattr(os, "listdir", lambda folder: [*listdir(folder), "gone.secret"])
    assert saved_matches(tmp_path) == ([], [])


@posix_only
def test_a_folder_that_cannot_be_read(ordinary: Path) -> None:
    folder = ordinary / "matches"
    record = interrupted(folder)
    folder.chmod(0o000)
    found, (trouble,) = saved_matches(folder)
    assert found == []
    check(trouble, f"{folder} cannot be read", "Permission denied", "PAZAAK_HOME")
    for wanted in (None, "1a2b"):
        with pytest.raises(SavedMatchError, match="cannot be read"):
            find_saved(folder, wanted)
    with pytest.raises(SavedMatchError, match="cannot be read"):
        records_of(folder, MATCH_ID)
    folder.chmod(0o700)
    secret_file(record).chmod(0o000)
    _, (trouble,) = saved_matches(folder)
    check(trouble, "wrong permissions", "chmod 600")
    folder.joinpath("file").write_text("x")
    check(saved_matches(folder / "file")[1][0], "cannot be read", "Not a directory")


# --- one of them


def test_a_match_is_named_by_its_record_or_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "matches"
    record = saved_at(folder, "abcd1234ff", 1_000)
    saved_at(folder, "dddd", 2_000)
    elsewhere = saved_at(tmp_path / "copies", "cccc", 500)
    names = [
        record.name,
        record.stem,
        secret_file(record).name,
        str(record),
        str(record.with_suffix("")),
        str(secret_file(record)),
        "abcd",
        "ABCD1",
        "abcd1234",
        "abcd1234ff",
        match_id("abcd1234ff").hex(),
    ]
    for wanted in names:
        assert find_saved(folder, wanted).record == record, wanted
    assert find_saved(folder, str(elsewhere)).record == elsewhere
    monkeypatch.chdir(elsewhere.parent)
    assert find_saved(folder, elsewhere.name).record == Path(elsewhere.name)
    assert find_saved(folder, f".{os.sep}{elsewhere.stem}").record == Path(elsewhere.name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    assert find_saved(tmp_path, f"~{os.sep}{record.name}").record == record


@pytest.mark.parametrize(
    "wanted",
    [
        *("", " ", ".", "..", "/", "*", ".pzk", ".secret", "nobody.pzk", "/no/folder/x.pzk"),
        *("no\0file", "x" * 5000, "\x1b[31m", "\udcff"),
        *("abc", "abce", "abcd1235", "g" * 8, "f" * 65),
    ],
)
def test_no_such_match(tmp_path: Path, wanted: str) -> None:
    saved_at(tmp_path, "abcd1234", 1_000)
    with pytest.raises((UnknownMatch, SavedMatchError)) as caught:
        find_saved(tmp_path, wanted)
    check(caught.value)
    assert "\x1b" not in caught.value.what
    if isinstance(caught.value, SavedMatchError):
        assert wanted == ".."
        check(caught.value, "no record of a match")


def test_nobodys_folder(tmp_path: Path) -> None:
    with pytest.raises(UnknownUser):
        find_saved(tmp_path, "~no_such_user_here/x.pzk")


def test_a_folder_of_this_name_in_the_way_is_not_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed are the digits of an id, wherever we stand."""
    folder = tmp_path / "matches"
    record = saved_at(folder, "abcd", 1_000)
    (tmp_path / "abcd").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_saved(folder, "abcd").record == record


def test_digits_that_fit_more_than_one_match_list_them(tmp_path: Path) -> None:
    records = [saved_at(tmp_path, f"abcd{n:04}", n + 1) for n in range(11)]
    with pytest.raises(AmbiguousMatch) as caught:
        find_saved(tmp_path, "abcd")
    check(caught.value, "11 saved matches begin with abcd", records[10].name, "and 3 more")
    assert records[3].name in caught.value.why
    assert records[2].name not in caught.value.why
    assert caught.value.next == f"Name one: pazaak resume {records[10].name}"
    assert find_saved(tmp_path, "abcd0003").record == records[3]


def test_a_match_that_is_being_played_is_taken_only_if_nothing_else_fits(tmp_path: Path) -> None:
    old = saved_at(tmp_path, "abcd1111", 1_000)
    new = saved_at(tmp_path, "abcd2222", 2_000)
    assert find_saved(tmp_path, None).record == new
    playing = Journal.reopen(new, 4)
    assert find_saved(tmp_path, None).record == old
    assert find_saved(tmp_path, "abcd").record == old
    for wanted in ("abcd2", new.name, str(new)):
        with pytest.raises(MatchInUse) as caught:
            find_saved(tmp_path, wanted)
        check(caught.value, new.name, "is being played", "proof of cheating")
    also = Journal.reopen(old, 4)
    for some in (None, "abcd"):
        with pytest.raises(MatchInUse):
            find_saved(tmp_path, some)
    playing.close()
    also.close()


def test_a_match_that_is_over_says_so(tmp_path: Path) -> None:
    record = finished(tmp_path, "abcd1234")
    names = (record.name, record.stem, str(record), "abcd", "abcd1234", match_id("abcd1234").hex())
    for wanted in names:
        with pytest.raises(MatchFinished) as caught:
            find_saved(tmp_path, wanted)
        check(caught.value, "cannot go on", "It is over", f"pazaak verify {record}")
    with pytest.raises(NothingSaved):
        find_saved(tmp_path, None)
    # Both seats were played from here, and one of them is not at the end.
    other = saved_at(tmp_path, "abcd1234", 1_000, seat=1)
    assert other.stem == f"{record.stem}_2"
    assert find_saved(tmp_path, "abcd").record == other


def test_damaged_secrets_of_the_match_that_is_meant_are_told(tmp_path: Path) -> None:
    good = saved_at(tmp_path, "aaaa", 1_000)
    bad = saved_at(tmp_path, "bbbb", 2_000)
    secret_file(bad).write_text("{}")
    for wanted in ("bbbb", bad.name, str(bad)):
        with pytest.raises(SavedDamaged, match="no secrets") as caught:
            find_saved(tmp_path, wanted)
        assert caught.value.path == secret_file(bad)
    assert find_saved(tmp_path, None).record == good
    secret_file(good).write_text("{}")
    with pytest.raises(SavedDamaged):
        find_saved(tmp_path, None)


def test_a_huge_record_is_found_at_once(tmp_path: Path) -> None:
    record = saved_at(tmp_path, "aaaa", 1_000)
    os.truncate(record, 1 << 30)
    assert find_saved(tmp_path, None).record == record


def test_what_ends_a_command_with_which_code() -> None:
    for usage in (NothingSaved, UnknownMatch, AmbiguousMatch, MatchFinished, MatchInUse):
        assert issubclass(usage, UsageError)
        assert usage.exit_code is Exit.USAGE
    codes = {cls.code for cls in (SavedMatchError, SavedDamaged, SavedLater)}
    assert codes == {"saved-match", "saved-match-damaged", "saved-match-later"}


# --- records


def test_the_records_of_a_match_are_found_by_their_names(tmp_path: Path) -> None:
    first = finished(tmp_path, "abcd1234")
    second = saved_at(tmp_path, "abcd1234", 1_000)
    saved_at(tmp_path, "abcd1235", 1_000)
    os.utime(first, (2_000, 2_000))
    (tmp_path / "abcd1234.pzk").write_text("not as we name them")
    (tmp_path / "x_abcd1234.pzk.damaged").write_text("x")
    (tmp_path / "x_abcd12345.pzk").write_text("x")
    assert records_of(tmp_path, match_id("abcd1234")) == [first, second]
    os.utime(second, (3_000, 3_000))
    assert records_of(tmp_path, match_id("abcd1234")) == [second, first]
    assert records_of(tmp_path, match_id("abcd1236")) == []
    # Names of players can be anything but digits behind the last line.
    odd = tmp_path / "2031-05-04_21-30_Zoë-日_vs_abcd1236_abcd1237_12.pzk"
    odd.write_bytes(b"x")
    assert records_of(tmp_path, match_id("abcd1237")) == [odd]
    assert records_of(tmp_path, match_id("abcd1236")) == []


# --- put away


def test_a_damaged_file_is_set_aside_and_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Noon(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Noon:
            return cls(2031, 5, 4, 12, 0, 0)

    monkeypatch.setattr(safe_files_module, "datetime", Noon)
    path = tmp_path / "x.pzk"
    asides = []
    for number in range(3):
        path.write_text(str(number))
        asides.append(set_aside(path))
        assert not path.exists()
    assert [aside.read_text() for aside in asides] == ["0", "1", "2"]
    stem = "x.pzk.damaged-20310504T120000Z"
    assert [aside.name for aside in asides] == [stem, f"{stem}-2", f"{stem}-3"]
    with pytest.raises(SavedMatchError, match="cannot be renamed") as caught:
        set_aside(path)
    check(caught.value)


def test_what_was_set_aside_is_no_saved_match_any_more(tmp_path: Path) -> None:
    record = interrupted(tmp_path)
    set_aside(secret_file(record))
    assert saved_matches(tmp_path) == ([], [])
    assert records_of(tmp_path, MATCH_ID) == [record]
    set_aside(record)
    assert records_of(tmp_path, MATCH_ID) == []
    assert len(files(tmp_path) - {".lock"}) == 2


@posix_only
def test_what_cannot_be_set_aside_stays(ordinary: Path) -> None:
    record = interrupted(ordinary)
    ordinary.chmod(0o500)
    with pytest.raises(SavedMatchError, match="cannot be") as caught:
        set_aside(record)
    check(caught.value, "Permission denied")
    ordinary.chmod(0o700)
    assert record.read_bytes() == b"said"


def test_a_match_that_is_given_up_keeps_its_record(tmp_path: Path) -> None:
    record = interrupted(tmp_path)
    saved = find_saved(tmp_path, None)
    playing = Journal.reopen(record, 4)
    with pytest.raises(MatchInUse):
        forget(saved)
    assert secret_file(record).exists()
    playing.close()
    forget(saved)
    assert files(tmp_path) == {record.name}
    with pytest.raises(MatchFinished):
        find_saved(tmp_path, record.name)
    with pytest.raises(MatchFinished):
        Journal.reopen(record, 4)
    forget(saved)
    assert record.read_bytes() == b"said"


@posix_only
def test_a_match_that_cannot_be_given_up(ordinary: Path) -> None:
    record = interrupted(ordinary)
    saved = find_saved(ordinary, None)
    ordinary.chmod(0o500)
    with pytest.raises(SavedMatchError, match="cannot be deleted") as caught:
        forget(saved)
    check(caught.value, "Permission denied")
    ordinary.chmod(0o700)
    assert secret_file(record).exists()
