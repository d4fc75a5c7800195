"""``pazaak play`` with bots, and the commands that cannot connect, as processes."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pazaak_p2p import __version__
from pazaak_p2p.errors import Exit
from tests.e2e.processes import Pazaak


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
