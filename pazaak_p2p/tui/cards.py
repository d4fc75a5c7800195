"""Cards as they are drawn, on the table and in the hand. Pure.

Sign and shape of a card say all that its colour says: a side card that was played as something else
than is printed on it, and a card that was flipped, carry their printed notation in the lower edge.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from pazaak_p2p.rules import Kind, Phase, Placed, SetResult, View
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Fragment, Line
from pazaak_p2p.tui.style import card_style

CARD: Final = 6
"""Columns of a drawn card."""


def chip(placed: Placed, glyphs: Glyphs) -> Fragment:
    """A card of a table in a line of text: ``[-4]``."""
    return (card_style(placed.card), f"[{faces(placed, glyphs)[0]}]")


def pips(won: int, needed: int, glyphs: Glyphs) -> Fragment:
    """Sets won and still to win."""
    return ("class:pip", glyphs.won * won + glyphs.open * (needed - won))


def faces(placed: Placed, glyphs: Glyphs) -> tuple[str, str]:
    """What a placed card shows, and what is printed on it where that is something else."""
    card, value = placed.card, placed.value
    if card is None:
        return str(value), str(-value) if value < 0 else ""
    name = glyphs.name(card)
    if card.kind is Kind.FLIP:
        return name, ""
    face = f"{value:+d}"
    return face, "" if face == name else name


def card_box(
    face: str, below: str, style: str, glyphs: Glyphs, *, tall: bool = False
) -> tuple[Line, ...]:
    """A card, six wide and three high (five if *tall*), with *below* in its lower edge."""
    left, edge, right = glyphs.top
    low_left, low_edge, low_right = glyphs.bottom
    inner = CARD - 2
    blank: list[Line] = [((style, glyphs.side + " " * inner + glyphs.side),)] * tall
    return (
        ((style, left + edge * inner + right),),
        *blank,
        ((style, glyphs.side + face.center(inner) + glyphs.side),),
        *blank,
        ((style, low_left + below.center(inner, low_edge) + low_right),),
    )


def as_it_ended(view: View, result: SetResult | None) -> View:
    """*view* with the tables of the set that is over."""
    if result is None:
        return view
    state = replace(
        view.state,
        phase=Phase.OVER,
        mover=None,
        opener=result.opener,
        tables=result.tables,
        totals=result.totals,
        stood=result.stood,
    )
    return View(view.seat, state)
