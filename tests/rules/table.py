"""A short way to write positions: ``go(start(), 8, "end", 10, "stand", 7, "-3")``."""

from __future__ import annotations

from pazaak_p2p.rules import (
    DECKS,
    Card,
    Deal,
    Draw,
    End,
    FirstMove,
    Input,
    Lay,
    Opening,
    Pass,
    Play,
    Rules,
    Seat,
    SideDeck,
    Stand,
    State,
    apply,
    new_match,
    parse_deck,
    possible_values,
)

HOST, JOIN = Seat.HOST, Seat.JOIN
PLAIN = DECKS["starter"]
FIRST_FOUR = (0, 1, 2, 3)


def deck(cards: str) -> SideDeck:
    """A side deck that begins with *cards*; ``+6`` fills up the hand, other cards the rest."""
    given = cards.split()
    hand = given + ["+6"] * (4 - len(given))
    return parse_deck(" ".join((hand + ["-6", "-5", "-4"] * 2)[:10]))


def start(
    host: str = "+1 +2 +3 +4",
    join: str = "+1 +2 +3 +4",
    rules: Rules | None = None,
    opener: Seat = HOST,
) -> State:
    """A match before its first draw: each hand is the cards given, *opener* opens."""
    state = new_match(rules or Rules(), (deck(host), deck(join)))
    state = apply(state, Deal(FIRST_FOUR, FIRST_FOUR))
    return apply(state, Opening(2, 1) if opener is HOST else Opening(1, 2))


def go(state: State, *steps: int | str | Input) -> State:
    """*state* after *steps*: a number is a green card, the rest is what :func:`step` reads."""
    for text in steps:
        state = apply(state, step(state, text))
    return state


def step(state: State, text: int | str | Input) -> Input:
    """The input written as *text*.

    ``end``, ``stand``, ``pass``, ``lay`` (a ±1T of the hand), ``host`` or ``join`` (the lot for who
    opens), or a card of the mover's hand, with ``=value`` where it can have several.
    """
    if isinstance(text, int):
        return Draw(text)
    if not isinstance(text, str):
        return text
    match text:
        case "end":
            return End()
        case "stand":
            return Stand()
        case "pass":
            return Pass()
        case "host":
            return FirstMove(HOST)
        case "join":
            return FirstMove(JOIN)
        case "lay":
            return Lay(_position(state, Card.TIEBREAKER))
    name, _, value = text.partition("=")
    card = Card.parse(name)
    assert state.mover is not None
    if value:
        return Play(_position(state, card), card, int(value))
    (only,) = possible_values(card, state.tables[state.mover])
    return Play(_position(state, card), card, only)


def _position(state: State, card: Card) -> int:
    """Of the first such card that is still in the mover's hand, else of one already played."""
    assert state.mover is not None
    hand = state.hands[state.mover]
    return min((held.played, held.position) for held in hand if held.card is card)[1]


def values(state: State, seat: Seat) -> list[int]:
    """The values on *seat*'s table, in the order placed."""
    return [placed.value for placed in state.tables[seat]]


def names(state: State, seat: Seat) -> list[str]:
    """The unplayed hand of *seat*, in ASCII."""
    return [held.card.ascii for held in state.hands[seat] if held.card and not held.played]
