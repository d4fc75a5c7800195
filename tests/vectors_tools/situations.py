"""Tables at which a cheat can happen: matches played to where it can."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final

from pazaak_p2p.rules import Card, Phase, Seat, parse_deck, parse_rules
from pazaak_p2p.wire.cheats import IllegalDeck
from tests.vectors_tools.forge import Author, Choice, Table

When = Callable[[Author], bool]

HOST, JOIN = Seat.HOST, Seat.JOIN
STANDARD: Final = parse_rules("standard,sets=1")
GOLD: Final = parse_deck("D 2&4 3&6 +-1T 1+-2 D 2&4 3&6 +-1T 1+-2")
_SEEDS: Final = 200
PLAIN = "+1 -2 +-3 +4 -5 +-6 +1 -2 +-3 +4"


def table_where(
    name: str,
    until: When,
    *,
    cheater: Seat = HOST,
    rules: str = "standard,sets=1",
    deck: str = PLAIN,
    choose: Choice | None = None,
    victim: Choice | None = None,
) -> Table:
    """The first match of this name in which *until* comes to hold."""
    for i in range(_SEEDS):
        table = Table(
            f"{name} {i}",
            cheater,
            parse_rules(rules),
            deck=parse_deck(deck),
            choose=choose,
            victim=victim,
        )
        table.begin()
        # With an illegal deck the author's own transcript refuses its honest end.
        with contextlib.suppress(IllegalDeck):
            if table.play(until):
                return table
    raise AssertionError(f"{name}: it never comes to that")


def acting(author: Author) -> bool:
    return author.transcript.state.phase is Phase.ACT


def first_to_reveal(author: Author) -> bool:
    """It reveals first in a draw."""
    state = author.transcript.state
    return state.phase is Phase.DRAW and state.mover is author.seat.other


def second_to_reveal(author: Author) -> bool:
    state = author.transcript.state
    return state.phase is Phase.DRAW and state.mover is author.seat and not author.said


def holds(*cards: Card) -> When:
    """To act, no card played in this turn, one of these in the hand."""

    def holds(author: Author) -> bool:
        state = author.transcript.state
        return acting(author) and not state.played and find(author, *cards) is not None

    return holds


def find(author: Author, *cards: Card) -> int | None:
    return next((at for at in author.hand() if author.deck[at] in cards), None)


def position_of(author: Author, *cards: Card) -> int:
    at = find(author, *cards)
    assert at is not None
    return at


def text(deck: tuple[Card, ...]) -> str:
    return " ".join(card.ascii for card in deck)


def can_make_twenty(author: Author) -> bool:
    state = author.transcript.state
    missing = 20 - state.totals[author.seat]
    return (
        acting(author)
        and not state.played
        and any(missing in author.deck[at].values for at in author.hand())
    )


def asked(author: Author) -> bool:
    return author.transcript.state.phase is Phase.TIE
