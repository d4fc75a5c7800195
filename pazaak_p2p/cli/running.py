"""Running a command's trio work: signals end it politely, errors come out as what they are."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeVar

import trio

from pazaak_p2p.cli.failure import interrupted
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Left

T = TypeVar("T")

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


def run_trio(work: Callable[[], Awaitable[T]]) -> T:
    """Run *work* and return its result.

    Ctrl-C, a request to terminate and a closed terminal cancel it, so that it can say goodbye, and
    raise :class:`~pazaak_p2p.net.errors.Left`. What *work* raises comes out without a group. After
    ``Left`` these signals do nothing any more: what remains is to say how to go on, which takes no
    time, and who presses Ctrl-C three times is to read it too.
    """
    result: list[T] = []
    failure: PazaakError | None = None
    working = trio.CancelScope()

    def leave(number: int, frame: object = None) -> None:
        nonlocal failure
        failure = failure or interrupted(signal.Signals(number).name)
        working.cancel()

    async def watched() -> None:
        nonlocal failure
        # To the very end: one that nobody takes comes again when this is over.
        with trio.open_signal_receiver(*before) as arrived:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch, arrived)
                with working:
                    try:
                        result.append(await work())
                    except PazaakError as error:
                        failure = failure or error
                nursery.cancel_scope.cancel()

    async def watch(arrived: AsyncIterator[int]) -> None:
        async for number in arrived:
            leave(number)

    # What the receiver finds, and puts back: there is no moment in which a signal tears anything.
    # Who was started to ignore one (nohup, a shell's background job) goes on ignoring it.
    before = {
        number: signal.signal(number, leave)
        for name in _NAMES
        if (number := getattr(signal, name, None)) is not None
        and signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        trio.run(watched)
    finally:
        if not isinstance(failure, Left):
            for number, handler in before.items():
                signal.signal(number, handler)
    if failure is not None:
        raise failure
    return result[0]
