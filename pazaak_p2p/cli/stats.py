"""``pazaak stats``"""

from __future__ import annotations

import json as json_format
from collections.abc import Iterator
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
    csv_text,
    deck_label,
    deck_names,
    percent,
    player,
    plot,
    swing,
    table,
    write_csv,
)
from pazaak_p2p.cli.printing import signs
from pazaak_p2p.cli.stats_words import count_words, deck_words, streak_words
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.rules import Kind
from pazaak_p2p.store.history import History
from pazaak_p2p.store.luck import RANKS, Luck, spread
from pazaak_p2p.store.tallies import Stats, Tally, find_player, gather
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
        click.echo(json_format.dumps(_as_object(stats)))
    elif csv:
        write_csv(("table", "item", "name", "measure", "value"), _cells(stats))
    elif not stats.opponents:
        click.echo("There is no match yet that is over. Play one: pazaak play")
    else:
        _Page(stats, signs(ascii=ascii), None if everything else _LISTED).show()


# --- for people


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
        self._out.print(made)
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
        self._out.print(made)

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


# --- for programs


def _tally_object(tally: Tally) -> dict[str, object]:
    return {
        "played": tally.played,
        "won": tally.won,
        "lost": tally.lost,
        "even": tally.even,
        "rate": tally.rate,
    }


def _luck_object(luck: Luck) -> dict[str, object]:
    def count(name: str) -> dict[str, object]:
        counted = getattr(luck, name)
        return {"came": counted.came, "expected": counted.expected, "sigma": counted.deviation}

    return {
        "draws": luck.draws,
        "came": list(luck.came),
        "expected": list(luck.expected),
        "chi_squared": luck.chi_squared,
        "freedom": RANKS - 1,
        "chance": luck.chance if luck.enough else None,
        "twenty": count("twenty"),
        "over": count("over"),
    }


def _as_object(stats: Stats) -> dict[str, object]:
    return {
        "matches": {
            **_tally_object(stats.matches),
            "broken_off": stats.broken_off,
            "by_word": stats.by_word,
            "first": _tally_object(stats.first),
            "second": _tally_object(stats.second),
        },
        "sets": {
            **_tally_object(stats.sets),
            "opened": _tally_object(stats.opened),
            "answered": _tally_object(stats.answered),
        },
        "streaks": {
            "now": stats.streaks.now,
            "won": stats.streaks.won,
            "lost": stats.streaks.lost,
        },
        "opponents": [
            {
                "name": each.name,
                "other_names": list(each.other_names),
                "key": each.key.hex(),
                "fingerprint": fingerprint(each.key),
                "matches": _tally_object(each.matches),
                "broken_off": each.broken_off,
                "sets": _tally_object(each.sets),
                "last": each.last or None,
            }
            for each in stats.opponents
        ],
        "decks": [
            {
                "deck": each.deck,
                "matches": _tally_object(each.matches),
                "sets": _tally_object(each.sets),
            }
            for each in stats.decks
        ],
        "cards": [
            {
                "card": each.card.ascii,
                "plays": each.plays,
                "sets": _tally_object(each.sets),
                "twenties": each.twenties,
                "saves": each.saves,
            }
            for each in stats.cards
        ],
        "no_card": _tally_object(stats.without),
        "luck": {
            "all": _luck_object(stats.luck),
            "ours": _luck_object(stats.our_luck),
            "theirs": _luck_object(stats.other_luck),
        },
    }


Cell = tuple[str, str, str, str, object]


def _cells(stats: Stats) -> Iterator[Cell]:
    """Everything as one long table, which a spreadsheet can turn as it likes."""

    def tally(kind: str, item: str, name: str, counted: Tally, prefix: str) -> Iterator[Cell]:
        for measure in ("won", "lost", "even"):
            yield kind, item, name, f"{prefix}_{measure}", getattr(counted, measure)

    yield from tally("all", "", "", stats.matches, "matches")
    yield "all", "", "", "matches_broken_off", stats.broken_off
    yield from tally("all", "", "", stats.sets, "sets")
    yield "all", "", "", "streak_now", stats.streaks.now
    yield "all", "", "", "streak_won", stats.streaks.won
    yield "all", "", "", "streak_lost", stats.streaks.lost
    for item, opened, first in (
        ("you", stats.opened, stats.first),
        ("the other", stats.answered, stats.second),
    ):
        yield from tally("opener", item, "", opened, "sets")
        yield from tally("opener", item, "", first, "matches")
    for each in stats.opponents:
        item, name = fingerprint(each.key), csv_text(each.name)
        yield from tally("opponent", item, name, each.matches, "matches")
        yield from tally("opponent", item, name, each.sets, "sets")
    for deck in stats.decks:
        yield from tally("deck", deck.deck or "not shown", "", deck.matches, "matches")
        yield from tally("deck", deck.deck or "not shown", "", deck.sets, "sets")
    for card in stats.cards:
        yield from tally("card", card.card.ascii, "", card.sets, "sets")
        yield "card", card.card.ascii, "", "plays", card.plays
        yield "card", card.card.ascii, "", "twenties", card.twenties
        yield "card", card.card.ascii, "", "saves", card.saves
    yield from tally("card", "none", "", stats.without, "sets")
    for who, luck in (
        ("all", stats.luck),
        ("ours", stats.our_luck),
        ("theirs", stats.other_luck),
    ):
        for rank in range(RANKS):
            yield "draws", who, str(rank + 1), "came", luck.came[rank]
            yield "draws", who, str(rank + 1), "expected", luck.expected[rank]
        yield "draws", who, "", "chi_squared", luck.chi_squared
