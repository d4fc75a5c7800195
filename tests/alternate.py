"""A pyte screen that has, as terminals do, a second screen for programs that fill it."""

from __future__ import annotations

import copy
from typing import Any

import pyte

_ALTERNATE = 1049


class AlternateScreen(pyte.HistoryScreen):
    """What is on the normal screen comes back when the program leaves the other one."""

    _normal: tuple[Any, int, int] | None = None

    @property
    def alternate(self) -> bool:
        return self._normal is not None

    def index(self) -> None:
        if self.alternate:  # what scrolls away there is nowhere
            pyte.Screen.index(self)
        else:
            super().index()

    def set_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private") and _ALTERNATE in modes and self._normal is None:
            self._normal = (copy.deepcopy(self.buffer), self.cursor.y, self.cursor.x)
            self.erase_in_display(2)
        super().set_mode(*modes, **options)

    def reset_mode(self, *modes: int, **options: Any) -> None:
        super().reset_mode(*modes, **options)
        if options.get("private") and _ALTERNATE in modes and self._normal is not None:
            buffer, row, column = self._normal
            self._normal = None
            self.erase_in_display(2)
            for number, line in buffer.items():
                self.buffer[number] = line
            self.cursor_position(min(row, self.lines - 1) + 1, column + 1)
            self.dirty.update(range(self.lines))
