"""Lines of styled text, the common currency of everything that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.utils import get_cwidth

Fragment: TypeAlias = tuple[str, str]
"""A prompt_toolkit style and a text without line ends."""

Line: TypeAlias = tuple[Fragment, ...]


FIRM: Final = "\N{NO-BREAK SPACE}"
"""A blank at which no line is broken; it is shown as one like the others."""


def plain(line: Line) -> str:
    """The text of *line* alone, without blanks at its end."""
    return "".join(text for _, text in line).replace(FIRM, " ").rstrip()


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


def wrap(line: Line, columns: int, indent: str = "", *, hard: bool = False) -> list[Line]:
    """*line* broken at blanks into lines of at most *columns*; later ones begin with *indent*.

    A word that is longer than a line stays whole, to be copied, unless the breaks are *hard*.
    """
    lines: list[list[Fragment]] = [[]]
    used = 0
    for word in _firm(line, max(columns - len(indent), 2), hard=hard):
        text = plain(word)
        if used + get_cwidth(text) > columns and used > len(indent):
            lines.append([("", indent)])
            used = len(indent)
            style, first = word[0]
            word = ((style, first.lstrip()), *word[1:])
        lines[-1].extend((style, text.replace(FIRM, " ")) for style, text in word)
        used += width(word)
    return [tuple(fragments) for fragments in lines]


def _firm(line: Line, room: int, *, hard: bool) -> list[Line]:
    """*line* in words, also where one is styled in parts; one that needs more *room* is in its
    parts."""
    words: list[Line] = [()]
    for style, text in line:
        for piece in _words(text, room if hard else None):
            if words[-1] and words[-1][-1][1].endswith(" "):
                words.append(())
            words[-1] = (*words[-1], (style, piece))
    parts: list[Line] = []
    for word in words:
        fits = get_cwidth(plain(word)) <= room
        parts += [word] if fits else [(part,) for part in word]
    return [part for part in parts if part]


@lru_cache(maxsize=4096)
def wrapped(line: Line, columns: int, indent: str = "") -> tuple[Line, ...]:
    """As :func:`wrap`, ``hard``, for lines that are looked at again and again."""
    return tuple(wrap(line, columns, indent, hard=True))


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


def _words(text: str, most: int | None) -> list[str]:
    """*text* in pieces that end with their blanks, of *most* columns at most without these."""
    words: list[str] = []
    size = 0
    for character in text:
        own = get_cwidth(character)
        fits = words and (most is None or size + own <= most) and not words[-1].endswith(" ")
        if words and (character == " " or fits):
            words[-1] += character
            size += own
        else:
            words.append(character)
            size = own
    return words
