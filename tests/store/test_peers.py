"""The known players."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness.fingerprint import fingerprint, full_fingerprint
from pazaak_p2p.store import peers as peers_module
from pazaak_p2p.store.meeting import Case, NameTaken
from pazaak_p2p.store.peers import PeerBook
from pazaak_p2p.store.peers_file import KnownPeer, parse, render, rewrite
from pazaak_p2p.store.safe_files import writing
from pazaak_p2p.store.trust_errors import (
    AmbiguousPlayer,
    FileDamaged,
    FileExposed,
    NicknameRefused,
    PlayersLost,
    TrustFileError,
    UnknownPlayer,
)
from tests.store.ordinary import NOBODY, ordinary_folder
from tests.store.racing import race

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")

START = datetime(2031, 5, 4, 21, 30, tzinfo=UTC)


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


ANN, BOB, CAT = key(1), key(2), key(3)


class Clock:
    """Half an hour later at every look."""

    def __init__(self) -> None:
        self.now = START - timedelta(minutes=30)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=30)
        return self.now


def at(steps: int) -> datetime:
    return START + steps * timedelta(minutes=30)


@pytest.fixture
def book(tmp_path: Path) -> PeerBook:
    return PeerBook(tmp_path / "home", clock=Clock())


@pytest.fixture
def ordinary() -> Iterator[Path]:
    with ordinary_folder() as folder:
        yield folder


def saved(book: PeerBook) -> dict[str, Any]:
    return tomllib.loads(book.path.read_text(encoding="utf-8"))


def put(book: PeerBook, text: str | bytes) -> None:
    book.path.parent.mkdir(exist_ok=True)
    book.path.write_bytes(text.encode() if isinstance(text, str) else text)
    book.path.chmod(0o600)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# --- meeting


def test_a_new_key_and_a_new_name_are_believed_and_kept(book: PeerBook) -> None:
    assert book.look(ANN, "Ann").case is Case.NEW
    assert not book.path.exists()
    meeting = book.meet(ANN, "Ann")
    assert (meeting.case, meeting.holders) == (Case.NEW, ())
    assert meeting.peer == KnownPeer(key=ANN, name="Ann", first_seen=at(0), last_seen=at(0))
    assert book.peers() == [meeting.peer]
    assert saved(book) == {
        "version": 1,
        "players": {
            ANN.hex(): {"name": "Ann", "first_seen": at(0), "last_seen": at(0), "matches": 0}
        },
    }


def test_a_known_key_by_its_name(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    assert book.look(ANN, "Ann").case is Case.KNOWN
    meeting = book.meet(ANN, "Ann")
    assert meeting.case is Case.KNOWN
    assert meeting.peer is not None
    assert (meeting.peer.first_seen, meeting.peer.last_seen) == (at(0), at(1))


def test_a_known_key_may_change_its_name_and_the_old_names_are_kept(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    looked = book.look(ANN, "Anna")
    assert looked.case is Case.RENAMED
    assert looked.peer is not None
    assert looked.peer.name == "Ann"
    assert book.meet(ANN, "Anna").case is Case.RENAMED
    assert book.meet(ANN, "Anne").case is Case.RENAMED
    (peer,) = book.peers()
    assert (peer.name, peer.earlier_names) == ("Anne", ("Ann", "Anna"))
    assert book.meet(ANN, "Ann").case is Case.RENAMED
    (peer,) = book.peers()
    assert (peer.name, peer.earlier_names) == ("Ann", ("Anna", "Anne"))
    for number in range(20):
        book.meet(ANN, f"Ann the {number}.")
    (peer,) = book.peers()
    assert peer.earlier_names == tuple(f"Ann the {number}." for number in range(11, 19))


TAKEN = ["Ann", "ann", " ANN ", "Ａｎｎ", "A\u200bnn", "Аnn", "Ann\u202e"]


@pytest.mark.parametrize("name", TAKEN)
def test_a_new_key_under_a_known_name_is_never_a_silent_yes(book: PeerBook, name: str) -> None:
    first = book.meet(ANN, "Ann").peer
    before = book.path.read_bytes()
    looked = book.look(BOB, name)
    assert (looked.case, looked.peer, looked.holders) == (Case.NAME_TAKEN, None, (first,))
    with pytest.raises(NameTaken) as caught:
        book.meet(BOB, name)
    error = caught.value
    assert error.meeting == looked
    assert error.exit_code == Exit.IDENTITY_REFUSED
    assert fingerprint(ANN) in error.why
    assert fingerprint(BOB) in error.why
    assert error.what.isprintable()
    assert book.path.read_bytes() == before

    # With a yes both are known, and nothing is asked again.
    assert book.meet(BOB, name, trusted=True).case is Case.NAME_TAKEN
    assert book.meet(BOB, name).case is Case.KNOWN
    assert book.meet(ANN, "Ann").case is Case.KNOWN
    with pytest.raises(NameTaken) as caught:
        book.meet(CAT, "Ann")
    assert {peer.key for peer in caught.value.meeting.holders} == {ANN, BOB}


def test_a_known_key_that_takes_another_ones_name_is_no_silent_yes_either(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    bob = book.meet(BOB, "Bob").peer
    with pytest.raises(NameTaken) as caught:
        book.meet(BOB, "Ann")
    assert caught.value.meeting.peer == bob
    assert [peer.key for peer in caught.value.meeting.holders] == [ANN]
    assert book.meet(BOB, "Ann", trusted=True).case is Case.NAME_TAKEN
    assert {peer.name for peer in book.peers()} == {"Ann"}


def test_former_names_and_nicknames_are_names_that_are_known(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    book.meet(ANN, "Countess")
    book.rename("Countess", "Sis")
    for name in ("Ann", "countess", "SIS"):
        assert book.look(BOB, name).case is Case.NAME_TAKEN
    assert book.look(BOB, "Bob").case is Case.NEW


def test_blank_names_belong_to_nobody(book: PeerBook) -> None:
    assert book.meet(ANN, "\u200b").case is Case.NEW
    assert book.meet(BOB, "\u200b").case is Case.NEW
    assert book.meet(CAT, "  ").case is Case.NEW
    assert book.meet(CAT, "\u3164").case is Case.RENAMED
    assert len(book.peers()) == 3


def test_forgotten_is_new_again(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    assert book.forget("Ann").key == ANN
    assert book.peers() == []
    assert book.meet(BOB, "Ann").case is Case.NEW
    book.forget_all()
    assert saved(book) == {"version": 1}
    assert book.meet(ANN, "Ann").case is Case.NEW


def test_matches_are_counted_for_those_we_know(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    book.played(ANN)
    book.played(ANN)
    book.played(BOB)
    (peer,) = book.peers()
    assert (peer.matches, peer.last_seen) == (2, at(2))


def test_times_are_kept_in_utc_and_whole_seconds(tmp_path: Path) -> None:
    there = timezone(timedelta(hours=-7))
    now = datetime(2031, 5, 4, 21, 30, 0, 999_999, tzinfo=there)
    book = PeerBook(tmp_path, clock=lambda: now)
    book.meet(ANN, "Ann")
    assert "first_seen = 2031-05-05T04:30:00Z\n" in book.path.read_text(encoding="utf-8")


def test_a_clock_that_jumps_back_does_no_harm(tmp_path: Path) -> None:
    PeerBook(tmp_path, clock=lambda: at(10)).meet(ANN, "Ann")
    PeerBook(tmp_path, clock=lambda: at(0)).meet(ANN, "Ann")
    (peer,) = PeerBook(tmp_path).peers()
    assert (peer.first_seen, peer.last_seen) == (at(10), at(0))


def test_who_was_seen_last_is_first(book: PeerBook) -> None:
    for number in (1, 2, 3, 1):
        book.meet(key(number), f"P{'x' * number}")
    assert [peer.key for peer in book.peers()] == [ANN, CAT, BOB]


def test_a_full_list_pushes_nobody_out(book: PeerBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers_module, "MOST_PEERS", 2)
    book.meet(ANN, "Ann")
    book.meet(BOB, "Bob")
    meeting = book.meet(CAT, "Cat")
    assert (meeting.case, meeting.peer) == (Case.NEW, None)
    assert book.look(CAT, "Cat").case is Case.NEW
    assert book.look(CAT, "Ann").case is Case.NAME_TAKEN
    assert book.meet(CAT, "Ann", trusted=True).peer is None
    assert {peer.key for peer in book.peers()} == {ANN, BOB}
    assert book.meet(ANN, "Anna").peer is not None


def test_what_another_program_writes_is_seen(tmp_path: Path) -> None:
    one, other = PeerBook(tmp_path), PeerBook(tmp_path)
    one.meet(ANN, "Ann")
    assert other.look(ANN, "Ann").case is Case.KNOWN
    other.meet(BOB, "Bob")
    assert one.look(CAT, "Bob").case is Case.NAME_TAKEN
    other.forget("Bob")
    assert one.look(CAT, "Bob").case is Case.NEW
    other.path.unlink()
    assert one.look(ANN, "Ann").case is Case.NEW


def test_writers_at_once_lose_no_entries(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from pazaak_p2p.store.peers import PeerBook\n"
        "book = PeerBook(Path(sys.argv[1]), patience=60)\n"
        "ready()\n"
        "for number in range({0}, {0} + 20):\n"
        "    book.meet(number.to_bytes(32, 'big'), f'player {{number:b}}')\n"
        "    book.played((99).to_bytes(32, 'big'))\n"
    )
    book = PeerBook(tmp_path)
    book.meet(key(99), "everybody's friend")
    race([code.format(100 * number) for number in range(1, 5)], str(tmp_path))
    assert len(book.peers()) == 81
    assert book.find("everybody's friend").matches == 80
    assert names(tmp_path) == {"peers.toml", ".lock"}


def test_a_killed_program_loses_nothing_that_it_had_kept(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pazaak_p2p.store.peers import PeerBook\n"
        "book = PeerBook(Path(sys.argv[1]))\n"
        "first = int(sys.argv[2])\n"
        "for number in range(first, first + 1000):\n"
        "    book.meet(number.to_bytes(32, 'big'), f'player {number:b}')\n"
        "    print(number, flush=True)\n"
    )
    kept: set[bytes] = set()
    for first in range(1000, 6000, 1000):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), str(first)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        kept |= {key(int(process.stdout.readline())) for _ in range(5)}
        process.kill()
        told = process.communicate(timeout=60)[0].splitlines()
        kept |= {key(int(line)) for line in told}
        # It may have been killed between the keeping and the telling.
        found = {peer.key for peer in PeerBook(tmp_path, patience=0).peers()}
        assert kept <= found
        kept = found
    PeerBook(tmp_path, patience=0).meet(ANN, "Ann")
    assert names(tmp_path) == {"peers.toml", ".lock"}


def test_nothing_about_where_a_player_comes_from_is_kept(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    book.rename("Ann", "Sis")
    book.meet(ANN, "Anna")
    (entry,) = saved(book)["players"].values()
    assert set(entry) == {
        "name", "nickname", "earlier_names", "first_seen", "last_seen", "matches",
    }  # fmt: skip


# --- finding and naming


def test_a_player_is_found_by_any_name_and_by_the_beginning_of_a_fingerprint(
    book: PeerBook,
) -> None:
    book.meet(ANN, "Ann Lee")
    book.meet(BOB, "Bob")
    book.meet(ANN, "Countess")
    book.rename("Countess", "Sis")
    spoken, full = fingerprint(ANN), full_fingerprint(ANN)
    for who in ("Countess", "countess", "SIS", "ann  lee", spoken, spoken[:9], spoken[:4],
                spoken.replace("-", " "), full, full[:4].upper()):  # fmt: skip
        assert book.find(who).key == ANN, who
    for who in ("", " ", spoken[:3], "Ann", "\u200b", "Countes"):
        with pytest.raises(UnknownPlayer) as caught:
            book.find(who)
        assert caught.value.exit_code == Exit.USAGE


def test_an_ambiguous_name_shows_the_candidates(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    book.meet(BOB, "Ann", trusted=True)
    book.meet(CAT, "Cat")
    for change in (book.find, book.forget, lambda who: book.rename(who, "x")):
        with pytest.raises(AmbiguousPlayer) as caught:
            change("ann")
        assert caught.value.exit_code == Exit.USAGE
        assert fingerprint(ANN) in caught.value.why
        assert fingerprint(BOB) in caught.value.why
        assert fingerprint(CAT) not in caught.value.why
    assert len(book.peers()) == 3
    book.forget(fingerprint(BOB)[:9])
    assert book.find("ann").key == ANN


def test_a_name_that_looks_like_a_fingerprint_gets_in_nobodys_way(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    book.meet(BOB, fingerprint(ANN))
    assert book.find(fingerprint(ANN)).key == ANN
    with pytest.raises(NicknameRefused):
        book.rename("Ann", fingerprint(BOB))


def test_a_nickname_is_given_changed_and_taken_away(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    assert book.rename("Ann", "Sis").label == "Sis"
    assert book.meet(ANN, "Anna").peer == book.find("sis")
    assert book.rename("sis", "Big Sis").nickname == "Big Sis"
    assert book.rename("big sis", None).nickname is None
    assert "nickname" not in book.path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "nickname", ["", " ", "\u3164", "x" * 33, "a\x1b[31m", "a\u202e", "\ud800", "Bob", "BОB"]
)
def test_a_nickname_that_cannot_be_one_or_is_somebody_elses(book: PeerBook, nickname: str) -> None:
    book.meet(ANN, "Ann")
    book.meet(BOB, "Bob")
    with pytest.raises(NicknameRefused) as caught:
        book.rename("Ann", nickname)
    assert caught.value.exit_code == Exit.USAGE
    assert book.find("Ann").nickname is None


# --- the file

ODD = "q\"\\\x00\x1b[31m\x7f\n\u202e\u200b\U000e0041\u2028é木🂡'"


def test_names_are_kept_exactly_and_escaped_in_the_file(book: PeerBook) -> None:
    book.meet(ANN, ODD)
    book.meet(ANN, "Ann")
    book.meet(BOB, ODD[::-1])
    assert book.find(fingerprint(ANN)).earlier_names == (ODD,)
    assert book.find(fingerprint(BOB)).name == ODD[::-1]
    text = book.path.read_text(encoding="utf-8")
    assert all(ch == "\n" or ch.isprintable() for ch in text)
    assert "é木🂡" in text


EDITED = f"""\
# mine
version = 1 # as it was

[players.{ANN.hex()}]
name = 'Ann'   # my sister
first_seen = 2031-05-04 23:30:00+02:00
last_seen = 2031-05-04T21:30:00.5Z
matches = 0x10

# the neighbour
[players."{BOB.hex()}"]
last_seen = 2031-05-04T21:30:00Z
nickname = "Bobby"
name = "Bob"
first_seen = 2031-05-04T21:30:00Z
"""


def test_comments_of_a_person_are_kept(book: PeerBook) -> None:
    put(book, EDITED)
    assert [peer.matches for peer in book.peers()] == [16, 0]
    assert book.find("Ann").first_seen == START
    book.played(ANN)
    book.meet(CAT, "Cat")
    book.meet(BOB, "Robert")
    book.rename("Bobby", None)
    text = book.path.read_text(encoding="utf-8")
    for kept in ("# mine\n", "# as it was\n", "# my sister\n", "# the neighbour\n"):
        assert kept in text
    assert "23:30:00+02:00" in text
    assert "matches = 17\n" in text
    assert [(peer.name, peer.nickname) for peer in parse(text.encode()).values()] == [
        ("Ann", None),
        ("Robert", None),
        ("Cat", None),
    ]
    book.forget("Ann")
    text = book.path.read_text(encoding="utf-8")
    assert f'# the neighbour\n[players."{BOB.hex()}"]\n' in text
    assert list(parse(text.encode())) == [BOB, CAT]


def test_a_comment_stays_above_the_player_that_it_is_about(book: PeerBook) -> None:
    put(book, EDITED)
    book.rename("Ann", "Sis")
    assert book.path.read_text(encoding="utf-8") == EDITED.replace(
        "matches = 0x10\n", 'matches = 0x10\nnickname = "Sis"\n'
    )
    book.rename("Ann", None)
    assert book.path.read_text(encoding="utf-8") == EDITED
    book.forget("Bob")
    assert book.path.read_text(encoding="utf-8") == EDITED[: EDITED.index('[players."')]
    book.forget("Ann")
    assert book.path.read_text(encoding="utf-8") == (
        "# mine\nversion = 1 # as it was\n\n# the neighbour\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "version = 1\nplayers = {{ {0} = {{ {1} }} }}\n",
        "players.{0} = {{ {1} }}\nversion = 1\n",
        "version = 1\n[players]\n{0} = {{ {1} }}\n",
        "\ufeffversion = 1\r\n[players.{0}]\r\nname = '''Ann'''\r\n{2}\r\n",
        "version = 1\n[players.{0}]\n{2}\nname.x = 1\n",
    ],
)
def test_odd_ways_to_write_it_lose_no_player(book: PeerBook, text: str) -> None:
    times = [f"{which}_seen = 2031-05-04T21:30:00Z" for which in ("first", "last")]
    put(book, text.format(ANN.hex(), ", ".join(["name = 'Ann'", *times]), "\n".join(times)))
    if ".x" in text:
        with pytest.raises(FileDamaged):
            book.peers()
        return
    book.meet(BOB, "Bob")
    book.meet(ANN, "Anna")
    assert [(peer.name, peer.earlier_names) for peer in book.peers()] == [
        ("Anna", ("Ann",)),
        ("Bob", ()),
    ]
    book.forget("Anna")
    assert [peer.name for peer in book.peers()] == ["Bob"]


def test_an_untouched_file_is_rewritten_as_it_is_rendered() -> None:
    peers = [
        KnownPeer(key=key(n), name=f"P{n}", first_seen=at(0), last_seen=at(n)) for n in range(3)
    ]
    old = {peer.key: peer for peer in peers[:2]}
    new = {peer.key: peer for peer in peers[1:]}
    assert parse(render(old).encode()) == old
    assert rewrite(render(old).encode(), old, new) == render(new)
    edited = "# x\n" + render(old)
    assert rewrite(edited.encode(), old, new) == "# x\n" + render(new)


TIMES = "first_seen = 2031-05-04T21:30:00Z\nlast_seen = 2031-05-04T21:30:00Z\n"
ENTRY = f'[players.{ANN.hex()}]\nname = "Ann"\n{TIMES}'


@pytest.mark.parametrize(
    ("text", "says", "line", "column"),
    [
        ("", "no version = 1", None, None),
        ("version = 0\n", "no version = 1", 1, None),
        ("\nversion = true\n", "no version = 1", 2, None),
        ("version = 1\nversion = 1\n", "no valid TOML", 2, 12),
        ("version = 1\n[players\n", "no valid TOML", 2, 9),
        ('version = 1\n[players.x]\nname = "\x1b"\n', "no valid TOML", 3, 9),
        ("version = 1\nx = 1\n", "no setting 'x'", 2, None),
        ("version = 1\nplayers = 3\n", "players is no table", 2, None),
        ("version = 1\n[players.Ann]\n", "'Ann' is no key", 2, None),
        (f"version = 1\n[players.{'AB' * 32}]\n", "is no key", 2, None),
        (f"version = 1\n[players]\n{ANN.hex()} = 3\n", "got `int`", 3, None),
        (f"version = 1\n{ENTRY}nicknam = 'x'\n", "`nicknam`", 6, None),
        (f"version = 1\n{ENTRY}matches = -1\n", "`matches`", 6, None),
        (f"version = 1\n{ENTRY}matches = '1'\n", "`matches`", 6, None),
        (f"version = 1\n{ENTRY}nickname = ''\n", "`nickname`", 6, None),
        (f"version = 1\n{ENTRY}earlier_names = ['{'x' * 33}']\n", "`earlier_names", 6, None),
        (f"version = 1\n{ENTRY.replace('Z', '')}", "`first_seen`", 4, None),
        (f"version = 1\n{ENTRY.replace('05-04', '13-04')}", "no valid TOML", None, None),
        (
            f"version = 1\n{ENTRY.replace('2031-05-04', '0001-01-01').replace('Z', '+23:00')}\n",
            "range",
            2,
            None,
        ),
        (f"version = 1\n[players.{ANN.hex()}]\n{TIMES}", "`name`", 2, None),
        (f"version = 1\nx = {'[' * 10_000}\n", "nested too deeply", None, None),
        (b"version = 1\n# \xff\n", "not UTF-8", 2, None),
        (b"\0" * 64, "no valid TOML", 1, 1),
    ],
)
def test_a_damaged_list_is_set_aside_and_the_place_named(
    book: PeerBook, text: str | bytes, says: str, line: int | None, column: int | None
) -> None:
    put(book, text)
    data = book.path.read_bytes()
    with pytest.raises(FileDamaged) as caught:
        book.look(ANN, "Ann")
    error = caught.value
    assert error.exit_code == Exit.IDENTITY_REFUSED
    assert says in error.what
    if says != "no valid TOML":
        assert (error.line, error.column) == (line, column)
    elif line is not None:
        assert error.line == line
        assert error.column is not None
    assert error.what.startswith(str(book.path))
    assert error.what.isprintable()
    assert error.aside is not None
    assert error.aside.read_bytes() == data
    assert error.aside.name.startswith("peers.toml.damaged-")
    assert str(error.aside) in error.why
    assert names(book.path.parent) == {error.aside.name, ".lock"}


def test_a_damaged_list_is_not_taken_for_an_empty_one(book: PeerBook) -> None:
    book.meet(ANN, "Ann")
    good = book.path.read_text(encoding="utf-8")
    put(book, good + "oops")
    for change in (lambda: book.meet(BOB, "Ann"), lambda: book.look(BOB, "Ann"), book.peers,
                   lambda: book.played(ANN), lambda: book.forget("Ann")):  # fmt: skip
        with pytest.raises(TrustFileError) as caught:
            change()
        assert caught.value.exit_code == Exit.IDENTITY_REFUSED
        assert "pazaak peers forget --all" in caught.value.next
    assert isinstance(caught.value, PlayersLost)

    # Mended and put back by the command that the message names, it is the list again.
    (aside,) = book.path.parent.glob("peers.toml.damaged-*")
    put_back = caught.value.next.split(": ")[1].split("   ")[0]
    assert put_back == f"mv {aside} {book.path}"
    aside.write_text(good, encoding="utf-8")
    if sys.platform != "win32":
        subprocess.run(put_back, shell=True, check=True)
    else:
        aside.rename(book.path)
    assert book.look(BOB, "Ann").case is Case.NAME_TAKEN

    # Or the user says that there is none.
    put(book, good + "oops")
    with pytest.raises(FileDamaged):
        book.peers()
    book.forget_all()
    assert book.peers() == []
    assert book.meet(BOB, "Ann").case is Case.NEW
    assert len(list(book.path.parent.glob("peers.toml.damaged-*"))) == 1


def test_a_later_version_is_left_alone(book: PeerBook) -> None:
    put(book, "version = 2\nsomething = 'else'\n")
    with pytest.raises(TrustFileError, match="later version") as caught:
        book.meet(ANN, "Ann")
    assert not isinstance(caught.value, FileDamaged)
    assert book.path.read_text() == "version = 2\nsomething = 'else'\n"


@posix_only
def test_a_huge_file_is_not_read_to_its_end(book: PeerBook) -> None:
    put(book, "")
    with book.path.open("wb") as opened:
        opened.truncate(1 << 30)
    with pytest.raises(FileDamaged, match="8000000 bytes or more"):
        book.peers()


@posix_only
def test_the_list_is_for_nobody_else(book: PeerBook) -> None:
    before = os.umask(0)
    try:
        book.meet(ANN, "Ann")
        put(book, EDITED)
        book.path.chmod(0o644)  # others may read it, if its owner likes
        book.meet(ANN, "Ann")
    finally:
        os.umask(before)
    assert book.path.stat().st_mode & 0o777 == 0o600


@posix_only
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_list_that_others_can_write_is_refused_with_the_command_that_mends_it(
    book: PeerBook, mode: int
) -> None:
    book.meet(ANN, "Ann")
    book.path.chmod(mode)
    with pytest.raises(FileExposed) as caught:
        book.look(ANN, "Ann")
    assert caught.value.command == f"chmod 600 {book.path}"
    assert caught.value.exit_code == Exit.IDENTITY_REFUSED
    with pytest.raises(FileExposed):
        book.meet(ANN, "Ann")
    subprocess.run(caught.value.command, shell=True, check=True)
    assert book.look(ANN, "Ann").case is Case.KNOWN


@posix_only
def test_a_list_of_another_user_is_refused(book: PeerBook) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    book.meet(ANN, "Ann")
    os.chown(book.path, NOBODY, NOBODY)
    with pytest.raises(TrustFileError, match="belongs to another user"):
        book.look(ANN, "Ann")


@posix_only
def test_links_are_neither_believed_nor_written_through(book: PeerBook, tmp_path: Path) -> None:
    other = PeerBook(tmp_path / "other")
    other.meet(ANN, "Ann")
    before = other.path.read_bytes()
    book.path.parent.mkdir()
    book.path.symlink_to(other.path)
    for change in (book.peers, lambda: book.meet(BOB, "Bob")):
        with pytest.raises(TrustFileError, match="is a link"):
            change()
    book.path.unlink()
    (book.path.parent / "peers.toml.new").symlink_to(other.path)
    book.meet(BOB, "Bob")
    assert not book.path.is_symlink()
    assert other.path.read_bytes() == before


@posix_only
def test_a_read_only_folder_serves_for_looking(ordinary: Path) -> None:
    book = PeerBook(ordinary, clock=Clock())
    book.meet(ANN, "Ann")
    before = book.path.read_bytes()
    ordinary.chmod(0o500)
    assert book.look(ANN, "Ann").case is Case.KNOWN
    with pytest.raises(TrustFileError, match="cannot be written") as caught:
        book.meet(BOB, "Bob")
    assert "Permission denied" in caught.value.why
    assert book.path.read_bytes() == before
    book.path.write_text("oops")
    with pytest.raises(FileDamaged) as damaged:
        book.peers()
    assert damaged.value.aside is None
    assert book.path.read_text() == "oops"


@posix_only
def test_a_disk_without_room_leaves_the_list_as_it_was(book: PeerBook) -> None:
    import resource

    book.meet(ANN, "Ann")
    before = book.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(TrustFileError, match="cannot be written"):
            book.meet(BOB, "Bob")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert book.path.read_bytes() == before
    assert names(book.path.parent) == {"peers.toml", ".lock"}


def test_a_program_that_hangs_is_waited_for_only_so_long(tmp_path: Path) -> None:
    book = PeerBook(tmp_path, patience=0)
    book.meet(ANN, "Ann")
    with writing(tmp_path), pytest.raises(TrustFileError, match="Another pazaak"):
        book.meet(BOB, "Bob")
    assert book.look(ANN, "Ann").case is Case.KNOWN
    book.meet(BOB, "Bob")
