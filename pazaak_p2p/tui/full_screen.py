"""What every full screen here is made of: parts of text that can be clicked on, and keys."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.tui.lines import in_encoding
from pazaak_p2p.tui.log import WHEEL_DOWN, WHEEL_UP

OnKey: TypeAlias = Callable[[KeyPressEvent], None]
OnClick: TypeAlias = Callable[[MouseEvent], object]
_WHEEL: Final = {MouseEventType.SCROLL_UP: WHEEL_UP, MouseEventType.SCROLL_DOWN: WHEEL_DOWN}

_WRITTEN: Final = {"c": "Ctrl", "s": "Shift", "pageup": "PgUp", "pagedown": "PgDn"}
_STOP_SECONDS: Final = 0.3


def full_screen(
    render: Callable[[], StyleAndTextTuples],
    on_key: OnKey,
    named: Iterable[Keys],
    more: Mapping[Keys, OnKey],
    *,
    style: BaseStyle,
    input: Input,
    output: Output,
    depth: ColorDepth | None = None,
    on_wheel: Callable[[str], None] = lambda key: None,
) -> Application[Any]:
    """The application that shows what *render* gives.

    *on_key* takes every character and those of the *named* keys; *more* are keys with handlers of
    their own. *on_wheel* is told which way the mouse wheel is turned, wherever on the screen.
    """
    keys = KeyBindings()
    keys.add(Keys.Any)(on_key)
    for key in named:
        keys.add(key, eager=True)(on_key)
    for key, handler in more.items():
        keys.add(key, eager=key is not Keys.BracketedPaste)(handler)
    text = _Wheeled(render, on_wheel)
    app: Application[Any] = Application(
        layout=Layout(Window(text, wrap_lines=False)),
        style=style,
        key_bindings=keys,
        input=input,
        output=output,
        full_screen=True,
        mouse_support=True,
        color_depth=depth,
    )
    # Nothing begins with Escape here, so it need not wait long for what follows.
    app.ttimeoutlen = 0.05
    return app


class _Wheeled(FormattedTextControl):
    """Text that is clicked on in parts, and scrolled as a whole."""

    def __init__(
        self, render: Callable[[], StyleAndTextTuples], on_wheel: Callable[[str], None]
    ) -> None:
        super().__init__(render, focusable=True, show_cursor=False)
        self._on_wheel = on_wheel

    def mouse_handler(self, mouse_event: MouseEvent) -> Any:
        key = _WHEEL.get(mouse_event.event_type)
        if key is None:
            return super().mouse_handler(mouse_event)
        self._on_wheel(key)
        return None


def key_of(event: KeyPressEvent, named: Mapping[Keys, str]) -> str:
    """The character that was pressed, or what *named* calls the key.

    Other named keys, such as "End", mean nothing here, and are told so by what is written on them.
    """
    pressed = event.key_sequence[0].key
    if not isinstance(pressed, Keys):
        return pressed
    return named.get(pressed) or written_on(pressed)


def written_on(key: Keys) -> str:
    """What people call *key*: ``Ctrl-X``, ``Shift-F5``, ``PgUp``; longer than a character."""
    if key is Keys.ControlI:
        return "Tab"
    words = [_WRITTEN.get(word, word.capitalize()) for word in key.value.split("-")]
    return "-".join(words)


def clickable(
    page: Iterable[Iterable[tuple[str, str, object]]],
    on_click: Callable[[Any], OnClick],
    encoding: str = "utf-8",
) -> StyleAndTextTuples:
    """*page*, to be shown: rows of parts with style, text and what a click on them means, or None.

    *on_click* gives what to do for such a meaning. *encoding* is the terminal's.
    """
    shown: StyleAndTextTuples = []
    for number, row in enumerate(page):
        if number:
            shown.append(("", "\n"))
        for style, part, target in row:
            text = in_encoding(part, encoding)
            if target is None:
                shown.append((style, text))
            else:
                shown.append((style, text, on_click(target)))
    return shown


def suspend(event: KeyPressEvent) -> None:
    """Put the program aside, as Ctrl-Z does; not on Windows, which knows no such thing."""
    if sys.platform != "win32":
        run_in_terminal(_stop)


def _stop() -> None:
    """Let the shell put us aside.

    The system may stop us a moment after we asked for it. Until then the terminal has to stay as
    the shell wants it, or it would be left so when we go on.
    """
    if sys.platform != "win32":
        os.kill(0, signal.SIGTSTP)
        time.sleep(_STOP_SECONDS)
