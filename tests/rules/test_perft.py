"""How many ways there are to go on from a position, counted to a depth.

The numbers were counted by the naive engine, which shares no code with the package; here it counts
the smaller ones again. A card drawn counts once however many of its rank are left.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest

from pazaak_p2p.rules import (
    Draw,
    FirstMove,
    Input,
    Opening,
    Phase,
    Seat,
    State,
    apply,
    legal_actions,
    new_match,
    parse_deck,
)
from tests.naive import engine
from tests.naive.differential import to_input, to_rules
from tests.naive.engine import Match, Move

STANDARD: Match = {
    "copies": "unlimited",
    "gold": True,
    "opener": "alternate",
    "auto_stand": True,
    "nine": "win",
    "tiebreaker": "played",
    "sets": 3,
    "max_sets": None,
    "turn_seconds": None,
}
DEAL: Move = ("deal", (0, 1, 2, 3), (0, 1, 2, 3))
OPEN: Move = ("opening", 2, 1)


class Position:
    """Options, hands and the moves that lead to it; the rest of each deck never matters."""

    def __init__(self, changes: Match, host: str, join: str, moves: str) -> None:
        self.options = {**STANDARD, **changes}
        rest = ["+1"] * 6
        self.decks = [host.split() + rest, join.split() + rest]
        self.moves = [self._move(word) for word in moves.split()]

    @staticmethod
    def _move(word: str) -> Move:
        if word.isdigit():
            return ("draw", int(word))
        if word[0] == "@":
            at, card, value = word[1:].split(":")
            return ("play", int(at), card, int(value))
        return {"deal": DEAL, "open": OPEN}.get(word, (word,))

    def naive(self) -> Match:
        match = engine.new_match(self.options, *self.decks)
        for move in self.moves:
            assert engine.refusal(match, move) == ""
            engine.do(match, move)
        return match

    def state(self) -> State:
        host, join = (parse_deck(" ".join(deck)) for deck in self.decks)
        state = new_match(to_rules(self.options), (host, join))
        for move in self.moves:
            state = apply(state, to_input(move))
        return state


PLAIN = ("+1 -2 +-3 +4", "-1 +2 +-4 +5")
GOLDEN = ("2&4 3&6 D 1+-2", "+-1T D 2&4 +-6")
TIEBREAKERS = ("+-1T 2&4 +-1T +1", "+-1T -1 D +-1T")
# The joiner has seven cards at 10 and draws, against a standing 19.
SEVEN = "deal open 10 end 1 end 9 stand 1 end 1 end 1 end 2 end 2 end 2 end"
# The host has eight cards at 4 and draws, the joiner four at 13; nobody stands.
EIGHT = (
    "deal open 2 @0:-1:-1 end 3 end 2 @1:-1:-1 end 3 end 2 @2:-1:-1 end 3 end 2 @3:-1:-1 end 4 end"
)
MINUS = "-1 -1 -1 -1"
POSITIONS = {
    "opening": Position({}, *PLAIN, "deal"),
    "plain": Position({}, *PLAIN, "deal open"),
    "golden": Position({}, *GOLDEN, "deal open"),
    "choice at 20": Position({"auto_stand": False}, *GOLDEN, "deal open 10 end 1 end"),
    "nine against 19": Position({}, *GOLDEN, SEVEN),
    "nine": Position({}, MINUS, GOLDEN[1], EIGHT),
    "nine stands": Position({"nine": "stand"}, MINUS, GOLDEN[1], EIGHT),
    "last set": Position({"sets": 1}, *GOLDEN, SEVEN),
    "cap": Position({"max_sets": 1}, *PLAIN, "deal open 10 end 9 end 8 end 9 stand"),
    "tie": Position({"tiebreaker": "at-tie"}, *TIEBREAKERS, "deal open 9 stand 9 stand"),
    "lot": Position({"opener": "random"}, *PLAIN, "deal open 9 stand 9 stand"),
}


def children(match: Match) -> Sequence[Move]:
    phase = match["phase"]
    if phase == "opening":
        return [("opening", a, b) for a in range(1, 11) for b in range(1, 11)]
    if phase == "opener":
        return [("first", "host"), ("first", "join")]
    if phase == "draw":
        return [("draw", rank) for rank in sorted(set(match["green"]))]
    return engine.legal(match)


def naive_perft(match: Match, depth: int) -> int:
    if depth == 0:
        return 1
    count = 0
    for move in children(match):
        after = copy.deepcopy(match)
        engine.do(after, move)
        count += naive_perft(after, depth - 1)
    return count


def inputs(state: State) -> Sequence[Input]:
    if state.phase is Phase.OPENING:
        return [Opening(a, b) for a in range(1, 11) for b in range(1, 11)]
    if state.phase is Phase.OPENER:
        return [FirstMove(seat) for seat in Seat]
    if state.phase is Phase.DRAW:
        return [Draw(rank) for rank in sorted(set(state.deck))]
    return legal_actions(state)


def perft(state: State, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(perft(apply(state, given), depth - 1) for given in inputs(state))


GOLDEN_NUMBERS = {
    "opening": [100, 1_900, 25_300],
    "plain": [10, 70, 300, 2_400, 13_000, 78_090],
    "golden": [10, 90, 348, 3_060, 17_928, 107_357],
    "choice at 20": [10, 90, 340, 3_000, 17_600, 102_800],
    "nine against 19": [9, 74, 711, 4_718, 25_454],
    "nine": [9, 90, 720, 2_952, 14_400, 59_040],
    "nine stands": [9, 80, 658, 3_152, 23_232],
    "last set": [9, 64, 81, 80, 328, 3_070, 16_828, 84_257],
    "cap": [10, 63, 94, 113, 329, 380, 592, 1_149],
    "tie": [3, 9, 90, 600, 2_712, 20_820],
    "lot": [2, 20, 140, 600, 4_800, 24_400],
}


@pytest.mark.parametrize("name", POSITIONS)
def test_R1_to_R20_node_counts(name: str) -> None:
    state = POSITIONS[name].state()
    expected = GOLDEN_NUMBERS[name]
    assert [perft(state, depth) for depth in range(1, len(expected) + 1)] == expected


@pytest.mark.parametrize("name", POSITIONS)
def test_R1_to_R20_node_counts_by_the_naive_engine(name: str) -> None:
    match = POSITIONS[name].naive()
    small = [count for count in GOLDEN_NUMBERS[name] if count < 2_000]
    assert [naive_perft(match, depth) for depth in range(1, len(small) + 1)] == small
