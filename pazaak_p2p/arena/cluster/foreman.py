"""The process that plays portions of games for a worker of a cluster.

``python -m pazaak_p2p.arena.cluster.foreman [FOLDER]`` reads an :class:`Order` from standard input,
says whether it can be carried out, and then plays portions, one after the other, by a crew of its
own, so that a bot that hangs or dies is found out as it is on one machine. It ends when its input
ends, and when nobody has asked it for anything for a while: whoever gave the order may be gone.

Records are in FOLDER for a moment. It goes with this process, and with the worker that made it:
whichever of the two is killed, the other one is there to remove it.

It is not made by multiprocessing: workers that Dask watches over may not have children so.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType
from typing import IO, Final, TypeAlias

from pazaak_p2p.arena.cluster.order import Order, Portion, code_digest
from pazaak_p2p.arena.crew import Crew
from pazaak_p2p.arena.errors import ArenaFault, BotNotReady, OtherCode
from pazaak_p2p.arena.plan import Plan, game_of
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.worker import record_name
from pazaak_p2p.bots import find_bot
from pazaak_p2p.errors import PazaakError

IDLE_SECONDS: Final = 30.0
_SAME_PLACE: Final = (
    "Bots run where the workers run: have its files at the same place on every machine that plays,"
    " or let it listen there."
)

Refusal: TypeAlias = tuple[str, str, str, str]
"""The code of what went wrong; what it was, why, and what to do next."""


def main(folder: Path | None) -> None:
    with ExitStack() as stack:
        if folder is not None:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        _serve(folder)


def _serve(folder: Path | None) -> None:
    source, sink = _own_streams()
    # A Ctrl-C in the worker's terminal is for the worker, whose end is ours. What ends a whole
    # machine or terminal comes to both at once.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    requests: SimpleQueue[list[int] | None] = SimpleQueue()
    ended = threading.Event()

    def read() -> None:
        try:
            while True:
                requests.put(pickle.load(source))
        except (EOFError, OSError, pickle.UnpicklingError):
            ended.set()
            requests.put(None)

    def tell(what: Portion | Refusal | None) -> None:
        pickle.dump(what, sink)
        sink.flush()

    try:
        order: Order = pickle.load(source)
    except EOFError:
        return
    threading.Thread(target=read, daemon=True).start()
    try:
        _check(order)
        tell(None)
        _play(order, folder, requests, ended, tell)
    except BotNotReady as error:
        what = f"A worker of the cluster cannot start a bot: {error.what}"
        tell((error.code, what, error.why, _SAME_PLACE))
    except PazaakError as error:
        tell((error.code, error.what, error.why, error.next))
    except BrokenPipeError:
        pass  # nobody wants to know


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough
    sys.exit(128 + number)


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output for us alone: bots, which run under us, may read and print."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def _check(order: Order) -> None:
    """Raises :class:`OtherCode`, or what is wrong with a bot on this machine."""
    if code_digest() != order.code:
        raise OtherCode()
    for bot in dict.fromkeys(entrant.bot for entrant in order.plan.entrants):
        try:
            find_bot(bot)
        except PazaakError as error:
            raise ArenaFault(
                f"A worker of the cluster has no such bot: {error.what}",
                why=error.why,
                next=_SAME_PLACE,
            ) from error


def _play(
    order: Order,
    folder: Path | None,
    requests: SimpleQueue[list[int] | None],
    ended: threading.Event,
    tell: Callable[[Portion], None],
) -> None:
    plan = order.plan
    with Crew(plan, 1, folder) as crew:
        while True:
            try:
                numbers = requests.get(timeout=IDLE_SECONDS)
            except Empty:
                return
            results: list[Result] = []
            for some in crew.play(iter(numbers or ())):
                results += some
                if ended.is_set():
                    return
            if numbers is None:
                return
            records = {} if folder is None else _records(plan, folder, numbers)
            tell(Portion(tuple(results), records))


def _records(plan: Plan, folder: Path, numbers: list[int]) -> dict[int, bytes]:
    """Take the records of these games out of *folder*."""
    found: dict[int, bytes] = {}
    pairings = plan.pairings
    for number in numbers:
        game = game_of(plan, pairings, number)
        host, join = plan.entrants[game.host], plan.entrants[game.join]
        file = folder / record_name(game, host, join)
        if file.exists():  # there is none of a match whose bot hung or died
            found[number] = file.read_bytes()
            file.unlink()
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
