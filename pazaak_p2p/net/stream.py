"""A trio stream over a socket with as little as possible between the two.

``trio.SocketStream`` is built for every use: each call passes conflict checks, error translation
by context manager and a first try that mostly fails. At the size of our messages that costs more
than system calls do. Here there is one sender and one receiver (see ``pump.py``), a send can be
tried without a checkpoint, and a receive waits first: after sending there is nothing to receive.
"""

from __future__ import annotations

import errno
import socket
from contextlib import suppress
from typing import Final

import trio
from trio.lowlevel import checkpoint, notify_closing, wait_readable, wait_writable

from pazaak_p2p.net.address import show_endpoint

_CHUNK: Final = 65_536


class LeanStream(trio.abc.HalfCloseableStream):
    """A stream over the connected stream socket *sock*, which it owns and makes non-blocking."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        try:
            self.remote = show_endpoint(sock.getpeername())
        except OSError:  # gone already
            self.remote = "somebody"
        """The other side's address, for messages."""
        self.certificate: bytes | None = None
        """None: there is no certificate without TLS (see ``tls.py``)."""

    @classmethod
    def take(cls, stream: trio.SocketStream) -> LeanStream:
        """The same for the socket of *stream*, which is of no use afterwards.

        TCP_NODELAY stays as trio has set it.
        """
        old = stream.socket
        family, kind, proto = old.family, old.type, old.proto
        # Not to be asked of the system: that may fail when the other side has gone already.
        return cls(socket.socket(family, kind, proto, fileno=old.detach()))

    def send_now(self, data: bytes | memoryview) -> int:
        """Send what the system takes at once, as a rule all of it; how many bytes that was.

        No checkpoint: whoever sends and then waits for the answer needs none in between. Raises
        ``trio.BrokenResourceError``.
        """
        try:
            return self._sock.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise _translated(error) from error

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await checkpoint()
        with memoryview(data) as rest:
            sent = self.send_now(rest)
            while sent < len(rest):
                await wait_writable(self._sock)
                sent += self.send_now(rest[sent:])

    async def wait_send_all_might_not_block(self) -> None:
        await wait_writable(self._sock)

    async def send_eof(self) -> None:
        await checkpoint()
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise _translated(error) from error

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        sock = self._sock
        while True:
            if sock.fileno() == -1:
                raise trio.ClosedResourceError("the stream is closed")
            await wait_readable(sock)
            try:
                return sock.recv(_CHUNK if max_bytes is None else max_bytes)
            except BlockingIOError:
                continue
            except OSError as error:
                raise _translated(error) from error

    def hang_up(self) -> None:
        """End both directions at once: whoever waits for one of them is woken."""
        with suppress(OSError):  # gone already
            self._sock.shutdown(socket.SHUT_RDWR)

    async def aclose(self) -> None:
        if self._sock.fileno() != -1:
            notify_closing(self._sock)
            self._sock.close()
        await checkpoint()


def _translated(error: OSError) -> trio.BrokenResourceError | trio.ClosedResourceError:
    if error.errno == errno.EBADF:
        return trio.ClosedResourceError("the stream is closed")
    return trio.BrokenResourceError(f"the connection is broken: {error}")
