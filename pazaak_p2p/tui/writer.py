"""Lines of text that are written by a thread, so that nobody waits for whoever reads them.

A terminal can be stopped (Ctrl-S), and a pipe be full because nobody reads it. Who writes to them
stands still then; the match must not.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from io import TextIOBase, TextIOWrapper
from typing import Any, Final, TextIO, cast

import trio

MOST_LINES: Final = 100_000
"""Lines that may wait to be written; what comes while there are so many is lost."""
_AGAIN_SECONDS: Final = 0.02


class LineWriter:
    """Writes lines to text streams, in the order in which they come.

    Characters that a stream's encoding does not have are written as escapes. Once a stream is
    broken (its reader has gone, say) nothing more is written to any.
    """

    def __init__(self) -> None:
        self._lines: deque[tuple[TextIO, str]] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._broken: OSError | None = None
        self._waiting: list[tuple[trio.lowlevel.TrioToken, trio.Event]] = []

    @property
    def broken(self) -> OSError | None:
        """What broke a stream, if one is broken."""
        return self._broken

    def write(self, stream: TextIO, line: str) -> None:
        """Have *line* (and a line end) written to *stream*. Never waits."""
        with self._changed:
            if self._broken is not None or len(self._lines) >= MOST_LINES:
                return
            self._lines.append((stream, line))
            self._changed.notify_all()
            if self._thread is None:
                # A daemon: whoever ends the program does not wait for a reader either.
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def drain(self, seconds: float | None = None) -> bool:
        """Wait until everything is written or a stream is broken, at most *seconds*; was it?"""
        end = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while self._lines and self._broken is None:
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    return False
                # Not for ever at once: on Windows that could not be interrupted.
                self._changed.wait(0.5 if left is None else min(left, 0.5))
        return self._broken is None

    async def drained(self, seconds: float) -> None:
        """As :meth:`drain`, within trio."""
        if self._lines:
            await trio.to_thread.run_sync(self.drain, seconds, abandon_on_cancel=True)

    async def until_broken(self) -> OSError:
        """Wait until a stream is broken, and return what broke it."""
        event = trio.Event()
        waiting = (trio.lowlevel.current_trio_token(), event)
        with self._changed:
            self._waiting.append(waiting)
            if self._broken is not None:
                event.set()
        try:
            await event.wait()
        finally:
            with self._changed:
                self._waiting.remove(waiting)
        assert self._broken is not None
        return self._broken

    # In the thread.

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._lines:
                    self._thread = None
                    self._changed.notify_all()
                    return
                stream, line = self._lines[0]
            try:
                _put(stream, line)
            except (OSError, ValueError) as error:  # a closed stream raises a ValueError
                self._break(error if isinstance(error, OSError) else BrokenPipeError(str(error)))
                return
            with self._changed:
                self._lines.popleft()

    def _break(self, error: OSError) -> None:
        with self._changed:
            self._broken = error
            self._lines.clear()
            self._changed.notify_all()
            for token, event in self._waiting:
                # Who waits takes itself off the list under the same lock, so its trio runs still.
                token.run_sync_soon(event.set)


def _put(stream: TextIO, line: str) -> None:
    encoding = stream.encoding or "utf-8"
    text = line + "\n"
    raw = _raw(stream)
    if raw is None:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
        return
    # Past the buffer, which is locked while something is being written: at the end of the program
    # Python itself wants that lock, and would wait, or abort, if this thread hung on to it.
    rest = memoryview(text.replace("\n", os.linesep).encode(encoding, "backslashreplace"))
    while rest:
        written = raw.write(rest)
        if written is None:  # somebody has made it non-blocking, and it is full
            time.sleep(_AGAIN_SECONDS)
        else:
            rest = rest[written:]


def _raw(stream: TextIO) -> Any:
    """What is below the buffer of *stream*, which is emptied for it; None if it has no such."""
    if not isinstance(cast("TextIOBase", stream), TextIOWrapper):
        return None
    stream.flush()
    buffer = stream.buffer
    return getattr(buffer, "raw", buffer)
