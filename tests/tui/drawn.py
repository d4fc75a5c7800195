"""The table and the hand below each other, and what is to be read on a page."""

from __future__ import annotations

from collections.abc import Iterable

from pazaak_p2p.rules import SetResult, View
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.hand import draw_hand, draw_small_hand, join_columns
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.table import draw_small_tables, draw_tables


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


def text_of(page: Iterable[Iterable[tuple[str, str, object]]]) -> str:
    """What is to be read on *page*."""
    return "".join("".join(text for _, text, _ in row).rstrip() + "\n" for row in page)
