"""``pazaak replay``"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.cli.look import MOST_PACE, STANDARD_PACE, THEMES, Look, settled
from pazaak_p2p.cli.printing import print_lines, signs
from pazaak_p2p.cli.record_files import Folder, reading_record
from pazaak_p2p.cli.running import run_trio
from pazaak_p2p.cli.verdicts import exit_code, record_event
from pazaak_p2p.errors import Exit, UsageError
from pazaak_p2p.store.folders import match_folder
from pazaak_p2p.store.found import find_record
from pazaak_p2p.store.lines import put_pieces
from pazaak_p2p.text import printable
from pazaak_p2p.tui.bridge import HungUp
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.lines import wrap
from pazaak_p2p.tui.picture import as_svg
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_cast import as_cast
from pazaak_p2p.tui.replay_json import as_json
from pazaak_p2p.tui.replay_page import draw_replay
from pazaak_p2p.tui.replay_plain import step_by_lines
from pazaak_p2p.tui.replay_record import Recording, Side, read_recording
from pazaak_p2p.tui.replay_screen import ReplayScreen
from pazaak_p2p.tui.replay_text import as_text
from pazaak_p2p.tui.replay_words import seat_names, verdict_lines
from pazaak_p2p.tui.style import style_of
from pazaak_p2p.tui.terminal import colour_depth, terminal_ends
from pazaak_p2p.wire.verdict import RecordProblem

FORMATS: Final = ("txt", "json", "svg", "cast")
_SMALLEST: Final = (40, 16)
_LARGEST: Final = (400, 200)

_EPILOG: Final = """\
\b
Exit codes are those of 'pazaak verify': 0 all is proven, 5 somebody cheated, 2 no record or an
unsound one, 6 of a newer pazaak, 4 not over or not all there.

\b
Examples:
  pazaak replay                            the latest match, on the table
  pazaak replay 3f9a --seat join           the one whose id begins so, as the joiner saw it
  pazaak replay game.pzk --export game.svg --at 22
  pazaak replay game.pzk --export game.cast --pace 1     for asciinema
  pazaak replay game.pzk --export - --format json
"""


def _size(ctx: click.Context, param: click.Parameter, text: str) -> tuple[int, int]:
    """Columns and rows, written like 80x24."""
    columns, _, rows = text.partition("x")
    if not (text.isascii() and columns.isdecimal() and rows.isdecimal() and len(text) < 9):
        raise click.BadParameter(f"{printable(text, 40)!r} is no size; write it like 80x24.")
    size = int(columns), int(rows)
    for given, least, most in zip(size, _SMALLEST, _LARGEST, strict=True):
        if not least <= given <= most:
            least_x, most_x = ("x".join(map(str, each)) for each in (_SMALLEST, _LARGEST))
            raise click.BadParameter(f"A screen has {least_x} to {most_x}.")
    return size


@click.command(epilog=_EPILOG, short_help="Step through a recorded match.")
@click.argument("match", required=False, metavar="[MATCH]")
@click.option(
    "--seat",
    type=click.Choice([side.value for side in Side]),
    default=Side.ABOVE.value,
    help="From where it is seen: above (both hands open, as far as the record has them), or as the"
    " host or the joiner saw it. Above, if you say nothing.",
)
@click.option("--at", type=click.IntRange(1), metavar="N", help="Begin at step N, or draw step N.")
@click.option(
    "--export",
    metavar="FILE",
    help="Write the match there in place of showing it: .txt its story, .json every step with the"
    " state, .svg one screen (the last, or --at), .cast an animation for asciinema. - is standard"
    " output.",
)
@click.option("--format", type=click.Choice(FORMATS), help="Of the export, if no ending tells.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option(
    "--size",
    callback=_size,
    default="80x24",
    metavar="COLUMNSxROWS",
    help="Of the screen in .svg and .cast; 80x24 without it.",
)
@click.option(
    "--pace",
    type=click.FloatRange(0.1, MOST_PACE),
    metavar="SECONDS",
    help=f"How long each step is shown when the match plays by itself; {STANDARD_PACE} without it.",
)
@click.option("--plain", is_flag=True, help="Numbered lines in place of the table.")
@click.option("--ascii", is_flag=True, help="ASCII signs only: +-4 in place of ±4.")
@click.option("--theme", type=click.Choice(THEMES), help="Colours of the table.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(
    match: str | None,
    seat: str,
    at: int | None,
    export: str | None,
    format: str | None,
    force: bool,
    size: tuple[int, int],
    pace: float | None,
    plain: bool,
    ascii: bool,
    theme: str | None,
    debug: bool,
) -> int:
    """Step through a recorded match on the table: forwards, back, by card, turn and set.

    MATCH is a record, or the beginning of a match's id; without it, the latest. Everything is
    checked first, as by 'pazaak verify': what is shown ends where the record goes wrong. Space
    lets the match play by itself, and ? lists the keys. Through a pipe, the match is told as text.
    """
    look, colours = settled(Look(plain or None, ascii or None, theme, pace, None))
    target = _Target.of(export, format, force=force)
    recording = _read(find_record(match_folder(), match))
    first = _first(recording, at)
    side = Side(seat)
    if target is not None:
        glyphs = ASCII if look.ascii else UNICODE
        pieces = _pieces(recording, side, target.format, glyphs, first, at, size, look, colours)
        target.write(pieces)
    else:
        if not _show(recording, side, first, look, colours):
            return Exit.INTERRUPTED
    problem = recording.verdict.problem
    if problem is not None:
        sys.stdout.flush()
        print(describe_failure(problem), file=sys.stderr, flush=True)
    return exit_code(recording.verdict)


def _read(path: Path) -> Recording:
    """The match in *path*. Raises a ``RecordProblem`` that names it, if there is none."""
    try:
        with reading_record(path, "replay") as pieces:
            return read_recording(pieces)
    except RecordProblem as error:
        error.what = f"{printable(str(path), 1000)}: {error.what}"
        if isinstance(error, Folder):
            error.next = "Name one of the records in it."
        raise


def _first(recording: Recording, at: int | None) -> int:
    if at is None:
        return 0
    if at > recording.last + 1:
        raise UsageError(
            f"There is no step {at}.",
            why=f"The record has {recording.last + 1}, from the beginning to its end.",
            next=f"Take a number from 1 to {recording.last + 1}.",
        )
    return at - 1


# --- shown


def _show(recording: Recording, side: Side, at: int, look: Look, colours: dict[str, str]) -> bool:
    """Show the match until its viewer leaves; False if the terminal went away."""
    assert look.pace is not None
    glyphs = signs(ascii=bool(look.ascii))
    replay = Replay(recording, glyphs, side=side, pace=look.pace, at=at)
    typed_at = sys.stdin is not None and sys.stdin.isatty()
    if not (typed_at and sys.stdout.isatty()):
        sys.stdout.writelines(as_text(recording, side, glyphs))
        return True
    if look.plain or os.environ.get("TERM") == "dumb":
        step_by_lines(replay, glyphs, sys.stdin, sys.stdout)
        return True
    input, output = terminal_ends(sys.stdin, sys.stdout)
    style, depth = style_of(colours), colour_depth(os.environ)
    screen = ReplayScreen(replay, glyphs, input, output, style=style, depth=depth)

    async def until_left() -> bool:
        try:
            await screen.run()
        except HungUp:
            return False
        return True

    if not run_trio(until_left):
        return False
    heading, more = verdict_lines(recording, seat_names(recording, glyphs))
    print_lines([heading, *wrap((("", f" {more}"),), 79, " ")])
    return True


# --- exported


class _Target:
    """Where an export goes, and as what."""

    def __init__(self, path: Path | None, format: str) -> None:
        self.format = format
        self._path = path

    @classmethod
    def of(cls, export: str | None, format: str | None, *, force: bool) -> _Target | None:
        """What was asked for; None if nothing was. Raises ``UsageError``."""
        if export is None:
            return None if format is None else cls(None, format)
        if export == "-":
            return cls(None, format or FORMATS[0])
        path = Path(export)
        format = format or path.suffix.removeprefix(".").lower()
        if format not in FORMATS:
            endings = ", ".join(f".{each}" for each in FORMATS)
            raise UsageError(
                f"{printable(export, 200)} does not tell what it is to be.",
                why=f"It would, by one of these endings: {endings}.",
                next="Name the file so, or add --format.",
            )
        if path.exists() and not force:
            raise UsageError(
                f"{printable(export, 200)} is there already.",
                why="No file is replaced unless you say so.",
                next="Name another file, or add --force.",
            )
        return cls(path, format)

    def write(self, pieces: Iterator[str]) -> None:
        """Write *pieces*. Raises ``FileTrouble``."""
        if self._path is not None:
            put_pieces(self._path, (piece.encode() for piece in pieces))
            click.echo(f"Written: {printable(str(self._path), 1000)}", err=True)
        elif self.format == "svg":
            # XML says in what it is written, so the terminal has no say.
            sys.stdout.flush()
            sys.stdout.buffer.writelines(piece.encode() for piece in pieces)
            sys.stdout.buffer.flush()
        else:
            sys.stdout.writelines(pieces)


def _pieces(
    recording: Recording,
    side: Side,
    format: str,
    glyphs: Glyphs,
    first: int,
    at: int | None,
    size: tuple[int, int],
    look: Look,
    colours: dict[str, str],
) -> Iterator[str]:
    assert look.pace is not None
    match format:
        case "txt":
            yield from as_text(recording, side, glyphs)
        case "json":
            verdict = record_event("", recording.verdict)
            for name in ("event", "file", "match_id", "players", "rules", "keeper"):
                del verdict[name]  # what stands elsewhere in the document
            yield from as_json(recording, side, verdict)
        case "cast":
            replay = Replay(recording, glyphs, side=side, pace=look.pace, at=first)
            yield from as_cast(replay, *size, glyphs, style_of(colours))
        case _:
            step = recording.last if at is None else first
            replay = Replay(recording, glyphs, side=side, pace=look.pace, at=step)
            page = draw_replay(replay, *size, glyphs)
            names = " against ".join(replay.telling.names)
            title = f"Pazaak, {names}, step {step + 1}: {replay.telling.message(step)}"
            yield as_svg(page, *size, style_of(colours), title)
