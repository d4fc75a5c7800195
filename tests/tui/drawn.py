"""The table and the hand below each other, and what is to be read on a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from pazaak_p2p.rules import SetResult, View
from pazaak_p2p.tui.deck_page import OnCard
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.hand import draw_hand, draw_small_hand, join_columns
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.table import draw_small_tables, draw_tables

Page: TypeAlias = Iterable[Iterable[tuple[str, str, object]]]
"""Rows of parts with style, text, and what a click on them means, or None."""


def draw(
    view: View,
    opponent: str,
    glyphs: Glyphs,
    *,
    tall: bool = False,
    result: SetResult | None = None,
) -> list[Line]:
    """The table of *view* and the own hand, 80 columns wide: 12 lines, or 18 with *tall* cards."""
    return [
        *draw_tables(view, opponent, glyphs, tall=tall, result=result),
        *join_columns(draw_hand(view, glyphs, tall=tall, result=result)),
    ]


def draw_small(
    view: View, opponent: str, glyphs: Glyphs, columns: int, *, result: SetResult | None = None
) -> list[Line]:
    """The same with one line a card row, for *columns* of 40 or more."""
    return [
        *draw_small_tables(view, opponent, glyphs, columns, result=result),
        *draw_small_hand(view, glyphs, result=result),
    ]


def text_of(page: Page) -> str:
    """What is to be read on *page*."""
    return "".join("".join(text for _, text, _ in row).rstrip() + "\n" for row in page)


def marks(page: Page) -> list[str]:
    """What on *page* has a style, or does something when it is clicked."""
    lines: list[str] = []
    for number, row in enumerate(page):
        runs: list[tuple[str, str]] = []
        for style, shown, target in row:
            mark = style.replace("class:", "") + (
                f" @{_named(target)}" if target is not None else ""
            )
            if not mark or not shown.strip():
                continue
            if runs and runs[-1][0] == mark:
                runs[-1] = (mark, runs[-1][1] + shown)
            else:
                runs.append((mark, shown))
        if runs:
            lines.append(f"{number:2} " + "; ".join(f"{mark}: {shown!r}" for mark, shown in runs))
    return lines


def _named(target: object) -> str:
    """What a click does: a key, or a card of the deck builder."""
    if isinstance(target, OnCard):
        return f"{target.card.text}{' out' if target.out else ''}"
    return str(target)
