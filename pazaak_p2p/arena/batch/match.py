"""Matches in lanes: all lanes take a turn of the host, then all take one of the joiner.

A lane whose seat has nothing to do in a turn does nothing; a lane whose set is over begins the next
one at once, and a lane whose match is over the next match.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pazaak_p2p.arena.batch.chance import MOST_DRAWS, Chance, Shuffled
from pazaak_p2p.arena.batch.hands import HIGHEST, MOST, NONE, Hands
from pazaak_p2p.arena.batch.policy import LOW, NO_CARD, WIDTH, Policy
from pazaak_p2p.rules import (
    SLOTS,
    TARGET,
    Card,
    Nine,
    Opener,
    Rules,
    RulesOptionError,
    SideDeck,
    Tiebreaker,
    check_deck,
)

LANES: Final = 8_192
_HOST, _JOIN, _NOBODY = 0, 1, 2


class Played(NamedTuple):
    """What came of each match."""

    won: npt.NDArray[np.int8]
    """``[match, seat]``: sets won."""
    sets: npt.NDArray[np.int16]
    """Sets played, ties included."""
    cards: npt.NDArray[np.int8]
    """``[match, seat]``: hand cards played."""


def simulate(
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    policies: tuple[Policy, Policy],
    matches: int,
    seed: int,
) -> Played:
    """Play *matches* with random cards. The same *seed* gives the same matches.

    Raises ``RulesOptionError`` for options that tables cannot answer to (``auto_stand: off``,
    ``tiebreaker: at-tie``), and ``DeckError``.
    """
    return play(rules, decks, policies, matches, Shuffled(seed))


def play(
    rules: Rules,
    decks: tuple[SideDeck, SideDeck],
    policies: tuple[Policy, Policy],
    matches: int,
    chance: Chance,
    lanes: int = LANES,
) -> Played:
    """The same with cards from *chance*, in at most *lanes* matches at a time."""
    for deck in decks:
        check_deck(deck, rules)
    if not rules.auto_stand or rules.tiebreaker is Tiebreaker.AT_TIE:
        raise RulesOptionError(
            "A batch cannot be played by these rules.",
            why="It asks its tables for nothing at 20 (R11) and at a tie (R17).",
        )
    batch = _Batch(rules, decks, policies, matches, chance, min(lanes, matches))
    batch.run()
    return batch.played


class _Side:
    """One seat of every lane."""

    def __init__(self, deck: SideDeck, policy: Policy, lanes: int) -> None:
        self.hands = Hands(deck)
        self.least, self.stands = policy.least.reshape(-1), policy.stands.reshape(-1)
        self.total = np.zeros(lanes, np.int8)
        self.count = np.zeros(lanes, np.int8)
        self.stood = np.zeros(lanes, np.bool_)
        self.node = np.zeros(lanes, np.int32)
        self.won = np.zeros(lanes, np.int8)
        # Sums of the values 2, 4, -2, -4 and 3, 6, -3, -6 on the table (R15).
        self.flip = np.zeros((2, lanes), np.int8)
        self.tiebreaker = np.zeros(lanes, np.bool_)


class _Batch:
    def __init__(
        self,
        rules: Rules,
        decks: tuple[SideDeck, SideDeck],
        policies: tuple[Policy, Policy],
        matches: int,
        chance: Chance,
        lanes: int,
    ) -> None:
        self.rules, self.chance = rules, chance
        self.sides = [
            _Side(deck, policy, lanes) for deck, policy in zip(decks, policies, strict=True)
        ]
        self.played = Played(
            np.zeros((matches, 2), np.int8),
            np.zeros(matches, np.int16),
            np.zeros((matches, 2), np.int8),
        )
        self.match = np.arange(lanes, dtype=np.int32)
        self.next_match = lanes
        self.lanes = np.arange(lanes, dtype=np.int32)
        self.live = np.ones(lanes, np.bool_)
        self.order = np.zeros(lanes * MOST_DRAWS + 1, np.int8)  # one more for lanes that do nothing
        self.next_card = self.lanes * MOST_DRAWS
        self.sets = np.zeros(lanes, np.int32)
        self.opener = np.zeros(lanes, np.int8)
        self.waits = np.zeros(lanes, np.bool_)
        """Lanes whose opener sits across: the seat whose turn comes next lets it pass."""
        self.flips = any(side.hands.flip_sums for side in self.sides)
        self.next_seat = _HOST
        self._begin_matches(self.lanes)
        self._begin_sets(self.lanes, chance.openers(self.match))

    def run(self) -> None:
        seat = _HOST
        while self.live.any():
            self.next_seat = 1 - seat
            self._turn(seat)
            seat = 1 - seat

    # --- a turn

    def _turn(self, seat: int) -> None:
        side, other = self.sides[seat], self.sides[1 - seat]
        acts = ~(side.stood | self.waits)
        acts &= self.live
        self.waits[:] = False
        card = self.order.take(self.next_card)
        card *= acts
        self.next_card += acts
        side.total += card
        side.count += acts
        if self.flips:
            self._add_to_flips(side, None, card)
        if self.rules.tiebreaker is Tiebreaker.LAST:
            side.tiebreaker &= ~acts
        open_ = side.count < SLOTS
        index = self._index(side, other)
        least = side.least.take(index)
        wants = acts & (least != NO_CARD)
        wants &= side.total != TARGET
        wants &= open_
        if side.hands.reach is not None:
            # Most turns end here: no card could make the total that it takes.
            np.subtract(least, side.hands.reach, out=least, where=least != NO_CARD)
            wants &= side.total >= least
            wants &= side.total <= TARGET + MOST
        wants &= side.hands.any.take(side.node)
        at = np.flatnonzero(wants)
        if len(at):
            at = self._cards(side, at, side.least.take(index.take(at)), card)
            index[at] = self._index_at(side, other, at)
        over = side.total > TARGET
        stands = side.stands.take(index)
        stands |= side.total == TARGET
        full = side.count == SLOTS
        if self.rules.nine is Nine.STAND:
            stands |= full
        stands &= acts
        stands &= ~over
        side.stood |= stands
        ended = acts & over
        ended |= stands & other.stood
        if self.rules.nine is Nine.WIN:
            full &= acts
            ended |= full
        at = np.flatnonzero(ended)
        if len(at):
            self._end_sets(seat, at)

    def _index(self, side: _Side, other: _Side) -> npt.NDArray[np.int32]:
        index = other.stood.astype(np.int32)
        index *= WIDTH
        index += np.maximum(other.total, -LOW)
        index *= WIDTH
        index += np.maximum(side.total, -LOW)
        index += LOW * WIDTH + LOW
        return index

    def _index_at(
        self, side: _Side, other: _Side, at: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.int32]:
        index = other.stood[at].astype(np.int32)
        index *= WIDTH
        index += np.maximum(other.total[at], -LOW)
        index *= WIDTH
        index += np.maximum(side.total[at], -LOW)
        index += LOW * WIDTH + LOW
        return index

    def _cards(
        self,
        side: _Side,
        at: npt.NDArray[np.intp],
        least: npt.NDArray[np.int8],
        drawn: npt.NDArray[np.int8],
    ) -> npt.NDArray[np.intp]:
        """Play the best card in the lanes *at*; the lanes where there was one."""
        hands, node, total = side.hands, side.node[at], side.total[at]
        most = np.clip(TARGET - total, -MOST - 1, MOST).astype(np.int32)
        values = hands.fixed.take(node).astype(np.int32)
        value = HIGHEST[values, np.maximum(most, -MOST) + MOST]
        value[most < -MOST] = NONE
        has = value != NONE
        made = np.where(has, total + value, NONE)
        slot = np.where(has, hands.slot_of[node, np.where(has, value, 0) + MOST], 0)
        flip = np.full(len(at), -1, np.int8)
        if hands.gold:
            rank = drawn[at]
            self._better(made, slot, value, hands.double[node], total + rank, rank)
            for which in range(2):
                where = hands.flips[which][node]
                turned = total - 2 * side.flip[which, at]
                better = self._better(made, slot, value, where, turned, np.zeros_like(value))
                flip[better] = which
        good = (made >= least) & (made != NONE)
        at, made, slot, value, flip = at[good], made[good], slot[good], value[good], flip[good]
        node = node[good]
        side.total[at] = made
        side.count[at] += 1
        if hands.tiebreakers:
            played = hands.kinds(node, slot) == Card.TIEBREAKER.number
            side.tiebreaker[at] |= played
        side.node[at] = node | (1 << slot.astype(np.int32))
        if self.flips:
            for which in range(2):
                side.flip[which, at] *= np.where(flip == which, -1, 1).astype(np.int8)
            self._add_to_flips(side, at, value)
        return at

    @staticmethod
    def _better(
        made: npt.NDArray[np.int8],
        slot: npt.NDArray[np.int8],
        value: npt.NDArray[np.int8],
        where: npt.NDArray[np.int8],
        total: npt.NDArray[np.int8],
        worth: npt.NDArray[np.int8],
    ) -> npt.NDArray[np.bool_]:
        """Take the card in slot *where* (-1: none) if it makes more, or as much and comes first."""
        better = (where >= 0) & (total <= TARGET)
        better &= (total > made) | ((total == made) & (where < slot))
        made[better], slot[better], value[better] = total[better], where[better], worth[better]
        return better

    def _add_to_flips(
        self, side: _Side, at: npt.NDArray[np.intp] | None, value: npt.NDArray[np.int8]
    ) -> None:
        size = np.abs(value)
        for which, sizes in enumerate(((2, 4), (3, 6))):
            counts = value * ((size == sizes[0]) | (size == sizes[1]))
            if at is None:
                side.flip[which] += counts
            else:
                side.flip[which, at] += counts

    # --- the end of a set

    def _end_sets(self, seat: int, at: npt.NDArray[np.intp]) -> None:
        """The sets of the lanes *at*, where *seat* has just ended its turn, are over."""
        side, other = self.sides[seat], self.sides[1 - seat]
        own, theirs = side.total[at], other.total[at]
        wins = own > theirs
        loses = own < theirs
        tied = own == theirs
        breaks, broken = side.tiebreaker[at], other.tiebreaker[at]
        wins |= tied & breaks & ~broken
        loses |= tied & broken & ~breaks
        if self.rules.nine is Nine.WIN:
            full = side.count[at] == SLOTS
            wins |= full
            loses &= ~full
        over = own > TARGET
        wins &= ~over
        loses |= over
        side.won[at] += wins
        other.won[at] += loses
        self.sets[at] += 1
        won = [self.sides[_HOST].won[at], self.sides[_JOIN].won[at]]
        done = np.maximum(won[0], won[1]) == self.rules.sets
        if self.rules.max_sets is not None:
            done |= self.sets[at] == self.rules.max_sets
        winner = np.where(wins, seat, np.where(loses, 1 - seat, _NOBODY)).astype(np.int8)
        opener = self._next_openers(at, winner)
        if done.any():
            finished = at[done]
            self._keep(finished)
            fresh = finished[: len(self.played.sets) - self.next_match]
            self.live[finished[len(fresh) :]] = False
            self.match[fresh] = np.arange(self.next_match, self.next_match + len(fresh))
            self.next_match += len(fresh)
            self._begin_matches(fresh)
            first = self.chance.openers(self.match[fresh])
            at, opener = np.r_[at[~done], fresh], np.r_[opener[~done], first]
        self._begin_sets(at, opener)

    def _keep(self, at: npt.NDArray[np.intp]) -> None:
        match = self.match[at]
        self.played.sets[match] = self.sets[at]
        for seat, side in enumerate(self.sides):
            self.played.won[match, seat] = side.won[at]
            self.played.cards[match, seat] = np.bitwise_count(side.node[at] & 15)

    def _begin_matches(self, at: npt.NDArray[Any]) -> None:
        self.sets[at] = 0
        for seat, side in enumerate(self.sides):
            side.won[at] = 0
            side.node[at] = side.hands.nodes(self.chance.deals(self.match[at], seat))

    def _begin_sets(self, at: npt.NDArray[Any], opener: npt.NDArray[np.int8]) -> None:
        for side in self.sides:
            side.total[at] = 0
            side.count[at] = 0
            side.stood[at] = False
            side.tiebreaker[at] = False
            if self.flips:
                side.flip[:, at] = 0
        self.order[: len(self.lanes) * MOST_DRAWS].reshape(-1, MOST_DRAWS)[at] = self.chance.draws(
            self.match[at], self.sets[at]
        )
        self.next_card[at] = at * MOST_DRAWS
        self.opener[at] = opener
        self.waits[at] = opener != self.next_seat

    def _next_openers(
        self, at: npt.NDArray[np.intp], winner: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int8]:
        opener = self.opener[at]
        match self.rules.opener:
            case Opener.ALTERNATE:
                return 1 - opener
            case Opener.RANDOM:
                return self.chance.first_moves(self.match[at], self.sets[at])
            case Opener.HOST:
                return np.zeros_like(opener)
            case Opener.WINNER:
                return np.where(winner == _NOBODY, opener, winner)
            case Opener.LOSER:
                return np.where(winner == _NOBODY, opener, 1 - winner)
