"""What a set is played for: chances to win the match once it is over."""

from __future__ import annotations

from typing import Final, NamedTuple

from pazaak_p2p.bots.solved.hands import Kinds, hand_numbers
from pazaak_p2p.bots.solved.tables import COUNTS, MOST_SETS, Score, Tables
from pazaak_p2p.rules import Card, Opener, Rules, Seat, Tiebreaker

TIEBREAKER: Final = Card.TIEBREAKER.number - 1
_PLUSMINUS_1: Final = Card.PLUSMINUS_1.number - 1
_WIN, _TIE = 0, 1


class Stakes(NamedTuple):
    """What a set is played for: scores and openers after it, or the end of the match."""

    score: Score
    """Sets that the own side and the opponent have to win, scaled to MOST_SETS."""
    opens: tuple[float, float, float]
    """How likely the own side opens the next set after a win, a tie, a loss."""
    final: tuple[float, float, float] | None = None
    """If no set follows: what a win, a tie and a loss are worth."""
    lays: bool = False
    """Whether a tiebreaker may be laid at a tie (R17, ``at-tie``)."""
    price: float = 0.0
    """With *final*: what each card that is still in the hand is worth beside."""


def set_stakes(rules: Rules, seat: Seat, opener: Seat, won: tuple[int, int], number: int) -> Stakes:
    """What set *number* (from 1) is played for by *seat*; *won* are (host, join)'s sets before."""
    own, theirs = won[seat], won[seat.other]
    final = None
    if rules.max_sets is not None and number >= rules.max_sets:
        final = _capped(own + 1, theirs), _capped(own, theirs), _capped(own, theirs + 1)
    score = scaled((rules.sets - own, rules.sets - theirs))
    return Stakes(score, _next_opener(rules, seat, float(opener is seat)), final, lays(rules))


def lays(rules: Rules) -> bool:
    """Whether a tiebreaker may be laid at a tie (R17, ``at-tie``)."""
    return rules.tiebreaker is Tiebreaker.AT_TIE and rules.gold


def _capped(own: int, theirs: int) -> float:
    """R20: more sets won wins, equal is a drawn match."""
    return 0.5 if own == theirs else float(own > theirs)


def _next_opener(rules: Rules, seat: Seat, opened: float) -> tuple[float, float, float]:
    match rules.opener:
        case Opener.ALTERNATE:
            return (1 - opened,) * 3
        case Opener.WINNER:
            return 1.0, opened, 0.0
        case Opener.LOSER:
            return 0.0, opened, 1.0
        case Opener.RANDOM:
            return (0.5,) * 3
        case Opener.HOST:
            return (float(seat == 0),) * 3


def scaled(score: Score) -> Score:
    """*score* as one that there are tables for, with about the same proportion."""
    most = max(score)
    if most <= MOST_SETS:
        return score
    own, theirs = (max(1, round(sets * MOST_SETS / most)) for sets in score)
    return own, theirs


class Leaves:
    """Chances to win the match once a set with these *stakes* is over."""

    def __init__(self, tables: Tables, stakes: Stakes) -> None:
        self.stakes, self._value = stakes, tables.value
        own, theirs = stakes.score
        self._scores = ((own - 1, theirs), (own, theirs), (own, theirs - 1))

    def of(self, hand: Kinds) -> list[float]:
        """15 values, ``[opponent's cards, WIN | TIE | LOSS]``, with *hand* left."""
        found = self.plain(hand)
        if self.stakes.lays and TIEBREAKER in hand:
            at = hand.index(TIEBREAKER)
            laid = self.plain(hand[:at] + hand[at + 1 :])
            for place in range(_TIE, len(found), 3):
                found[place] = max(found[place], laid[place - _TIE + _WIN])
        return found

    def plain(self, hand: Kinds) -> list[float]:
        """The same, with a tie that stays one."""
        stakes = self.stakes
        if stakes.final is not None:
            return [worth + stakes.price * len(hand) for worth in stakes.final] * COUNTS
        if stakes.lays:
            # The tables are for tiebreakers that are played; one that is laid is little but a ±1.
            hand = tuple(sorted(_PLUSMINUS_1 if kind == TIEBREAKER else kind for kind in hand))
        number = hand_numbers()[hand]
        return [
            opens * self._value(score, True, cards, number)
            + (1 - opens) * self._value(score, False, cards, number)
            for cards in range(COUNTS)
            for score, opens in zip(self._scores, stakes.opens, strict=True)
        ]
