"""Who plays an arena's matches: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from pazaak_p2p.arena.crew import Crew
from pazaak_p2p.arena.errors import ArenaError, NoClusterExtra
from pazaak_p2p.arena.plan import Plan
from pazaak_p2p.arena.result import Result
from pazaak_p2p.net.address import STANDARD_PORT, Address, parse_address
from pazaak_p2p.text import printable

_SCHEME: Final = "dask://"
_DASK_PORT: Final = 8786


class Players(Protocol):
    """Whoever plays the games of a plan. Entering may take a while, and fail."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def play(self, games: Iterator[int]) -> Iterator[list[Result]]:
        """Play *games*; what has come out since the last time, which may be nothing yet."""


def parse_on(text: str) -> Address:
    """The scheduler that ``dask://HOST:PORT`` names. Raises what is wrong with it."""
    if not text.startswith(_SCHEME):
        raise ArenaError(
            f"{printable(text, 80)!r} is no cluster.",
            why="--on takes the address of a Dask scheduler; no other kind of cluster is known.",
            next="Write it like: --on dask://192.168.1.5:8786",
        )
    where = text.removeprefix(_SCHEME)
    address = parse_address(where)
    # An address without a port is our own standard one, and is written so.
    if address.port == STANDARD_PORT and str(address) == where:
        return Address(address.host, _DASK_PORT)
    return address


def players_of(
    plan: Plan,
    on: Address | None,
    concurrency: int | None,
    records: Path | None,
    *,
    silent: bool,
) -> Players:
    """Those who play *plan*, *concurrency* matches at a time; here they are *silent*, or print.

    Without that it is one for each core of this machine, or for each thread of the cluster *on*.
    """
    if on is None:
        return Crew(plan, concurrency or _cores(), records, silent=silent)
    try:
        from pazaak_p2p.arena.cluster.crew import DaskCrew
    except ModuleNotFoundError as error:
        raise NoClusterExtra(f"--on needs {error.name}, which is not installed.") from error
    return DaskCrew(on, plan, concurrency, records)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
