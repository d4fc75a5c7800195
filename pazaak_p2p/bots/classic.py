"""A bot in the manner of the original game's opponent."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.bots.cards import ANY_TOTAL, best_card, lay_or_pass
from pazaak_p2p.rules import TARGET, Action, End, Phase, Stand, View

STANDS_AT: Final = 16
_GOOD: Final = 18
_END: Final = End()
_STAND: Final = Stand()


class ClassicBot:
    """Goes by totals alone, and spends its cards as they come to use.

    1. Over 20 it plays the card that brings it back to the highest total.
    2. Against a player who stands it stands as soon as it matches or beats their total, and plays
       the card that makes the highest total to do so. It goes on drawing until it has.
    3. Otherwise it stands at 16 or more, and below that plays a card that makes 18, 19 or best 20.
    4. At a tie it lays a tiebreaker if it has one.

    Its weakness is what it does not ask: a card gone in the first set is missing in the last.
    """

    def choose(self, view: View) -> Action:
        if view.state.phase is Phase.TIE:
            return lay_or_pass(view)
        total = view.total
        enough = view.opponent_total if view.opponent_stands else STANDS_AT
        if enough <= total <= TARGET:
            return _STAND
        if view.can_play:
            least = max(enough if view.opponent_stands else _GOOD, total + 1)
            card = best_card(view, total, ANY_TOTAL if total > TARGET else least)
            if card is not None:
                return card
        return _END
