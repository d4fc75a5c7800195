"""The check of a Python class in a process of its own, which it may take with it.

A class runs in the process that asks it: ``os._exit``, a fault in a library, or closing files that
are not its own ends all of that, and nothing would be said of it.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

import trio

from pazaak_p2p.bots.check import PARTS, Checker, Finding, Times
from pazaak_p2p.bots.outside_spec import find_outside
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.deaf import start_deaf, stay_deaf
from pazaak_p2p.net.program import end_group, how_ended

_TICK: Final = 0.1
_LAST_WORDS: Final = 1.0
"""Seconds that a process has to end which says no more."""


async def check_apart(
    text: str,
    tell: Callable[[Finding], object],
    *,
    count: int,
    matches: int,
    seed: str,
    debug: bool,
) -> tuple[int, Times | None]:
    """Try the class *text*, as :class:`Checker` does, which tells *tell* of every finding.

    How many findings are bad ones, and how long answers took. With *debug* tracebacks are printed.
    Raises what is wrong with a class that cannot be loaded.
    """
    context = get_context("spawn")
    line, theirs = context.Pipe(duplex=False)
    arguments = (theirs, text, count, matches, seed, debug)
    process = context.Process(target=_work, args=arguments, daemon=True)
    start_deaf(process)
    theirs.close()
    told = wrong = 0
    try:
        while True:
            said = await trio.to_thread.run_sync(_next, line, process, abandon_on_cancel=True)
            match said:
                case Finding():
                    tell(said)
                    told, wrong = told + 1, wrong + (not said.ok)
                case PazaakError():
                    raise said
                case (times,):
                    return wrong, times
                case _:
                    tell(_ended(process, PARTS[min(told, len(PARTS) - 1)]))
                    return wrong + 1, None
    finally:
        process.kill()
        assert process.pid is not None
        end_group(process.pid)
        process.join()
        line.close()


def _next(line: Connection, process: BaseProcess) -> Any:
    """What *process* says next: a finding, an error, or the times alone when it is done; None if it
    says no more."""
    try:
        # What it has forked may hold the line open.
        while not line.poll(_TICK):
            if not process.is_alive() and not line.poll():
                return None
        return line.recv()
    except Exception:  # it ends, or the class has written to it, and what is read may be anything
        return None


def _ended(process: BaseProcess, check: str) -> Finding:
    process.join(_LAST_WORDS)
    code = process.exitcode
    if code is None:
        what = "The bot has cut off the process that it runs in."
        why = "It runs on, and cannot be heard any more. Writing to files that are not its own, or"
        why += " closing them, does that."
    else:
        what = "The bot has ended the process that it runs in."
        why = f"{how_ended(code)} os._exit does that, a fault in a library, or closing files that"
        why += " are not its own."
    todo = "Mend the bot, or make a program of it (cmd:COMMAND): that can end nothing but itself."
    return Finding(check, False, what, why, todo)


def _work(line: Connection, text: str, count: int, matches: int, seed: str, debug: bool) -> None:
    stay_deaf()
    if sys.platform != "win32":
        os.setpgrp()  # with which ends what the class has started
        os.register_at_fork(after_in_child=line.close)
    sys.stdout = sys.stderr

    def trouble(error: PazaakError) -> None:
        if debug:
            traceback.print_exception(error)

    try:
        spec = find_outside(text)
        assert spec is not None
        checker = Checker(spec, line.send, trouble, count=count, matches=matches, seed=seed)
        trio.run(checker.run)
        line.send((checker.times,))
    except PazaakError as error:
        line.send(error)
