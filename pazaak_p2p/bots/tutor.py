"""Who sits across the table in the tutorial."""

from __future__ import annotations

from pazaak_p2p.bots.cards import ANY_TOTAL, best_card, lay_or_pass
from pazaak_p2p.rules import TARGET, Action, End, Phase, Stand, View

_ENOUGH = 17


class TutorBot:
    """Plays well enough to be an opponent, and likes to show its cards.

    It comes back from over 20 if a card of its can, plays a card that makes 18 to 20 at once, and
    stands at 17. Against somebody who stands it goes on until it has at least as much.
    """

    def choose(self, view: View) -> Action:
        if view.state.phase is Phase.TIE:
            return lay_or_pass(view)
        total = view.total
        can_play = not view.state.played
        if total > TARGET:
            return (best_card(view, total, ANY_TOTAL) if can_play else None) or End()
        enough = view.opponent_total if view.opponent_stands else _ENOUGH
        if total < enough or not view.opponent_stands:
            least = max(total, enough) + (0 if view.opponent_stands else 1)
            card = best_card(view, total, least) if can_play else None
            if card is not None:
                return card
        return Stand() if total >= enough else End()
