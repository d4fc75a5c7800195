"""The command line: one file a command, imported only when that command runs."""

from __future__ import annotations

import os
import sys

from pazaak_p2p import __version__


def main() -> int:
    """Run ``pazaak`` with the arguments of this process; its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        # Before anything heavy is imported: an answer as fast as the interpreter itself.
        print(f"pazaak {__version__}")
        return 0
    try:
        from pazaak_p2p.cli.interrupts import Interruptible

        with Interruptible():
            from pazaak_p2p.cli.program import run

            code = run(arguments)
            _leave_threads(code)
            return code
    except KeyboardInterrupt:  # while that was imported
        return 130


def _leave_threads(code: int) -> None:
    """End here and now with *code* if the interpreter would wait for a thread that a bot has left:
    Python bots run in this program, and such a thread may never end."""
    import threading
    from contextlib import suppress

    if all(thread.daemon or thread is threading.main_thread() for thread in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
