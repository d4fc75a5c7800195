"""What hostile connections cost an honest match that is on beside them.

    python -m tests.fuzz.beside [--rounds 5] [--rates 50,200,1000,0] [--think 0.02]

The host is the real program in a process of its own; its opponent, in this process, is a bot over
a real connection on loopback, which takes *think* seconds for each choice (a person takes longer;
0 plays as fast as it goes). A third process floods the host with hostile connections from the first
choice on: so many in a second, or as many as it can (0), at most 64 at a time. The flood stands for
other machines, so three idle cores are needed for the seconds to mean anything; what the host works
for each connection (Linux tells it) does not depend on that. All matches are the same one, by their
seeds; those without and with the flood take turns, and the best of each are compared.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio
from msgspec import Struct

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import dial
from tests.e2e.processes import Pazaak, hosting
from tests.matches import Side, SlowPlayer
from tests.verifier import verify

SECONDS = 120
RULES = "sets=9,max_sets=30"


class Round(Struct, frozen=True):
    """One match, from our first choice to its end."""

    seconds: float
    cpu: float
    """CPU seconds of the host."""
    hostile: int
    """Hostile connections meanwhile."""
    head: bytes


def play(rate: float | None, think: float, home: Path) -> Round:
    """Play the match once, with hostile connections at *rate* (None: with none)."""
    options = ["--rules", RULES, "--seed", "beside", "--name", "Host"]
    with hosting(home, *options) as (host, address), _flood(address, rate) as flood:
        name, port = address.rsplit(":", 1)
        side = Side(1, "beside", SlowPlayer(think, ThresholdBot(19)))
        seconds, cpu = trio.run(_join, side, Address(name, int(port)), host, flood)
        hostile = 0 if flood is None else int(flood.communicate()[0].split()[-2])
        code = host.finish_json()
    assert code == 0, host.stderr
    verdict = verify(side.record.data)
    assert verdict.clean
    assert verdict.complete
    return Round(seconds, cpu, hostile, verdict.head)


async def _join(
    side: Side, address: Address, host: Pazaak, flood: subprocess.Popen[str] | None
) -> tuple[float, float]:
    """Play, the flood beginning with our first choice; the seconds as in ``Round``."""
    player = side.player
    assert isinstance(player, SlowPlayer)
    began = cpu = 0.0

    async def begin() -> None:
        nonlocal began, cpu
        await player.first_asked.wait()
        if flood is not None:
            assert flood.stdin is not None
            flood.stdin.write("go\n")
            flood.stdin.flush()
        began, cpu = time.perf_counter(), _cpu(host.process.pid)

    with trio.fail_after(SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(begin)
            report = await side.run(await dial(address))
            figures = time.perf_counter() - began, _cpu(host.process.pid) - cpu
    assert report is not None, side.error
    assert side.error is None, side.error
    return figures


@contextmanager
def _flood(address: str, rate: float | None) -> Iterator[subprocess.Popen[str] | None]:
    """A flood that waits for the word to begin, if there is to be one."""
    if rate is None:
        yield None
        return
    command = [sys.executable, "-m", "tests.fuzz.flood", address]
    if rate:
        command += ["--rate", str(rate)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


def _cpu(pid: int) -> float:
    """Core seconds that a process has had so far (Linux; 0 elsewhere)."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(path.read_text("ascii").split()[0]) for path in tasks) / 1e9


def compare(rate: float, think: float, rounds: int) -> str:
    """The best of so many *rounds* without and with the flood, side by side."""
    without, beside = [], []
    with tempfile.TemporaryDirectory(prefix="pazaak-beside-") as home:
        for _ in range(rounds):
            without.append(play(None, think, Path(home)))
            beside.append(play(rate, think, Path(home)))
    heads = {played.head for played in without + beside}
    assert len(heads) == 1, "the flood changed the match"
    best, flooded = (min(played.seconds for played in each) for each in (without, beside))
    busy = min(beside, key=lambda played: played.seconds)
    idle = min(each.cpu for each in without)
    each_took = (busy.cpu - idle) / max(busy.hostile, 1)
    wanted = f"{rate:.0f} hostile connections/s" if rate else "as many as it can"
    return (
        f"{wanted}, {think * 1e3:.0f} ms a choice: {best:.3f} s without, {flooded:.3f} s with"
        f" ({busy.hostile / busy.seconds:.0f}/s came): x {flooded / best:.3f}; host's CPU"
        f" {idle:.2f} s without, {busy.cpu:.2f} s with: {1e3 * each_took:.2f} ms a connection,"
        f" 10 % of a core at {0.1 / max(each_took, 1e-9):.0f}/s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rates", default="50,200,1000,0")
    parser.add_argument("--think", type=float, default=0.02)
    options = parser.parse_args()
    for rate in options.rates.split(","):
        print(compare(float(rate), options.think, options.rounds), flush=True)


if __name__ == "__main__":
    main()
