"""The table on a full screen: keys and mouse go to ``control``, ``page`` is drawn.

Everything here runs in the application's thread, except the methods of
:class:`pazaak_p2p.tui.face.Face`, which only post to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.renderer import print_formatted_text
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.tui import control, log
from pazaak_p2p.tui.bridge import UIThread
from pazaak_p2p.tui.choices import CTRL_C, CTRL_D
from pazaak_p2p.tui.control import Control
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE, Decision, Position
from pazaak_p2p.tui.full_screen import clickable, full_screen, key_of, suspend
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.held import held_back
from pazaak_p2p.tui.lines import Line, formatted, wrap
from pazaak_p2p.tui.page import draw_page, log_span
from pazaak_p2p.tui.status import Status
from pazaak_p2p.tui.style import STYLE

_NAMED: Final = {
    Keys.Left: control.LEFT,
    Keys.Right: control.RIGHT,
    Keys.Up: log.UP,
    Keys.Down: log.DOWN,
    Keys.PageUp: log.PAGE_UP,
    Keys.PageDown: log.PAGE_DOWN,
    Keys.ScrollUp: log.WHEEL_UP,
    Keys.ScrollDown: log.WHEEL_DOWN,
    Keys.ControlI: control.RIGHT,
    Keys.BackTab: control.LEFT,
    Keys.ControlM: ENTER,
    Keys.ControlJ: ENTER,
    Keys.Escape: ESCAPE,
    Keys.ControlH: BACKSPACE,
    Keys.ControlC: CTRL_C,
    Keys.ControlD: CTRL_D,
}


class Screen:
    """A :class:`pazaak_p2p.tui.face.Face` for terminals.

    *depth* is how many colours are used (None: what prompt_toolkit finds); with *bell* the terminal
    rings when it becomes the person's turn.
    """

    rests = True

    def __init__(
        self,
        glyphs: Glyphs,
        input: Input,
        output: Output,
        *,
        style: BaseStyle = STYLE,
        depth: ColorDepth | None = None,
        bell: bool = False,
    ) -> None:
        self.glyphs = glyphs
        self._control = Control(glyphs)
        self._output = output
        self._style = style
        self._depth = depth
        self._bell = bell
        self._kept: list[Line] = []
        self._thread: UIThread[None, Decision] = UIThread(
            lambda _: self._application(input, output), after=self._write_kept
        )
        self._app = self._thread.app
        self.decisions = self._thread.events

    def say(self, lines: Sequence[Line]) -> None:
        if lines:
            self._post(self._control.say, lines)

    recall = say

    def keep(self, lines: Sequence[Line]) -> None:
        self._thread.call(self._kept.extend, lines)

    def show(self, position: Position) -> None:
        self._thread.call(self._show, position)

    def inform(self, status: Status) -> None:
        self._post(self._control.inform, status)

    def hold(self, on: bool) -> None:
        self._post(self._control.hold, on)

    def rest(self, *, again: bool = False) -> None:
        self._post(partial(self._control.rest, again=again))

    def interrupt(self) -> None:
        self._thread.call(self._interrupt)

    async def run(self) -> None:
        with held_back():
            await self._thread.run()

    def _post(self, change: Callable[..., object], *args: object) -> None:
        def work() -> None:
            change(*args)
            self._app.invalidate()

        self._thread.call(work)

    # In the application's thread.

    def _application(self, input: Input, output: Output) -> Application[None]:
        return full_screen(
            self._render,
            self._on_key,
            _NAMED,
            {Keys.ControlZ: suspend, Keys.BracketedPaste: self._on_paste},
            style=self._style,
            input=input,
            output=output,
            depth=self._depth,
            on_wheel=self._on_wheel,
        )

    def _on_key(self, event: KeyPressEvent) -> None:
        self._press(key_of(event, _NAMED))

    def _on_paste(self, event: KeyPressEvent) -> None:
        self._control.paste(event.data)

    def _on_click(self, key: str) -> Callable[[MouseEvent], object]:
        def clicked(event: MouseEvent) -> object:
            if event.event_type is not MouseEventType.MOUSE_UP:
                return NotImplemented
            self._press(key)
            self._app.invalidate()
            return None

        return clicked

    def _on_wheel(self, key: str) -> None:
        self._press(key)
        self._app.invalidate()

    def _press(self, key: str) -> None:
        if key not in log.SCROLLS:
            self._decided(self._control.press(key))
            return
        size = self._output.get_size()
        span = log_span(self._control.scene(), size.columns, size.rows, self.glyphs)
        self._decided(self._control.press(key, span))

    def _interrupt(self) -> None:
        self._decided(self._control.interrupt())
        self._app.invalidate()

    def _decided(self, decision: Decision | None) -> None:
        if decision is not None:
            self._thread.emit(decision)

    def _show(self, position: Position) -> None:
        if self._control.show(position) and self._bell:
            self._output.bell()
        self._app.invalidate()

    def _render(self) -> StyleAndTextTuples:
        size = self._output.get_size()
        page = draw_page(self._control.scene(), size.columns, size.rows, self.glyphs)
        return clickable(page, self._on_click, self._output.encoding())

    def _write_kept(self) -> None:
        """Write on the normal screen, which is back, how the match came about and went."""
        columns = self._output.get_size().columns
        lines = [part for line in self._kept for part in wrap(line, columns - 1, "   ")]
        if lines:
            depth = self._app.color_depth
            print_formatted_text(self._output, formatted(lines), self._style, color_depth=depth)
