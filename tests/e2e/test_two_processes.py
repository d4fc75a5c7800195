"""``pazaak host`` and ``pazaak join`` as two processes, and what can come between them."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest

from pazaak_p2p.errors import Exit
from tests.e2e.processes import Pazaak, connect, hosting, join, read_all, waiting_join
from tests.matches import Side
from tests.net.house import CREDENTIALS
from tests.verifier import verify

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and limits")

PARTS = ("code", "what", "why", "next")
PLAIN = "--insecure-plain"


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "host", tmp_path / "join"


def check_same_result(host: Pazaak, guest: Pazaak) -> None:
    (ours,), (theirs,) = host.of("result"), guest.of("result")
    assert {**ours, "record": ""} == {**theirs, "record": ""}
    assert ours["record"] != theirs["record"]
    for process, result in ((host, ours), (guest, theirs)):
        assert process.events[-1] == result
        (verdict,) = process.verdicts()
        assert verdict.clean
        assert verdict.complete
        assert verdict.head.hex() == result["transcript"]
        assert list(verdict.sets) == result["sets"]
        assert Path(result["record"]).parent == process.home / "matches"


def test_a_match_from_the_first_event_to_the_last(homes: tuple[Path, Path]) -> None:
    with hosting(homes[0], "--name", "Ann") as (host, address):
        with join(address, homes[1], "--name", "Bob") as guest:
            assert guest.finish_json() == 0
            assert guest.stderr == ""
        assert host.finish_json() == 0
        assert host.stderr == ""
    check_same_result(host, guest)
    assert host.events[0]["addresses"] == [address]
    for process, seat, other in ((host, "host", "Bob"), (guest, "join", "Ann")):
        (connected,), (match,) = process.of("connected"), process.of("match")
        assert connected["peer"]["name"] == other
        assert re.fullmatch(r"(\d{4}-){5}\d{4}", connected["peer"]["fingerprint"])
        assert connected["peer"]["address"].startswith("127.0.0.1:")
        assert match["seat"] == seat
        assert match["rules"] == "standard"
    moves = [[e for e in p.events if e["event"] in ("draw", "act", "set")] for p in (host, guest)]
    assert moves[0] == moves[1]
    for event in moves[0]:
        if event["event"] == "draw":
            assert set(event) == {"event", "set", "seat", "total", "card"}
            assert 1 <= event["card"] <= 10
    sets = host.of("set")
    assert [event["number"] for event in sets] == list(range(1, len(sets) + 1))
    assert sets[-1]["sets"] == host.of("result")[0]["sets"]


def test_seeds_make_the_same_match_again(tmp_path: Path) -> None:
    results, records = [], []
    for number in range(2):
        homes = tmp_path / f"host{number}", tmp_path / f"join{number}"
        with hosting(homes[0], "--seed", "one", "--name", "A", bot="random") as (host, address):
            with join(address, homes[1], "--seed", "two", "--name", "B") as guest:
                assert guest.finish_json() == 0
            assert host.finish_json() == 0
        results.append({**host.of("result")[0], "record": ""})
        records.append([path.read_bytes() for home in homes for path in home.glob("*/*.pzk")])
    assert results[0] == results[1]
    assert records[0] == records[1]
    assert b"began\x00" in records[0][0]


def test_a_host_that_serves_goes_on(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", "--serve") as (host, address):
        for number in range(3):
            with join(address, tmp_path / f"join{number}") as guest:
                assert guest.finish_json() == 0
        host.until("result")
        host.until("result")
        host.until("result")
        host.signal(signal.SIGINT)
        assert host.finish_json() == Exit.INTERRUPTED
    assert len(host.of("result")) == 3
    assert [verdict.clean and verdict.complete for verdict in host.verdicts()] == [True] * 3


def test_a_host_on_all_addresses_is_joined_by_name_and_by_ipv6(tmp_path: Path) -> None:
    options = ["--port", "0", "--serve", "--json", "--bot", "threshold"]
    with Pazaak("host", *options, home=tmp_path / "host") as host:
        listening = host.until("listening")
        port = listening["port"]
        assert f"127.0.0.1:{port}" in listening["addresses"]
        targets = ["localhost"] + (["[::1]"] if socket.has_ipv6 else [])
        for number, target in enumerate(targets):
            with join(f"{target}:{port}", tmp_path / str(number)) as guest:
                assert guest.finish_json() == 0
        host.signal(signal.SIGINT)
        assert host.finish_json() == Exit.INTERRUPTED


# --- strangers


@pytest.mark.parametrize("options", [[], [PLAIN]])
@pytest.mark.parametrize(
    ("noise", "says"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "it spoke HTTP"),
        (
            b"\x16\x03\x01\x00\xf4\x01\x00\x00\xf0\x03\x03" + bytes(240),
            {True: "The other side broke TLS off", False: "it spoke TLS"},
        ),
        (bytes(range(255, 0, -1)) * 4, "what it sent is not pazaak"),
        (b"", "it left without a word"),
    ],
)
def test_a_stranger_is_noticed_in_one_line_and_the_host_waits_on(
    homes: tuple[Path, Path], options: list[str], noise: bytes, says: str | dict[bool, str]
) -> None:
    with hosting(homes[0], *options) as (host, address):
        with connect(address) as stranger:
            stranger.sendall(noise)
            stranger.shutdown(socket.SHUT_WR)
            read_all(stranger)
        with join(address, homes[1], *options) as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    encrypts = not options
    says = says if isinstance(says, str) else says[encrypts]
    *warnings, line = host.stderr.splitlines()
    assert len(warnings) == (not encrypts)
    assert line.startswith("pazaak: 127.0.0.1:")
    assert says in line
    assert line.endswith("Still waiting.")
    (refused,) = host.of("refused")
    assert refused["code"] == "stranger"
    assert f"{refused['address']} is no opponent: {refused['what']}. " in line
    check_same_result(host, guest)


def test_a_silent_stranger_and_a_busy_host(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", "--grace", "0") as (host, address), connect(address):
        with waiting_join(address, tmp_path / "first") as first:
            first.until("match")
            with join(address, tmp_path / "second") as second:
                assert second.finish_json() == Exit.NO_CONNECTION
            # Whose greeting came first is told, too.
            *greeted, error = second.events
            assert [event["event"] for event in greeted] in ([], ["connected"])
            assert error["event"] == "error"
            assert error["code"] == "busy"
            assert second.verdicts() == []
            first.signal(signal.SIGINT)
            assert first.finish_json() == Exit.INTERRUPTED
        assert host.finish_json() == Exit.PEER_LOST
        assert host.events[-2]["code"] == "left"
        assert host.events[-1]["termination"] == "abandoned"


# --- lost


@posix_only
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_joiner_goes(homes: tuple[Path, Path], number: signal.Signals) -> None:
    with (
        hosting(homes[0], "--grace", "0") as (host, address),
        waiting_join(address, homes[1]) as guest,
    ):
        guest.until("match")
        host.until("match")
        guest.signal(number)
        code = guest.finish_json()
        assert host.finish_json() == Exit.PEER_LOST
    assert host.stderr == ""
    error, result = host.events[-2:]
    assert (error["event"], result["event"]) == ("error", "result")
    assert all(error[part] for part in PARTS)
    assert error["code"] == ("lost" if number is signal.SIGKILL else "left")
    # However it went, the match is kept, and nobody has won it.
    assert (result["termination"], result["winner"]) == ("abandoned", None)
    assert result["unfinished"]
    assert f"pazaak resume {result['match_id'][:8]}" in error["next"]
    if number is signal.SIGKILL:
        assert code == -signal.SIGKILL
    else:
        assert code == Exit.INTERRUPTED
        assert guest.events[-2]["code"] == "interrupted"
        assert guest.events[-2]["next"].endswith(f"pazaak resume {result['match_id'][:8]}")
        # Ctrl-C belongs to the person's screen, which asks back where there is somebody to ask.
        assert number is signal.SIGINT or number.name in guest.events[-2]["why"]
        assert guest.events[-1]["termination"] == "abandoned"
    # What was recorded stays readable, with an end unless it was killed.
    (ours,), (theirs,) = host.verdicts(), guest.verdicts()
    assert ours.clean
    assert theirs.clean
    assert ours.ended
    assert theirs.ended == (number is not signal.SIGKILL)


@posix_only
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_host_goes(homes: tuple[Path, Path], number: signal.Signals) -> None:
    with (
        hosting(homes[0]) as (host, address),
        waiting_join(address, homes[1], "--grace", "0") as guest,
    ):
        guest.until("match")
        host.until("match")
        host.signal(number)
        code = host.finish_json()
        guest.until("result")  # and only then closes its input, which would end it as well
        assert guest.finish_json() == Exit.PEER_LOST
    if number is signal.SIGINT:
        assert code == Exit.INTERRUPTED
        assert [event["event"] for event in host.events[-2:]] == ["error", "result"]
        assert host.events[-1]["termination"] == "abandoned"
        assert "pazaak resume" in host.events[-2]["next"]
    assert guest.events[-1]["termination"] == "abandoned"
    (verdict,) = guest.verdicts()
    assert verdict.clean
    assert verdict.ended


@posix_only
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_waiting_host_is_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    with hosting(tmp_path) as (host, _):
        host.signal(number)
        assert host.finish_json() == Exit.INTERRUPTED
    assert [event["event"] for event in host.events] == ["listening", "error"]
    assert host.stderr == ""


@posix_only
def test_a_storm_of_signals_is_one_interruption(homes: tuple[Path, Path]) -> None:
    with (
        hosting(homes[0]) as (host, address),
        waiting_join(address, homes[1], "--grace", "0") as guest,
    ):
        host.until("match")
        for _ in range(50):
            host.signal(signal.SIGTERM)
            host.signal(signal.SIGINT)
        assert host.finish_json() == Exit.INTERRUPTED
        assert guest.finish_json() == Exit.PEER_LOST
    assert [event["event"] for event in host.events[-2:]] == ["error", "result"]
    assert host.stderr == ""


@posix_only
def test_a_host_that_ignores_hang_ups_goes_on(homes: tuple[Path, Path]) -> None:
    """As under ``nohup``."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--bot", "random"]
    with Pazaak("host", *options, home=homes[0], prepare=ignore) as host:
        port = host.until("listening")["port"]
        host.signal(signal.SIGHUP)
        with join(f"127.0.0.1:{port}", homes[1]) as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0


def test_the_end_of_input_leaves_the_match(homes: tuple[Path, Path]) -> None:
    with (
        hosting(homes[0], "--grace", "0") as (host, address),
        waiting_join(address, homes[1]) as guest,
    ):
        guest.until("match")
        assert guest.finish_json() == Exit.INTERRUPTED
        assert host.finish_json() == Exit.PEER_LOST
    assert guest.events[-2]["code"] == "interrupted"


# --- terms


def test_other_rules_are_declined_and_the_host_waits_on(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", "--rules", "tournament") as (host, address):
        with join(address, tmp_path / "picky", "--rules", "kotor1,sets=5") as picky:
            assert picky.finish_json() == Exit.MISFIT
        (error,) = picky.of("error")
        assert error["code"] == "rules-differ"
        assert "kotor1,sets=5" in error["why"]
        assert "tournament" in error["why"]
        assert error["next"].endswith("--rules tournament")
        with join(address, tmp_path / "gold", "--deck", "nightmare") as other:
            assert other.finish_json() == 0
        assert host.finish_json() == 0
    assert "asked for kotor1,sets=5, was offered tournament" in host.stderr
    (refused,) = host.of("refused")
    assert (refused["code"], refused["address"]) == ("declined", None)
    assert host.stderr.endswith("Still waiting.\n")
    assert len(host.verdicts()) == 1


def test_R3_a_deck_that_does_not_suit_the_rules(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", "--rules", "kotor1") as (host, address):
        with join(address, tmp_path / "join", "--deck", "hard") as guest:
            assert guest.finish_json() == Exit.MISFIT
        (error,) = guest.of("error")
        assert error["code"] == "deck-refused"
        assert "gold" in error["why"]
        host.signal(signal.SIGINT)
        host.finish()
    with Pazaak(
        "host", "--rules", "kotor1", "--deck", "hard", "--bot", "random", home=tmp_path
    ) as host:
        assert host.finish() == Exit.USAGE
    assert "gold" in host.stderr


# --- a full disk


@posix_only
def test_a_full_disk_ends_the_match_and_not_the_serving(tmp_path: Path) -> None:
    def little_room() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    home = tmp_path / "join"
    with hosting(tmp_path / "host", "--serve", "--grace", "0") as (host, address):
        options = ["--json", "--bot", "random"]
        with Pazaak("join", address, *options, home=home, prepare=little_room) as guest:
            assert guest.finish_json() == Exit.FAULT
        assert host.until("result")["termination"] == "abandoned"
        with join(address, tmp_path / "other") as other:
            assert other.finish_json() == 0
        host.until("result")
        host.signal(signal.SIGINT)
        host.finish()
    error, result = guest.events[-2:]
    assert error["code"] == "record"
    assert str(home) in error["what"]
    assert "File too large" in error["why"]
    assert all(error[part] for part in PARTS)
    assert result["termination"] == "abandoned"
    (verdict,) = guest.verdicts()
    assert verdict.entries > 0
    assert not verdict.problem
    assert verdict.cheat is None


# --- a host that is none


class FakeHost:
    """Listens on loopback, and answers with *words*; under TLS if it *encrypts*."""

    def __init__(self, words: bytes, *, encrypts: bool = True) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        self.words = words
        self.encrypts = encrypts

    def serve_one(self) -> None:
        sock, _ = self.server.accept()
        if self.encrypts:
            sock = CREDENTIALS.context.wrap_socket(sock, server_side=True)
        with sock:
            sock.sendall(self.words)
            sock.shutdown(socket.SHUT_WR)
            read_all(sock)

    def meet(self, home: Path, *options: str) -> Pazaak:
        """Have a joiner come; what became of it."""
        with self.server, join(self.address, home, *options) as guest:
            self.serve_one()
            guest.finish_json()
        return guest


async def hello() -> bytes:
    return Side(0, "fake").peer(CREDENTIALS.fingerprint).data_to_send()


@pytest.mark.parametrize("how", ["plain", "answered in plain", "encrypted"])
def test_joining_what_is_no_host(tmp_path: Path, how: str) -> None:
    """See ``net/test_no_host.py`` for all that it can be."""
    options = [PLAIN] if how == "plain" else []
    fake = FakeHost(b"HTTP/1.1 400 Bad Request\r\n\r\n", encrypts=how == "encrypted")
    guest = fake.meet(tmp_path, *options)
    assert guest.process.returncode == Exit.NO_CONNECTION
    assert guest.events == [
        {
            "event": "error",
            "code": "not-pazaak",
            "what": f"{fake.address} is no pazaak host.",
            "why": "It speaks HTTP, as a web server does.",
            "next": "Check the address and the port: 'pazaak host' prints the line to type.",
        }
    ]


@pytest.mark.parametrize("encrypts", [True, False])
def test_joining_one_that_hangs_up(tmp_path: Path, encrypts: bool) -> None:
    guest = FakeHost(b"", encrypts=encrypts).meet(tmp_path)
    assert guest.process.returncode == Exit.NO_CONNECTION
    assert guest.events[0]["code"] == "hung-up"


async def test_joining_another_version(tmp_path: Path) -> None:
    words = (await hello()).replace(b"versions\x91\x01", b"versions\x92\x08\x09")
    guest = FakeHost(words).meet(tmp_path)
    assert guest.process.returncode == Exit.MISFIT
    (error,) = guest.events
    assert error["code"] == "version"
    assert "Ours: 1." in error["what"]
    assert "8, 9" in error["what"]


async def test_joining_one_whose_key_is_not_its_own(tmp_path: Path) -> None:
    proof = b"\x82\xa1t\xa5proof\xa3sig\xc4\x40" + bytes(64)
    guest = FakeHost(await hello() + proof).meet(tmp_path)
    assert guest.process.returncode == Exit.IDENTITY_REFUSED
    assert guest.events[0]["code"] == "identity"


# --- one side encrypts, the other does not


def test_a_host_that_encrypts_and_a_joiner_that_does_not(homes: tuple[Path, Path]) -> None:
    with hosting(homes[0]) as (host, address):
        with join(address, homes[1], PLAIN) as guest:
            assert guest.finish_json() == Exit.MISFIT
        (error,) = guest.of("error")
        assert (error["code"], error["next"]) == ("tls", f"Join without {PLAIN}.")
        with join(address, homes[1]) as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
    (line,) = host.stderr.splitlines()
    assert f"it spoke pazaak without encryption ({PLAIN})" in line


def test_a_joiner_that_encrypts_never_goes_on_without(homes: tuple[Path, Path]) -> None:
    with hosting(homes[0], PLAIN) as (host, address):
        with join(address, homes[1]) as guest:
            assert guest.finish_json() == Exit.MISFIT
        (error,) = guest.of("error")
        assert error["code"] == "tls"
        assert error["next"] == f"Have it started again without {PLAIN}."
        with join(address, homes[1], PLAIN) as guest:
            assert guest.finish_json() == 0
        assert "WARNING" in guest.stderr
        assert len(guest.stderr.splitlines()) == 1
        assert host.finish_json() == 0
    warning, stranger = host.stderr.splitlines()
    assert warning == guest.stderr.rstrip()
    assert f"it spoke TLS, as a web browser does, and a pazaak without {PLAIN}" in stranger
    check_same_result(host, guest)


def test_what_the_other_side_types_says_that_nothing_is_encrypted(tmp_path: Path) -> None:
    options = ["--port", "0", "--bind", "127.0.0.1", "--bot", "random"]
    with Pazaak("host", *options, PLAIN, home=tmp_path) as host:
        assert host.process.stdout is not None
        head = host.process.stdout.readline() + host.process.stdout.readline()
        host.signal(signal.SIGINT)
        host.finish()
    assert re.search(rf"pazaak join 127\.0\.0\.1:\d+ {PLAIN}   \(", head.decode())


# --- standard output


@posix_only
def test_output_that_nobody_reads_ends_it_quietly(homes: tuple[Path, Path]) -> None:
    with hosting(homes[0]) as (host, address):
        assert host.process.stdout is not None
        host.process.stdout.close()
        # A match that has begun by then is not waited for.
        with join(address, homes[1], "--grace", "0") as guest:
            assert guest.finish_json() == Exit.PEER_LOST, guest.stdout + guest.stderr
        (error,) = guest.of("error")
        assert error["code"] == "left"
        # Before the match has begun, or in it.
        assert error["why"] in (
            "They interrupted their program.",
            "They mean to go on with the match later.",
        )
        assert host.process.wait(30) == Exit.INTERRUPTED
        assert host.process.stderr is not None
        assert host.process.stderr.read() == b""


def test_lines_for_one_who_looks_on(homes: tuple[Path, Path]) -> None:
    with (
        hosting(homes[0], "--name", "Ann") as (host, address),
        Pazaak("join", address, "--bot", "threshold", home=homes[1]) as guest,
    ):
        assert guest.finish() == 0
        assert host.finish() == 0
    assert "Ann sits down at the table." in guest.stdout
    assert "Both side decks have been opened and checked" in guest.stdout
    assert "\x1b" not in guest.stdout
    (record,) = (homes[1] / "matches").iterdir()
    assert guest.stdout.endswith(f"Record: {record}\n")
    assert guest.stderr == ""
    assert verify(record.read_bytes()).complete
    assert os.name
