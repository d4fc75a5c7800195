"""``pazaak`` that is killed at a certain moment of its journal: ``killed MOMENT pazaak-arguments``.

A MOMENT is written ``write:N:WHEN`` (N counts the writes from 0), ``begin:0:WHEN`` or
``settle:0:WHEN``, where WHEN is ``before`` (nothing of it is in the files), ``inside`` (half of a
write is) or ``after`` (it is on the disk, and nothing of it was sent). The kill is a real SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from pazaak_p2p.cli.program import run
from pazaak_p2p.store.journal import Journal

WHEN = ("before", "inside", "after")


class Moment(Struct, frozen=True):
    """When a program is killed."""

    call: str
    """``begin``, ``write`` or ``settle``."""
    number: int
    when: str

    def __str__(self) -> str:
        return f"{self.call}:{self.number}:{self.when}"


def read_moment(text: str) -> Moment:
    call, number, when = text.split(":")
    return Moment(call, int(number), when)


def arm(moment: Moment) -> None:
    """From now on this process kills itself at *moment*."""
    calls = 0
    do: Callable[..., None] = getattr(Journal, moment.call)

    def killing(self: Journal, *data: Any) -> None:
        nonlocal calls
        if calls == moment.number:
            if moment.when == "inside":
                do(self, data[0][: len(data[0]) // 2])
            elif moment.when == "after":
                do(self, *data)
                if moment.call == "write":
                    self.sync()
            os.kill(os.getpid(), signal.SIGKILL)
        calls += 1
        do(self, *data)

    setattr(Journal, moment.call, killing)


if __name__ == "__main__":
    arm(read_moment(sys.argv[1]))
    sys.exit(run(sys.argv[2:]))
