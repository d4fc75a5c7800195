"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Let Ctrl-C interrupt, also where these tests run in the background.

    A shell starts background jobs with SIGINT ignored, and every process started from here would
    inherit that; the program under test rightly goes on ignoring what it was told to ignore.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
