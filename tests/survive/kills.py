"""Matches whose programs are killed at every write of their journals, and which go on.

    python -m tests.survive.kills [--matches 10] [--jobs 2] [--every 1] [--only TEXT]

``pazaak host`` and ``pazaak join`` are real processes (see ``forks.py``), with TLS over loopback.
One of them kills itself before, inside or after the N-th write of its journal, for every N of the
match; ``pazaak resume`` takes its place, while the other has never stopped. Also killed: around the
making of the files and around their settling; a process that resumes, at each of its own writes;
and both at once, which then resume as they were or with the roles of who waits and who comes
exchanged.

Both must end with exit code 0 and with the head of the undisturbed match, with one record each that
the second verifier finds complete, and no secrets left. Before anything was said in a match there
is nothing to go on with: ``pazaak resume`` says so, and the same command as before begins it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from pazaak_p2p.errors import Exit
from tests.e2e.killed import WHEN, Moment
from tests.survive.cases import CASES, Case
from tests.survive.forks import Fork
from tests.survive.rig import memory
from tests.verifier import verify

HOST, JOIN = 0, 1
_NAMES = ("host", "join")
_KILLED = -signal.SIGKILL
_GRACE = ("--grace", "60", "--json")


class Trial(Struct, frozen=True):
    """*seat*'s process is killed at *moment* of *case*."""

    case: str
    seat: int
    moment: Moment
    again: Moment | None = None
    """When the process that resumes is killed in its turn."""
    both: bool = False
    """The other process is killed as well, at once."""
    swapped: bool = False
    """The host comes, and the joiner waits, when they resume."""

    @property
    def kind(self) -> str:
        if self.both:
            return "both killed, roles exchanged" if self.swapped else "both killed"
        if self.again is not None:
            return "killed again while resuming"
        return f"{_NAMES[self.seat]} killed, {self.moment.call}"

    def __str__(self) -> str:
        return (
            f"{self.case} {_NAMES[self.seat]} {self.moment}"
            f"{'' if self.again is None else f' then {self.again}'}"
            f"{' both' if self.both else ''}{' exchanged' if self.swapped else ''}"
        )


class Table:
    """The two of a match: their homes, and how their programs are started."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self.homes = [folder / name for name in _NAMES]
        for home in self.homes:
            home.mkdir()
        self.port = 0

    def _seat(self, seat: int) -> tuple[str, ...]:
        chair = self.case.chairs[seat]
        bot = chair.bot_in(self.homes[seat])
        name = ("Ann", "Ben")[seat]
        options = ("--seed", self.case.seed, "--deck", chair.deck, "--bot", bot, "--name", name)
        return (*options, *_GRACE)

    def begin(self, seat: int, moment: Moment | None = None) -> Fork:
        """``pazaak host`` or ``pazaak join``."""
        if seat == JOIN:
            arguments: tuple[str, ...] = ("join", f"127.0.0.1:{self.port}")
        else:
            bound = ("--bind", "127.0.0.1", "--port", str(self.port))
            arguments = ("host", *bound, "--rules", self.case.rules)
        return self._start(seat, (*arguments, *self._seat(seat)), moment)

    def resume(self, seat: int, *options: str, moment: Moment | None = None) -> Fork:
        """``pazaak resume``."""
        return self._start(seat, ("resume", *_GRACE, *options), moment)

    def _start(self, seat: int, arguments: tuple[str, ...], moment: Moment | None) -> Fork:
        return Fork(*arguments, home=self.homes[seat], moment=moment)

    def listening(self, fork: Fork) -> Fork:
        """*fork*, when it waits for the other."""
        self.port = int(fork.until("listening")["port"])
        return fork

    def finished(self, *forks: Fork) -> bytes:
        """The head to which both have come; *forks* are the last process of each."""
        for fork in forks:
            assert fork.finish() == Exit.DONE, str(fork)
        heads = {fork.result()["transcript"] for fork in forks}
        for home in self.homes:
            records = sorted((home / "matches").glob("*.pzk"))
            assert len(records) == 1, records
            assert not list((home / "matches").glob("*.secret")), "secrets are left"
            verdict = verify(records[0].read_bytes())
            assert verdict.clean, verdict
            assert verdict.complete, verdict
            assert verdict.ended, verdict
            heads.add(verdict.head.hex())
        assert len(heads) == 1, heads
        return bytes.fromhex(heads.pop())

    def put_away(self, seat: int) -> None:
        """Do what ``pazaak resume`` asks for when nothing was said in a match: give it up."""
        for path in (self.homes[seat] / "matches").glob("*"):
            path.unlink()


def undisturbed(case: Case) -> tuple[bytes, tuple[int, int]]:
    """The head of the match, and how often each side writes."""
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        table = Table(case, Path(folder))
        host = table.listening(table.begin(HOST))
        join = table.begin(JOIN)
        return table.finished(host, join), (host.writes, join.writes)


def play(trial: Trial) -> bytes:
    """The head to which *trial* comes. Raises ``AssertionError`` if it comes to none."""
    case = next(case for case in CASES if case.name == trial.case)
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        table = Table(case, Path(folder))
        moments = [trial.moment if seat == trial.seat else None for seat in (HOST, JOIN)]
        host = table.listening(table.begin(HOST, moments[HOST]))
        forks = [host, table.begin(JOIN, moments[JOIN])]
        try:
            return _go_on(trial, table, forks)
        finally:
            for fork in forks:
                if fork.code is None:
                    fork.kill(signal.SIGKILL)
                    fork.finish()


def _go_on(trial: Trial, table: Table, forks: list[Fork]) -> bytes:
    seat = trial.seat
    assert forks[seat].finish() == _KILLED, str(forks[seat])
    if trial.both:
        forks[1 - seat].kill(signal.SIGKILL)
        assert forks[1 - seat].finish() == _KILLED
        waits = JOIN if trial.swapped else HOST
        options: tuple[str, ...] = ()
        if trial.swapped:
            forks[waits] = table.listening(table.resume(waits, "--host", "--port", "0"))
            options = ("--join", f"127.0.0.1:{table.port}")
        else:
            forks[waits] = table.listening(table.resume(waits))
        forks[1 - waits] = table.resume(1 - waits, *options)
        return table.finished(*forks)
    if trial.moment == _SETTLED:
        assert forks[1 - seat].finish() == Exit.DONE, str(forks[1 - seat])
        return table.finished(forks[1 - seat])  # it was through
    if trial.again is not None:
        forks[seat] = table.resume(seat, moment=trial.again)
        if forks[seat].finish() == Exit.DONE:
            return table.finished(*forks)  # it has not come that far
        assert forks[seat].code == _KILLED, str(forks[seat])
    forks[seat] = table.resume(seat)
    if _unsaid(trial) and forks[seat].finish() != Exit.DONE:
        table.put_away(seat)
        forks[seat] = table.begin(seat)
    return table.finished(*forks)


_SETTLED = Moment("settle", 0, "after")


def _unsaid(trial: Trial) -> bool:
    """Was nothing said in the match yet, so that there may be nothing to go on with?"""
    return trial.moment.call == "begin" or str(trial.moment).startswith("write:0:")


def trials(case: Case, writes: tuple[int, int]) -> Iterator[Trial]:
    """All trials of *case*."""
    for seat, count in enumerate(writes):
        for when in ("before", "after"):
            yield Trial(case.name, seat, Moment("begin", 0, when))
            yield Trial(case.name, seat, Moment("settle", 0, when))
        for number in range(count):
            for when in WHEN:
                yield Trial(case.name, seat, Moment("write", number, when))
        half = Moment("write", count // 2, "after")
        for number in range(count - count // 2):
            for when in WHEN:
                yield Trial(case.name, seat, half, again=Moment("write", number, when))
        for number in range(2, count, 3):
            moment = Moment("write", number, WHEN[number % 3])
            yield Trial(case.name, seat, moment, both=True)
            yield Trial(case.name, seat, moment, both=True, swapped=True)


class Tally(Struct):
    """How many trials came to the head of the undisturbed match, and which did not."""

    tried: Counter[str]
    identical: Counter[str]
    failed: list[str]

    def __str__(self) -> str:
        lines = [
            f"{kind:30} {count:6} tried {self.identical[kind]:6} identical"
            for kind, count in sorted(self.tried.items())
        ]
        total, identical = self.tried.total(), self.identical.total()
        lines.append(f"{total} tried, {identical} identical, {len(self.failed)} failed")
        return "\n".join([*lines, *self.failed])


def attempt(trial: Trial, head: bytes) -> str:
    """What is wrong with *trial*, which is to come to *head*; empty for nothing."""
    for chance in range(3):
        try:
            return "" if play(trial) == head else f"FAILED {trial}: another head"
        except AssertionError as error:
            # Somebody else may have taken the port while nobody was listening on it.
            if "port-in-use" not in str(error) or chance == 2:
                return f"FAILED {trial}: {error}"
        except Exception as error:
            return f"FAILED {trial}: {error!r}"
    raise AssertionError


def _attempt(work: tuple[Trial, bytes]) -> tuple[Trial, str]:
    return work[0], attempt(*work)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=len(CASES))
    parser.add_argument("--every", type=int, default=1, help="run every so-manieth trial")
    parser.add_argument("--only", default="", help="run those whose description begins so")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    began = time.perf_counter()
    work: list[tuple[Trial, bytes]] = []
    for case in CASES[: options.matches]:
        head, writes = undisturbed(case)
        found = [(trial, head) for trial in trials(case, writes)]
        work += [each for each in found if str(each[0]).startswith(options.only)][:: options.every]
    print(f"{len(work)} trials", file=sys.stderr, flush=True)
    tally = Tally(Counter(), Counter(), [])
    show = partial(print, end="\r", file=sys.stderr, flush=True)
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for trial, wrong in pool.imap_unordered(_attempt, work):
            tally.tried[trial.kind] += 1
            if wrong:
                tally.failed.append(wrong)
                print(wrong, flush=True)
            else:
                tally.identical[trial.kind] += 1
            show(f"{tally.tried.total()} of {len(work)}, {len(tally.failed)} failed")
    print(tally)
    print(f"{time.perf_counter() - began:.1f} s")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
