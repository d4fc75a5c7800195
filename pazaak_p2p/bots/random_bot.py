"""A bot that plays at random."""

from __future__ import annotations

import hashlib
import hmac

from pazaak_p2p.rules import Action, View, legal_actions


class RandomBot:
    """Takes any legal action, each with the same chance.

    The choices follow from *seed* alone, so that a seeded match comes out the same with every
    version of Python: choice i is ``int(HMAC-SHA-256(seed, i as 8 bytes, big-endian)) mod n``.
    """

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._choices = 0

    def choose(self, view: View) -> Action:
        actions = legal_actions(view.state)
        drawn = hmac.digest(self._seed, self._choices.to_bytes(8, "big"), hashlib.sha256)
        self._choices += 1
        return actions[int.from_bytes(drawn, "big") % len(actions)]
