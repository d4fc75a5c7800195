"""The rules as the verifier plays them, each on a position laid out by hand (R5 .. R20)."""

import pytest

from .game import NOBODY, TERMINATIONS, Game, Phase, Rules


def opened(first: int = 0, **options: object) -> Game:
    """A first set that is about to begin; the hands are positions 0..3."""
    game = Game(Rules(**options))  # type: ignore[arg-type]
    game.deal([[0, 1, 2, 3], [0, 1, 2, 3]])
    game.open_set(first)
    return game


def stand_at(game: Game, *totals: int) -> None:
    """Both draw to these totals and stand, the opener first."""
    for total in totals:
        side = game.sides[game.mover]
        side.table.append((0, total - 5))
        game.draw(5)
        if game.phase == Phase.ACT:
            game.stand()


def fill(game: Game, *values: int) -> None:
    """Put these values on the mover's table as if they had been there."""
    game.sides[game.mover].table.extend((0, value) for value in values)


def test_r9_turns_alternate_until_somebody_stands() -> None:
    game = opened()
    game.draw(5)
    game.end()
    assert (game.phase, game.mover) == (Phase.DRAW, 1)
    game.draw(5)
    game.stand()
    assert (game.mover, game.sides[1].stands) == (0, True)
    game.draw(4)
    game.end()
    assert (game.phase, game.mover) == (Phase.DRAW, 0)


@pytest.mark.parametrize("act", ["end", "stand"])
def test_r10_over_twenty_at_the_end_of_a_turn_loses_and_does_not_stand(act: str) -> None:
    game = opened(sets=1)
    fill(game, 10, 9)
    game.draw(5)
    assert game.phase == Phase.ACT
    getattr(game, act)()
    assert (game.phase, game.winner, game.won) == (Phase.OVER, 1, [0, 1])
    assert not game.sides[0].stands


def test_r11_exactly_twenty_stands_by_a_draw_and_by_a_card() -> None:
    game = opened()
    fill(game, 10, 5)
    game.draw(5)
    assert (game.sides[0].stands, game.mover) == (True, 1)
    fill(game, 10, 4)
    game.draw(8)
    game.play(0, 8, -2)
    assert game.finished == 1
    assert game.won == [0, 0]


def test_r11_off_leaves_the_choice() -> None:
    game = opened(auto_stand=False)
    fill(game, 10, 5)
    game.draw(5)
    assert (game.phase, game.sides[0].stands) == (Phase.ACT, False)


def test_r14_r15_flips_turn_what_lies_there_and_only_that() -> None:
    game = opened()
    game.sides[1].table.append((0, 4))
    fill(game, 2, 4, 3)
    game.sides[0].table += [(23, 4), (13, -2), (8, -4)]
    game.draw(4)
    game.play(1, 21, 0)
    assert [value for _, value in game.sides[0].table] == [-2, -4, 3, -4, 2, 4, -4, 0]
    assert game.sides[1].table == [(0, 4)]
    assert game.sides[0].hand[1] == [1, 21]


def test_r16_nine_wins_even_against_a_standing_twenty_and_before_r11() -> None:
    game = opened(sets=1)
    game.sides[1].stands = True
    game.sides[1].table.append((0, 20))
    fill(game, *([2] * 8))
    game.draw(4)
    assert (game.winner, game.sides[0].stands) == (0, False)


def test_r16_nine_over_twenty_busts_at_once() -> None:
    game = opened(sets=1, nine="stand")
    fill(game, *([2] * 8))
    game.draw(5)
    assert game.winner == 1


def test_r16_nine_stands_under_the_option_even_without_auto_stand() -> None:
    game = opened(nine="stand", auto_stand=False)
    fill(game, *([1] * 7))
    game.draw(1)
    game.play(0, 22, 0)
    assert (game.sides[0].stands, game.phase, game.mover) == (True, Phase.DRAW, 1)


@pytest.mark.parametrize(
    ("option", "last", "winner"),
    [("played", False, 0), ("played", True, 0), ("last", False, None), ("last", True, 0)],
)
def test_r17_a_tiebreaker_on_the_table(option: str, last: bool, winner: int | None) -> None:
    game = opened(tiebreaker=option)
    if last:
        fill(game, 17)
        game.draw(1)
        game.play(0, 19, 1)
        game.stand()
    else:
        game.sides[0].table += [(19, 1), (0, 10)]
        game.draw(8)
        game.stand()
    stand_at(game, 19)
    assert game.finished == 1
    assert game.won == [int(winner == 0), 0]


def test_r17_at_the_tie_both_are_asked_opener_first() -> None:
    game = opened(1, tiebreaker="at-tie")
    stand_at(game, 18, 18)
    assert (game.phase, game.mover, game.laid) == (Phase.TIE, 1, 0)
    game.lay(2, 19)
    assert (game.phase, game.mover, game.laid) == (Phase.TIE, 0, 2)
    assert game.sides[1].hand[2] == [2, 19]
    assert len(game.sides[1].table) == 2
    game.keep()
    assert (game.won, game.laid, game.phase) == ([0, 1], 0, Phase.DRAW)


def test_r17_two_laid_tie_and_an_empty_hand_is_not_asked() -> None:
    game = opened(tiebreaker="at-tie")
    stand_at(game, 18, 18)
    game.lay(0, 19)
    game.lay(0, 19)
    assert (game.finished, game.won) == (1, [0, 0])
    for position in range(4):
        game.sides[0].show(position, 1)
    stand_at(game, 18, 18)
    assert (game.phase, game.mover) == (Phase.TIE, 1)
    game.keep()
    for position in range(4):
        game.sides[1].show(position, 1)
    stand_at(game, 18, 18)
    assert game.finished == 3


def test_r17_no_gold_no_question() -> None:
    game = opened(tiebreaker="at-tie", gold=False)
    stand_at(game, 18, 18)
    assert (game.phase, game.finished) == (Phase.DRAW, 1)


@pytest.mark.parametrize(
    ("option", "after_win", "after_tie"),
    [("alternate", 1, 1), ("winner", 1, 0), ("loser", 0, 0), ("host", 0, 0)],
)
def test_r6_the_next_opener(option: str, after_win: int, after_tie: int) -> None:
    game = opened(opener=option)
    stand_at(game, 17, 18)
    assert (game.opener, game.mover, game.phase) == (after_win, after_win, Phase.DRAW)
    game = opened(opener=option)
    stand_at(game, 18, 18)
    assert game.opener == after_tie


def test_r6_a_random_opener_waits_for_a_lot() -> None:
    game = opened(opener="random")
    stand_at(game, 18, 17)
    assert (game.phase, game.opener, game.mover) == (Phase.OPENER, NOBODY, NOBODY)
    assert game.deck == [4] * 10
    assert game.sides[0].table == []


def test_r19_r20_the_end_of_a_match() -> None:
    game = opened(sets=1, max_sets=1)
    stand_at(game, 18, 17)
    assert (TERMINATIONS[game.termination], game.winner) == ("normal", 0)
    assert game.sides[0].stands
    assert game.sides[1].stands
    game = opened(max_sets=2)
    stand_at(game, 18, 17)
    stand_at(game, 18, 18)
    assert (TERMINATIONS[game.termination], game.winner, game.finished) == ("cap", 0, 2)
    game = opened(max_sets=1)
    stand_at(game, 18, 18)
    assert (TERMINATIONS[game.termination], game.winner) == ("cap", NOBODY)
