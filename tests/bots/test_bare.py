"""The game without hand cards and with an endless deck: master's play is the exact optimum."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from msgspec.structs import replace

from pazaak_p2p.bots import MasterBot
from pazaak_p2p.bots.solved.book import shipped_book
from pazaak_p2p.bots.solved.layers import Ties
from pazaak_p2p.bots.solved.leaves import Stakes
from pazaak_p2p.rules import Action, End, Rules, Stand, View
from tests.bots.test_threshold import position

# What a set comes to for the side in question: chances to win, to tie, to lose.
Result = tuple[Fraction, Fraction, Fraction]
TENTH = Fraction(1, 10)
WON: Result = (Fraction(1), Fraction(0), Fraction(0))
TIED: Result = (Fraction(0), Fraction(1), Fraction(0))
LOST: Result = (Fraction(0), Fraction(0), Fraction(1))


def turned(result: Result) -> Result:
    return result[::-1]


def mean(results: list[Result]) -> Result:
    win, tie, loss = (sum(column, Fraction(0)) * TENTH for column in zip(*results, strict=True))
    return win, tie, loss


def better(one: Result, two: Result) -> Result:
    """A tie is worth half a win. Of equals the first."""
    return max(one, two, key=lambda result: result[0] - result[2])


@cache
def before_draw(own: int, theirs: int, stands: bool) -> Result:
    """The side to draw has *own*; the other has *theirs* and *stands* or plays on."""
    return mean([after_draw(own + rank, theirs, stands) for rank in range(1, 11)])


def after_draw(own: int, theirs: int, stands: bool) -> Result:
    if own > 20:
        return LOST
    stand = standing(own, theirs, stands)
    return stand if own == 20 else better(stand, ending(own, theirs, stands))


def standing(own: int, theirs: int, stands: bool) -> Result:
    if stands:
        return WON if own > theirs else TIED if own == theirs else LOST
    return turned(before_draw(theirs, own, True))


def ending(own: int, theirs: int, stands: bool) -> Result:
    if stands:
        return before_draw(own, theirs, True)
    return turned(before_draw(theirs, own, False))


def test_the_exact_optimum_of_the_bare_game() -> None:
    win, tie, loss = before_draw(0, 0, False)
    assert win + tie + loss == 1
    assert [f"{float(part):.1%}" for part in (win, tie, loss)] == ["41.2%", "12.9%", "45.9%"]


def test_master_plays_the_exact_optimum_of_the_bare_game() -> None:
    layer = shipped_book().layer(Stakes((1, 1), (0.5,) * 3, (1.0, 0.5, 0.0)), (), 0, Ties())
    choices = 0
    for own in range(1, 20):
        for theirs in range(21):
            stand, end = standing(own, theirs, False), ending(own, theirs, False)
            both = [float(result[0] + result[1] / 2) for result in (stand, end)]
            assert abs(layer.expected(0, own)[theirs] - float(worth(own, theirs, False))) < 1e-12
            assert abs(layer.after(0, own)[theirs] - max(both)) < 1e-12
            stand, end = standing(own, theirs, True), ending(own, theirs, True)
            both = [float(result[0] + result[1] / 2) for result in (stand, end)]
            assert abs(layer.after(1, own)[theirs] - max(both)) < 1e-12
            choices += 2
    assert choices == 2 * 19 * 21
    assert abs(layer.expected(0, 0)[0] - float(worth(0, 0, False))) < 1e-12


def test_master_chooses_the_exact_optimum_of_the_bare_game() -> None:
    """In one set without cards, wherever the next draws are as from an endless deck."""
    master = MasterBot()
    choices = 0
    for own in range(1, 20):
        for theirs in range(21):
            for stands in (False, True):
                if theirs == 20 and not stands:
                    continue
                view = bare(own, theirs, stands)
                stand, end = standing(own, theirs, stands), ending(own, theirs, stands)
                exact: dict[Action, Fraction] = {
                    Stand(): stand[0] + stand[1] / 2,
                    End(): end[0] + end[1] / 2,
                }
                found = master.chances(view)
                assert set(found) == set(exact)
                for action, chance in found.items():
                    assert abs(chance - float(exact[action])) < 1e-12, (own, theirs, stands)
                assert exact[master.choose(view)] == max(exact.values())
                choices += 1
    assert choices == 19 * 41


def bare(own: int, theirs: int, stands: bool) -> View:
    """The joiner is to choose in the only set there is; no rank is likelier than another."""
    view = position([own], theirs=theirs)
    state = replace(
        view.state,
        rules=Rules(max_sets=1),
        hands=((), ()),
        stood=(stands, False),
    )
    return View(view.seat, state)


def worth(own: int, theirs: int, stands: bool) -> Fraction:
    win, tie, _ = before_draw(own, theirs, stands)
    return win + tie / 2
