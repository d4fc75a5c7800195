"""A terminal for tests: what prompt_toolkit writes is interpreted by pyte."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pyte
import trio
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from tests.alternate import AlternateScreen


class ScreenStdout:
    """Stands for ``sys.stdout`` of a terminal with *rows* and *columns*."""

    encoding = "utf-8"

    def __init__(self, rows: int = 24, columns: int = 80) -> None:
        self.screen = AlternateScreen(columns, rows, history=2000)
        self._stream = pyte.Stream(self.screen)
        self._lock = threading.Lock()
        self.error: OSError | None = None

    def write(self, text: str) -> int:
        if self.error is not None:
            raise self.error
        with self._lock:
            self._stream.feed(text)
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no descriptor")

    def lines(self) -> list[str]:
        """What is visible, without blanks at the line ends."""
        with self._lock:
            return [line.rstrip() for line in self.screen.display]

    def text(self) -> str:
        return "\n".join(self.lines())

    def everything(self) -> str:
        """What is visible and what has scrolled away above it."""
        with self._lock:
            columns = range(self.screen.columns)
            past = [
                "".join(row[x].data for x in columns).rstrip() for row in self.screen.history.top
            ]
        return "\n".join([*past, *self.lines()])

    def resize(self, rows: int, columns: int) -> None:
        with self._lock:
            self.screen.resize(rows, columns)

    def output(self) -> Vt100_Output:
        def size() -> Size:
            return Size(rows=self.screen.lines, columns=self.screen.columns)

        return Vt100_Output(self, size, term="xterm-256color", enable_cpr=False)  # type: ignore[arg-type]


async def wait_until(condition: Callable[[], bool], seconds: float = 5) -> None:
    """Return as soon as *condition* holds; the UI works in a thread of its own, in real time."""
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110 - another thread makes it true
            await trio.sleep(0.002)
