"""``pazaak peers``"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pazaak_p2p.cli.program import run
from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness.fingerprint import fingerprint, full_fingerprint
from pazaak_p2p.store.identity import identity_file, load_identity
from pazaak_p2p.store.peers import PeerBook

ANN, BOB = bytes(31) + b"\1", bytes(31) + b"\2"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PAZAAK_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def book(home: Path) -> PeerBook:
    load_identity(home)
    book = PeerBook(home)
    book.meet(ANN, "Ann")
    book.played(ANN)
    book.meet(BOB, "Bob\x1b[31m")
    book.meet(BOB, "Robert")
    return book


def check_error(capsys: pytest.CaptureFixture[str], says: str) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert [line[:8] for line in lines[1:]] == ["  Why:  ", "  Next: "]
    assert says in lines[0]
    assert "\x1b" not in err
    return err


@pytest.mark.parametrize(
    "command", [(), ("list",), ("forget",), ("rename",), ("me",)], ids=lambda words: " ".join(words)
)
def test_every_command_has_help_with_examples(
    capsys: pytest.CaptureFixture[str], command: Sequence[str]
) -> None:
    assert run(["peers", *command, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: {' '.join(('pazaak peers', *command))} ")
    if command:
        assert f"\n    {' '.join(('pazaak peers', *command))}" in out
    assert run([]) == 0
    assert "peers " in capsys.readouterr().out


def test_nobody_is_known_at_first(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert run(["peers", "list"]) == 0
    assert capsys.readouterr().out == "You know nobody yet. Whom you play with is kept here.\n"
    assert run(["peers", "list", "--json"]) == 0
    assert capsys.readouterr().out == ""
    assert list(home.iterdir()) == []


@pytest.mark.usefixtures("book")
def test_the_known_players_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["peers", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    by_key = {line[:29]: line for line in lines}
    assert by_key[fingerprint(ANN)].endswith("  1 match    Ann")
    bob = "  0 matches  Robert (calls itself Robert, before that Bob\\x1b[31m)"
    assert by_key[fingerprint(BOB)].endswith(bob)


@pytest.mark.usefixtures("book")
def test_the_known_players_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["peers", "list", "--json"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    told = {peer["name"]: peer for peer in map(json.loads, out.splitlines())}
    assert set(told) == {"Ann", "Robert"}
    ann = told["Ann"]
    assert ann.pop("first_seen").endswith("+00:00")
    assert ann.pop("last_seen").endswith("+00:00")
    assert ann == {
        "fingerprint": fingerprint(ANN),
        "full_fingerprint": full_fingerprint(ANN),
        "key": ANN.hex(),
        "name": "Ann",
        "nickname": None,
        "earlier_names": [],
        "matches": 1,
    }
    assert told["Robert"]["earlier_names"] == ["Bob\x1b[31m"]


@pytest.mark.parametrize(
    "who", [["Ann"], ["ann"], [fingerprint(ANN)], fingerprint(ANN)[:14].split("-")]
)
def test_a_player_is_forgotten(
    capsys: pytest.CaptureFixture[str], book: PeerBook, who: list[str]
) -> None:
    assert run(["peers", "forget", *who]) == 0
    assert capsys.readouterr().out == f"Forgotten: Ann, {fingerprint(ANN)}.\n"
    assert [peer.key for peer in book.peers()] == [BOB]


def test_a_player_is_renamed(capsys: pytest.CaptureFixture[str], book: PeerBook) -> None:
    assert run(["peers", "rename", "Ann", "Big Sis"]) == 0
    out = capsys.readouterr().out
    assert out == f"{fingerprint(ANN)}  Big Sis (calls itself Ann)\n"
    assert book.find("big sis").key == ANN
    assert run(["peers", "rename", "big sis", ""]) == 0
    assert capsys.readouterr().out == f"{fingerprint(ANN)}  Ann\n"
    assert book.find("Ann").nickname is None


def test_an_ambiguous_player_shows_the_candidates(
    capsys: pytest.CaptureFixture[str], book: PeerBook
) -> None:
    book.meet(BOB, "Ann", trusted=True)
    for arguments in (["forget", "Ann"], ["rename", "Ann", "x"]):
        assert run(["peers", *arguments]) == Exit.USAGE
        err = check_error(capsys, "'Ann' can mean 2 players")
        assert fingerprint(ANN) in err
        assert fingerprint(BOB) in err
    assert len(book.peers()) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["forget", "Zoe"], "You know no player 'Zoe'"),
        (["forget", "Z\x1b[31m"], "You know no player"),
        (["forget"], "Name one player"),
        (["forget", "Ann", "--all"], "Name one player"),
        (["forget", "--all"], "has to be confirmed"),
        (["rename", "Ann"], "NAME"),
        (["rename", "Ann", "Robert"], "too much like"),
        (["rename", "Ann", "x" * 33], "cannot be a nickname"),
        (["me", "x"], "x"),
        (["me", "--new"], "You have an identity"),
        (["nope"], "nope"),
    ],
)
def test_what_cannot_be_done_has_three_parts_and_ends_with_2(
    capsys: pytest.CaptureFixture[str],
    book: PeerBook,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    says: str,
) -> None:
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert run(["peers", *arguments]) == Exit.USAGE
    check_error(capsys, says)
    assert len(book.peers()) == 2


def test_everybody_is_forgotten_only_after_a_yes(
    capsys: pytest.CaptureFixture[str], book: PeerBook
) -> None:
    assert run(["peers", "forget", "--all", "--yes"]) == 0
    assert capsys.readouterr().out == "Forgotten: everybody.\n"
    assert book.peers() == []


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
@pytest.mark.parametrize(
    ("answer", "says", "left"),
    [
        ("yes", "Forgotten: everybody.", 0),
        ("y", "Nobody is forgotten.", 2),
        ("", "Nobody is forgotten.", 2),
        ("\x04", "Nobody is forgotten.", 2),
    ],
)
def test_at_a_terminal_everybody_is_asked_about(
    book: PeerBook, answer: str, says: str, left: int
) -> None:
    import pexpect

    child = pexpect.spawn(
        sys.executable, ["-m", "pazaak_p2p", "peers", "forget", "--all"], encoding="utf-8"
    )
    child.expect("Type yes: ")
    child.sendline(answer) if answer != "\x04" else child.sendeof()
    child.expect(says)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert len(book.peers()) == left


def test_me_is_made_once_and_shown(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert run(["peers", "me"]) == 0
    first = capsys.readouterr().out
    key = load_identity(home).public_key().public_bytes_raw()
    assert f"Fingerprint:  {fingerprint(key)}\n" in first
    assert full_fingerprint(key) in first
    assert str(identity_file(home)) in first
    assert load_identity(home).private_bytes_raw().hex() not in first
    assert run(["peers", "me"]) == 0
    assert capsys.readouterr().out == first
    assert run(["peers", "me", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("name")
    assert told == {
        "fingerprint": fingerprint(key),
        "full_fingerprint": full_fingerprint(key),
        "key": key.hex(),
        "identity": str(identity_file(home)),
    }


def test_a_lost_identity_ends_with_7_and_the_named_command_starts_anew(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    run(["peers", "me"])
    identity_file(home).unlink()
    capsys.readouterr()
    assert run(["peers", "me"]) == Exit.IDENTITY_REFUSED
    err = check_error(capsys, "Your identity is gone")
    assert "pazaak peers me --new" in err
    assert run(["peers", "me", "--json"]) == Exit.IDENTITY_REFUSED
    assert json.loads(capsys.readouterr().out)["code"] == "identity-lost"
    assert run(["peers", "me", "--new"]) == 0
    assert run(["peers", "me"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_an_exposed_identity_ends_with_7_and_the_command_that_mends_it(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    run(["peers", "me"])
    identity_file(home).chmod(0o644)
    capsys.readouterr()
    assert run(["peers", "me"]) == Exit.IDENTITY_REFUSED
    err = check_error(capsys, "has the wrong permissions")
    assert err.endswith(f"Next: Type: chmod 600 {identity_file(home)}\n")


def test_a_damaged_list_ends_with_7_and_the_named_command_starts_anew(
    capsys: pytest.CaptureFixture[str], book: PeerBook
) -> None:
    with book.path.open("a") as file:
        file.write("oops\n")
    assert run(["peers", "list"]) == Exit.IDENTITY_REFUSED
    check_error(capsys, "no valid TOML")
    assert run(["peers", "list"]) == Exit.IDENTITY_REFUSED
    err = check_error(capsys, "has been set aside")
    assert "pazaak peers forget --all" in err
    assert run(["peers", "forget", "--all", "--yes"]) == 0
    capsys.readouterr()
    assert run(["peers", "list"]) == 0
    assert "nobody" in capsys.readouterr().out


def test_listing_needs_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from pazaak_p2p.cli.program import run\n"
        "assert run(['peers', 'list']) == 0\n"
        "heavy = {'trio', 'prompt_toolkit', 'tomlkit', 'zeroconf'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
