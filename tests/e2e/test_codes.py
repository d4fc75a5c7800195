"""Join codes as users meet them: printed, typed, read from files, guessed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.errors import Exit
from pazaak_p2p.wire import Peer, Role, events
from tests.e2e.persons import CTRL_C, check, pazaak, play_on
from tests.e2e.processes import Pazaak, connect, hosting, join
from tests.terminal import Terminal

OPTIONS = ["--bind", "127.0.0.1", "--port", "0", "--rules", "sets=1"]
# The program itself, but for the seconds that it waits after a wrong code.
QUICK = (
    "-c",
    "import sys; from pazaak_p2p.net import code_gate; code_gate.FIRST_DELAY = 0.001;"
    " from pazaak_p2p.cli import main; sys.exit(main())",
)


@contextmanager
def host_with(home: Path, *arguments: str) -> Iterator[tuple[Pazaak, str]]:
    """A host with a bot that waits no time after a wrong code; itself and its address."""
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--bot", "threshold", *arguments]
    with Pazaak("host", *options, home=home, program=QUICK) as host:
        port = host.until("listening")["port"]
        yield host, f"127.0.0.1:{port}"


def file_with(home: Path, code: str) -> str:
    home.mkdir(exist_ok=True)
    path = home / "code"
    path.write_text(code)
    path.chmod(0o600)
    return str(path)


def wrong(code: str) -> str:
    """Another code than *code*."""
    number, words = code.split("-", 1)
    return f"{int(number) % 99 + 1}-{words}"


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def told_by(host: Terminal) -> tuple[str, list[str]]:
    """The code that the host shows, and the words of the line that the other side types."""
    host.wait_for("The join code is: ")
    host.wait_for("--code   (")
    code, _, rest = host.text().partition("The join code is: ")[2].partition("\n")
    return code, rest.partition("pazaak ")[2].partition("   (")[0].split()


def test_a_code_is_printed_on_one_terminal_and_typed_on_another(tmp_path: Path) -> None:
    with pazaak(tmp_path / "host", "host", *OPTIONS, "--code", fresh=True) as host:
        code, line = told_by(host)
        assert line[0] == "join"
        assert line[2:] == ["--code"]
        with pazaak(tmp_path / "join", *line, fresh=True) as guest:
            guest.wait_for("Join code:")
            guest.send("17-coper-lantern\r")
            guest.wait_for("'coper' is no word of a join code. Was it 'copper'?")
            assert "is no opponent" not in host.text()  # nobody has been connected to
            guest.send(code.upper().replace("-", "  ") + "\r")
            guest.wait_for("sits down at the table.", scrolled=True)
            if sys.platform == "linux":
                for terminal in (host, guest):
                    seen = command_line(terminal.pid)
                    assert b"pazaak_p2p" in seen
                    assert not any(word.encode() in seen for word in code.split("-")[1:])
            play_on(host, guest)
            check(guest.finish(), 0)
            check(host.finish(), 0)
    for record in tmp_path.rglob("*.pzk"):
        assert code.encode() not in record.read_bytes()


def test_a_wrong_code_at_the_prompt_is_told_to_both(tmp_path: Path) -> None:
    with pazaak(tmp_path / "host", "host", *OPTIONS, "--code") as host:
        code, line = told_by(host)
        with pazaak(tmp_path / "join", *line) as guest:
            guest.wait_for("Join code:")
            guest.send(f"{wrong(code)}\r")
            check(guest.finish(), Exit.IDENTITY_REFUSED)
            assert "The other side says that the join code is wrong." in guest.text()
        host.wait_for("is no opponent: The join code is wrong.")
        host.send(CTRL_C)
        check(host.finish(), Exit.INTERRUPTED)


@pytest.mark.parametrize(("keys", "exit_code"), [(CTRL_C, Exit.INTERRUPTED), ("\x04", Exit.USAGE)])
def test_the_prompt_can_be_left(tmp_path: Path, keys: str, exit_code: Exit) -> None:
    with pazaak(tmp_path, "join", "127.0.0.1:1", "--code") as guest:
        guest.wait_for("Join code:")
        guest.send(keys)
        check(guest.finish(), exit_code)
        assert "Traceback" not in guest.text()


def test_a_script_hands_the_code_on(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", "--code") as (host, address):
        (event,) = host.of("code")
        assert set(event) == {"event", "code"}
        path = file_with(tmp_path / "join", event["code"])
        with join(address, tmp_path / "join", "--code-file", path) as guest:
            assert guest.finish_json() == 0
            assert guest.of("result")
            assert guest.stderr == ""
        assert host.finish_json() == 0
        assert host.stderr == ""


def test_a_code_from_standard_input(tmp_path: Path) -> None:
    path = file_with(tmp_path, "17-copper-lantern")
    with hosting(tmp_path / "host", "--code-file", path) as (host, address):
        assert host.of("code") == []  # whoever gave it knows it
        with join(address, tmp_path / "join", "--code-file", "-") as guest:
            assert guest.finish_json(b"17 copper lantern\n") == 0
        assert host.finish_json() == 0
        assert "copper" not in host.stdout + host.stderr


def test_without_a_terminal_nobody_is_asked(tmp_path: Path) -> None:
    with join("127.0.0.1:1", tmp_path, "--code") as guest:
        assert guest.finish_json(b"17-copper-lantern\n") == Exit.USAGE
        (error,) = guest.of("error")
        assert "--code-file" in error["next"]


def test_a_code_on_the_command_line_is_refused(tmp_path: Path) -> None:
    with join("127.0.0.1:1", tmp_path, "--code", "17-copper-lantern") as guest:
        assert guest.finish_json() == Exit.USAGE


def test_codes_on_one_side_only(tmp_path: Path) -> None:
    path = file_with(tmp_path, "17-copper-lantern")
    with hosting(tmp_path / "asks", "--code") as (_, address):
        with join(address, tmp_path / "join") as guest:
            assert guest.finish_json() == Exit.IDENTITY_REFUSED
        (error,) = guest.of("error")
        assert error["code"] == "code-required"
        assert error["what"] == "This host asks for a join code."
        assert error["next"].endswith(f"type: pazaak join {address} --code")
    with hosting(tmp_path / "does not") as (_, address):
        with join(address, tmp_path / "join", "--code-file", path) as guest:
            assert guest.finish_json() == Exit.IDENTITY_REFUSED
        (error,) = guest.of("error")
        assert error["code"] == "code-unasked"
        assert (
            error["why"] == "You have a code, and the host asks for none; or it is another machine."
        )


def guess(address: str, code: str) -> str:
    """Try *code* at *address*, and nothing more; with what reason and text the host says goodbye.

    Empty if the code is right.
    """
    key = Ed25519PrivateKey.generate()
    peer = Peer(
        key=key,
        role=Role.DIALLER,
        name="guest",
        nonce=os.urandom(32),
        software="tests",
        now=0.0,
        code=code,
        code_secret=os.urandom(64),
    )
    with connect(address) as line:
        while True:
            line.sendall(peer.data_to_send())
            peer.receive(line.recv(65536), 0.0)
            while (event := peer.next_event()) is not None:
                match event:
                    case events.Greeted():
                        return ""
                    case events.Left(reason, text):
                        return f"{reason} {text}"
                    case events.Closed():
                        return "closed"


def test_five_wrong_codes_and_there_is_another(tmp_path: Path) -> None:
    with host_with(tmp_path / "host", "--code", "--insecure-plain") as (host, address):
        (first,) = host.of("code")
        for _ in range(5):
            assert guess(address, wrong(first["code"])) == "protocol wrong-code"
        second = host.until("code")
        assert second["code"] != first["code"]
        assert guess(address, first["code"]) == "protocol wrong-code"
        path = file_with(tmp_path / "join", second["code"])
        options = ["--code-file", path, "--insecure-plain"]
        with join(address, tmp_path / "join", *options) as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
        assert "pazaak: 5 wrong join codes. There is another now:" in host.stderr
        assert host.stderr.count("is no opponent: The join code is wrong.") == 6


def test_five_wrong_codes_and_a_given_one_is_still_waited_for(tmp_path: Path) -> None:
    path = file_with(tmp_path, "17-copper-lantern")
    with host_with(tmp_path / "host", "--code-file", path, "--insecure-plain") as (host, address):
        for _ in range(5):
            assert guess(address, "18-copper-lantern") == "protocol wrong-code"
        options = ["--code-file", path, "--insecure-plain"]
        with join(address, tmp_path / "join", *options) as guest:
            assert guest.finish_json() == 0
        assert host.finish_json() == 0
        assert "5 more wrong join codes; somebody may be guessing." in host.stderr
        assert "copper" not in host.stdout + host.stderr
