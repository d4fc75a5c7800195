"""What a host is told about connections that are no opponents: not too much of it."""

from __future__ import annotations

from typing import Final

import trio

from pazaak_p2p.cli.output import Output
from pazaak_p2p.wire.clock import Budget

MOST_WORDS: Final = 20
WORD_RATE: Final = 1 / 10
"""Strangers that are told about at once, and in a second after that: they are not to fill a screen,
nor the disk of a host that is left alone."""


class Strangers:
    """Tells *output* about them, in a trio program."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._words = Budget(MOST_WORDS, WORD_RATE, trio.current_time())
        self._untold = 0

    def tell(self, address: str, what: str) -> None:
        """Someone at *address* was no opponent: *what* it was or did, a sentence."""
        if not self._words.spend(trio.current_time()):
            self._untold += 1
            return
        if self._untold:
            self._output.complain(f"pazaak: {self._untold} more connections were no opponents.")
            self._untold = 0
        self._output.refused(address, what.rstrip("."))
