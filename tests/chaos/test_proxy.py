"""The proxy between real processes, as a process of its own and within this one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from pazaak_p2p.cli.options import NOT_ENCRYPTED
from pazaak_p2p.errors import Exit
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.wire.judge import judge
from tests import warm
from tests.chaos.plans import Cut, Delay, Place, Split, flight, message
from tests.chaos.proxy import Proxy, Treatment, Way, read_treatment
from tests.e2e.processes import SECONDS, Pazaak, hosting, join, strict_environment

_PLAIN = "--insecure-plain"  # so that messages can be counted


@contextmanager
def proxied(address: str, *connections: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A proxy to *address* as a process; its own address, and itself."""
    options = [option for text in connections for option in ("--connection", text)]
    command = [sys.executable, "-m", "tests.chaos.proxy", "--plain", "--to", address, *options]
    with warm.start(command, env=strict_environment(), stdout=subprocess.PIPE) as process:
        try:
            port = told(process)["port"]
            yield f"127.0.0.1:{port}", process
        finally:
            process.kill()


def told(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    line: dict[str, Any] = json.loads(process.stdout.readline())
    return line


def through(home: Path, treatment: str) -> tuple[Pazaak, Pazaak, dict[str, Any]]:
    """A host and a joiner under the same seeds, whatever is done to the line between."""
    with (
        hosting(home / "host", _PLAIN, "--seed", "one", "--name", "A", bot="random") as hosted,
        proxied(hosted[1], treatment) as (way, proxy),
    ):
        host = hosted[0]
        with join(way, home / "join", _PLAIN, "--seed", "two", "--name", "B") as guest:
            guest.finish_json()
        line = told(proxy)
        host.finish_json()
    return host, guest, line


def check_nobody_convicted(*processes: Pazaak) -> None:
    for process in processes:
        for path in (process.home / "matches").glob("*"):
            verdict = judge(path.read_bytes())
            assert verdict.problem is None
            assert verdict.cheat is None
            assert verdict.contradiction == ""


def heads(*processes: Pazaak) -> list[str]:
    """The heads that they have come to, each in a good end."""
    found = []
    for process in processes:
        assert process.process.returncode == Exit.DONE, process.stdout
        assert process.stderr == f"{NOT_ENCRYPTED}\n"
        (result,) = process.of("result")
        found.append(result["transcript"])
    return found


def test_what_loses_nothing_changes_nothing_between_processes(tmp_path: Path) -> None:
    found = []
    gentle = "0 up split@0:1 delay@f3:0.2 down merge@0:0.01 throttle@m5:20000"
    for number, treatment in enumerate(("0", gentle)):
        host, guest, line = through(tmp_path / str(number), treatment)
        found += heads(host, guest)
        assert line["event"] == "connection"
        assert not line["cut"]
        # hello, proof, offer or accept, entries, bye
        assert line["up"]["messages"] > 10
        assert line["up"]["flights"] > 10
    assert len(set(found)) == 1


@pytest.mark.parametrize("treatment", ["0 up cut@f4", "0 down cut@m6+30", "0 up cut@m5"])
def test_a_match_goes_on_over_another_line(tmp_path: Path, treatment: str) -> None:
    host, guest, line = through(tmp_path, treatment)
    assert line["cut"]
    assert len(set(heads(host, guest))) == 1
    for process in (host, guest):
        assert len(process.of("away")) == 1
        assert len(process.of("back")) == 1
    check_nobody_convicted(host, guest)


def test_an_altered_byte_convicts_nobody_and_the_match_goes_on(tmp_path: Path) -> None:
    host, guest, _ = through(tmp_path, "0 up corrupt@m6+60:1")
    assert len(set(heads(host, guest))) == 1
    assert len(host.of("back")) == 1
    check_nobody_convicted(host, guest)


# --- within this process


@asynccontextmanager
async def to_an_echo(**treatments: Treatment) -> AsyncIterator[tuple[Proxy, int]]:
    """A proxy to a server that sends everything back; itself and its port."""

    async def echo(stream: trio.SocketStream) -> None:
        try:
            async for data in stream:
                await stream.send_all(data)
        except trio.BrokenResourceError:
            pass

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    target = "127.0.0.1", listener.socket.getsockname()[1]
    numbered = {int(name.removeprefix("n")): one for name, one in treatments.items()}
    with trio.fail_after(SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, echo, [listener])
            proxy = Proxy(target, numbered)
            yield proxy, await nursery.start(proxy.serve)
            nursery.cancel_scope.cancel()


async def ask(port: int, text: bytes) -> bytes:
    """What comes back for *text*, up to the end; "!" behind it for a reset."""
    got = b""
    async with LeanStream.take(await trio.open_tcp_stream("127.0.0.1", port)) as stream:
        try:
            await stream.send_all(text)
            await stream.send_eof()
            while piece := await stream.receive_some():
                got += piece
        except trio.BrokenResourceError:
            got += b"!"
    return got


async def test_each_connection_has_its_own_plan() -> None:
    async with to_an_echo(
        n1=Treatment(Way.REFUSE),
        n2=Treatment(up=(Cut(Place(4)),)),
        n3=Treatment(down=(Split(Place(0), 1), Delay(Place(2), 0.01))),
    ) as (proxy, port):
        assert await ask(port, b"untouched") == b"untouched"
        assert await ask(port, b"refused") == b"!"
        assert await ask(port, b"cut here") in (b"!", b"cut !")
        assert await ask(port, b"in pieces") == b"in pieces"
        assert [line.up.bytes for line in proxy.lines.values()] == [9, 0, 8, 9]
        assert [line.cut for line in proxy.lines.values()] == [False, False, True, False]


async def test_a_black_hole_answers_nothing_and_the_next_one_passes() -> None:
    async with to_an_echo(n0=Treatment(Way.HOLE)) as (proxy, port):
        async with trio.open_nursery() as nursery:
            got: list[bytes] = []

            async def fall() -> None:
                got.append(await ask(port, b"anybody?"))

            nursery.start_soon(fall)
            while 0 not in proxy.lines:
                await trio.lowlevel.checkpoint()
            assert await ask(port, b"here") == b"here"
            assert got == []
            nursery.cancel_scope.cancel()
        assert proxy.lines[0].up.bytes == 0


async def test_two_connections_change_places() -> None:
    async with to_an_echo(n0=Treatment(Way.HOLD)) as (proxy, port):
        order = []
        async with trio.open_nursery() as nursery:

            async def first() -> None:
                order.append(await ask(port, b"first"))

            nursery.start_soon(first)
            while 0 not in proxy.lines:
                await trio.lowlevel.checkpoint()
            order.append(await ask(port, b"second"))
        assert order == [b"second", b"first"]


def test_a_treatment_is_read() -> None:
    assert read_treatment("0") == (0, Treatment())
    assert read_treatment("3 refuse") == (3, Treatment(Way.REFUSE))
    assert read_treatment("2 up cut@f3 split@0:1 down delay@m2:1.5") == (
        2,
        Treatment(
            up=(Cut(flight(3)), Split(Place(0), 1)),
            down=(Delay(message(2), 1.5),),
        ),
    )
    for text in ("up cut@3", "0 tear", "0 up cut"):
        with pytest.raises(ValueError, match=r"invalid|not a valid|no fault"):
            read_treatment(text)
