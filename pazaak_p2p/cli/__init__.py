"""The command line: one file a command, imported only when that command runs."""

from __future__ import annotations

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

            return run(arguments)
    except KeyboardInterrupt:  # while that was imported
        return 130
