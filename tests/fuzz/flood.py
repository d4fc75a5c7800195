"""Hostile connections to an address, as many as there is time for or at a given rate.

    python -m tests.fuzz.flood HOST:PORT [--rate N] [--seed TEXT]

Each sends a hostile greeting, in one of four ways: at once, in drips, much of it, or not at all;
and then reads to the end or leaves without. Says "ready", begins when a line comes on standard
input, goes on until that is closed, and says how many connections were made and how many refused.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

import trio

from tests.fuzz.corpus import corpus
from tests.fuzz.mutate import mutated

AT_ONCE = 64
"""Connections open at the same time, at most."""
SECONDS = 5.0


class Flood:
    """Connections to *host* and *port*; *rate* in a second (None: as many as possible)."""

    def __init__(self, host: str, port: int, rate: float | None, seed: str) -> None:
        self._host = host
        self._port = port
        self._rate = rate
        self._random = Random(seed)
        self._corpus = corpus("greeting")
        self.made = 0
        self.refused = 0

    async def run(self) -> None:
        """Flood until standard input is closed."""
        slots = trio.Semaphore(AT_ONCE)
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_closed, nursery.cancel_scope)
            while True:
                await slots.acquire()
                nursery.start_soon(self._one, slots)
                if self._rate is not None:
                    await trio.sleep_until(began + (self.made + self.refused) / self._rate)

    async def _until_closed(self, scope: trio.CancelScope) -> None:
        await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
        scope.cancel()

    async def _one(self, slots: trio.Semaphore) -> None:
        try:
            with trio.move_on_after(SECONDS):
                await self._attack()
        except OSError:
            self.refused += 1
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            slots.release()

    async def _attack(self) -> None:
        random = self._random
        data = mutated(self._corpus, random)[3:]
        stream = await trio.open_tcp_stream(self._host, self._port)
        self.made += 1
        async with stream:
            match random.randrange(4):
                case 0:
                    await stream.send_all(data)
                case 1:
                    for at in range(min(len(data), 50)):
                        await stream.send_all(data[at : at + 1])
                case 2:
                    await stream.send_all(data * 20)
            if random.randrange(2):
                async for _ in stream:
                    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("address")
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", default="flood")
    options = parser.parse_args()
    host, port = options.address.rsplit(":", 1)
    flood = Flood(host, int(port), options.rate, options.seed)
    print("ready", flush=True)
    sys.stdin.readline()
    trio.run(flood.run)
    print(flood.made, flood.refused, flush=True)


if __name__ == "__main__":
    main()
