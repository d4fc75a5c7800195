"""What is kept of an arena so that it can go on where it stopped.

The first line says what arena it is, each further one is a result, in the order in which they came.
A game that was being played when all stopped is played again, from the same seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from pazaak_p2p.arena.errors import StateDamaged, StateDiffers
from pazaak_p2p.arena.plan import Plan, is_seed
from pazaak_p2p.arena.referee import FAULTS
from pazaak_p2p.arena.result import Result
from pazaak_p2p.rules import Termination, describe, format_deck
from pazaak_p2p.store.lines import LineFile
from pazaak_p2p.text import printable

_FORMAT: Final = 1
_HEAD: Final = f'{{"arena":{_FORMAT},'.encode()
_TERMINATIONS: Final = frozenset((*(each.value for each in Termination), *FAULTS))
_RESULT: Final = msgspec.json.Decoder(Result)


def header_of(plan: Plan) -> dict[str, Any]:
    """All that the results of *plan* depend on."""
    return {
        "arena": _FORMAT,
        "players": [[e.name, e.bot, format_deck(e.deck, ascii=True)] for e in plan.entrants],
        "rules": describe(plan.rules),
        "seed": plan.seed,
        "matches": plan.matches,
        "gauntlet": plan.gauntlet,
        "fast": plan.fast,
        "move_seconds": plan.move_seconds,
        "sprt": None if plan.sprt is None else msgspec.to_builtins(plan.sprt),
    }


class StateFile:
    """The results of an arena in the file *path*, which is made if need be.

    To be used in ``with``. Raises ``FileTrouble``, or :class:`StateDamaged`.
    """

    def __init__(self, path: Path) -> None:
        self._shown = printable(str(path), 1000)
        self._file = LineFile(path)
        self.results: list[Result] = []
        """Those of earlier sessions, each game once; after :meth:`begin`."""
        try:
            self._header = self._read_header()
        except BaseException:
            self._file.__exit__(None, None, None)
            raise

    def _read_header(self) -> dict[str, Any] | None:
        if not self._file.lines:
            # A first line that was cut off, or a file of quite another kind, which is left alone.
            torn = self._file.torn
            if not torn.startswith(_HEAD[: len(torn)]):
                raise self._damaged(1)
            return None
        try:
            header = msgspec.json.decode(self._file.lines[0], type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._damaged(1) from error
        seed = header.get("seed")
        if header.get("arena") != _FORMAT or not isinstance(seed, str) or not is_seed(seed):
            raise self._damaged(1)
        return header

    @property
    def seed(self) -> str | None:
        """The seed of the arena that it is of, if it is of one."""
        return None if self._header is None else self._header["seed"]

    def begin(self, plan: Plan) -> None:
        """This is the state of *plan* from now on.

        Raises :class:`StateDiffers` if it is that of another, or :class:`StateDamaged`.
        """
        header = header_of(plan)
        if self._header is None:
            self._file.append([msgspec.json.encode(header)])
            return
        differing = [key for key, value in header.items() if self._header.get(key) != value]
        if differing:
            raise StateDiffers(
                f"{self._shown} is the state of another arena.",
                why=f"It was begun with other options: {', '.join(differing)}.",
            )
        found: dict[int, Result] = {}
        for number, line in enumerate(self._file.lines[1:], start=2):
            try:
                result = _RESULT.decode(line)
            except msgspec.DecodeError as error:
                raise self._damaged(number) from error
            if (
                not 0 <= result.number < plan.games
                or result.winner not in (0, 1, None)
                or result.termination not in _TERMINATIONS
            ):
                raise self._damaged(number)
            found.setdefault(result.number, result)
        self.results = list(found.values())

    def add(self, results: Sequence[Result]) -> None:
        """Keep *results*. Raises ``FileTrouble``."""
        self._file.append(msgspec.json.encode(result) for result in results)

    def _damaged(self, line: int) -> StateDamaged:
        return StateDamaged(f"{self._shown}, line {line}: this is no state of an arena.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.__exit__(kind, error, traceback)
