"""What can be wrong with the files that say who is who, through the front door: nothing is lost."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX permissions and links", allow_module_level=True)

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.store.identity import load_identity
from pazaak_p2p.store.peers import PeerBook
from tests.cli.ran import Ran
from tests.e2e.processes import Pazaak, hosting, join, waiting_join

NOBODY_THERE = "127.0.0.1:1"
SEATS = [("host", "--port", "0"), ("join", NOBODY_THERE), ("join", NOBODY_THERE, "--bot", "random")]

LEFT = ["identity.pub", "peers.toml", "peers.toml"]

seats = pytest.mark.parametrize("seat", SEATS, ids=" ".join)


def key(home: Path) -> bytes:
    return load_identity(home).public_key().public_bytes_raw()


def done(home: Path, *arguments: str) -> int:
    """Run a command to its end; its exit code."""
    return Ran(home, *arguments).code


def refused(home: Path, *arguments: str, prepare: Callable[[], None] | None = None) -> str:
    """Run a command that ends with 7 and three parts; what it says.

    It is a process of its own if that has to be prepared.
    """
    if prepare is None:
        ran = Ran(home, *arguments)
        code, out, err = ran.code, ran.out, ran.err
    else:
        with Pazaak(*arguments, home=home, prepare=prepare) as process:
            code = process.finish()
        out, err = process.stdout, process.stderr
    assert code == Exit.IDENTITY_REFUSED, err
    assert out == ""
    lines = err.splitlines()
    assert [line[:8] for line in lines[1:]] == ["  Why:  ", "  Next: "], err
    return err


def without_privileges() -> None:
    """What stands in the way of every user also stands in that of root from now on."""
    if os.geteuid() == 0:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "prctl")


privileged_elsewhere = pytest.mark.skipif(
    os.geteuid() == 0 and sys.platform != "linux", reason="root reads what it likes here"
)


def command_in(text: str) -> list[str]:
    """The words of the command that the last line of an error tells to type."""
    return shlex.split(text.rstrip("\n").rpartition("Type: ")[2])


# --- first use


@seats
def test_the_first_use_makes_a_home_and_a_key_in_it(tmp_path: Path, seat: tuple[str, ...]) -> None:
    home = tmp_path / "not" / "yet"
    with Pazaak(*seat, "--json", home=home) as process:
        if seat[0] == "host":
            process.until("listening")
            process.signal(signal.SIGINT)
        process.finish_json()
    assert stat.S_IMODE((home / "identity").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    made = (home / "identity").read_bytes()
    assert done(home, "join", NOBODY_THERE) == Exit.NO_CONNECTION
    assert (home / "identity").read_bytes() == made


def test_what_needs_no_key_makes_none(tmp_path: Path) -> None:
    commands = [
        ("play", "--bot", "random", "--against", "random", "--rules", "sets=1"),
        ("join", NOBODY_THERE, "--seed", "x"),
        ("rules",),
        ("peers", "list"),
        ("join", NOBODY_THERE, "--deck", "none such"),
    ]
    for arguments in commands:
        done(tmp_path, *arguments)
        assert not (tmp_path / "identity").exists(), arguments


def test_two_first_runs_at_once_are_one_player(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "other", "--serve") as (host, address),
        join(address, tmp_path / "me") as first,
        join(address, tmp_path / "me") as second,
        Pazaak("peers", "me", "--json", home=tmp_path / "me") as me,
    ):
        assert me.finish() == 0
        # Who came second may have been told that the host is busy.
        assert {first.finish_json(), second.finish_json()} <= {0, Exit.NO_CONNECTION}
        for guest in (first, second):
            if guest.of("result"):
                host.until("result")
        host.signal(signal.SIGINT)
        host.finish_json()
    met = {event["peer"]["fingerprint"] for event in host.of("connected")}
    assert met == {json.loads(me.stdout)["fingerprint"]}
    assert met == {fingerprint(key(tmp_path / "me"))}


# --- lost


@pytest.mark.parametrize(("seat", "left"), list(zip(SEATS, LEFT, strict=True)))
def test_a_lost_key_is_not_made_anew_without_a_word(
    tmp_path: Path, seat: tuple[str, ...], left: str
) -> None:
    old = key(tmp_path)
    PeerBook(tmp_path).meet(bytes(32), "Ann")
    (tmp_path / "identity").unlink()
    other = {"identity.pub": "peers.toml", "peers.toml": "identity.pub"}[left]
    (tmp_path / other).unlink()
    before = (tmp_path / left).read_bytes()
    for _ in range(2):
        said = refused(tmp_path, *seat)
        assert "pazaak: Your identity is gone.\n" in said
        assert "their pazaak would ask them whether it is you" in said
        assert said.endswith("start anew: pazaak peers me --new\n")
        assert not (tmp_path / "identity").exists()
    assert (tmp_path / left).read_bytes() == before
    assert done(tmp_path, "peers", "me", "--new") == 0
    assert key(tmp_path) != old
    assert done(tmp_path, "join", NOBODY_THERE) == Exit.NO_CONNECTION
    if left == "peers.toml":
        assert (tmp_path / left).read_bytes() == before


def test_an_empty_list_says_nothing_about_a_key(tmp_path: Path) -> None:
    for arguments in (("peers", "forget", "--all", "--yes"), ("peers", "me")):
        assert done(tmp_path, *arguments) == 0


# --- permissions


@pytest.mark.parametrize(("seat", "mode"), list(zip(SEATS, (0o640, 0o604, 0o777), strict=True)))
def test_a_key_that_others_can_get_at_is_refused_and_the_command_mends_it(
    tmp_path: Path, seat: tuple[str, ...], mode: int
) -> None:
    own = key(tmp_path)
    (tmp_path / "identity").chmod(mode)
    before = (tmp_path / "identity").read_bytes()
    said = refused(tmp_path, *seat)
    assert "has the wrong permissions" in said
    assert f"{mode:04o}" in said
    assert (tmp_path / "identity").read_bytes() == before
    subprocess.run(command_in(said), check=True)
    assert done(tmp_path, "join", NOBODY_THERE) == Exit.NO_CONNECTION
    assert key(tmp_path) == own


@privileged_elsewhere
def test_a_key_that_cannot_be_read_is_refused_and_the_command_mends_it(tmp_path: Path) -> None:
    home = tmp_path / "it's mine"  # what a shell would take apart
    own = key(home)
    (home / "identity").chmod(0o000)
    said = refused(home, "join", NOBODY_THERE, prepare=without_privileges)
    assert "You are not allowed to read it yourself" in said
    subprocess.run(command_in(said), check=True)
    assert key(home) == own


@privileged_elsewhere
def test_a_list_that_others_can_change_is_refused_and_one_they_can_read_is_not(
    tmp_path: Path,
) -> None:
    key(tmp_path)
    PeerBook(tmp_path).meet(bytes(32), "Ann")
    (tmp_path / "peers.toml").chmod(0o644)
    assert done(tmp_path, "join", NOBODY_THERE) == Exit.NO_CONNECTION
    (tmp_path / "peers.toml").chmod(0o666)
    subprocess.run(command_in(refused(tmp_path, "join", NOBODY_THERE)), check=True)
    assert done(tmp_path, "join", NOBODY_THERE) == Exit.NO_CONNECTION


# --- damaged


@pytest.mark.parametrize(
    ("seat", "damage", "says"),
    [
        (SEATS[0], lambda data: b"", r"it is empty"),
        (SEATS[1], lambda data: data[:-9], r"line 6: there should be 'public'"),
        (SEATS[2], lambda data: data.replace(b"\nsecret ", b"\nx "), r"line 5: .*'secret'"),
        (SEATS[1], lambda data: b"\x7fELF" * 99, r"line 1: there should be 'pazaak-identity 1'"),
        (SEATS[1], lambda data: b"\xff" * 9999, r"this is no identity"),
    ],
)
def test_a_damaged_key_is_set_aside_and_named(
    tmp_path: Path,
    seat: tuple[str, ...],
    damage: Callable[[bytes], bytes],
    says: str,
) -> None:
    own = key(tmp_path)
    good = (tmp_path / "identity").read_bytes()
    bad = damage(good)
    (tmp_path / "identity").write_bytes(bad)
    said = refused(tmp_path, *seat)
    assert re.search(says, said), said
    (aside,) = tmp_path.glob("identity.damaged-*")
    assert f"it is now {aside}" in said
    assert aside.read_bytes() == bad
    assert "Your identity is gone" in refused(tmp_path, *seat)
    assert aside.read_bytes() == bad
    # A copy that is put back makes it all good.
    (tmp_path / "identity").write_bytes(good)
    (tmp_path / "identity").chmod(0o600)
    assert key(tmp_path) == own
    assert done(tmp_path, "join", NOBODY_THERE) == Exit.NO_CONNECTION


@pytest.mark.parametrize(
    ("seat", "damage", "says"),
    [
        (SEATS[0], lambda text: f"{text}oops\n", r"line 10, column 5: .*no valid TOML"),
        (SEATS[1], lambda text: text.replace("matches = 0", "matches = -1"), r"line 9: "),
        (SEATS[1], lambda text: text.replace("version = 1", "version = 'x'"), r"line 3: "),
        (SEATS[0], lambda text: text.replace('"Ann"', f'"{"n" * 33}"'), r"line 6: "),
    ],
)
def test_a_damaged_list_is_set_aside_and_nobody_is_let_in_meanwhile(
    tmp_path: Path, seat: tuple[str, ...], damage: Callable[[str], str], says: str
) -> None:
    key(tmp_path)
    PeerBook(tmp_path).meet(bytes(32), "Ann")
    bad = damage((tmp_path / "peers.toml").read_text())
    (tmp_path / "peers.toml").write_text(bad)
    said = refused(tmp_path, *seat)
    assert re.search(says, said), said
    (aside,) = tmp_path.glob("peers.toml.damaged-*")
    assert f"it is now {aside}" in said
    assert "has been set aside" in refused(tmp_path, *seat)
    # A bot knows nobody, and needs no list.
    assert done(tmp_path, "join", NOBODY_THERE, "--bot", "random") == Exit.NO_CONNECTION
    assert aside.read_text() == bad
    assert done(tmp_path, "peers", "forget", "--all", "--yes") == 0
    assert done(tmp_path, "join", NOBODY_THERE) == Exit.NO_CONNECTION
    assert aside.read_text() == bad


def test_a_list_that_is_damaged_while_a_host_waits_lets_nobody_in(tmp_path: Path) -> None:
    home = tmp_path / "me"
    key(home)
    PeerBook(home).meet(bytes(32), "Ann")
    good = (home / "peers.toml").read_bytes()
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--grace", "0"]
    with Pazaak("host", *options, home=home) as host:
        address = f"127.0.0.1:{host.until('listening')['port']}"
        (home / "peers.toml").write_bytes(b"oops\n")
        with join(address, tmp_path / "other", "--name", "Ann") as guest:
            assert guest.finish_json() == Exit.MISFIT
        (aside,) = home.glob("peers.toml.damaged-*")
        (home / "peers.toml").write_bytes(good)
        (home / "peers.toml").chmod(0o600)
        with join(address, tmp_path / "other", "--name", "Bob") as guest:
            guest.until("draw")
        host.until("match")
        host.finish_json()
    assert aside.read_bytes() == b"oops\n"
    assert "peers.toml, line 1" in host.stderr
    assert "Still waiting." in host.stderr
    assert sorted(peer.name for peer in PeerBook(home).peers()) == ["Ann", "Bob"]


# --- folders


@privileged_elsewhere
@seats
def test_in_a_read_only_folder_no_key_can_be_made(tmp_path: Path, seat: tuple[str, ...]) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    said = refused(home, *seat, prepare=without_privileges)
    assert "cannot be written" in said
    assert "Permission denied" in said
    assert "PAZAAK_HOME" in said
    assert list(home.iterdir()) == []


@privileged_elsewhere
def test_in_a_read_only_folder_a_match_goes_on_and_its_player_is_told(tmp_path: Path) -> None:
    home = tmp_path / "me"
    key(home)
    (home / "matches").mkdir()
    home.chmod(0o500)
    with hosting(tmp_path / "other", "--name", "Ann") as (_, address):
        options = ["join", address, "--json"]
        with Pazaak(*options, home=home, prepare=without_privileges) as guest:
            guest.until("draw")
            assert guest.finish_json() == Exit.INTERRUPTED
    home.chmod(0o700)
    assert "cannot be written" in guest.stderr
    assert not (home / "peers.toml").exists()
    assert len(list((home / "matches").glob("*.pzk"))) == 1


@privileged_elsewhere
@seats
def test_a_home_that_cannot_be_made(tmp_path: Path, seat: tuple[str, ...]) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    said = refused(tmp_path / "closed" / "home", *seat, prepare=without_privileges)
    assert "cannot be written" in said
    assert str(tmp_path / "closed") in said


@pytest.mark.parametrize("inside", [(), ("below",)], ids=["file", "below a file"])
@pytest.mark.parametrize(
    "command", [*SEATS, ("peers", "me"), ("peers", "me", "--new")], ids=" ".join
)
def test_a_home_that_is_a_file(
    tmp_path: Path, command: tuple[str, ...], inside: tuple[str, ...]
) -> None:
    file = tmp_path / "file"
    file.write_text("precious")
    said = refused(file.joinpath(*inside), *command)
    assert str(file) in said
    assert "PAZAAK_HOME" in said
    assert file.read_text() == "precious"


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
@pytest.mark.parametrize("name", ["identity", "peers.toml"])
def test_what_is_no_file_is_refused_and_left_alone(tmp_path: Path, name: str, kind: str) -> None:
    home = tmp_path / "me"
    key(home)
    PeerBook(home).meet(bytes(32), "Ann")
    elsewhere = tmp_path / "elsewhere"
    (home / name).rename(elsewhere)
    if kind == "link":
        (home / name).symlink_to(elsewhere)
    elif kind == "folder":
        (home / name).mkdir()
    else:
        os.mkfifo(home / name)
    before = elsewhere.read_bytes()
    said = refused(home, "join", NOBODY_THERE)
    assert f"{name} is a {kind}." in said
    assert elsewhere.read_bytes() == before


def test_json_says_it_too(tmp_path: Path) -> None:
    key(tmp_path)
    (tmp_path / "identity").chmod(0o644)
    with waiting_join(NOBODY_THERE, tmp_path) as guest:
        assert guest.finish_json() == Exit.IDENTITY_REFUSED
    (error,) = guest.events
    assert error["code"] == "trust-file-exposed"
    assert all(error[part] for part in ("what", "why", "next"))
