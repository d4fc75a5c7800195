"""The options for join codes, and where a code is read from: never from the command line.

What stands on a command line is seen by every user of the machine, and kept in the shell's history.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.errors import UsageError
from pazaak_p2p.net.code_words import NoCode, read_code
from pazaak_p2p.store import expanded
from pazaak_p2p.store.safe_files import read_trusted
from pazaak_p2p.store.trust_errors import FileExposed, TrustFileError, shown

STANDARD_INPUT: Final = "-"
_MOST_BYTES: Final = 256

F = TypeVar("F", bound=Callable[..., Any])


class CodeFileError(UsageError):
    """The file with the join code cannot be used."""

    code = "code-file"
    why = "The system did not say why."
    next = "Put the code alone into a file of your own, or use --code-file - for standard input."


def code_options(what: str) -> Callable[[F], F]:
    """The options ``--code``, which does *what*, and ``--code-file``."""

    def add(function: F) -> F:
        for option in (
            click.option(
                "--code-file",
                metavar="FILE",
                help="The join code from FILE, which only you may read; - is standard input.",
            ),
            click.option("--code", "code", is_flag=True, help=what),
        ):
            function = option(function)
        return function

    return add


def code_from_file(code: bool, code_file: str | None) -> str | None:
    """The code in *code_file*, if that is given.

    Raises ``UsageError`` if *code* is too, :class:`CodeFileError`, and ``NoCode``.
    """
    if code_file is None:
        return None
    if code:
        raise UsageError(
            "--code and --code-file cannot be given together.",
            why="The join code comes from one place.",
            next="Leave --code out: the code in the file is used.",
        )
    if code_file == STANDARD_INPUT:
        return read_code(_line(_standard_input()))
    path = expanded(code_file)
    data = _read(path)
    if len(data) > _MOST_BYTES:
        raise CodeFileError(f"{shown(path)} is no file with a join code: it is too large.")
    try:
        return read_code(data.decode("utf-8-sig", "replace").strip())
    except NoCode as error:
        error.what = f"{shown(path)}: {error.what}"
        raise


def code_from_person() -> str:
    """Ask the person at the terminal for the code, until it is one.

    Raises ``UsageError`` if there is no terminal, ``NoCode`` if the input ends.
    """
    descriptor = _standard_input()
    if not os.isatty(descriptor):
        raise UsageError(
            "There is no terminal at which to ask for the join code.",
            why="Standard input is something else, and a code is never taken from the command"
            " line, where others could see it.",
            next="Put the code into a file that only you may read, and use --code-file FILE.",
        )
    while True:
        # On standard error: standard output may be a script's.
        print("Join code: ", end="", file=sys.stderr, flush=True)
        typed = _line(descriptor)
        try:
            return read_code(typed)
        except NoCode as error:
            if not typed:  # not even the end of a line
                raise
            print(fitted(f"{error.what} {error.next}", sys.stderr), file=sys.stderr)


def _read(path: Path) -> bytes:
    """What is in *path*, and no more than tells that it is too much."""
    try:
        return read_trusted(path, _MOST_BYTES + 1, secret=True)
    except FileNotFoundError as error:
        raise CodeFileError(f"There is no file {shown(path)}.", why="Nothing is there.") from error
    except FileExposed as error:
        raise CodeFileError(
            error.what,
            why="Other users of this machine can read or change the join code.",
            next=error.next,
        ) from error
    except TrustFileError as error:
        raise CodeFileError(error.what, why=error.why) from error


def _standard_input() -> int:
    if sys.stdin is None:  # closed by whoever started us: <&-
        raise CodeFileError(why="Standard input is closed.")
    return sys.stdin.fileno()


def _line(descriptor: int) -> str:
    """The next line of *descriptor* with its end, and nothing of what comes after it.

    Byte by byte: the lines that follow may be for the table (``--plain``).
    """
    line = b""
    while len(line) < _MOST_BYTES and not line.endswith(b"\n"):
        try:
            byte = os.read(descriptor, 1)
        except OSError as error:
            raise CodeFileError(why=f"The system says: {error.strerror or error}.") from error
        if not byte:
            break
        line += byte
    return line.decode("utf-8", "replace")
