"""The program as users run it: processes of its own, their lines, their exit codes."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from tests import warm
from tests.verifier import Verdict, verify

SECONDS = 30
"""How long anything may take."""


def strict_environment() -> dict[str, str]:
    """The environment for a process whose warnings are errors."""
    environment = {
        **os.environ,
        "PYTHONWARNINGS": "error",
        "PYTHONIOENCODING": "utf-8",
        "LANG": "C.UTF-8",
    }
    environment.pop("LC_ALL", None)
    return environment


class Pazaak:
    """A running ``pazaak`` with standard input, output and error of its own."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        prepare: Callable[[], None] | None = None,
        code: str | None = None,
        program: Sequence[str] = ("-m", "pazaak_p2p"),
        fresh: bool = False,
    ) -> None:
        """*code* is a program to run in place of ``pazaak``; *fresh* as in ``warm.start``."""
        environment = {**strict_environment(), "PAZAAK_HOME": str(home)}
        self.home = home
        self.process = warm.start(
            [sys.executable, *(program if code is None else ("-c", code)), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=prepare,
            fresh=fresh,
        )
        self.events: list[dict[str, Any]] = []
        self.stderr = ""
        self.stdout = ""

    def __enter__(self) -> Pazaak:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        self.process.wait(SECONDS)

    def until(self, kind: str) -> dict[str, Any]:
        """Read events up to one of *kind*, and return that."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            event = json.loads(line)
            self.events.append(event)
            if event["event"] == kind:
                return self.events[-1]
        raise AssertionError(f"it ended without {kind!r}: {self.events} {self.finish()}")

    def hold_back(self) -> None:
        """Take so little of what it says, from now on, that it waits for us to read. Linux only."""
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            assert self.process.stdout is not None
            fcntl.fcntl(self.process.stdout, fcntl.F_SETPIPE_SZ, 4096)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def finish(self, text: bytes | None = None) -> int:
        """Close its input, read the rest and wait; the exit code."""
        out, err = self.process.communicate(text, timeout=SECONDS)
        self.stdout, self.stderr = out.decode(), err.decode()
        return self.process.returncode

    def finish_json(self, text: bytes | None = None) -> int:
        """As :meth:`finish`, every line of output being an event."""
        code = self.finish(text)
        self.events += [json.loads(line) for line in self.stdout.splitlines()]
        return code

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of *kind* so far."""
        return [event for event in self.events if event["event"] == kind]

    def verdicts(self) -> list[Verdict]:
        """What the records in its home prove."""
        return [verify(path.read_bytes()) for path in sorted((self.home / "matches").glob("*.pzk"))]


@contextmanager
def hosting(home: Path, *arguments: str, bot: str = "threshold") -> Iterator[tuple[Pazaak, str]]:
    """A host with a bot on a free port of loopback; itself and the address to join."""
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--bot", bot, *arguments]
    with Pazaak("host", *options, home=home) as host:
        port = host.until("listening")["port"]
        yield host, f"127.0.0.1:{port}"


def join(address: str, home: Path, *arguments: str) -> Pazaak:
    """A joiner with a random bot."""
    return Pazaak("join", address, "--json", "--bot", "random", *arguments, home=home)


def waiting_join(address: str, home: Path, *arguments: str) -> Pazaak:
    """A joiner whose person never answers."""
    return Pazaak("join", address, "--json", *arguments, home=home)


def connect(address: str) -> socket.socket:
    """A connection to *address* that is not encrypted (yet)."""
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=SECONDS)


def read_all(sock: socket.socket) -> bytes:
    """All that comes until the other side closes or resets."""
    got = b""
    try:
        while piece := sock.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got
