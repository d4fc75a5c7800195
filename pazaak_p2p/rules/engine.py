"""The referee: a state and an input give the next state, or an error that names the rule.

Nothing is drawn here and nobody is local. Chance and actions come in as inputs; what is due, and
from whom, is in the state (``phase``, ``mover``). One function for each kind of input; what
follows from it by itself is in judge.py.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from pazaak_p2p.rules.cards import TIEBREAKER, Card
from pazaak_p2p.rules.decks import DECK_SIZE, SideDeck, check_deck
from pazaak_p2p.rules.errors import (
    CardAlreadyPlayed,
    CardNotAllowed,
    CardNotDealt,
    ImpossibleDraw,
    ImpossibleValue,
    NotDue,
    RuleError,
    SecondCard,
    WrongCard,
)
from pazaak_p2p.rules.inputs import (
    Deal,
    Draw,
    End,
    FirstMove,
    Input,
    Lay,
    Leave,
    Opening,
    Pass,
    Play,
    Stand,
)
from pazaak_p2p.rules.judge import (
    ask_next,
    end_match,
    end_set,
    judge_placing,
    mark_stood,
    pass_turn,
)
from pazaak_p2p.rules.options import Rules
from pazaak_p2p.rules.seats import HOST, JOIN, OTHER, with_seat
from pazaak_p2p.rules.state import (
    ACT,
    DRAW,
    FULL_DECK,
    HAND_SIZE,
    NO_TABLES,
    NOBODY,
    OVER,
    TARGET,
    TIE,
    Hand,
    HandCard,
    Outcome,
    Phase,
    SetEnd,
    State,
    Table,
    Termination,
)
from pazaak_p2p.rules.tables import GREEN, place, possible_values


def new_match(rules: Rules, decks: tuple[SideDeck | None, SideDeck | None] = (None, None)) -> State:
    """The state before the deal. *decks* (host, join) are None where this engine may not know.

    Raises :class:`DeckError` for a known deck that breaks R3.
    """
    for deck in decks:
        if deck is not None:
            check_deck(deck, rules)
    return State(
        rules=rules,
        phase=Phase.DEAL,
        decks=decks,
        hands=((), ()),
        tables=NO_TABLES,
        totals=(0, 0),
        stood=NOBODY,
        deck=FULL_DECK,
        mover=None,
        opener=None,
        played=False,
        laid=NOBODY,
        won=(0, 0),
        results=(),
        outcome=None,
    )


def apply(state: State, input: Input) -> State:
    """The state after *input*. *state* itself never changes, also when the input is refused.

    Raises :class:`RuleError`; its class and ``rule`` say which rule forbids the input.
    """
    # By frequency; the identity of the class, since isinstance would cost twice as much.
    if type(input) is Draw:
        return _draw(state, input)
    if type(input) is End:
        return _end(state, input)
    if type(input) is Play:
        return _play(state, input)
    if type(input) is Stand:
        return _stand(state, input)
    if type(input) is Lay:
        return _lay(state, input)
    if type(input) is Pass:
        return _pass(state, input)
    if type(input) is Deal:
        return _deal(state, input)
    if type(input) is Opening:
        return _opening(state, input)
    if type(input) is FirstMove:
        return _first_move(state, input)
    if type(input) is Leave:
        return _leave(state, input)
    raise TypeError(f"not an input of the rules: {input!r}")


# --- chance ---------------------------------------------------------------------------------


def _deal(state: State, deal: Deal) -> State:
    """Lot 0 gives both seats their four cards for the whole match (R4)."""
    if state.phase is not Phase.DEAL:
        raise not_due(state, "A deal")
    hands = (_hand(state.decks[HOST], deal.host), _hand(state.decks[JOIN], deal.join))
    return replace(state, phase=Phase.OPENING, hands=hands)


def _hand(deck: SideDeck | None, positions: tuple[int, ...]) -> Hand:
    in_range = all(0 <= position < DECK_SIZE for position in positions)
    if len(positions) != HAND_SIZE or len(set(positions)) != HAND_SIZE or not in_range:
        raise ImpossibleDraw(
            f"The positions {list(positions)} cannot be a hand.",
            why="R4: a hand is four different cards of the ten in the side deck.",
            next="Deal four different positions from 0 to 9 to each seat.",
            rule="R4",
        )
    return tuple([HandCard(at, None if deck is None else deck[at], False) for at in positions])


def _opening(state: State, opening: Opening) -> State:
    """The higher of two green cards opens the first set (R5)."""
    if state.phase is not Phase.OPENING:
        raise not_due(state, "A draw for the opening")
    host, join = opening.host, opening.join
    if not (1 <= host <= 10 and 1 <= join <= 10):
        raise ImpossibleDraw(
            f"The cards {host} and {join} cannot be drawn for the opening.",
            why="R5: each player draws one green card, 1 to 10.",
            rule="R5",
        )
    if host == join:
        return state  # R5: both cards go back and both draw again.
    opener = HOST if host > join else JOIN
    return replace(state, phase=DRAW, mover=opener, opener=opener)


def _first_move(state: State, first: FirstMove) -> State:
    """Under ``opener: random`` a lot names who opens each later set (R6)."""
    if state.phase is not Phase.OPENER:
        raise not_due(state, "A lot for who opens")
    return replace(state, phase=DRAW, mover=first.seat, opener=first.seat)


def _draw(state: State, draw: Draw) -> State:
    """A turn starts with one green card on the mover's table (R7)."""
    if state.phase is not DRAW:
        raise not_due(state, "A draw")
    seat, rank, deck = state.mover, draw.card, state.deck
    assert seat is not None
    index = deck.find(rank) if 1 <= rank <= 10 else -1
    if index < 0:
        raise ImpossibleDraw(f"The green card {rank} cannot be drawn now.")
    (host, join), (host_total, join_total) = state.tables, state.totals
    # Written out, as this is what the engine does most.
    if seat is HOST:
        host, host_total = (*host, GREEN[rank]), host_total + rank
    else:
        join, join_total = (*join, GREEN[rank]), join_total + rank
    drawn = replace(
        state,
        phase=ACT,
        tables=(host, join),
        totals=(host_total, join_total),
        deck=deck[:index] + deck[index + 1 :],
    )
    return judge_placing(drawn, seat)


# --- actions --------------------------------------------------------------------------------


def _play(state: State, play: Play) -> State:
    """At most one hand card, with the value that its player names (R8, R14, R15)."""
    if state.phase is not ACT:
        raise not_due(state, "A hand card")
    if state.played:
        raise SecondCard()
    seat, card = state.mover, play.card
    assert seat is not None
    hand = _use(state.hands[seat], play.at, card)
    if card.gold and not state.rules.gold:
        raise CardNotAllowed(f"The gold card {card.text} cannot be played.")
    table = state.tables[seat]
    if play.value not in possible_values(card, table):
        raise _impossible_value(card, play.value, table)
    table, total = place(table, state.totals[seat], card, play.value)
    placed = replace(
        state,
        hands=with_seat(state.hands, seat, hand),
        tables=with_seat(state.tables, seat, table),
        totals=with_seat(state.totals, seat, total),
        played=True,
    )
    return judge_placing(placed, seat)


def _end(state: State, end: End) -> State:
    """The turn is over; a new green card next turn (R9)."""
    if state.phase is not ACT:
        raise not_due(state, "An end of turn")
    seat = state.mover
    assert seat is not None
    if state.totals[seat] > TARGET:
        return end_set(state, OTHER[seat], SetEnd.BUST)  # R10
    return pass_turn(state, seat)


def _stand(state: State, stand: Stand) -> State:
    """The mover stands for the rest of the set (R9, R12)."""
    if state.phase is not ACT:
        raise not_due(state, "Standing")
    seat = state.mover
    assert seat is not None
    if state.totals[seat] > TARGET:
        return end_set(state, OTHER[seat], SetEnd.BUST)  # R10
    return mark_stood(state, seat)


def _lay(state: State, lay: Lay) -> State:
    """A tiebreaker laid down at a tie: used up, but of no value and in no slot (R17)."""
    if state.phase is not TIE:
        raise not_due(state, "A tiebreaker laid down")
    seat = state.mover
    assert seat is not None
    at = lay.at
    held = next((c.card for c in state.hands[seat] if c.position == at and not c.played), None)
    hand = _use(state.hands[seat], at, held or TIEBREAKER)
    if held is not None and held is not TIEBREAKER:
        raise CardNotAllowed(
            f"{held.text} cannot be laid down at a tie.",
            why="R17: only a ±1T decides a tie.",
            next="Lay down a ±1T, or pass.",
            rule="R17",
        )
    laid = replace(
        state,
        hands=with_seat(state.hands, seat, hand),
        laid=with_seat(state.laid, seat, True),
    )
    return ask_next(laid, seat)


def _pass(state: State, pass_: Pass) -> State:
    """Nothing laid down at a tie (R17)."""
    if state.phase is not TIE:
        raise not_due(state, "A pass")
    assert state.mover is not None
    return ask_next(state, state.mover)


def _leave(state: State, leave: Leave) -> State:
    """A seat gives the match up, or has it taken: the other wins (R21)."""
    if state.phase is OVER:
        raise not_due(state, "Leaving")
    if leave.termination in (Termination.NORMAL, Termination.CAP):
        raise RuleError(
            f"Nobody leaves a match by {leave.termination.value!r}.",
            why="R21: a player leaves by concession, time, absence or a proven cheat.",
            rule="R21",
        )
    return end_match(state, Outcome(leave.termination, OTHER[leave.seat]))


# --- the hand -------------------------------------------------------------------------------


def _use(hand: Hand, at: int, card: Card) -> Hand:
    """*hand* with its card at position *at* used; it must be *card* if it is known (R4)."""
    held = _find(hand, at)
    if held is None:
        raise CardNotDealt(f"The card at position {at} of the side deck is not in the hand.")
    if held.played:
        raise CardAlreadyPlayed()
    if held.card is not None and held.card is not card:
        raise WrongCard(f"The hand holds {held.card.text} there, not {card.text}.")
    used = HandCard(at, card, True)
    return tuple([used if other is held else other for other in hand])


def _find(hand: Hand, at: int) -> HandCard | None:
    for held in hand:
        if held.position == at:
            return held
    return None


# --- refusals -------------------------------------------------------------------------------

_DUE: Final = {
    Phase.DEAL: ("R4", "the hands are dealt first"),
    Phase.OPENING: ("R5", "each player draws a card for who opens the first set"),
    Phase.OPENER: ("R6", "a lot decides first who opens this set"),
    DRAW: ("R7", "a turn starts with a green card, and {mover} is to draw it"),
    ACT: ("R9", "{mover} has drawn and now plays a card, ends the turn or stands"),
    TIE: ("R17", "the set is tied, and {mover} lays down a tiebreaker or passes"),
    OVER: ("R19", "the match is over"),
}


def not_due(state: State, what: str) -> NotDue:
    """The error for an input of a kind that the phase of *state* does not wait for."""
    rule, due = _DUE[state.phase]
    return NotDue(
        f"{what} cannot come now.",
        why=f"{rule}: {due.format(mover=state.mover)}.",
        next="Start another match." if state.phase is OVER else "Wait until it is due.",
        rule=rule,
    )


def _impossible_value(card: Card, value: int, table: Table) -> ImpossibleValue:
    values = possible_values(card, table)
    possible = " or ".join(f"{v:+}" if v else "0" for v in values)
    rule = "R14" if not card.values else "R15" if card.flips else "R8"
    return ImpossibleValue(
        f"{card.text} cannot be played as {value:+}.",
        why=f"{rule}: {card.text} counts {possible} here.",
        rule=rule,
    )
