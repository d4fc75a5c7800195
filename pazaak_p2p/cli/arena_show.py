"""What an arena prints: objects for a script, lines, or a table that lives on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, Final

import click
import msgspec
from rich.console import Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.plan import Game, Plan
from pazaak_p2p.arena.rating import Duel
from pazaak_p2p.arena.referee import FAULTS
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.standing import Meeting, Row, meetings, stand, stand_decks
from pazaak_p2p.cli.arena_tables import live_tables, new_console, print_end
from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.rules import describe
from pazaak_p2p.text import printable

_SEATS: Final = ("host", "join")
_PER_SECOND: Final = 4
_LONGEST_NOTE: Final = 2000
_RESTARTED: Final = "restart"
"""The word before what was forgiven a bot that was to be started again."""

SIGNED: Final = (
    "real peers that sign and check everything, over TCP sockets of {} machine (127.0.0.1),"
    " not encrypted"
)
FAST: Final = "the rules alone (--fast): no peers, no signatures, no network"


class Show:
    """Where an arena tells what happens. Nothing for those who want nothing of it."""

    alone = False
    """Whether nobody else may write on the terminal meanwhile."""

    def begin(self, plan: Plan, done: int) -> None:
        """The arena begins, or goes on with *done* games played before."""

    def game(self, plan: Plan, game: Game, result: Result) -> None:
        """A game counts."""

    def standing(self, ledger: Ledger) -> None:
        """So it stands after some more games."""

    def tick(self, ledger: Ledger) -> None:
        """Time has passed."""

    def end(self, ledger: Ledger) -> None:
        """All has been played."""

    def stop(self, ledger: Ledger) -> None:
        """It is broken off, for a reason that is told next."""

    def close(self) -> None:
        """Nothing follows, whatever happened. Never raises."""


class JsonShow(Show):
    """One object a line, each with ``event``. *on* is the cluster that plays, if one does."""

    def __init__(self, on: str | None) -> None:
        self._on = on

    def begin(self, plan: Plan, done: int) -> None:
        self._emit(
            "arena",
            players=[
                {"name": e.name, "bot": e.bot, "deck": [card.ascii for card in e.deck]}
                for e in plan.entrants
            ],
            gauntlet=plan.gauntlet,
            rules=describe(plan.rules),
            seed=plan.seed,
            matches=plan.matches,
            games=plan.games,
            transport="none" if plan.fast else "tcp-loopback",
            signed=not plan.fast,
            sprt=None if plan.sprt is None else msgspec.to_builtins(plan.sprt),
            on=self._on,
        )

    def game(self, plan: Plan, game: Game, result: Result) -> None:
        self._emit(
            "game",
            game=game.number,
            host=plan.entrants[game.host].name,
            join=plan.entrants[game.join].name,
            winner=None if result.winner is None else _SEATS[result.winner],
            termination=result.termination,
            sets=list(result.sets),
            **({"note": result.note} if result.note else {}),
        )

    def standing(self, ledger: Ledger) -> None:
        self._emit("standing", **standing_of(ledger))

    def end(self, ledger: Ledger) -> None:
        for meeting in meetings(ledger):
            self._emit("pairing", **meeting_of(meeting))
        decks = stand_decks(ledger)
        if decks:
            self._emit("decks", decks=[row_of(row) for row in decks])
        self.standing(ledger)

    def stop(self, ledger: Ledger) -> None:
        if ledger.counted:
            self.end(ledger)

    def _emit(self, event: str, **fields: object) -> None:
        # Escaped to ASCII: a bot's name is as somebody typed it.
        print(json.dumps({"event": event, **fields}), flush=True)


def row_of(row: Row) -> dict[str, Any]:
    """*row* as an object."""
    made: dict[str, Any] = msgspec.to_builtins(row)
    del made["beyond"]
    return made


def standing_of(ledger: Ledger) -> dict[str, Any]:
    """The table as an object."""
    told = {"games": ledger.counted, "players": [row_of(row) for row in stand(ledger)]}
    if ledger.plan.sprt is not None:  # how far it has come is to be seen at any time
        told["pairings"] = [meeting_of(meeting) for meeting in meetings(ledger)]
    return told


def meeting_of(meeting: Meeting) -> dict[str, Any]:
    """*meeting* as an object."""
    made: dict[str, Any] = msgspec.to_builtins(meeting)
    duel = made.pop("duel") or dict.fromkeys(Duel.__struct_fields__)
    duel["elo_error"] = duel.pop("error")
    return made | duel


def _first_lines(plan: Plan, on: str | None) -> list[str]:
    kind = "the first against each other" if plan.gauntlet else "all against all"
    lines = [
        f"Played by {FAST if plan.fast else SIGNED.format('this' if on is None else 'one')}.",
        *([] if on is None else [f"On the workers of the cluster {printable(on, 200)}."]),
        f"{len(plan.entrants)} players, {kind}, {plan.matches} matches of each pairing:"
        f" {plan.games} in all. Rules: {describe(plan.rules)}. Seed: {plan.seed}",
    ]
    test = plan.sprt
    if test is not None:
        lines.append(
            f"A pairing ends when it is decided whether its first is {test.elo0:g} or"
            f" {test.elo1:g} Elo stronger (alpha {test.alpha:g}, beta {test.beta:g})."
        )
    return lines


def _fault_line(plan: Plan, game: Game, result: Result) -> str | None:
    note = printable(result.note, _LONGEST_NOTE)  # it may come from a file, or another machine
    if result.termination not in FAULTS or result.winner is None:
        return f"{_RESTARTED} game {game.number} {note}" if result.note else None
    loser = plan.entrants[(game.join, game.host)[result.winner]]
    return f"{result.termination} game {game.number} {loser.name}: {note}"


def _game_line(plan: Plan, game: Game, result: Result) -> str:
    winner = "drawn" if result.winner is None else _SEATS[result.winner]
    names = f"{plan.entrants[game.host].name} - {plan.entrants[game.join].name}"
    sets = "-".join(map(str, result.sets))
    return f"game {game.number} {sets} {winner} {result.termination}  {names}"


class LineShow(Show):
    """Lines that begin with a word that says what they are. *on* is the cluster, if any.

    Each match has one, unless they come by the thousand (``--fast``). With *say*, which takes lines
    from then on that the arena has begun, only what a bot did wrong has.
    """

    def __init__(self, on: str | None, say: Callable[[str], object] | None = None) -> None:
        self._on = on
        self._say = say or click.echo
        self._all = say is None
        self._faults: dict[str, int] = {}

    def begin(self, plan: Plan, done: int) -> None:
        for line in _first_lines(plan, self._on):
            click.echo(fitted(line, sys.stdout, indent="  "))
        if done:
            click.echo(f"Going on: {done} matches were played before.")

    def game(self, plan: Plan, game: Game, result: Result) -> None:
        if not plan.fast and self._all:
            self._say(_game_line(plan, game, result))
        line = _fault_line(plan, game, result)
        if line is not None and self._few(line.partition(" ")[0]):
            self._say(line)

    def _few(self, kind: str) -> bool:
        """Whether one more of this *kind* is worth a line: the table counts them all."""
        self._faults[kind] = self._faults.get(kind, 0) + 1
        return self._faults[kind] <= 10

    def standing(self, ledger: Ledger) -> None:
        told = [f"{row.name} {row.score:.1%}" for row in stand(ledger)[:5]]
        test = ledger.plan.sprt
        if test is not None and len(ledger.pairings) == 1:
            llr = test.llr(ledger.pairs[0])
            told.append(f"LLR {llr:.2f} ({test.lower:.2f} to {test.upper:.2f})")
        click.echo(f"progress {ledger.counted}/{ledger.plan.games}  {'  '.join(told)}")

    def stop(self, ledger: Ledger) -> None:
        if ledger.counted:
            self.end(ledger)

    def end(self, ledger: Ledger) -> None:
        print_end(ledger)


class LiveShow(Show):
    """A bar and a table on the terminal, drawn anew several times a second."""

    def __init__(self, on: str | None) -> None:
        self._console = new_console()
        self.alone = sys.stderr.isatty()
        self._bar: Progress
        self._task: TaskID
        self._live: Live | None = None
        self._stdout = sys.stdout
        self._faults = LineShow(on, self._say)

    def _say(self, line: str) -> None:
        # Not by click, which would write into the table that lives there.
        self._console.print(fitted(line, self._stdout, indent="  "), soft_wrap=True)

    def begin(self, plan: Plan, done: int) -> None:
        self._faults.begin(plan, done)
        count = Column(min_width=len(f"{plan.games}/{plan.games}"))  # the bar gives way
        self._bar = Progress(
            TextColumn("matches"),
            BarColumn(),
            MofNCompleteColumn(table_column=count),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._bar.add_task("matches", total=plan.games, completed=done)
        self._live = Live(
            self._bar,
            console=self._console,
            refresh_per_second=_PER_SECOND,
            transient=True,
            redirect_stdout=True,
            redirect_stderr=False,
        )
        self._live.start()

    def game(self, plan: Plan, game: Game, result: Result) -> None:
        self._faults.game(plan, game, result)

    def tick(self, ledger: Ledger) -> None:
        assert self._live is not None
        self._bar.update(self._task, completed=ledger.done)
        self._live.update(Group(*live_tables(ledger, self._console), self._bar))

    def stop(self, ledger: Ledger) -> None:
        self.close()
        self._faults.stop(ledger)

    def end(self, ledger: Ledger) -> None:
        self.close()
        print_end(ledger)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def make_show(*, json: bool, on: str | None) -> Show:
    """What fits whoever reads standard output. *on* is the cluster that plays, if one does."""
    if json:
        return JsonShow(on)
    return LiveShow(on) if sys.stdout.isatty() else LineShow(on)
