"""Listening and dialling with real sockets on loopback."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Sequence

import pytest
import trio
import trio.testing

from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import CONNECT_SECONDS, _connect_error, dial, dial_plain
from pazaak_p2p.net.errors import (
    AddressError,
    CannotListen,
    PortInUse,
    Refused,
    TimedOut,
    UnknownHost,
    Unreachable,
)
from pazaak_p2p.net.listen import _listen_error, listen
from pazaak_p2p.net.stream import LeanStream


def close(listeners: list[trio.SocketListener]) -> None:
    for listener in listeners:
        listener.socket.close()


def port_of(listeners: list[trio.SocketListener]) -> int:
    (port,) = {listener.socket.getsockname()[1] for listener in listeners}
    assert isinstance(port, int)
    return port


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


async def test_all_addresses_of_both_families_have_the_same_port() -> None:
    listeners = await listen(0)
    families = {listener.socket.family for listener in listeners}
    assert socket.AF_INET in families
    assert (socket.AF_INET6 in families) == has_ipv6()
    assert port_of(listeners) > 0
    close(listeners)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_a_dialled_connection_carries_bytes_both_ways_without_delay(host: str) -> None:
    if host == "::1" and not has_ipv6():
        pytest.skip("no IPv6 on this machine")
    listeners = await listen(0)
    with trio.fail_after(10):
        accepted: list[LeanStream] = []

        async def accept(listener: trio.SocketListener, scope: trio.CancelScope) -> None:
            accepted.append(LeanStream.take(await listener.accept()))
            scope.cancel()

        async with trio.open_nursery() as nursery:
            for listener in listeners:
                nursery.start_soon(accept, listener, nursery.cancel_scope)
            with trio.CancelScope(shield=True):
                ours = await dial_plain(Address(host, port_of(listeners)))
        theirs = accepted[0]
        for stream in (ours, theirs):
            assert stream._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        await ours.send_all(b"there")
        assert await theirs.receive_some() == b"there"
        await theirs.send_all(b"back")
        assert await ours.receive_some(2) == b"ba"
        assert await ours.receive_some(2) == b"ck"
        await ours.send_eof()
        assert await theirs.receive_some() == b""
        await ours.aclose()
        await theirs.aclose()
    close(listeners)


async def test_a_port_in_use_names_it_and_a_free_one() -> None:
    listeners = await listen(0)
    port = port_of(listeners)
    with pytest.raises(PortInUse, match=rf"Port {port} is already in use") as caught:
        await listen(port)
    error = caught.value
    assert error.exit_code == Exit.NO_CONNECTION
    assert error.next == f"Type: pazaak host --port {error.free}"
    again = await listen(error.free)  # it really is free
    assert port_of(again) == error.free
    close(listeners)
    close(again)


async def test_a_port_in_use_in_one_family_only_is_in_use_all_the_same() -> None:
    if not has_ipv6():
        pytest.skip("no IPv6 on this machine")
    with (
        socket.create_server(("::", 0), family=socket.AF_INET6) as other,
        pytest.raises(PortInUse),
    ):
        await listen(other.getsockname()[1])


@pytest.mark.skipif(sys.platform == "win32", reason="nothing forks there")
async def test_a_copy_of_the_process_holds_no_port() -> None:
    """A Python bot may fork, and leave the copy behind when we have gone."""
    listeners = await listen(0)
    numbers = [listener.socket.fileno() for listener in listeners]
    assert open_in_a_copy(numbers) == 0
    assert all(is_open(number) for number in numbers)
    close(listeners)


def open_in_a_copy(numbers: Sequence[int]) -> int:
    """How many of the files with these *numbers* a copy of this process has open."""
    child = os.fork()
    if not child:
        os._exit(sum(is_open(number) for number in numbers))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


async def test_an_address_to_bind() -> None:
    listeners = await listen(0, "127.0.0.1")
    (listener,) = listeners
    assert listener.socket.getsockname()[0] == "127.0.0.1"
    close(listeners)


@pytest.mark.parametrize(
    ("bind", "says"),
    [
        ("203.0.113.77", "not an address of this machine"),
        ("no-such-host.invalid", "There is no address"),
        ("ex..ample", "There is no address"),
    ],
)
async def test_a_bad_address_to_bind(bind: str, says: str) -> None:
    with pytest.raises(CannotListen, match=says) as caught:
        await listen(0, bind)
    assert caught.value.exit_code == Exit.NO_CONNECTION
    assert "--bind" in caught.value.next


async def test_a_refused_connection_names_the_address_and_the_causes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(Refused, match=rf"127\.0\.0\.1:{port} refused the connection") as caught:
        await dial(Address("127.0.0.1", port))
    assert "firewall" in caught.value.why
    assert "pazaak host" in caught.value.next
    assert caught.value.exit_code == Exit.NO_CONNECTION


async def test_an_unknown_host() -> None:
    with pytest.raises(UnknownHost) as caught:
        await dial(Address("no-such-host.invalid"))
    assert "no-such-host.invalid" in caught.value.what
    assert caught.value.exit_code == Exit.NO_CONNECTION


async def test_a_name_that_no_host_can_have() -> None:
    with pytest.raises(AddressError):
        await dial(Address("ex..ample"))


async def test_an_unreachable_address() -> None:
    # Broadcast: no stream can be opened to it, and no packet leaves the machine.
    with pytest.raises(Unreachable) as caught:
        await dial(Address("255.255.255.255"))
    assert caught.value.exit_code == Exit.NO_CONNECTION


async def test_no_answer_is_given_up_after_ten_seconds(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's connect is replaced: nothing on this machine can be made not to answer."""

    async def never(host: str, port: int) -> trio.SocketStream:
        await trio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(trio, "open_tcp_stream", never)
    with pytest.raises(TimedOut, match="did not answer within 10 seconds") as caught:
        await dial(Address("192.0.2.1"))
    assert trio.current_time() == CONNECT_SECONDS == 10.0
    assert caught.value.exit_code == Exit.NO_CONNECTION


# --- what the system says is the reason, not what happened


def test_an_error_of_the_system_in_connecting_is_its_reason() -> None:
    error = OSError("all attempts to connect failed")
    error.__cause__ = ExceptionGroup("", [OSError(errno.ENOBUFS, "No buffer space available")])
    told = _connect_error("10.0.0.1:7777", error)
    assert told.what == "There is no connection to 10.0.0.1:7777."
    assert told.why == "The system says: No buffer space available."


def test_an_error_of_the_system_in_listening_is_its_reason() -> None:
    told = _listen_error(OSError(errno.EMFILE, "Too many open files"), [], 7777, None)
    assert told.what == "Port 7777 of this machine cannot be listened on."
    assert told.why == "The system says: Too many open files."


async def test_a_name_to_bind_that_is_not_looked_up_in_time(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's name service is replaced: it cannot be made not to answer."""

    async def never(*arguments: object, **options: object) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(trio.socket, "getaddrinfo", never)
    with pytest.raises(CannotListen, match="could not be looked up") as caught:
        await listen(0, "host.example")
    assert "10 seconds" in caught.value.why
    assert "--port" not in caught.value.next
