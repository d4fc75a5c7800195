"""Matches whose line is cut before, inside and after every message, and which go on.

    python -m tests.survive.cuts [--matches 10] [--every 1]

The first connection of each match is cut at one place: *before* a message (as soon as its first
byte is said), *inside* it (after its first byte, and after half of it) or *after* it (as soon as
its last byte has arrived, before any answer), in either direction. Then whoever dialled dials
again by itself. Both must come to the end, to the head that the undisturbed match has, with one
record each that the second verifier finds complete, and nothing kept.

Cuts in a greeting, before there is a match, are told to whoever dialled, and are no part of this;
one that costs the ``accept`` leaves a match that only the joiner knows of: it begins anew.

Further: every place of the session that resumes is cut as well (after a first cut in the middle),
lines go half-open in place of being cut, and encrypted lines are cut by bytes and by flights.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import trio
import trio.testing
from msgspec import Struct

from pazaak_p2p.net.certificate import make_credentials
from tests.chaos.faults import Line
from tests.chaos.plans import Block, Cut, Fault, Place, Vanish, flight, message, write_plan
from tests.survive.cases import CASES, Case
from tests.survive.rig import Plans, Player, Street, meet, memory
from tests.verifier import verify


class Trial(Struct, frozen=True):
    """A case whose n-th connection goes wrong by the n-th of *plans*; the others do not."""

    case: str
    plans: tuple[Plans, ...] = ()
    encrypts: bool = False
    leaves: tuple[int, int] | None = None
    """Seat, and after how many events its player leaves for now."""
    dead: bool = False
    """After these there are no connections any more, until both have given up."""

    def __str__(self) -> str:
        lines = [
            f"connection {n} up {write_plan(up)!r} down {write_plan(down)!r}"
            for n, (up, down) in enumerate(self.plans)
        ]
        if self.leaves is not None:
            lines.append("seat {} leaves for now after {} events".format(*self.leaves))
        if self.dead:
            lines.append("then none for a long time")
        return f"{self.case}{', encrypted' if self.encrypts else ''}: {'; '.join(lines)}"


class Undisturbed(Struct):
    """A match over a good line."""

    head: bytes
    line: Line
    events: tuple[int, int]
    """How many each side was told of."""


async def reference(case: Case, *, encrypts: bool = False) -> Undisturbed:
    """Play *case* over a good line."""
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        players = _players(case, Path(folder), encrypts=encrypts)
        street = Street(lambda number: ((), ()), plain=not encrypts)
        await meet(*players, street)
        head = _head(players)
    (line,) = street.lines
    host, join = players
    return Undisturbed(head, line, (len(host.notes.events), len(join.notes.events)))


class Outcome(Struct):
    """What a trial came to: the same head at both sides."""

    head: bytes
    lines: tuple[Line, ...]
    anew: bool
    """There was no match yet when the line was cut, and whoever dialled had to do so again."""


async def play(trial: Trial) -> Outcome:
    """Play *trial*. Raises ``AssertionError`` if it does not come to one end at both sides."""
    case = next(case for case in CASES if case.name == trial.case)

    def plans(number: int) -> Plans:
        return trial.plans[number] if number < len(trial.plans) else ((), ())

    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        players = _players(case, Path(folder), encrypts=trial.encrypts)
        if trial.leaves is not None:
            seat, after = trial.leaves
            players[seat].notes.leave_after = after
        street = Street(plans, plain=not trial.encrypts)
        street.most_lines = len(trial.plans) if trial.dead else None
        anew = await meet(*players, street)
        return Outcome(_head(players), tuple(street.lines), anew > 0)


def _players(case: Case, folder: Path, *, encrypts: bool) -> tuple[Player, Player]:
    host, join = (
        Player(seat, case, folder / name, encrypts=encrypts)
        for seat, name in enumerate(("host", "join"))
    )
    if encrypts:
        host.credentials = make_credentials()
    return host, join


def _head(players: Sequence[Player]) -> bytes:
    """The head to which both have come, as each has recorded it, with all that there is to it."""
    heads = set()
    for player in players:
        assert player.error is None, f"seat {player.seat}: {player.error!r}"
        assert not player.kept, f"seat {player.seat} keeps it"
        record = player.records[-1]
        verdict = verify(record.read_bytes())
        assert verdict.clean, verdict
        assert verdict.complete, verdict
        assert verdict.ended, verdict
        assert player.report is None or verdict.head == player.report.head
        heads.add(verdict.head)
    assert len(heads) == 1, heads
    return heads.pop()


# --- the trials


def _one_way(way: int, fault: Fault) -> Plans:
    return ((fault,), ()) if way == 0 else ((), (fault,))


def places(line: Line) -> Iterator[Plans]:
    """Before, inside and after every message of *line*, each way."""
    for way, lane in enumerate((line.up, line.down)):
        start = 0
        for number, end in enumerate(lane.ends):
            size = end - start
            start = end
            yield _one_way(way, Block(message(number)))
            for offset in (1, size // 2, size):
                yield _one_way(way, Cut(message(number, offset)))


def single(case: str, line: Line) -> Iterator[Trial]:
    """One cut, anywhere."""
    for plans in places(line):
        yield Trial(case, (plans,))


async def double(case: str, line: Line) -> list[Trial]:
    """A cut in the match, and another one anywhere in the session that goes on with it."""
    trials = []
    last = len(line.down.ends) - 1
    for number, way in ((3, 0), (last // 2, 1), (last - 2, 0), (last - 1, 1)):
        first = _one_way(way, Cut(message(number, 40)))
        second = (await play(Trial(case, (first,)))).lines[1]
        trials += [Trial(case, (first, plans)) for plans in places(second)]
    return trials


def half_open(case: str, line: Line) -> Iterator[Trial]:
    """From some message on nothing arrives any more, one way or both, and nobody is told."""
    for way, lane in enumerate((line.up, line.down)):
        for number in range(3, len(lane.ends)):
            vanish = Vanish(message(number, 20))
            yield Trial(case, (_one_way(way, vanish),))
            yield Trial(case, (((vanish,), (Vanish(message(number)),)),))


def encrypted(case: str, line: Line) -> Iterator[Trial]:
    """Cuts on an encrypted *line*, by flights and by bytes."""
    for way, lane in enumerate((line.up, line.down)):
        faults: list[Fault] = [
            fault
            for number in range(lane.flights)
            for fault in (Block(flight(number)), Cut(flight(number, 3)), Cut(flight(number, 60)))
        ]
        step = max(1, lane.bytes // 40)
        faults += [Cut(Place(offset)) for offset in range(1, lane.bytes, step)]
        for fault in faults:
            yield Trial(case, (_one_way(way, fault),), encrypts=True)


def later(case: str, events: tuple[int, int]) -> Iterator[Trial]:
    """A player leaves for now after some event, and comes back."""
    for seat in (0, 1):
        for after in range(2 - seat, events[seat] + 1):  # a host of a match, not of an offer
            yield Trial(case, leaves=(seat, after))


def too_long(case: str, line: Line) -> Iterator[Trial]:
    """Cuts, and then no line until both have given up; they resume another time."""
    for way, lane in enumerate((line.up, line.down)):
        for number in range(3, len(lane.ends)):
            for fault in (Block(message(number)), Cut(message(number, 20))):
                yield Trial(case, (_one_way(way, fault),), dead=True)


async def trials(case: Case) -> dict[str, list[Trial]]:
    """All trials of *case*, by what they are."""
    good = await reference(case)
    name = case.name
    return {
        "one cut": list(single(name, good.line)),
        "a cut, and one while resuming": await double(name, good.line),
        "half-open": list(half_open(name, good.line)),
        "encrypted": list(encrypted(name, (await reference(case, encrypts=True)).line)),
        "away for too long": list(too_long(name, good.line)),
        "left for later": list(later(name, good.events)),
    }


# --- running them


class Tally(Struct):
    """How many trials came to the head of the undisturbed match, and which did not."""

    tried: Counter[str]
    identical: Counter[str]
    anew: Counter[str]
    failed: list[str]

    def add(self, other: Tally) -> None:
        self.tried += other.tried
        self.identical += other.identical
        self.anew += other.anew
        self.failed += other.failed

    def __str__(self) -> str:
        lines = [
            f"{kind:30} {count:6} tried {self.identical[kind]:6} identical"
            f" ({self.anew[kind]} of them cut before there was a match, and dialled again)"
            for kind, count in self.tried.items()
        ]
        total, identical = self.tried.total(), self.identical.total()
        lines.append(f"{total} tried, {identical} identical, {len(self.failed)} failed")
        return "\n".join([*lines, *self.failed])


async def _run_case(case: Case, every: int) -> Tally:
    tally = Tally(Counter(), Counter(), Counter(), [])
    head = (await reference(case)).head
    for kind, found in (await trials(case)).items():
        for trial in found[::every]:
            tally.tried[kind] += 1
            try:
                outcome = await play(trial)
                assert outcome.head == head, "another head"
            except Exception as error:
                tally.failed.append(f"FAILED {kind}: {trial}: {error!r}")
            else:
                tally.identical[kind] += 1
                tally.anew[kind] += outcome.anew
    return tally


def run_case(case: Case, every: int = 1) -> Tally:
    """Run every so-manieth trial of *case*, on a virtual clock of its own."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    return trio.run(_run_case, case, every, clock=clock)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=len(CASES))
    parser.add_argument("--every", type=int, default=1, help="run every so-manieth trial")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    began = time.perf_counter()
    tally = Tally(Counter(), Counter(), Counter(), [])
    work: Callable[[Case], Tally] = partial(run_case, every=options.every)
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for part in pool.imap_unordered(work, CASES[: options.matches]):
            tally.add(part)
            print(f"{tally.tried.total()} trials", end="\r", file=sys.stderr, flush=True)
    print(tally)
    print(f"{time.perf_counter() - began:.1f} s")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
