"""A process that plays matches of an arena, one after the other, as it is told to."""

from __future__ import annotations

import gc
import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from pazaak_p2p.arena.fast import play_fast
from pazaak_p2p.arena.guests import Guest, Guests
from pazaak_p2p.arena.plan import Entrant, Game, Plan, game_of, seconds_of
from pazaak_p2p.arena.referee import Judged, Restarted, Watched
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.signed import KeptRecord, Sitting, play_signed
from pazaak_p2p.bots import Bot, BotSpec, find_bot
from pazaak_p2p.bots.outside_spec import class_restarts, is_program
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.at_once import Loopback
from pazaak_p2p.net.deaf import stay_deaf
from pazaak_p2p.net.player import Concede
from pazaak_p2p.net.program import end_group
from pazaak_p2p.rules import Action, Outcome, Seat, Termination, View
from pazaak_p2p.store import NoRecord
from pazaak_p2p.store.lines import put_whole
from pazaak_p2p.store.record import file_name_part

_GARBAGE: Final = 20_000
"""Objects more than before, at which the collector looks for cycles: a few matches' worth."""
REPORT_SECONDS: Final = 0.1
"""How long results may wait to be reported, as long as matches are short."""
MAKING: Final = 4
"""In a desk's second cell: the bot is not asked yet, but made."""
CLOSED: Final = 86
"""What a process ends with when a bot has closed files that are not the bot's own."""
_GROUPS: Final = 3
"""The first of a desk's cells that is a process group."""


class Desk:
    """Where the process that watches this one sees what game it plays and whom it asks.

    *cells* are shared unsigned numbers: the game's and one more; the seat that is being asked and
    one more (0 for nobody) in the last two bits, above them whether its bot is still being made,
    and the number of the question; whether there are bots from outside, which are to be left in
    peace; and their process groups, 0 where there is none. Those are not among who is asked: their
    time is taken in this process.
    """

    def __init__(self, cells: Any) -> None:
        self._cells = cells
        self._questions = 0
        self.copied = False
        """Is this process a copy of the one that asked, made by a bot that forked?"""

    def plays(self, number: int) -> None:
        self._cells[0] = number + 1

    def makes(self, seat: int) -> None:
        self._questions += 2 * MAKING
        self._cells[1] = self._questions | MAKING | (seat + 1)

    def asks(self, seat: int) -> None:
        self._questions += 2 * MAKING
        self._cells[1] = self._questions | (seat + 1)

    def answered(self) -> None:
        if self.copied:
            os._exit(1)  # the one who asked goes on by itself
        self._cells[1] = 0

    def invites(self) -> None:
        self._cells[2] = 1

    def runs(self, place: int, group: int) -> None:
        self._cells[_GROUPS + place] = group


class _Guarded:
    """The user's *bot*, which may do anything in this process: the one that closes the *line* over
    which that reports ends it, so that it is found to be to blame."""

    def __init__(self, make: Callable[[], Bot], line: Connection) -> None:
        self._line = line
        self._file = os.fstat(line.fileno())
        with self._watched():
            self._bot = make()

    def choose(self, view: View) -> Action | Concede:
        with self._watched():
            return self._bot.choose(view)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        finally:
            try:
                whole = os.path.samestat(os.fstat(self._line.fileno()), self._file)
            except OSError:
                whole = False
            if not whole:
                os._exit(CLOSED)


def new_cells(plan: Plan) -> Any:
    """The cells of a desk at which games of *plan* are played."""
    # No entrant's bot is there more often than once in a match.
    return get_context("spawn").RawArray("Q", _GROUPS + len(plan.entrants))


def end_groups(cells: Any) -> None:
    """End what bots from outside are left of a process that is no more, or is about to end."""
    for group in cells[_GROUPS:]:
        if group:
            end_group(group)


def work(
    line: Connection, cells: Any, plan: Plan, records: Path | None, silent: bool = False
) -> None:
    """Play the games whose numbers come over *line*, and report them there, until it ends.

    With the numbers comes, by number, how many restarts of (host, join) other processes have used.
    A list of results is reported, or as a text what went wrong: what, why and next. What is printed
    here goes to standard error, or nowhere if it is to be *silent*.
    """
    stay_deaf()
    desk = Desk(cells)
    if sys.platform != "win32":
        # A group of its own, with which end all that its bots have started.
        os.setpgrp()
        os.register_at_fork(after_in_child=lambda: setattr(desk, "copied", True))
    if silent:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stderr  # a script follows that of who watches us, not what bots print
    threading.Thread(target=_end_with_parent, args=(cells,), daemon=True).start()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), ExitStack() as stack:
        try:
            bench = Bench(plan, records, desk, line)
            stack.enter_context(bench.guests)
            collect_seldom()
            if not plan.fast:
                bench.door = stack.enter_context(Loopback())
            while True:
                numbers, bench.used = line.recv()
                if plan.fast:
                    bench.play_all_fast(numbers)
                else:
                    bench.play_all_signed(numbers)
        except PazaakError as error:
            line.send((error.code, error.what, error.why, error.next))


def collect_seldom() -> None:
    """Have the garbage collector leave alone what is here to stay, and look at the rest seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE)


def _end_with_parent(cells: Any) -> None:
    """End this process when the one that watches it ends, whatever a bot does meanwhile."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    end_groups(cells)
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class Bench:
    """Where the matches of *plan* are played; what comes out goes over *line*."""

    def __init__(self, plan: Plan, records: Path | None, desk: Desk, line: Connection) -> None:
        self._plan = plan
        self._pairings = plan.pairings
        self._records = records
        self._desk = desk
        self._line = line
        self.guests = Guests(desk)
        """To be used in ``with``, which starts none."""
        self._specs: dict[str, BotSpec] = {}
        self.used: Mapping[int, tuple[int, int]] = {}
        """Of games that are played again: the restarts of (host, join) that were used."""
        self.door: Loopback

    def play_all_fast(self, numbers: Iterable[int]) -> None:
        outbox = _Outbox(self._line)
        for number in numbers:
            game = self._game(number)
            host, join = self._entrants(game)
            bots = self._bots(game)
            decks = host.deck, join.deck
            for seat, guest in _guests_of(bots):
                guest.starts(_fast_match(game), seat, self._plan.rules)
            outcome, won = play_fast(self._plan.rules, decks, bots, game.seed)
            for _, guest in _guests_of(bots):
                guest.ends(outcome, won)
            self._rise(bots)
            outbox.put(_result(number, outcome, won, bots))
        outbox.flush()

    def play_all_signed(self, numbers: Iterable[int]) -> None:
        outbox = _Outbox(self._line)
        for number in numbers:
            outbox.put(self._play_signed(self._game(number)))
        outbox.flush()

    def _play_signed(self, game: Game) -> Result:
        host, join = self._entrants(game)
        bots = self._bots(game)
        sitting = Sitting((host.name, join.name), (host.deck, join.deck), bots)
        record = NoRecord() if self._records is None else KeptRecord()
        seeds = self._plan.seed, game.seed
        report = play_signed(self.door, self._plan.rules, sitting, seeds, record)
        self._rise(bots)
        if self._records is not None and isinstance(record, KeptRecord):
            name = record_name(game, host, join)
            # Whole or not at all, and always the same: played again after an interruption it
            # takes its own place.
            put_whole(self._records / name, bytes(record.data))
        return _result(game.number, report.outcome, report.won, bots)

    def _game(self, number: int) -> Game:
        self._desk.plays(number)
        return game_of(self._plan, self._pairings, number)

    def _entrants(self, game: Game) -> tuple[Entrant, Entrant]:
        return self._plan.entrants[game.host], self._plan.entrants[game.join]

    def _bots(self, game: Game) -> tuple[Judged, Judged]:
        host, join = self._entrants(game)
        return self._seated(game, 0, host), self._seated(game, 1, join)

    def _seated(self, game: Game, seat: int, entrant: Entrant) -> Judged:
        if not is_program(entrant.bot):
            return self._watched(game, seat, entrant)
        self._desk.invites()
        guest = self.guests.take(entrant.bot, seconds_of(self._plan, entrant))
        guest.sit(SeedSecrets(game.seed, seat).bot(0))
        return guest

    def _rise(self, bots: tuple[Judged, Judged]) -> None:
        """A match is over."""
        for _, guest in _guests_of(bots):
            self.guests.put_back(guest)

    def _watched(self, game: Game, seat: int, entrant: Entrant) -> Judged:
        def make() -> Bot:
            # Within the watch: finding a bot may run the user's own code.
            if entrant.bot not in self._specs:
                self._specs[entrant.bot] = find_bot(entrant.bot)
            spec, seed = self._specs[entrant.bot], SeedSecrets(game.seed, seat).bot(0)
            if spec.outside is None:
                return spec.make(seed)
            return _Guarded(lambda: spec.make(seed), self._line)

        watched = Watched(make, seat, seconds_of(self._plan, entrant), self._desk)
        restarts = class_restarts(entrant.bot)
        if not restarts:
            return watched
        used = self.used.get(game.number, (0, 0))[seat]
        return Restarted(watched, restarts, used, entrant.bot)


def _guests_of(bots: tuple[Judged, Judged]) -> Iterator[tuple[Seat, Guest]]:
    for seat in Seat:
        bot = bots[seat]
        if isinstance(bot, Guest):
            yield seat, bot


def _fast_match(game: Game) -> bytes:
    """The name of a match that has no transcript: nothing that will be drawn in it can be told
    from that."""
    return hashlib.sha256(f"match {game.seed} {game.number}".encode()).digest()


def record_name(game: Game, host: Entrant, join: Entrant) -> str:
    """The file of *game*'s record.

    It sorts by number; the names are cut.
    """
    names = f"{file_name_part(host.name)}_vs_{file_name_part(join.name)}"
    return f"{game.number + 1:07}_{names}.pzk"


def _result(
    number: int, outcome: Outcome, won: tuple[int, int], bots: tuple[Judged, Judged]
) -> Result:
    winner = None if outcome.winner is None else int(outcome.winner)
    for bot in bots:
        if bot.fault is not None:
            return Result(number, winner, bot.fault.value, won, bot.note)
    if outcome.termination is Termination.CHEAT:
        return Result(number, winner, "cheat", won, "Its peer broke the protocol.")
    forgiven = " ".join(bot.note for bot in bots if bot.note)
    return Result(number, winner, outcome.termination.value, won, forgiven)


class _Outbox:
    """Results on their way, some at once."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._results: list[Result] = []
        self._since = time.monotonic()

    def put(self, result: Result) -> None:
        self._results.append(result)
        if time.monotonic() - self._since > REPORT_SECONDS:
            self.flush()

    def flush(self) -> None:
        self._line.send(self._results)
        self._results, self._since = [], time.monotonic()
