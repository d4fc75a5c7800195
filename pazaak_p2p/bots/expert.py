"""A bot that plays each set for itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pazaak_p2p.bots.master import best_of, plainly_ends
from pazaak_p2p.rules import Action, End, Rules, View

if TYPE_CHECKING:
    from pazaak_p2p.bots.solved.leaves import Stakes

PRICE: Final = 0.1
"""Of a card, in sets."""
_END: Final = End()
_EVEN: Final = (3, 3)


class ExpertBot:
    """Plays every set to win it, looking ahead to its end, and has one price for every card.

    It looks ahead by the same induction as ``master``: every own total, every total of the
    opponent, who stands, what is left of its hand, and an opponent with the habits of a good
    player. But a set is a set to it. A win counts 1, and anything else nothing, a tie too; each
    card that it still holds in the end counts 0.1, whichever it is: so it plays a card when that
    makes winning the set a tenth likelier.

    What ``master`` does better: a tie is not lost, and often worth standing for; a ±3 is worth more
    than a +1; the last sets are the time to spend what is left; who is behind must not save.
    """

    def __init__(self, price: float = PRICE) -> None:
        # Not before: NumPy is slow to import, and most commands need none of this.
        from pazaak_p2p.bots.solved.book import shipped_book
        from pazaak_p2p.bots.solved.chances import chances

        self._price = price
        self._book, self._chances = shipped_book(), chances
        self._book.model(_EVEN)

    def choose(self, view: View) -> Action:
        if plainly_ends(view):
            return _END
        return best_of(self._chances(view, one_set(view.state.rules, self._price), self._book))


@cache
def one_set(rules: Rules, price: float = PRICE) -> Stakes:
    """The stakes of a set that has no other after it, in sets, but for the *price* of a card."""
    from pazaak_p2p.bots.solved.leaves import Stakes, lays

    return Stakes(_EVEN, (0.5, 0.5, 0.5), (1.0, 0.0, 0.0), lays(rules), price)
