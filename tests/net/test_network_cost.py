"""What a match costs in trips over the network, on the virtual clock, to the microsecond."""

from __future__ import annotations

import itertools

import pytest
import trio.testing

from pazaak_p2p.rules import (
    DECKS,
    Deal,
    Draw,
    FirstMove,
    Input,
    Lay,
    Opening,
    Pass,
    Seat,
    parse_rules,
)
from pazaak_p2p.wire import events
from tests.delay import delayed_pair
from tests.matches import Side, bot, play

DELAY = 0.1
"""One way, in seconds."""
TRIP = 100_000
"""The same in microseconds, in which all times are compared: the clock adds up floats."""

HOST, JOIN = Seat.HOST, Seat.JOIN

MATCHES = [
    ("standard", "threshold", "threshold", "wanderer"),
    ("standard", "random", "threshold", "hard"),
    ("tournament", "random", "random", "balanced"),
    ("kotor1,max_sets=9", "threshold", "threshold", "starter"),
    ("standard,opener=random,max_sets=30", "threshold", "random", "from-hell"),
    ("standard,tiebreaker=at-tie,max_sets=12,sets=9", "threshold", "threshold", "from-hell"),
    ("standard,auto_stand=off,nine=stand,max_sets=20", "random", "random", "super"),
]
SEEDS = range(4)


class Moves:
    """The moves that one side saw, and when, counted from the start of the match there."""

    def __init__(self, side: Side) -> None:
        self.start = next(at for at, e in side.events if isinstance(e, events.Started))
        self.moves = [
            (self._since(at), e.input, e.seat)
            for at, e in side.events
            if isinstance(e, events.Moved)
        ]
        self.end = next(self._since(at) for at, e in side.events if isinstance(e, events.Ended))

    def _since(self, at: float) -> int:
        return round((at - self.start) * 1_000_000)


def expected(
    moves: list[tuple[Input, Seat | None]], winner: Seat | None
) -> tuple[list[tuple[int, Seat]], int, Seat]:
    """When each move is made and by whom, then when the match is complete and by whose word.

    Made from the moves alone: a lot costs a trip, or a round trip if the one who ends it has also
    spoken last (then the other's share has to be fetched); a choice in the own turn costs nothing.
    Times are microseconds from the first word.
    """
    made: list[tuple[int, Seat]] = []
    time, speaker = TRIP, JOIN  # both have committed
    for move, seat in moves:
        match move:
            case Deal() | Opening() | FirstMove():
                # Whoever spoke last reveals at once, the other one ends the lot.
                time, speaker = time + TRIP, speaker.other
            case Draw():
                assert seat is not None
                time += 2 * TRIP if seat is speaker else TRIP
                speaker = seat
            case Lay() | Pass() if seat is not speaker:
                # R17: the one who is asked at a tie need not be the one who made it.
                time, speaker = time + TRIP, speaker.other
            case _:
                assert seat is speaker
        made.append((time, speaker))
    if (HOST if winner is None else winner) is not speaker:
        time, speaker = time + TRIP, speaker.other
    return made, time + TRIP, speaker.other


async def run(rules: str, bots: tuple[str, str], deck: str, seed: int) -> tuple[Side, Side]:
    sides = [
        Side(
            at,
            f"cost {rules} {seed}",
            bot(kind, f"{seed} {at}"),
            DECKS[deck],
            rules=parse_rules(rules) if at == 0 else None,
        )
        for at, kind in enumerate(bots)
    ]
    await play(sides[0], sides[1], delayed_pair(DELAY))
    return sides[0], sides[1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("rules", "one", "two", "deck"), MATCHES)
async def test_the_whole_match_costs_exactly_the_sum_of_its_trips(
    autojump_clock: trio.testing.MockClock, rules: str, one: str, two: str, deck: str, seed: int
) -> None:
    host, join = await run(rules, (one, two), deck, seed)
    assert host.error is None
    assert join.error is None
    seen = Moves(host), Moves(join)
    moves = [(move, seat) for _, move, seat in seen[HOST].moves]
    assert moves == [(move, seat) for _, move, seat in seen[JOIN].moves]
    ended = [e for _, e in host.events if isinstance(e, events.Ended)]
    made, time, speaker = expected(moves, ended[0].outcome.winner)
    for seat in (HOST, JOIN):
        # The joiner's match starts with its own "accept", a trip before the host's.
        head_start = TRIP if seat is JOIN else 0
        assert [at - head_start for at, _, _ in seen[seat].moves] == [
            at + (0 if by is seat else TRIP) for at, by in made
        ]
        assert seen[seat].end - head_start == time + (0 if speaker is seat else TRIP)


async def test_a_turn_costs_one_trip_and_a_draw_against_a_standing_opponent_a_round_trip(
    autojump_clock: trio.testing.MockClock,
) -> None:
    turns = alone = 0
    for seed in range(8):
        host, _ = await run("standard", ("threshold", "threshold"), "wanderer", seed)
        states = [e.state for _, e in host.events if isinstance(e, events.Moved)]
        # Each draw when its drawer sees it: to the host, what the joiner draws comes a trip later.
        draws = [
            (at - (TRIP if seat is JOIN else 0), seat, state)
            for (at, move, seat), state in zip(Moves(host).moves, states, strict=True)
            if isinstance(move, Draw) and seat is not None
        ]
        for (at, seat, state), (then, by, later) in itertools.pairwise(draws):
            if len(state.results) != len(later.results):
                continue  # another set has begun
            if by is seat:
                assert state.stood[seat.other]
                assert then - at == 2 * TRIP
                alone += 1
            else:
                assert then - at == TRIP
                turns += 1
    assert turns > 100
    assert alone > 10


async def test_R17_a_question_at_a_tie_costs_at_most_a_trip(
    autojump_clock: trio.testing.MockClock,
) -> None:
    rules = "standard,tiebreaker=at-tie,sets=9,max_sets=60"
    asked = []
    for seed in range(12):
        host, _ = await run(rules, ("threshold", "threshold"), "from-hell", seed)
        moves = Moves(host).moves
        for (at, _, by), (then, move, seat) in itertools.pairwise(moves):
            if isinstance(move, Lay | Pass):
                # Both as the host sees them: its own move at once, the other's a trip later.
                asked.append((then - at) // TRIP)
                assert (then - at) % TRIP == 0
                assert then - at == (0 if seat is by else 2 * TRIP if seat is JOIN else 0)
    assert asked
