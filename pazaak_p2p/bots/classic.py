"""A bot in the manner of the original game's opponent."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.bots.cards import ANY_TOTAL, best_card, lay_or_pass
from pazaak_p2p.rules import TARGET, Action, End, Phase, Stand, View

STANDS_AT: Final = 15
_WORTH_A_CARD: Final = 17
_END: Final = End()
_STAND: Final = Stand()
_TIE: Final = Phase.TIE


class ClassicBot:
    """Goes by totals alone, and spends its cards as they come to use.

    1. Against a player who stands it stands as soon as it matches or beats their total, and plays
       the card that makes the highest total to do so. It goes on drawing until it has.
    2. Over 20 it plays the card that brings it back to the highest total.
    3. Otherwise it stands at 15 or more, and below that plays a card that makes 17 to best 20.
    4. At a tie it lays a tiebreaker if it has one.

    Its weakness is what it does not ask: 15 seldom wins a set, and a card that is gone in the first
    set is missing in the last.
    """

    def choose(self, view: View) -> Action:
        return by_totals(view, STANDS_AT, _WORTH_A_CARD)


def by_totals(view: View, stand_at: int, worth_a_card: int) -> Action:
    """What :class:`ClassicBot` does, with other numbers."""
    state, seat = view.state, view.seat
    if state.phase is _TIE:
        return lay_or_pass(view)
    total, stands = state.totals[seat], state.stood[1 - seat]
    enough = state.totals[1 - seat] if stands else stand_at
    if enough <= total <= TARGET:
        return _STAND
    if not state.played:
        least = ANY_TOTAL if total > TARGET else max(enough if stands else worth_a_card, total + 1)
        card = best_card(view, total, least)
        if card is not None:
            return card
    return _END
