"""The tables of an arena: who stands how, who did how against whom, and what is decided."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.rating import Duel
from pazaak_p2p.arena.referee import FAULTS
from pazaak_p2p.arena.standing import (
    Meeting,
    Row,
    meetings,
    scores_against,
    stand,
    stand_decks,
    turned,
    whole_gauntlet,
)
from pazaak_p2p.cli.fitting import columns_of, fitted

_COLUMNS: Final = 100
_MOST_PAIRINGS: Final = 15
"""Of an all against all, that are told one by one: those of six players."""
_LEAST_NAME: Final = 12
"""Characters of a name in a line, if it has as many."""
_MOST_NAME: Final = 22
"""Characters of a name in all, if that can be."""
_ANY_WIDTH: Final = 10_000
_SPARE: Final = ("drawn", "lost", "won", "pairs", "LOS")
"""Columns that are missed least, for who has no room for all."""
_AROUND: Final = 8
"""Lines on a screen that a table which lives there leaves to others."""

_RATED: Final = (
    "Elo is above the average of the table, ± its 95 % interval; LOS is the likelihood of being"
    " stronger than the next below."
)
_OF_ONE: Final = "Elo is how much stronger {} is, ± its 95 % interval"
_OF_ONE_LOS: Final = "; LOS is the likelihood that it is."
_PAIRS: Final = (
    "Pairs of games (same draws, seats swapped) gave 0, ½, 1, 1½ or 2 points as often as it says;"
    " nElo is Elo normalised by how much pairs differ."
)
_CROSS: Final = "The score, in %, of each line against each number."


def new_console(least: int = 0) -> Console:
    """Standard output: as wide as the terminal, or as a line of a file may be, but *least*."""
    width = max(columns_of(sys.stdout) or _COLUMNS, least)
    # At a terminal its width is asked for again and again, unless it is given.
    given = width if least or not sys.stdout.isatty() else None
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=given)


def live_tables(ledger: Ledger, console: Console) -> list[Table | Text]:
    """How it stands, in what there is of the screen."""
    room = max(3, console.height - _AROUND)
    tables: list[Table | Text] = []
    rows = stand(ledger)
    two = len(rows) == 2
    if two or (ledger.plan.sprt is not None and len(ledger.pairings) <= room // 2):
        tables += [_narrowed(console, _pairings(ledger, rows)), Text()]
        room -= len(ledger.pairings) + 2
    if ledger.plan.gauntlet:
        standing = _gauntlet(ledger, rows, room)
    else:
        standing = _standing("player", rows[:room], numbered=not two, rated=not two)
    return [_narrowed(console, standing), *_more(len(rows), room), Text(), *tables]


def _narrowed(console: Console, table: Table) -> Table:
    """*table*, without columns that the screen has no room for: no number is cut."""
    kept = list(table.columns)
    numbers = [column for column in kept if column.no_wrap and column.header != "#"]
    spare = [column for heading in _SPARE for column in numbers if column.header == heading]
    spare += [column for column in reversed(numbers[1:]) if column not in spare]
    while spare and _width(console, table) > console.width:
        kept.remove(spare.pop(0))
        table = _empty_table()
        for column in kept:
            table.add_column(
                column.header,
                justify=column.justify,
                overflow=column.overflow,
                min_width=column.min_width,
                no_wrap=column.no_wrap,
            )
        for cells in zip(*(column.cells for column in kept), strict=True):
            table.add_row(*cells)
    return table


def _more(rows: int, room: int) -> list[Text]:
    return [Text(f"and {rows - room} more")] if rows > room else []


def print_end(ledger: Ledger) -> None:
    """All tables of an arena that is over, and what their numbers are."""
    console = new_console()
    rows = stand(ledger)
    many = len(rows) > 2 and not ledger.plan.gauntlet
    told = [_RATED] if many else [_of_one(ledger, rows)]
    if ledger.plan.gauntlet:
        _put(console, _gauntlet(ledger, rows))
    else:
        _put(console, _standing("player", rows, numbered=many, rated=many))
        cross = _cross(ledger, rows) if many else None
        if cross is not None and _width(console, cross) <= console.width:
            _put(console, cross)
            told.append(_CROSS)
    if ledger.plan.gauntlet or ledger.plan.sprt or len(ledger.pairings) <= _MOST_PAIRINGS:
        _put(console, _pairings(ledger, rows))
        told.append(_PAIRS)
    if ledger.plan.sprt is not None:
        test = ledger.plan.sprt
        told.append(
            f"H0 (not {test.elo1:g} Elo stronger) is accepted at an LLR of {test.lower:.2f}, and H1"
            f" (more than {test.elo0:g} stronger) at {test.upper:.2f}."
        )
    decks = stand_decks(ledger)
    if decks and len(decks) < len(ledger.players):  # else it is the table of the players
        _put(console, _standing("deck", decks))
        told.append(
            "Decks are compared by the games of each bot with one against itself with another."
        )
    console.print()
    for text in told:
        print(fitted(text, sys.stdout, indent="  "))


def _of_one(ledger: Ledger, rows: Sequence[Row]) -> str:
    shows_los = ledger.plan.gauntlet or ledger.plan.sprt is None
    told = _OF_ONE.format(_first(ledger, rows))
    return told + (_OF_ONE_LOS if shows_los else ".")


def _first(ledger: Ledger, rows: Sequence[Row]) -> str:
    """What the first, as typed, is called in tables."""
    name = ledger.plan.entrants[0].name
    return next(label for row, label in zip(rows, _labels(rows), strict=True) if row.name == name)


def _put(console: Console, table: Table) -> None:
    """Print *table*; at a terminal that is too narrow its lines break, and no number is cut."""
    console.print()
    new_console(_width(console, table)).print(table)


def _width(console: Console, table: Table) -> int:
    """How wide *table* is at least: with its names in several lines, and every number whole."""
    whole = Measurement.get(console, console.options.update(max_width=_ANY_WIDTH), table).maximum
    (names,) = (column for column in table.columns if not column.no_wrap)
    longest = max(map(cell_len, map(str, [names.header, *names.cells])))
    return whole - longest + (names.min_width or 0)


def _empty_table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))


def _new_table(what: str, names: Iterable[str], *columns: str, numbered: bool = False) -> Table:
    """A table of *names*, below *what*, each with numbers, and perhaps *numbered* itself."""
    table = _empty_table()
    if numbered:
        table.add_column("#", justify="right", no_wrap=True)
    # Where there is too little room, the names take more lines, and no number is cut.
    least = min(_LEAST_NAME, max(map(len, (*names, *what.split()))))
    table.add_column(what, overflow="fold", min_width=least)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _labels(rows: Sequence[Row]) -> list[str]:
    """What *rows* are called in tables: long names without their middle, if all are told apart."""
    half = _MOST_NAME // 2
    short = [
        name if len(name) <= _MOST_NAME else f"{name[: half - 1]}…{name[-half:]}"
        for name in (row.name for row in rows)
    ]
    return short if len(set(short)) == len(rows) else [row.name for row in rows]


def _standing(
    what: str, rows: Sequence[Row], *, numbered: bool = False, rated: bool = True
) -> Table:
    seen = [fault for fault in FAULTS if any(getattr(row, fault) for row in rows)]
    columns = ["score", "won", "drawn", "lost", *(["Elo", "±", "LOS"] if rated else []), *seen]
    labels = _labels(rows)
    table = _new_table(what, labels, *columns, numbered=numbered)
    for number, (row, label) in enumerate(zip(rows, labels, strict=True), start=1):
        table.add_row(
            *([str(number)] if numbered else []),
            Text(label),
            _score(row.wins, row.draws, row.losses),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            *(
                [_elo(row.elo, row.beyond), _number(row.elo_error), _percent(row.los)]
                if rated
                else []
            ),
            *(str(getattr(row, fault) or "") for fault in seen),
        )
    return table


def _gauntlet(ledger: Ledger, rows: Sequence[Row], most: int | None = None) -> Table:
    """What the first did in all, and against each, the strongest ahead. Faults are of whoever the
    line is called after."""
    seen = [fault for fault in FAULTS if any(getattr(row, fault) for row in rows)]
    columns = (_SCORE, *_GAMES, *_ELO, _LOS)
    headings = (heading for heading, _ in columns)
    first, *others = _labels(rows)
    labels = [Text(first, style="bold"), *(Text(f"  vs {other}") for other in others)]
    table = _new_table("player", map(str, labels), *headings, *seen)
    played = zip(labels, _from_the_first(ledger, rows), strict=True)
    for label, (row, meeting) in islice(played, most):
        table.add_row(
            label,
            *(cell(meeting) for _, cell in columns),
            *(str(getattr(row, fault) or "") for fault in seen),
        )
    return table


def _from_the_first(ledger: Ledger, rows: Sequence[Row]) -> list[tuple[Row, Meeting]]:
    """The rows of a gauntlet, with what the first did in all, and against each."""
    by_name = {meeting.players[1]: meeting for meeting in meetings(ledger)}
    return [(rows[0], whole_gauntlet(ledger)), *((row, by_name[row.name]) for row in rows[1:])]


def _cross(ledger: Ledger, rows: Sequence[Row]) -> Table:
    """Everybody's score against everybody."""
    scores = scores_against(ledger)
    numbers = (str(number + 1) for number in range(len(rows)))
    labels = _labels(rows)
    table = _new_table("player", labels, *numbers, numbered=True)
    for number, (row, label) in enumerate(zip(rows, labels, strict=True), start=1):
        cells = ["-" if other is row else _tenths(scores, row, other) for other in rows]
        table.add_row(str(number), Text(label), *cells)
    return table


def _tenths(scores: dict[tuple[str, str], float], one: Row, two: Row) -> str:
    score = scores.get((one.name, two.name))
    return "" if score is None else f"{100 * score:.1f}"


def _pairings(ledger: Ledger, rows: Sequence[Row]) -> Table:
    """The pairings by their pairs of games, and how far the test has come with them."""
    tested, gauntlet = ledger.plan.sprt is not None, ledger.plan.gauntlet
    names, labels = [row.name for row in rows], _labels(rows)
    many = len(names) > 2 and not gauntlet
    # What another table tells already is left out.
    columns = [
        *([_SCORE] if many and not tested else []),
        *([] if gauntlet else _ELO),
        _PAIRS_GAVE,
        *_NELO,
        *([] if gauntlet or tested else [_LOS]),
        *(_TEST if tested else []),
    ]
    what = "pairing" if many else f"{_first(ledger, rows)} against"
    called = ["1 - 2"] if many else labels
    table = _new_table(what, called, *(heading for heading, _ in columns))
    told: list[tuple[int, int, Meeting]] = []
    for meeting in meetings(ledger):
        one, two = (names.index(name) + 1 for name in meeting.players)
        # The better one ahead; but a test is of the first as typed.
        turn = many and not tested and one > two
        told.append((two, one, turned(meeting)) if turn else (one, two, meeting))
    for one, two, meeting in sorted(told, key=lambda line: line[:2]):
        table.add_row(
            f"{one} - {two}" if many else Text(labels[two - 1]),
            *(cell(meeting) for _, cell in columns),
        )
    return table


def _score(wins: int, draws: int, losses: int) -> str:
    games = wins + draws + losses
    return f"{(wins + draws / 2) / games:.1%}" if games else ""


def _elo(elo: float | None, beyond: int = 0) -> str:
    if elo is not None:
        return f"{round(elo, 1) + 0.0:+.1f}"  # a nought has no minus
    return {1: "above all", -1: "below all"}.get(beyond, "?")


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


# --- columns of tables in which a line is a meeting: what is above them, and what is in them

_Column = tuple[str, Callable[[Meeting], str]]


def _of(tell: Callable[[Duel], str]) -> Callable[[Meeting], str]:
    return lambda meeting: "" if meeting.duel is None else tell(meeting.duel)


_SCORE: Final[_Column] = "score", lambda m: _score(m.wins, m.draws, m.losses)
_GAMES: Final[tuple[_Column, ...]] = (
    ("won", lambda m: str(m.wins)),
    ("drawn", lambda m: str(m.draws)),
    ("lost", lambda m: str(m.losses)),
)
_ELO: Final[tuple[_Column, ...]] = (
    ("Elo", _of(lambda duel: _elo(duel.elo, 1 if duel.score == 1 else -1))),
    ("±", _of(lambda duel: _number(duel.error))),
)
_PAIRS_GAVE: Final[_Column] = "pairs", lambda m: " ".join(map(str, m.pairs))
_NELO: Final[tuple[_Column, ...]] = (
    ("nElo", _of(lambda duel: _elo(duel.nelo))),
    ("±", _of(lambda duel: _number(duel.nelo_error))),
)
_LOS: Final[_Column] = "LOS", _of(lambda duel: _percent(duel.los))
_TEST: Final[tuple[_Column, ...]] = (
    ("LLR", lambda m: "" if m.llr is None else f"{m.llr:.2f}"),
    ("decided", lambda m: str(m.verdict or "")),
)
