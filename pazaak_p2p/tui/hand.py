"""The own hand, and beside each card what it would make of the total. Pure."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import HAND_SIZE, TARGET, Card, HandCard, Play, SetResult, View
from pazaak_p2p.tui.cards import CARD, as_it_ended, card_box
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Fragment, Line, joined, pad
from pazaak_p2p.tui.outlook import Outlook, Verdict, outlooks
from pazaak_p2p.tui.style import card_style

_HAND_COLUMN: Final = 20


def draw_hand(
    view: View,
    glyphs: Glyphs,
    *,
    tall: bool = False,
    result: SetResult | None = None,
    chosen: int = 0,
) -> list[list[Line]]:
    """The own hand as blocks beside each other, one for each card: lines of the same width.

    The card with the number *chosen*, from 1, is marked.
    """
    seen = as_it_ended(view, result)
    blocks: list[list[Line]] = []
    for number, held in enumerate(seen.state.hands[seen.seat], start=1):
        box = _hand_box(held, number, glyphs, tall, chosen == number)
        notes = list(_notes(seen, held, glyphs))
        if tall:
            notes = [(), *notes, ()]
        columns = _HAND_COLUMN - (number == HAND_SIZE)
        edge: Line = (("", " "),) if number == 1 else ()
        blocks.append(
            [(*edge, *pad((*row, *note), columns)) for row, note in zip(box, notes, strict=True)]
        )
    return blocks


def join_columns(blocks: list[list[Line]]) -> list[Line]:
    """Blocks of lines that stand beside each other, as lines."""
    return [joined(rows, "") for rows in zip(*blocks, strict=True)]


def _hand_box(
    held: HandCard, number: int, glyphs: Glyphs, tall: bool, chosen: bool
) -> tuple[Line, ...]:
    assert held.card is not None
    if held.played:
        blank: Line = (("", " " * CARD),)
        around = [blank] * (1 + tall)
        return (*around, (("class:faint", "gone".center(CARD)),), *around)
    style = card_style(held.card)
    key = f"{glyphs.says}{number}{glyphs.said}" if chosen else f"[{number}]"
    if chosen:
        style += " class:chosen"
    return card_box(glyphs.name(held.card), key, style, glyphs, tall=tall)


def _notes(view: View, held: HandCard, glyphs: Glyphs) -> tuple[Line, Line, Line]:
    """Beside a hand card, three lines of at most 13 columns."""
    looks = _plays(view, held)
    if held.card is Card.ONE_TWO and looks:
        return _grid(looks, glyphs)
    if len(looks) == 2:
        plus, minus = (
            _note(look, sign + glyphs.arrow, view, glyphs)
            for look, sign in zip(looks, "+-", strict=True)
        )
        return plus, minus, ()
    if len(looks) == 1:
        return (), _note(looks[0], glyphs.arrow, view, glyphs), ()
    return (), (), ()


def _small_notes(view: View, held: HandCard, glyphs: Glyphs) -> list[Line]:
    """The same in one line."""
    if held.card is not Card.ONE_TWO:
        return list(_notes(view, held, glyphs))
    texts: list[Line] = []
    plays = _plays(view, held)
    for look in plays:
        assert isinstance(look.action, Play)
        edge = " " if look is plays[0] else ""
        texts.append((("", f"{edge}{look.action.value:+d} "), _terse(look, glyphs)))
    return texts


def _plays(view: View, held: HandCard) -> list[Outlook]:
    return [
        look
        for look in outlooks(view)
        if isinstance(look.action, Play) and look.action.at == held.position
    ]


def _note(look: Outlook, key: str, view: View, glyphs: Glyphs) -> Line:
    return (("", f" {key} "), *_made(look, view, glyphs))


def _made(look: Outlook, view: View, glyphs: Glyphs) -> Line:
    if look.verdict is not None:
        style = {Verdict.WINS: "class:good", Verdict.LOSES: "class:bad"}.get(look.verdict, "")
        return ((style, f"{look.total} {look.verdict.value}"),)
    if look.over:
        return (("class:bad", f"{look.total} over {glyphs.bad}"),)
    if view.total > TARGET:
        return (("class:good", f"{look.total} back {glyphs.good}"),)
    if look.total == TARGET:
        return (("class:good", f"{look.total} {'stands' if look.stands else glyphs.good}"),)
    return (("", str(look.total)),)


def _grid(looks: list[Outlook], glyphs: Glyphs) -> tuple[Line, Line, Line]:
    """What a card of four values makes: its sizes above, its signs at the left."""
    rows: list[Line] = [(("", "   1   2 "),)]
    for sign, pair in zip("+-", (looks[:2], looks[2:]), strict=True):
        one, two = (_terse(look, glyphs) for look in pair)
        rows.append((("", f" {sign} "), one, ("", " "), two))
    return rows[0], rows[1], rows[2]


def _terse(look: Outlook, glyphs: Glyphs) -> Fragment:
    """The total in two columns, and a mark or a blank."""
    mark, style = " ", ""
    if look.doomed:
        mark, style = glyphs.bad, "class:bad"
    elif look.total == TARGET or look.verdict is Verdict.WINS:
        mark, style = glyphs.good, "class:good"
    return (style, f"{look.total:>2}{mark}")


def draw_small_hand(
    view: View, glyphs: Glyphs, *, result: SetResult | None = None, chosen: int = 0
) -> list[Line]:
    """The own hand, a line for each card; the one with the number *chosen* is marked."""
    seen = as_it_ended(view, result)
    lines: list[Line] = []
    for number, held in enumerate(seen.state.hands[seen.seat], start=1):
        assert held.card is not None
        if held.played:
            lines.append((("", f" {number} "), ("class:faint", "gone")))
            continue
        mark, style = (" ", card_style(held.card))
        if chosen == number:
            mark, style = glyphs.says, f"{style} class:chosen"
        face = glyphs.name(held.card).center(6)
        row: list[Fragment] = [("", f"{mark}{number} "), (style, face)]
        for note in _small_notes(seen, held, glyphs):
            row += [*note, ("", " " if note else "")]
        lines.append(tuple(row))
    return lines
