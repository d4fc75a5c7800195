"""What a match is made of, counted while it is played, and the same done bare."""

from __future__ import annotations

import hashlib
import hmac
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.net.stream import LeanStream

# What the counting profiler listens for, by the name that the C function has.
COUNTED = {"sign": "sign", "verify": "verify", "openssl_sha256": "sha", "hmac_digest": "mac"}

Step = dict[str, int]
"""One send: ``who`` sends ``size`` bytes after so many ``sign``, ``verify``, ``sha``, ``mac``."""


class Tap(trio.abc.HalfCloseableStream):
    """A stream that notes each send and what was computed since the one before."""

    def __init__(self, inner: LeanStream, who: int, count: Step, steps: list[Step]) -> None:
        self._inner, self._who, self._count, self._steps = inner, who, count, steps

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self._steps.append({"who": self._who, "size": len(data), **self._count})
        for name in self._count:
            self._count[name] = 0
        await self._inner.send_all(data)

    async def send_eof(self) -> None:
        await self._inner.send_eof()

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._inner.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self._inner.aclose()


class SocketTap:
    """The same for a socket that does not block."""

    def __init__(self, inner: socket.socket, who: int, count: Step, steps: list[Step]) -> None:
        self._inner, self._who, self._count, self._steps = inner, who, count, steps
        self.recv, self.fileno, self.close = inner.recv, inner.fileno, inner.close

    def send(self, data: bytes) -> int:
        self._steps.append({"who": self._who, "size": len(data), **self._count})
        for name in self._count:
            self._count[name] = 0
        sent = self._inner.send(data)
        assert sent == len(data)
        return sent


@contextmanager
def counting(count: Step) -> Iterator[None]:
    """Count in *count* what is computed meanwhile."""

    def profile(frame: object, event: str, arg: Any) -> None:
        if event == "c_call" and (name := COUNTED.get(arg.__name__)) is not None:
            count[name] += 1

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def nothing_yet() -> Step:
    """A count before anything was computed."""
    return dict.fromkeys(COUNTED.values(), 0)


async def count_steps(
    host: LeanStream, join: LeanStream, play: Callable[[Tap, Tap], Awaitable[object]]
) -> list[Step]:
    """*play* a match over the two ends of a stream within this process, counting."""
    count = nothing_yet()
    steps: list[Step] = []
    taps = [Tap(end, who, count, steps) for who, end in enumerate((host, join))]
    with counting(count):
        await play(*taps)
    return steps


class Work:
    """What is computed before a send, on bytes that mean nothing."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key, self._public = key, key.public_key()
        self._frame = b"x" * 256
        self._signature = key.sign(self._frame)

    def do(self, step: Step) -> None:
        frame = self._frame
        for _ in range(step["verify"]):
            self._public.verify(self._signature, frame)
        for _ in range(step["sha"]):
            hashlib.sha256(frame).digest()
        for _ in range(step["mac"]):
            hmac.digest(frame[:32], frame[:64], "sha256")
        for _ in range(step["sign"]):
            self._key.sign(frame)


def receive(sock: socket.socket, size: int) -> None:
    """Take *size* bytes from *sock*."""
    while size:
        size -= len(sock.recv(size)) or size
