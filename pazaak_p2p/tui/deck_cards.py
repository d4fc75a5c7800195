"""Side decks in words and as drawn cards: what a kind does, what R3 says, the ten in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pazaak_p2p.rules import (
    CARDS,
    PRESETS,
    Card,
    DeckError,
    Kind,
    Rules,
    SideDeck,
    Tiebreaker,
    check_deck,
)
from pazaak_p2p.rules.decks import DECK_SIZE
from pazaak_p2p.tui.cards import card_box
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line, joined
from pazaak_p2p.tui.style import card_style

GROUPS: Final = (
    (Kind.PLUS, "Plus"),
    (Kind.MINUS, "Minus"),
    (Kind.PLUSMINUS, "Either"),
)
"""The kinds that come in six sizes, in the order in which they are shown."""

_GOLD: Final = [card for card in CARDS if card.gold]
_TIES: Final = {
    Tiebreaker.PLAYED: "wins a tied set once it is on the table (R17)",
    Tiebreaker.LAST: "wins a tied set if it is your last card (R17)",
    Tiebreaker.AT_TIE: "wins a tied set if laid down then (R17)",
}


def card_words(card: Card, rules: Rules) -> str:
    """What *card* does, in up to 60 characters of ASCII."""
    size = card.ascii[-1]
    match card.kind:
        case Kind.PLUS:
            return f"adds {size} to your total"
        case Kind.MINUS:
            return f"takes {size} off your total"
        case Kind.PLUSMINUS:
            return f"adds {size} or takes {size} off, as you say when you play it"
        case Kind.TIEBREAKER:
            return f"+1 or -1, and {_TIES[rules.tiebreaker]}"
        case Kind.ONE_TWO:
            return "+1, +2, -1 or -2, as you say when you play it"
        case Kind.FLIP:
            one, other = card.flips[:2]
            return f"turns the sign of every {one} and {other} on your table (R15)"
        case Kind.DOUBLE:
            return "counts the green card that you just drew once more (R14)"


def group_words(kind: Kind) -> str:
    """What the six sizes of *kind* do."""
    return {
        Kind.PLUS: "adds its number",
        Kind.MINUS: "takes its number off",
        Kind.PLUSMINUS: "+ or -, as you say",
    }[kind]


def verdict(cards: Sequence[Card], rules: Rules) -> DeckError | None:
    """What R3 has against *cards* under *rules*."""
    try:
        check_deck(cards, rules)
    except DeckError as error:
        return error
    return None


def so_far(cards: Sequence[Card], rules: Rules) -> DeckError | None:
    """What R3 has against *cards*, up to ten, apart from their being too few."""
    deck = list(cards)
    while len(deck) < DECK_SIZE:
        # There are more ordinary kinds than places, so this never makes too many of one.
        deck.append(min(CARDS[: -len(_GOLD)], key=deck.count))
    return verdict(deck, rules)


def preset_verdicts(cards: SideDeck) -> dict[str, DeckError | None]:
    """What R3 has against *cards* under each preset."""
    return {name: verdict(cards, rules) for name, rules in PRESETS.items()}


def deck_row(cards: Sequence[Card], glyphs: Glyphs) -> list[Line]:
    """*cards* in a row, three lines of 69 columns; places still to fill are marked."""
    blank: Line = (("", " " * 6),)
    empty = (blank, (("class:faint", glyphs.slot.center(6)),), blank)
    boxes = [card_box(glyphs.name(card), "", card_style(card), glyphs) for card in cards]
    boxes += [empty] * (DECK_SIZE - len(boxes))
    return [joined([card[row] for card in boxes], " ") for row in range(3)]
