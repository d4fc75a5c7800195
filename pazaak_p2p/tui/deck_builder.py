"""The deck builder as a pure value: a state and a key give the next state, and perhaps a task.

What is to be done outside (writing the deck, leaving) comes out as an :data:`Errand`; how that went
comes back by :func:`saved` and :func:`not_saved`. Drawn by ``deck_page``, run by ``deck_screen``.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from pazaak_p2p.rules import CARDS, PRESETS, Card, DeckError, Rules, SideDeck, describe
from pazaak_p2p.rules.decks import DECK_SIZE
from pazaak_p2p.store.deck_files import MOST_NAME, DeckNameRefused, check_deck_name
from pazaak_p2p.tui.deck_cards import verdict

MOST_STEPS: Final = 200
"""Steps that can be taken back."""

LEFT, RIGHT, UP, DOWN = "left", "right", "up", "down"
ENTER, ESCAPE, BACKSPACE, DELETE = "enter", "escape", "backspace", "delete"
CTRL_C: Final = "\x03"
_ROWS: Final = 3
_SIZES: Final = 6
_GOLD: Final = _ROWS * _SIZES
"""The place of the first gold card among all 23."""


class Mode(Enum):
    """What keys mean."""

    BUILD = auto()
    NAME = auto()
    """A name is being typed."""
    LEAVE = auto()
    """Leave, with changes that are not saved?"""
    REPLACE = auto()
    """Replace another deck of that name?"""
    HELP = auto()


class Tone(Enum):
    """How a message is meant."""

    TOLD = auto()
    GOOD = auto()
    BAD = auto()


class Save(Struct, frozen=True):
    """Write this deck; over an earlier one only with *force*."""

    name: str
    cards: SideDeck
    force: bool


class Leave(Struct, frozen=True):
    """Go; *interrupted* if by Ctrl-C, with changes that are not saved."""

    interrupted: bool = False


Errand: TypeAlias = Save | Leave
Step: TypeAlias = "tuple[Builder, Errand | None]"


class Builder(Struct, frozen=True):
    """A deck that is being built."""

    cards: SideDeck = ()
    """Up to ten, in the order in which they were put in."""
    rules: Rules = PRESETS["standard"]
    name: str = ""
    """Empty while it has none."""
    source: str = ""
    """What it began with, if that is not the deck *name*."""
    kept: SideDeck = ()
    """The cards as they are on the disk, or were at the beginning."""
    on_disk: bool = False
    """Whether a deck *name* of the user's own was opened, or has been written."""
    at: int = 0
    """The kind that the keys act on: its place in ``CARDS``."""
    past: tuple[SideDeck, ...] = ()
    future: tuple[SideDeck, ...] = ()
    mode: Mode = Mode.BUILD
    typed: str = ""
    """The name, as far as it is typed."""
    leaving: bool = False
    """Whether to leave as soon as it is saved."""
    saving: bool = False
    """Whether it is being written just now."""
    message: str = ""
    tone: Tone = Tone.TOLD

    @property
    def card(self) -> Card:
        """The kind that the keys act on."""
        return CARDS[self.at]

    @property
    def changed(self) -> bool:
        return self.cards != self.kept

    @property
    def whole(self) -> bool:
        """Whether it has the cards that a deck needs, so that it can be saved."""
        return len(self.cards) == DECK_SIZE

    @property
    def fault(self) -> DeckError | None:
        """What R3 has against the deck as it is."""
        return verdict(self.cards, self.rules)


def press(builder: Builder, key: str) -> Step:
    """One key: a character, or the name of a key such as :data:`LEFT`."""
    if builder.saving:
        return builder, None  # what is being written must be what is shown
    if key == CTRL_C:
        return _interrupt(builder)
    builder = replace(builder, message="", tone=Tone.TOLD)
    match builder.mode:
        case Mode.NAME:
            return _type(builder, key)
        case Mode.LEAVE:
            return _answer_leave(builder, key)
        case Mode.REPLACE:
            return _answer_replace(builder, key)
        case Mode.HELP:
            return replace(builder, mode=Mode.BUILD), None
        case Mode.BUILD:
            return _build(builder, key)


def put(builder: Builder, card: Card) -> Builder:
    """With one more *card*, which the keys act on then."""
    builder = replace(builder, at=CARDS.index(card))
    if builder.whole:
        return _said(builder, "The deck is full: take a card out first (R3).", Tone.BAD)
    return _changed(builder, (*builder.cards, card))


def take(builder: Builder, card: Card) -> Builder:
    """With one *card* less, which the keys act on then."""
    builder = replace(builder, at=CARDS.index(card))
    if card not in builder.cards:
        return _said(builder, f"There is no {card.ascii} in the deck.", Tone.BAD)
    places = [place for place, held in enumerate(builder.cards) if held is card]
    last = places[-1]
    return _changed(builder, builder.cards[:last] + builder.cards[last + 1 :])


def click(builder: Builder, card: Card, *, out: bool) -> Builder:
    """The mouse on *card*: one more of it, or with *out* one less."""
    if builder.mode is not Mode.BUILD or builder.saving:
        return builder
    builder = replace(builder, message="", tone=Tone.TOLD)
    return take(builder, card) if out else put(builder, card)


def saved(builder: Builder, save: Save) -> Step:
    """The deck has been written."""
    builder = replace(
        builder,
        name=save.name,
        source="",
        kept=save.cards,
        on_disk=True,
        saving=False,
        mode=Mode.BUILD,
    )
    if builder.leaving:
        return builder, Leave()
    text = f"Saved. Play with it: pazaak play --deck {save.name}"
    fault = builder.fault
    if fault is not None:
        return _said(builder, f"Saved, though not for {describe(builder.rules)}: {fault.why}"), None
    return _said(builder, text, Tone.GOOD), None


def not_saved(builder: Builder, save: Save, why: str, *, stands: bool) -> Builder:
    """It could not be written; *stands* if only because there is another deck of that name."""
    builder = replace(builder, saving=False)
    if stands:
        return replace(builder, mode=Mode.REPLACE, typed=save.name)
    return _said(replace(builder, mode=Mode.BUILD, leaving=False), f"Not saved. {why}", Tone.BAD)


# --- keys while building


def _build(builder: Builder, key: str) -> Step:
    simple = _SIMPLE.get(key)
    if simple is not None:
        return simple(builder), None
    match key:
        case "s":
            return _save(builder)
        case "q" | "escape":
            if builder.changed:
                return replace(builder, mode=Mode.LEAVE), None
            return builder, Leave()
        case _:
            name = "That key" if len(key) == 1 and not key.isprintable() else key
            return _said(builder, f"{name} does nothing here; ? shows what the keys do."), None


def _move(steps: int) -> Callable[[Builder], Builder]:
    return lambda builder: replace(builder, at=(builder.at + steps) % len(CARDS))


def _up(builder: Builder) -> Builder:
    at = builder.at
    if at > _GOLD:
        return replace(builder, at=at - 1)
    return replace(builder, at=at - _SIZES if at >= _SIZES else len(CARDS) - 1)


def _down(builder: Builder) -> Builder:
    at = builder.at
    if at >= _GOLD:
        return replace(builder, at=(at + 1) % len(CARDS))
    return replace(builder, at=min(at + _SIZES, _GOLD))


def _undo(builder: Builder) -> Builder:
    if not builder.past:
        return _said(builder, "There is nothing to take back.")
    *past, before = builder.past
    return replace(builder, cards=before, past=tuple(past), future=(*builder.future, builder.cards))


def _redo(builder: Builder) -> Builder:
    if not builder.future:
        return _said(builder, "There is nothing to do again.")
    *future, after = builder.future
    return replace(builder, cards=after, future=tuple(future), past=(*builder.past, builder.cards))


def _next_rules(builder: Builder) -> Builder:
    names = [describe(rules) for rules in dict.fromkeys(PRESETS.values())]  # without twins
    now = describe(builder.rules)
    following = names[(names.index(now) + 1) % len(names)] if now in names else names[0]
    return _said(replace(builder, rules=PRESETS[following]), f"R3 as {following} has it.")


def _begin_name(builder: Builder) -> Builder:
    return replace(builder, mode=Mode.NAME, typed=builder.name)


def _help(builder: Builder) -> Builder:
    return replace(builder, mode=Mode.HELP)


def _put_here(builder: Builder) -> Builder:
    return put(builder, builder.card)


def _take_here(builder: Builder) -> Builder:
    return take(builder, builder.card)


_SIMPLE: Final[dict[str, Callable[[Builder], Builder]]] = {
    LEFT: _move(-1),
    RIGHT: _move(1),
    UP: _up,
    DOWN: _down,
    **dict.fromkeys((ENTER, " ", "+", "="), _put_here),
    **dict.fromkeys(("-", "_", BACKSPACE, DELETE), _take_here),
    "u": _undo,
    "r": _redo,
    "p": _next_rules,
    "n": _begin_name,
    "?": _help,
}


def _save(builder: Builder) -> Step:
    if not builder.whole:
        count = len(builder.cards)
        text = f"A deck has {DECK_SIZE} cards, this has {count}: it cannot be saved yet (R3)."
        return _said(replace(builder, leaving=False, mode=Mode.BUILD), text, Tone.BAD), None
    if not builder.name:
        return replace(builder, mode=Mode.NAME, typed=""), None
    return _write(builder, builder.name, force=builder.on_disk)


def _write(builder: Builder, name: str, *, force: bool) -> Step:
    return replace(builder, saving=True), Save(name, builder.cards, force)


# --- keys while something is asked


def _type(builder: Builder, key: str) -> Step:
    if key == ESCAPE:
        return replace(builder, mode=Mode.BUILD, typed="", leaving=False), None
    if key == BACKSPACE:
        return replace(builder, typed=builder.typed[:-1]), None
    if key == ENTER:
        name = builder.typed
        try:
            check_deck_name(name)
        except DeckNameRefused as error:
            return _said(builder, f"{error.what} {error.why}", Tone.BAD), None
        if name == builder.name and builder.on_disk and not builder.leaving:
            return replace(builder, mode=Mode.BUILD, typed=""), None
        if builder.whole:
            same = builder.on_disk and name == builder.name
            return _write(replace(builder, typed=""), name, force=same)
        named = replace(builder, name=name, on_disk=False, mode=Mode.BUILD, typed="")
        return _said(named, f"Named {name}; it can be saved when it has {DECK_SIZE} cards."), None
    if len(key) == 1 and (key.isalnum() or key in "-_"):
        return replace(builder, typed=(builder.typed + key)[:MOST_NAME]), None
    return _said(builder, "A name has letters, digits, - and _."), None


def _answer_leave(builder: Builder, key: str) -> Step:
    if key in ("y", ENTER):
        return _save(replace(builder, mode=Mode.BUILD, leaving=True))
    if key == "n":
        return builder, Leave()
    return replace(builder, mode=Mode.BUILD), None


def _answer_replace(builder: Builder, key: str) -> Step:
    if key == "y":
        return _write(replace(builder, mode=Mode.BUILD, typed=""), builder.typed, force=True)
    return _said(
        replace(builder, mode=Mode.BUILD, typed="", leaving=False), "Not saved; both are as before."
    ), None


def _interrupt(builder: Builder) -> Step:
    if not builder.changed or builder.mode is Mode.LEAVE:
        return builder, Leave(interrupted=True)
    return replace(builder, mode=Mode.LEAVE, typed="", message=""), None


# --- both


def _changed(builder: Builder, cards: SideDeck) -> Builder:
    past = (*builder.past, builder.cards)[-MOST_STEPS:]
    return replace(builder, cards=cards, past=past, future=())


def _said(builder: Builder, message: str, tone: Tone = Tone.TOLD) -> Builder:
    return replace(builder, message=message, tone=tone)
