"""The own hand, and beside each card what it would make of the total. Pure."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.bots.hints import Hint
from pazaak_p2p.rules import HAND_SIZE, TARGET, Card, HandCard, Phase, Play, SetResult, View
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
    keys: bool = True,
    hint: Hint | None = None,
) -> list[list[Line]]:
    """The own hand as blocks beside each other, one for each card: lines of the same width.

    The card with the number *chosen*, from 1, is marked; *keys* tells whether each is marked with
    the key that plays it. With a *hint* its chances stand there too.
    """
    seen = as_it_ended(view, result)
    blocks: list[list[Line]] = []
    for number, held in enumerate(seen.state.hands[seen.seat], start=1):
        key = f"[{number}]" if keys else ""
        if chosen == number:
            key = f"{glyphs.says}{number}{glyphs.said}"
        box = _hand_box(held, key, glyphs, tall, chosen == number)
        notes = list(_notes(seen, held, glyphs, hint))
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
    held: HandCard, key: str, glyphs: Glyphs, tall: bool, chosen: bool
) -> tuple[Line, ...]:
    if held.played:
        blank: Line = (("", " " * CARD),)
        around = [blank] * (1 + tall)
        return (*around, (("class:faint", "gone".center(CARD)),), *around)
    if held.card is None:  # nobody has shown it
        return card_box(glyphs.back, key, "class:card.back", glyphs, tall=tall)
    style = card_style(held.card)
    if chosen:
        style += " class:chosen"
    return card_box(glyphs.name(held.card), key, style, glyphs, tall=tall)


def _notes(
    view: View, held: HandCard, glyphs: Glyphs, hint: Hint | None
) -> tuple[Line, Line, Line]:
    """Beside a hand card, three lines of at most 13 columns."""
    looks = _plays(view, held)
    if held.card is Card.ONE_TWO and looks:
        return _grid(looks, glyphs, hint)
    if len(looks) == 2:
        plus, minus = (
            _note(look, sign + glyphs.arrow, view, glyphs, hint)
            for look, sign in zip(looks, "+-", strict=True)
        )
        return plus, minus, ()
    if len(looks) == 1:
        return (), _note(looks[0], glyphs.arrow, view, glyphs, hint), ()
    return (), (), ()


def _small_notes(view: View, held: HandCard, glyphs: Glyphs, hint: Hint | None) -> list[Line]:
    """The same in one line."""
    if held.card is not Card.ONE_TWO:
        return list(_notes(view, held, glyphs, hint))
    texts: list[Line] = []
    plays = _plays(view, held)
    for look in plays:
        assert isinstance(look.action, Play)
        said = _terse(look, glyphs) if hint is None else _chance(look, hint, glyphs)
        edge = " " if look is plays[0] and hint is None else ""  # chances need the column
        texts.append((("", f"{edge}{look.action.value:+d} "), said))
    return texts


def _plays(view: View, held: HandCard) -> list[Outlook]:
    return [
        look
        for look in outlooks(view)
        if isinstance(look.action, Play) and look.action.at == held.position
    ]


def _note(look: Outlook, key: str, view: View, glyphs: Glyphs, hint: Hint | None) -> Line:
    if hint is None:
        return (("", f" {key} "), *_made(look, view, glyphs))
    total = _terse(look, glyphs)
    if not look.doomed:
        total = ("", f"{look.total:>2} ")  # the mark is for the best chance now
    return (("", f" {key} "), total, ("", " "), _chance(look, hint, glyphs))


def _chance(look: Outlook, hint: Hint, glyphs: Glyphs) -> Fragment:
    """The chance in three columns, and a mark or a blank."""
    best = look.action == hint.best
    text = percent(hint.of(look.action) or 0.0)
    return ("class:good" if best else "", f"{text:>3}{glyphs.good if best else ' '}")


def percent(chance: float) -> str:
    """A chance in at most three columns: nothing that is not certain is told as 0 or 100."""
    if 0 < chance < 1:
        chance = min(max(chance, 0.01), 0.99)
    return f"{chance:.0%}" if chance < 1 else "100"


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


def _grid(looks: list[Outlook], glyphs: Glyphs, hint: Hint | None) -> tuple[Line, Line, Line]:
    """What a card of four values makes: its sizes above, its signs at the left."""
    rows: list[Line] = [(("", "   1   2 "),)]
    for sign, pair in zip("+-", (looks[:2], looks[2:]), strict=True):
        if hint is None:
            one, two = (_terse(look, glyphs) for look in pair)
        else:
            one, two = (_chance(look, hint, glyphs) for look in pair)
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
    view: View,
    glyphs: Glyphs,
    *,
    result: SetResult | None = None,
    chosen: int = 0,
    keys: bool = True,
    hint: Hint | None = None,
) -> list[Line]:
    """The own hand, a line for each card, as for :func:`draw_hand`.

    After the match only for those that are left: there is more to be told then.
    """
    over = view.state.phase is Phase.OVER
    seen = as_it_ended(view, result)
    lines: list[Line] = []
    for number, held in enumerate(seen.state.hands[seen.seat], start=1):
        key = str(number) if keys else " "
        if held.played:
            if not over:
                lines.append((("", f" {key} "), ("class:faint", "gone")))
            continue
        if held.card is None:
            lines.append((("", f" {key} "), ("class:card.back", glyphs.back.center(6))))
            continue
        mark, style = (" ", card_style(held.card))
        if chosen == number:
            mark, style = glyphs.says, f"{style} class:chosen"
        face = glyphs.name(held.card).center(6)
        row: list[Fragment] = [("", f"{mark}{key} "), (style, face)]
        row += joined([note for note in _small_notes(seen, held, glyphs, hint) if note], " ")
        lines.append(tuple(row))
    return lines
