"""A recorded match on a full screen: keys and mouse go to ``replay``, ``replay_page`` is drawn.

Everything here runs in the application's thread, except :meth:`ReplayScreen.run`, which lets time
pass while the match plays by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.tui import control
from pazaak_p2p.tui.bridge import UIThread
from pazaak_p2p.tui.choices import CTRL_C, CTRL_D
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE
from pazaak_p2p.tui.full_screen import clickable, full_screen, key_of, suspend
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.log import DOWN, END, HOME, PAGE_DOWN, PAGE_UP, UP, WHEEL_DOWN, WHEEL_UP
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_page import draw_replay
from pazaak_p2p.tui.style import STYLE

_NAMED: Final = {
    Keys.Left: control.LEFT,
    Keys.Right: control.RIGHT,
    Keys.Up: UP,
    Keys.Down: DOWN,
    Keys.PageUp: PAGE_UP,
    Keys.PageDown: PAGE_DOWN,
    Keys.Home: HOME,
    Keys.End: END,
    Keys.ControlM: ENTER,
    Keys.ControlJ: ENTER,
    Keys.Escape: ESCAPE,
    Keys.ControlH: BACKSPACE,
    Keys.ControlC: CTRL_C,
    Keys.ControlD: CTRL_D,
}
_WHEEL: Final = {WHEEL_UP: control.LEFT, WHEEL_DOWN: control.RIGHT}


class ReplayScreen:
    """One recorded match at a terminal."""

    def __init__(
        self,
        replay: Replay,
        glyphs: Glyphs,
        input: Input,
        output: Output,
        *,
        style: BaseStyle = STYLE,
        depth: ColorDepth | None = None,
    ) -> None:
        self._replay = replay
        self._glyphs = glyphs
        self._output = output
        self._thread: UIThread[None, float] = UIThread(
            lambda _: full_screen(
                self._render,
                lambda event: self._press(key_of(event, _NAMED)),
                _NAMED,
                # A clipboard is no row of keys.
                {Keys.ControlZ: suspend, Keys.BracketedPaste: _ignore},
                style=style,
                input=input,
                output=output,
                depth=depth,
                on_wheel=lambda way: self._press(_WHEEL[way]),
            )
        )
        self._app: Application[None] = self._thread.app

    async def run(self) -> None:
        """Show the match until the user leaves. Raises :exc:`pazaak_p2p.tui.bridge.HungUp`."""
        failure: list[Exception] = []
        async with trio.open_nursery() as nursery:

            async def show() -> None:
                try:
                    await self._thread.run()
                except Exception as error:
                    failure.append(error)  # raised below, not in a group
                nursery.cancel_scope.cancel()

            nursery.start_soon(show)
            await self._keep_time()
        if failure:
            raise failure[0]

    async def _keep_time(self) -> None:
        """Let the match play by itself for as long as it is to."""
        wait = inf
        while True:
            with trio.move_on_after(wait) as passed:
                try:
                    wait = await self._thread.events.receive()
                except trio.EndOfChannel:
                    return
            if passed.cancelled_caught:
                wait = inf
                self._thread.call(self._tick)

    # In the application's thread.

    def _render(self) -> StyleAndTextTuples:
        size = self._output.get_size()
        page = draw_replay(self._replay, size.columns, size.rows, self._glyphs)
        return clickable(page, self._on_click, self._output.encoding())

    def _on_click(self, key: str) -> Callable[[MouseEvent], object]:
        def clicked(event: MouseEvent) -> object:
            if event.event_type is not MouseEventType.MOUSE_UP:
                return NotImplemented
            self._press(key)
            return None

        return clicked

    def _press(self, key: str) -> None:
        if self._replay.press(key):
            self._thread.exit()
        self._changed()

    def _tick(self) -> None:
        self._replay.tick()
        self._changed()

    def _changed(self) -> None:
        wait = self._replay.wait
        self._thread.emit(inf if wait is None else wait)
        self._app.invalidate()


def _ignore(event: KeyPressEvent) -> None:
    pass
