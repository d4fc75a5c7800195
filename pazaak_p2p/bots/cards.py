"""What several bots do with their cards."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import (
    SLOTS,
    TARGET,
    Action,
    Lay,
    Pass,
    Play,
    View,
    legal_actions,
    total_after,
)

ANY_TOTAL: Final = -TARGET * SLOTS
"""Lower than any total: for a card that need only bring back to 20 or less."""
_PASS: Final = Pass()


def best_card(view: View, total: int, least: int) -> Play | None:
    """The card that makes the highest total from *least* to 20, None if none does."""
    state, seat = view.state, view.seat
    best, best_total = None, least - 1
    for held in state.hands[seat]:
        card = held.card
        if held.played or card is None:
            continue
        if card.flips:
            made = total_after(state, Play(held.position, card, 0))
            if best_total < made <= TARGET:
                best, best_total = (held.position, card, 0), made
            continue
        # R14: a double is worth the card just drawn.
        for value in card.values or (state.tables[seat][-1].value,):
            if best_total < total + value <= TARGET:
                best, best_total = (held.position, card, value), total + value
    return None if best is None else Play(*best)


def lay_or_pass(view: View) -> Action:
    """At a tie: a tiebreaker if there is one (R17)."""
    return next((a for a in legal_actions(view.state) if isinstance(a, Lay)), _PASS)
