"""What every full screen here is made of: parts of text that can be clicked on, and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.mouse_events import MouseEvent
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.tui.lines import in_encoding

OnKey: TypeAlias = Callable[[KeyPressEvent], None]
OnClick: TypeAlias = Callable[[MouseEvent], object]


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
) -> Application[Any]:
    """The application that shows what *render* gives.

    *on_key* takes every character and those of the *named* keys; *more* are keys with handlers of
    their own.
    """
    keys = KeyBindings()
    keys.add(Keys.Any)(on_key)
    for key in named:
        keys.add(key, eager=True)(on_key)
    for key, handler in more.items():
        keys.add(key, eager=key is not Keys.BracketedPaste)(handler)
    text = FormattedTextControl(render, focusable=True, show_cursor=False)
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


def key_of(event: KeyPressEvent, named: Mapping[Keys, str]) -> str:
    """The character that was pressed, or what *named* calls the key.

    Other named keys, such as "end", mean nothing here, and are told so by their own names.
    """
    pressed = event.key_sequence[0].key
    return named.get(pressed, pressed.value) if isinstance(pressed, Keys) else pressed


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
