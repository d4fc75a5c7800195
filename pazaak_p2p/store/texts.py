"""Text files that people write: bounded, in UTF-8, and with the place of what is wrong in them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pazaak_p2p.text import printable


class BadText(Exception):
    """A text file cannot be read: *what* is wrong with it, as the rest of a sentence.

    *line* and *column* count from 1 and are None where they are not known. Whoever reads the file
    makes an error of its own of it, which names the file.
    """

    def __init__(self, what: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.column = column


def read_text(path: Path, most: int) -> str:
    """The text of *path*, which may have up to *most* bytes. Raises :class:`BadText`."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BadText(f"it cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a zero byte in the name
        raise BadText("no file can have that name.") from error
    if len(data) > most:
        raise BadText(f"it has more than {most} bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # By the error's own object: without the mark that may stand at the beginning.
        line = bytes(error.object)[: error.start].count(b"\n") + 1
        raise BadText("this is not UTF-8 text.", line) from error


def place_of(text: str, *keys: str) -> tuple[int | None, int | None]:
    """Line and column of what *keys* name in the TOML *text*: a table, or a key of a table.

    As people write it, a line for each; where it stands otherwise, None.
    """
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        column = len(line) - len(line.lstrip()) + 1
        if head := re.match(r"\[\s*([^\[\]]+?)\s*\]", word):
            table = head[1].strip("\"'")
            if keys == (table,):
                return number, column
        elif (key := re.match(r"(\"[^\"]*\"|'[^']*'|[\w.-]+)\s*=", word)) is not None:
            name = key[1].strip("\"'")
            if keys in ((name,), (table, name)) and (len(keys) == 2 or not table):
                return number, column
    return None, None


def parse_toml(text: str) -> dict[str, Any]:
    """The settings that *text* holds. Raises :class:`BadText`."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # Before Python 3.14 there is nothing but tomllib's own words.
        match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        if match is not None:
            what, line, column = match[1], int(match[2]), int(match[3])
        else:
            what = str(error).removesuffix(" (at end of document)")
            line, column = text.count("\n") + 1, None
        raise BadText(f"it is no valid TOML: {printable(what)}.", line, column) from error
    except RecursionError as error:
        raise BadText("it is no valid TOML: it is nested too deeply.") from error
    except ValueError as error:  # a number of thousands of digits
        raise BadText(f"it is no valid TOML: {printable(str(error))}.") from error
