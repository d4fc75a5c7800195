"""The processes that play an arena's matches, and who watches them.

A bot that takes its process with it, or never answers, is found out here: the process says in
shared memory whom it asks. Who dies while it asks a bot plays that match once more, in a new
process; if it dies again, the bot has crashed. (Once may be anybody's doing: a system short of
memory, say.) Who asks for longer than a bot may think is ended, and the bot has lost by time. A bot
that is to be restarted (``restart=``) has the match played again from its seed in place of that.

Bots from outside are judged by the process that talks to them. They cannot take it with them, but
may stay when it dies: then they are ended here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from pazaak_p2p.arena.errors import ArenaFault, BotNotReady
from pazaak_p2p.arena.plan import Entrant, Plan, game_of, seconds_of
from pazaak_p2p.arena.referee import FAULTS, Fault, seconds_to_make
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.worker import CLOSED, MAKING, end_groups, new_cells, work
from pazaak_p2p.bots.outside_player import restart_note
from pazaak_p2p.bots.outside_spec import class_restarts
from pazaak_p2p.net.deaf import start_deaf
from pazaak_p2p.net.program import end_group
from pazaak_p2p.rules import Seat
from pazaak_p2p.text import in_seconds

TICK: Final = 0.1
"""Seconds after which who waits for results hears that there are none."""
_GRACE: Final = 1.0
"""Seconds that a bot's own process has to notice by itself that the bot was slow."""
LEAVE_SECONDS: Final = 3.0
"""How long processes have in the end to take leave of bots from outside."""
_SIGNED, _FAST = 4, 200
"""Games that a process gets at a time, at most."""
_AHEAD: Final = 2
"""Such portions that it has at most, so that it never waits."""
_MOST_DEATHS: Final = 3


class _Worker:
    """One process, and what it has yet to play."""

    def __init__(self, plan: Plan, records: Path | None, silent: bool) -> None:
        # Not forked: threads and locks of this process would come along half.
        context = get_context("spawn")
        self.cells: Any = new_cells(plan)
        self.line, theirs = context.Pipe()
        arguments = (theirs, self.cells, plan, records, silent)
        self.process = context.Process(target=work, args=arguments, daemon=True)
        start_deaf(self.process)
        theirs.close()
        self.games: list[int] = []
        self.portions = 0
        self._question = 0
        self._since = 0.0

    def give(self, games: list[int], used: Mapping[int, tuple[int, int]]) -> None:
        self.games += games
        with suppress(OSError):  # it is dead, which is found out soon
            self.line.send((games, used))

    def thinks_since(self, now: float) -> float:
        """For how many seconds, as far as was seen, the same question has been open."""
        question = self.cells[1]
        if question & 3 == 0 or question != self._question:
            self._question, self._since = question, now
        return now - self._since

    @property
    def at(self) -> tuple[int, int]:
        """The number of the game it plays, and the seat whose bot it makes or asks (-1: none)."""
        return self.cells[0] - 1, (self.cells[1] & 3) - 1

    @property
    def makes(self) -> bool:
        """Is that bot still being made?"""
        return bool(self.cells[1] & MAKING)

    def leave(self) -> None:
        """It may go."""
        self.line.close()

    def end(self, seconds: float = 0.0) -> None:
        """It goes: by itself within *seconds* if there is anybody to take leave of."""
        self.line.close()
        if self.cells[2]:
            self.process.join(max(0.0, seconds))
        self.process.kill()
        self.process.join()
        assert self.process.pid is not None
        end_group(self.process.pid)
        self.process.close()
        end_groups(self.cells)


class Crew:
    """*size* processes that play games of *plan*, and keep their *records* in a folder if asked.

    They are *silent* if what bots print would tear what is shown. To be used in ``with``.
    """

    def __init__(
        self, plan: Plan, size: int, records: Path | None, *, silent: bool = False
    ) -> None:
        self._plan = plan
        self._silent = silent
        self._records = records
        self._size = size
        self._workers: list[_Worker] = []
        self._again: deque[int] = deque()
        self._deaths: dict[int, int] = {}
        self._restarts: dict[int, tuple[int, int]] = {}
        """Of games that are played again: how many restarts of (host, join) were used."""
        self._forgiven: dict[int, str] = {}
        """What is told of them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.leave()
        until = time.monotonic() + LEAVE_SECONDS
        for worker in self._workers:
            worker.end(until - time.monotonic())

    def play(self, games: Iterator[int]) -> Iterator[list[Result]]:
        """Play *games*; what has come out since the last time, which may be nothing yet.

        Raises :class:`~pazaak_p2p.arena.errors.ArenaFault`, and what a record raises.
        """
        most = _FAST if self._plan.fast else _SIGNED
        portion = max(1, min(most, self._plan.games // (4 * self._size)))
        while True:
            while len(self._workers) < self._size and self._feed(None, games, portion):
                pass
            for worker in self._workers:
                while len(worker.games) <= portion * (_AHEAD - 1):
                    if not self._feed(worker, games, portion):
                        break
            if not any(worker.games for worker in self._workers) and not self._again:
                return
            yield self._collect()

    def _feed(self, worker: _Worker | None, games: Iterator[int], most: int) -> bool:
        """Give *worker*, or a new one, some games; False if there are none."""
        numbers: list[int] = []
        while len(numbers) < most:
            number = self._again.popleft() if self._again else next(games, None)
            if number is None:
                break
            numbers.append(number)
        if not numbers:
            return False
        if worker is None:
            worker = _Worker(self._plan, self._records, self._silent)
            self._workers.append(worker)
        worker.give(numbers, {n: self._restarts[n] for n in numbers if n in self._restarts})
        return True

    def _collect(self) -> list[Result]:
        results: list[Result] = []
        lines = {worker.line: worker for worker in self._workers}
        for ready in wait(list(lines), TICK):
            assert isinstance(ready, Connection)
            worker = lines.pop(ready)
            try:
                results += self._read(worker)
            except (EOFError, OSError):
                results += self._bury(worker)
        for worker in lines.values():
            # A process that a bot forked may hold the line of a dead one open.
            if not worker.process.is_alive():
                results += self._bury(worker)
        now = time.monotonic()
        for worker in list(self._workers):
            thinks = worker.thinks_since(now)
            if thinks > _GRACE and thinks > self._seconds(worker) + _GRACE:
                results += self._give_up(worker)
        return results

    def _read(self, worker: _Worker) -> list[Result]:
        told = worker.line.recv()
        if isinstance(told, tuple):
            code, what, why, next_ = told
            kind = BotNotReady if code == BotNotReady.code else ArenaFault
            raise kind(what, why=why, next=next_)
        results: list[Result] = told
        for at, result in enumerate(results):
            worker.games.remove(result.number)
            forgiven = self._forgiven.get(result.number)
            if forgiven is not None and result.termination not in FAULTS:
                note = f"{forgiven} {result.note}".rstrip()
                results[at] = msgspec.structs.replace(result, note=note)
        return results

    def _bury(self, worker: _Worker) -> list[Result]:
        """*worker* has died."""
        worker.process.join()
        code = worker.process.exitcode
        number, seat = worker.at
        self._dismiss(worker)
        self._deaths[number] = self._deaths.get(number, 0) + 1
        if seat >= 0 and number in self._again and self._deaths[number] > 1:
            note = f"It ended its process ({code})."
            if code == CLOSED:
                note = "It closed files of the process that plays it."
            return self._blame(number, seat, Fault.CRASH, note)
        if self._deaths[number] >= _MOST_DEATHS:
            raise ArenaFault(
                "A process that plays matches ends again and again.",
                why=f"Its exit code was {code}. This machine may be short of memory.",
                next="Try with --concurrency 1.",
            )
        return []

    def _give_up(self, worker: _Worker) -> list[Result]:
        """A bot does not answer *worker*."""
        results: list[Result] = []
        with suppress(EOFError, OSError):
            while worker.line.poll():
                results += self._read(worker)
        number, seat = worker.at
        hung = seat >= 0 and number in worker.games
        seconds = self._seconds(worker)
        did = "get ready" if worker.makes else "answer"
        self._dismiss(worker)
        if hung:
            note = f"It did not {did} within {in_seconds(seconds)}."
            results += self._blame(number, seat, Fault.TIME, note)
        return results

    def _seconds(self, worker: _Worker) -> float:
        """How long the bot that *worker* asks may think, or that it makes may take for that."""
        number, seat = worker.at
        seconds = seconds_of(self._plan, self._entrant(number, int(seat == Seat.JOIN)))
        return seconds_to_make(seconds) if worker.makes else seconds

    def _entrant(self, number: int, seat: int) -> Entrant:
        game = game_of(self._plan, self._plan.pairings, number)
        return self._plan.entrants[game.join if seat else game.host]

    def _dismiss(self, worker: _Worker) -> None:
        worker.end()
        self._workers.remove(worker)
        self._again.extendleft(reversed(worker.games))

    def _blame(self, number: int, seat: int, fault: Fault, note: str) -> list[Result]:
        """A bot has done wrong in a game that waits to be played again: it is, if the bot has a
        restart left, or else lost."""
        bot = self._entrant(number, seat).bot
        restarts, used = class_restarts(bot), list(self._restarts.get(number, (0, 0)))
        if used[seat] < restarts:
            used[seat] += 1
            self._restarts[number] = used[0], used[1]
            self._forgiven[number] = restart_note(note, bot, used[seat], restarts)
            return []
        self._again.remove(number)
        return [Result(number, 1 - seat, fault.value, (0, 0), note)]
