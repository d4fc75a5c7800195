"""``states.json``: positions of the game, the inputs that lead to them, their bytes and digests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from pazaak_p2p.rules import (
    Card,
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
    Rules,
    Seat,
    Stand,
    State,
    Termination,
    apply,
    new_match,
    parse_rules,
)
from tests.vectors_tools.shown import show_input, show_rules, show_state, state_vector

Vector = dict[str, Any]
Steps = list[int | Input]

DEAL = Deal((7, 0, 3, 9), (2, 1, 8, 4))
OPEN = Opening(9, 4)
END, STAND = End(), Stand()


def states() -> list[Vector]:
    """All positions, each with its name."""
    vectors = [_vector(name, rules, inputs) for name, rules, inputs in _positions()]
    return [*vectors, _many_sets()]


def _play(at: int, card: str, value: int) -> Play:
    return Play(at, Card(card), value)


def _draws(*steps: int | Input) -> list[Input]:
    return [Draw(step) if isinstance(step, int) else step for step in steps]


def _positions() -> Iterator[tuple[str, str, list[Input]]]:
    begun: list[Input] = [DEAL, OPEN]
    yield "start", "standard", []
    yield "dealt", "standard", [DEAL]
    yield "equal opening cards, drawn again", "standard", [DEAL, Opening(5, 5)]
    yield "the joiner opens", "standard", [DEAL, Opening(2, 3)]
    yield "the host opens", "standard", begun
    for rules in (
        "tournament",
        "kotor1",
        "standard,opener=loser,tiebreaker=last",
        "standard,opener=winner,tiebreaker=at-tie",
        "standard,opener=random,auto_stand=off,nine=stand",
        "standard,copies=limited,gold=off,sets=9,max_sets=999,turn_seconds=3600",
        "standard,sets=1,max_sets=1,turn_seconds=5",
    ):
        yield f"rules {rules}", rules, begun

    yield "drawn", "standard", [*begun, *_draws(10)]
    yield "a card played", "standard", [*begun, *_draws(10, _play(7, "-4", -4))]
    yield "below zero", "standard", [*begun, *_draws(1, _play(0, "-6", -6))]
    yield "turn ended", "standard", [*begun, *_draws(10, _play(7, "-4", -4), END)]
    yield "the host stands", "standard", [*begun, *_draws(10, STAND)]
    yield "20 stands", "standard", [*begun, *_draws(10, _play(7, "D", 10))]
    yield (
        "20 under auto_stand off",
        "standard,auto_stand=off",
        [*begun, *_draws(10, _play(7, "D", 10))],
    )
    yield "over 20", "standard", [*begun, *_draws(10, STAND, 9, END, 8, END, 7)]
    yield "bust", "standard", [*begun, *_draws(10, STAND, 9, END, 8, END, 7, STAND)]
    hand: Steps = [
        _play(7, "+-4", -4),
        END,
        4,
        _play(2, "1+-2", 2),
        END,
        2,
        _play(0, "2&4", 0),
        END,
    ]
    yield "a flip", "standard", [*begun, *_draws(4, *hand)]
    flipped: Steps = [*hand, 4, _play(1, "+-1T", -1), END, 3, _play(3, "3&6", 0), END, 6]
    yield "two flips, a tiebreaker", "standard", [*begun, *_draws(4, *flipped)]
    yield (
        "all hand cards played",
        "standard",
        [
            *begun,
            *_draws(4, *flipped, _play(8, "-6", -6), END, 5, _play(9, "D", 5), END),
        ],
    )

    nine: Steps = [1, END, 10, STAND]
    for rank in (1, 1, 1, 2, 2, 2, 2):
        nine += [rank, END]
    yield "eight cards", "standard", [*begun, *_draws(*nine)]
    yield "nine cards win", "standard,sets=1", [*begun, *_draws(*nine, 3)]
    yield "nine cards stand", "standard,nine=stand,sets=1", [*begun, *_draws(*nine, 3)]
    early: Steps = []
    for at, theirs in ((7, 2), (0, 2), (3, 2), (9, 2)):
        early += [1, _play(at, "+1", 1), END, theirs, END]
    yield "nine cards stand first", "standard,nine=stand", [*begun, *_draws(*early, 3)]
    yield "a ninth card over 20", "standard", [*begun, *_draws(*nine, 10)]

    tie: Steps = [10, STAND, 10, STAND]
    yield "a tie", "standard", [*begun, *_draws(*tie)]
    yield "a tie keeps the opener", "standard,opener=loser", [*begun, *_draws(*tie)]
    yield "a lot is due for the opener", "standard,opener=random", [*begun, *_draws(*tie)]
    yield (
        "the lot has named the joiner",
        "standard,opener=random",
        [*begun, *_draws(*tie), FirstMove(Seat.JOIN)],
    )
    broken: Steps = [10, _play(3, "+-1T", -1), STAND, 9, STAND]
    yield "a tie broken by a tiebreaker", "standard", [*begun, *_draws(*broken)]
    at_tie = "standard,tiebreaker=at-tie"
    yield "the opener is asked at a tie", at_tie, [*begun, *_draws(*tie)]
    yield "the opener has laid", at_tie, [*begun, *_draws(*tie), Lay(9)]
    yield "the opener has passed", at_tie, [*begun, *_draws(*tie), Pass()]
    yield "both have laid", at_tie, [*begun, *_draws(*tie), Lay(9), Lay(1)]
    yield "the other has laid", at_tie, [*begun, *_draws(*tie), Pass(), Lay(1)]
    yield "a tie without gold cards", f"{at_tie},gold=off", [*begun, *_draws(*tie)]

    lost: Steps = [10, STAND, 9, STAND]
    one = "standard,sets=1"
    yield "the host has won", one, [*begun, *_draws(*lost)]
    yield "the joiner has won", one, [*begun, *_draws(9, STAND, 10, STAND)]
    yield "a drawn match at the cap", "standard,max_sets=1", [*begun, *_draws(*tie)]
    two: Steps = [*lost, 8, STAND, 8, STAND]
    yield "a cap with a winner", "standard,max_sets=2", [*begun, *_draws(*two)]
    for reason in (Termination.CONCESSION, Termination.TIME):
        yield (
            f"over by {reason.value}",
            "standard",
            [*begun, *_draws(10, END, 9, STAND, 5), Leave(Seat.HOST, reason)],
        )
    yield (
        "conceded before the deal",
        "standard",
        [Leave(Seat.JOIN, Termination.CONCESSION)],
    )
    yield (
        "conceded while a lot is due for the opener",
        "standard,opener=random",
        [*begun, *_draws(*tie), Leave(Seat.JOIN, Termination.CONCESSION)],
    )


def _vector(name: str, rules_text: str, inputs: list[Input]) -> Vector:
    rules: Rules = parse_rules(rules_text)
    state = new_match(rules)
    for each in inputs:
        state = apply(state, each)
    return {
        "name": name,
        "rules": show_rules(rules),
        "inputs": [show_input(each) for each in inputs],
        **_shown(state),
    }


def _many_sets() -> Vector:
    """More finished sets than the field has room for: too many inputs to be listed."""
    state = new_match(Rules())
    for each in (DEAL, OPEN, *_draws(10, STAND, 10, STAND)):
        state = apply(state, each)
    many = replace(state, results=state.results * 70_000)
    return {
        "name": "after 70000 tied sets",
        "rules": show_rules(state.rules),
        "inputs": None,
        **_shown(many),
    }


def _shown(state: State) -> Vector:
    return {"state": show_state(state), **state_vector(state)}
