"""Processes that are forked are as those that are started."""

from __future__ import annotations

import signal
import sys

import pytest

from tests import warm
from tests.e2e.processes import strict_environment

BLOCKED = "import signal; raise SystemExit(signal.SIGINT in signal.pthread_sigmask(0, []))"


@pytest.mark.skipif(sys.platform == "win32", reason="no such masks")
@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("blocked", [True, False])
def test_they_block_the_signals_that_their_starter_blocks(fresh: bool, blocked: bool) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT} if blocked else ())
    try:
        process = warm.start([sys.executable, "-c", BLOCKED], env=strict_environment(), fresh=fresh)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert process.wait() == blocked
