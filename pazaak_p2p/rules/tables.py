"""What placing a card does to its owner's table."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules.cards import Card
from pazaak_p2p.rules.inputs import Play
from pazaak_p2p.rules.state import Placed, State, Table

# Ten green cards are all there are (R1), so each is built once; index 0 is never drawn.
GREEN: Final = tuple(Placed(None, rank) for rank in range(11))


def place(table: Table, total: int, card: Card, value: int) -> tuple[Table, int]:
    """*table* and its *total* after the side card *card* is placed with *value*.

    Not for tables that are full, nor for values that :func:`possible_values` does not hold.
    """
    if card.flips:
        table, total = _flip(table, total, card.flips)
    return (*table, Placed(card, value)), total + value


def possible_values(card: Card, table: Table) -> tuple[int, ...]:
    """The values with which *card* can be placed on *table* now."""
    # R14: one hand card a turn (R8), so the last card is the green one of this turn.
    return card.values or (table[-1].value,)


def total_after(state: State, play: Play) -> int:
    """The total that the mover would have after *play*, which must be legal in *state*."""
    assert state.mover is not None
    table, total = state.tables[state.mover], state.totals[state.mover]
    return place(table, total, play.card, play.value)[1]


def _flip(table: Table, total: int, values: tuple[int, ...]) -> tuple[Table, int]:
    # R15: by present value, whatever the card; so a second flip turns them back.
    flipped = tuple(
        [
            Placed(placed.card, -placed.value) if placed.value in values else placed
            for placed in table
        ]
    )
    return flipped, total - 2 * sum([p.value for p in table if p.value in values])
