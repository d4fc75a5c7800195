"""A bot that plays as beginners do."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from pazaak_p2p.bots.cards import lay_or_pass
from pazaak_p2p.rules import (
    TARGET,
    Action,
    End,
    Phase,
    Play,
    Stand,
    View,
    legal_actions,
    total_after,
)

STANDS_AT: Final = 16
_CARD_FROM: Final = 12


class NoviceBot:
    """Knows the rules, and little else.

    - It stands at 16 or more, whatever the opponent has: also when the opponent stands at 19.
    - Below that, from 12 up, it throws a coin; on heads it plays the first card of its hand that
      raises the total without passing 20, however little that helps: so its hand is soon gone.
    - Over 20 it plays the first card that brings it back, not the best one, and stands if that
      leaves 16 or more.
    - At a tie it lays a tiebreaker if it has one.

    It never asks what the opponent has, what is left in the deck, or what a card is worth later.
    The coins follow from the seed: coin i is the last bit of ``HMAC-SHA-256(seed, i)``, i as 8
    bytes, big-endian.
    """

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._coins = 0

    def choose(self, view: View) -> Action:
        state, total = view.state, view.total
        actions = legal_actions(state)
        if state.phase is Phase.TIE:
            return lay_or_pass(view)
        if total > TARGET or (_CARD_FROM <= total < STANDS_AT and view.can_play and self._heads()):
            least = 0 if total > TARGET else total + 1
            for action in actions:
                if isinstance(action, Play) and least <= total_after(state, action) <= TARGET:
                    return action
        return Stand() if STANDS_AT <= total <= TARGET else End()

    def _heads(self) -> bool:
        drawn = hmac.digest(self._seed, self._coins.to_bytes(8, "big"), hashlib.sha256)
        self._coins += 1
        return bool(drawn[-1] & 1)
