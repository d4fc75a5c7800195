"""Matches by the rules alone, with cards from a generator: to try bots, never to play for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from random import Random

from msgspec.structs import replace

from pazaak_p2p.bots.by_rules import by_rules
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    CARDS,
    Action,
    Card,
    Chance,
    Copies,
    Deal,
    Draw,
    FirstMove,
    Nine,
    Opener,
    Opening,
    Phase,
    Rules,
    Seat,
    SideDeck,
    State,
    Tiebreaker,
    View,
    apply,
    legal_actions,
    new_match,
    view,
)

Choose = Callable[[View], Awaitable[Action | Concede]]


def any_rules(rng: Random) -> Rules:
    """Rules with each option as likely as the others, but for short matches and no clock."""
    return Rules(
        copies=rng.choice(list(Copies)),
        opener=rng.choice(list(Opener)),
        auto_stand=rng.random() < 0.5,
        nine=rng.choice(list(Nine)),
        tiebreaker=rng.choice(list(Tiebreaker)),
        sets=rng.choice((1, 3)),
        max_sets=15,
    )


def any_deck(rng: Random, wanted: Card | None = None) -> SideDeck:
    """Ten different cards, which every rule allows; *wanted* is among them."""
    rest = [card for card in CARDS if card is not wanted]
    cards = rng.sample(rest, 10 if wanted is None else 9)
    return tuple(cards if wanted is None else [wanted, *cards])


def chance(rng: Random, state: State, wanted: int | None = None) -> Chance:
    """What falls by chance now. The host is dealt place *wanted* of its deck, if one is."""
    match state.phase:
        case Phase.DEAL:
            host = rng.sample(range(10), 4)
            if wanted is not None and wanted not in host:
                host[0] = wanted
            return Deal(tuple(host), tuple(rng.sample(range(10), 4)))
        case Phase.OPENING:
            return Opening(*rng.sample(range(1, 11), 2))
        case Phase.OPENER:
            return FirstMove(rng.choice(list(Seat)))
    return Draw(rng.choice(state.deck))


def choosing(state: State) -> bool:
    """Does a seat choose now?"""
    return state.phase is Phase.ACT or state.phase is Phase.TIE


def ties(rng: Random) -> Iterator[View]:
    """The host's choice at a tie that its tiebreaker can break (R17)."""
    rules = replace(any_rules(rng), tiebreaker=Tiebreaker.AT_TIE)
    while True:
        for seen in positions(rng, Card.TIEBREAKER, rules):
            if seen.state.phase is Phase.TIE:
                yield seen
                return


def positions(rng: Random, wanted: Card, rules: Rules | None = None) -> Iterator[View]:
    """The host's choices in a match of two seats that choose by chance.

    The host is dealt *wanted*. Without *rules*, any.
    """
    given = any_rules(rng) if rules is None else rules
    state = new_match(given, (any_deck(rng, wanted), any_deck(rng)))
    while state.outcome is None:
        if not choosing(state):
            state = apply(state, chance(rng, state, wanted=0))
            continue
        assert state.mover is not None
        if state.mover is Seat.HOST:
            yield view(state, Seat.HOST)
        state = apply(state, _likely(rng, state))


def _likely(rng: Random, state: State) -> Action:
    """Any legal action, but one by which a set lasts: nobody stands low, or lays cards at once."""
    actions = legal_actions(state)
    assert state.mover is not None
    if state.phase is Phase.TIE:
        return rng.choice(actions)
    *plays, end, stand = actions
    if plays and rng.random() < 0.25:
        return rng.choice(plays)
    return stand if 15 <= state.totals[state.mover] <= 20 else end


async def play_match(
    rng: Random, rules: Rules, decks: tuple[SideDeck, SideDeck], choose: tuple[Choose, Choose]
) -> State:
    """The end of a match of *choose* (host, join). Raises what they raise."""
    match = by_rules(rules, decks, rng)
    seen = next(match)
    try:
        while True:
            seen = match.send(await choose[seen.seat](seen))
    except StopIteration as end:
        state: State = end.value
        return state
