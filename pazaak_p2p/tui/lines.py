"""Lines of styled text, the common currency of everything that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.utils import get_cwidth

Fragment: TypeAlias = tuple[str, str]
"""A prompt_toolkit style and a text without line ends."""

Line: TypeAlias = tuple[Fragment, ...]


def plain(line: Line) -> str:
    """The text of *line* alone, without blanks at its end."""
    return "".join(text for _, text in line).rstrip()


def width(line: Line) -> int:
    """Columns that *line* takes, wide and combining characters counted as terminals do."""
    return sum(get_cwidth(text) for _, text in line)


def pad(line: Line, columns: int) -> Line:
    """*line* with blanks up to *columns*."""
    missing = columns - width(line)
    return (*line, ("", " " * missing)) if missing > 0 else line


def spread(left: Line, right: Line, columns: int) -> Line:
    """*left* and *right* at the two ends of *columns*."""
    return (*pad(left, columns - width(right)), *right)


def clip(text: str, columns: int, ellipsis: str = "…") -> str:
    """*text* cut so that it takes at most *columns*."""
    if get_cwidth(text) <= columns:
        return text
    kept = ""
    for character in text:
        if get_cwidth(kept + character) > columns - get_cwidth(ellipsis):
            break
        kept += character
    return kept + ellipsis


def wrap(line: Line, columns: int, indent: str = "") -> list[Line]:
    """*line* broken at blanks into lines of at most *columns*; later ones begin with *indent*.

    A word that is longer than a line is broken too: Chinese, say, has no blanks at all.
    """
    lines: list[list[Fragment]] = [[]]
    used = 0
    for style, text in line:
        for word in _words(text, columns - len(indent)):
            size = get_cwidth(word)
            if used + get_cwidth(word.rstrip()) > columns and used > len(indent):
                lines.append([("", indent)])
                used = len(indent)
                word = word.lstrip()
                size = get_cwidth(word)
            lines[-1].append((style, word))
            used += size
    return [tuple(fragments) for fragments in lines]


def in_encoding(text: str, encoding: str) -> str:
    """*text* with question marks, as wide, for what cannot be written in *encoding*.

    Else a terminal would get fewer columns than were counted, and the rest of its line shifts.
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(
            sign if sign.encode(encoding, "ignore") else "?" * get_cwidth(sign) for sign in text
        )
    return text


def formatted(lines: Iterable[Line]) -> FormattedText:
    """*lines* as prompt_toolkit takes them, each ended."""
    text = FormattedText()
    for line in lines:
        text.extend(line)
        text.append(("", "\n"))
    return text


def joined(parts: Sequence[Line], between: str) -> Line:
    """*parts* in one line with *between* between them."""
    line: list[Fragment] = []
    for number, part in enumerate(parts):
        if number:
            line.append(("", between))
        line.extend(part)
    return tuple(line)


def _words(text: str, columns: int) -> list[str]:
    """*text* in pieces that end with their blanks; what is wider than *columns*, sign by sign."""
    words: list[str] = []
    for character in text:
        if words and (character == " " or not words[-1].endswith(" ")):
            words[-1] += character
        else:
            words.append(character)
    pieces: list[str] = []
    for word in words:
        pieces += [word] if get_cwidth(word.rstrip()) <= columns else _signs(word)
    return pieces


def _signs(word: str) -> list[str]:
    """The characters of *word*, each with the marks and blanks that belong to it."""
    signs: list[str] = []
    for character in word:
        if signs and (character == " " or get_cwidth(character) == 0):
            signs[-1] += character
        else:
            signs.append(character)
    return signs
