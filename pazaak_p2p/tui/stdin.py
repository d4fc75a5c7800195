"""Lines from standard input, whatever it is, without blocking trio and without changing it.

Making a terminal non-blocking would do the same to everything else that shares it, so it is waited
for instead.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TextIO

import trio

_CHUNK = 65536
_LONGEST = 65536  # a longer line is cut there: nobody types that


def input_encoding(source: TextIO | None) -> str:
    """In what the bytes that come from *source* are written."""
    if sys.platform == "win32" and source is not None and source.isatty():
        # Python reads the console by other means than the bytes that we get.
        import ctypes

        return f"cp{ctypes.windll.kernel32.GetConsoleCP()}"
    return getattr(source, "encoding", None) or "utf-8"


class LineReader:
    """Reads *descriptor* (None: there is no input at all) line by line."""

    def __init__(self, descriptor: int | None, encoding: str = "utf-8") -> None:
        self._descriptor = descriptor
        self._encoding = encoding
        self._buffer = b""

    async def read_line(self) -> str | None:
        """The next line without its end; None at the end of the input."""
        while True:
            line, newline, rest = self._buffer.partition(b"\n")
            if newline or len(self._buffer) > _LONGEST:
                self._buffer = rest
                return self._decode(line)
            chunk = await self._read()
            if not chunk:
                line, self._buffer = self._buffer, b""
                return self._decode(line) if line else None
            self._buffer += chunk

    async def _read(self) -> bytes:
        if self._descriptor is None:
            return b""
        if sys.platform == "win32":
            # Nothing but sockets can be waited for there; an abandoned read ends with the program.
            return await trio.to_thread.run_sync(
                os.read, self._descriptor, _CHUNK, abandon_on_cancel=True
            )
        try:
            try:
                await trio.lowlevel.wait_readable(self._descriptor)
            except OSError:
                # Files cannot be waited for, and some systems refuse terminals and devices too.
                return await trio.to_thread.run_sync(
                    os.read, self._descriptor, _CHUNK, abandon_on_cancel=True
                )
            return os.read(self._descriptor, _CHUNK)
        except OSError as error:
            if error.errno == errno.EIO:  # the terminal is gone
                return b""
            raise

    def _decode(self, line: bytes) -> str:
        return line.decode(self._encoding, "replace").removesuffix("\r")
