"""Cards that are not held, not allowed or not worth that."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from pazaak_p2p.rules import (
    DECKS,
    Card,
)
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.terms import Kind
from tests.cheating import Cheater
from tests.wire.tricks.case import (
    AT_TIE,
    BREAKERS,
    NO_GOLD,
    OTHER_BYTES,
    Case,
    at_tie,
    cases,
    elsewhere,
    instead,
)


def may_play(c: Cheater) -> bool:
    return bool(c.playable())


def honest_play(c: Cheater) -> m.PlayCard:
    return c.playable()[0]


def another_card(c: Cheater) -> m.PlayCard:
    """An ordinary card that is not the one at its position."""
    true = honest_play(c)
    card = Card.PLUS_6 if true.card is Card.PLUS_5 else Card.PLUS_5
    return m.PlayCard(true.at, card, true.salt, card.values[0])


def exchanged(c: Cheater) -> m.PlayCard:
    """A card of the own hand, at the position of another."""
    there = next(at for at in c.unplayed if c.deck[at] is not c.deck[c.unplayed[0]])
    return replace(c.play(c.unplayed[0]), at=there)


def with_value(i: int) -> Callable[[Cheater], m.Statement]:
    """A card with the i-th of the values that it cannot have."""

    def make(c: Cheater) -> m.Statement:
        card = honest_play(c)
        possible = {play.value for play in c.playable() if play.at == card.at}
        return replace(card, value=[v for v in range(-10, 11) if v not in possible][i])

    return make


def after_a_card(make: Callable[[Cheater], m.Statement]) -> Callable[[Cheater], bytes]:
    """Play a card that may be played, and then say this in the same entry."""

    def what(c: Cheater) -> bytes:
        return c.entry(honest_play(c), make(c))

    return what


def holds(card: Card) -> Callable[[Cheater], bool]:
    return lambda c: any(play.card is card for play in c.playable())


def the_card(c: Cheater, card: Card, value: int) -> bytes:
    play = next(play for play in c.playable() if play.card is card)
    return c.entry(replace(play, value=value))


def bad_value(card: Card, value: int) -> Iterable[Case]:
    return cases(
        "impossible-value",
        holds(card),
        {f"{card.ascii} as {value}": lambda c: the_card(c, card, value)},
        deck=(card, card, card, card, card, card, card, card, card, card),
        points=(0,),
        splits=(False,),
    )


CASES: list[Case] = [
    *cases(
        "card-does-not-open",
        may_play,
        {
            "another card": instead(another_card),
            "an invented salt": instead(lambda c: replace(honest_play(c), salt=OTHER_BYTES)),
            "the salt of another card": instead(
                lambda c: replace(honest_play(c), salt=c.secret.salt(c.undealt[0]))
            ),
            "the salt of another match": instead(
                lambda c: replace(honest_play(c), salt=elsewhere(c).salt(honest_play(c).at))
            ),
        },
    ),
    *cases(
        "card-does-not-open",
        lambda c: may_play(c) and len({c.deck[at] for at in c.unplayed}) > 1,
        {"a card at the place of another": instead(exchanged)},
    ),
    *cases(
        "card-does-not-open",
        at_tie,
        {
            "no tiebreaker": instead(
                lambda c: m.LayDown(c.unplayed[0], c.secret.salt(c.unplayed[0]))
            ),
        },
        rules=AT_TIE,
        deck=DECKS["balanced"],
        points=(0,),
        splits=(False,),
    ),
    *cases(
        "card-does-not-open",
        at_tie,
        {"a tiebreaker's salt": instead(lambda c: m.LayDown(c.unplayed[0], OTHER_BYTES))},
        rules=AT_TIE,
        deck=BREAKERS,
        points=(0,),
        splits=(False,),
    ),
    *cases(
        "card-not-dealt",
        may_play,
        {
            "a card of the side deck": instead(lambda c: c.play(c.undealt[0])),
            "the last card of the side deck": instead(lambda c: c.play(c.undealt[-1])),
        },
    ),
    *cases(
        "card-not-dealt",
        at_tie,
        {
            "a tiebreaker of the side deck": instead(
                lambda c: m.LayDown(c.undealt[0], c.secret.salt(c.undealt[0]))
            )
        },
        rules=AT_TIE,
        deck=BREAKERS,
        points=(0,),
        splits=(False,),
    ),
    *cases(
        "card-played-twice",
        lambda c: may_play(c) and bool(c.used),
        {
            "the first": instead(lambda c: c.play(c.used[0])),
            "the last": instead(lambda c: c.play(c.used[-1])),
        },
    ),
    *cases(
        "card-played-twice",
        lambda c: at_tie(c) and bool(c.used),
        {
            "laid after it was played": instead(
                lambda c: m.LayDown(c.used[0], c.secret.salt(c.used[0]))
            )
        },
        rules=AT_TIE,
        deck=BREAKERS,
        points=(0,),
        splits=(False,),
    ),
    *cases(
        "card-not-allowed",
        lambda c: (
            c.owes(Kind.ACT) and not c.state.played and any(c.deck[at].gold for at in c.unplayed)
        ),
        {
            "a gold card": instead(
                lambda c: c.play(next(at for at in c.unplayed if c.deck[at].gold))
            )
        },
        rules=NO_GOLD,
    ),
    *cases(
        "two-cards",
        lambda c: may_play(c) and len(c.unplayed) > 1 and c.state.totals[c.seat] < 13,
        {
            "two in one entry": after_a_card(lambda c: c.play(c.unplayed[1])),
            "the same twice": after_a_card(honest_play),
            "an undealt card as the second": after_a_card(lambda c: c.play(c.undealt[0])),
            "an impossible card as the second": after_a_card(lambda c: c.play(c.unplayed[1], 9)),
        },
        deck=DECKS["easy"],
    ),
    *cases(
        "impossible-value",
        may_play,
        {
            "the smallest": instead(with_value(0)),
            "the largest": instead(with_value(-1)),
        },
    ),
    *(
        case
        for card, value in [
            (Card.PLUS_3, -3),
            (Card.PLUS_3, 0),
            (Card.MINUS_4, 4),
            (Card.PLUSMINUS_5, 6),
            (Card.PLUSMINUS_5, 0),
            (Card.TIEBREAKER, 0),
            (Card.TIEBREAKER, 2),
            (Card.ONE_TWO, 0),
            (Card.ONE_TWO, 3),
            (Card.FLIP_2_4, 2),
            (Card.FLIP_3_6, -3),
            (Card.DOUBLE, 0),
            (Card.DOUBLE, -1),
        ]
        for case in bad_value(card, value)
    ),
]
