"""The lean stream over real sockets."""

from __future__ import annotations

import socket

import pytest
import trio

from pazaak_p2p.net.stream import LeanStream


def pair() -> tuple[LeanStream, LeanStream]:
    one, two = socket.socketpair()
    return LeanStream(one), LeanStream(two)


async def test_more_than_the_system_takes_at_once_arrives_whole() -> None:
    ours, theirs = pair()
    data = bytes(range(256)) * 20_000
    got = bytearray()
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:

            async def send() -> None:
                await ours.send_all(data)
                await ours.send_eof()

            nursery.start_soon(send)
            while piece := await theirs.receive_some():
                got += piece
    assert bytes(got) == data
    await ours.aclose()
    await theirs.aclose()


async def test_sending_to_a_closed_other_end_is_broken() -> None:
    ours, theirs = pair()
    await theirs.aclose()
    with pytest.raises(trio.BrokenResourceError):
        await ours.send_all(b"x" * 10_000_000)
    await ours.aclose()


async def test_a_reset_connection_is_broken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
    # To close with this set, and unread bytes, sends a reset.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    ours = LeanStream(accepted)
    client.close()
    with trio.fail_after(10), pytest.raises(trio.BrokenResourceError):
        await ours.receive_some()
    await ours.aclose()


async def test_closing_wakes_the_receiver() -> None:
    ours, theirs = pair()
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:

            async def receive() -> None:
                with pytest.raises(trio.ClosedResourceError):
                    await ours.receive_some()

            nursery.start_soon(receive)
            await trio.testing.wait_all_tasks_blocked()
            await ours.aclose()
    await ours.aclose()  # twice is once
    with pytest.raises(trio.ClosedResourceError):
        await ours.receive_some()
    with pytest.raises(trio.ClosedResourceError):
        await ours.send_all(b"x")
    await theirs.aclose()


async def test_every_method_is_a_checkpoint() -> None:
    ours, theirs = pair()
    with trio.testing.assert_checkpoints():
        await ours.send_all(b"x")
    with trio.testing.assert_checkpoints():
        await theirs.receive_some()
    with trio.testing.assert_checkpoints():
        await ours.send_eof()
    with trio.testing.assert_checkpoints():
        await ours.aclose()
    await theirs.aclose()


async def test_a_cancelled_receive_loses_nothing() -> None:
    ours, theirs = pair()
    with trio.move_on_after(0.01) as scope:
        await theirs.receive_some()
    assert scope.cancelled_caught
    await ours.send_all(b"still here")
    assert await theirs.receive_some() == b"still here"
    await ours.aclose()
    await theirs.aclose()


async def test_a_connection_is_taken_over_also_when_the_other_side_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The system is asked nothing that it would refuse for such a one."""
    ours, theirs = socket.socketpair()
    theirs.close()
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(ours))
    taken = LeanStream.take(stream)
    assert taken._sock.family == ours.family
    assert await taken.receive_some() == b""
    await taken.aclose()
