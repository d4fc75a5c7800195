"""A bot with one number: where it stands."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.bots.cards import ANY_TOTAL, best_card, lay_or_pass
from pazaak_p2p.rules import TARGET, Action, End, Phase, Stand, View

STANDARD: Final = 17
_WORTH_A_CARD: Final = 18
_END: Final = End()
_STAND: Final = Stand()


def parse_stand_at(text: str) -> int | None:
    """The total that *text* names, from 1 to 20; None if it names none."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0
    return number if 1 <= number <= TARGET else None


class ThresholdBot:
    """Stands at 17 or more, or at N as ``threshold:N`` says, and knows three uses of a card.

    1. Over 20: back to the highest total of 20 or less that a card makes.
    2. Against an opponent who stands: to beat their total, or, if that is N or more, at least to
       equal it. It goes on drawing until it has.
    3. Otherwise, below N: to make 18, 19 or best 20 (from N, if that is higher).

    Of two cards that make the same total it plays the one dealt first. At a tie it lays its
    tiebreaker if it has one.
    """

    def __init__(self, stand_at: int = STANDARD) -> None:
        """*stand_at* is N, 1 to 20."""
        self._stand_at = stand_at

    def choose(self, view: View) -> Action:
        state, seat = view.state, view.seat
        if state.phase is Phase.TIE:
            return lay_or_pass(view)
        total, stand_at = state.totals[seat], self._stand_at
        theirs = state.totals[1 - seat] if state.stood[1 - seat] else None
        enough = stand_at if theirs is None else theirs + 1
        if enough <= total <= TARGET:
            return _STAND
        if not state.played:
            if total > TARGET:
                least = ANY_TOTAL
            elif theirs is None:
                least = max(stand_at, _WORTH_A_CARD)
            else:
                least = max(theirs if theirs >= stand_at else enough, total + 1)
            card = best_card(view, total, least)
            if card is not None:
                return card
        # A tie that is not low enough to be worth the risk of another card.
        return _STAND if total == theirs and total >= stand_at else _END
