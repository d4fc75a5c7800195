"""Side decks (R3): the ones that ship, their one-line form, and what makes one legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from pazaak_p2p.rules.cards import Card
from pazaak_p2p.rules.errors import DeckError
from pazaak_p2p.rules.options import Copies, Rules

SideDeck: TypeAlias = tuple[Card, ...]
"""Ten side cards; a card's index is its *position*."""

DECK_SIZE: Final = 10
_MOST_ORDINARY: Final = 4
_MOST_GOLD: Final = 2


def parse_deck(text: str) -> SideDeck:
    """The side deck written on one line, ``+1 -2 ±3 ...``; commas may stand between the cards.

    Raises :class:`CardError` for an unknown card and :class:`DeckError` for any number but ten.
    """
    cards = tuple(Card.parse(word) for word in text.replace(",", " ").split())
    _check_size(cards)
    return cards


def format_deck(deck: Sequence[Card], ascii: bool = False) -> str:
    """*deck* on one line, as :func:`parse_deck` reads it."""
    return " ".join(card.ascii if ascii else card.text for card in deck)


def check_deck(cards: Sequence[Card], rules: Rules) -> None:
    """Refuse a side deck that R3 does not allow under *rules*.

    Raises :class:`DeckError`: not ten cards, gold cards without gold, too many of one kind.
    """
    _check_size(cards)
    gold = [card for card in cards if card.gold]
    if gold and not rules.gold:
        raise DeckError(
            f"The side deck holds gold cards: {format_deck(gold)}.",
            why="R3: this match is played without gold cards (gold=off).",
            next="Replace them by ordinary cards, or play with gold=on.",
        )
    if rules.copies is Copies.LIMITED:
        for card, count in Counter(cards).items():
            most = _MOST_GOLD if card.gold else _MOST_ORDINARY
            if count > most:
                kind = "gold" if card.gold else "ordinary"
                raise DeckError(
                    f"The side deck holds {card.text} {count} times.",
                    why=f"R3: at most {most} of one {kind} kind in this match (copies=limited).",
                    next="Replace some of them, or play with copies=unlimited.",
                )


def _check_size(cards: Sequence[Card]) -> None:
    if len(cards) != DECK_SIZE:
        number = "no cards" if not cards else f"{len(cards)} card{'s' * (len(cards) != 1)}"
        raise DeckError(f"The side deck has {number}, not {DECK_SIZE}.")


DECKS: Final = MappingProxyType(
    {
        "starter": parse_deck("+1 +1 +2 +2 +3 +3 +4 +4 +5 +5"),
        "average": parse_deck("+3 -3 +4 -4 +5 -5 +5 -3 +4 -5"),
        "nightmare": parse_deck("±6 +4 -4 -2 +3 -2 -3 +3 +2 ±1"),
        "super": parse_deck("±3 ±3 ±2 ±2 ±4 ±4 ±2 ±2 ±1 ±1"),
        "easy": parse_deck("+1 +2 +3 +4 +5 -6 -4 -3 -2 -1"),
        "wanderer": parse_deck("±1 ±2 +3 +4 +5 +6 ±5 -6 ±4 D"),
        "hard": parse_deck("2&4 3&6 ±4 ±6 D ±1T 1±2 ±3 ±6 2&4"),
        "from-hell": parse_deck("D D 2&4 2&4 3&6 3&6 ±1T ±1T 1±2 1±2"),
        "balanced": parse_deck("±1 ±1 ±2 ±2 ±3 ±3 ±4 ±4 ±5 ±6"),
    }
)
"""The decks that ship, by name."""
