"""``pazaak arena``"""

from __future__ import annotations

import csv
import io
import json as json_format
import secrets
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, Self

import click
import msgspec

from pazaak_p2p.arena.errors import ArenaError, ArenaFault
from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.plan import MOST_MATCHES, Plan, is_seed
from pazaak_p2p.arena.sprt import parse_sprt
from pazaak_p2p.arena.standing import Row, meetings, scores_against, stand, stand_decks
from pazaak_p2p.arena.state import StateFile, header_of
from pazaak_p2p.cli.arena_entrants import entrants
from pazaak_p2p.cli.arena_on import Players, parse_on, players_of
from pazaak_p2p.cli.arena_show import Show, make_show, meeting_of, row_of
from pazaak_p2p.cli.failure import interrupted
from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store import expanded
from pazaak_p2p.store.lines import FileTrouble, check_writable, put_whole
from pazaak_p2p.text import printable

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_MOST_PROCESSES: Final = 256
_TELLINGS: Final = 10
_MOST_UNTOLD: Final = 1000

_EPILOG: Final = """\
\b
Examples:
  pazaak arena threshold random                          who is better?
  pazaak arena threshold:16 threshold:17 threshold:18 --fast --matches 2000
  pazaak arena threshold:18 threshold --sprt elo0=0,elo1=10 --matches 100000 --fast
  pazaak arena threshold@super threshold@hard random@super
  pazaak arena threshold --decks all --fast              which side deck is best?
  pazaak arena threshold random --state run.state        stop it, and type it again to go on
  pazaak arena expert master --on dask://192.168.1.5     on the machines of a cluster
"""


@click.command(epilog=_EPILOG)
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@click.option("--gauntlet", is_flag=True, help="The first against each of the others only.")
@click.option("--fast", is_flag=True, help="By the rules alone, without peers and sockets.")
@click.option(
    "--matches",
    type=click.IntRange(1, MOST_MATCHES),
    default=100,
    show_default=True,
    metavar="N",
    help="Of each pairing; even, for they come in pairs with the seats swapped.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, _MOST_PROCESSES),
    metavar="N",
    help="Matches at a time; without it, one for each core (with --on, for each thread there).",
)
@click.option(
    "--on",
    metavar="dask://HOST:PORT",
    help="Play on a Dask cluster, whose scheduler is there (README: Bots against bots).",
)
@click.option("--seed", metavar="TEXT", help="Repeat the arena that had this seed.")
@click.option("--rules", metavar="RULES", help="Rule set, as in tournament,sets=5.")
@click.option(
    "--deck",
    "decks",
    multiple=True,
    metavar="[BOT=]DECK",
    help="The side deck of all, or of one bot; BOT@DECK does the same. May be repeated.",
)
@click.option(
    "--decks",
    "tournament",
    multiple=True,
    metavar="DECKS",
    help="A deck tournament: each bot plays each of these (a,b,c or all). May be repeated.",
)
@click.option(
    "--sprt",
    metavar="TEST",
    help="Stop a pairing when it is decided: elo0=0,elo1=10[,alpha=0.05,beta=0.05].",
)
@click.option(
    "--move-seconds",
    type=click.FloatRange(0.01, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot may think about one choice.",
)
@click.option("--records", type=click.Path(path_type=Path), metavar="FOLDER", help="Keep records.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep results there, and go on with those that are there.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the outcome there: .json or .csv.",
)
@click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(
    bots: tuple[str, ...],
    gauntlet: bool,
    fast: bool,
    matches: int,
    concurrency: int | None,
    on: str | None,
    seed: str | None,
    rules: str | None,
    decks: tuple[str, ...],
    tournament: tuple[str, ...],
    sprt: str | None,
    move_seconds: float,
    records: Path | None,
    state: Path | None,
    out: Path | None,
    json: bool,
    debug: bool,
) -> None:
    """Bots against bots, many matches, and who is stronger.

    Each match is one of two real peers that sign and check everything, over a socket of this
    machine; with --fast by the rules alone. The same --seed gives the same matches, whatever the
    number of processes, and of machines.
    """
    if matches % 2:
        raise ArenaError(
            f"--matches cannot be {matches}.",
            why="Matches come in pairs, with the seats swapped, so their number is even.",
            next=f"Type: --matches {matches + 1}",
        )
    if fast and records is not None:
        raise ArenaError(
            "There are no records of matches that are played by the rules alone.",
            why="A record holds what two peers have signed, and here none have.",
            next="Leave --fast out, or --records.",
        )
    # R20: bots never get tired of ties, so there is an end to them.
    agreed = parse_rules(rules or "standard,max_sets=99")
    if seed is not None and not is_seed(seed):
        raise UsageError(
            "That cannot be a seed.",
            why="It is empty, or holds characters that cannot be shown.",
            next="Take a seed of letters and digits.",
        )
    plan = Plan(
        entrants=entrants(bots, decks, tournament, agreed),
        rules=agreed,
        seed=seed or secrets.token_hex(8),
        matches=matches,
        gauntlet=gauntlet,
        fast=fast,
        move_seconds=min(move_seconds, agreed.turn_seconds or move_seconds),  # R21
        sprt=None if sprt is None else parse_sprt(sprt),
    )
    cluster = None if on is None else parse_on(on)
    records, out = _folder(records), _result_file(out)
    with ExitStack() as stack:
        kept: StateFile | None = None
        if state is not None:
            kept = stack.enter_context(StateFile(expanded(str(state))))
            if seed is None and kept.seed is not None:
                plan = msgspec.structs.replace(plan, seed=kept.seed)
            kept.begin(plan)
        show = make_show(json=json, on=on)
        players = players_of(plan, cluster, concurrency, records, silent=show.alone)
        stack.callback(show.close)
        _hold(plan, show, kept, players, out)


def _hold(
    plan: Plan,
    show: Show,
    kept: StateFile | None,
    players: Players,
    out: Path | None,
) -> None:
    ledger = Ledger(plan)
    told = 0
    step = min(max(2, plan.games // _TELLINGS), _MOST_UNTOLD)

    def tell() -> None:
        nonlocal told
        for game, result in ledger.release():
            show.game(plan, game, result)
            if ledger.counted // step > told and game.number % 2:
                told = ledger.counted // step
                if not ledger.over():
                    show.standing(ledger)

    with _Signals(kept is not None) as signals:
        for result in kept.results if kept is not None else ():
            ledger.add(result)
        show.begin(plan, ledger.done)
        tell()
        try:
            if not ledger.over():
                with ExitStack() as stack:
                    with signals.at_once():
                        playing = stack.enter_context(players)
                    for results in playing.play(ledger.missing()):
                        if results and kept is not None:
                            kept.add(results)
                        for result in results:
                            ledger.add(result)
                        tell()
                        show.tick(ledger)
                        if ledger.over():
                            break
                        signals.check()
        except PazaakError:
            show.stop(ledger)
            raise
        try:
            if out is not None:
                put_whole(out, _outcome(ledger, out.suffix.lower()))
        finally:
            show.end(ledger)  # also what could not be written is told


class _Signals:
    """Signals do not tear anything: within ``with`` they are raised, as ``Left``, by :meth:`check`.

    *kept* is whether the arena can go on later.
    """

    def __init__(self, kept: bool) -> None:
        self._kept = kept
        self._arrived: list[int] = []
        self._before: dict[int, Any] = {}
        self._waits = False

    def __enter__(self) -> Self:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            # Who was started to ignore a signal (nohup, say) goes on ignoring it.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if isinstance(error, ArenaFault):
            self.check()  # a signal to all processes may have reached those that play first

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Meanwhile they are raised at once, wherever that is: for what only waits."""
        self._waits = True
        try:
            self.check()
            yield
        finally:
            self._waits = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._arrived.append(number)
        if self._waits:
            self.check()

    def check(self) -> None:
        """Raise ``Left`` if a signal has arrived."""
        if not self._arrived:
            return
        error = interrupted(signal.Signals(self._arrived[0]).name)
        error.next = (
            "Type the same command again to go on."
            if self._kept
            else "Start again; with --state FILE it could have gone on."
        )
        raise error


def _folder(records: Path | None) -> Path | None:
    if records is None:
        return None
    folder = expanded(str(records))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileTrouble(folder, "cannot hold records", error) from error
    check_writable(folder / "record.pzk")
    return folder


def _result_file(out: Path | None) -> Path | None:
    if out is None:
        return None
    path = expanded(str(out))
    if path.suffix.lower() not in (".json", ".csv"):
        raise ArenaError(
            f"{printable(str(path), 200)} is no name for a result.",
            why="What is behind the last dot says what is written: json or csv.",
            next="Type: --out result.json",
        )
    check_writable(path)
    return path


def _outcome(ledger: Ledger, kind: str) -> bytes:
    """What came out, as the text of a file of that *kind*."""
    if kind == ".json":
        outcome = header_of(ledger.plan) | {
            "games": ledger.counted,
            "standing": [row_of(row) for row in stand(ledger)],
            "pairings": [meeting_of(meeting) for meeting in meetings(ledger)],
            "decks": [row_of(row) for row in stand_decks(ledger)],
        }
        return (json_format.dumps(outcome, indent=2) + "\n").encode()
    text = io.StringIO()
    rows, scores = stand(ledger), scores_against(ledger)
    fields = [field for field in Row.__struct_fields__ if field != "beyond"]
    writer = csv.DictWriter(
        text, [*fields, *(f"vs {row.name}" for row in rows)], lineterminator="\n"
    )
    writer.writeheader()
    for row in rows:
        cells = row_of(row) | {
            f"vs {other.name}": scores.get((row.name, other.name)) for other in rows
        }
        if cells["name"][:1] in ("=", "+", "-", "@"):  # no spreadsheet takes it for a formula
            cells["name"] = f"'{cells['name']}"
        writer.writerow(cells)
    return text.getvalue().encode()
