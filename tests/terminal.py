"""A real pseudo-terminal for end-to-end tests; pyte is the screen.

::

    with Terminal([sys.executable, "-m", "pazaak_p2p.cli", "play"]) as terminal:
        terminal.wait_for("Your turn")
        terminal.send("s")
        end = terminal.finish()
    assert end.exit_code == 0
    assert end.restored

It answers a request for the cursor's position (``ESC[6n``) as a terminal does, with where the
cursor is at that point of the output. Not for Windows.
"""

from __future__ import annotations

import contextlib
import os
import select
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import pyte
from prompt_toolkit.utils import get_cwidth

from tests import warm
from tests.alternate import AlternateScreen


@dataclass(frozen=True)
class Ended:
    """How a program left, and in what state it left its terminal."""

    exit_code: int | None
    """None if a signal ended it."""
    signal: int | None
    hung: bool
    """It had to be killed."""
    seconds: float
    """From the call of ``finish`` to the end of the program."""
    modes_restored: bool
    """The line discipline (termios) is as it was: echo, line mode, signals from keys."""
    main_screen: bool
    """The alternate screen was left as often as it was entered."""
    cursor_visible: bool
    paste_plain: bool
    """Bracketed paste is off."""
    mouse_off: bool

    @property
    def restored(self) -> bool:
        """Nothing of the program is left in the terminal."""
        return (
            self.modes_restored
            and self.main_screen
            and self.cursor_visible
            and self.paste_plain
            and self.mouse_off
        )


class _Screen(AlternateScreen):
    """A screen that answers what programs ask terminals."""

    answers: Terminal | None = None

    def write_process_input(self, data: str) -> None:
        if self.answers is not None:
            self.answers.send(data)


class Terminal:
    """A program in a terminal of its own; as a context manager it never outlives the test."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        rows: int = 24,
        columns: int = 80,
        answers: bool = True,
        seconds: float = 20,
        fresh: bool = False,
    ) -> None:
        """*env* is added to the present environment; with *answers* off, ``ESC[6n`` gets none.

        *seconds* is how long each wait may last before it fails the test; *fresh* is as in
        :func:`tests.warm.start`.
        """
        self.raw = b""
        self.seconds = seconds
        self._screen = _Screen(columns, rows, history=5000)
        if answers:
            self._screen.answers = self
        self._stream = pyte.ByteStream(self._screen)
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        environment["PYTHONWARNINGS"] = "error"
        for name in ("LC_ALL", "NO_COLOR", "PROMPT_TOOLKIT_NO_CPR", "COLUMNS", "LINES"):
            environment.pop(name, None)
        environment.update(env or {})
        self._fd, theirs = os.openpty()
        termios.tcsetwinsize(self._fd, (rows, columns))
        self._modes = termios.tcgetattr(self._fd)
        try:
            self._process = warm.start(
                argv,
                env=environment,
                cwd=cwd,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                terminal=True,
                fresh=fresh,
            )
        finally:
            os.close(theirs)
        self._open = True

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.running:
            self._process.kill()
            self._process.wait()
        if self._open:
            os.close(self._fd)
            self._open = False

    @property
    def fd(self) -> int:
        """Our end of the terminal."""
        return self._fd

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    # What there is to see.

    def lines(self) -> list[str]:
        """The visible screen, without blanks at the line ends."""
        return [line.rstrip() for line in self._screen.display]

    def text(self) -> str:
        return "\n".join(self.lines())

    def everything(self) -> str:
        """The visible screen and what has scrolled away above it."""
        width = range(self._screen.columns)
        past = ["".join(row[x].data for x in width).rstrip() for row in self._screen.history.top]
        return "\n".join([*past, *self.lines()])

    @property
    def full_screen(self) -> bool:
        """Whether a program fills the screen, with the normal one behind it."""
        return self._screen.alternate

    def click(self, text: str) -> None:
        """Press and release the first mouse button on the first sign of *text* that is no blank."""
        for row, line in enumerate(self._screen.display):
            if text in line:
                blanks = len(text) - len(text.lstrip())
                column = get_cwidth(line[: line.index(text) + blanks])
                for end in "Mm":
                    self.send(f"\x1b[<0;{column + 1};{row + 1}{end}")
                return
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text()}")

    def style_at(self, row: int, column: int) -> tuple[str, str, bool, bool]:
        """Foreground, background, bold and reverse of one character cell, from 0."""
        cell = self._screen.buffer[row][column]
        return cell.fg, cell.bg, cell.bold, cell.reverse

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor, from 0."""
        return self._screen.cursor.y, self._screen.cursor.x

    # What can be done.

    def pump(self, seconds: float = 0.05) -> bool:
        """Take in output for up to *seconds*, returning early after some; False at its end."""
        if not self._open:
            return False
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # Linux says EIO when the program has closed its side
            return False
        self.raw += data
        self._stream.feed(data)
        return data != b""

    def quiet(self, seconds: float) -> bool:
        """Whether there is no output for *seconds*."""
        return self._open and not select.select([self._fd], [], [], seconds)[0]

    def wait_for(self, text: str, *, seconds: float | None = None, scrolled: bool = False) -> None:
        """Wait until *text* is visible; with *scrolled*, visible or scrolled away."""
        self._wait(lambda: text in (self.everything() if scrolled else self.text()), text, seconds)

    def wait_until(self, holds: Callable[[], bool], wanted: str) -> None:
        """Wait until *holds* is true; *wanted* says what that is."""
        self._wait(holds, wanted, None)

    def wait_gone(self, text: str, *, seconds: float | None = None) -> None:
        """Wait until *text* is not visible any more."""
        self._wait(lambda: text not in self.text(), f"no {text}", seconds)

    def _wait(self, holds: Any, wanted: str, seconds: float | None) -> None:
        deadline = time.monotonic() + (self.seconds if seconds is None else seconds)
        more = True
        while not holds():
            if not more or time.monotonic() > deadline:
                state = "still runs" if more else "has ended"
                raise AssertionError(
                    f"{wanted!r} is not on the screen, the program {state}:\n{self.text()}"
                )
            more = self.pump()

    def send(self, keys: str | bytes) -> None:
        """Type *keys*. Ctrl-C is ``"\\x03"``, Enter ``"\\r"``."""
        data = keys.encode() if isinstance(keys, str) else keys
        with contextlib.suppress(OSError):  # as with a real keyboard, nobody may be listening
            os.write(self._fd, data)

    def signal(self, number: int) -> None:
        """Send a signal to the program itself."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def resize(self, rows: int, columns: int) -> None:
        """Give the window another size. Lines leave at the top only if the cursor's would else."""
        screen = self._screen
        row, column = self.cursor
        if rows < screen.lines:
            # pyte takes the lines that are too many from the top and leaves the cursor behind.
            above = max(0, row - (rows - 1))
            screen.cursor_position(1, 1)
            screen.delete_lines(above)
            screen.insert_lines(screen.lines - rows)
            row -= above
        screen.resize(rows, columns)
        screen.cursor_position(row + 1, min(column, columns - 1) + 1)
        termios.tcsetwinsize(self._fd, (rows, columns))

    def hang_up(self) -> None:
        """Close the window: the program gets SIGHUP and its terminal is gone."""
        os.close(self._fd)
        self._open = False

    def finish(self, seconds: float | None = None) -> Ended:
        """Wait for the program to end by itself, and look at what it left behind."""
        began = time.monotonic()
        deadline = began + (self.seconds if seconds is None else seconds)
        while self.running and time.monotonic() < deadline:
            if not self.pump(0.02):
                time.sleep(0.005)  # its output has ended, its process not yet
        hung, took = self.running, time.monotonic() - began
        if hung:
            self._process.kill()
        code = self._process.wait()
        while self._open and select.select([self._fd], [], [], 0)[0] and self.pump(0):
            pass  # what it wrote last
        return Ended(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            hung=hung,
            seconds=took,
            modes_restored=not self._open or termios.tcgetattr(self._fd) == self._modes,
            main_screen=self.raw.count(b"\x1b[?1049h") == self.raw.count(b"\x1b[?1049l"),
            cursor_visible=self._last(b"\x1b[?25h", b"\x1b[?25l"),
            paste_plain=self._last(b"\x1b[?2004l", b"\x1b[?2004h"),
            mouse_off=self._last(b"\x1b[?1000l", b"\x1b[?1000h"),
        )

    def _last(self, good: bytes, bad: bytes) -> bool:
        return self.raw.rfind(good) >= self.raw.rfind(bad)
