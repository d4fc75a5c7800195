"""Text from elsewhere (peers, files) made safe to show."""

from __future__ import annotations

import unicodedata

# Control, format (bidirectional overrides, zero-width joiners), surrogate, private use,
# unassigned, line and paragraph separators: all of these can move a cursor, hide text or
# reorder what stands beside them.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str, limit: int = 300) -> str:
    """*text* with every unsafe character written as an escape, cut to *limit* characters.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    shown = "".join(
        ch if unicodedata.category(ch) not in _UNSAFE else ch.encode("unicode_escape").decode()
        for ch in text[: limit + 1]
    )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
