"""A TCP proxy on loopback that does to each connection what its plan says.

    python -m tests.chaos.proxy --to HOST:PORT [--port 0] [--plain]
                                [--connection "0 up cut@f3" --connection "1 hold"]...

Printed are JSON lines: ``listening`` with the port, and ``connection`` with the bytes, flights and
(with ``--plain``) messages of each when it is over. *up* is from whoever dials to the target.

It need not understand what it carries: places are in bytes or flights. Only where a plan counts
messages, or with ``--plain``, does it read msgpack.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Final

import trio
from msgspec import Struct

from pazaak_p2p.net.stream import LeanStream
from tests.chaos.faults import FaultyStream, Line
from tests.chaos.lane import Lane
from tests.chaos.plans import Plan, read_plan

_CHUNK: Final = 65_536


class Way(Enum):
    """What becomes of a connection as a whole."""

    PASS = "pass"
    """It is carried to the target, under its plans."""
    REFUSE = "refuse"
    """It is reset at once."""
    HOLE = "hole"
    """It is taken, and nothing ever comes of it."""
    HOLD = "hold"
    """It is carried as soon as the next one is over: the two change places."""


class Treatment(Struct, frozen=True):
    """What is done to one connection; *up* is from whoever dials to the target."""

    way: Way = Way.PASS
    up: Plan = ()
    down: Plan = ()


def read_treatment(text: str) -> tuple[int, Treatment]:
    """``NUMBER [WAY] [up PLAN] [down PLAN]``. Raises ``ValueError``."""
    number, *words = text.split()
    plans: dict[str, list[str]] = {"up": [], "down": []}
    way, side = Way.PASS, ""
    for word in words:
        if word in plans:
            side = word
        elif side:
            plans[side].append(word)
        else:
            way = Way(word)
    up, down = (read_plan(" ".join(plans[name])) for name in ("up", "down"))
    return int(number), Treatment(way, up, down)


class Proxy:
    """Carries connections to *target*, the k-th (from 0) as *treatments* say, others untouched.

    *report* gets the number of each connection and its line when it is over.
    """

    def __init__(
        self,
        target: tuple[str, int],
        treatments: Mapping[int, Treatment],
        *,
        plain: bool = False,
        report: Callable[[int, Line], None] = lambda number, line: None,
    ) -> None:
        self._target = target
        self._treatments = dict(treatments)
        self._plain = plain
        self._report = report
        self._over: dict[int, trio.Event] = {}
        self.lines: dict[int, Line] = {}
        """The connections that there were, by number."""

    async def serve(
        self, port: int = 0, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Listen on loopback, for ever; the task's start gives the port."""
        (listener,) = await trio.open_tcp_listeners(port, host="127.0.0.1")
        async with listener, trio.open_nursery() as nursery:
            task_status.started(listener.socket.getsockname()[1])
            number = 0
            while True:
                accepted = LeanStream.take(await listener.accept())
                nursery.start_soon(self._treat, number, accepted)
                number += 1

    def _end_of(self, number: int) -> trio.Event:
        return self._over.setdefault(number, trio.Event())

    async def _treat(self, number: int, dialled: LeanStream) -> None:
        treatment = self._treatments.get(number, Treatment())
        self.lines[number] = line = Line(treatment.up, treatment.down, plain=self._plain)
        try:
            match treatment.way:
                case Way.REFUSE:
                    _reset(dialled)
                case Way.HOLE:
                    await trio.sleep_forever()
                case Way.HOLD:
                    await self._end_of(number + 1).wait()
                    await self._carry(line, dialled)
                case Way.PASS:
                    await self._carry(line, dialled)
        finally:
            await trio.aclose_forcefully(dialled)
            self._report(number, line)
            self._end_of(number).set()

    async def _carry(self, line: Line, dialled: LeanStream) -> None:
        try:
            target = LeanStream.take(await trio.open_tcp_stream(*self._target))
        except OSError:
            _reset(dialled)
            return
        try:
            await carry(line, dialled, target)
            if line.cut:
                _reset(dialled)
                _reset(target)
        finally:
            await trio.aclose_forcefully(target)


async def carry(line: Line, dialled: LeanStream, target: LeanStream) -> None:
    """Carry bytes both ways, as *line* has it, until both directions have ended or it is cut.

    Closes neither.
    """
    async with trio.open_nursery() as nursery:
        for source, sink, lane in ((dialled, target, line.up), (target, dialled, line.down)):
            nursery.start_soon(_copy, line, lane, source, sink, nursery.cancel_scope)


async def _copy(
    line: Line, lane: Lane, source: LeanStream, sink: LeanStream, carrying: trio.CancelScope
) -> None:
    stream = FaultyStream(source, line, incoming=lane)
    try:
        while data := await stream.receive_some(_CHUNK):
            await sink.send_all(data)
            if line.cut:
                break
        else:
            await sink.send_eof()
            return
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    # Whoever is broken breaks the other.
    line.cut = True
    carrying.cancel()


def _reset(stream: LeanStream) -> None:
    """Closing *stream* breaks it off instead of ending it."""
    if stream._sock.fileno() != -1:
        linger = struct.pack("ii", 1, 0)
        stream._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


# --- as a process of its own


def _print(event: str, **fields: object) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


def _told(number: int, line: Line) -> None:
    _print(
        "connection",
        number=number,
        cut=line.cut,
        **{
            name: {"bytes": lane.bytes, "flights": lane.flights, "messages": lane.messages}
            for name, lane in (("up", line.up), ("down", line.down))
        },
    )


async def _serve(proxy: Proxy, port: int) -> None:
    async with trio.open_nursery() as nursery:
        _print("listening", port=await nursery.start(partial(proxy.serve, port)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", required=True, metavar="HOST:PORT")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="count msgpack messages")
    parser.add_argument(
        "--connection",
        action="append",
        default=[],
        metavar="'K [WAY] [up PLAN] [down PLAN]'",
        help="what is done to the K-th connection; WAY is pass, refuse, hole or hold",
    )
    options = parser.parse_args()
    host, port = options.to.rsplit(":", 1)
    treatments = dict(read_treatment(text) for text in options.connection)
    proxy = Proxy((host, int(port)), treatments, plain=options.plain, report=_told)
    with suppress(KeyboardInterrupt):
        trio.run(_serve, proxy, options.port)


if __name__ == "__main__":
    main()
