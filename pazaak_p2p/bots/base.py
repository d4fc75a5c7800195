"""What a bot is."""

from __future__ import annotations

from typing import Protocol

from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import Action, View


class Bot(Protocol):
    """One method: given what its seat may see, one action.

    It is asked only when its seat has a choice (phases ACT and TIE), and must answer at once. The
    view holds the whole position, so a bot need remember nothing.
    """

    def choose(self, view: View) -> Action | Concede:
        """One action of ``legal_actions(view.state)``, or ``Concede()``."""
