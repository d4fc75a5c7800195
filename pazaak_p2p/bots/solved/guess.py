"""What somebody with a given hand would do, near enough: for many hands at once.

Every option is worth the chance to win the match that the tables and the habits (outlook.py) give
it. Better options are taken more often, and now and then just anything is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pazaak_p2p.bots.solved.book import Book
from pazaak_p2p.bots.solved.hands import KINDS, all_hands
from pazaak_p2p.bots.solved.leaves import Stakes
from pazaak_p2p.bots.solved.model import LOSS, Floats
from pazaak_p2p.bots.solved.outlook import RESULTS
from pazaak_p2p.bots.solved.past import FLIPS, NOTHING, Choice
from pazaak_p2p.bots.solved.tables import TOTALS, Score
from pazaak_p2p.rules import CARDS, HAND_SIZE, TARGET, Card, Kind

Ints: TypeAlias = npt.NDArray[np.int64]

NO_KIND: Final = KINDS
"""In the place of a card that is not there."""
TEMPERATURE: Final = 0.03
"""In chances to win the match: options that differ by less are taken about as often."""
SLIPS: Final = 0.1
"""How often just anything is done."""

_OUT_OF_REACH: Final = 99
_WAYS: Final = 4
_VALUES: Final = np.array(
    [
        (*(() if card.kind is Kind.FLIP else card.values), *[_OUT_OF_REACH] * _WAYS)[:_WAYS]
        for card in CARDS
    ]
    + [[_OUT_OF_REACH] * _WAYS]
)
"""What each kind may add, by its way to be played."""
_DOUBLE: Final = Card.DOUBLE.number - 1
_FLIPS: Final = [flip.number - 1 for flip in FLIPS]
STAND: Final = 0
END: Final = 1
OVER: Final = TOTALS
"""In the place of every total over 20."""
_WHOLE: Final = 65535
"""Values are in parts of it."""
_TOTALS: Final = np.arange(TOTALS)
_LOST: Final = np.eye(RESULTS, dtype=np.float32)[LOSS]
_JUDGED: Final = np.stack(
    [np.greater.outer(_TOTALS, _TOTALS).T, np.eye(TOTALS), np.less.outer(_TOTALS, _TOTALS).T],
    axis=2,
).astype(np.float32)
"""``[other's total, own total, WIN | TIE | LOSS]``: both stand."""


class Hands:
    """Many hands of one size."""

    def __init__(self, kinds: Ints) -> None:
        """*kinds*: ``[hand, place]``, each place a card."""
        self.kinds = np.sort(kinds, axis=1)
        count, self.size = self.kinds.shape
        self.numbers = _numbers(self.kinds)
        rests = np.empty((count, self.size), np.int64)
        for place in range(self.size):
            rests[:, place] = _numbers(np.delete(self.kinds, place, axis=1))
        rest, at = np.unique(rests, return_inverse=True)
        self.rests: Ints = rest
        """The numbers of all hands that are left when a card is played."""
        self.at: Ints = at.reshape(count, self.size)
        """``[hand, place]``: which of the rests is left without the card at that place."""
        self.cards = self.kinds.copy()
        """As *kinds*; but where a hand has two alike, one of them is NO_KIND: an option less."""
        self.cards[:, 1:][self.kinds[:, 1:] == self.kinds[:, :-1]] = NO_KIND


@cache
def _by_code() -> npt.NDArray[np.int16]:
    """The numbers of hands, by :func:`_codes`."""
    hands = np.array([hand + (NO_KIND,) * (HAND_SIZE - len(hand)) for hand in all_hands()])
    out = np.zeros((KINDS + 1) ** HAND_SIZE, np.int16)
    out[_codes(hands)] = np.arange(len(hands))
    return out


def _codes(kinds: Ints) -> Ints:
    """Hands read as numbers; places that are not there count as NO_KIND."""
    places = (KINDS + 1) ** np.arange(HAND_SIZE)
    size = kinds.shape[1]
    codes: Ints = kinds @ places[:size] + NO_KIND * places[size:].sum()
    return codes


def _numbers(kinds: Ints) -> Ints:
    """Their places in ``all_hands()``; *kinds* ascend in each."""
    return _by_code()[_codes(kinds)].astype(np.int64)


class Position(NamedTuple):
    """Where a choice is made. The *other* side is the one across the table."""

    stakes: Stakes
    other_cards: int
    other_total: int
    other_stands: bool


class Draws:
    """Draws after which a choice is made, and all that can be made of each with a card."""

    def __init__(
        self, drawn: Sequence[int], totals: Sequence[int], flipped: Sequence[tuple[int, int]]
    ) -> None:
        """*totals* with the card that was *drawn*, and with a flip (R15)."""
        self.count = len(totals)
        total = np.array(totals)
        made = total[:, None, None] + _VALUES
        made[:, _DOUBLE, 0] = total + drawn
        made[:, _FLIPS, 0] = flipped
        # All totals below zero are as good as zero.
        made = np.maximum(made, 0)
        self.made: Ints = np.where(made <= TARGET, made, OVER)
        """``[draw, kind, way]``: what it makes; OVER if that is over 20, or there is no such way.
        """
        self.options: Floats = np.float32(2) * (made <= TARGET) - (made == TARGET)
        self.options = self.options.sum(axis=2, dtype=np.float32)
        """``[draw, kind]``: to stand or to end with each of them, but at 20."""
        self.bust = total > TARGET
        self.kept: Ints = np.clip(total, 0, TARGET)
        """Totals without a card, as far as they count."""
        self.stays = np.where(self.bust | (self.kept == TARGET), 1, 2).astype(np.float32)
        """How many options there are without a card."""


class Guesser:
    """Guesses at choices by what the tables of *book* say."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def likelihood(self, choice: Choice, hands: Hands) -> Floats:
        """How likely somebody with each of the *hands* would have made that *choice*; over 0."""
        card, made = choice.card, max(choice.made, 0)
        if card != NOTHING and made > TARGET:
            # Over 20 with a card, which helps nothing, whatever else is held.
            return np.ones(len(hands.kinds), np.float32)
        stakes, others = choice.stakes, (choice.other_cards, choice.other_total)
        position = Position(stakes, *others, choice.other_stands)
        draws = Draws([choice.drawn], [choice.total], [choice.flipped])
        without = self.urge(position, hands.size, self.leaves(position, hands.numbers))
        stay = (
            without[:, OVER, STAND]
            if draws.bust[0]
            else without[:, draws.kept[0], STAND] + without[:, draws.kept[0], END]
        )
        urges, options = stay, draws.stays[0]
        if hands.size:
            after = self.urge(position, hands.size - 1, self.leaves(position, hands.rests))
            after[:, OVER] = 0
            each = (after[..., STAND] + after[..., END]).ravel()
            rows = hands.at[:, :, None] * (OVER + 1)
            each = each[rows + draws.made[0, hands.cards]].reshape(len(stay), -1)
            urges = stay + each.sum(axis=1)
            options = options + draws.options[0, hands.cards].sum(axis=1)
        how = STAND if choice.stood or made == TARGET else END
        if card != NOTHING:
            chosen = np.where(hands.cards == card, after[hands.at, made, how], 0).sum(axis=1)
        else:
            chosen = stay if draws.bust[0] else without[:, draws.kept[0], how]
        likely: Floats = (1 - SLIPS) * chosen / urges + SLIPS / options
        return likely

    def urge(self, position: Position, cards: int, leaves: Floats) -> Floats:
        """How much somebody with *cards* cards, and *leaves* after the set, wants to have each
        total, and to stand or to end with it: ``[hand, total, STAND | END]``; at OVER, to have
        lost the set.
        """
        outlook = self._book.outlook(position.stakes.score)
        theirs, other = min(max(position.other_total, 0), TARGET), position.other_cards
        results = np.empty((TOTALS + 1, 2, RESULTS), np.float32)
        if position.other_stands:
            results[:TOTALS, STAND] = _JUDGED[theirs]
            results[:TOTALS, END] = outlook.alone[cards, :, other, :, theirs]
        else:
            results[:TOTALS, STAND] = outlook.stood[cards, :, other, :, theirs]
            results[:TOTALS, END] = outlook.ended[cards, :, other, :, theirs]
        results[OVER] = _LOST
        results /= np.float32(TEMPERATURE)
        # (So small that BLAS does it on one core: to wait for another takes longer.)
        urge = leaves @ results.reshape(-1, RESULTS).T
        np.exp(urge, out=urge)
        urge = urge.reshape(-1, TOTALS + 1, 2)
        urge[:, TARGET, END] = 0
        return urge

    def leaves(self, position: Position, numbers: Ints) -> Floats:
        """``[hand, WIN | TIE | LOSS]``: chances to win the match after this set, with the hands
        *numbers* left.
        """
        stakes = position.stakes
        out = np.empty((len(numbers), RESULTS), np.float32)
        if stakes.final is not None:
            out[:] = stakes.final
            return out
        own, theirs = stakes.score
        scores = (own - 1, theirs), (own, theirs), (own, theirs - 1)
        for result, (score, opens) in enumerate(zip(scores, stakes.opens, strict=True)):
            out[:, result] = self._value(score, opens, position.other_cards, numbers)
        return out

    def _value(self, score: Score, opens: float, cards: int, numbers: Ints) -> Floats | float:
        if not score[0] or not score[1]:
            return float(not score[0])
        second, first = self._book.tables.values(score)[:, cards]
        if opens in (0, 1):
            found: Floats = (first if opens else second)[numbers] / np.float32(_WHOLE)
        else:
            found = first[numbers] * np.float32(opens / _WHOLE)
            found += second[numbers] * np.float32((1 - opens) / _WHOLE)
        return found
