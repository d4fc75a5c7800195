"""What comes of somebody's next turn, who may hold one of many hands and draw one of many cards."""

from __future__ import annotations

import numpy as np

from pazaak_p2p.bots.solved.guess import END, OVER, SLIPS, STAND, Draws, Guesser, Hands, Position
from pazaak_p2p.bots.solved.model import Floats
from pazaak_p2p.bots.solved.tables import BUST, OUTCOMES, STOOD, TOTALS, USED
from pazaak_p2p.rules import TARGET


class Scene:
    """A turn to be looked at in several positions. All that they have in common is made once."""

    def __init__(self, guesser: Guesser, hands: Hands, weights: Floats, draws: Draws) -> None:
        """*weights* ``[group, hand]``: how likely the *hands*, of one card or more, are to each
        group of those who ask.
        """
        self._guesser, self._hands, self._draws = guesser, hands, draws
        self._weights = weights[:, None]
        self._leaves: dict[int, tuple[Floats, Floats]] = {}
        count, places = hands.cards.shape
        made = draws.made[..., None] == np.arange(TOTALS)
        ways = made.sum(axis=2, dtype=np.float32)[:, hands.cards]
        # [hand, draw, place and total]: in how many ways that card makes that total.
        by_hand = ways.transpose(1, 0, 2, 3).reshape(count, draws.count, -1)
        self._by_hand: Floats = np.ascontiguousarray(by_hand)
        # The same: [total, group, draw, hand and place].
        by_total = ways.transpose(3, 0, 1, 2).reshape(TOTALS, 1, draws.count, -1)
        self._by_total: Floats = np.ascontiguousarray(by_total)
        options: Floats = draws.stays[:, None] + draws.options[:, hands.cards].sum(axis=2)
        alike = np.ones((count, OVER + 1, 2), np.float32)
        alike[:, TARGET, END] = 0
        after = np.repeat(alike[:, None], places, axis=1)
        self._slips = self._outcomes(np.float32(SLIPS) * self._weights / options, alike, after)

    def turn(self, position: Position) -> Floats:
        """``[group, draw, outcome]``: how likely each outcome is, in the order of tables.py."""
        hands, draws = self._hands, self._draws
        leaves = self._leaves.get(position.other_cards)
        if leaves is None:
            leaves = self._leaves[position.other_cards] = (
                self._guesser.leaves(position, hands.numbers),
                self._guesser.leaves(position, hands.rests),
            )
        without = self._guesser.urge(position, hands.size, leaves[0])
        after = self._guesser.urge(position, hands.size - 1, leaves[1])
        each = (after[:, :OVER, STAND] + after[:, :OVER, END])[hands.at]
        urges: Floats = (self._by_hand @ each.reshape(len(each), -1, 1))[..., 0].T
        stay = without[:, draws.kept, STAND] + without[:, draws.kept, END]
        urges += np.where(draws.bust, without[:, OVER, STAND, None], stay).T
        shares = np.float32(1 - SLIPS) * self._weights / urges
        turn: Floats = self._slips + self._outcomes(shares, without, after[hands.at])
        return turn

    def _outcomes(self, shares: Floats, without: Floats, after: Floats) -> Floats:
        """Each option is taken as often as *shares* ``[group, draw, hand]`` times its urge:
        *without* ``[hand, total, STAND | END]`` a card, *after* one ``[hand, place, ...]``.
        """
        groups, draws, hands = len(shares), self._draws, self._hands
        out = np.zeros((groups, draws.count, OUTCOMES), np.float32)
        by_card = np.repeat(shares, hands.size, axis=2)
        taken = (self._by_total * by_card).reshape(TOTALS, groups * draws.count, -1)
        chosen = taken @ after[:, :, :OVER].transpose(2, 0, 1, 3).reshape(TOTALS, -1, 2)
        chosen = chosen.reshape(TOTALS, groups, draws.count, 2)
        each = np.arange(draws.count)
        for how, first in ((STAND, STOOD), (END, 0)):
            stays = (shares * without[:, draws.kept, how].T).sum(axis=2)
            out[:, each, first + draws.kept] = np.where(draws.bust, 0, stays)
            last = USED + first + TOTALS
            out[:, :, USED + first : last] = chosen[..., how].transpose(1, 2, 0)
        out[:, :, BUST] = np.where(draws.bust, shares @ without[:, OVER, STAND], 0)
        return out
