"""``pazaak play`` with bots, and the commands that cannot connect, as processes."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pazaak_p2p import __version__
from pazaak_p2p.errors import Exit
from tests.e2e.processes import Pazaak, hosting


def test_two_bots_play_and_the_record_proves_it(tmp_path: Path) -> None:
    arguments = ["--bot", "random", "--against", "threshold:19", "--deck", "hard", "--json"]
    with Pazaak("play", *arguments, home=tmp_path) as play:
        assert play.finish_json() == 0
    assert play.stderr == ""
    assert play.of("match")[0]["rules"] == "standard,max_sets=99"
    assert play.of("connected")[0]["peer"]["name"] == "threshold:19"
    (result,) = play.of("result")
    (verdict,) = play.verdicts()
    assert verdict.clean
    assert verdict.complete
    assert verdict.head.hex() == result["transcript"]


def test_a_seed_makes_the_same_match_again(tmp_path: Path) -> None:
    records = []
    for number in range(2):
        home = tmp_path / str(number)
        arguments = ["--bot", "random", "--seed", "x", "--name", "A", "--json"]
        with Pazaak("play", *arguments, home=home) as play:
            assert play.finish_json() == 0
        (record,) = (home / "matches").iterdir()
        records.append(record.read_bytes())
    assert records[0] == records[1]


def test_a_scripted_bot_that_goes_wrong_names_its_line(tmp_path: Path) -> None:
    script = tmp_path / "my.txt"
    script.write_text("at-end error\nend\n")
    for side in ("--bot", "--against"):
        arguments = ["--bot", "random", side, f"script:{script}"]
        with Pazaak("play", *arguments, home=tmp_path) as play:
            assert play.finish() == Exit.USAGE
        assert f"{script}: it has no line left" in play.stderr


def test_R21_a_bot_that_concedes(tmp_path: Path) -> None:
    script = tmp_path / "my.txt"
    script.write_text("concede\n")
    arguments = ["--bot", f"script:{script}", "--against", "random", "--json"]
    with Pazaak("play", *arguments, home=tmp_path) as play:
        assert play.finish_json() == 0
    (result,) = play.of("result")
    assert (result["termination"], result["winner"]) == ("concession", "join")
    assert play.of("act")[-1]["action"] == "concession"


def test_a_person_at_a_pipe_plays_to_the_end(tmp_path: Path) -> None:
    """Numbered lines: stand at once, set after set, until somebody has won three."""
    with Pazaak("play", "--seed", "pipe", "--rules", "sets=1", home=tmp_path) as play:
        code = play.finish(b"s\ny\n" * 100)
    assert code == 0, play.stdout + play.stderr
    assert "Your turn." in play.stdout
    assert "Both side decks have been opened and checked" in play.stdout
    assert "\x1b" not in play.stdout


# --- what cannot be connected


def check_error(process: Pazaak, code: str) -> None:
    (error,) = process.of("error")
    assert error == process.events[-1]
    assert error["code"] == code
    assert error["what"]
    assert error["why"]
    assert error["next"]
    assert process.stderr == ""


def test_an_unknown_host(tmp_path: Path) -> None:
    with Pazaak("join", "no-such-host.invalid", "--json", home=tmp_path) as guest:
        assert guest.finish_json() == Exit.NO_CONNECTION
    check_error(guest, "unknown-host")


def test_a_refused_connection(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with Pazaak("join", f"127.0.0.1:{port}", "--json", home=tmp_path) as guest:
        assert guest.finish_json() == Exit.NO_CONNECTION
    check_error(guest, "refused")
    assert f"127.0.0.1:{port}" in guest.events[0]["what"]


def test_a_port_in_use_offers_a_command_that_works(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        arguments = ["host", "--port", str(port), "--bot", "random", "--json"]
        with Pazaak(*arguments, "--bind", "127.0.0.1", home=tmp_path) as host:
            assert host.finish_json() == Exit.NO_CONNECTION
        check_error(host, "port-in-use")
        assert str(port) in host.events[0]["what"]
        words = shlex.split(host.events[0]["next"])
        assert words[:3] == ["Type:", "pazaak", "host"]
        with Pazaak(*words[2:], home=tmp_path) as again:
            assert again.until("listening")["port"] == int(words[-1])
            again.signal(signal.SIGINT)
            assert again.finish() == Exit.INTERRUPTED


def test_an_address_that_is_not_ours_to_bind(tmp_path: Path) -> None:
    with Pazaak("host", "--bind", "203.0.113.77", "--json", home=tmp_path) as host:
        assert host.finish_json() == Exit.NO_CONNECTION
    check_error(host, "cannot-listen")


# --- speed and quiet


def test_the_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['pazaak', '--version']\n"
        "from pazaak_p2p.cli import main\n"
        "assert main() == 0\n"
        "heavy = {'trio', 'click', 'msgspec', 'msgpack', 'cryptography', 'prompt_toolkit'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"pazaak {__version__}\n"


def test_an_output_that_knows_only_ascii_is_no_reason_to_stop(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pazaak_p2p", "play", "--bot", "threshold", "--name", "Zoë"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PAZAAK_HOME": str(tmp_path / "Zoë")},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    assert b"Zo\\xeb" in done.stdout  # in the name of the record
    assert b"+-" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_output_that_is_cut_short_is_no_error(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m pazaak_p2p rules | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("rules", 0),
        ("nope", Exit.USAGE),
        ("play --bot random", 0),
        ("play --bot random --json", 0),
        ("play", Exit.INTERRUPTED),  # nobody is there
    ],
)
def test_a_missing_standard_stream_is_no_fault(
    tmp_path: Path, closed: str, arguments: str, code: int
) -> None:
    command = f"{shlex.quote(sys.executable)} -W error -m pazaak_p2p {arguments} {closed}"
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "PAZAAK_HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == code
    for output in (done.stdout, done.stderr):
        assert b"fault" not in output
        assert b"Warning" not in output
        assert b"Traceback" not in output


# --- nobody reads


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("options", [["--json"], []])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_host_whose_output_nobody_reads_serves_on_and_can_be_ended(
    tmp_path: Path, stream: str, options: list[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    where = ["--bind", "127.0.0.1", "--port", str(port)]
    with Unread() as unread:
        host = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "pazaak_p2p",
                "host",
                "--serve",
                "--bot",
                "random",
                *where,
                *options,
            ],
            env={**os.environ, "PAZAAK_HOME": str(tmp_path / "host")},
            stdout=unread.writer if stream == "stdout" else subprocess.DEVNULL,
            stderr=unread.writer if stream == "stderr" else subprocess.DEVNULL,
        )
        try:
            unread.wait_for_port(port)
            for number in range(4):
                unread.stranger(port)  # of whom is told on standard error
                with Pazaak(
                    "join", f"127.0.0.1:{port}", "--bot", "random", home=tmp_path / str(number)
                ) as guest:
                    assert guest.finish() == 0, guest.stderr
            host.send_signal(signal.SIGTERM)
            assert host.wait(10) == Exit.INTERRUPTED
        finally:
            host.kill()
            host.wait()


class Unread:
    """A pipe that is full from the beginning."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def __enter__(self) -> Unread:
        os.set_blocking(self.writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(self.writer, bytes(4096))
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(self.writer, bytes(1))
        os.set_blocking(self.writer, True)
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self.reader)
        os.close(self.writer)

    def wait_for_port(self, port: int) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(ConnectionRefusedError):
                self.stranger(port)
                return
        raise AssertionError("it does not listen")

    def stranger(self, port: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(4096):
                pass


def test_output_that_is_read_slowly_is_all_there(tmp_path: Path) -> None:
    """The match is long over when it is read."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pazaak_p2p", "play", "--bot", "random", "--json"],
        env={**os.environ, "PAZAAK_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process, process.stdout as out:
        last = out.readline()
        while line := out.readline():
            last = line
    assert process.returncode == 0
    assert b'"event": "result"' in last


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
def test_records_that_cannot_be_kept_end_the_match_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Pazaak("play", "--bot", "random", "--json", home=tmp_path / "file") as play:
        assert play.finish_json() == Exit.FAULT
    (error,) = play.of("error")
    assert error["code"] == "record"
    assert str(tmp_path / "file") in error["what"]
    assert play.stderr == ""


def test_a_person_can_ask_for_plain_ascii_lines(tmp_path: Path) -> None:
    with Pazaak("play", "--seed", "pipe", "--plain", "--ascii", home=tmp_path) as play:
        assert play.finish(b"?\n") == Exit.INTERRUPTED
    assert play.stdout.isascii()
    assert "Your hand" in play.stdout


def test_more_talk_than_the_other_side_takes_is_told_and_ends_nothing(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host", "--rules", "sets=1") as (_, address),
        Pazaak("join", address, "--name", "Ann", home=tmp_path / "join") as guest,
    ):
        code = guest.finish(b"t hi\n" * 25 + b"s\ny\n" * 100)
    assert code == 0, guest.stdout + guest.stderr
    assert "Not sent: " in guest.stdout
    assert guest.stdout.count(" hi") == 25
    told = "You are Ann, with the deck balanced: --name and --deck change that"
    assert guest.stdout.count(told) == 1
