"""Ctrl-C for the whole process, wherever :func:`pazaak_p2p.cli.running.run_trio` is not at work.

Imports next to nothing: until this stands, a Ctrl-C still ends in a traceback.
"""

from __future__ import annotations

import signal
from time import monotonic

BURST_SECONDS = 1.0


class Interruptible:
    """Within it Ctrl-C raises ``KeyboardInterrupt``, after it the process is deaf to it, and to
    whatever else was handled.

    Pressed several times at once it counts once, so that no other tears the end of the first.
    """

    def __init__(self) -> None:
        self._last = -BURST_SECONDS

    def __enter__(self) -> None:
        # Who was started to ignore it (nohup, a shell's background job) goes on ignoring it.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *error: object) -> None:
        # Python takes handlers of ours away at its end, where a signal would then kill it; what is
        # ignored stays so.
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_IGN)

    def _interrupt(self, number: int, frame: object) -> None:
        before, self._last = self._last, monotonic()
        if self._last - before >= BURST_SECONDS:
            raise KeyboardInterrupt
