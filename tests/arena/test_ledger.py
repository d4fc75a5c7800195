"""What counts, in which order, whatever the order in which it comes."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from msgspec import structs

from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.rating import rate_duel
from pazaak_p2p.arena.result import Result
from pazaak_p2p.arena.sprt import Sprt, Verdict
from pazaak_p2p.arena.standing import meetings, stand, stand_decks, turned, whole_gauntlet
from tests.arena.arenas import plan_of


def won_by_first(number: int) -> Result:
    """The pairing's first wins: it hosts the even games."""
    return Result(number, number % 2, "normal", (3, 0) if number % 2 == 0 else (0, 3))


def test_results_count_in_the_order_of_the_schedule_and_by_pairs() -> None:
    for order in permutations(range(4)):
        ledger, released = Ledger(plan_of("random", "random")), []
        for number in order:
            ledger.add(won_by_first(number))
            released += [game.number for game, _ in ledger.release()]
        assert released == [0, 1, 2, 3]
        assert ledger.over()
        assert ledger.pairs == [[0, 0, 0, 0, 2]]


def test_half_a_pair_does_not_count() -> None:
    ledger = Ledger(plan_of("random", "random"))
    ledger.add(won_by_first(1))
    ledger.add(won_by_first(2))
    assert list(ledger.release()) == []
    assert (ledger.counted, ledger.done) == (0, 2)
    assert list(ledger.missing()) == [0, 3]


def test_nothing_counts_twice() -> None:
    ledger = Ledger(plan_of("random", "random"))
    for _ in range(3):
        for number in (0, 1):
            ledger.add(won_by_first(number))
        list(ledger.release())
    ledger.add(Result(0, 1, "normal", (0, 3)))
    assert list(ledger.release()) == []
    assert (ledger.counted, ledger.duels[0].wins, ledger.duels[0].losses) == (2, 2, 0)


def test_points_are_the_firsts_whatever_its_seat() -> None:
    ledger = Ledger(plan_of("random", "random", matches=8))
    winners = [0, 0, None, 0, None, None, 1, 0]  # by game; pairs: 1-1, half, 1, 0
    for number, winner in enumerate(winners):
        ledger.add(Result(number, winner, "normal", (0, 0)))
    list(ledger.release())
    assert ledger.pairs == [[1, 1, 2, 0, 0]]
    first, second = ledger.players
    assert (first.wins, first.draws, first.losses) == (1, 3, 4)
    assert (second.wins, second.draws, second.losses) == (4, 3, 1)


def test_a_fault_is_that_of_who_lost() -> None:
    ledger = Ledger(plan_of("random", "random"))
    for number, (winner, how) in enumerate([(1, "crash"), (0, "time"), (0, "cheat"), (0, "cap")]):
        ledger.add(Result(number, winner, how, (0, 0)))
    list(ledger.release())
    rows = {row.name: row for row in stand(ledger)}
    assert (rows["a"].crash, rows["a"].time, rows["a"].cheat, rows["a"].illegal) == (1, 1, 0, 0)
    assert (rows["b"].crash, rows["b"].time, rows["b"].cheat, rows["b"].illegal) == (0, 0, 1, 0)


def test_the_test_stops_a_pairing_and_what_was_played_beyond_is_dropped() -> None:
    plan = plan_of("random", "random", "random", matches=400, sprt=Sprt(0, 200))

    def result(number: int) -> Result:
        pairing = number // 2 % 3
        # The first of pairing 0 wins all, of pairing 1 loses all; the third is even.
        winner = {0: number % 2, 1: 1 - number % 2, 2: 0}[pairing]
        return Result(number, winner, "normal", (0, 0))

    told = []
    for seed in (1, 2):
        ledger, numbers = Ledger(plan), list(range(plan.games))
        Random(seed).shuffle(numbers)
        for number in numbers:
            ledger.add(result(number))
        released = [game for game, _ in ledger.release()]
        told.append(released)
        assert ledger.verdicts == [Verdict.H1, Verdict.H0, Verdict.H0]
        for pairing in range(3):
            games = sum(game.pairing == pairing for game in released)
            assert games == ledger.duels[pairing].games < 400
            # Not one pair later than the test is decided.
            pairs = ledger.pairs[pairing]
            assert plan.sprt is not None
            assert plan.sprt.judge(pairs) is ledger.verdicts[pairing]
            earlier = [max(0, count - 1) for count in pairs]
            assert plan.sprt.judge(earlier) is Verdict.OPEN
        assert ledger.over()
        assert list(ledger.missing()) == []
    assert told[0] == told[1]


def test_the_table_is_sorted_and_pairings_are_told() -> None:
    ledger = Ledger(plan_of("random", "random", "random", matches=20))
    rng = Random(3)
    for number in range(60):
        first = rng.random() < {0: 0.3, 1: 0.2, 2: 0.4}[number // 2 % 3]
        winner = number % 2 if first else 1 - number % 2
        ledger.add(Result(number, winner, "normal", (0, 0)))
    list(ledger.release())
    rows = stand(ledger)
    assert [row.name for row in rows] == ["c", "b", "a"]
    assert [row.elo for row in rows] == sorted((row.elo or 0 for row in rows), reverse=True)
    assert rows[0].los is not None
    assert rows[0].los > 0.5
    assert rows[-1].los is None
    assert [meeting.players for meeting in meetings(ledger)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert stand_decks(ledger) == []


def test_a_deck_is_not_better_for_the_bot_that_plays_it() -> None:
    """The stronger bot has the deck that loses between equals."""
    plan = plan_of("threshold", "threshold", "random", matches=20)
    decks = ("weak", "good", "good")
    entrants = tuple(
        structs.replace(entrant, deck_name=name)
        for entrant, name in zip(plan.entrants, decks, strict=True)
    )
    ledger = Ledger(structs.replace(plan, entrants=entrants))
    # Of ten pairs of the two that are alike the second wins seven; both win all else.
    for number in range(60):
        pair, pairing = number // 6, number // 2 % 3
        first = pairing > 0 or pair >= 7
        ledger.add(Result(number, number % 2 if first else 1 - number % 2, "normal", (0, 0)))
    list(ledger.release())
    rows = stand_decks(ledger)
    assert [(row.name, row.wins, row.losses) for row in rows] == [("good", 14, 6), ("weak", 6, 14)]


def test_a_gauntlet_is_rated_by_the_games_against_its_first() -> None:
    ledger = Ledger(plan_of("random", "random", "random", "random", matches=20, gauntlet=True))
    rng = Random(3)
    for number in range(60):
        # It loses to b mostly, beats c mostly, and d always.
        first = rng.random() < {0: 0.3, 1: 0.7, 2: 1.0}[number // 2 % 3]
        ledger.add(Result(number, number % 2 if first else 1 - number % 2, "normal", (0, 0)))
    list(ledger.release())
    top, *others = stand(ledger)
    assert (top.name, top.elo, top.elo_error, top.los) == ("a", 0.0, None, None)
    assert [row.name for row in others] == ["b", "c", "d"]
    b, c, d = meetings(ledger)
    for row, meeting in zip(others, (b, c, d), strict=True):
        duel = meeting.duel
        assert duel is not None
        assert (row.wins, row.losses) == (meeting.losses, meeting.wins)
        assert row.score == 1 - duel.score
        if row is not others[-1]:
            assert duel.elo is not None
            assert duel.los is not None
            assert row.elo == pytest.approx(-duel.elo)
            assert row.elo_error == pytest.approx(duel.error)
            assert row.los == pytest.approx(1 - duel.los)
    assert (others[-1].elo, others[-1].beyond) == (None, -1)
    whole = whole_gauntlet(ledger)
    assert (whole.wins, whole.draws, whole.losses) == (top.wins, 0, top.losses)
    assert whole.pairs == tuple(map(sum, zip(b.pairs, c.pairs, d.pairs, strict=True)))
    assert turned(turned(b)) == b
    assert turned(c).duel == rate_duel(c.pairs[::-1])
