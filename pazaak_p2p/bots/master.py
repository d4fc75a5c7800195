"""The strongest bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pazaak_p2p.rules import Action, Card, End, Play, View

if TYPE_CHECKING:
    from pazaak_p2p.bots.solved.book import Book

_END: Final = End()
SAFE: Final = 10
"""No card can bust a total up to this."""
_SLOTS_TO_SPARE: Final = 6
DOUBLED: Final = 7


class MasterBot:
    """Takes the action with which it wins the match most often.

    **What it knows beforehand.** Tables, made by ``python -m pazaak_p2p.arena.solver``: for each of
    the 17,550 hands of up to four cards, each score, each number of cards that the opponent holds
    and either opener, the chance to win the match from there; and the opponent's habits: how often
    it ends, stands or plays a card from each position, averaged over the hands that it may hold.
    Both follow from each other by backward induction, from the last set to the first, until the
    habits are those of the bot itself seen from across the table.

    **What it works out.** From the tables' values of the sets to come, what is left of this set,
    for its own hand and all that may be left of it: every own total, every total of the opponent,
    who stands, how many cards the opponent holds. So a card is played when that wins more often
    than keeping it for a later set, equal totals are worth just what a tie is worth at this score
    and hand, and a set may be let go to save cards for others.

    **What it counts.** For the opponent's next turn and its own next draw, the green cards that are
    really left (R1), the signs that a flip would really turn (R15), the slots (R16), a tiebreaker
    on either table (R17), the cap (R20), and the option of who opens next (R6).

    **What it guesses.** Which cards the opponent holds: every hand of the decks that ship, and some
    of any cards, is weighed by what the opponent has played and by how well that hand explains each
    of its turns, from the first of the match on: where it ended, stood or played, and where it did
    not. What the opponent will do in its next turn is corrected by that, and so is the chance that
    it lays a tiebreaker. This makes the chances truer; it seldom changes the choice.

    **What it leaves out.** What the opponent does after its next turn is averaged over hands; what
    it gains by a tiebreaker at equal totals is no part of its habits; draws later than the next
    ones come from an endless deck; matches to more than three sets are taken as matches to three
    with about that score.

    Without cards on either side and with an endless deck its play is exactly optimal.
    """

    def __init__(self, book: Book | None = None) -> None:
        """With the tables that ship, or others for studies."""
        # Not before: NumPy is slow to import, and most commands need none of this.
        from pazaak_p2p.bots.solved.belief import Believer, shipped_believer
        from pazaak_p2p.bots.solved.book import read_all, shipped_book
        from pazaak_p2p.bots.solved.chances import chances

        self._book = read_all(shipped_book() if book is None else book)
        self._believer = shipped_believer() if book is None else Believer(book)
        self._chances = chances

    def choose(self, view: View) -> Action:
        if plainly_ends(view):
            return _END
        return best_of(self.chances(view))

    def chances(self, view: View) -> dict[Action, float]:
        """The chance to win the match with each legal action, a drawn match counting half."""
        return self._chances(view, book=self._book, believer=self._believer)


def best_of(chances: dict[Action, float]) -> Action:
    """The action with the best chance; of equals, one that uses no card."""
    return max(
        chances, key=lambda action: (round(chances[action], 9), not isinstance(action, Play))
    )


def plainly_ends(view: View) -> bool:
    """Nothing worth a thought: a low total that the next card cannot bust, and nobody stands.

    (A card played there gains a little in a last set, against who never uses any: nothing that can
    be measured over whole matches.)
    """
    return (
        0 <= view.total <= SAFE
        and not view.opponent_stands
        and len(view.table) < _SLOTS_TO_SPARE
        # R14: a ten doubled is 20 at once.
        and not (view.table[-1].value >= DOUBLED and Card.DOUBLE in _cards(view))
    )


def _cards(view: View) -> list[Card | None]:
    return [held.card for held in view.hand]
