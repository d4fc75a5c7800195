"""The table as lines of styled text: a pure function of what the own seat may see.

Drawn for 80 columns, with cards three lines high (:func:`draw`), or for small terminals down to 40
columns with cards in one line (:func:`draw_small`). Sign and shape of a card say all that its
colour says: a side card that was played as something else than is printed on it, and a card that
was flipped, carry their printed notation in the lower edge.
"""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import (
    HAND_SIZE,
    SLOTS,
    TARGET,
    Card,
    HandCard,
    Kind,
    Phase,
    Placed,
    Play,
    State,
    Table,
    Termination,
    View,
)
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Fragment, Line, clip, joined, pad, spread
from pazaak_p2p.tui.outlook import Outlook, Verdict, outlooks
from pazaak_p2p.tui.style import card_style

COLUMNS: Final = 80
SMALLEST: Final = 40
_NAME: Final = 24
_CARD: Final = 6
_HAND_COLUMN: Final = 20


def draw(view: View, opponent: str, glyphs: Glyphs) -> list[Line]:
    """The table of *view*, 12 lines of at most 80 columns. *opponent* is a name fit to be shown."""
    return [
        _opponent_header(view, opponent, glyphs, COLUMNS),
        *_cards(view.opponent_table, view.opponent_total, glyphs),
        _middle(view, opponent, glyphs, COLUMNS),
        *_cards(view.table, view.total, glyphs),
        _own_header(view, glyphs, COLUMNS),
        *_hand(view, glyphs),
    ]


def draw_small(view: View, opponent: str, glyphs: Glyphs, columns: int) -> list[Line]:
    """The same with one line a card row, for *columns* of 40 or more."""
    return [
        _opponent_header(view, opponent, glyphs, columns),
        _small_cards(view.opponent_table, view.opponent_total, glyphs),
        _middle(view, opponent, glyphs, columns),
        _small_cards(view.table, view.total, glyphs),
        _own_header(view, glyphs, columns),
        *_small_hand(view, glyphs),
    ]


def chip(placed: Placed, glyphs: Glyphs) -> Fragment:
    """A card of a table in a line of text: ``[-4]``."""
    return (card_style(placed.card), f"[{_faces(placed, glyphs)[0]}]")


def pips(won: int, needed: int, glyphs: Glyphs) -> Fragment:
    """Sets won and still to win."""
    return ("class:pip", glyphs.won * won + glyphs.open * (needed - won))


def set_number(state: State) -> int:
    """The set that is on the table, from 1."""
    outcome = state.outcome
    judged = outcome is not None and outcome.termination in (Termination.NORMAL, Termination.CAP)
    return len(state.results) + (not judged)


# Headers.


def _opponent_header(view: View, opponent: str, glyphs: Glyphs, columns: int) -> Line:
    name = clip(opponent, _NAME if columns >= COLUMNS else 12, glyphs.ellipsis)
    left: list[Fragment] = [
        ("", " "),
        ("class:name", name),
        ("", "  "),
        pips(view.opponent_won, view.state.rules.sets, glyphs),
        ("", "  "),
    ]
    for _ in range(view.opponent_cards):
        left += [("class:card.back", glyphs.back), ("", " ")]
    return spread(tuple(left), _condition(view.opponent_stands, view.opponent_total), columns)


def _own_header(view: View, glyphs: Glyphs, columns: int) -> Line:
    left = (
        ("", " "),
        ("class:name", "You"),
        ("", "  "),
        pips(view.won, view.state.rules.sets, glyphs),
    )
    return spread(left, _condition(view.stands, view.total), columns)


def _condition(stands: bool, total: int) -> Line:
    if total > TARGET:
        return (("class:total.over", f"{total} is over 20 "),)
    if stands:
        return (("class:total.twenty" if total == TARGET else "", f"stands at {total} "),)
    return ()


def _middle(view: View, opponent: str, glyphs: Glyphs, columns: int) -> Line:
    state = view.state
    name = clip(opponent, _NAME if columns >= COLUMNS else 12, glyphs.ellipsis)
    left = f"{glyphs.rule * 2} Set {set_number(state)} "
    if columns >= COLUMNS:
        sets = state.rules.sets
        left += f"{glyphs.dot} first to {sets} {'set' if sets == 1 else 'sets'} "
        if state.opener is not None:
            opener = "you" if state.opener is view.seat else name
            left += f"{glyphs.dot} {opener} opened "
    if state.phase is Phase.OVER:
        turn = "the match is over"
    elif state.mover is None:
        turn = "the cards decide who opens"
    elif state.phase is Phase.TIE:
        turn = "a tie to break"
    else:
        turn = "your turn" if state.mover is view.seat else f"{name}'s turn"
    right = f" {turn} {glyphs.rule * 2}"
    line = spread((("", left),), (("", right),), columns)
    return tuple(
        (style, text.replace(" ", glyphs.rule) if text.isspace() else text) for style, text in line
    )


# Cards on the table.


def _faces(placed: Placed, glyphs: Glyphs) -> tuple[str, str]:
    """What a placed card shows, and what is printed on it where that is something else."""
    card, value = placed.card, placed.value
    if card is None:
        return str(value), str(-value) if value < 0 else ""
    name = glyphs.name(card)
    if card.kind is Kind.FLIP:
        return name, ""
    face = f"{value:+d}"
    return face, "" if face == name else name


def card_box(face: str, below: str, style: str, glyphs: Glyphs) -> tuple[Line, Line, Line]:
    """A card, six wide and three high, with *below* in its lower edge."""
    left, edge, right = glyphs.top
    low_left, low_edge, low_right = glyphs.bottom
    inner = _CARD - 2
    return (
        ((style, left + edge * inner + right),),
        ((style, glyphs.side + face.center(inner) + glyphs.side),),
        ((style, low_left + below.center(inner, low_edge) + low_right),),
    )


def _cards(table: Table, total: int, glyphs: Glyphs) -> list[Line]:
    blank = " " * _CARD
    boxes = [card_box(*_faces(placed, glyphs), card_style(placed.card), glyphs) for placed in table]
    empty: tuple[Line, Line, Line] = (
        (("", blank),),
        (("class:faint", glyphs.slot.center(_CARD)),),
        (("", blank),),
    )
    boxes += [empty] * (SLOTS - len(table))
    digits = _big(total, glyphs)
    return [
        spread(
            (("", " "), *joined([box[row] for box in boxes], " ")),
            ((_total_style(total), digits[row]), ("", " ")),
            COLUMNS,
        )
        for row in range(3)
    ]


def _big(total: int, glyphs: Glyphs) -> tuple[str, str, str]:
    shapes = [glyphs.big[character] for character in str(total)]
    top, middle, low = (" ".join(shape[row] for shape in shapes) for row in range(3))
    return top, middle, low


def _total_style(total: int) -> str:
    if total == TARGET:
        return "class:total.twenty"
    return "class:total.over" if total > TARGET else "class:total"


def _small_cards(table: Table, total: int, glyphs: Glyphs) -> Line:
    cards: list[Fragment] = [
        (card_style(placed.card), _faces(placed, glyphs)[0].center(4)[:4]) for placed in table
    ]
    cards += [("class:faint", glyphs.slot.center(4))] * (SLOTS - len(table))
    return (*cards, (_total_style(total), f"{total:4d}"))


# The own hand, and what each card would make of the total.


def _hand(view: View, glyphs: Glyphs) -> list[Line]:
    rows: list[list[Fragment]] = [[("", " ")], [("", " ")], [("", " ")]]
    for number, held in enumerate(view.state.hands[view.seat], start=1):
        box = _hand_box(held, number, glyphs)
        notes = _notes(view, held, glyphs)
        for row in range(3):
            column = (*box[row], *notes[row])
            rows[row] += pad(column, _HAND_COLUMN - (number == HAND_SIZE))
    return [tuple(row) for row in rows]


def _hand_box(held: HandCard, number: int, glyphs: Glyphs) -> tuple[Line, Line, Line]:
    assert held.card is not None
    if held.played:
        blank: Line = (("", " " * _CARD),)
        return blank, (("class:faint", "gone".center(_CARD)),), blank
    return card_box(glyphs.name(held.card), f"[{number}]", card_style(held.card), glyphs)


def _notes(view: View, held: HandCard, glyphs: Glyphs) -> tuple[Line, Line, Line]:
    """Beside a hand card, three lines of at most 13 columns."""
    looks = [
        look
        for look in outlooks(view)
        if isinstance(look.action, Play) and look.action.at == held.position
    ]
    if held.card is Card.ONE_TWO and looks:
        pairs = [_terse(look, glyphs) for look in looks]  # +1, +2, -1, -2
        return (
            joined([pairs[0], pairs[2]], " "),
            joined([pairs[1], pairs[3]], " "),
            (),
        )
    if len(looks) == 2:
        plus, minus = (
            _note(look, sign + glyphs.arrow, view, glyphs)
            for look, sign in zip(looks, "+-", strict=True)
        )
        return plus, minus, ()
    if len(looks) == 1:
        return (), _note(looks[0], glyphs.arrow, view, glyphs), ()
    return (), (), ()


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


def _terse(look: Outlook, glyphs: Glyphs) -> Line:
    assert isinstance(look.action, Play)
    mark, style = "", ""
    if look.doomed:
        mark, style = glyphs.bad, "class:bad"
    elif look.total == TARGET or look.verdict is Verdict.WINS:
        mark, style = glyphs.good, "class:good"
    return (("", f"{look.action.value:+d} "), (style, f"{look.total:>2}{mark}".ljust(3)))


def _small_hand(view: View, glyphs: Glyphs) -> list[Line]:
    lines: list[Line] = []
    for number, held in enumerate(view.state.hands[view.seat], start=1):
        assert held.card is not None
        if held.played:
            lines.append((("", f" {number} "), ("class:faint", "gone")))
            continue
        face = glyphs.name(held.card).center(6)
        row: list[Fragment] = [("", f" {number} "), (card_style(held.card), face)]
        for note in _notes(view, held, glyphs):
            row += [*note, ("", " " if note else "")]
        lines.append(tuple(row))
    return lines
