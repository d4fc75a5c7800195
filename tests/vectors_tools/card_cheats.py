"""The cheats with cards and side decks of ``cheats.json``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from pazaak_p2p.rules import Card, End, Play, Seat, Stand
from pazaak_p2p.wire.messages import EndTurn
from pazaak_p2p.wire.terms import Kind
from tests.vectors_tools.forge import Author, Table, always, at_threshold
from tests.vectors_tools.primitives import example
from tests.vectors_tools.situations import (
    GOLD,
    HOST,
    JOIN,
    PLAIN,
    When,
    acting,
    asked,
    holds,
    position_of,
    table_where,
    text,
)

Case = tuple[str, str, str, Table]


def cards() -> Iterator[Case]:
    table = table_where("another card", holds(*Card))
    author = table.author
    at = author.hand()[0]
    other = Card.PLUS_6
    assert author.deck[at] is not other
    table.tell(author.forge(author.play(at, 6, other)))
    yield (
        "card-does-not-open, another card",
        "card-does-not-open",
        "The host plays a +6 that it has not in this place.",
        table,
    )
    table = table_where("another salt", holds(Card.PLUS_4))
    author = table.author
    at = position_of(author, Card.PLUS_4)
    table.tell(author.forge(replace(author.play(at, 4), salt=example("another salt"))))
    yield (
        "card-does-not-open, another salt",
        "card-does-not-open",
        "The card is right, its salt is not.",
        table,
    )
    table = table_where(
        "no tiebreaker",
        asked,
        rules="standard,sets=1,tiebreaker=at-tie",
        choose=at_threshold(17),
        victim=at_threshold(17),
    )
    table.tell(table.author.forge(table.author.lay(table.author.hand()[0])))
    yield (
        "card-does-not-open, laid",
        "card-does-not-open",
        "The host lays down a card that is no tiebreaker.",
        table,
    )

    table = table_where("not dealt", holds(*Card))
    author = table.author
    at = next(at for at in range(10) if at not in author.hand())
    table.tell(author.forge(author.play(at, author.deck[at].values[0])))
    yield (
        "card-not-dealt",
        "card-not-dealt",
        "The host plays a card of its side deck that it was not dealt.",
        table,
    )

    def played_before(author: Author) -> bool:
        state = author.transcript.state
        return acting(author) and not state.played and len(author.hand()) < 4

    table = table_where("played twice", played_before, choose=cards_first)
    author = table.author
    at = next(h.position for h in author.transcript.state.hands[HOST] if h.played)
    table.tell(author.forge(author.play(at, author.deck[at].values[0])))
    yield (
        "card-played-twice",
        "card-played-twice",
        "The host plays a card again that it has played in an earlier turn.",
        table,
    )
    table = table_where(
        "laid twice",
        lambda author: asked(author) and len(author.hand()) < 4,
        rules="standard,sets=1,tiebreaker=at-tie",
        choose=at_threshold(17),
        victim=at_threshold(17),
    )
    author = table.author
    at = next(h.position for h in author.transcript.state.hands[HOST] if h.played)
    table.tell(author.forge(author.lay(at)))
    yield (
        "card-played-twice, laid",
        "card-played-twice",
        "At a tie the host lays down a card that it has played before.",
        table,
    )

    table = table_where("gold", holds(Card.ONE_TWO), rules="kotor1,sets=1", deck=text(GOLD))
    author = table.author
    table.tell(author.forge(author.play(position_of(author, Card.ONE_TWO), 2)))
    yield (
        "card-not-allowed",
        "card-not-allowed",
        "Under gold: off the host plays a gold card. It did commit to it and was dealt it.",
        table,
    )

    table = table_where("two cards", _can_play_low)
    author = table.author
    first, second = author.hand()[:2]
    author.say(author.play(first, author.deck[first].values[-1]))
    table.tell(author.forge(author.play(second, author.deck[second].values[-1])))
    yield "two-cards", "two-cards", "The host plays two cards in one turn.", table

    for card, value, what in (
        (Card.PLUSMINUS_3, 2, "The host plays +-3 as 2."),
        (Card.PLUS_4, -4, "The host plays +4 as -4."),
        (Card.DOUBLE, 0, "The host plays D as 0; it is worth the green card just drawn."),
        (Card.FLIP_2_4, 1, "The host plays 2&4 as 1; a flip adds nothing."),
        (Card.TIEBREAKER, 0, "The host plays +-1T as 0."),
    ):
        deck = text(GOLD) if card.gold else PLAIN
        table = table_where(f"impossible {card.ascii}", holds(card), deck=deck)
        author = table.author
        table.tell(author.forge(author.play(position_of(author, card), value, card)))
        yield f"impossible-value, {card.ascii} as {value}", "impossible-value", what, table

    table = table_where("wrong digest", acting)
    author = table.author
    author.say(EndTurn())
    table.tell(author.forge(author.reveal(), state=example("another state")))
    yield (
        "wrong-digest",
        "wrong-digest",
        "All that is said is right, but the digest of the state after it is not.",
        table,
    )


def cards_first(view: Any) -> Any:
    """Plays its first card as low as it goes, then ends the turn."""
    if view.can_play and view.hand:
        held = view.hand[0]
        return Play(held.position, held.card, held.card.values[-1])
    return End()


def _can_play_low(author: Author) -> bool:
    state = author.transcript.state
    return acting(author) and not state.played and state.totals[author.seat] < 10


# --- the audit


def _opening(author: Author) -> bool:
    due = author.transcript.due
    return due is not None and due.kind is Kind.OPEN


def _wins(seat: Seat) -> When:
    def wins(author: Author) -> bool:
        outcome = author.transcript.state.outcome
        return _opening(author) and outcome is not None and outcome.winner is seat

    return wins


def audits() -> Iterator[Case]:
    stands, busts = always(Stand()), always(End())
    for role, winner, choose, victim in (
        ("winner", HOST, stands, busts),
        ("loser", JOIN, busts, stands),
    ):
        table = table_where(f"open {role}", _wins(winner), choose=choose, victim=victim)
        author = table.author
        opened = author.open()
        swapped = [*opened.deck[1:], opened.deck[0]]
        table.tell(author.forge(replace(opened, deck=swapped)))
        yield (
            f"deck-does-not-open, the {role}'s",
            "deck-does-not-open",
            f"The {role} opens its cards in another order than it committed to.",
            table,
        )
        table = table_where(
            f"illegal {role}",
            _wins(winner),
            rules="standard,copies=limited,sets=1",
            deck="+6 +6 +6 +6 +6 -6 -6 -6 -6 +-6",
            choose=choose,
            victim=victim,
        )
        table.tell(table.author.forge(table.author.open()))
        yield (
            f"illegal-deck, the {role}'s",
            "illegal-deck",
            f"Under copies: limited the {role}'s side deck holds five +6.",
            table,
        )
    table = table_where(
        "gold deck", _wins(HOST), rules="kotor1,sets=1", deck=text(GOLD), choose=stands
    )
    table.tell(table.author.forge(table.author.open()))
    yield (
        "illegal-deck, gold",
        "illegal-deck",
        "Under gold: off the winner's side deck holds gold cards. It has played none of them.",
        table,
    )
    table = table_where("accepted", acting)
    author = table.author
    table.tell(author.seal())
    table.let_concede()
    opened = author.open()
    table.tell(author.forge(replace(opened, deck=[*opened.deck[1:], opened.deck[0]])))
    yield (
        "deck-does-not-open, after a concession",
        "deck-does-not-open",
        "The joiner concedes; the winner opens its cards in another order than it committed to.",
        table,
    )
    table = table_where("open salt", _wins(HOST), choose=stands)
    author = table.author
    opened = author.open()
    salts = [example("another salt"), *opened.salts[1:]]
    table.tell(author.forge(replace(opened, salts=salts)))
    yield (
        "deck-does-not-open, a salt",
        "deck-does-not-open",
        "The winner opens with a salt that is not the one it committed with.",
        table,
    )
