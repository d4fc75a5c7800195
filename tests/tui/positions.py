"""Positions on the real rules engine, by the cards that lead to them. We sit at ``HOST``."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pazaak_p2p.rules import (
    CARDS,
    Deal,
    Draw,
    End,
    Input,
    Lay,
    Opening,
    Pass,
    Rules,
    Seat,
    Stand,
    State,
    View,
    apply,
    legal_actions,
    new_match,
    parse_deck,
    parse_rules,
    view,
)
from tests.tui.house import House, stand_at

OURS = parse_deck("+3 ±4 1±2 D 2&4 3&6 -5 ±1T +1 +2")
THEIRS = parse_deck("±1T 2&4 ±6 -3 +1 +2 +3 +4 +5 +6")


def play_on(state: State, *inputs: Input) -> State:
    for step in inputs:
        state = apply(state, step)
    return state


def dealt(
    *hand: int,
    rules: Rules | None = None,
    opener: Seat = Seat.HOST,
    theirs: tuple[int, ...] = (0, 1, 2, 3),
) -> State:
    """A match before its first draw; *hand* are positions of our deck, standard the first four."""
    opening = Opening(7, 4) if opener is Seat.HOST else Opening(4, 7)
    state = new_match(rules or Rules(), (OURS, THEIRS))
    return play_on(state, Deal(hand or (0, 1, 2, 3), theirs), opening)


def after(state: State, *inputs: Input) -> View:
    return view(play_on(state, *inputs), Seat.HOST)


def at(total: int, *hand: int, rules: Rules | None = None) -> View:
    """Our turn at *total*, 1 to 30 but not 20 before it, in green cards; they draw ones and end."""
    cards = [total] if total <= 10 else [10, total - 10] if total < 20 else [10, 9, total - 19]
    state = play_on(dealt(*hand, rules=rules), Draw(cards[0]))
    for card in cards[1:]:
        state = play_on(state, End(), Draw(1), End(), Draw(card))
    return view(state, Seat.HOST)


def against_standing(theirs: int, ours: int, *hand: int) -> View:
    """Our turn at *ours*, 11 to 20, while the other side stands at *theirs*, the same range."""
    state = dealt(*hand)
    return after(
        state, Draw(9), End(), Draw(10), End(), Draw(1), End(), *_up(theirs), Draw(ours - 10)
    )


def _up(theirs: int) -> tuple[Input, ...]:
    # 20 stands by itself (R11).
    return (Draw(theirs - 10),) if theirs == 20 else (Draw(theirs - 10), Stand())


def tie_to_break(*hand: int) -> View:
    """Asked for a tiebreaker at 18 each; ours is the hand card of position 7, key 4."""
    state = dealt(*(hand or (0, 1, 2, 7)), rules=parse_rules("tiebreaker=at-tie"))
    return after(state, Draw(10), End(), Draw(10), End(), Draw(8), Stand(), Draw(8), Stand())


def tie_after_them(choice: Lay | Pass) -> View:
    """The same where they were asked first, and have made this *choice*."""
    state = dealt(0, 1, 2, 7, rules=parse_rules("tiebreaker=at-tie"), opener=Seat.JOIN)
    steps = Draw(10), End(), Draw(10), End(), Draw(8), Stand(), Draw(8), Stand()
    return after(state, *steps, choice)


def views_of_random_matches(matches: int) -> Iterator[View]:
    """Every view of our seat in *matches* seeded matches of random actions."""
    for seed in range(matches):
        chance = random.Random(seed)
        ours, theirs = (tuple(chance.choices(CARDS, k=10)) for _ in range(2))
        house = House(seat=Seat.HOST, decks=(ours, theirs), opponent=stand_at(17), seed=seed)
        while house.state.outcome is None:
            house.step(chance.choice(legal_actions(house.state) or (None,)))
            yield view(house.state, Seat.HOST)
