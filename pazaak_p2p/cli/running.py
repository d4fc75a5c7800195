"""Running a command's trio work: signals end it politely, errors come out as what they are."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import trio

from pazaak_p2p.cli.failure import interrupted
from pazaak_p2p.errors import PazaakError

T = TypeVar("T")

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


def run_trio(work: Callable[[], Awaitable[T]]) -> T:
    """Run *work* and return its result.

    Ctrl-C, a request to terminate and a closed terminal cancel it, so that it can say goodbye, and
    raise :class:`~pazaak_p2p.net.errors.Left`. What *work* raises comes out without a group.
    """
    return trio.run(_with_signals, work)


async def _with_signals(work: Callable[[], Awaitable[T]]) -> T:
    result: list[T] = []
    failure: PazaakError | None = None
    # Who was started to ignore a signal (nohup, a shell's background job) goes on ignoring it.
    numbers = [
        number
        for name in _NAMES
        if (number := getattr(signal, name, None)) is not None
        and signal.getsignal(number) is not signal.SIG_IGN
    ]
    working = trio.CancelScope()

    async def watch_signals() -> None:
        nonlocal failure
        # To the very end: one that nobody takes comes again when this is over, and would kill us.
        async for number in arrived:
            failure = failure or interrupted(signal.Signals(number).name)
            working.cancel()

    with trio.open_signal_receiver(*numbers) as arrived:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch_signals)
            with working:
                try:
                    result.append(await work())
                except PazaakError as error:
                    failure = failure or error
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return result[0]
