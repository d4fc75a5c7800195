"""``pazaak verify``"""

from __future__ import annotations

import json as json_format
import sys
import textwrap
import traceback
from pathlib import Path
from typing import Final

import click

from pazaak_p2p.cli.failure import describe_failure
from pazaak_p2p.cli.record_files import Folder, reading_record
from pazaak_p2p.cli.verdicts import (
    WORST_FIRST,
    exit_code,
    headline,
    pair_event,
    record_event,
    tell_record,
    tell_together,
)
from pazaak_p2p.store.record import SUFFIX as RECORD
from pazaak_p2p.store.saved_secrets import SUFFIX as SECRET
from pazaak_p2p.text import printable
from pazaak_p2p.wire.errors import Refusal
from pazaak_p2p.wire.judge import Together, Verdict, judge, judge_together
from pazaak_p2p.wire.reading import Reading
from pazaak_p2p.wire.record import ARENA
from pazaak_p2p.wire.verdict import RecordProblem

_WIDTH: Final = 80
_INDENT: Final = "  "

_EPILOG: Final = """\
\b
Exit codes, the worst first; of several files the worst counts:
  5  somebody cheated, and what they signed proves it
  2  no record, or not as a record must be
  6  a record of a newer pazaak
  4  broken off: not over, only claimed, or not all there; nobody is convicted
  0  all is proven, whoever won, by whatever end

\b
Examples:
  pazaak verify matches/2031-05-04_21-30_Ann_vs_Ben_1f0c2a9b.pzk
  pazaak verify mine.pzk theirs.pzk    both sides' records of one match
  pazaak verify --json matches/*.pzk
"""


@click.command(epilog=_EPILOG, short_help="Check the record of a match from its first byte.")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(path_type=Path),
)
@click.option(
    "--json", is_flag=True, help="One JSON object a file, and one for files of one match."
)
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def command(files: tuple[Path, ...], json: bool, debug: bool) -> int:
    """Check records of matches from the first byte: who won, or who cheated where.

    Every signature, draw, card and move is checked again, as both players' programs did. What is
    signed proves itself, whoever kept the record; what is only the keeper's word is said to be.
    Records of one match are also judged together: one may go on where the other was cut off, and
    a player who told each side something else is convicted.
    """
    # As the shell writes out matches/*: the secrets of a match are no fault in its folder.
    beside = {file.with_suffix(SECRET) for file in files if file.suffix == RECORD}
    verdicts = {file: _judge_file(file) for file in files if file not in beside}
    codes = [exit_code(verdict) for verdict in verdicts.values()]
    for file, verdict in verdicts.items():
        if debug and verdict.problem is not None:
            traceback.print_exception(verdict.problem)
        _show(file, verdict, json=json)
    for group in _matches(verdicts):
        together = _judge_together(group)
        if together is not None:
            _show_together(group, verdicts, together, json=json)
            codes.append(exit_code(together.verdict))
    return min(codes, key=WORST_FIRST.index)


# --- reading


def _judge_file(path: Path) -> Verdict:
    try:
        with reading_record(path, "verify") as pieces:
            return judge(pieces)
    except Folder as error:
        error.next = f"Type: pazaak verify {_path(path / '*.pzk')}"
        return Verdict(problem=error)
    except RecordProblem as error:
        return Verdict(problem=error)


def _matches(verdicts: dict[Path, Verdict]) -> list[list[Path]]:
    """Files of one match, wherever there are several.

    Those of an arena's pair have one match id and are two matches. But a header is not signed: next
    to one file that is not of an arena the others' word for it does not count.
    """
    groups: dict[bytes, list[Path]] = {}
    for file, verdict in verdicts.items():
        if verdict.match_id:
            groups.setdefault(verdict.match_id, []).append(file)
    return [
        group
        for group in groups.values()
        if len(group) > 1 and not all(_of_an_arena(file) for file in group)
    ]


def _of_an_arena(file: Path) -> bool:
    try:
        with reading_record(file, "verify") as pieces:
            reading = Reading(pieces)
            reading.begin()
    except (RecordProblem, Refusal):
        return False  # it is not any more what it was a moment ago
    return reading.header is not None and reading.header.software == ARENA


def _judge_together(files: list[Path]) -> Together | None:
    try:
        return judge_together([file.read_bytes() for file in files])
    except (OSError, RecordProblem):
        return None  # a file that was there a moment ago, and is not what it was


# --- telling


def _show(file: Path, verdict: Verdict, *, json: bool) -> None:
    if json:
        _emit(record_event(str(file), verdict))
        return
    problem = verdict.problem
    if problem is not None:
        named = f"{_path(file)}: {problem.what}"
        told = describe_failure(RecordProblem(named, why=problem.why, next=problem.next))
        sys.stdout.flush()
        print(told, file=sys.stderr, flush=True)
    if verdict.match_id:
        _say(f"{_path(file)}: {headline(verdict)}", tell_record(verdict))


def _show_together(
    files: list[Path], verdicts: dict[Path, Verdict], together: Together, *, json: bool
) -> None:
    names = [str(file) for file in files]
    if json:
        _emit(pair_event(names, together))
    else:
        text = tell_together(names, [verdicts[file] for file in files], together)
        title = " + ".join(_path(file) for file in files)
        _say(f"{title}: {headline(together.verdict)}", text)


def _path(file: Path) -> str:
    return printable(str(file), 1000)


def _say(title: str, text: str) -> None:
    told = textwrap.fill(
        text,
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    encoding = sys.stdout.encoding or "ascii"
    shown = f"{title}\n{told}\n".encode(encoding, "backslashreplace").decode(encoding)
    click.echo(shown)


def _emit(event: dict[str, object]) -> None:
    click.echo(json_format.dumps(event))
