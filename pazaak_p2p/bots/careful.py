"""A bot that counts cards and is sparing with its own."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.bots.cards import ANY_TOTAL, best_card, lay_or_pass
from pazaak_p2p.rules import TARGET, Action, End, Phase, Stand, View

_RISK: Final = 0.55
_SAFE: Final = 15
_END: Final = End()
_STAND: Final = Stand()


class CarefulBot:
    """Counts the green cards that are left, and keeps a card until it decides something.

    1. Over 20 it plays the card that brings it back to the highest total.
    2. Against a player who stands it plays the card that beats their total, or else one that
       matches it; it stands once it has beaten it. Having matched it, it stands if more than half
       of the green cards left would bust it, and otherwise draws.
    3. Otherwise it plays a card only to make exactly 20.
    4. It stands if more than 55 % of the green cards that are left in the deck would bust it; not
       below 15.
    5. At a tie it lays a tiebreaker if it has one.
    """

    def choose(self, view: View) -> Action:
        if view.state.phase is Phase.TIE:
            return lay_or_pass(view)
        total = view.total
        if view.opponent_stands:
            return self._against(view, total, view.opponent_total)
        if view.can_play and total != TARGET:
            card = best_card(view, total, ANY_TOTAL if total > TARGET else TARGET)
            if card is not None:
                return card
        if _SAFE <= total <= TARGET and _risk(view, total) > _RISK:
            return _STAND
        return _END

    def _against(self, view: View, total: int, theirs: int) -> Action:
        if theirs < total <= TARGET:
            return _STAND
        if view.can_play:
            least = ANY_TOTAL if total > TARGET else max(theirs, total + 1)
            card = best_card(view, total, least)
            if card is not None:
                return card
        return _STAND if total == theirs and _risk(view, total) > 0.5 else _END


def _risk(view: View, total: int) -> float:
    """The share of the green cards left that would bust *total*."""
    deck = view.state.deck
    return sum(total + rank > TARGET for rank in deck) / len(deck)
