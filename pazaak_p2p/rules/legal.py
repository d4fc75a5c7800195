"""What the seat that chooses now may do."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules.cards import TIEBREAKER
from pazaak_p2p.rules.inputs import Action, End, Lay, Pass, Play, Stand
from pazaak_p2p.rules.state import Phase, State
from pazaak_p2p.rules.tables import possible_values

_END_OR_STAND: Final[tuple[Action, ...]] = (End(), Stand())
_PASS: Final[tuple[Action, ...]] = (Pass(),)


def legal_actions(state: State) -> tuple[Action, ...]:
    """Every action that ``apply`` takes now from ``state.mover``; ``()`` where nobody chooses.

    Cards first, in the order of the hand, then ending and standing (or passing). A hand card that
    is hidden in *state* may be any card, so no action is listed for it.
    """
    seat = state.mover
    if seat is None:
        return ()
    if state.phase is Phase.ACT:
        if state.played:  # R8
            return _END_OR_STAND
        table = state.tables[seat]
        plays: list[Action] = [
            Play(held.position, held.card, value)
            for held in state.hands[seat]
            if not held.played and held.card is not None
            for value in possible_values(held.card, table)
        ]
        return (*plays, *_END_OR_STAND)
    if state.phase is Phase.TIE:
        lays: list[Action] = [
            Lay(held.position)
            for held in state.hands[seat]
            if not held.played and held.card is TIEBREAKER
        ]
        return (*lays, *_PASS)
    return ()
