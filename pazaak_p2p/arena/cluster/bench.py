"""The worker's side: portions of games, each played by a process that is kept for the next one."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final

from pazaak_p2p.arena.cluster.foreman import Refusal
from pazaak_p2p.arena.cluster.order import Order, Portion
from pazaak_p2p.arena.errors import ArenaFault, BotNotReady, OtherCode
from pazaak_p2p.errors import PazaakError

READY_SECONDS: Final = 60.0
"""How long a fresh process may take until it can play; loading a user's bot is part of that."""
_END_SECONDS: Final = 5.0
_MOST_DEATHS: Final = 3
_GONE: Final = (EOFError, OSError, pickle.UnpicklingError)
"""What comes of a process at the other end of a pipe that is no more."""
_REFUSALS: Final[dict[str, type[PazaakError]]] = {
    kind.code: kind for kind in (OtherCode, BotNotReady)
}


def play_portion(order: Order, numbers: Sequence[int]) -> Portion:
    """Play the games of these *numbers*: the task that Dask is given.

    Raises :class:`~pazaak_p2p.arena.errors.ArenaFault` or ``OtherCode``.
    """
    bench = _bench()
    for _ in range(_MOST_DEATHS):
        foreman = bench.take(order)
        try:
            portion = foreman.play(numbers)
        except _GONE:  # somebody has killed it, or it went home just now
            bench.dismiss(order, foreman)
        except BaseException:
            bench.dismiss(order, foreman)
            raise
        else:
            bench.put_back(order, foreman)
            return portion
    raise ArenaFault(
        "A process that plays matches ends again and again.",
        why="The log of the cluster's worker tells more; its machine may be short of memory.",
        next="Mend that, or start the workers with fewer threads.",
    )


def finish(key: str) -> None:
    """The arena of this *key* is over: its processes here end, also those that still play."""
    # Dask calls this in the thread that keeps the worker alive, which must not wait for anything.
    threading.Thread(target=_bench().close, args=(key,)).start()


class Foreman:
    """A process that plays games of *order*. Raises ``ArenaFault`` or ``OtherCode``."""

    def __init__(self, order: Order) -> None:
        self._folder = tempfile.mkdtemp(prefix="pazaak-") if order.records else None
        self._process = subprocess.Popen(
            # -P: not what lies in the worker's folder, as for a command that was installed.
            [sys.executable, "-P", "-m", "pazaak_p2p.arena.cluster.foreman"]
            + ([] if self._folder is None else [self._folder]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        late = threading.Timer(READY_SECONDS, self._process.kill)
        late.start()
        try:
            self._ask(order)
        except _GONE as error:
            self.end()
            raise ArenaFault(
                "A process that is to play matches does not get ready.",
                why="Loading pazaak or one of the bots took too long, or ended it; the log of the"
                " cluster's worker tells more.",
                next="Try the bots alone: pazaak bot check BOT",
            ) from error
        except BaseException:
            self.end()
            raise
        finally:
            late.cancel()

    def play(self, numbers: Sequence[int]) -> Portion:
        """Raises one of ``_GONE`` if the process is no more."""
        portion = self._ask(list(numbers))
        assert portion is not None
        return portion

    def _ask(self, what: Order | list[int]) -> Portion | None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(what, self._process.stdin)
        self._process.stdin.flush()
        answer: Portion | Refusal | None = pickle.load(self._process.stdout)
        if isinstance(answer, tuple):
            code, said, why, next_ = answer
            raise _REFUSALS.get(code, ArenaFault)(said, why=why, next=next_)
        return answer

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """It ends, and who plays under it: by itself, so that it tidies up, or killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        if self._folder is not None:  # it was killed, if that is still there
            shutil.rmtree(self._folder, ignore_errors=True)


class _Bench:
    """The processes that play here, or wait for the next portion, by the keys of their orders."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Foreman]] = {}
        self._playing: dict[str, list[Foreman]] = {}
        self._over: set[str] = set()

    def take(self, order: Order) -> Foreman:
        """One that is alive, or a fresh one. Raises what that raises."""
        with self._lock:
            if order.key in self._over:
                raise _arena_over()
            self._sweep()
            waiting = self._waiting.get(order.key)
            found = waiting.pop() if waiting else None
        foreman = found or Foreman(order)
        with self._lock:
            if order.key not in self._over:
                self._playing.setdefault(order.key, []).append(foreman)
                return foreman
        foreman.end()
        raise _arena_over()

    def put_back(self, order: Order, foreman: Foreman) -> None:
        """*foreman* has played."""
        with self._lock:
            if foreman in self._playing.get(order.key, ()):  # else it is being ended
                self._playing[order.key].remove(foreman)
                self._waiting.setdefault(order.key, []).append(foreman)

    def dismiss(self, order: Order, foreman: Foreman) -> None:
        with self._lock:
            if foreman in self._playing.get(order.key, ()):
                self._playing[order.key].remove(foreman)
        foreman.end()

    def _sweep(self) -> None:
        """Those that went home are forgotten, also of arenas that never said that they are over."""
        for key, foremen in list(self._waiting.items()):
            for foreman in foremen:
                if not foreman.alive:
                    foreman.end()
            self._waiting[key] = [foreman for foreman in foremen if foreman.alive]
            if not self._waiting[key]:
                del self._waiting[key]

    def close(self, key: str) -> None:
        with self._lock:
            self._over.add(key)
            leaving = [*self._waiting.pop(key, []), *self._playing.pop(key, [])]
        for foreman in leaving:
            foreman.end()


def _arena_over() -> ArenaFault:
    return ArenaFault("The arena is over, and its games are not played any more.")


@lru_cache(maxsize=1)
def _bench() -> _Bench:
    # One for the worker's process: its tasks run in threads of that, and share nothing else.
    return _Bench()
