"""Sentences that fit into the terminal: broken between words, never within one."""

from __future__ import annotations

import os
import textwrap
from typing import Final, TextIO

LEAST_COLUMNS: Final = 40


def columns_of(stream: TextIO | None) -> int | None:
    """How wide the terminal is that *stream* goes to; None if it goes elsewhere."""
    try:
        assert stream is not None
        return os.get_terminal_size(stream.fileno()).columns or None
    # No terminal; closed; no real stream, or none at all.
    except (OSError, ValueError, AttributeError, AssertionError):
        return None


def fitted(text: str, stream: TextIO | None, *, head: str = "", indent: str | None = None) -> str:
    """*head* and *text*, at a terminal in lines of its width, elsewhere whole.

    Lines after the first begin with *indent*, or with as many blanks as *head* has characters.
    """
    columns = columns_of(stream)
    if columns is None:  # whole lines, for whoever searches in them
        return head + text
    return textwrap.fill(
        text,
        max(LEAST_COLUMNS, columns),
        initial_indent=head,
        subsequent_indent=" " * len(head) if indent is None else indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
