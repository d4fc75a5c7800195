"""What a seat may see (G3 of the protocol). Bots and screens get this and nothing else."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from pazaak_p2p.rules.decks import DECK_SIZE
from pazaak_p2p.rules.seats import HOST, OTHER, Seat
from pazaak_p2p.rules.state import Hand, HandCard, Phase, State, Table

_HIDDEN: Final = tuple(HandCard(position, None, False) for position in range(DECK_SIZE))
_ACT: Final = Phase.ACT
_TIE: Final = Phase.TIE


class View(msgspec.Struct, frozen=True, gc=False):
    """A match as *seat* may see it; ``state`` holds no unplayed card of the other seat."""

    seat: Seat
    state: State

    @property
    def hand(self) -> Hand:
        """The own cards that are still in the hand, in the order dealt."""
        return tuple([held for held in self.state.hands[self.seat] if not held.played])

    @property
    def opponent_cards(self) -> int:
        """How many cards the other seat still holds."""
        return sum([not held.played for held in self.state.hands[OTHER[self.seat]]])

    @property
    def table(self) -> Table:
        return self.state.tables[self.seat]

    @property
    def opponent_table(self) -> Table:
        return self.state.tables[OTHER[self.seat]]

    @property
    def total(self) -> int:
        return self.state.totals[self.seat]

    @property
    def opponent_total(self) -> int:
        return self.state.totals[OTHER[self.seat]]

    @property
    def stands(self) -> bool:
        return self.state.stood[self.seat]

    @property
    def opponent_stands(self) -> bool:
        return self.state.stood[OTHER[self.seat]]

    @property
    def won(self) -> int:
        """Sets won by the own seat."""
        return self.state.won[self.seat]

    @property
    def opponent_won(self) -> int:
        return self.state.won[OTHER[self.seat]]

    @property
    def to_choose(self) -> bool:
        """Whether the own seat has a choice to make now."""
        state = self.state
        return state.mover is self.seat and (state.phase is _ACT or state.phase is _TIE)

    @property
    def can_play(self) -> bool:
        """Whether the own seat may place a hand card now, if it holds one (R8)."""
        state = self.state
        return state.phase is _ACT and state.mover is self.seat and not state.played


def view(state: State, seat: Seat) -> View:
    """*state* as *seat* may see it."""
    (host_deck, join_deck), (host, join) = state.decks, state.hands
    if seat is HOST:
        seen = replace(state, decks=(host_deck, None), hands=(host, _mask(join)))
    else:
        seen = replace(state, decks=(None, join_deck), hands=(_mask(host), join))
    return View(seat, seen)


def public(state: State) -> State:
    """*state* as an onlooker may see it: without either seat's hidden cards."""
    host, join = state.hands
    return replace(state, decks=(None, None), hands=(_mask(host), _mask(join)))


def _mask(hand: Hand) -> Hand:
    return tuple([held if held.played else _HIDDEN[held.position] for held in hand])
