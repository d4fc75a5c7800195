"""Many machines in place of the processes of one: the crew of an arena on a Dask cluster.

Dask runs on asyncio, in a thread of its client's own, and not all that it does ends in time. So it
is only asked in yet another thread that need not be waited for, and results come by a queue; an
arena can be stopped at any moment. Results do not depend on who
plays a game, nor how often: a portion whose worker dies is given to another by Dask, and counts
when it arrives, once.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from distributed import Client, Future
from distributed.client import FutureCancelledError
from distributed.versions import VersionMismatchWarning

from pazaak_p2p.arena.cluster.bench import finish, play_portion
from pazaak_p2p.arena.cluster.knock import knock
from pazaak_p2p.arena.cluster.order import Order, Portion, code_digest
from pazaak_p2p.arena.crew import TICK
from pazaak_p2p.arena.errors import ArenaFault, NoCluster, OtherCode
from pazaak_p2p.arena.plan import Plan, game_of
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.worker import record_name
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import Address
from pazaak_p2p.store.lines import put_whole
from pazaak_p2p.text import printable

CONNECT_SECONDS: Final = 10.0
_KNOCK_SECONDS: Final = 60.0
"""More than all that is bounded by itself when we knock."""
_GRACE_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 20.0
"""How long the scheduler may take for an answer."""
WORKERS_SECONDS: Final = 30.0
"""How long a cluster may be without workers."""
_LOOK_SECONDS: Final = 1.0
_SIGNED, _FAST = 16, 2000
"""Games that a task has, at most: some tenths of a second, so that what Dask costs is little."""
_AHEAD: Final = 2
"""Tasks for each thread of the cluster, so that none ever waits."""
_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application", "asyncio")
_PACKAGE: Final = "pazaak-p2p"
_MOST_SHOWN: Final = 200
_NONSENSE: Final = "what it says makes no sense here"

T = TypeVar("T")

_OURS: Final = version("distributed")


class _Client(Client):
    """A client that nobody closes behind our back: where it could not connect, Dask's own would
    wait for it when it is no more, and complain."""

    def __del__(self) -> None:
        """Nothing."""


class DaskCrew:
    """Plays games of *plan* on the cluster whose scheduler is at *address*.

    At most *size* portions at a time, or as many as the cluster has threads; the *records*, if
    asked for, come into a folder of this machine. To be used in ``with``, which connects: raises
    :class:`NoCluster` or :class:`OtherCode`.
    """

    def __init__(
        self, address: Address, plan: Plan, size: int | None, records: Path | None
    ) -> None:
        self._address = address
        self._host = f"[{address.host}]" if ":" in address.host else address.host
        self._shown = printable(f"{self._host}:{address.port}", _MOST_SHOWN)
        self._url = f"tcp://{self._host}:{address.port}"
        self._plan = plan
        self._pairings = plan.pairings
        self._size = size
        self._records = records
        self._order = Order(secrets.token_hex(8), plan, records is not None, code_digest())
        self._arrived: SimpleQueue[tuple[Future[Portion], Portion | BaseException]] = SimpleQueue()
        self._portions: dict[Future[Portion], list[int]] = {}
        self._threads = 0
        self._looked = self._manned = time.monotonic()
        self._client: Any  # Dask's methods have no types

    def __enter__(self) -> Self:
        # What goes wrong is told by our own errors.
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.simplefilter("ignore", VersionMismatchWarning)
        # Not in this thread, which signals reach.
        _within(_KNOCK_SECONDS, lambda: knock(self._address, self._shown, CONNECT_SECONDS))
        try:
            self._client = _within(CONNECT_SECONDS + _GRACE_SECONDS, self._connect)
        except PazaakError:
            raise
        except Exception as error:  # by what answers there: of the system, of Dask, of msgpack
            said = _told(error) if isinstance(error, OSError) else _NONSENSE
            raise NoCluster(
                f"Dask cannot use what listens at {self._shown}.",
                why=f"It is no scheduler, or one of another version of Dask ({said}).",
                next=f"See that 'dask scheduler' runs there, of version {_OURS}, as here.",
            ) from error
        try:
            self._check_versions()
            self._look(time.monotonic())
        except BaseException:
            self._close()
            raise
        return self

    def _connect(self) -> Any:
        connect: Any = _Client
        return connect(
            self._url, timeout=CONNECT_SECONDS, name="pazaak-arena", set_as_default=False
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Best effort: if nobody is there any more, what is there ends by itself.
        if self._client.status == "running":
            with suppress(Exception):
                _within(ANSWER_SECONDS, self._leave)
        self._close()

    def _leave(self) -> None:
        self._client.cancel(list(self._portions), force=True)
        self._client.run(finish, self._order.key, on_error="ignore")

    def _close(self) -> None:
        with suppress(Exception):
            _within(ANSWER_SECONDS, self._client.close)

    def play(self, games: Iterator[int]) -> Iterator[list[Result]]:
        """Play *games*; what has come out since the last time, which may be nothing yet.

        Raises :class:`NoCluster`, :class:`OtherCode`, :class:`ArenaFault`, or ``FileTrouble`` for a
        record.
        """
        most = _FAST if self._plan.fast else _SIGNED
        more = True
        while more or self._portions:
            threads = max(1, self._size or self._threads)
            portion = max(1, min(most, self._plan.games // (4 * threads)))
            room = self._size or _AHEAD * self._threads
            while more and len(self._portions) < room:
                numbers = list(islice(games, portion))
                more = bool(numbers)
                if more:
                    self._give(numbers)
            if more or self._portions:
                yield self._collect()

    def _give(self, numbers: list[int]) -> None:
        future = self._client.submit(
            play_portion,
            self._order,
            numbers,
            key=f"pazaak-{self._order.key}-{numbers[0]}",
            pure=False,
        )
        self._portions[future] = numbers
        self._client.loop.add_callback(self._fetch, future)

    async def _fetch(self, future: Future[Portion]) -> None:
        """In the client's thread: wait for what comes of *future*, as long as the client lives."""
        try:
            answer: Any = future.result()  # here, in Dask's own thread, to be awaited
            outcome: Portion | BaseException = await answer
        except (Exception, FutureCancelledError) as error:
            outcome = error
        self._arrived.put((future, outcome))

    def _collect(self) -> list[Result]:
        # Dask tries to connect again for a while, but has given up what was being played.
        if self._client.status != "running":
            raise self._lost()
        now = time.monotonic()
        if now - self._looked > _LOOK_SECONDS:
            self._look(now)
        try:
            future, outcome = self._arrived.get(timeout=TICK)
        except Empty:
            return []
        numbers = self._portions.pop(future)
        if isinstance(outcome, BaseException):
            raise self._failure(outcome) from outcome
        if sorted(result.number for result in outcome.results) != sorted(numbers):
            raise ArenaFault(
                "A worker of the cluster has played other matches than it was given.",
                why="It is no worker of this program, or out of order.",
                next="See who has access to the cluster.",
            )
        for number, record in outcome.records.items():
            game = game_of(self._plan, self._pairings, number)
            host, join = self._plan.entrants[game.host], self._plan.entrants[game.join]
            assert self._records is not None
            put_whole(self._records / record_name(game, host, join), record)
        return list(outcome.results)

    def _failure(self, error: BaseException) -> PazaakError:
        if isinstance(error, PazaakError):
            return error
        if isinstance(error, FutureCancelledError) or self._client.status != "running":
            return self._lost()
        return ArenaFault(
            "A match could not be played on the cluster.",
            why=_told(error),
            next="See the logs of the workers; pazaak must be installed where they run.",
        )

    def _lost(self) -> NoCluster:
        return NoCluster(
            f"The connection to the Dask cluster at {self._shown} is lost.",
            why="Its scheduler has ended, or the network is broken.",
            next="When it is there again, type the same command; with --state FILE it goes on.",
        )

    def _look(self, now: float) -> None:
        """How many threads the cluster has by now. Workers come and go."""
        try:
            self._threads = sum(_within(ANSWER_SECONDS, self._client.nthreads).values())
        except Exception as error:
            raise self._lost() from error
        self._looked = time.monotonic()
        if self._threads:
            self._manned = now
        elif now - self._manned > WORKERS_SECONDS:
            raise NoCluster(
                f"The Dask cluster at {self._shown} has no workers.",
                why=f"None has come in {WORKERS_SECONDS:.0f} seconds.",
                next=f"Start some where pazaak is installed: dask worker {self._url}",
            )

    def _check_versions(self) -> None:
        try:
            versions = _within(
                ANSWER_SECONDS, lambda: self._client.get_versions(packages=[_PACKAGE])
            )
        except Exception as error:
            raise self._lost() from error
        ours = versions["client"]["packages"]
        theirs = versions["scheduler"]["packages"].get("distributed")
        # Its versions are dates; what goes between two of the same year fits, as far as it is used.
        if _release(theirs, 1) != _release(ours.get("distributed"), 1):
            raise OtherCode(
                f"The scheduler at {self._shown} has Dask {_release(theirs, 9)}, and here is"
                f" {_release(ours.get('distributed'), 9)}.",
                why="What they say to each other changes from one version to the next.",
                next="Install the same Dask here and there, and start the cluster again.",
            )
        for address, worker in versions["workers"].items():
            theirs = worker["packages"]
            for package, called, shown in ((_PACKAGE, "pazaak", 99), ("python", "Python", 2)):
                here, there = (_release(each.get(package), shown) for each in (ours, theirs))
                if here != there:
                    where = printable(str(address), _MOST_SHOWN)
                    raise OtherCode(
                        f"The worker at {where} has {called} {there}, and here is {here}.",
                        why="The same seeds give the same results from the same program alone.",
                    )


def _within(seconds: float, question: Callable[[], T]) -> T:
    """What *question* comes to. Raises what that does, or ``TimeoutError``: it goes on alone."""
    answers: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put((question(), None))
        except BaseException as error:
            answers.put((None, error))

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer, error = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]


def _release(version: str | None, parts: int) -> str:
    """The first *parts* of *version*."""
    return "none" if version is None else printable(".".join(version.split(".")[:parts]), 40)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {printable(str(error), _MOST_SHOWN)}"
