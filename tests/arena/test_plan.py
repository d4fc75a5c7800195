"""The schedule: who meets whom, in which seats, from which seeds."""

from __future__ import annotations

from collections import Counter

from pazaak_p2p.arena.plan import Game, Plan, game_of
from tests.arena.arenas import plan_of


def schedule(plan: Plan) -> list[Game]:
    return [game_of(plan, plan.pairings, number) for number in range(plan.games)]


def test_all_play_against_all_as_often_and_as_often_in_each_seat() -> None:
    plan = plan_of("random", "random", "random", "random", matches=6)
    games = schedule(plan)
    assert len(games) == 6 * 6
    seats = Counter((game.host, game.join) for game in games)
    assert seats == {(a, b): 3 for a in range(4) for b in range(4) if a != b}


def test_in_a_gauntlet_only_the_first_meets_everybody() -> None:
    plan = plan_of("random", "random", "random", matches=4, gauntlet=True)
    assert plan.pairings == ((0, 1), (0, 2))
    assert Counter((game.host, game.join) for game in schedule(plan)) == {
        (0, 1): 2,
        (1, 0): 2,
        (0, 2): 2,
        (2, 0): 2,
    }


def test_the_games_of_a_pair_have_one_seed_and_swapped_seats() -> None:
    games = schedule(plan_of("random", "random", "random", matches=4))
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert (first.seed, first.pairing, first.pair) == (second.seed, second.pairing, second.pair)
        assert (first.host, first.join) == (second.join, second.host)
        assert (first.swapped, second.swapped) == (False, True)
    assert len({game.seed for game in games}) == len(games) / 2


def test_pairs_go_round_so_that_the_table_is_fair_at_any_time() -> None:
    games = schedule(plan_of("random", "random", "random", matches=4))
    assert [(game.pair, game.pairing) for game in games[::2]] == [
        (pair, pairing) for pair in range(2) for pairing in range(3)
    ]


def test_the_arena_seed_is_in_every_seed() -> None:
    ours = {game.seed for game in schedule(plan_of("random", "random", seed="x"))}
    theirs = {game.seed for game in schedule(plan_of("random", "random", seed="y"))}
    assert not ours & theirs
