"""The best response to ``master``, playing real matches."""

from __future__ import annotations

from collections.abc import Sequence

from pazaak_p2p.arena.solver.response import BUST, PARTS, STOOD, Response, Set
from pazaak_p2p.bots.master import best_of
from pazaak_p2p.bots.solved.chances import shares_left
from pazaak_p2p.bots.solved.layers import DOUBLE
from pazaak_p2p.bots.solved.model import LOSS, WIN
from pazaak_p2p.rules import (
    CARDS,
    TARGET,
    Action,
    Hand,
    Play,
    Stand,
    View,
    legal_actions,
    total_after,
)


class SeerBot:
    """Plays the response of two hands that it was told, for matches by standard rules.

    Of the green cards it counts those that are really left for the next draw, whoever's that is;
    what is later comes from an endless deck.
    """

    def __init__(self, response: Response, hands: tuple[Sequence[int], Sequence[int]]) -> None:
        """*hands*: the four positions in the side decks, own and master's, in the order of the
        response's hands.
        """
        self._response, self._hands = response, hands

    def choose(self, view: View) -> Action:
        return best_of(self.worth(view))

    def worth(self, view: View) -> dict[Action, float]:
        """The chance to win the match with each legal action."""
        state, me, other = view.state, view.seat, view.seat.other
        sets = state.rules.sets
        score = sets - state.won[me], sets - state.won[other]
        place = _Place(
            self._response.sets[score, state.opener is me],
            _left(self._hands[1], state.hands[other]),
            max(view.opponent_total, 0),
            view.opponent_stands,
            shares_left(state.deck),
        )
        part = _left(self._hands[0], state.hands[me])
        worth: dict[Action, float] = {}
        for action in legal_actions(state):
            if isinstance(action, Play):
                left = part & ~(1 << self._hands[0].index(action.at))
                worth[action] = place.placed(left, total_after(state, action))
            elif isinstance(action, Stand):
                worth[action] = place.stands(part, view.total)
            else:
                worth[action] = place.ends(part, view.total)
        return worth


def _left(dealt: Sequence[int], hand: Hand) -> int:
    """The part of the hand that has not been played."""
    played = {held.position for held in hand if held.played}
    return sum(1 << at for at, position in enumerate(dealt) if position not in played)


class _Place:
    """Where a choice is made: our chance to win the match with each."""

    def __init__(self, solved: Set, its: int, theirs: int, stand: bool, ranks: list[float]) -> None:
        """*its* part of the hand and *theirs*, the total, are master's; does it *stand*?"""
        self._set, self._ranks = solved, ranks
        self._its, self._theirs, self._stand = its, theirs, stand

    def placed(self, part: int, total: int) -> float:
        if total == TARGET:
            return self.stands(part, total)
        return max(self.stands(part, total), self.ends(part, total))

    def stands(self, part: int, total: int) -> float:
        if total > TARGET:
            return self._end(LOSS, part)
        total = max(total, 0)
        if self._stand:
            return float(self._set.judged[part, total, self._theirs, self._its])
        return self._reply(part, total, 1)

    def ends(self, part: int, total: int) -> float:
        if total > TARGET:
            return self._end(LOSS, part)
        total = max(total, 0)
        if not self._stand:
            return self._reply(part, total, 0)
        return sum(
            share * self._drawn(part, total + rank, rank)
            for rank, share in enumerate(self._ranks, 1)
            if share
        )

    def _end(self, result: int, part: int) -> float:
        return float(self._set.ends[result, part, self._its])

    def _drawn(self, part: int, total: int, rank: int) -> float:
        """Master stands, and we have drawn."""
        after = self._set.after[1]
        best = (
            self._end(LOSS, part)
            if total > TARGET
            else float(after[part, total, self._theirs, self._its])
        )
        if total == TARGET:
            return best
        for at, kind in enumerate(self._set.hand):
            if part >> at & 1:
                values = (rank,) if kind == DOUBLE else CARDS[kind].values
                left = part & ~(1 << at)
                for value in values:
                    if total + value <= TARGET:
                        new = after[left, max(total + value, 0), self._theirs, self._its]
                        best = max(best, float(new))
        return best

    def _reply(self, part: int, total: int, stands: int) -> float:
        """We end the turn, or stand, and master draws."""
        solved = self._set
        codes = solved.codes[self._its, part.bit_count(), stands, total, self._theirs]
        on = solved.alone[part, total] if stands else solved.before[0, part, total]
        stood = solved.judged[part, total] if stands else solved.before[1, part, total]
        value = 0.0
        for code, share in zip(codes.tolist(), self._ranks, strict=True):
            if code >= BUST:
                value += share * float(solved.ends[WIN, part, code - BUST])
            else:
                made, left = divmod(code % STOOD, PARTS)
                value += share * float((stood if code >= STOOD else on)[made, left])
        return value
