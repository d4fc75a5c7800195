"""The chance to win the match with each action that a view leaves open."""

from __future__ import annotations

from typing import Final

import numpy as np

from pazaak_p2p.bots.solved.belief import Believer
from pazaak_p2p.bots.solved.book import Book, Layer, shipped_book
from pazaak_p2p.bots.solved.hands import Kinds, kinds
from pazaak_p2p.bots.solved.layers import Ties, Values
from pazaak_p2p.bots.solved.leaves import Leaves, Stakes, set_stakes
from pazaak_p2p.bots.solved.model import LOSS, RANKS, TIE, WIN, Foresight
from pazaak_p2p.bots.solved.tables import TOTALS
from pazaak_p2p.rules import (
    SLOTS,
    TARGET,
    Action,
    Card,
    End,
    HandCard,
    Lay,
    Nine,
    Phase,
    Play,
    Rules,
    Stand,
    Table,
    Tiebreaker,
    View,
    legal_actions,
    total_after,
)

ANYBODY_LAYS: Final = 0.05
"""How likely a card of which nothing is known is a tiebreaker: few hands hold one."""


def chances(
    view: View,
    stakes: Stakes | None = None,
    book: Book | None = None,
    believer: Believer | None = None,
) -> dict[Action, float]:
    """Every legal action, in their order, with the chance to win the match after it.

    A drawn match counts half. With *stakes* of another kind than the match's, what they come to.
    *book*: the shipped one, unless another is given. *believer*: who guesses what the opponent
    holds, from what it has done; without one it is taken to be anybody.
    Empty where the seat has no choice.
    """
    if not view.to_choose:
        return {}
    stakes = match_stakes(view) if stakes is None else stakes
    return (_Tie if view.state.phase is Phase.TIE else _Turn)(
        view, stakes, shipped_book() if book is None else book, believer
    ).chances()


def shares_left(deck: bytes) -> list[float]:
    """How likely the next green card from *deck* is of each rank, 1 to 10 (R1)."""
    return [deck.count(rank) / len(deck) for rank in RANKS]


def match_stakes(view: View) -> Stakes:
    """What the set is played for."""
    state = view.state
    opener = view.seat.other if state.opener is None else state.opener
    return set_stakes(state.rules, view.seat, opener, state.won, len(state.results) + 1)


def _ties(rules: Rules, own: Table, theirs: Table) -> Ties:
    """What equal totals come to as the tables are (R17)."""
    if rules.tiebreaker is Tiebreaker.AT_TIE:
        return Ties(TIE, TIE)

    def has(table: Table) -> bool:
        if rules.tiebreaker is Tiebreaker.LAST:
            return bool(table) and table[-1].card is Card.TIEBREAKER
        return any(placed.card is Card.TIEBREAKER for placed in table)

    if has(theirs):
        return Ties(TIE if has(own) else LOSS, TIE)
    return Ties(WIN if has(own) else TIE, WIN)


class _Turn:
    """One choice in phase ACT."""

    def __init__(self, view: View, stakes: Stakes, book: Book, believer: Believer | None) -> None:
        state = view.state
        self._view, self._rules = view, state.rules
        self._theirs = view.opponent_total
        self._stands = view.opponent_stands
        self._cards = view.opponent_cards
        self._slots = len(view.table)
        # R16: ended by that card alone.
        self._their_ninth = len(view.opponent_table) + 1 == SLOTS and self._rules.nine is Nine.WIN
        self._book, self._stakes = book, stakes
        self._foresight: Foresight = book.habits(stakes.score)
        if believer is not None and self._cards and not self._stands:
            self._foresight = believer.foresight(view, self._foresight)
        left = shares_left(state.deck)
        self._ranks = np.array(left)
        self._draws = [(rank, share) for rank, share in enumerate(left, 1) if share]
        self._ties = _ties(state.rules, view.table, view.opponent_table)

    def chances(self) -> dict[Action, float]:
        view = self._view
        held = view.hand
        whole = self._layer(held, self._ties)
        known: dict[tuple[Kinds, int, Ties], float] = {}
        out: dict[Action, float] = {}
        for action in legal_actions(view.state):
            match action:
                case Play():
                    total = total_after(view.state, action)
                    rest = tuple(card for card in held if card.position != action.at)
                    ties = self._ties
                    if action.card is Card.TIEBREAKER:
                        ties = Ties(ties.played, ties.played)
                    key = (kinds(_known(rest)), total, ties)
                    if key not in known:
                        known[key] = self._placed(self._layer(rest, ties), total)
                    out[action] = known[key]
                case Stand():
                    out[action] = self._stand(whole, view.total)
                case End():
                    out[action] = self._end(whole, view.total, self._slots)
        return out

    def _layer(self, held: tuple[HandCard, ...], ties: Ties) -> Layer:
        return self._book.layer(
            self._stakes, kinds(_known(held)), self._cards, ties, self._foresight
        )

    def _placed(self, layer: Layer, total: int) -> float:
        """A card has been placed, with *total* on the table now."""
        slots = self._slots + 1
        if total > TARGET:
            return layer.lost
        if slots == SLOTS:  # R16
            return layer.won if self._rules.nine is Nine.WIN else self._stand(layer, total)
        stand = self._stand(layer, total)
        if total == TARGET:
            return stand
        return max(stand, self._end(layer, total, slots))

    def _stand(self, layer: Layer, total: int) -> float:
        if total > TARGET:
            return layer.lost
        if self._stands:
            return layer.judged(total, self._theirs)
        if self._their_ninth:
            return self._nine(layer)
        return layer.standing(total, self._theirs, self._ranks)

    def _end(self, layer: Layer, total: int, slots: int) -> float:
        if total > TARGET:
            return layer.lost
        if self._stands:
            theirs = min(max(self._theirs, 0), TARGET)
            return float(self._draw(layer, total, slots)[1, theirs])
        if self._their_ninth:
            return self._nine(layer)

        def draws(after: Layer) -> Values:
            return self._draw(after, total, slots)

        return layer.ending(total, self._theirs, self._ranks, draws)

    def _nine(self, layer: Layer) -> float:
        """R16: the opponent draws its ninth card."""
        return sum(
            weight * (layer.lost if self._theirs + rank <= TARGET else layer.won)
            for rank, weight in self._draws
        )

    def _draw(self, layer: Layer, total: int, slots: int) -> Values:
        """The own next draw, from the rest of the deck as it is now: ``[opponent stands, its
        total]``.
        """
        if slots + 1 < SLOTS:
            return layer.before_draw(total, self._ranks)
        return np.array(
            [
                [self._ninth(layer, total, stands, theirs) for theirs in range(TOTALS)]
                for stands in (False, True)
            ]
        )

    def _ninth(self, layer: Layer, total: int, stands: bool, theirs: int) -> float:
        """R16: the next card is the ninth."""
        value = 0.0
        for rank, weight in self._draws:
            made = total + rank
            if made > TARGET:
                value += weight * layer.lost
            elif self._rules.nine is Nine.WIN:
                value += weight * layer.won
            elif stands:
                value += weight * layer.judged(made, theirs)
            else:
                value += weight * layer.stand(made, theirs)
        return value


def _known(held: tuple[HandCard, ...]) -> list[Card]:
    return [card.card for card in held if card.card is not None]


class _Tie:
    """Lay a tiebreaker or pass (R17, ``at-tie``)."""

    def __init__(self, view: View, stakes: Stakes, book: Book, believer: Believer | None) -> None:
        self._view, self._leaves = view, Leaves(book.tables, stakes)
        self._believer = believer

    def chances(self) -> dict[Action, float]:
        view = self._view
        held = view.hand
        leaves = self._leaves
        theirs = 1 - view.seat
        laid = view.state.laid[theirs]
        asked_next = view.state.opener is view.seat and view.opponent_cards > 0
        if not asked_next:
            may = float(laid)
        elif self._believer is None:
            may = ANYBODY_LAYS * view.opponent_cards
        else:
            may = self._believer.lays(view)
        out: dict[Action, float] = {}
        for action in legal_actions(view.state):
            if isinstance(action, Lay):
                rest = tuple(card for card in held if card.position != action.at)
                out[action] = self._worth(leaves.plain(kinds(_known(rest))), WIN, TIE, may)
            else:
                out[action] = self._worth(leaves.plain(kinds(_known(held))), TIE, LOSS, may)
        return out

    def _worth(self, leaves: list[float], unless: int, if_: int, chance: float) -> float:
        at = 3 * self._view.opponent_cards
        return (1 - chance) * leaves[at + unless] + chance * leaves[at + if_]
