"""The deck builder on a full screen: keys and mouse go to ``deck_builder``, ``deck_page`` is drawn.

Everything here runs in the application's thread, except :meth:`DeckScreen.run`, which writes the
deck for it: a disk may be slow, and a screen that waits for one looks broken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.store.deck_files import MOST_NAME
from pazaak_p2p.tui import deck_builder
from pazaak_p2p.tui.bridge import UIThread
from pazaak_p2p.tui.deck_builder import Builder, Errand, Leave, Mode, Save
from pazaak_p2p.tui.deck_page import OnCard, Target, draw_page
from pazaak_p2p.tui.full_screen import clickable, full_screen, key_of
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.style import STYLE

_NAMED: Final = {
    Keys.Left: deck_builder.LEFT,
    Keys.Right: deck_builder.RIGHT,
    Keys.Up: deck_builder.UP,
    Keys.Down: deck_builder.DOWN,
    Keys.ControlM: deck_builder.ENTER,
    Keys.ControlJ: deck_builder.ENTER,
    Keys.Escape: deck_builder.ESCAPE,
    Keys.ControlH: deck_builder.BACKSPACE,
    Keys.Delete: deck_builder.DELETE,
    Keys.ControlC: deck_builder.CTRL_C,
    Keys.ControlD: "q",
}


class AnotherDeck(Exception):
    """A deck of that name is there already, and was not to be replaced."""


class NotWritten(Exception):
    """The deck could not be written; the text says why."""


class DeckScreen:
    """One deck being built at a terminal.

    *write* writes a deck, in a thread of its own; it raises :class:`AnotherDeck` or
    :class:`NotWritten`. *depth* is how many colours are used (None: what prompt_toolkit finds).
    """

    def __init__(
        self,
        builder: Builder,
        write: Callable[[Save], object],
        glyphs: Glyphs,
        input: Input,
        output: Output,
        *,
        style: BaseStyle = STYLE,
        depth: ColorDepth | None = None,
    ) -> None:
        self.builder = builder
        """As it is, or was at the end."""
        self._write = write
        self._glyphs = glyphs
        self._output = output
        self._style = style
        self._depth = depth
        self._thread: UIThread[Leave, Save] = UIThread(lambda _: self._application(input, output))
        self._app = self._thread.app

    async def run(self) -> Leave:
        """Build until the user leaves. Raises :exc:`pazaak_p2p.tui.bridge.HungUp`."""
        left: list[Leave | None] = []
        failure: list[Exception] = []
        async with trio.open_nursery() as nursery:

            async def show() -> None:
                try:
                    left.append(await self._thread.run())
                except Exception as error:
                    failure.append(error)  # raised below, not in a group

            nursery.start_soon(show)
            async for save in self._thread.events:
                await self._save(save)
        if failure:
            raise failure[0]
        return left[0] or Leave(interrupted=True)

    async def _save(self, save: Save) -> None:
        why, stands = "", False
        try:
            # To its end, whatever comes meanwhile: half a deck is none.
            await trio.to_thread.run_sync(self._write, save)
        except AnotherDeck:
            stands = True
        except NotWritten as error:
            why = str(error)
        self._thread.call(self._saved, save, why, stands)

    # In the application's thread.

    def _application(self, input: Input, output: Output) -> Application[Leave]:
        return full_screen(
            self._render,
            self._on_key,
            _NAMED,
            {Keys.BracketedPaste: self._on_paste},
            style=self._style,
            input=input,
            output=output,
            depth=self._depth,
        )

    def _render(self) -> StyleAndTextTuples:
        size = self._output.get_size()
        page = draw_page(self.builder, size.columns, size.rows, self._glyphs)
        return clickable(page, self._on_click, self._output.encoding())

    def _on_key(self, event: KeyPressEvent) -> None:
        self._press(key_of(event, _NAMED))

    def _on_paste(self, event: KeyPressEvent) -> None:
        # Only a name can be pasted; a clipboard that builds a deck by its letters is an accident.
        if self.builder.mode is Mode.NAME:
            for character in event.data[:MOST_NAME]:
                self._press(character)

    def _on_click(self, target: Target) -> Callable[[MouseEvent], object]:
        def clicked(event: MouseEvent) -> object:
            if event.event_type is not MouseEventType.MOUSE_UP:
                return NotImplemented
            if isinstance(target, OnCard):
                out = target.out or event.button is MouseButton.RIGHT
                self._follow((deck_builder.click(self.builder, target.card, out=out), None))
            else:
                self._press(target)
            return None

        return clicked

    def _press(self, key: str) -> None:
        self._follow(deck_builder.press(self.builder, key))

    def _saved(self, save: Save, why: str, stands: bool) -> None:
        if why or stands:
            self.builder = deck_builder.not_saved(self.builder, save, why, stands=stands)
            self._app.invalidate()
        else:
            self._follow(deck_builder.saved(self.builder, save))

    def _follow(self, step: tuple[Builder, Errand | None]) -> None:
        self.builder, errand = step
        if isinstance(errand, Save):
            self._thread.emit(errand)
        elif isinstance(errand, Leave):
            self._thread.exit(errand)
        self._app.invalidate()
