"""``pazaak stats``"""

from __future__ import annotations

import json as json_format
from itertools import pairwise
from typing import Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pazaak_p2p.cli.history import one_format
from pazaak_p2p.cli.past import (
    ask_history,
    bar,
    console,
    deck_label,
    deck_names,
    percent,
    player,
    plot,
    swing,
    table,
    whole,
    write_csv,
)
from pazaak_p2p.cli.printing import signs
from pazaak_p2p.cli.stats_data import as_cells, as_object
from pazaak_p2p.cli.stats_words import count_words, deck_words, streak_words
from pazaak_p2p.rules import Kind
from pazaak_p2p.store.history import History
from pazaak_p2p.store.luck import RANKS, spread
from pazaak_p2p.store.play_tallies import Tally
from pazaak_p2p.store.tallies import Stats, find_player, gather
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import clip

_LISTED: Final = 10
_FORM: Final = 30
_PLOT: Final = 40
_BAR: Final = 12
# The cards' own colours, as on the table.
_COLOURS: Final = {
    Kind.PLUS: "#ffffff on #005faf",
    Kind.MINUS: "#ffffff on #af0000",
    Kind.PLUSMINUS: "#ffffff on #8700af",
}
_GOLD: Final = "#000000 on #d7af00"

_EPILOG: Final = """\
\b
Examples:
  pazaak stats
  pazaak stats Ann               only the matches against Ann
  pazaak stats --csv > stats.csv
"""


@click.command(epilog=_EPILOG)
@click.argument("who", required=False, metavar="[PLAYER]")
@click.option("--all", "everything", is_flag=True, help=f"List more than {_LISTED} of a kind.")
@click.option("--ascii", is_flag=True, help="ASCII signs only.")
@click.option("--csv", is_flag=True, help="Comma-separated values, for a spreadsheet.")
@click.option("--json", is_flag=True, help="One JSON object, for scripts.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(
    who: str | None, everything: bool, ascii: bool, csv: bool, json: bool, debug: bool
) -> None:
    """What your matches come to: sets, streaks, opponents, decks, cards, and luck.

    They are read from the records of this machine, and what your own program wrote there is taken
    for true ('pazaak verify' proves it). PLAYER is a name, or the beginning of a fingerprint.
    """
    one_format(csv=csv, json=json)

    def look(history: History) -> Stats:
        return gather(history.db, None if who is None else find_player(history.db, who))

    stats = ask_history(look)
    if json:
        click.echo(json_format.dumps(as_object(stats)))
    elif csv:
        write_csv(("table", "item", "name", "measure", "value"), as_cells(stats))
    elif not stats.opponents:
        click.echo("There is no match yet that is over. Play one: pazaak play")
    else:
        _Page(stats, signs(ascii=ascii), None if everything else _LISTED).show()


class _Page:
    """All of it as tables, the most general first."""

    def __init__(self, stats: Stats, glyphs: Glyphs, most: int | None) -> None:
        self._stats = stats
        self._glyphs = glyphs
        self._most = most
        self._out: Console = console()

    def show(self) -> None:
        self._summary()
        self._part("Who opened", self._openers())
        self._part("Opponents, by their keys", self._opponents())
        self._part("Your side decks", self._decks())
        self._part("Your cards, in the sets in which you played them", self._cards())
        self._luck()

    def _summary(self) -> None:
        stats = self._stats
        made = table(("", "left"), ("", "right"), ("won", "right"), ("lost", "right"))
        made.add_column("even", justify="right")
        made.add_column("won of all", no_wrap=True, overflow="crop")
        for name, tally in (("Matches", stats.matches), ("Sets", stats.sets)):
            made.add_row(Text(name, "bold"), str(tally.played), *self._tally(tally))
        self._out.print(whole(made, self._out))
        if stats.broken_off:
            self._line(f"Broken off without a winner: {stats.broken_off}.")
        if stats.by_word:
            self._line(
                f"Ended by your own record's word, which nobody signed: {stats.by_word} (a player"
                " who left, a time that ran out)."
            )
        if stats.results:
            self._line(f"Streaks: {streak_words(stats.streaks)}.")
            marks = {"won": self._glyphs.won, "lost": self._glyphs.open, "drawn": "="}
            recent = "".join(marks[result] for result in stats.results[-_FORM:])
            self._line(f"Form:    {recent}  ({self._glyphs.won} won, {self._glyphs.open} lost)")
        if len(stats.results) >= _PLOT:
            self._line(f"Course:  {plot(_course(stats.results), self._glyphs)}  (won of all)")

    def _openers(self) -> Table:
        made = self._tallies("", "")
        for name, tally in (
            ("sets that you opened", self._stats.opened),
            ("sets that they opened", self._stats.answered),
            ("matches that you opened", self._stats.first),
            ("matches that they opened", self._stats.second),
        ):
            made.add_row(name, str(tally.played), *self._tally(tally))
        return made

    def _opponents(self) -> Table:
        made = self._tallies("", "matches")
        every = self._stats.opponents
        shown = every[: self._most]
        for each in shown:
            tally = each.matches
            made.add_row(
                player(each.name, each.key, self._glyphs), str(tally.played), *self._tally(tally)
            )
        rest = every[len(shown) :]
        if rest:
            tally = _added([each.matches for each in rest])
            made.add_row(f"{len(rest)} more", str(tally.played), *self._tally(tally))
        return made

    def _decks(self) -> Table:
        made = self._tallies("", "matches")
        names = deck_names()
        every = self._stats.decks
        shown = every[: self._most]
        for each in shown:
            label = clip(deck_label(each.deck, names, self._glyphs), 39, self._glyphs.ellipsis)
            made.add_row(label, str(each.matches.played), *self._tally(each.matches))
        rest = every[len(shown) :]
        if rest:
            tally = _added([each.matches for each in rest])
            made.add_row(f"{len(rest)} more", str(tally.played), *self._tally(tally))
        return made

    def _cards(self) -> Table:
        made = self._tallies("", "sets")
        made.add_column("made 20", justify="right", no_wrap=True, overflow="crop")
        made.add_column("saved", justify="right", no_wrap=True, overflow="crop")
        ordered = sorted(self._stats.cards, key=lambda one: -(one.sets.rate or 0))
        for each in ordered:
            made.add_row(
                Text(self._glyphs.name(each.card), _COLOURS.get(each.card.kind, _GOLD)),
                str(each.sets.played),
                *self._tally(each.sets),
                str(each.twenties),
                str(each.saves),
            )
        without = self._stats.without
        made.add_row("no card", str(without.played), *self._tally(without), "", "")
        return made

    def _luck(self) -> None:
        stats = self._stats
        made = table(("Green card", "right"))
        for heading in ("came", "expected", "", "yours", "expected"):
            made.add_column(
                heading, justify="right" if heading else "left", no_wrap=True, overflow="crop"
            )
        for rank in range(RANKS):
            came, expected = stats.luck.came[rank], stats.luck.expected[rank]
            made.add_row(
                str(rank + 1),
                str(came),
                f"{expected:.1f}",
                swing(came - expected, spread(expected), self._glyphs),
                str(stats.our_luck.came[rank]),
                f"{stats.our_luck.expected[rank]:.1f}",
            )
        self._part("Luck: what came, and what was to be expected of the cards that were left", made)
        self._line("A bar to the end is three standard deviations, which is rare.")
        for who, luck in (
            ("The deck", stats.luck),
            ("Your draws", stats.our_luck),
            ("Their draws", stats.other_luck),
        ):
            self._line(f"{who}: {deck_words(luck)}")
        self._line(f"You drew to exactly 20: {count_words(stats.our_luck.twenty)}.")
        self._line(f"They drew to exactly 20: {count_words(stats.other_luck.twenty)}.")
        self._line(f"You drew over 20: {count_words(stats.our_luck.over)}.")
        self._line(f"They drew over 20: {count_words(stats.other_luck.over)}.")

    def _tallies(self, what: str, number: str) -> Table:
        made = table((what, "left"), (number, "right"), ("won", "right"), ("lost", "right"))
        made.add_column("even", justify="right", no_wrap=True, overflow="crop")
        made.add_column("won of all", no_wrap=True, overflow="crop")
        return made

    def _tally(self, tally: Tally) -> tuple[str, str, str, str]:
        rate = f"{percent(tally.rate):>4} {bar(tally.rate, _BAR, self._glyphs)}"
        return str(tally.won), str(tally.lost), str(tally.even), rate if tally.played else ""

    def _part(self, title: str, made: Table) -> None:
        self._out.print()
        self._out.print(Text(title, "bold"))
        self._out.print(whole(made, self._out))

    def _line(self, line: str) -> None:
        self._out.print(Text(line))


def _course(results: tuple[str, ...]) -> list[float]:
    """How much was won of each of the equal stretches that the matches are cut into."""
    worth = {"won": 1.0, "lost": 0.0, "drawn": 0.5}
    count = len(results)
    cuts = [count * at // _PLOT for at in range(_PLOT + 1)]
    pieces = [results[start:stop] for start, stop in pairwise(cuts)]
    return [sum(worth[result] for result in piece) / len(piece) for piece in pieces]


def _added(tallies: list[Tally]) -> Tally:
    return Tally(
        sum(each.won for each in tallies),
        sum(each.lost for each in tallies),
        sum(each.even for each in tallies),
    )
