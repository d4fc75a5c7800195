"""The table as lines of styled text: a pure function of what the own seat may see.

Drawn for 80 columns, with cards three lines high (:func:`draw_tables`), or for small terminals down
to 40 columns with cards in one line (:func:`draw_small_tables`). The own hand is drawn in ``hand``.
"""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import (
    SLOTS,
    TARGET,
    Phase,
    SetResult,
    State,
    Table,
    Termination,
    View,
)
from pazaak_p2p.tui.cards import CARD, as_it_ended, card_box, faces, pips
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Fragment, Line, clip, joined, spread
from pazaak_p2p.tui.names import NAME_COLUMNS
from pazaak_p2p.tui.style import card_style

COLUMNS: Final = 80
SMALLEST: Final = 40


def draw_tables(
    view: View,
    opponent: str,
    glyphs: Glyphs,
    *,
    tall: bool = False,
    result: SetResult | None = None,
    own: str | None = None,
) -> list[Line]:
    """The table of *view*, at most 80 columns wide: 9 lines, or 13 with *tall* cards.

    *opponent* is a name fit to be shown; *own* is that of the own seat where it is not "you".
    *result* is a set that is over and still to be looked at, with its cards on the table. Cards of
    the opponent's hand that are known are shown.
    """
    seen = as_it_ended(view, result)
    return [
        _opponent_header(seen, opponent, glyphs, COLUMNS),
        *_cards(seen.opponent_table, seen.opponent_total, glyphs, tall),
        _middle(seen, opponent, glyphs, COLUMNS, result, own),
        *_cards(seen.table, seen.total, glyphs, tall),
        _own_header(seen, glyphs, COLUMNS, own),
    ]


def draw_small_tables(
    view: View,
    opponent: str,
    glyphs: Glyphs,
    columns: int,
    *,
    result: SetResult | None = None,
    own: str | None = None,
) -> list[Line]:
    """The same with one line a card row, for *columns* of 40 or more.

    An opponent's hand that is known has a line of its own.
    """
    seen = as_it_ended(view, result)
    open_hand = _is_open(seen)
    return [
        _opponent_header(seen, opponent, glyphs, columns, hand=not open_hand),
        *([(("", " holds "), *_opponent_hand(seen, glyphs))] if open_hand else []),
        _small_cards(seen.opponent_table, seen.opponent_total, glyphs),
        _middle(seen, opponent, glyphs, columns, result, own),
        _small_cards(seen.table, seen.total, glyphs),
        _own_header(seen, glyphs, columns, own),
    ]


def set_number(state: State) -> int:
    """The set that is on the table, from 1."""
    outcome = state.outcome
    judged = outcome is not None and outcome.termination in (Termination.NORMAL, Termination.CAP)
    return len(state.results) + (not judged)


def _opponent_header(
    view: View, opponent: str, glyphs: Glyphs, columns: int, *, hand: bool = True
) -> Line:
    name = clip(opponent, NAME_COLUMNS if columns >= COLUMNS else 12, glyphs.ellipsis)
    left: list[Fragment] = [
        ("", " "),
        ("class:name", name),
        ("", "  "),
        pips(view.opponent_won, view.state.rules.sets, glyphs),
        ("", "  "),
    ]
    if hand:
        left += _opponent_hand(view, glyphs)
    return spread(tuple(left), _condition(view.opponent_stands, view.opponent_total), columns)


def _opponent_hand(view: View, glyphs: Glyphs) -> Line:
    """What the opponent holds still: face up as far as it is known."""
    hand: list[Fragment] = []
    for held in view.state.hands[view.seat.other]:
        if held.played:
            continue
        if held.card is None:
            hand += [("class:card.back", glyphs.back), ("", " ")]
        else:
            hand += [(card_style(held.card), f"[{glyphs.name(held.card)}]"), ("", " ")]
    return tuple(hand)


def _is_open(view: View) -> bool:
    hand = view.state.hands[view.seat.other]
    return any(held.card is not None and not held.played for held in hand)


def _own_header(view: View, glyphs: Glyphs, columns: int, own: str | None) -> Line:
    name = clip(own or "You", NAME_COLUMNS if columns >= COLUMNS else 12, glyphs.ellipsis)
    left = (
        ("", " "),
        ("class:name", name),
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


def _middle(
    view: View,
    opponent: str,
    glyphs: Glyphs,
    columns: int,
    result: SetResult | None,
    own: str | None,
) -> Line:
    state = view.state
    number = set_number(state) if result is None else result.number
    most = NAME_COLUMNS if columns >= COLUMNS else 12
    name = clip(opponent, most, glyphs.ellipsis)
    mine = None if own is None else clip(own, most, glyphs.ellipsis)
    left = f"{glyphs.rule * 2} Set {number} "
    if columns >= COLUMNS:
        sets = state.rules.sets
        left += f"{glyphs.dot} first to {sets} {'set' if sets == 1 else 'sets'} "
        if state.opener is not None:
            opener = (mine or "you") if state.opener is view.seat else name
            left += f"{glyphs.dot} {opener} opened "
    if state.outcome is not None:
        turn = "the match is over"
    elif result is not None:
        turn = "the set is over"
    elif state.mover is None:
        turn = "the cards decide who opens"
    elif state.phase is Phase.TIE:
        turn = "a tie to break"
    elif state.mover is view.seat and mine is None:
        turn = "your turn"
    else:
        turn = f"{mine if state.mover is view.seat else name}'s turn"
    right = f" {turn} {glyphs.rule * 2}"
    line = spread((("", left),), (("", right),), columns)
    return tuple(
        (style, text.replace(" ", glyphs.rule) if text.isspace() else text) for style, text in line
    )


def _cards(table: Table, total: int, glyphs: Glyphs, tall: bool) -> list[Line]:
    blank: Line = (("", " " * CARD),)
    boxes = [
        card_box(*faces(placed, glyphs), card_style(placed.card), glyphs, tall=tall)
        for placed in table
    ]
    around = [blank] * (1 + tall)
    empty = (*around, (("class:faint", glyphs.slot.center(CARD)),), *around)
    boxes += [empty] * (SLOTS - len(table))
    digits = ["", *_big(total, glyphs), ""] if tall else list(_big(total, glyphs))
    return [
        spread(
            (("", " "), *joined([box[row] for box in boxes], " ")),
            ((_total_style(total), digits[row]), ("", " ")),
            COLUMNS,
        )
        for row in range(len(digits))
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
    cards: list[Fragment] = []
    for placed in table:
        cards += [(card_style(placed.card), faces(placed, glyphs)[0].center(3)), ("", " ")]
    cards += [("class:faint", f" {glyphs.slot}  ")] * (SLOTS - len(table))
    return (*cards, (_total_style(total), f"{total:4d}"))
