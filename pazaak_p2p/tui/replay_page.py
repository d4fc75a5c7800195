"""A recorded match on the full screen: the table's own page, and what ``?`` shows in its place."""

from __future__ import annotations

from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line, wrap
from pazaak_p2p.tui.page import SMALLEST, Row, covering, draw_page
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.table import COLUMNS


def draw_replay(replay: Replay, columns: int, rows: int, glyphs: Glyphs) -> list[Row]:
    """The whole page, at most *rows* lines of at most *columns*."""
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        text = (
            f"The table needs {SMALLEST[0]} columns and {SMALLEST[1]} lines; here are {columns}"
            f" and {rows}. Make the window larger, or press q to leave."
        )
        lines = wrap((("", text),), max(columns, 1))[: max(rows, 1)]
        return [[(style, part, None) for style, part in line] for line in lines]
    if replay.help:
        return covering(_help(glyphs, columns, rows))
    return draw_page(replay.scene(min(columns, COLUMNS)), columns, rows, glyphs)


def _help(glyphs: Glyphs, columns: int, rows: int) -> list[Line]:
    arrows = ("Left Right", "Up Down") if glyphs.ascii else ("← →", "↑ ↓")
    keys = (
        (arrows[0], "one step back, on: a card, a stand"),
        (arrows[1], "one turn back, on"),
        ("PgUp PgDn", "one set back, on"),
        ("Home End", "the beginning, the end"),
        ("1 to 9", "the set of that number"),
        ("g s", "the step, the set you type"),
        ("Space", "plays by itself, and stops"),
        ("- +", "slower, faster"),
        ("v", "from above, by either seat"),
        ("mouse", "a click presses; the wheel steps"),
        ("q", "leaves; Ctrl-C too. Ctrl-Z puts aside"),
    )
    lines: list[Line] = [
        (("class:name", " A recorded match, step by step."),),
        *((("", " "), ("class:name", key.ljust(11)), ("", text)) for key, text in keys),
    ]
    page = [part for line in lines for part in wrap(line, columns - 1, " " * 12)]
    return [*page[: rows - 1], (("class:question", " Any key goes back to the table."),)]
