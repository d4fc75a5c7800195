"""Who the other side is, through the front door: persons at terminals, scripts, and bots."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgpack
import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.errors import Exit
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.fairness.fingerprint import fingerprint, full_fingerprint
from pazaak_p2p.rules import Seat
from pazaak_p2p.store.identity import load_identity
from pazaak_p2p.store.peers import PeerBook
from tests.e2e.persons import CTRL_C, check, pazaak, play_on
from tests.e2e.processes import Pazaak, hosting, join, waiting_join
from tests.terminal import Terminal
from tests.wire.records import pieces

LOUD = "!! A NAME THAT YOU KNOW, WITH ANOTHER KEY !!"
ASKED = "anything else refuses it:"


def key(home: Path) -> bytes:
    """The public key of whoever has this home; made if need be."""
    return load_identity(home).public_key().public_bytes_raw()


@pytest.fixture
def me(tmp_path: Path) -> Path:
    """The home of one who knows an Ann, whose own home is ``ann``."""
    home = tmp_path / "me"
    key(home)
    PeerBook(home).meet(key(tmp_path / "ann"), "Ann")
    return home


@pytest.fixture
def impostor(tmp_path: Path) -> Path:
    home = tmp_path / "impostor"
    key(home)
    return home


@contextmanager
def asked(me: Path, impostor: Path, *arguments: str) -> Iterator[tuple[Pazaak, Terminal]]:
    """A host that calls itself Ann, and a person who joins and is being asked about it."""
    with (
        hosting(impostor, "--name", "Ann", "--serve", "--rules", "sets=1") as (host, address),
        pazaak(me, "join", address, *arguments) as person,
    ):
        person.wait_for(ASKED)
        assert LOUD in person.text()
        yield host, person


def known(home: Path) -> dict[bytes, tuple[str, int]]:
    """Names and matches of the players that are known, by key."""
    return {peer.key: (peer.name, peer.matches) for peer in PeerBook(home).peers()}


# --- meeting


def test_a_player_is_new_then_known_and_by_another_name_still_known(tmp_path: Path) -> None:
    me, ann = tmp_path / "me", tmp_path / "ann"
    tells = (
        ("Ann", "Ann is new to you"),
        ("Ann", "You know Ann: 1 match since"),
        ("Zoe", "You know Zoe, until now Ann: 2 matches since"),
        ("Ann", "You know Ann, until now Zoe: 3 matches since"),
    )
    for name, told in tells:
        with (
            hosting(ann, "--name", name, "--rules", "sets=1") as (host, address),
            pazaak(me, "join", address) as person,
        ):
            play_on(person)
            check(person.finish(), 0)
            assert host.finish_json() == 0
        assert told in person.everything()
        assert LOUD not in person.everything()
    assert known(me) == {key(ann): ("Ann", 4)}
    # The host was a bot.
    assert not (ann / "peers.toml").exists()
    with Pazaak("peers", "list", home=me) as listed:
        assert listed.finish() == 0
    assert listed.stdout.startswith(fingerprint(key(ann)))
    assert listed.stdout.endswith("  4 matches  Ann (calls itself Ann, before that Zoe)\n")


def test_both_of_two_persons_keep_each_other(tmp_path: Path) -> None:
    homes = tmp_path / "ann", tmp_path / "bob"
    options = ["--bind", "127.0.0.1", "--port", "0", "--rules", "sets=1", "--name", "Ann"]
    with pazaak(homes[0], "host", *options) as host:
        host.wait_for("pazaak join 127.0.0.1:")
        address = host.text().partition("pazaak join ")[2].split()[0]
        with pazaak(homes[1], "join", address, "--name", "Bob") as guest:
            play_on(host, guest)
            check(guest.finish(), 0)
            check(host.finish(), 0)
    assert "Bob is new to you, key " in host.everything()
    assert "Ann is new to you, key " in guest.everything()
    assert known(homes[0]) == {key(homes[1]): ("Bob", 1)}
    assert known(homes[1]) == {key(homes[0]): ("Ann", 1)}


def test_two_persons_play_again_until_one_has_enough(tmp_path: Path) -> None:
    homes = tmp_path / "ann", tmp_path / "bob"
    options = ["--bind", "127.0.0.1", "--port", "0", "--rules", "sets=1", "--name", "Ann"]
    with pazaak(homes[0], "host", *options) as host:
        host.wait_for("pazaak join 127.0.0.1:")
        address = host.text().partition("pazaak join ")[2].split()[0]
        with pazaak(homes[1], "join", address, "--name", "Bob") as guest:
            play_on(host, guest, leave="")
            guest.send("a")
            host.wait_for("Bob wants to play again.")
            guest.wait_for("Waiting until the other player wants another match too; q leaves.")
            host.send("a")
            host.wait_gone("key leaves")
            guest.wait_gone("key leaves")
            play_on(host, guest)
            check(guest.finish(), 0)
            check(host.finish(), 0)
        assert "Bob: 1 match since" in host.everything()
        assert guest.everything().count("You know Ann: ") == 1  # however often it has asked
    for home in homes:
        assert len(list((home / "matches").glob("*.pzk"))) == 2
        assert not list((home / "matches").glob("*.secret"))
    assert known(homes[0]) == {key(homes[1]): ("Bob", 2)}


def test_a_guest_wants_another_match_and_the_host_has_gone(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", "--rules", "sets=1") as (host, address):
        with pazaak(tmp_path / "me", "join", address) as person:
            play_on(person, leave="a")
            check(person.finish(), 0)
            assert "The other player does not play again." in person.everything()
        assert host.finish_json() == 0


def test_who_wants_another_match_waits_for_nobody_else_at_that_address(tmp_path: Path) -> None:
    me = tmp_path / "me"
    with (
        hosting(tmp_path / "host", "--rules", "sets=1") as (host, address),
        pazaak(me, "join", address) as person,
    ):
        play_on(person, leave="")
        assert host.finish_json() == 0
        with hosting(tmp_path / "other", "--port", address.rpartition(":")[2]):
            person.send("a")
            check(person.finish(), 0)
        assert "The other player does not play again." in person.everything()
    assert len(list((me / "matches").glob("*.pzk"))) == 1


def test_another_match_from_a_seed_has_other_secrets(tmp_path: Path) -> None:
    """Specification, section 3: of the m-th match of the program."""
    options = "--serve", "--rules", "sets=1"
    with (
        hosting(tmp_path / "host", *options) as (_, address),
        pazaak(tmp_path / "me", "join", address, "--seed", "one") as person,
    ):
        play_on(person, leave="a")
        person.wait_gone("key leaves")
        play_on(person)
        check(person.finish(), 0)
    nonces = []
    for record in (tmp_path / "me" / "matches").glob("*.pzk"):
        _, _, accept, *_ = map(msgpack.unpackb, pieces(record.read_bytes()))
        nonces.append(accept["nonce"])
    made = SeedSecrets("one", Seat.JOIN)
    assert sorted(nonces) == sorted(made.nonce(m) for m in range(2))


def test_one_who_plays_against_the_own_key_is_told_so_and_not_kept(tmp_path: Path) -> None:
    with (
        hosting(tmp_path, "--name", "Ann", "--grace", "0", bot="threshold:1") as (host, address),
        pazaak(tmp_path, "join", address, rows=30) as person,
    ):
        person.wait_for("Your turn.")
        person.wait_for("The other side has your own key")
        person.send(CTRL_C)
        person.wait_for("Leave now?")
        person.send(CTRL_C)
        check(person.finish(), Exit.INTERRUPTED)
        assert host.finish_json() == Exit.PEER_LOST
    assert not (tmp_path / "peers.toml").exists()


# --- the question


def test_after_a_yes_there_is_a_match_and_no_second_question(me: Path, impostor: Path) -> None:
    with asked(me, impostor) as (host, person):
        for part in (fingerprint(key(impostor)), fingerprint(key(me.parent / "ann"))):
            assert part in person.text()
        assert len(known(me)) == 1
        person.send("yes\r")
        play_on(person)
        check(person.finish(), 0)
        host.until("result")
        assert len(host.of("match")) == 1  # it had begun none before the answer
    assert known(me) == {key(impostor): ("Ann", 1), key(me.parent / "ann"): ("Ann", 0)}
    with (
        hosting(impostor, "--name", "Ann", "--rules", "sets=1") as (host, address),
        pazaak(me, "join", address) as person,
    ):
        play_on(person)
        check(person.finish(), 0)
    assert "You know Ann: 1 match since" in person.everything()
    assert LOUD not in person.everything()


@pytest.mark.parametrize("answer", ["no\r", "\r", "y\r", "yes please\r", "\x04"])
def test_anything_but_a_yes_is_a_no(me: Path, impostor: Path, answer: str) -> None:
    before = (me / "peers.toml").read_bytes()
    with asked(me, impostor) as (host, person):
        person.send(answer)
        check(person.finish(), Exit.IDENTITY_REFUSED)
        own = fingerprint(key(impostor))
        assert f"add: --trust {own}" in " ".join(person.everything().split())
        # The host waits on, and has begun no match.
        with join(host.events[0]["addresses"][0], me.parent / "other") as other:
            assert other.finish_json() == 0
        host.until("result")
        host.signal(signal.SIGINT)
        assert host.finish_json() == Exit.INTERRUPTED
    assert len(host.of("match")) == 1
    assert "did not let you in" in host.stderr
    assert (me / "peers.toml").read_bytes() == before


def test_ctrl_c_at_the_question_leaves(me: Path, impostor: Path) -> None:
    before = (me / "peers.toml").read_bytes()
    with asked(me, impostor) as (_, person):
        person.send(CTRL_C)
        check(person.finish(), Exit.INTERRUPTED)
        assert "pazaak: Interrupted." in person.text()
    assert (me / "peers.toml").read_bytes() == before


def test_a_terminal_that_is_closed_at_the_question_is_no_yes(me: Path, impostor: Path) -> None:
    before = (me / "peers.toml").read_bytes()
    with asked(me, impostor) as (host, person):
        person.hang_up()
        end = person.finish()
        assert not end.hung
        assert end.exit_code == Exit.INTERRUPTED
        host.signal(signal.SIGINT)
        host.finish_json()
    assert host.of("match") == []
    assert (me / "peers.toml").read_bytes() == before


# A program that does not see to it what its player is called.
HOSTILE = """
import sys
from pazaak_p2p.cli import options
options.check_name = lambda name: name
from pazaak_p2p.cli.program import run
sys.exit(run(sys.argv[1:]))
"""
TITLE = "\x1b]0;pwned\x07"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (f"Ann{TITLE}", r"Ann\x1b]0;pwned\x07"),
        ("\u202eAnn\u202d", r"\u202eAnn\u202d"),
        ("絶" * 32, "絶" * 32),
        ("\r\n\tyes\n", r"\r\n\tyes\n"),
    ],
    ids=["escapes", "right to left", "wide", "lines"],
)
def test_a_hostile_name_does_nothing_to_the_terminal(
    tmp_path: Path, impostor: Path, name: str, shown: str
) -> None:
    me = tmp_path / "me"
    key(me)
    PeerBook(me).meet(key(tmp_path / "ann"), name)
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--bot", "threshold:1"]
    with Pazaak("host", *options, "--serve", "--name", name, code=HOSTILE, home=impostor) as host:
        port = host.until("listening")["port"]
        with pazaak(me, "join", f"127.0.0.1:{port}") as person:
            person.wait_for(ASKED)
            assert LOUD in person.text()
            assert person.lines().count(f"      {shown}") == 2
            person.send("yes\r")
            person.wait_for("Your turn.")
            person.send(CTRL_C)
            person.wait_for("Leave now?")
            person.send(CTRL_C)
            check(person.finish(), Exit.INTERRUPTED)
            assert TITLE.encode() not in person.raw
            assert "\u202e".encode() not in person.raw
    assert known(me)[key(impostor)] == (name, 0)


def test_what_is_a_name_of_many_is_said_to_be_one(tmp_path: Path, impostor: Path) -> None:
    me = tmp_path / "me"
    key(me)
    PeerBook(me).meet(key(tmp_path / "ann"), "user")
    with (
        hosting(impostor, "--name", "User") as (_, address),
        pazaak(me, "join", address) as person,
    ):
        person.wait_for(ASKED)
        assert "Many computers give this name by themselves" in person.text()


# --- the host's question


@contextmanager
def person_hosting(home: Path, code: str | None = None) -> Iterator[tuple[Terminal, str]]:
    options = ["--bind", "127.0.0.1", "--port", "0", "--rules", "sets=1"]
    with pazaak(home, "host", *options, columns=200, code=code) as host:
        host.wait_for("pazaak join 127.0.0.1:")
        yield host, host.text().partition("pazaak join ")[2].split()[0]


def test_a_host_is_asked_while_the_guest_waits_and_after_a_yes_it_is_played(
    me: Path, impostor: Path
) -> None:
    with person_hosting(me) as (host, address):
        host.send("yes\r")  # before anybody was asked about
        with join(address, impostor, "--name", "Ann") as guest:
            host.wait_for(ASKED)
            with join(address, me.parent / "other") as other:
                assert other.finish_json() == Exit.NO_CONNECTION
                assert other.of("error")[0]["code"] == "busy"
            assert host.text().rstrip().endswith(ASKED)  # still
            host.send("yes\r")
            play_on(host)
            assert guest.finish_json() == 0
        check(host.finish(), 0)
    assert known(me)[key(impostor)] == ("Ann", 1)


def test_who_comes_and_goes_is_asked_about_once(me: Path, impostor: Path) -> None:
    with person_hosting(me) as (host, address):
        with waiting_join(address, impostor, "--name", "Ann") as guest:
            host.wait_for(ASKED)
            guest.signal(signal.SIGTERM)
            assert guest.finish_json() == Exit.INTERRUPTED
        host.wait_for("They are not waiting any more.")
        with join(address, impostor, "--name", "Ann") as guest:
            assert guest.finish_json() == Exit.NO_CONNECTION
        host.send("no\r")
        host.wait_for("Still waiting.")
        assert host.everything().count(LOUD) == 1
        host.send(CTRL_C)
        check(host.finish(), Exit.INTERRUPTED)


# A host that keeps nobody waiting for long.
HASTY = """
import sys
from pazaak_p2p.cli import house
house.DOUBT_SECONDS = 0.5
from pazaak_p2p.cli.program import run
sys.exit(run(sys.argv[1:]))
"""


def test_a_host_who_takes_long_is_still_asked_and_the_guest_knows_why(
    me: Path, impostor: Path
) -> None:
    with person_hosting(me, HASTY) as (host, address):
        with join(address, impostor, "--name", "Ann") as guest:
            assert guest.finish_json() == Exit.MISFIT
        (error,) = guest.of("error")
        assert "has not yet said whether you are let in" in error["what"]
        assert "join again when they have said yes" in error["next"]
        assert guest.verdicts() == []
        host.wait_for("They are not waiting any more.")
        assert LOUD in host.text()
        host.send("yes\r")
        host.wait_for("They can come in now")
        with join(address, impostor, "--name", "Ann") as guest:
            play_on(host)
            assert guest.finish_json() == 0
        check(host.finish(), 0)
    assert known(me)[key(impostor)] == ("Ann", 1)


def test_a_host_is_not_asked_twice_about_a_key_nor_about_ever_new_ones(
    me: Path, tmp_path: Path
) -> None:
    with person_hosting(me) as (host, address):
        for number in range(5):
            for again in (False, True):
                with join(address, tmp_path / str(number), "--name", "Ann") as guest:
                    if number < 3 and not again:
                        host.wait_for(f"      key {fingerprint(key(tmp_path / str(number)))}")
                        host.send("no\r")
                    assert guest.finish_json() == Exit.MISFIT
                host.wait_for(f"--trust {fingerprint(key(tmp_path / str(number)))}", scrolled=True)
        text = host.everything()
        assert text.count(LOUD) == 3
        # Somebody else is still welcome.
        with join(address, tmp_path / "other", "--name", "Bob") as guest:
            play_on(host)
            assert guest.finish_json() == 0
        check(host.finish(), 0)
    assert sorted(known(me).values()) == [("Ann", 0), ("Bob", 1)]


# --- where nobody can be asked


def test_without_a_terminal_a_joiner_ends_with_7_and_trust_lets_it_in(
    me: Path, impostor: Path
) -> None:
    before = (me / "peers.toml").read_bytes()
    with hosting(impostor, "--name", "Ann", "--serve", "--grace", "0") as (host, address):
        with waiting_join(address, me) as guest:
            assert guest.finish_json(b"yes\n") == Exit.IDENTITY_REFUSED
        (error,) = guest.events
        assert error["code"] == "name-taken"
        own = fingerprint(key(impostor))
        assert error["next"].endswith(f"add: --trust {own}")
        assert guest.verdicts() == []
        assert (me / "peers.toml").read_bytes() == before
        for trust in (own, full_fingerprint(key(impostor))):
            with waiting_join(address, me, "--trust", trust) as guest:
                connected = guest.until("connected")
                assert connected["peer"]["fingerprint"] == own
                assert connected["peer"]["name"] == "Ann"
                guest.until("match")
                guest.signal(signal.SIGINT)
                assert guest.finish_json() == Exit.INTERRUPTED
        host.signal(signal.SIGINT)
        host.finish_json()
    # Once trusted it is known, and needs no option any more.
    with (
        hosting(impostor, "--name", "Ann") as (host, address),
        waiting_join(address, me) as guest,
    ):
        guest.until("match")


def test_without_a_terminal_a_host_refuses_and_waits_on(me: Path, impostor: Path) -> None:
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--grace", "0"]
    with Pazaak("host", *options, home=me) as host:
        address = f"127.0.0.1:{host.until('listening')['port']}"
        with join(address, impostor, "--name", "Ann") as guest:
            assert guest.finish_json() == Exit.MISFIT
        with join(address, me.parent / "ann", "--name", "Ann") as guest:
            guest.until("draw")
        host.until("match")
        host.finish_json()
    assert [event["peer"]["name"] for event in host.of("connected")] == ["Ann"]
    assert f"--trust {fingerprint(key(impostor))}\nStill waiting.\n" in host.stderr


@pytest.mark.parametrize("streams", ["2>/dev/null", "</dev/null"])
def test_half_a_terminal_is_none(me: Path, impostor: Path, streams: str) -> None:
    with hosting(impostor, "--name", "Ann") as (_, address):
        command = f"{sys.executable} -m pazaak_p2p join {address} {streams}; echo ended with $?"
        with Terminal(["/bin/sh", "-c", command], env={"PAZAAK_HOME": str(me)}) as person:
            person.wait_for(f"ended with {Exit.IDENTITY_REFUSED.value}")
            assert LOUD not in person.everything()


def test_a_bot_knows_nobody(me: Path, impostor: Path) -> None:
    before = (me / "peers.toml").read_bytes()
    for bot, name in ((impostor, "Ann"), (me.parent / "another", "Ann")):
        with hosting(bot, "--name", name) as (host, address):
            with join(address, me) as guest:
                assert guest.finish_json() == 0
            assert host.finish_json() == 0
    with hosting(me) as (host, address):
        with join(address, impostor, "--name", "Ann") as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    assert (me / "peers.toml").read_bytes() == before
    assert not (impostor / "peers.toml").exists()
    # It is still somebody itself: the key is its user's.
    assert host.of("connected")[0]["peer"]["fingerprint"] == fingerprint(key(impostor))
    assert guest.of("connected")[0]["peer"]["fingerprint"] == fingerprint(key(me))


def test_accounts_of_the_same_name_play(tmp_path: Path) -> None:
    for number in range(2):
        with hosting(tmp_path / f"host{number}") as (host, address):
            with join(address, tmp_path / "join") as guest:
                assert guest.finish_json() == 0
            assert host.finish_json() == 0
        names = {p.of("connected")[0]["peer"]["name"] for p in (host, guest)}
        assert len(names) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--trust", "Ann"], "is no fingerprint"),
        (["--trust", "\x1b[2J"], "is no fingerprint"),
        (["--trust", fingerprint(bytes(32)), "--bot", "random"], "nobody to trust here"),
        (["--trust", fingerprint(bytes(32)), "--seed", "x"], "nobody to trust here"),
    ],
)
@pytest.mark.parametrize("command", [("host",), ("join", "127.0.0.1")], ids=lambda c: c[0])
def test_a_trust_that_cannot_be(
    tmp_path: Path, command: tuple[str, ...], arguments: list[str], says: str
) -> None:
    with Pazaak(*command, *arguments, home=tmp_path) as process:
        assert process.finish() == Exit.USAGE
    assert says in process.stderr
    assert "\x1b" not in process.stderr
    lines = process.stderr.splitlines()
    assert [line[:8] for line in lines[1:]] == ["  Why:  ", "  Next: "]


def test_the_help_of_a_seat_names_the_option(tmp_path: Path) -> None:
    for command in ("host", "join"):
        shown = subprocess.run(
            [sys.executable, "-m", "pazaak_p2p", command, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "--trust FINGERPRINT" in shown.stdout
