"""Text from elsewhere (peers, files) made safe to show."""

from __future__ import annotations

import unicodedata

# Control, format (bidirectional overrides, zero-width joiners), surrogate, private use,
# unassigned, line and paragraph separators: all of these can move a cursor, hide text or
# reorder what stands beside them.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters, symbols and marks that are drawn as nothing: fillers of Hangul and of Braille, a null
# note, the grapheme joiner, Khmer's inherent vowels, variation selectors.
_BLANK = frozenset(
    "\u115f\u1160\u2800\u3164\uffa0\U0001d159\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f"
)
_BLANK |= {
    chr(n) for first, size in ((0xFE00, 16), (0xE0100, 240)) for n in range(first, first + size)
}
# More marks than any script puts on one letter; a pile of them covers the lines above and below.
_MOST_MARKS = 4


def printable(text: str, limit: int = 300) -> str:
    """*text* with every unsafe character written as an escape, cut to *limit* characters.

    A text of nothing but blanks is escaped whole, so that something is always to be seen.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    blank = not text.strip()
    shown: list[str] = []
    marks = 0
    for ch in text[: limit + 1]:
        category = unicodedata.category(ch)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        safe = category not in _UNSAFE and ch not in _BLANK and marks <= _MOST_MARKS
        shown.append(ch if safe and not blank else _escaped(ch))
    line = "".join(shown)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def in_seconds(seconds: float) -> str:
    """A span of time in words.

    >>> in_seconds(1.0), in_seconds(2.5)
    ('1 second', '2.5 seconds')
    """
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"


def _escaped(ch: str) -> str:
    escape = ch.encode("unicode_escape").decode()
    return escape if escape != ch else f"\\x{ord(ch):02x}"
