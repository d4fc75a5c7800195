"""Strangers by the hundred, each of its own bad manners, over real sockets.

    python -m tests.chaos.strangers HOST:PORT [--number 200] [--seconds 10]

None of them is a player. Each holds on to its connection as long as it can; with *again* it comes
back a while after it was thrown out.
"""

from __future__ import annotations

import argparse
import math
import random
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgpack
import trio
from msgspec import Struct

from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.messages import Chat, Ping
from tests.matches import Side

Manner = Callable[[trio.SocketStream, random.Random], Awaitable[None]]


async def mute(stream: trio.SocketStream, rng: random.Random) -> None:
    """Says nothing, and listens to nothing."""
    await trio.sleep_forever()


async def half_open(stream: trio.SocketStream, rng: random.Random) -> None:
    """Ends its own direction at once and waits for ever."""
    await stream.send_eof()
    await trio.sleep_forever()


async def trickle(stream: trio.SocketStream, rng: random.Random) -> None:
    """Sends a greeting as a player does, a byte a second."""
    for byte in Side(1, f"trickle {rng.random()}").peer().data_to_send():
        await stream.send_all(bytes([byte]))
        await trio.sleep(1)


async def garbage(stream: trio.SocketStream, rng: random.Random) -> None:
    """Sends random bytes as fast as it can."""
    await _flood(stream, rng.randbytes(65_536))


async def pings(stream: trio.SocketStream, rng: random.Random) -> None:
    """Greets, and then sends pings and talk as fast as it can."""
    peer = Side(1, f"pings {rng.random()}").peer()
    await stream.send_all(peer.data_to_send())
    peer.receive(bytes(await stream.receive_some(65_536)) or b"", trio.current_time())
    await stream.send_all(peer.data_to_send())
    await _flood(stream, b"".join(encode(Ping(n)) + encode(Chat("hey")) for n in range(2000)))


async def huge(stream: trio.SocketStream, rng: random.Random) -> None:
    """Announces gigabytes, as msgpack, and begins to send them."""
    start = rng.choice([b"\xc6\xff\xff\xff\xff", b"\xdd\xff\xff\xff\xff", b"\x91" * 100_000])
    await _flood(stream, start + bytes(60_000))


async def deep(stream: trio.SocketStream, rng: random.Random) -> None:
    """Sends maps within maps that never end."""
    await _flood(stream, msgpack.packb({"t": "hello", "name": "x" * 60_000}) * 3)


async def http(stream: trio.SocketStream, rng: random.Random) -> None:
    """Speaks HTTP, keeps the connection, and asks again."""
    while True:
        await stream.send_all(b"GET / HTTP/1.1\r\nHost: pazaak\r\nConnection: keep-alive\r\n\r\n")
        await trio.sleep(0.2)


async def come_and_go(stream: trio.SocketStream, rng: random.Random) -> None:
    """Closes at once."""


async def reset(stream: trio.SocketStream, rng: random.Random) -> None:
    """Says something and breaks the connection off with a reset."""
    await stream.send_all(b"\x87\xa1t")
    stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, struct.pack("ii", 1, 0))


MANNERS: tuple[Manner, ...] = (
    mute,
    half_open,
    trickle,
    garbage,
    pings,
    huge,
    deep,
    http,
    come_and_go,
    reset,
)


async def _flood(stream: trio.SocketStream, data: bytes) -> None:
    while True:
        await stream.send_all(data)


class Crowd:
    """Strangers of all manners in turn."""

    def __init__(self, address: tuple[str, int], number: int, seed: str, again: float) -> None:
        self._address = address
        self._number = number
        self._seed = seed
        self._again = again
        self.came: Counter[str] = Counter()
        """Connections made, by manner."""
        self.failed = 0
        """Connections that could not be made."""
        self.all_came = trio.Event()

    async def run(self) -> None:
        """Until cancelled, or until all have been thrown out for good."""
        async with trio.open_nursery() as nursery:
            for number in range(self._number):
                nursery.start_soon(self._stranger, number)

    async def _stranger(self, number: int) -> None:
        manner = MANNERS[number % len(MANNERS)]
        rng = random.Random(f"{self._seed} {number}")
        while True:
            with suppress(OSError):
                await self._visit(manner, rng)
            if self._again == math.inf:
                return
            await trio.sleep(self._again)

    async def _visit(self, manner: Manner, rng: random.Random) -> None:
        try:
            stream = await trio.open_tcp_stream(*self._address)
        except OSError:
            self.failed += 1
            raise
        finally:
            if self.came.total() + self.failed >= self._number - 1:
                self.all_came.set()
        self.came[getattr(manner, "__name__", "?")] += 1
        async with stream, trio.open_nursery() as nursery:

            async def until_thrown_out() -> None:
                with suppress(trio.BrokenResourceError):
                    while await stream.receive_some(65_536):
                        pass
                nursery.cancel_scope.cancel()

            listens = manner not in (mute, pings)
            if listens and manner is not half_open:
                nursery.start_soon(until_thrown_out)
            with suppress(trio.BrokenResourceError):
                await manner(stream, rng)
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def crowded(
    address: tuple[str, int], number: int = 200, *, seed: str = "crowd", again: float = math.inf
) -> AsyncIterator[Crowd]:
    """*number* strangers are at *address*, and have all come once when the body begins.

    Each comes again so many seconds after it was thrown out. They leave at the end.
    """
    crowd = Crowd(address, number, seed, again)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(crowd.run)
        await crowd.all_came.wait()
        yield crowd
        nursery.cancel_scope.cancel()


# --- what it costs the host


class Load(Struct, frozen=True):
    """What a process uses (Linux)."""

    peak: int
    """The most memory that it ever had, in KiB."""
    descriptors: int
    """Open files now."""
    cpu: float
    """Seconds of processor time so far."""


def load_of(pid: int) -> Load:
    proc = Path("/proc") / str(pid)
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
    times = (proc / "stat").read_text().rsplit(")", 1)[1].split()
    ticks = int(times[11]) + int(times[12])
    return Load(
        peak=int(status["VmHWM"].split()[0]),
        descriptors=len(list((proc / "fd").iterdir())),
        cpu=ticks / 100,
    )


async def _main(address: tuple[str, int], number: int, seconds: float) -> None:
    began = time.perf_counter()
    with trio.move_on_after(seconds):
        async with crowded(address, number, again=1.0) as crowd:
            print(f"all came within {time.perf_counter() - began:.2f} s: {dict(crowd.came)}")
            await trio.sleep_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    host, port = options.address.rsplit(":", 1)
    trio.run(_main, (host, int(port)), options.number, options.seconds)


if __name__ == "__main__":
    main()
