"""Processes of our own that a Ctrl-C does not reach: it is for who watches them, and ends them.

At a terminal it comes to all that was started from there, also while Python only gets ready.
"""

from __future__ import annotations

import signal
import sys
from multiprocessing.resource_tracker import ensure_running
from typing import Protocol


class Startable(Protocol):
    """As a ``multiprocessing`` process is."""

    def start(self) -> None:
        """Have it run."""


def start_deaf(process: Startable) -> None:
    """Start *process*, which is to call :func:`stay_deaf` first of all."""
    if sys.platform == "win32":
        process.start()
        return
    ensure_running()  # or the first start would bring it along, which lifts the block
    # What is blocked here is so in what is started, and what comes meanwhile is not lost.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stay_deaf() -> None:
    """Be deaf to it from now on; what this process starts is so too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
