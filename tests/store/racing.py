"""Several programs that do the same thing at the same moment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

SECONDS = 60


def race(codes: Sequence[str], *arguments: str) -> list[str]:
    """Run each of *codes* in a process of its own; what each prints.

    A code says ``ready()`` when all is imported, and is held there until all have said so.
    """
    ready = "def ready():\n    print('ready', flush=True)\n    sys.stdin.readline()\n"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", f"import sys\n{ready}{code}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for code in codes
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        told = [process.communicate(timeout=SECONDS)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
    assert [process.returncode for process in processes] == [0] * len(processes)
    return told
