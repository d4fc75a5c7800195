"""The arena against the bare cost of what its matches are made of; and by the rules alone.

    python -m benchmarks.arena_speed [--matches N] [--rounds N] [--bot BOT]

Signed: the arena with real peers over loopback sockets, keeping records, as users run it. Bare: the
same matches as blocking sockets within one process, which exchange as many bytes in the same order
and before each send make as many signatures, verifications, SHA-256 and HMAC as the match made
there, and write as many bytes of record. Both on one process and on two, in turn; the best round of
each counts. The limits are 0.7 of the bare rate on two processes, and 4,000 matches a second of one
process by the rules alone. The processor time of a match is told as well: on a machine that does
something else meanwhile, it says more than the clock.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.bare import COUNTED, SocketTap, Step, Work, counting, nothing_yet, receive
from pazaak_p2p.arena.crew import Crew
from pazaak_p2p.arena.plan import Entrant, Plan, game_of
from pazaak_p2p.arena.referee import Watched
from pazaak_p2p.arena.signed import KeptRecord, Sitting, play_signed
from pazaak_p2p.arena.worker import collect_seldom
from pazaak_p2p.bots import find_bot
from pazaak_p2p.net.at_once import Loopback
from pazaak_p2p.rules import DECKS, Rules
from pazaak_p2p.store.lines import put_whole

SIGNED_LIMIT, FAST_LIMIT = 0.7, 4_000
RULES = Rules(max_sets=99)
DECK = DECKS["balanced"]
WARM_UP = 10


def plan_of(bot: str, matches: int, *, fast: bool) -> Plan:
    players = tuple(Entrant(name, bot, DECK, "balanced") for name in ("one", "two"))
    return Plan(players, RULES, "arena_speed", matches, fast=fast)


class Nobody:
    """Notes nothing."""

    def makes(self, seat: int) -> None: ...
    def asks(self, seat: int) -> None: ...
    def answered(self) -> None: ...


class TappedDoor:
    """Hands out ends that note in *steps* what is sent, and what of *count* was before it."""

    def __init__(self, door: Loopback, count: Step, steps: list[Step]) -> None:
        self._door, self._count, self._steps = door, count, steps

    def connect(self) -> Any:
        ends = enumerate(self._door.connect())
        return [SocketTap(end, who, self._count, self._steps) for who, end in ends]


def sitting(bot: str) -> Sitting:
    def watched(seat: int) -> Watched:
        return Watched(lambda: find_bot(bot).make(bytes(32)), seat, 60, Nobody())

    return Sitting(("one", "two"), (DECK, DECK), (watched(0), watched(1)))


def dissect(bot: str, matches: int) -> list[tuple[list[Step], int]]:
    """The steps of the arena's first matches, and the sizes of their records."""
    found = []
    plan = plan_of(bot, matches, fast=False)
    with Loopback() as door:
        for number in range(matches):
            record = KeptRecord()
            seeds = plan.seed, game_of(plan, plan.pairings, number).seed
            count, steps = nothing_yet(), list[Step]()
            tapped: Any = TappedDoor(door, count, steps)
            with counting(count):
                play_signed(tapped, RULES, sitting(bot), seeds, record)
            found.append((steps, len(record.data)))
    return found


# --- processor time of a match, within this process


def signed_time(bot: str, matches: int, folder: Path) -> float:
    """Processor seconds a match, in a process that is set up as the arena's are."""
    collect_seldom()
    plan = plan_of(bot, matches, fast=False)
    with Loopback() as door:
        began = time.process_time()
        for number in range(matches):
            record = KeptRecord()
            seeds = plan.seed, game_of(plan, plan.pairings, number).seed
            play_signed(door, RULES, sitting(bot), seeds, record)
            put_whole(folder / f"{number}.pzk", bytes(record.data))
        return (time.process_time() - began) / matches


def bare_all(script: list[Any], folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        key = Ed25519PrivateKey.generate()
        work = Work(key)
        for number, (steps, size) in enumerate(script):
            with socket.create_connection(door.getsockname()) as dialled:
                taken, _ = door.accept()
                with taken:
                    ends = taken, dialled
                    for end in ends:
                        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    for step in steps:
                        work.do(step)
                        ends[step["who"]].sendall(bytes(step["size"]))
                        receive(ends[1 - step["who"]], step["size"])
            put_whole(folder / f"{number}.pzk", bytes(size))


def bare_time(script: list[Any], folder: Path) -> float:
    began = time.process_time()
    bare_all(script, folder)
    return (time.process_time() - began) / len(script)


# --- rates by the clock


def bare_child(script_file: str, folder: str, line: Any) -> None:
    script = json.loads(Path(script_file).read_text())
    bare_all(script[:WARM_UP], Path(folder))
    line.send(None)
    line.recv()
    bare_all(script, Path(folder))
    line.send(None)


def bare_rate(script_file: Path, matches: int, size: int, folder: Path) -> float:
    """Matches a second by *size* processes."""
    context = multiprocessing.get_context("spawn")
    children = []
    for number in range(size):
        ours, theirs = context.Pipe()
        own = folder / str(number)
        own.mkdir()
        child = context.Process(target=bare_child, args=(str(script_file), str(own), theirs))
        child.start()
        children.append((child, ours))
    for _, line in children:
        line.recv()
    began = time.perf_counter()
    for _, line in children:
        line.send(None)
    for _, line in children:
        line.recv()
    seconds = time.perf_counter() - began
    for child, _ in children:
        child.join()
    return size * matches / seconds


def crew_rate(plan: Plan, size: int, folder: Path | None, warm_up: int) -> float:
    """Matches a second by *size* processes, once *warm_up* of them are played."""
    began, before, played = 0.0, 0, 0
    with Crew(plan, size, folder) as crew:
        for results in crew.play(iter(range(plan.games))):
            played += len(results)
            if not began and played >= warm_up:
                began, before = time.perf_counter(), played
        return (played - before) / (time.perf_counter() - began)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=100, help="of a process and round; even")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bot", default="threshold")
    parser.add_argument("--cores", type=int, default=2, help="the most processes at once")
    options = parser.parse_args(arguments)
    sizes = sorted({1, options.cores})
    bot, matches = options.bot, options.matches
    script = dissect(bot, matches)
    total = {
        name: sum(step[name] for steps, _ in script for step in steps) / matches
        for name in COUNTED.values()
    }
    sends = sum(len(steps) for steps, _ in script) / matches
    print(
        f"a match of {bot}: {sends:.1f} sends, {total['sign']:.1f} signatures,"
        f" {total['verify']:.1f} verifications, {total['sha']:.0f} SHA-256,"
        f" {total['mac']:.0f} HMAC (both sides)"
    )
    cpu = {"signed": float("inf"), "bare": float("inf")}
    rates: dict[tuple[str, int], float] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        script_file = folder / "script.json"
        script_file.write_text(json.dumps(script))
        for number in range(options.rounds):
            cpu["bare"] = min(cpu["bare"], bare_time(script, folder))
            cpu["signed"] = min(cpu["signed"], signed_time(bot, matches, folder))
            for size in sizes:
                own = folder / f"{number} {size}"
                own.mkdir()
                found = {
                    "bare": bare_rate(script_file, matches, size, own),
                    "signed": crew_rate(
                        plan_of(bot, size * matches, fast=False), size, own, size * WARM_UP
                    ),
                    "fast": crew_rate(
                        plan_of(bot, size * 40 * matches, fast=True), size, None, size * 400
                    ),
                }
                for kind, rate in found.items():
                    rates[kind, size] = max(rates.get((kind, size), 0.0), rate)
    for kind in ("bare", "signed", "fast"):
        one, most = rates[kind, 1], rates[kind, sizes[-1]]
        print(
            f"{kind:>6}: {one:,.1f} matches a second on one process, {most:,.1f} on {sizes[-1]}"
            f" ({most / one:.2f} times as many)"
        )
    ratio = cpu["bare"] / cpu["signed"]
    print(
        f"processor time a match: bare {cpu['bare'] * 1e3:.2f} ms, signed"
        f" {cpu['signed'] * 1e3:.2f} ms; rate by that {ratio:.2f} of bare"
    )
    for size in sizes:
        ratio = rates["signed", size] / rates["bare", size]
        print(f"signed is {ratio:.2f} of bare on {size} (limit {SIGNED_LIMIT} on the most)")
    print(f"fast on one: {rates['fast', 1]:,.0f} matches a second (limit {FAST_LIMIT:,})")
    return 0 if ratio >= SIGNED_LIMIT and rates["fast", 1] >= FAST_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
