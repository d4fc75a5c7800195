"""Digests and side decks that are not what they were."""

from __future__ import annotations

from msgspec.structs import replace

from pazaak_p2p.rules import (
    Card,
    digest,
    parse_deck,
)
from tests.cheating import Cheater
from tests.wire.tricks.case import (
    LIMITED,
    NO_GOLD,
    OTHER_BYTES,
    Case,
    at_the_opening,
    cases,
    instead,
)


def one_bit(c: Cheater) -> bytes:
    c.finish()
    true = digest(c.state)
    return c.entry(state=true[:-1] + bytes([true[-1] ^ 1]))


CASES: list[Case] = [
    *cases(
        "wrong-digest",
        lambda c: c.floor,
        {
            "one bit": one_bit,
            "none": lambda c: c.rest(state=bytes(32)),
            "a head": lambda c: c.rest(state=c.transcript.head),
        },
        points=(0, 1, 2, 9),
    ),
    *at_the_opening(
        "wrong-digest",
        {"at the end": lambda c: c.entry(c.opening(), state=OTHER_BYTES)},
    ),
    *at_the_opening(
        "deck-does-not-open",
        {
            "another card": instead(
                lambda c: replace(
                    c.opening(),
                    deck=[
                        Card.PLUS_2 if c.deck[0] is Card.PLUS_1 else Card.PLUS_1,
                        *c.deck[1:],
                    ],
                )
            ),
            "the cards in the order of the legal deck": instead(
                lambda c: replace(c.opening(), deck=sorted(c.deck, key=lambda card: -card.number))
            ),
            "an invented salt": instead(
                lambda c: replace(c.opening(), salts=[*c.opening().salts[:9], OTHER_BYTES])
            ),
            "salts in another order": instead(
                lambda c: replace(c.opening(), salts=c.opening().salts[::-1])
            ),
        },
    ),
    *at_the_opening(
        "illegal-deck",
        {"gold without gold": instead(lambda c: c.opening())},
        rules=NO_GOLD,
        deck=parse_deck("+1 +1 +1 +2 +2 +2 +3 +3 +3 D"),
    ),
    *at_the_opening(
        "illegal-deck",
        {"five of a kind": instead(lambda c: c.opening())},
        rules=LIMITED,
        deck=parse_deck("+1 +1 +1 +1 +1 +2 +2 +2 +3 D"),
    ),
    *at_the_opening(
        "illegal-deck",
        {"three of a gold kind": instead(lambda c: c.opening())},
        rules=LIMITED,
        deck=parse_deck("D D D +1 +1 +2 +2 +3 +3 +4"),
    ),
]
