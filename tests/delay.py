"""A pair of in-memory streams on which every byte takes a given time, for the virtual clock."""

from __future__ import annotations

from collections import deque

import trio


class _Pipe:
    """One direction: what is put in at t comes out at t + *delay*, in order."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._queue: deque[tuple[float, bytes]] = deque()
        self._arrived = trio.Event()
        self.sent = 0
        """How many times something was put in."""

    def put(self, data: bytes) -> None:
        self._queue.append((trio.current_time() + self._delay, data))
        self._arrived.set()
        self.sent += bool(data)

    async def take(self, most: int) -> bytes:
        while not self._queue:
            self._arrived = trio.Event()
            await self._arrived.wait()
        at, data = self._queue[0]
        # Waits before it takes, so that whoever is cancelled meanwhile has lost nothing.
        await trio.sleep_until(at)
        if not data:
            return b""  # the end stays the end
        if len(data) > most:
            self._queue[0] = (at, data[most:])
        else:
            self._queue.popleft()
        return data[:most]


class DelayedStream(trio.abc.HalfCloseableStream):
    """One end of :func:`delayed_pair`."""

    def __init__(self, outgoing: _Pipe, incoming: _Pipe) -> None:
        self._outgoing, self._incoming = outgoing, incoming
        self._ended = self._closed = False

    @property
    def sent(self) -> int:
        """How many sends this end has made."""
        return self._outgoing.sent

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        if self._ended:
            raise trio.ClosedResourceError
        if data:
            self._outgoing.put(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._outgoing.put(b"")

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._closed:
            raise trio.ClosedResourceError
        return await self._incoming.take(65_536 if max_bytes is None else max_bytes)

    async def aclose(self) -> None:
        self._end()
        self._closed = True
        await trio.lowlevel.checkpoint()


def delayed_pair(delay: float) -> tuple[DelayedStream, DelayedStream]:
    """Two connected ends; every byte takes *delay* seconds of trio's clock, either way."""
    there, back = _Pipe(delay), _Pipe(delay)
    return DelayedStream(there, back), DelayedStream(back, there)
