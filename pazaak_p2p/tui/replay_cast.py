"""A recorded match as an asciicast (version 2): the screen as it plays by itself.

https://docs.asciinema.org/manual/asciicast/v2/ . What is written is what prompt_toolkit writes to a
terminal for the very pages of the screen, so that each frame holds no more than what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from json import dumps
from typing import Any, Final, cast

from prompt_toolkit.application.current import set_app
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.tui.full_screen import clickable, full_screen
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.pace import SET_PAUSE
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_page import draw_replay

_TERM: Final = "xterm-256color"


def as_cast(
    replay: Replay, columns: int, rows: int, glyphs: Glyphs, style: BaseStyle
) -> Iterator[str]:
    """The lines of the asciicast of *replay*, from the step that it shows to the end."""
    names = " against ".join(replay.telling.names)
    header: dict[str, Any] = {
        "version": 2,
        "width": columns,
        "height": rows,
        "title": f"Pazaak: {names}",
        "env": {"TERM": _TERM},
    }
    if replay.recording.verdict.began:
        header["timestamp"] = replay.recording.verdict.began
    yield f"{dumps(header)}\n"
    terminal = _Terminal(replay, columns, rows, glyphs, style)
    seconds = 0.0
    replay.playing = replay.at < replay.recording.last
    while True:
        yield _event(seconds, terminal.frame())
        if (wait := replay.wait) is None:
            break
        seconds += wait
        replay.tick()
    # The last page stays for a while, and then the cursor is back, as a terminal wants it.
    yield _event(seconds + SET_PAUSE * replay.pace, terminal.last())


def _event(seconds: float, data: str) -> str:
    return f"{dumps([round(seconds, 3), 'o', data])}\n"


class _Terminal:
    """A terminal that keeps what is written to it."""

    def __init__(
        self, replay: Replay, columns: int, rows: int, glyphs: Glyphs, style: BaseStyle
    ) -> None:
        self._written = StringIO()
        self._output = _Quiet(
            cast(Any, self._written), lambda: Size(rows, columns), term=_TERM, enable_cpr=False
        )
        self._app = full_screen(
            lambda: clickable(draw_replay(replay, columns, rows, glyphs), lambda key: _nothing),
            _nothing,
            (),
            {},
            style=style,
            input=DummyInput(),
            output=self._output,
            depth=ColorDepth.DEPTH_8_BIT,
        )
        self._output.erase_screen()
        self._output.cursor_goto(1, 1)

    def frame(self) -> str:
        """What brings the page that is due now onto the screen."""
        with set_app(self._app):
            self._app.render_counter += 1  # or the page of last time would be taken
            self._app.renderer.render(self._app, self._app.layout)
        return self._taken()

    def last(self) -> str:
        self._output.enable_autowrap()
        self._output.show_cursor()
        self._output.flush()
        return self._taken()

    def _taken(self) -> str:
        written = self._written.getvalue()
        self._written.seek(0)
        self._written.truncate()
        return written


class _Quiet(Vt100_Output):
    """Asks nothing of whoever's terminal plays it: no mouse, and a last page that stays."""

    def enter_alternate_screen(self) -> None:
        """Nothing: the page would go when it is left."""

    def enable_mouse_support(self) -> None:
        """Nothing."""

    def enable_bracketed_paste(self) -> None:
        """Nothing."""


def _nothing(event: object) -> None:
    pass
