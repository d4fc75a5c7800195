"""What a learner sees: numbers made of ``view(seat)``, the same fields in every match.

All are whole numbers (``int16``). *Own* is the seat that looks, *other* the one across the table.
:data:`FIELDS` says which slice of the vector is which, in this order:

| field | numbers | what |
| --- | --- | --- |
| ``to_choose`` | 1 | 1: own choice, -1: the other's, 0: nobody's |
| ``at_tie`` | 1 | 1 if the choice is whether to lay down a ``±1T`` (R17) |
| ``card_placed`` | 1 | 1 if the mover has placed its hand card of this turn (R8) |
| ``opens`` | 1 | 1: own seat opened this set, -1: the other, 0: not known |
| ``totals`` | 2 | own, other |
| ``stands`` | 2 | 1 for who stands: own, other |
| ``laid`` | 2 | 1 for who has laid a ``±1T`` at this tie: own, other |
| ``sets_needed`` | 2 | sets still to be won for the match: own, other |
| ``sets_left`` | 1 | sets that can still begin or go on (R20); -1 without end |
| ``green_left`` | 10 | green cards of each rank 1 to 10 left in the set's deck |
| ``hand`` | 23 | own cards in the hand, of each kind |
| ``hand_played`` | 23 | own cards used in this match, of each kind |
| ``other_hand`` | 1 | cards in the other's hand |
| ``other_played`` | 23 | the other's cards used in this match, of each kind |
| ``table`` | 18 | own table, nine slots: what card, what value; as placed |
| ``other_table`` | 18 | the other's |

The kinds are in the order of ``rules.CARDS``. On a table a card is 0 for an empty slot, 1 for a
green one, and 2 to 24 for the side cards, whose value is as it is now, all flips done (R15).
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pazaak_p2p.rl.actions import ACTIONS, Mask, action_mask
from pazaak_p2p.rules import CARDS, SLOTS, Hand, Phase, Seat, Table, View

Vector: TypeAlias = NDArray[np.int16]
Observation: TypeAlias = dict[str, Vector | Mask]

_KINDS: Final = len(CARDS)
_RANKS: Final = 10
_MOST_VALUE: Final = 10
_MOST_TOTAL: Final = SLOTS * _MOST_VALUE
_MOST_SETS: Final = 999
_HAND: Final = 4
# Each field: how many numbers, and the least and the greatest that they can be.
_SHAPES: Final = {
    "to_choose": (1, -1, 1),
    "at_tie": (1, 0, 1),
    "card_placed": (1, 0, 1),
    "opens": (1, -1, 1),
    "totals": (2, -_MOST_TOTAL, _MOST_TOTAL),
    "stands": (2, 0, 1),
    "laid": (2, 0, 1),
    "sets_needed": (2, 0, 9),
    "sets_left": (1, -1, _MOST_SETS),
    "green_left": (_RANKS, 0, 4),
    "hand": (_KINDS, 0, _HAND),
    "hand_played": (_KINDS, 0, _HAND),
    "other_hand": (1, 0, _HAND),
    "other_played": (_KINDS, 0, _HAND),
    "table": (2 * SLOTS, -_MOST_VALUE, _KINDS + 1),
    "other_table": (2 * SLOTS, -_MOST_VALUE, _KINDS + 1),
}


def _slices() -> dict[str, slice]:
    found, at = {}, 0
    for name, (count, _, _) in _SHAPES.items():
        found[name] = slice(at, at + count)
        at += count
    return found


FIELDS: Final = _slices()
"""Where each field is in the vector."""

SIZE: Final = sum(count for count, _, _ in _SHAPES.values())
"""How many numbers the vector has."""


def observation_space() -> spaces.Dict:
    """Of what :func:`observe` gives: ``observation`` and ``action_mask``."""
    low, high = (
        np.concatenate([np.full(shape[0], shape[at], np.int16) for shape in _SHAPES.values()])
        for at in (1, 2)
    )
    return spaces.Dict(
        {
            "observation": spaces.Box(low, high, dtype=np.int16),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
        }
    )


def observe(view: View) -> Observation:
    """What *view* shows, and the mask of what its seat may choose now: all 0 if it may not.

    Nothing comes from elsewhere, so no card that is hidden from the seat can be in it.
    """
    state, seat, other = view.state, view.seat, view.seat.other
    own_hand, other_hand = state.hands[seat], state.hands[other]
    most = state.rules.max_sets
    vector = [
        _sign(state.mover, seat) if state.phase in (Phase.ACT, Phase.TIE) else 0,
        state.phase is Phase.TIE,
        state.played,
        _sign(state.opener, seat),
        *(view.total, view.opponent_total),
        *(view.stands, view.opponent_stands),
        *(state.laid[seat], state.laid[other]),
        *(state.rules.sets - view.won, state.rules.sets - view.opponent_won),
        -1 if most is None else most - len(state.results),
        *(state.deck.count(rank) for rank in range(1, _RANKS + 1)),
        *_kinds(own_hand, played=False),
        *_kinds(own_hand, played=True),
        view.opponent_cards,
        *_kinds(other_hand, played=True),
        *_slots(view.table),
        *_slots(view.opponent_table),
    ]
    return {
        "observation": np.array(vector, np.int16),
        "action_mask": action_mask(state) if view.to_choose else np.zeros(ACTIONS, np.int8),
    }


def _sign(whose: Seat | None, seat: Seat) -> int:
    return 0 if whose is None else 1 if whose is seat else -1


def _kinds(hand: Hand, *, played: bool) -> list[int]:
    counts = [0] * _KINDS
    for held in hand:
        if held.played is played and held.card is not None:
            counts[held.card.number - 1] += 1
    return counts


def _slots(table: Table) -> list[int]:
    numbers: list[int] = []
    for placed in table:
        numbers += (1 if placed.card is None else 1 + placed.card.number, placed.value)
    return numbers + [0] * (2 * SLOTS - len(numbers))
