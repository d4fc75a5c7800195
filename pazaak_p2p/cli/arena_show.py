"""What an arena prints: objects for a script, lines, or a table that lives on the terminal."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import click
import msgspec
from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.plan import Game, Plan
from pazaak_p2p.arena.referee import FAULTS, MOST_NOTE
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.standing import Meeting, Row, meetings, stand, stand_decks
from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.rules import describe
from pazaak_p2p.text import printable

_SEATS: Final = ("host", "join")
_PER_SECOND: Final = 4
_COLUMNS: Final = 100
_LONGEST_NOTE: Final = 2 * MOST_NOTE + 1
_RESTARTED: Final = "restart"
"""The word before what was forgiven a bot that was to be started again."""

SIGNED: Final = (
    "real peers that sign and check everything, over TCP sockets of {} machine (127.0.0.1),"
    " not encrypted"
)
FAST: Final = "the rules alone (--fast): no peers, no signatures, no network"


class Show:
    """Where an arena tells what happens. Nothing for those who want nothing of it."""

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
            rules=describe(plan.rules),
            seed=plan.seed,
            matches=plan.matches,
            games=plan.games,
            transport="none" if plan.fast else "tcp-loopback",
            signed=not plan.fast,
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
    return {"games": ledger.counted, "players": [row_of(row) for row in stand(ledger)]}


def meeting_of(meeting: Meeting) -> dict[str, Any]:
    """*meeting* as an object."""
    made: dict[str, Any] = msgspec.to_builtins(meeting)
    duel = made.pop("duel") or {"score": None, "elo": None, "error": None, "los": None}
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


class LineShow(Show):
    """Lines that begin with a word that says what they are. *on* is the cluster, if any."""

    def __init__(self, on: str | None) -> None:
        self._on = on
        self._faults: dict[str, int] = {}

    def begin(self, plan: Plan, done: int) -> None:
        for line in _first_lines(plan, self._on):
            click.echo(fitted(line, sys.stdout, indent="  "))
        if done:
            click.echo(f"Going on: {done} matches were played before.")

    def game(self, plan: Plan, game: Game, result: Result) -> None:
        line = _fault_line(plan, game, result)
        if line is not None and self._few(line.partition(" ")[0]):
            click.echo(line)

    def _few(self, kind: str) -> bool:
        """Whether one more of this *kind* is worth a line: the table counts them all."""
        self._faults[kind] = self._faults.get(kind, 0) + 1
        return self._faults[kind] <= 10

    def standing(self, ledger: Ledger) -> None:
        best = [f"{row.name} {row.score:.1%}" for row in stand(ledger)[:5]]
        click.echo(f"progress {ledger.counted}/{ledger.plan.games}  {'  '.join(best)}")

    def end(self, ledger: Ledger) -> None:
        _print_end(ledger)


class LiveShow(Show):
    """A bar and a table on the terminal, drawn anew several times a second."""

    def __init__(self, on: str | None) -> None:
        self._console = _console()
        self._bar = Progress(
            TextColumn("matches"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._bar.add_task("matches")
        self._live: Live | None = None
        self._faults = LineShow(on)

    def begin(self, plan: Plan, done: int) -> None:
        self._faults.begin(plan, done)
        self._bar.update(self._task, total=plan.games, completed=done)
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
        self._live.update(Group(_table("player", stand(ledger)), self._bar))

    def end(self, ledger: Ledger) -> None:
        self.close()
        _print_end(ledger)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def make_show(*, json: bool, on: str | None) -> Show:
    """What fits whoever reads standard output. *on* is the cluster that plays, if one does."""
    if json:
        return JsonShow(on)
    return LiveShow(on) if sys.stdout.isatty() else LineShow(on)


# --- tables


def _console() -> Console:
    width = None if sys.stdout.isatty() else _COLUMNS
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=width)


def _print_end(ledger: Ledger) -> None:
    console = _console()
    console.print()
    console.print(_table("player", stand(ledger)))
    if len(ledger.pairings) > 1 or ledger.plan.sprt is not None:
        console.print()
        console.print(_meetings(ledger))
    decks = stand_decks(ledger)
    if decks and len(decks) < len(ledger.players):  # else it is the table of the players
        console.print()
        console.print(_table("deck", decks))
    console.print()
    if len(ledger.pairings) > 1 or ledger.plan.sprt is not None:
        console.print("Pairs of games gave the first 0, ½, 1, 1½ or 2 points, as often as it says.")
    console.print(
        "Elo is above the average of the table, with its 95 % interval; LOS is the likelihood of"
        " being stronger than the next below."
    )


def _new_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for at, column in enumerate(columns):
        # Where there is too little room, the names take more lines, and no number is cut.
        table.add_column(
            column, justify="right" if at else "left", no_wrap=bool(at), overflow="fold"
        )
    return table


def _table(what: str, rows: list[Row]) -> Table:
    seen = [fault for fault in FAULTS if any(getattr(row, fault) for row in rows)]
    table = _new_table(what, "score", "won", "drawn", "lost", "Elo", "±", "LOS", *seen)
    for row in rows:
        table.add_row(
            Text(row.name),
            f"{row.score:.1%}" if row.wins + row.draws + row.losses else "",
            str(row.wins),
            str(row.draws),
            str(row.losses),
            _elo(row.elo, row.beyond),
            _number(row.elo_error),
            _los(row.los),
            *(str(getattr(row, fault) or "") for fault in seen),
        )
    return table


def _meetings(ledger: Ledger) -> Table:
    tested = ledger.plan.sprt is not None
    columns = ["pairing", "score", "won", "drawn", "lost", "pairs", "Elo", "±", "LOS"]
    table = _new_table(*columns, *(("LLR", "decided") if tested else ()))
    for meeting in meetings(ledger):
        duel = meeting.duel
        table.add_row(
            Text(" - ".join(meeting.players)),
            "" if duel is None else f"{duel.score:.1%}",
            str(meeting.wins),
            str(meeting.draws),
            str(meeting.losses),
            " ".join(map(str, meeting.pairs)),
            "" if duel is None else _elo(duel.elo, 1 if duel.score == 1 else -1),
            "" if duel is None else _number(duel.error),
            "" if duel is None else _los(duel.los),
            *((f"{meeting.llr:.2f}", str(meeting.verdict)) if meeting.llr is not None else ()),
        )
    return table


def _elo(elo: float | None, beyond: int) -> str:
    if elo is not None:
        return f"{round(elo, 1) + 0.0:+.1f}"  # a nought has no minus
    return {1: "above all", -1: "below all"}.get(beyond, "?")


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"


def _los(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
