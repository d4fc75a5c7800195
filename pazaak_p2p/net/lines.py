"""Lines of text to and from a program that we do not trust."""

from __future__ import annotations

from typing import Final

import trio

LONGEST_LINE: Final = 1000
"""Bytes of a line that is taken, without its end."""


class LineFault(Exception):
    """What came is no line: its first argument says why."""


class EndOfLines(Exception):
    """The other side has closed its output."""


class Lines:
    """Lines over *out* and *into*, both of which it owns."""

    def __init__(self, out: trio.abc.SendStream, into: trio.abc.ReceiveStream) -> None:
        self._out = out
        self._into = into
        self._read = bytearray()
        self.torn = False
        """Whether a part of a text may have been sent, so that nothing can follow."""

    async def send(self, text: str, seconds: float) -> None:
        """Send *text*, which is whole lines, within *seconds*.

        Can not be cancelled otherwise, so that no line is torn that is taken. Raises
        ``trio.TooSlowError`` and ``trio.BrokenResourceError``.
        """
        self.torn = True
        with trio.fail_after(seconds) as scope:
            scope.shield = True
            await self._out.send_all(text.encode())
        self.torn = False

    async def line(self) -> str:
        """The next line, without its end (LF, or CR LF).

        No more is read ahead than a line can be long, so who floods us waits for us. Raises
        :class:`LineFault`, and :class:`EndOfLines` at the end, also in the middle of a line.
        """
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > LONGEST_LINE + 1:
                raise LineFault(f"A line of it is longer than {LONGEST_LINE} bytes.")
            try:
                data = await self._into.receive_some(LONGEST_LINE + 2)
            except trio.BrokenResourceError:
                data = b""
            if not data:
                raise EndOfLines
            self._read += data
        line = bytes(self._read[:end]).removesuffix(b"\r")
        del self._read[: end + 1]
        if len(line) > LONGEST_LINE:
            raise LineFault(f"A line of it is longer than {LONGEST_LINE} bytes.")
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            raise LineFault("A line of it is not UTF-8.") from error

    async def close_out(self) -> None:
        """Close what we send on: where that is a pipe, its reader sees the end."""
        await trio.aclose_forcefully(self._out)

    async def close(self) -> None:
        """Close both."""
        await trio.aclose_forcefully(self._out)
        await trio.aclose_forcefully(self._into)
