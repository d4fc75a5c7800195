"""What is printed while a full screen is up, by whomever: it would tear the screen, and waits."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

_MOST: Final = 2000
"""Pieces that are kept, the latest ones; ``print`` writes two for a line."""
_LONGEST: Final = 2000
"""Characters of a piece that are kept, from its end."""


@contextmanager
def held_back() -> Iterator[None]:
    """What goes to standard output or error meanwhile, if that is a terminal, comes there after."""
    held: dict[int, _Held] = {}
    put: dict[str, _Held] = {}
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is not None and stream.isatty():
            put[name] = held.setdefault(id(stream), _Held(stream))
            setattr(sys, name, put[name])
    try:
        yield
    finally:
        for name, ours in put.items():
            if getattr(sys, name) is ours:  # else somebody has put another there
                setattr(sys, name, ours.stream)
        for ours in held.values():
            ours.release()


class _Held:
    """In place of the text stream *stream*; after :meth:`release` it hands everything on."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._kept: deque[str] | None = deque(maxlen=_MOST)
        self._lock = threading.Lock()

    def write(self, text: str) -> int:
        with self._lock:
            if self._kept is None:
                return self.stream.write(text)
            self._kept.append(text[-_LONGEST:])
            return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if self._kept is None:
            self.stream.flush()

    def release(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, None
            encoding = self.stream.encoding or "utf-8"
            text = "".join(kept or ())
            self.stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(cast("object", self.stream), name)
