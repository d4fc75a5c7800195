"""200 strangers at the door of a real ``pazaak host``, before a match and while it is on."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import dial
from pazaak_p2p.net.errors import Busy, PeerLeft, PeerLost
from pazaak_p2p.rules import Termination
from pazaak_p2p.wire.judge import judge
from tests.chaos.strangers import Load, crowded, load_of
from tests.e2e.processes import Pazaak
from tests.matches import Side, SlowPlayer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

CROWD = 200
MOST_MEMORY = 100 * 1024
"""KiB that the host may ever have."""
MOST_DESCRIPTORS = 120


def few_descriptors() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


def fewest_descriptors() -> None:
    """Fewer than the connections that the door holds open."""
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))


def start(home: Path, prepare: Callable[[], None] | None = None) -> tuple[Pazaak, tuple[str, int]]:
    options = ["--port", "0", "--bind", "127.0.0.1", "--json", "--bot", "threshold"]
    # Not forked: what it takes of memory is measured.
    host = Pazaak("host", *options, home=home, prepare=prepare, fresh=True)
    return host, ("127.0.0.1", host.until("listening")["port"])


def finish(host: Pazaak, side: Side, *, strangers_told: bool) -> None:
    """The match ended normally and as both sides and the record say; the host said nothing else."""
    assert side.error is None
    assert host.finish_json() == Exit.DONE
    (result,) = host.of("result")
    assert result["termination"] == Termination.NORMAL.value
    theirs = judge(side.record.data)
    ours = judge(Path(result["record"]).read_bytes())
    assert ours.complete
    assert ours.head == theirs.head
    assert ours.head.hex() == result["transcript"]
    assert list(ours.sets) == result["sets"]
    assert ours.proven is not None
    assert result["winner"] == str(ours.proven.winner)
    # Who greets as a player does and then floods is turned down, as an opponent would be.
    assert "Traceback" not in host.stderr
    told = host.stderr.count("Still waiting.")
    assert (told > 0) is strangers_told
    assert len(host.stderr.splitlines()) <= 4 * told


async def match(port: tuple[str, int], side: Side, *, crowd: int, pid: int) -> tuple[float, Load]:
    """Play a match, with so many strangers from its first turn on.

    The seconds that it took from then on, and the most that the host used meanwhile.
    """
    player = side.player
    assert isinstance(player, SlowPlayer)
    player.goes_on = trio.Event()
    loads = [load_of(pid)]
    over = trio.Event()

    async def play() -> None:
        await side.run(await dial(Address(*port)))
        over.set()

    async def measure() -> None:
        # A host that has ended can be measured no more.
        with suppress(OSError, KeyError):
            while not over.is_set():
                loads.append(load_of(pid))
                await trio.sleep(0.02)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(play)
        await player.first_asked.wait()
        began = time.perf_counter()
        nursery.start_soon(measure)
        if crowd:
            async with crowded(port, crowd) as strangers:
                assert strangers.came.total() >= crowd - 1
                player.goes_on.set()
                await over.wait()
        player.goes_on.set()
        await over.wait()
        seconds = time.perf_counter() - began
    return seconds, Load(
        peak=max(load.peak for load in loads),
        descriptors=max(load.descriptors for load in loads),
        cpu=loads[-1].cpu - loads[0].cpu,
    )


async def test_a_match_goes_on_among_200_strangers(tmp_path: Path) -> None:
    """The person at the other side thinks for 50 ms; the host is a bot."""
    seconds: dict[int, float] = {}
    loads: dict[int, Load] = {}
    for crowd in (0, CROWD):
        host, port = start(tmp_path / str(crowd))
        with host:
            side = Side(1, "guest", SlowPlayer(0.05))
            with trio.fail_after(60):
                seconds[crowd], loads[crowd] = await match(
                    port, side, crowd=crowd, pid=host.process.pid
                )
            finish(host, side, strangers_told=False)
    assert loads[CROWD].peak < MOST_MEMORY
    assert loads[CROWD].descriptors < MOST_DESCRIPTORS
    for crowd in (0, CROWD):
        print(f"{crowd} strangers: {seconds[crowd]:.2f} s, {loads[crowd]}")


@pytest.mark.parametrize("prepare", [None, few_descriptors, fewest_descriptors])
async def test_an_opponent_gets_its_seat_among_200_strangers(
    tmp_path: Path, prepare: Callable[[], None] | None
) -> None:
    """It comes last. One of the strangers may have the seat just then, having greeted as a player
    does; so it tries again, as a person would, when it is told that the host is busy."""
    host, port = start(tmp_path, prepare)
    with host:
        tries, load = 0, load_of(host.process.pid)
        with trio.fail_after(60):
            async with crowded(port, CROWD):
                began = time.perf_counter()
                player, seated = SlowPlayer(0.01), math.inf
                while True:
                    tries += 1
                    side = Side(1, f"guest {tries}", player)
                    async with trio.open_nursery() as nursery:

                        async def measure() -> None:
                            nonlocal seated, load
                            await player.first_asked.wait()
                            seated = time.perf_counter() - began
                            load = load_of(host.process.pid)

                        nursery.start_soon(measure)
                        await side.run(await dial(Address(*port)))
                        nursery.cancel_scope.cancel()
                    if side.error is None:
                        break
                    # A host that has waited for it too long says so: on a loaded machine.
                    late = isinstance(side.error, PeerLeft) and "too long" in side.error.why
                    assert late or type(side.error) in (Busy, PeerLost)
                    await trio.sleep(0.5)
        finish(host, side, strangers_told=True)
    assert seated < 15
    assert load.peak < MOST_MEMORY
    assert load.descriptors < MOST_DESCRIPTORS
    no_room = [line for line in host.stderr.splitlines() if "no room" in line]
    assert len(no_room) == (prepare is fewest_descriptors)
    print(f"asked for its first move after {seated:.2f} s, {tries} tries, {load}")
