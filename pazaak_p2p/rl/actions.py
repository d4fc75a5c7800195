"""The numbers of the actions: 37, which are all that any hand can ever do.

| number | action |
| --- | --- |
| 0 to 11 | play ``+1`` to ``+6``, ``-1`` to ``-6`` |
| 12 to 23 | play ``±1`` as +1, ``±1`` as -1, ``±2`` as +2 and so on to ``±6`` as -6 |
| 24, 25 | play ``±1T`` as +1, as -1 |
| 26 to 29 | play ``1±2`` as +1, +2, -1, -2 |
| 30, 31, 32 | play ``2&4``, ``3&6``, ``D`` |
| 33, 34 | end the turn, stand |
| 35, 36 | at a tie: lay down ``±1T``, pass (R17, ``tiebreaker: at-tie``) |

A number means the same in every match. Of two equal cards in a hand the one dealt first is played:
nothing that anybody will see, and nothing that follows, depends on which.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from pazaak_p2p.rules import (
    CARDS,
    Action,
    Card,
    End,
    Lay,
    Pass,
    Play,
    RuleError,
    Stand,
    State,
    legal_actions,
)

Mask: TypeAlias = NDArray[np.int8]


class Move(msgspec.Struct, frozen=True):
    """What a number stands for: an action without the card's place in the side deck."""

    kind: type[Action]
    card: Card | None = None
    """The card played, for ``Play``."""
    value: int | None = None
    """Its value; None for ``D``, which is worth the green card of the turn (R14)."""

    def __str__(self) -> str:
        if self.card is None:
            return _WORDS[self.kind]
        choice = f" as {self.value:+d}" if len(self.card.values) > 1 else ""
        return f"play {self.card.text}{choice}"


_WORDS: Final[dict[type[Any], str]] = {
    End: "end the turn",
    Stand: "stand",
    Lay: "lay down ±1T",
    Pass: "pass",
}

MOVES: Final = (
    *(Move(Play, card, value) for card in CARDS for value in card.values or (None,)),
    *(Move(kind) for kind in (End, Stand, Lay, Pass)),
)
"""What each number stands for."""

ACTIONS: Final = len(MOVES)
"""How many there are."""

_NUMBERS: Final = {move: number for number, move in enumerate(MOVES)}


def number_of(action: Action) -> int:
    """The number of *action*."""
    if isinstance(action, Play):
        value = action.value if action.card.values else None
        return _NUMBERS[Move(Play, action.card, value)]
    return _NUMBERS[Move(type(action))]


def action_mask(state: State) -> Mask:
    """1 for each number that ``state.mover`` may choose now, shape (37,); all 0 if nobody may."""
    mask = np.zeros(ACTIONS, np.int8)
    for action in legal_actions(state):
        mask[number_of(action)] = 1
    return mask


def action_of(number: int, state: State) -> Action:
    """The legal action of ``state.mover`` that *number* stands for.

    Raises ``IndexError`` for no number of an action, and ``RuleError`` for one not legal now.
    """
    if not 0 <= number < ACTIONS:
        raise IndexError(f"the actions go from 0 to {ACTIONS - 1}, so {number} is none")
    for action in legal_actions(state):
        if number_of(action) == number:
            return action
    raise RuleError(f"{MOVES[number]} is not legal now.")
