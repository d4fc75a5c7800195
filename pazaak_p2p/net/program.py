"""A program of the user's that runs beside ours and is talked to over its standard streams.

It is started without a shell, in a process group of its own: a Ctrl-C at the terminal is ours
alone, and when it has to go, its children go with it, whether they want to or not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from pazaak_p2p.net.lines import Lines
from pazaak_p2p.text import printable

LAST_WORDS: Final = 2000
"""Bytes of its standard error that are kept, the last ones."""
MOST_WORDS: Final = 1_000_000
"""Bytes of its standard error that are read at all; who writes more has to wait for ever."""
REAP_SECONDS: Final = 5.0
"""How long the system may take to end what it was told to kill."""
_TELLING_SECONDS: Final = 0.5
_POSIX: Final = os.name == "posix"


class Program:
    """A running program; see :func:`start_program`."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._stderr = process.stderr
        self._words = bytearray()
        self._listening = trio.CancelScope()
        self._heard = trio.Event()
        self.lines = Lines(process.stdin, process.stdout)

    @property
    def pid(self) -> int:
        """Of the process, and of its group."""
        return self._process.pid

    async def listen(self) -> None:
        """Take what it says on standard error, up to :data:`MOST_WORDS`."""
        taken = 0
        try:
            with self._listening:
                while taken < MOST_WORDS:
                    try:
                        data = await self._stderr.receive_some(4096)
                    except (trio.BrokenResourceError, trio.ClosedResourceError):
                        return
                    if not data:
                        return
                    taken += len(data)
                    self._words += data
                    del self._words[:-LAST_WORDS]
        finally:
            self._heard.set()

    @property
    def last_words(self) -> str:
        """The end of its standard error on one line, safe to show; empty if there is none."""
        lines = bytes(self._words).decode(errors="replace").split("\n")
        return printable(" / ".join(line.strip() for line in lines if line.strip())[-400:], 400)

    async def ended(self) -> str:
        """How it ended, in a sentence, if it does so within a moment; else that it has not.

        For one that has closed its output.
        """
        with trio.move_on_after(_TELLING_SECONDS):
            await self._process.wait()
            await self._heard.wait()
        code = self._process.returncode
        if code is None:
            return "It closed its output, and runs on."
        return how_ended(code)

    async def close(self, seconds: float) -> bool:
        """End it, and whatever is left of its process group. Can not be cancelled.

        Its input is closed, and it has *seconds* to leave by itself; whether it did.
        """
        with trio.CancelScope(shield=True):
            await self.lines.close_out()
            with trio.move_on_after(seconds):
                await self._process.wait()
            polite = self._process.returncode is not None
            self._kill()
            with trio.move_on_after(REAP_SECONDS):
                await self._process.wait()
            self._listening.cancel()
            await self.lines.close()
            await trio.aclose_forcefully(self._stderr)
        return polite

    def _kill(self) -> None:
        if _POSIX:
            # Also when the process itself has gone: its number stays taken while one of its group
            # is left, and if none is, nobody is found.
            end_group(self._process.pid)
        else:
            self._process.kill()


def how_ended(code: int) -> str:
    """How a process ended that has this exit *code*, in a sentence."""
    if code < 0:
        with suppress(ValueError):
            return f"It was ended by {signal.Signals(-code).name}."
    return f"It ended with exit code {code}."


def end_group(pid: int) -> None:
    """End the program *pid* and its process group, if it was started here or by a process of ours
    that is no more."""
    with suppress(OSError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)  # which ends it there, whatever it wants
        else:
            os.killpg(pid, signal.SIGKILL)


async def start_program(
    argv: Sequence[str], nursery: trio.Nursery, folder: Path | None = None
) -> Program:
    """Start *argv*, whose first word is found as the system finds programs, in *folder*.

    What it says on standard error is taken in a task of *nursery*. The caller closes it. Raises
    ``OSError``, or ``ValueError`` for words that no program can be given.
    """
    if _POSIX:
        process = await trio.lowlevel.open_process(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=folder,
        )
    else:
        process = await trio.lowlevel.open_process(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
    program = Program(process)
    nursery.start_soon(program.listen)
    return program
