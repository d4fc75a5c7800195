"""Processes of our own that a Ctrl-C does not reach."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from pazaak_p2p.net.deaf import start_deaf, stay_deaf

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals of this kind")


def blocked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


class Forked:
    """What a process that was started makes of a Ctrl-C: it ends with 0 if it does not hear it."""

    def __init__(self, *, early: bool) -> None:
        self._early = early
        self.pid = 0

    def start(self) -> None:
        self.pid = os.fork()
        if self.pid:
            return
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # as in a fresh process
            if self._early:
                os.kill(os.getpid(), signal.SIGINT)
            stay_deaf()
            if not self._early:
                os.kill(os.getpid(), signal.SIGINT)
            os._exit(int(blocked()))
        finally:
            os._exit(2)


@pytest.mark.parametrize("early", [True, False], ids=["while it gets ready", "then"])
def test_it_hears_none_from_its_first_moment_on(early: bool) -> None:
    process = Forked(early=early)
    start_deaf(process)
    _, status = os.waitpid(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert not blocked()  # here it is heard as before
