"""Bytes as a row of choices, the same for every driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Choices:
    """Reads choices off the front of *data*; where it has ended every choice is the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        """Is anything left?"""
        return self._at < len(self._data)

    def byte(self) -> int:
        return self.take(1)[0] if self else 0

    def number(self, end: int) -> int:
        """0 to *end* - 1, *end* being at most 65536."""
        high = self.byte() if end > 256 else 0
        return (high << 8 | self.byte()) % end

    def pick(self, options: Sequence[_T]) -> _T:
        return options[self.number(len(options))]

    def take(self, size: int) -> bytes:
        """The next *size* bytes, or fewer at the end."""
        taken = self._data[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def rest(self) -> bytes:
        return self.take(len(self._data))
