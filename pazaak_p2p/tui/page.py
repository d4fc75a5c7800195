"""The table on the full screen, as lines: a pure function of the scene and the terminal's size.

Complete on 80 columns and 24 lines, compact down to 40 by 16, one friendly sentence below that.
With room to spare the cards are taller and the log stands beside the table. Every part says which
key a click on it presses, so that the mouse needs no second layout.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from pazaak_p2p.tui.control import Scene
from pazaak_p2p.tui.deck_cards import card_words
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.hand import draw_hand, draw_small_hand
from pazaak_p2p.tui.helptext import help_page
from pazaak_p2p.tui.lines import Fragment, Line, clip, width, wrap
from pazaak_p2p.tui.status import status_line
from pazaak_p2p.tui.table import COLUMNS, draw_small_tables, draw_tables

ROWS: Final = 24
"""Lines of the terminal on which everything is shown."""
SMALLEST: Final = (40, 16)
"""Columns and rows of the smallest terminal that shows a table."""
_DRAWN: Final = 20
"""Rows from which cards are drawn as cards."""
_TALL: Final = 33
"""Rows from which they are drawn tall."""
_LOG_BESIDE: Final = 36
"""Columns that a log beside the table has at least."""
_LOG_WIDEST: Final = 76
_NAMES: Final = {ENTER: "Enter", ESCAPE: "Esc", BACKSPACE: "Backspace"}

Part: TypeAlias = tuple[str, str, str | None]
"""A style, a text, and the key that a click on it presses."""
Row: TypeAlias = list[Part]


def draw_page(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> list[Row]:
    """The whole page, at most *rows* lines of at most *columns*."""
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        return _too_small(scene, columns, rows)
    if scene.help:
        return [_inert(line) for line in help_page(glyphs, columns, rows)]
    if columns >= COLUMNS and rows >= _DRAWN:
        return _drawn(scene, columns, rows, glyphs)
    return _compact(scene, columns, rows, glyphs)


def _drawn(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> list[Row]:
    beside = columns - COLUMNS - 3
    if beside < _LOG_BESIDE:
        left = (columns - COLUMNS) // 2
        page = _left(scene, rows, glyphs, COLUMNS)
        page += _log_below(scene, rows - len(page) - 1, COLUMNS, glyphs)
        page = _to(page, rows - 1)
        page.append(_status(scene, COLUMNS, glyphs))
        return [[("", " " * left, None), *row] for row in page] if left else page
    log_columns = min(beside, _LOG_WIDEST)
    left = (beside - log_columns) // 2
    page = _left(scene, rows, glyphs, COLUMNS)
    above: list[Row] = [[] for _ in range((rows - 1 - len(page)) // 3)]
    page = _to([*above, *page], rows - 1)
    log = _log(scene, rows - 1, log_columns)
    log = [()] * (rows - 1 - len(log)) + log
    edge = " " * left
    whole: list[Row] = [
        [("", edge, None), *_padded(row, COLUMNS), ("", f" {glyphs.side} ", None), *_inert(line)]
        for row, line in zip(page, log, strict=True)
    ]
    return [*whole, [("", edge, None), *_status(scene, columns - left, glyphs)]]


def _left(scene: Scene, rows: int, glyphs: Glyphs, columns: int) -> list[Row]:
    """The table with all that belongs to it, but the log."""
    tall = rows >= _TALL
    page = _table(scene, glyphs, tall)
    if tall:
        page.append([])
    page += _words(scene, columns, glyphs, 3)
    return [*page, *_menu(scene, columns, glyphs)]


def _table(scene: Scene, glyphs: Glyphs, tall: bool) -> list[Row]:
    position = scene.position
    if position.view is None:
        blank: list[Row] = [[] for _ in range(5)]
        return [*blank, _title(COLUMNS, glyphs), *blank, []]
    view, result = position.view, position.result
    page = [
        _inert(line)
        for line in draw_tables(view, position.opponent, glyphs, tall=tall, result=result)
    ]
    if tall:
        page.append([])
    hand = draw_hand(view, glyphs, tall=tall, result=result, chosen=_number(scene))
    for lines in zip(*hand, strict=True):
        row: Row = []
        for number, line in enumerate(lines, start=1):
            row += [(style, text, str(number)) for style, text in line]
        page.append(row)
    return page


def _compact(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> list[Row]:
    columns = min(columns, COLUMNS)
    position = scene.position
    if position.view is None:
        page: list[Row] = [[], _title(columns, glyphs), []]
    else:
        view, result = position.view, position.result
        lines = draw_small_tables(view, position.opponent, glyphs, columns, result=result)
        page = [_inert(line) for line in lines]
        hand = draw_small_hand(view, glyphs, result=result, chosen=_number(scene))
        page += [
            [(style, text, str(number)) for style, text in line]
            for number, line in enumerate(hand, start=1)
        ]
    menu = _menu(scene, columns, glyphs)
    room = rows - 1 - len(page) - len(menu)
    page += _words(scene, columns, glyphs, min(3, room))
    page += menu
    page += _log_below(scene, rows - 1 - len(page), columns, glyphs)
    return [*_to(page, rows - 1), _status(scene, columns, glyphs)]


# Parts of both.


def _title(columns: int, glyphs: Glyphs) -> Row:
    words = "P A Z A A K"
    if columns >= COLUMNS:
        words += f"  {glyphs.dot}  nearest to 20 without going over"
    return [("class:name", words.center(columns).rstrip(), None)]


def _number(scene: Scene) -> int:
    """The number of the hand card that is chosen; 0 if none is."""
    return int(scene.chosen) if scene.card is not None and scene.chosen is not None else 0


def _words(scene: Scene, columns: int, glyphs: Glyphs, room: int) -> list[Row]:
    """How the set ended, what is asked or said, what a card does: *room* lines, always as many."""
    lines: list[Line] = []
    banner, message = scene.position.banner, scene.message
    if banner:
        lines += wrap(banner, columns - 1, " ")[:room]
    said = wrap((("", " "), *message), columns - 1, " ", hard=True)
    if len(lines) + len(said) > room and banner and not scene.held:
        lines = []  # what is asked now is more urgent than what was
    lines += said[: max(1, room - len(lines))]
    if scene.card is not None and scene.position.view is not None:
        words = card_words(scene.card, scene.position.view.state.rules)
        lines.append((("", f" {glyphs.name(scene.card)} {clip(words, columns - 8)}"),))
    return _to([_inert(line) for line in lines[:room]], room)


def _menu(scene: Scene, columns: int, glyphs: Glyphs) -> list[Row]:
    rows: list[Row] = [[]]
    if scene.talk is not None:
        room, shown = max(1, columns - 8), scene.talk
        while width((("", shown),)) > room:
            shown = shown[1:]
        rows[0] += [("class:name", " say: ", None), ("", shown, None), ("class:key", " ", None)]
        rows.append([])
    used = 0
    for entry in scene.entries:
        parts: Row = []
        for key in entry.keys:
            chosen = key == scene.chosen
            mark, style = (glyphs.says, "class:chosen") if chosen else (" ", "class:key")
            parts += [("", mark, key), (style, _NAMES.get(key, key), key)]
        if entry.meaning:
            alone = len(entry.keys) == 1 and entry.keys[0] == scene.chosen
            parts.append(("class:chosen" if alone else "", f" {entry.meaning}", entry.keys[0]))
            parts.append(("", " ", None))
        size = width(_line(parts))
        if used + size > columns and used > 0:
            rows.append([])
            used = 0
        rows[-1] += parts
        used += size
    return rows


def _log_below(scene: Scene, room: int, columns: int, glyphs: Glyphs) -> list[Row]:
    """The log under the table, in *room* lines with the rule above it."""
    if room < 1:
        return []
    if room < 3:
        return [_inert(line) for line in _log(scene, room, columns)]
    ruled: Row = [("class:faint", glyphs.rule * columns, None)]
    return [ruled, *[_inert(line) for line in _log(scene, room - 1, columns)]]


def _log(scene: Scene, room: int, columns: int) -> list[Line]:
    """The last of the log, in at most *room* lines."""
    lines: list[Line] = []
    for line in reversed(scene.log):
        if len(lines) >= room:
            break
        lines[:0] = wrap(line, columns - 1, "   ", hard=True)
    return lines[len(lines) - room :] if len(lines) > room else lines


def _status(scene: Scene, columns: int, glyphs: Glyphs) -> Row:
    between = f" {glyphs.dot} "
    return _inert(status_line(scene.status, scene.position.opponent, columns, between))


def _too_small(scene: Scene, columns: int, rows: int) -> list[Row]:
    text = (
        f"The table needs {SMALLEST[0]} columns and {SMALLEST[1]} lines; here are {columns} and"
        f" {rows}. Make the window larger: the match goes on. "
    )
    words: list[Fragment] = [("", text), *scene.message]
    return [_inert(line) for line in wrap(tuple(words), max(columns, 1))[: max(rows, 1)]]


def _inert(line: Line) -> Row:
    return [(style, text, None) for style, text in line]


def _line(row: Row) -> Line:
    return tuple([(style, text) for style, text, _ in row])


def _padded(row: Row, columns: int) -> Row:
    missing = columns - width(_line(row))
    return [*row, ("", " " * missing, None)] if missing > 0 else row


def _to(page: list[Row], rows: int) -> list[Row]:
    """*page* with as many lines as *rows* says."""
    return [*page[:rows], *([] for _ in range(rows - len(page)))]
