"""``pazaak history``"""

from __future__ import annotations

import json as json_format
from collections.abc import Set
from typing import Final

import click
from rich.text import Text

from pazaak_p2p.cli.past import (
    ask_history,
    console,
    csv_text,
    deck_label,
    deck_names,
    player,
    table,
    when,
    whole,
    write_csv,
)
from pazaak_p2p.cli.printing import signs
from pazaak_p2p.errors import UsageError
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.net.errors import resuming
from pazaak_p2p.rules import Seat
from pazaak_p2p.store import match_folder, saved_matches
from pazaak_p2p.store.history import History
from pazaak_p2p.store.tallies import PastMatch, count_matches, find_player, list_matches
from pazaak_p2p.text import printable
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import clip

_LIMIT: Final = 20
_MOST: Final = 1_000_000
_STYLES: Final = {
    "won": "bold green",
    "lost": "bold red",
    "drawn": "bold",
    "broken off": "",
    "can go on": "bold yellow",
}

_EPILOG: Final = """\
\b
Examples:
  pazaak history                  the last 20 matches
  pazaak history Ann --limit 5    the last five against Ann
  pazaak history --csv > matches.csv
"""


@click.command(epilog=_EPILOG)
@click.argument("who", required=False, metavar="[PLAYER]")
@click.option(
    "--limit",
    type=click.IntRange(1, _MOST),
    metavar="N",
    help=f"Show no more than N matches; otherwise {_LIMIT}, or with --json and --csv all.",
)
@click.option("--rebuild", is_flag=True, help="Make the history anew from the records.")
@click.option("--ascii", is_flag=True, help="ASCII signs only.")
@click.option("--csv", is_flag=True, help="Comma-separated values, for a spreadsheet.")
@click.option("--json", is_flag=True, help="One JSON object a line, for scripts.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(
    who: str | None,
    limit: int | None,
    rebuild: bool,
    ascii: bool,
    csv: bool,
    json: bool,
    debug: bool,
) -> None:
    """Your matches, the newest first.

    They are read from the records of this machine; copies of a record, and the records of both
    seats of one match, count once. PLAYER is a name, or the beginning of a fingerprint.
    """
    one_format(csv=csv, json=json)
    most = limit if limit is not None or json or csv else _LIMIT

    def look(history: History) -> tuple[list[PastMatch], int]:
        key = None if who is None else find_player(history.db, who)
        return list_matches(history.db, key, most), count_matches(history.db, key)

    matches, total = ask_history(look, rebuild=rebuild)
    saved, _ = saved_matches(match_folder())
    open_ = {each.secrets.match_id for each in saved}
    if json:
        for match in matches:
            click.echo(json_format.dumps(_as_object(match, open_)))
    elif csv:
        _write_csv(matches, open_)
    else:
        if matches:
            _show(matches, open_, signs(ascii=ascii))
        else:
            click.echo("There is no match yet that is over. Play one: pazaak play")
        if len(matches) < total:
            click.echo(f"{total - len(matches)} earlier ones: pazaak history --limit {total}")
        if len(open_) == 1:
            click.echo(f"One match can go on: {resuming(*open_)}")
        elif open_:
            click.echo(f"{len(open_)} matches can go on: pazaak resume --list")


def one_format(*, csv: bool, json: bool) -> None:
    """Raises ``UsageError`` if both are asked for."""
    if csv and json:
        raise UsageError(
            "It cannot be --csv and --json at once.",
            why="Both go to standard output.",
            next="Take one of them.",
        )


def _show(matches: list[PastMatch], open_: Set[bytes], glyphs: Glyphs) -> None:
    names = deck_names()
    shown = table(
        ("When", "left"),
        ("Opponent", "left"),
        ("Result", "left"),
        ("Sets", "right"),
        ("Rules", "left"),
        ("Deck", "left"),
        gap=1,
    )
    for match in matches:
        tied = f" ={match.sets_tied}" if match.sets_tied else ""
        deck = deck_label(match.deck, names, glyphs)
        shown.add_row(
            when(match.began),
            player(match.name, match.key, glyphs, 12),
            _result(match, open_),
            f"{match.sets_won}-{match.sets_lost}{tied}",
            clip(match.rules, 9, glyphs.ellipsis),
            clip(deck, 10, glyphs.ellipsis),
        )
    out = console()
    out.print(whole(shown, out))


def _result(match: PastMatch, open_: Set[bytes]) -> Text:
    if match.match_id in open_:
        return Text("can go on", _STYLES["can go on"])
    how = {"normal": "", "cap": "", "concession": ", conceded", "abandoned": ", left"}
    short = how.get(match.termination, f", {match.termination}")
    shown = match.result if match.result == "broken off" else f"{match.result}{short}"
    return Text(shown, _STYLES[match.result])


def _as_object(match: PastMatch, open_: Set[bytes]) -> dict[str, object]:
    return {
        "match_id": match.match_id.hex(),
        "began": match.began or None,
        "opponent": {
            "name": match.name,
            "key": match.key.hex(),
            "fingerprint": fingerprint(match.key),
        },
        "seat": str(Seat(match.seat)),
        "result": match.result,
        "termination": match.termination,
        "proven": bool(match.proven),
        "sets": {"won": match.sets_won, "lost": match.sets_lost, "tied": match.sets_tied},
        "rules": match.rules,
        "deck": match.deck,
        "opponent_deck": match.other_deck,
        "record": match.record,
        "can_go_on": match.match_id in open_,
    }


_HEADING: Final = (
    *("began", "opponent", "fingerprint", "seat", "result", "termination", "proven"),
    *("sets_won", "sets_lost", "sets_tied", "rules", "deck", "opponent_deck", "record"),
    "can_go_on",
)


def _write_csv(matches: list[PastMatch], open_: Set[bytes]) -> None:
    write_csv(
        _HEADING,
        (
            (
                when(match.began),
                csv_text(match.name),
                fingerprint(match.key),
                Seat(match.seat),
                match.result,
                match.termination,
                match.proven,
                match.sets_won,
                match.sets_lost,
                match.sets_tied,
                match.rules,
                match.deck or "",
                match.other_deck or "",
                printable(match.record, 300),
                int(match.match_id in open_),
            )
            for match in matches
        ),
    )
