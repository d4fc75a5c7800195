"""What the strongest bot thinks of a choice, for a person who asks."""

from __future__ import annotations

import gc
import sys
from typing import Final

import msgspec
import trio

from pazaak_p2p.rules import Action, View

_SWITCH_SECONDS: Final = 0.0002
"""For how long the thread may keep others from running. A key on the screen takes several turns of
the screen's thread, and with Python's own 5 ms each of them would wait that long."""


class Hint(msgspec.Struct, frozen=True):
    """The chance to win the match with each legal action, a drawn match counting half."""

    chances: tuple[tuple[Action, float], ...]
    best: Action

    def of(self, action: Action) -> float | None:
        """The chance with *action*; None if it is not among the legal ones."""
        return next((chance for each, chance in self.chances if each == action), None)


class Hinter:
    """Asks the bot ``master``, in a thread: a hint takes up to some tenths of a second."""

    def __init__(self) -> None:
        # One at a time: a thread that is no longer wanted cannot be ended, only waited out.
        self._one = trio.CapacityLimiter(1)
        self._settled = False

    async def hint(self, view: View) -> Hint:
        """What it thinks of our choice in *view*. Can be cancelled."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            hint = await trio.to_thread.run_sync(
                _think, view, abandon_on_cancel=True, limiter=self._one
            )
        finally:
            sys.setswitchinterval(before)
        if not self._settled:
            # The bot's tables stay; the time to look through them for garbage, a key would wait.
            gc.freeze()
            self._settled = True
        return hint


def _think(view: View) -> Hint:
    # Imported here, in the thread: with all its tables it is no small thing.
    from pazaak_p2p.bots.master import MasterBot, best_of

    chances = MasterBot().chances(view)
    return Hint(tuple(chances.items()), best_of(chances))
