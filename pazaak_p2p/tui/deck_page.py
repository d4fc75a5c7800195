"""The deck builder as lines: a pure function of its state and the size of the terminal.

Every part says what a click on it means, so that the mouse needs no second layout. Complete on 80
columns and 24 lines, compact down to 40 by 16, one friendly sentence below that.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from prompt_toolkit.utils import get_cwidth

from pazaak_p2p.rules import CARDS, PRESETS, Card, describe
from pazaak_p2p.rules.decks import DECK_SIZE
from pazaak_p2p.tui.deck_builder import Builder, Mode, Tone
from pazaak_p2p.tui.deck_cards import GROUPS, card_words, deck_row, group_words, so_far
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import clip
from pazaak_p2p.tui.style import card_style

COLUMNS: Final = 80
ROWS: Final = 24
SMALLEST: Final = (40, 16)
"""Columns and rows of the smallest terminal that shows a deck."""
_LABEL: Final = 8


class OnCard(Struct, frozen=True):
    """A click here puts one more of *card* into the deck; with *out*, takes one out."""

    card: Card
    out: bool = False


Target: TypeAlias = OnCard | str
"""What a click does: act on a card, or as a key does."""
Part: TypeAlias = tuple[str, str, Target | None]
"""A style, a text, and what a click on it does, if anything."""
Row: TypeAlias = list[Part]


def draw_page(builder: Builder, columns: int, rows: int, glyphs: Glyphs) -> list[Row]:
    """The whole page, at most *rows* lines of at most *columns*."""
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        return _too_small(columns, rows)
    if builder.mode is Mode.HELP:
        return _help(columns)[:rows]
    wide = columns >= COLUMNS and rows >= ROWS
    page = _wide(builder, glyphs) if wide else _compact(builder, columns, glyphs)
    return page[:rows]


# --- complete


def _wide(builder: Builder, glyphs: Glyphs) -> list[Row]:
    ruled: Row = [("class:faint", glyphs.rule * COLUMNS, None)]
    page = [_title(builder, COLUMNS, glyphs), ruled]
    for number, (kind, label) in enumerate(GROUPS):
        row: Row = [("class:name", f" {label:<{_LABEL - 1}}", None)]
        for card in CARDS[number * 6 : number * 6 + 6]:
            row += [*_cell(builder, card, glyphs), ("", " ", None)]
        page.append([*row, ("", group_words(kind), None)])
    page.append([])
    for card in CARDS[18:]:
        label = "Gold" if card is CARDS[18] else ""
        page.append(
            [
                ("class:name", f" {label:<{_LABEL - 1}}", None),
                *_cell(builder, card, glyphs),
                ("", f" {card_words(card, builder.rules)}", None),
            ]
        )
    page.append(ruled)
    page += _deck_boxes(builder, glyphs)
    page += [
        _selected(builder, glyphs),
        *_r3(builder, COLUMNS, glyphs),
        _presets(builder, glyphs),
        [],
        *_words(builder, COLUMNS),
        *_keys(builder, COLUMNS),
    ]
    return page


def _deck_boxes(builder: Builder, glyphs: Glyphs) -> list[Row]:
    # deck_row puts a blank after each card, so every second part is a card.
    targets: dict[int, Target] = {
        2 * place: OnCard(card, out=True) for place, card in enumerate(builder.cards)
    }
    return [
        [
            ("", " ", None),
            *((style, text, targets.get(at)) for at, (style, text) in enumerate(line)),
        ]
        for line in deck_row(builder.cards, glyphs)
    ]


def _presets(builder: Builder, glyphs: Glyphs) -> Row:
    row: Row = [("", " Fits: ", None)]
    for name, rules in PRESETS.items():
        good = so_far(builder.cards, rules) is None
        style, sign = ("class:good", glyphs.good) if good else ("class:bad", glyphs.bad)
        row += [(style, f"{sign} {name}", None), ("", "   ", None)]
    return row


# --- compact


def _compact(builder: Builder, columns: int, glyphs: Glyphs) -> list[Row]:
    page = [_title(builder, columns, glyphs)]
    for start, stop in ((0, 6), (6, 12), (12, 18), (18, 23)):
        row: Row = []
        for card in CARDS[start:stop]:
            row += _small_cell(builder, card, glyphs)
        page.append(row)
    row = [("", " ", None)]
    for card in builder.cards:
        row += [(card_style(card), glyphs.name(card), OnCard(card, out=True)), ("", " ", None)]
    # Two lines each, so that nothing moves while the deck is built.
    for part in (
        _small_selected(builder, columns, glyphs),
        _broken(row, columns),
        _r3(builder, columns, glyphs),
        _words(builder, columns),
    ):
        page += [*part, [], []][:2]
    return [*page, *_keys(builder, columns)]


def _small_selected(builder: Builder, columns: int, glyphs: Glyphs) -> list[Row]:
    name = glyphs.name(builder.card)
    first, *rest = textwrap.wrap(
        card_words(builder.card, builder.rules),
        columns - 2,
        initial_indent="." * (len(name) + 1),  # room for the card
    )
    chip: Row = [("", " ", None), (card_style(builder.card), name, OnCard(builder.card))]
    chip.append(("", f" {first[len(name) + 1 :]}", None))
    more: list[Row] = [[("", f" {line}", None)] for line in rest]
    return [chip, *more]


def _small_cell(builder: Builder, card: Card, glyphs: Glyphs) -> Row:
    """Six columns for a size, seven for a gold card, whose name can be longer."""
    count = builder.cards.count(card)
    here = builder.at == CARDS.index(card)
    name = glyphs.name(card)
    gap = " " * ((5 if card.gold else 4) - len(name))
    return [
        ("class:key" if here else "", glyphs.says if here else " ", OnCard(card)),
        (card_style(card), name, OnCard(card)),
        ("", gap, OnCard(card)),
        ("class:name", str(count) if count else " ", OnCard(card)),
    ]


# --- parts of both


def _title(builder: Builder, columns: int, glyphs: Glyphs) -> Row:
    name = builder.name or (f"from {builder.source}" if builder.source else "no name yet")
    unsaved = builder.changed or (builder.cards and not builder.on_disk)
    state = " (not saved)" if unsaved else ""
    count = f"{len(builder.cards)} of {DECK_SIZE} "
    if columns >= COLUMNS:
        left = f" Deck builder {glyphs.dot} "
        right = f"rules: {clip(describe(builder.rules), 24, glyphs.ellipsis)} {glyphs.dot} {count}"
    else:
        left, right = " ", count
        if get_cwidth(left + name + state + right) >= columns:
            state = "*" if state else ""
    name = clip(name, columns - get_cwidth(left + state + right) - 2, glyphs.ellipsis)
    gap = columns - get_cwidth(left + name + state + right)
    return [
        ("class:name", left, None),
        ("class:name", name, "n"),
        ("", state + " " * gap, None),
        ("class:name", right, "p"),
    ]


def _cell(builder: Builder, card: Card, glyphs: Glyphs) -> Row:
    """Seven columns: the card, and how many of it are in the deck."""
    count = builder.cards.count(card)
    here = builder.at == CARDS.index(card)
    left, right = ("[", "]") if here else (" ", " ")
    name = glyphs.name(card)
    face = name.center(4) if len(name) < 5 else name
    return [
        ("class:key" if here else "", left, OnCard(card)),
        (card_style(card), face, OnCard(card)),
        ("class:key" if here else "", right, OnCard(card)),
        ("class:name" if count else "class:faint", str(count) if count else glyphs.slot, None),
    ]


def _selected(builder: Builder, glyphs: Glyphs) -> Row:
    card = builder.card
    return [
        ("", " ", None),
        (card_style(card), f" {glyphs.name(card)} ", OnCard(card)),
        ("", f" {card_words(card, builder.rules)}", None),
    ]


def _r3(builder: Builder, columns: int, glyphs: Glyphs) -> list[Row]:
    fault = builder.fault
    if fault is None:
        text = f"{glyphs.good} R3: legal under {describe(builder.rules)}."
        return _wrapped(text, "class:good", columns)
    fault = so_far(builder.cards, builder.rules)
    if fault is not None:
        return _wrapped(f"{glyphs.bad} {fault.why}", "class:bad", columns)
    missing = DECK_SIZE - len(builder.cards)
    cards = "card" if missing == 1 else "cards"
    return _wrapped(f"R3: ten cards are a deck; {missing} {cards} to choose yet.", "", columns)


def _words(builder: Builder, columns: int) -> list[Row]:
    """What is asked or said."""
    match builder.mode:
        case Mode.NAME:
            asked: list[Row] = [
                [("class:question", " Name: ", None), ("", builder.typed, None), _CURSOR]
            ]
        case Mode.LEAVE:
            question = "Not all is saved. Save it before you leave?"
            if not builder.whole:
                question = f"Not all is saved. That needs {DECK_SIZE} cards (R3)."
            asked = _wrapped(question, "class:question", columns)
        case Mode.REPLACE:
            asked = _wrapped(
                f"There is a deck {builder.typed} already. Replace it?", "class:question", columns
            )
        case _:
            asked = []
    if builder.message:
        style = {Tone.TOLD: "", Tone.GOOD: "class:good", Tone.BAD: "class:warning"}[builder.tone]
        asked += _wrapped(builder.message, style, columns)
    return asked or [[]]


_CURSOR: Final[Part] = ("class:key", " ", None)

_MENUS: Final[dict[Mode, Sequence[tuple[str, str, str]]]] = {
    Mode.BUILD: (
        ("Arrows", "right", "choose"),
        ("Enter", "enter", "add"),
        ("-", "-", "remove"),
        ("u", "u", "undo"),
        ("r", "r", "redo"),
        ("n", "n", "name"),
        ("s", "s", "save"),
        ("p", "p", "rules"),
        ("?", "?", "help"),
        ("q", "q", "leave"),
    ),
    Mode.NAME: (("Enter", "enter", "take it"), ("Esc", "escape", "back")),
    Mode.LEAVE: (
        ("y", "y", "save and leave"),
        ("n", "n", "leave without"),
        ("Esc", "escape", "go on"),
    ),
    Mode.REPLACE: (("y", "y", "replace it"), ("n", "n", "keep it")),
}


def _keys(builder: Builder, columns: int) -> list[Row]:
    rows: list[Row] = [[("", " ", None)]]
    used = 1
    menu = _MENUS[builder.mode]
    if builder.mode is Mode.LEAVE and not builder.whole:
        menu = menu[1:]
    for label, key, meaning in menu:
        size = len(label) + len(meaning) + 3
        if used + size > columns and used > 1:
            rows.append([("", " ", None)])
            used = 1
        rows[-1] += [("class:key", label, key), ("", f" {meaning}  ", key)]
        used += size
    return rows


_HELP: Final = (
    ("arrows", "choose a kind of card"),
    ("Enter +", "put one into the deck"),
    ("- Backsp", "take one out"),
    ("u r", "undo, redo"),
    ("n", "name it; a new name: a copy"),
    ("s", "save; a deck has ten cards"),
    ("p", "other rules for the check"),
    ("q Esc", "leave; asks if changed"),
    ("Ctrl-C", "the same; twice leaves at once"),
    ("mouse", "click puts in; right click, or a click on the deck, takes out"),
)


def _help(columns: int) -> list[Row]:
    page: list[Row] = [[("class:name", " Deck builder: keys", None)]]
    for keys, meaning in _HELP:
        lines = textwrap.wrap(meaning, columns - 10)
        page.append([("class:name", f" {keys:<9}", None), ("", lines[0], None)])
        page += [[("", " " * 10 + line, None)] for line in lines[1:]]
    return [*page, [("class:question", " Any key goes back.", "escape")]]


def _too_small(columns: int, rows: int) -> list[Row]:
    text = (
        f"The deck builder needs {SMALLEST[0]}x{SMALLEST[1]}; this is {columns}x{rows}."
        " Make the window larger, or press q to leave."
    )
    lines = textwrap.wrap(text, max(columns, 1)) if columns else []
    return [[("", line, None)] for line in lines[: max(rows, 1)]]


def _wrapped(text: str, style: str, columns: int) -> list[Row]:
    return [[(style, f" {line}", None)] for line in textwrap.wrap(text, columns - 2)]


def _broken(row: Row, columns: int) -> list[Row]:
    """*row* in two lines, the second empty if one is enough."""
    rows: list[Row] = [[], []]
    used = 0
    for part in row:
        size = get_cwidth(part[1])
        if used + size > columns and not rows[1]:
            rows[1].append(("", " ", None))
        (rows[1] if rows[1] else rows[0]).append(part)
        used += size
    return rows
