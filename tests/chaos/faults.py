"""A stream on which a plan goes wrong, for sockets and for memory, on any clock of trio."""

from __future__ import annotations

from collections import deque
from typing import Final

import trio

from tests.chaos.lane import Lane, Piece, Signal
from tests.chaos.plans import Plan
from tests.delay import delayed_pair

_CHUNK: Final = 65_536
_AHEAD: Final = 65_536
"""Bytes that are read before they are due; more wait where they are, so that a sender is held."""


class Line:
    """A connection: the lanes of both directions, and whether it still stands."""

    def __init__(self, up: Plan = (), down: Plan = (), *, plain: bool = False) -> None:
        self.up, self.down = Lane(up, plain=plain), Lane(down, plain=plain)
        self.cut = False
        self._speaker: Lane | None = None
        self._ends: list[trio.abc.Stream] = []

    def join(self, stream: trio.abc.Stream) -> None:
        """*stream* is closed when the line is cut."""
        self._ends.append(stream)

    def carry(self, lane: Lane, data: bytes, now: float) -> list[Piece]:
        """Bytes enter *lane*: what arrives because of them."""
        if data and lane is not self._speaker:
            self._speaker = lane
            lane.speak()
        return lane.feed(data, now)

    async def close(self) -> None:
        """Let everybody who still waits on a line that is cut know it."""
        for stream in self._ends:
            await trio.aclose_forcefully(stream)


class FaultyStream(trio.abc.HalfCloseableStream):
    """The end *inner* of *line*.

    *incoming* and *outgoing* are the lanes that take effect here, for what is received and for what
    is sent; without one, bytes pass as they are. What an incoming lane delays is on its way; an
    outgoing one holds the sender as long, as a full buffer does. When the line is cut, both
    directions are broken at once, and bytes that nobody has received yet are lost.
    """

    def __init__(
        self,
        inner: trio.abc.HalfCloseableStream,
        line: Line,
        *,
        incoming: Lane | None = None,
        outgoing: Lane | None = None,
    ) -> None:
        self._inner = inner
        self._line = line
        self._incoming, self._outgoing = incoming, outgoing
        self._queue: deque[Piece] = deque()
        self._ahead = 0
        self._at_end = self._begun = self._closed = False
        line.join(inner)

    # --- receiving

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        most = _CHUNK if max_bytes is None else max_bytes
        while True:
            await self._check_cut()
            if self._closed:
                raise trio.ClosedResourceError
            if not self._begun:
                self._begun = True
                if self._incoming is not None:  # what goes wrong before the first byte
                    self._expect(self._line.carry(self._incoming, b"", trio.current_time()))
            elif self._queue and self._queue[0][0] <= trio.current_time():
                await trio.lowlevel.checkpoint()
                self._cut_if_due()
                if self._line.cut:
                    continue
                return self._take(most)
            elif self._at_end and not self._queue:
                # Its end was lost as well.
                await trio.sleep_forever()
            else:
                await self._wait()

    async def _wait(self) -> None:
        """Until the next piece is due, or bytes come, whichever is first."""
        due = self._queue[0][0] if self._queue else float("inf")
        if self._at_end or self._ahead >= _AHEAD:
            await trio.sleep_until(due)
            return
        data = None
        with trio.move_on_at(due):
            try:
                data = bytes(await self._inner.receive_some(_CHUNK))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                if not self._line.cut:
                    raise
        if data is None or self._line.cut:
            return
        now = trio.current_time()
        self._at_end = not data
        if self._incoming is None:
            self._expect([(now, data or Signal.EOF)])
        elif data:
            self._expect(self._line.carry(self._incoming, data, now))
        else:
            self._expect(self._incoming.finish(now))

    def _expect(self, pieces: list[Piece]) -> None:
        self._queue += pieces
        self._ahead += sum(len(what) for _, what in pieces if isinstance(what, bytes))

    def _take(self, most: int) -> bytes:
        """What is due, at most so much; several pieces only where they are to be merged."""
        taken = b""
        now = trio.current_time()
        while self._queue and self._queue[0][0] <= now and len(taken) < most:
            at, what = self._queue[0]
            if isinstance(what, Signal):
                break
            fits = what[: most - len(taken)]
            taken += fits
            if len(fits) < len(what):
                self._queue[0] = (at, what[len(fits) :])
            else:
                self._queue.popleft()
            if self._incoming is None or not self._incoming.merging:
                break
        self._ahead -= len(taken)
        # The line is dead as soon as its last byte has arrived: no answer to it leaves any more.
        self._cut_if_due()
        return taken

    def _cut_if_due(self) -> None:
        if self._queue:
            at, what = self._queue[0]
            if what is Signal.CUT and at <= trio.current_time():
                self._line.cut = True

    async def _check_cut(self) -> None:
        if self._line.cut:
            await self._line.close()
            raise trio.BrokenResourceError("the line is cut")

    # --- sending

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        await self._check_cut()
        if self._outgoing is None:
            await self._pass_on(data)
        else:
            now = trio.current_time()
            await self._deliver(self._line.carry(self._outgoing, bytes(data), now))

    async def _deliver(self, pieces: list[Piece]) -> None:
        for at, what in pieces:
            await trio.sleep_until(at)
            if what is Signal.CUT:
                self._line.cut = True
                await self._check_cut()
            elif isinstance(what, bytes):
                await self._pass_on(what)
            else:
                await self._inner.send_eof()

    async def _pass_on(self, data: bytes | bytearray | memoryview) -> None:
        try:
            await self._inner.send_all(data)
        except trio.ClosedResourceError:
            await self._check_cut()
            raise

    async def wait_send_all_might_not_block(self) -> None:
        await self._check_cut()
        await self._inner.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        await self._check_cut()
        if self._outgoing is None:
            await self._inner.send_eof()
        else:
            await self._deliver(self._outgoing.finish(trio.current_time()))

    async def aclose(self) -> None:
        self._closed = True
        await self._inner.aclose()


def faulty_pair(
    up: Plan = (), down: Plan = (), *, delay: float = 0.0, plain: bool = False
) -> tuple[FaultyStream, FaultyStream, Line]:
    """Two connected ends in memory; *up* is from the first to the second."""
    line = Line(up, down, plain=plain)
    first, second = delayed_pair(delay)
    return (
        FaultyStream(first, line, incoming=line.down),
        FaultyStream(second, line, incoming=line.up),
        line,
    )
