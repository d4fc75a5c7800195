"""The game in a terminal: the log scrolls, below it the table and the prompt stay and are redrawn.

Keys act at once. Everything here runs in the application's thread, except the methods of
:class:`pazaak_p2p.tui.face.Face`, which only post to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import Output
from prompt_toolkit.renderer import print_formatted_text

from pazaak_p2p.tui.bridge import UIThread
from pazaak_p2p.tui.choices import CTRL_C, CTRL_D, menu
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE, Decision, Dialog, Help, Position
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.helptext import help_lines
from pazaak_p2p.tui.lines import Fragment, Line, clip, formatted, joined, width, wrap
from pazaak_p2p.tui.style import STYLE
from pazaak_p2p.tui.table import COLUMNS, SMALLEST, draw, draw_small

_NAMED: Final = {
    Keys.ControlM: ENTER,
    Keys.ControlJ: ENTER,
    Keys.Escape: ESCAPE,
    Keys.ControlH: BACKSPACE,
    Keys.ControlC: CTRL_C,
    Keys.ControlD: CTRL_D,
}

# The table with its messages, menu and prompt, and some lines of the log above it.
_ROWS: Final = 20
_LOG: Final = 200


class Screen:
    """A :class:`pazaak_p2p.tui.face.Face` for terminals."""

    def __init__(self, glyphs: Glyphs, input: Input, output: Output) -> None:
        self.glyphs = glyphs
        self._dialog = Dialog(glyphs)
        self._output = output
        self._unwritten: list[Line] = []
        self._log: deque[Line] = deque(maxlen=_LOG)
        self._thread: UIThread[None, Decision] = UIThread(
            lambda thread: self._application(input, output), self._on_resize
        )
        self._app = self._thread.app
        self.decisions = self._thread.events

    def say(self, lines: Sequence[Line]) -> None:
        if lines:
            self._thread.call(self._say, lines)

    def show(self, position: Position) -> None:
        self._thread.call(self._show, position)

    def interrupt(self) -> None:
        self._thread.call(self._interrupt)

    async def run(self) -> None:
        await self._thread.run()

    # In the application's thread.

    def _application(self, input: Input, output: Output) -> Application[None]:
        control = FormattedTextControl(self._render, focusable=True, show_cursor=True)
        keys = KeyBindings()
        keys.add(Keys.Any)(self._on_key)
        for key in _NAMED:
            keys.add(key, eager=True)(self._on_key)
        keys.add(Keys.BracketedPaste)(self._on_paste)
        app: Application[None] = Application(
            layout=Layout(Window(control, dont_extend_height=True, wrap_lines=False)),
            style=STYLE,
            key_bindings=keys,
            input=input,
            output=output,
            erase_when_done=True,
            before_render=self._write_log,
        )
        # Nothing begins with Escape here, so it need not wait long for what follows.
        app.ttimeoutlen = 0.05
        return app

    def _on_key(self, event: KeyPressEvent) -> None:
        pressed = event.key_sequence[0].key
        # Other named keys, such as "left", are none of ours, and are told so.
        key = _NAMED.get(pressed, pressed.value) if isinstance(pressed, Keys) else pressed
        self._decided(self._dialog.interrupt() if key == CTRL_C else self._dialog.press(key))

    def _on_paste(self, event: KeyPressEvent) -> None:
        # Pasted text is for talking only; nobody means to play a clipboard.
        if self._dialog.talk is not None:
            for character in " ".join(event.data.split()):
                self._dialog.press(character)

    def _decided(self, decision: Decision | None) -> None:
        if isinstance(decision, Help):
            self._say(help_lines(self.glyphs))
        elif decision is not None:
            self._thread.emit(decision)

    def _interrupt(self) -> None:
        self._decided(self._dialog.interrupt())
        self._app.invalidate()

    def _show(self, position: Position) -> None:
        self._dialog.show(position)
        self._app.invalidate()

    def _say(self, lines: Sequence[Line]) -> None:
        self._unwritten += lines
        self._log += lines
        self._app.invalidate()

    def _write_log(self, _: object) -> None:
        """Write what is new in the log where the table is, which is drawn again below it.

        Just before that drawing, so that both reach the terminal at once. prompt_toolkit's own
        run_in_terminal would leave raw mode for it and echo what is typed in that moment.
        """
        if self._unwritten:
            columns = self._output.get_size().columns
            lines, self._unwritten = self._unwritten, []
            text = formatted(part for line in lines for part in wrap(line, columns - 1, "   "))
            self._app.renderer.erase()
            print_formatted_text(self._output, text, STYLE, color_depth=self._app.color_depth)

    def _on_resize(self) -> None:
        # Every terminal moves what is on it in its own way, so all of it is written anew: the table
        # and as much of the log as fits above it.
        size = self._output.get_size()
        room = size.rows - len(self._lines(size))
        again: list[Line] = []
        for line in reversed(self._log):
            room -= len(wrap(line, size.columns - 1, "   "))
            if room < 0:
                break
            again.insert(0, line)
        self._unwritten = again
        self._app.renderer.clear()
        self._app.invalidate()

    def _render(self) -> FormattedText:
        size = self._output.get_size()
        lines = self._lines(size)
        text = formatted(lines[-size.rows :])
        text[-1] = ("[SetCursorPosition]", " ")
        return text

    def _lines(self, size: Size) -> list[Line]:
        position, dialog = self._dialog.position, self._dialog
        columns = size.columns
        lines: list[Line] = []
        if position.view is not None:
            if columns >= COLUMNS and size.rows >= _ROWS:
                lines += [(), *draw(position.view, position.opponent, self.glyphs)]
            else:
                narrow = max(SMALLEST, min(columns, COLUMNS))
                lines += draw_small(position.view, position.opponent, self.glyphs, narrow)
        message = wrap((("", " "), *dialog.message()), columns - 1, " ")
        lines += message
        lines += self._menu(columns)
        if dialog.talk is not None:
            room = max(1, columns - 8)
            shown = dialog.talk
            while width((("", shown),)) > room:
                shown = shown[1:]
            lines.append((("class:name", " say: "), ("", shown)))
        else:
            typed = "".join(key for key in dialog.typed if key.isprintable())
            lines.append((("class:name", " > "), ("", clip(typed, columns - 5))))
        return lines

    def _menu(self, columns: int) -> list[Line]:
        dialog = self._dialog
        if dialog.asks is not None:
            entries = [(key, "") for key in dialog.asks.keys.split()] + [("Esc", "back")]
        elif dialog.talk is not None:
            entries = [("Enter", "send"), ("Esc", "back")]
        else:
            entries = list(menu(dialog.position.view, due=dialog.due))
        parts: list[Line] = [_entry(keys, meaning) for keys, meaning in entries]
        lines: list[Line] = []
        row: list[Line] = []
        for part in parts:
            if row and width(joined([*row, part], "  ")) > columns - 2:
                lines.append((("", " "), *joined(row, "  ")))
                row = []
            row.append(part)
        return [*lines, (("", " "), *joined(row, "  "))]


def _entry(keys: str, meaning: str) -> Line:
    shown: list[Fragment] = []
    for key in keys.split():
        shown += [("class:key", key), ("", " ")]
    return (*shown, ("", meaning)) if meaning else tuple(shown[:-1])
