"""A page of the screen as a picture: SVG, with text as text and lines as lines.

No font is trusted to have its frames join: what is drawn with signs on a terminal is drawn with
strokes here, each piece of text has its width given, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct
from prompt_toolkit.styles import BaseStyle
from prompt_toolkit.utils import get_cwidth

from pazaak_p2p.tui.page import Row

_WIDE: Final = 9
_HIGH: Final = 19
_FONT: Final = 15
_BASE: Final = 14
"""From the upper edge of a line down to where its letters stand."""
_AROUND: Final = 12
_GROUND: Final = "#17191e"
_INK: Final = "#d7dae0"
_ANSI: Final = {
    "ansired": "#ff6b6b",
    "ansigreen": "#4fd675",
    "ansiblue": "#6fb1ff",
    "ansiyellow": "#f0cf5a",
    "ansimagenta": "#d68cff",
    "ansicyan": "#56d4dd",
    "ansiwhite": "#ffffff",
    "ansiblack": "#000000",
    "ansigray": "#b0b4ba",
}
_FONTS: Final = "'DejaVu Sans Mono','Cascadia Mono',Menlo,Consolas,monospace"

# Of each sign the strokes that go up, to the right, down and to the left: 1 light, 2 heavy.
_STROKES: Final = {
    "─": (0, 1, 0, 1),
    "│": (1, 0, 1, 0),
    "━": (0, 2, 0, 2),
    "┃": (2, 0, 2, 0),
    "┏": (0, 2, 2, 0),
    "┓": (0, 0, 2, 2),
    "┗": (2, 2, 0, 0),
    "┛": (2, 0, 0, 2),
    "┣": (2, 2, 2, 0),
    "┫": (2, 0, 2, 2),
    "┻": (2, 2, 0, 2),
    "╺": (0, 2, 0, 0),
    "╸": (0, 0, 0, 2),
    "╻": (0, 0, 2, 0),
    "╹": (2, 0, 0, 0),
}
# Of each rounded corner: to the right or the left, down or up.
_CORNERS: Final = {"╭": (1, 1), "╮": (-1, 1), "╰": (1, -1), "╯": (-1, -1)}
_PIPS: Final = "●○"
_SHADE: Final = "▒"


class _Look(Struct, frozen=True):
    ink: str
    ground: str
    attributes: str


def as_svg(page: Iterable[Row], columns: int, rows: int, style: BaseStyle, title: str) -> str:
    """*page*, of at most so many *columns* and *rows*, in the colours of *style* on a dark ground.

    *title* is for those who cannot see it.
    """
    width, height = columns * _WIDE + 2 * _AROUND, rows * _HIGH + 2 * _AROUND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{_GROUND}"/>',
        f'<g transform="translate({_AROUND} {_AROUND})" font-family="{_FONTS}"'
        f' font-size="{_FONT}" xml:space="preserve">',
    ]
    for number, row in enumerate(page):
        column = 0
        for look, text, _ in row:
            parts += _fragment(text, _look(look, style), column, number)
            column += get_cwidth(text)
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _look(words: str, style: BaseStyle) -> _Look:
    found = style.get_attrs_for_style_str(words)
    ink, ground = _colour(found.color, _INK), _colour(found.bgcolor, _GROUND)
    if found.reverse:
        ink, ground = ground, ink
    attributes = ' font-weight="bold"' if found.bold else ""
    if found.italic:
        attributes += ' font-style="italic"'
    if found.underline:
        attributes += ' text-decoration="underline"'
    return _Look(ink, ground, attributes)


def _colour(name: str | None, otherwise: str) -> str:
    if not name or name == "default":
        return otherwise
    return (
        _ANSI.get(name.replace("bright", ""), otherwise) if name.startswith("ansi") else f"#{name}"
    )


def _fragment(text: str, look: _Look, column: int, row: int) -> Iterator[str]:
    x, y = column * _WIDE, row * _HIGH
    if look.ground != _GROUND:
        yield (
            f'<rect x="{x}" y="{y}" width="{get_cwidth(text) * _WIDE}" height="{_HIGH}"'
            f' fill="{look.ground}" shape-rendering="crispEdges"/>'
        )
    light: list[str] = []
    heavy: list[str] = []
    for word, at in _words(text):
        left = x + at * _WIDE
        if word[0] in _STROKES or word[0] in _CORNERS:
            for number, sign in enumerate(word):
                for weight, path in _strokes(sign, left + number * _WIDE, y):
                    (heavy if weight == 2 else light).append(path)
        elif word[0] in _PIPS:
            for number, sign in enumerate(word):
                centre = left + (number + 0.5) * _WIDE
                yield (
                    f'<circle cx="{centre:g}" cy="{y + _HIGH / 2:g}" r="3.4" stroke="{look.ink}"'
                    f' stroke-width="1.2" fill="{look.ink if sign == _PIPS[0] else "none"}"/>'
                )
        elif word[0] == _SHADE:
            yield (
                f'<rect x="{left + 0.5}" y="{y + 1}" width="{len(word) * _WIDE - 1}"'
                f' height="{_HIGH - 2}" rx="2" fill="{look.ink}" fill-opacity="0.45"/>'
            )
        else:
            yield (
                f'<text x="{left}" y="{y + _BASE}" textLength="{get_cwidth(word) * _WIDE}"'
                f' lengthAdjust="spacingAndGlyphs" fill="{look.ink}"{look.attributes}>'
                f"{escape(word)}</text>"
            )
    for paths, thick in ((light, 1.2), (heavy, 2.6)):
        if paths:
            yield (
                f'<path d="{"".join(paths)}" fill="none" stroke="{look.ink}"'
                f' stroke-width="{thick}" stroke-linecap="square"/>'
            )


def _words(text: str) -> Iterator[tuple[str, int]]:
    """The pieces of *text* that are drawn in one go, each with its column."""
    word, kind, start, column = "", "", 0, 0
    for sign in text:
        now = _kind(sign)
        if now != kind and get_cwidth(sign) > 0:
            if word and kind != "blank":
                yield word, start
            word, kind, start = "", now, column
        word += sign
        column += get_cwidth(sign)
    if word and kind != "blank":
        yield word, start


def _kind(sign: str) -> str:
    if sign == " ":
        return "blank"
    if sign in _STROKES or sign in _CORNERS:
        return "strokes"
    if sign in _PIPS:
        return "pips"
    return "shade" if sign == _SHADE else "text"


def _strokes(sign: str, x: int, y: int) -> Iterator[tuple[int, str]]:
    """The paths of *sign* in the cell at *x* and *y*, each with its weight."""
    across, down = _WIDE / 2, _HIGH / 2
    middle = f"M{x + across:g} {y + down:g}"
    if sign in _CORNERS:
        right, lower = _CORNERS[sign]
        start = f"M{x + across:g} {y + down + lower * down:g}"
        curve = across * 0.9
        yield (
            1,
            f"{start}V{y + down + lower * curve:g}"
            f"q0 {-lower * curve:g} {right * curve:g} {-lower * curve:g}"
            f"H{x + across + right * across:g}",
        )
        return
    ends = (f"v{-down:g}", f"h{across:g}", f"v{down:g}", f"h{-across:g}")
    for weight, end in zip(_STROKES[sign], ends, strict=True):
        if weight:
            yield weight, middle + end
