"""The table on the full screen, as lines: a pure function of the scene and the terminal's size.

Complete on 80 columns and 24 lines, compact down to 40 by 16, one friendly sentence below that.
With room to spare the cards are taller and the log stands beside the table. Every part says which
key a click on it presses, so that the mouse needs no second layout.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from pazaak_p2p.rules import Phase
from pazaak_p2p.tui.control import LEFT, RIGHT, Scene
from pazaak_p2p.tui.deck_cards import card_words
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.hand import draw_hand, draw_small_hand
from pazaak_p2p.tui.helptext import help_page
from pazaak_p2p.tui.lines import Fragment, Line, clip, spread, width, wrap
from pazaak_p2p.tui.log import DOWN, END, HOME, PAGE_DOWN, PAGE_UP, UP, Span, lines_of, tail_of
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
_NAMES: Final = {
    ENTER: "Enter",
    ESCAPE: "Esc",
    BACKSPACE: "Backspace",
    " ": "Space",
    LEFT: "Left",
    RIGHT: "Right",
    UP: "Up",
    DOWN: "Down",
    PAGE_UP: "PgUp",
    PAGE_DOWN: "PgDn",
    HOME: "Home",
    END: "End",
}
_ARROWS: Final = {LEFT: "←", RIGHT: "→", UP: "↑", DOWN: "↓"}

Part: TypeAlias = tuple[str, str, str | None]
"""A style, a text, and the key that a click on it presses."""
Row: TypeAlias = list[Part]
Place: TypeAlias = tuple[int, int]
"""Columns and lines that the log has."""
_NOWHERE: Final = (0, 0)


def draw_page(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> list[Row]:
    """The whole page, at most *rows* lines of at most *columns*."""
    return _lay_out(scene, columns, rows, glyphs)[0]


def log_span(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> Span:
    """What is to be seen of the log on that page."""
    wide, room = _lay_out(scene, columns, rows, glyphs)[1]
    return Span(len(lines_of(scene.log, wide)) if room else 0, room)


def covering(lines: list[Line]) -> list[Row]:
    """A page in place of the table, with a last line that says how to go back, and does so."""
    *page, back = lines
    return [*map(_inert, page), [(style, text, ESCAPE) for style, text in back]]


def _lay_out(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> tuple[list[Row], Place]:
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        return _too_small(scene, columns, rows), _NOWHERE
    if scene.reading:
        return _log_alone(scene, columns, rows)
    if scene.help:
        return covering(help_page(glyphs, columns, rows)), _NOWHERE
    if columns >= COLUMNS and rows >= _DRAWN:
        return _drawn(scene, columns, rows, glyphs)
    return _compact(scene, columns, rows, glyphs)


def _drawn(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> tuple[list[Row], Place]:
    beside = columns - COLUMNS - 3
    if beside < _LOG_BESIDE:
        left = (columns - COLUMNS) // 2
        page = _left(scene, rows, glyphs, COLUMNS)
        below, place = _log_below(scene, rows - len(page) - 1, COLUMNS, glyphs)
        page = _to([*page, *below], rows - 1)
        page.append(_status(scene, COLUMNS, glyphs))
        return [[("", " " * left, None), *row] for row in page] if left else page, place
    log_columns = min(beside, _LOG_WIDEST)
    left = (beside - log_columns) // 2
    page = _left(scene, rows, glyphs, COLUMNS)
    above: list[Row] = [[] for _ in range((rows - 1 - len(page)) // 3)]
    page = _to([*above, *page], rows - 1)
    place = (log_columns, rows - 1 - (scene.top is not None))
    log = _log(scene, place)
    if scene.top is not None:
        log.append((("class:faint", f" {_where(scene, place)}"),))
    log = [()] * (rows - 1 - len(log)) + log
    edge = " " * left
    whole: list[Row] = [
        [("", edge, None), *_padded(row, COLUMNS), ("", f" {glyphs.side} ", None), *_inert(line)]
        for row, line in zip(page, log, strict=True)
    ]
    return [*whole, [("", edge, None), *_status(scene, columns - left, glyphs)]], place


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
        for line in draw_tables(
            view, position.opponent, glyphs, tall=tall, result=result, own=position.own
        )
    ]
    if tall:
        page.append([])
    keys, hint, chosen = scene.hand_keys, position.hint, _number(scene)
    hand = draw_hand(view, glyphs, tall=tall, result=result, chosen=chosen, keys=keys, hint=hint)
    for lines in zip(*hand, strict=True):
        row: Row = []
        for number, line in enumerate(lines, start=1):
            row += [(style, text, str(number) if keys else None) for style, text in line]
        page.append(row)
    return page


def _compact(scene: Scene, columns: int, rows: int, glyphs: Glyphs) -> tuple[list[Row], Place]:
    columns = min(columns, COLUMNS)
    position = scene.position
    if position.view is None:
        page: list[Row] = [[], _title(columns, glyphs), []]
        hand: list[Row] = []
    else:
        view, result = position.view, position.result
        lines = draw_small_tables(
            view, position.opponent, glyphs, columns, result=result, own=position.own
        )
        page = [_inert(line) for line in lines]
        keys, hint, chosen = scene.hand_keys, position.hint, _number(scene)
        cards = draw_small_hand(view, glyphs, result=result, chosen=chosen, keys=keys, hint=hint)
        hand = [
            [(style, text, str(number) if keys else None) for style, text in line]
            for number, line in enumerate(cards, start=1)
        ]
    menu = _menu(scene, columns, glyphs)
    room = rows - 1 - len(page) - len(hand) - len(menu)
    told = len(wrap(position.banner, columns - 1, " ")) if position.banner else 0
    told += len(wrap((("", " "), *scene.message), columns - 1, " ", hard=True))
    over = position.view is not None and position.view.state.phase is Phase.OVER
    # How a match ended, and the verdict on a record, are long, and nothing else matters then.
    most = 5 if position.lesson or over else 3
    if scene.verdict and told > min(most, room):
        hand, most, room = [], told, room + len(hand)
    page += hand
    words = _words(scene, columns, glyphs, min(most, room))
    while scene.resting and len(words) > 3 and not words[-1]:
        words.pop()  # nothing moves any more that could jump
    page += words
    page += menu
    below, place = _log_below(scene, rows - 1 - len(page), columns, glyphs)
    return [*_to([*page, *below], rows - 1), _status(scene, columns, glyphs)], place


def _log_alone(scene: Scene, columns: int, rows: int) -> tuple[list[Row], Place]:
    """The log in place of the table, and what is asked meanwhile."""
    said = wrap((("", " "), *scene.message), columns - 1, " ")[:2]
    place = (columns, rows - 2 - len(said))
    title: Line = (("class:name", " The match so far"),)
    head = spread(title, (("class:faint", f"{_where(scene, place)} "),), columns)
    page = _to([_inert(head), *map(_inert, _log(scene, place))], rows - 1 - len(said))
    back = " Arrows scroll, any other key goes back."
    return [*page, *map(_inert, said), [("class:question", back, ESCAPE)]], place


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
        if scene.resting and not scene.position.lesson:
            said = []  # the keys say it too
        else:
            lines = []  # what is asked now is more urgent than what was
    lines += said[: max(1, room - len(lines))]
    if scene.card is not None and scene.position.view is not None:
        words = card_words(scene.card, scene.position.view.state.rules)
        lines.append((("", f" {glyphs.name(scene.card)} {clip(words, columns - 8)}"),))
    return _to([_inert(line) for line in lines[:room]], room)


def _menu(scene: Scene, columns: int, glyphs: Glyphs) -> list[Row]:
    rows: list[Row] = []
    if scene.talk is not None:
        room, shown = max(1, columns - 8), scene.talk
        while width((("", shown),)) > room:
            shown = shown[1:]
        rows.append([("class:name", " say: ", None), ("", shown, None), ("class:key", " ", None)])
    menu: list[list[Row]] = [[]]
    used = 0
    for entry in scene.entries:
        parts: Row = []
        for key in entry.keys:
            chosen = key == scene.chosen
            mark, style = (glyphs.says, "class:chosen") if chosen else (" ", "class:key")
            parts += [("", mark, key), (style, _key_name(key, glyphs), key)]
        if entry.meaning:
            alone = len(entry.keys) == 1 and entry.keys[0] == scene.chosen
            parts.append(("class:chosen" if alone else "", f" {entry.meaning}", entry.keys[0]))
            if columns >= COLUMNS:
                parts.append(("", " ", None))
        size = width(_line(parts))
        if used + size > columns and used > 0:
            menu.append([])
            used = 0
        menu[-1].append(parts)
        used += size
    if len(menu) > 1 and len(menu[-1]) == 1 and len(menu[-2]) > 2:
        menu[-1].insert(0, menu[-2].pop())  # nothing stands alone, to be overlooked
    return [*rows, *([part for parts in row for part in parts] for row in menu)]


def _key_name(key: str, glyphs: Glyphs) -> str:
    if key in _ARROWS and not glyphs.ascii:
        return _ARROWS[key]
    return _NAMES.get(key, key)


def _log_below(scene: Scene, room: int, columns: int, glyphs: Glyphs) -> tuple[list[Row], Place]:
    """The log under the table, in *room* lines with the rule above it."""
    if room < 1:
        return [], _NOWHERE
    if room < 3:
        place = (columns, room)
        return [_inert(line) for line in _log(scene, place)], place
    place = (columns, room - 1)
    where = "" if scene.top is None else f" {_where(scene, place)} {glyphs.rule * 2}"
    ruled: Row = [("class:faint", where.rjust(columns, glyphs.rule), None)]
    return [ruled, *[_inert(line) for line in _log(scene, place)]], place


def _log(scene: Scene, place: Place) -> list[Line]:
    """What is to be seen of the log there."""
    columns, room = place
    if scene.top is None:
        return tail_of(scene.log, columns, room)
    lines = lines_of(scene.log, columns)
    at = min(scene.top, Span(len(lines), room).end)
    return lines[at : at + room]


def _where(scene: Scene, place: Place) -> str:
    """Which lines of the log those are."""
    columns, room = place
    span = Span(len(lines_of(scene.log, columns)), room)
    at = span.end if scene.top is None else min(scene.top, span.end)
    return f"lines {min(at + 1, span.total)}-{min(at + room, span.total)} of {span.total}"


def _status(scene: Scene, columns: int, glyphs: Glyphs) -> Row:
    if scene.foot:
        return _inert((("", " "), *scene.foot))
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
