"""What ``pazaak history`` and ``pazaak stats`` share: the index brought up to date, and signs."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import Final, TypeVar

import click
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.rules import DECKS, format_deck
from pazaak_p2p.store import DeckFileError, data_folder, match_folder, read_deck
from pazaak_p2p.store.decks import own_deck_files
from pazaak_p2p.store.history import History, Scan, with_history
from pazaak_p2p.store.names import shown_name
from pazaak_p2p.text import printable
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import clip

T = TypeVar("T")

COLUMNS: Final = 80
_SHOWN: Final = 5
"""Files that are named of several with the same trouble."""
_ENDLESS: Final = 10_000
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_STEPS: Final = "▁▂▃▄▅▆▇█"
_ASCII_STEPS: Final = "_.-:=+*#"
_SWING: Final = 8
_MANY: Final = 100
"""Fewer new records than this are read before anybody wonders."""


def ask_history(work: Callable[[History], T], *, rebuild: bool = False) -> T:
    """Do *work* with the history, brought up to date; what is to be said of that is said."""

    with ExitStack() as stack:
        progress = _Progress(stack)

        def told(history: History, scan: Scan) -> T:
            stack.close()  # before anything else is printed
            _tell(scan, rebuild=rebuild)
            return work(history)

        folder, records = data_folder(), match_folder()
        return with_history(folder, records, told, rebuild=rebuild, progress=progress.show)


class _Progress:
    """A bar on standard error, if that is a terminal and there is much to read."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._bar: tuple[Progress, TaskID] | None = None

    def show(self, done: int, of: int) -> None:
        if of < _MANY or not sys.stderr.isatty():
            return
        if self._bar is None:
            progress = Progress(
                TextColumn("Reading records"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar = self._stack.enter_context(progress), progress.add_task("", total=of)
        self._bar[0].update(self._bar[1], completed=done, total=of)


def _tell(scan: Scan, *, rebuild: bool) -> None:
    def say(line: str) -> None:
        click.echo(f"pazaak: {line}", err=True)

    if scan.aside is not None:
        say(
            "The history was damaged, and has been made anew from the records. The damaged file is"
            f" now {printable(str(scan.aside), 1000)}."
        )
    if rebuild:
        say(f"The history has been made anew from {_records(scan.read)}.")
    elif scan.gone:
        say(f"{_records(scan.gone)} went, and counts no more: the history is what the records say.")
    if scan.unfinished:
        names = [printable(name, 200) for name in scan.unfinished]
        say(
            f"{_records(len(names))} left out, for the match is not over (it is being played now,"
            f" or was stopped at once): {_listed(names)}."
        )
    if scan.damaged:
        names = [f"{printable(name, 200)}: {why}" for name, why in scan.damaged]
        say(f"{_records(len(names))} cannot be read, and left out: {_listed(names)}")
        say("'pazaak verify FILE' tells more of each.")


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


# --- what is shown


def console() -> Console:
    """Standard output for tables: nothing in a text means anything but itself."""
    width = None if sys.stdout.isatty() else COLUMNS
    return Console(
        file=sys.stdout, highlight=False, markup=False, emoji=False, width=width, soft_wrap=False
    )


def table(*columns: tuple[str, str], gap: int = 2) -> Table:
    """A table with these columns: a heading, and ``left`` or ``right``."""
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))
    for heading, justify in columns:
        right = justify == "right"
        made.add_column(
            heading, justify="right" if right else "left", no_wrap=True, overflow="crop"
        )
    return made


def whole(made: Table, out: Console) -> RenderableType:
    """*made*, or its rows as sentences where *out* has no room for it: nothing is cut off."""
    wide = out.options.update(max_width=_ENDLESS)
    if Measurement.get(out, wide, made).maximum <= out.width:
        return made
    headings = [str(column.header) for column in made.columns]
    rows = zip(*(column.cells for column in made.columns), strict=True)
    return Group(*[_sentence(headings, row) for row in rows])


def _sentence(headings: Sequence[str], row: Sequence[RenderableType]) -> Text:
    said = Text()
    for heading, cell in zip(headings, row, strict=True):
        words = cell if isinstance(cell, Text) else Text(str(cell).strip())
        if not words:
            continue
        if said:
            said.append(", ")
            heading = f"{heading[:1].lower()}{heading[1:]}"
        said.append(f"{heading} " if heading else "").append_text(words)
    return said


def player(name: str, key: bytes, glyphs: Glyphs, columns: int = 20) -> Text:
    """A name fit to be shown, and the beginning of the fingerprint that tells it from others."""
    shown = shown_name(name)
    if glyphs.ascii:
        shown = shown.encode("ascii", "backslashreplace").decode()
    text = Text(clip(shown, columns, glyphs.ellipsis))
    text.append(f" {short(key)}", style="dim")
    return text


def short(key: bytes) -> str:
    """The beginning of a fingerprint: enough to name a player by."""
    return fingerprint(key)[:9]


def when(began: int) -> str:
    """A Unix time for people, in their own time zone."""
    if not began:
        return "-"
    try:
        return f"{datetime.fromtimestamp(began):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # a year that no calendar here has
        return "-"


def deck_names() -> dict[str, str]:
    """Names of decks by their sorted cards in ASCII."""
    names: dict[str, str] = {}
    for path in own_deck_files():
        try:
            cards = read_deck(path)
        except DeckFileError:
            continue  # 'pazaak deck list' tells of it
        ordered = sorted(cards, key=lambda card: card.number)
        names[format_deck(ordered, ascii=True)] = printable(path.stem, 40)
    for name, shipped in DECKS.items():
        ordered = sorted(shipped, key=lambda card: card.number)
        names[format_deck(ordered, ascii=True)] = name
    return names


def deck_label(deck: str | None, names: dict[str, str], glyphs: Glyphs) -> str:
    """What to call a deck, given as its sorted cards in ASCII."""
    if deck is None:
        return "not shown"
    if deck in names:
        return names[deck]
    return deck if glyphs.ascii else deck.replace("+-", "±")


def bar(rate: float | None, width: int, glyphs: Glyphs) -> str:
    """A bar of *width* columns, *rate* of it filled."""
    if rate is None:
        return ""
    eighths = round(max(0.0, min(rate, 1.0)) * width * 8)
    if glyphs.ascii:
        return ("#" * round(eighths / 8)).ljust(width, ".")
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def swing(off: float, deviation: float, glyphs: Glyphs) -> str:
    """A bar to the left or right of an axis; its end is three standard deviations away."""
    part = min(abs(off) / deviation / 3, 1.0) if deviation > 0 else 0.0
    filled = ("#" if glyphs.ascii else "█") * round(part * _SWING)
    axis = "|" if glyphs.ascii else "│"
    left, right = ("", filled) if off > 0 else (filled, "")
    return f"{left:>{_SWING}}{axis}{right:<{_SWING}}"


def plot(rates: Iterable[float], glyphs: Glyphs) -> str:
    """A line of columns, each as high as its rate (0 to 1)."""
    steps = _ASCII_STEPS if glyphs.ascii else _STEPS
    return "".join(steps[min(int(rate * len(steps)), len(steps) - 1)] for rate in rates)


def percent(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.0%}"


def write_csv(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print *rows* as CSV. Text is to be made safe by :func:`csv_text` before."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)


def csv_text(text: str) -> str:
    """A name fit for a cell: no spreadsheet takes it for a formula."""
    shown = shown_name(text)
    return f"'{shown}" if shown[:1] in ("=", "+", "-", "@") else shown
