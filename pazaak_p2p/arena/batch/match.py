"""Matches in lanes: all lanes take a turn of the host, then all take one of the joiner.

A lane whose seat has nothing to do in a turn does nothing; a lane whose set is over begins the next
one at once, and a lane whose match is over the next match.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pazaak_p2p.arena.batch.chance import MOST_DRAWS, Chance, Shuffled
from pazaak_p2p.arena.batch.hands import MOST, NONE, ROOMS, hands_of
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

LANES: Final = 16_384
_HOST, _JOIN, _NOBODY = 0, 1, 2
_PLAYED: Final = np.array([1, 2, 4, 8], np.int32)


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
        self.hands = hands_of(deck)
        own = np.arange(-LOW, WIDTH - LOW)
        plays = (policy.least != NO_CARD) & (own != TARGET)
        if self.hands.reach is not None:
            # Most turns end here: no card could make the total that it takes.
            plays &= own >= policy.least.astype(np.int16) - self.hands.reach
            plays &= own <= TARGET + MOST
        self.least = policy.least.reshape(-1)
        self.plays = plays.reshape(-1)
        """By position: whether a card may be played."""
        self.stands = ((policy.stands | (own == TARGET)) & (own <= TARGET)).reshape(-1)
        self.total = np.zeros(lanes, np.int8)
        self.count = np.zeros(lanes, np.int8)
        self.stood = np.zeros(lanes, np.bool_)
        self.node = np.zeros(lanes, np.intp)
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
        self.next_card = self.lanes.astype(np.intp) * MOST_DRAWS
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
        index = self._index(side.total, other)
        wants = side.plays.take(index)
        wants &= acts
        wants &= side.count < SLOTS
        wants &= side.hands.any.take(side.node)
        at = np.flatnonzero(wants)
        if len(at):
            at = self._cards(side, at, side.least.take(index.take(at)), card)
            index[at] = self._index(side.total.take(at), other, at)
        over = side.total > TARGET
        stands = side.stands.take(index)
        full = side.count == SLOTS
        if self.rules.nine is Nine.STAND:
            stands |= full & ~over
        stands &= acts
        side.stood |= stands
        ended = acts & over
        ended |= stands & other.stood
        if self.rules.nine is Nine.WIN:
            full &= acts
            ended |= full
        at = np.flatnonzero(ended)
        if len(at):
            self._end_sets(seat, at)

    @staticmethod
    def _index(
        total: npt.NDArray[np.int8], other: _Side, at: npt.NDArray[np.intp] | None = None
    ) -> npt.NDArray[np.intp]:
        """Places in the tables of a policy: with the own *total*, in the lanes *at* or all."""
        stood, theirs = other.stood, other.total
        if at is not None:
            stood, theirs = stood.take(at), theirs.take(at)
        index = stood.astype(np.int16)
        index *= WIDTH
        index += np.maximum(theirs, -LOW)
        index *= WIDTH
        index += np.maximum(total, -LOW)
        index += LOW * WIDTH + LOW
        # Of the type that NumPy would make of it for each table.
        return index.astype(np.intp)

    def _cards(
        self,
        side: _Side,
        at: npt.NDArray[np.intp],
        least: npt.NDArray[np.int8],
        drawn: npt.NDArray[np.int8],
    ) -> npt.NDArray[np.intp]:
        """Play the best card in the lanes *at*; the lanes where there was one."""
        hands, node, total = side.hands, side.node.take(at), side.total.take(at)
        room = np.clip(TARGET + MOST + 1 - total, 0, ROOMS - 1)
        best = hands.best.take(node * ROOMS + room)
        value, slot = best >> 2, best & 3
        made = total + value
        made[best == NONE] = NONE
        flip = None
        if hands.gold:
            rank = drawn.take(at)
            self._better(made, slot, value, hands.double.take(node), total + rank, rank)
            flip = np.full(len(at), -1, np.int8)
            for which in range(2):
                where = hands.flips[which].take(node)
                turned = total - 2 * side.flip[which].take(at)
                better = self._better(made, slot, value, where, turned, np.zeros_like(value))
                flip[better] = which
        good = np.flatnonzero((made >= least) & (made != NONE))
        at, node, slot = at.take(good), node.take(good), slot.take(good)
        side.total[at] = made.take(good)
        side.count[at] += 1
        if hands.tiebreakers:
            played = hands.kinds(node, slot) == Card.TIEBREAKER.number
            side.tiebreaker[at] |= played
        side.node[at] = node | _PLAYED.take(slot)
        if self.flips:
            if flip is not None:
                flipped = flip.take(good)
                for which in range(2):
                    side.flip[which, at] *= np.where(flipped == which, -1, 1).astype(np.int8)
            self._add_to_flips(side, at, value.take(good))
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
        own, theirs = side.total.take(at), other.total.take(at)
        wins = own > theirs
        loses = own < theirs
        if side.hands.tiebreakers or other.hands.tiebreakers:
            tied = own == theirs
            breaks, broken = side.tiebreaker.take(at), other.tiebreaker.take(at)
            wins |= tied & breaks & ~broken
            loses |= tied & broken & ~breaks
        if self.rules.nine is Nine.WIN:
            full = side.count.take(at) == SLOTS
            wins |= full
            loses &= ~full
        over = own > TARGET
        wins &= ~over
        loses |= over
        side.won[at] += wins
        other.won[at] += loses
        self.sets[at] += 1
        done = np.maximum(side.won.take(at), other.won.take(at)) == self.rules.sets
        if self.rules.max_sets is not None:
            done |= self.sets.take(at) == self.rules.max_sets
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
            at = np.concatenate([at[~done], fresh])
            opener = np.concatenate([opener[~done], first])
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
        opener = self.opener.take(at)
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
