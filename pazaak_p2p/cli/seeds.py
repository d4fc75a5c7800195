"""``pazaak seeds``"""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from pazaak_p2p.arena.expected import compare, update
from pazaak_p2p.arena.run_seed import SeedRun, run_seed
from pazaak_p2p.arena.seeds import (
    SeededMatch,
    find_seed,
    list_seeds,
    load_seed,
    seeds_folder,
)
from pazaak_p2p.cli.failure import show_failure
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.errors import PazaakError, UsageError
from pazaak_p2p.net.errors import Left

_dir = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the seeded matches; without it, seeds/ here or in the source.",
)
_json = click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
_debug = click.option("--debug", is_flag=True, help="Show tracebacks.")


@click.group()
def command() -> None:
    """Seeded matches: all secrets and choices are given, so they always come out the same.

    Each is a folder with a match.toml that you can read and edit, and the record and the
    play-by-play that it must give.
    """


@command.command("list", epilog="\b\nExamples:\n  pazaak seeds list\n  pazaak seeds list --json")
@_dir
@_json
@_debug
def list_command(folder: Path | None, json: bool, debug: bool) -> int:
    """List the seeded matches."""
    folders = list_seeds(seeds_folder(folder))
    width = max(len(each.name) for each in folders)

    def show(match: SeededMatch) -> None:
        if json:
            seed = {
                "seed": match.name,
                "title": match.title,
                "shows": match.shows,
                "covers": match.covers,
            }
            click.echo(json_format.dumps(seed))
        else:
            _show(f"{match.name:<{width}}  {match.title}")

    return _each(folders, show, json=json, debug=debug)


@command.command(
    "run",
    epilog="\b\nExamples:\n  pazaak seeds run nine-beats-19    play it and show it\n"
    "  pazaak seeds run                  play all\n  pazaak seeds run my/own-match",
)
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@_dir
@_json
@_debug
def run_command(names: tuple[str, ...], folder: Path | None, json: bool, debug: bool) -> int:
    """Play seeded matches again, and compare them with what they must give.

    Two real peers play each over a real connection. One match is shown move by move; of several,
    or all, a line each.
    """

    def check(match: SeededMatch) -> None:
        run = run_trio(lambda: run_seed(match))
        if not json and len(names) == 1:
            _show(run.text)
        compare(match, run)
        if json:
            click.echo(json_format.dumps(_event(match, run)))
        elif len(names) == 1:
            click.echo(f"As expected, to the byte ({len(run.records[0])} bytes of record).")
        else:
            click.echo(f"as expected  {match.name}")

    return _each(_chosen(names, folder), check, json=json, debug=debug)


@command.command(
    "update",
    epilog="\b\nExamples:\n  pazaak seeds update nine-beats-19\n  pazaak seeds update --all",
)
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@click.option("--all", "everything", is_flag=True, help="All of them.")
@_dir
@_json
@_debug
def update_command(
    names: tuple[str, ...], everything: bool, folder: Path | None, json: bool, debug: bool
) -> int:
    """Write down what seeded matches give now as what they must give.

    For a match that is new or was edited. Look at the difference before you keep it.
    """
    if bool(names) == everything:
        raise UsageError(
            "Which seeded matches are to be updated?",
            why="It takes names, or --all." if not names else "It takes names or --all, not both.",
            next="Type: pazaak seeds update NAME",
        )

    def write(match: SeededMatch) -> None:
        run = run_trio(lambda: run_seed(match))
        changed = update(match, run)
        if json:
            click.echo(json_format.dumps({**_event(match, run), "changed": changed}))
        else:
            click.echo(f"{'written' if changed else 'the same'}  {match.name}")

    return _each(_chosen(names, folder), write, json=json, debug=debug)


def _chosen(names: tuple[str, ...], folder: Path | None) -> list[Path]:
    if not names:
        return list_seeds(seeds_folder(folder))
    return [find_seed(name, folder) for name in names]


def _each(
    folders: Iterable[Path], work: Callable[[SeededMatch], None], *, json: bool, debug: bool
) -> int:
    """Do *work* for each; what goes wrong with one keeps none of the others from its turn."""
    code = 0
    for folder in folders:
        try:
            work(load_seed(folder))
        except Left:
            raise
        except PazaakError as error:
            failed = show_failure(error, json=json, debug=debug)
            code = code or failed
    return code


def _show(text: str) -> None:
    """Print *text*, on a terminal without the plus-minus sign in ASCII notation."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace("±", "+-").encode(encoding, "backslashreplace").decode(encoding)
    click.echo(text)


def _event(match: SeededMatch, run: SeedRun) -> dict[str, object]:
    report = run.reports[0]
    winner = report.outcome.winner
    return {
        "event": "seed",
        "seed": match.name,
        "winner": None if winner is None else str(winner),
        "sets": list(report.won),
        "termination": report.outcome.termination.value,
        "transcript": report.head.hex(),
        "match_id": report.match_id.hex(),
    }
