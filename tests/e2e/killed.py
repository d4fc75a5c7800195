"""``pazaak`` that is killed at a certain write of its journal: ``killed N WHEN pazaak-arguments``.

N counts the writes from 0; WHEN is ``before`` (nothing of it is in the file), ``inside`` (half of
it is) or ``after`` (it is on the disk, and nothing of it was sent). The kill is a real SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys

from pazaak_p2p.cli.program import run
from pazaak_p2p.store.journal import Journal


def main(number: int, when: str, arguments: list[str]) -> int:
    written = 0
    write = Journal.write

    def killing(self: Journal, data: bytes) -> None:
        nonlocal written
        if written == number:
            if when != "before":
                write(self, data[: len(data) // 2] if when == "inside" else data)
            if when == "after":
                self.sync()
            os.kill(os.getpid(), signal.SIGKILL)
        written += 1
        write(self, data)

    setattr(Journal, "write", killing)  # noqa: B010
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
