"""Pictures of the table, one file each, that the drawn tables must equal to the character.

``python -m tests.tui.pictures`` draws them anew; look at every difference before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from pazaak_p2p.rules import Card, Draw, End, Leave, Play, Seat, Stand, Termination, View, view
from pazaak_p2p.tui.glyphs import ASCII, UNICODE
from pazaak_p2p.tui.lines import Line, plain
from tests.tui.drawn import draw, draw_small
from tests.tui.positions import after, against_standing, at, dealt, tie_to_break

FOLDER: Final = Path(__file__).parent


def every_kind() -> View:
    """Flipped green and purple cards, a tiebreaker, flips, a negative total, two cards gone."""
    flip = Play(4, Card.FLIP_2_4, 0)
    tiebreaker = Play(7, Card.TIEBREAKER, -1)
    theirs = Play(1, Card.FLIP_2_4, 0)
    return after(
        dealt(4, 7, 3, 0),
        *(Draw(4), End(), Draw(4), theirs, End(), Draw(2), tiebreaker, End(), Draw(10), End()),
        *(Draw(6), flip),
    )


def card_placed() -> View:
    """The hand card of this turn is placed (R8), so the hand makes no offers."""
    draws = [step for rank in (1, 1, 2, 2) for step in (Draw(rank), End())]
    flip = Play(5, Card.FLIP_3_6, 0)
    return after(
        dealt(0, 3, 4, 5),
        *(Draw(1), End(), Draw(10), End(), Draw(1), End(), Draw(7), Stand(), *draws),
        *(Draw(2), flip),
    )


def ninth_to_play() -> View:
    """Eight cards on the table and one to play: it wins at once, or busts (R16)."""
    draws = [step for rank in (1, 1, 2, 2, 2) for step in (Draw(rank), End())]
    return after(
        dealt(0, 3, 1, 6),
        *(Draw(1), End(), Draw(10), End(), Draw(1), End(), Draw(7), Stand(), *draws, Draw(9)),
    )


def second_set_theirs() -> View:
    """Won the first set; the other side opens the second and has the turn."""
    return after(dealt(), Draw(10), End(), Draw(8), End(), Draw(9), Stand(), Draw(7), Stand())


def conceded() -> View:
    return after(dealt(), Draw(10), Leave(Seat.JOIN, Termination.CONCESSION))


PICTURES: Final[dict[str, Callable[[], list[Line]]]] = {
    "before_the_first_card": lambda: draw(view(dealt(), Seat.HOST), "Kreia", UNICODE),
    "over_20_with_ways_back": lambda: draw(at(23, 1, 2, 6, 4), "Kreia", UNICODE),
    "over_20_with_ways_back_ascii": lambda: draw(at(23, 1, 2, 6, 4), "Kreia", ASCII),
    "over_20_with_ways_back_small": lambda: draw_small(at(23, 1, 2, 6, 4), "Kreia", UNICODE, 40),
    "every_kind": lambda: draw(every_kind(), "Kreia", UNICODE),
    "every_kind_ascii": lambda: draw(every_kind(), "Kreia", ASCII),
    "every_kind_small": lambda: draw_small(every_kind(), "Kreia", ASCII, 40),
    "card_placed": lambda: draw(card_placed(), "Kreia", UNICODE),
    "ninth_to_play": lambda: draw(ninth_to_play(), "Kreia", UNICODE),
    "against_a_standing_18": lambda: draw(against_standing(18, 16), "Kreia", UNICODE),
    "twenty_by_a_card": lambda: draw(at(17), "Kreia", UNICODE),
    "second_set_theirs": lambda: draw(second_set_theirs(), "Kreia", UNICODE),
    "tie_to_break": lambda: draw(tie_to_break(), "Kreia", UNICODE),
    "conceded": lambda: draw(conceded(), "Kreia", UNICODE),
    "wide_name": lambda: draw(at(7), "絶対に名前が長すぎるプレイヤー", UNICODE),
    "wide_name_small": lambda: draw_small(at(7), "絶対に名前が長すぎる", UNICODE, 40),
}


def text(name: str) -> str:
    """The picture *name* as it is drawn now."""
    return "".join(f"{plain(line)}\n" for line in PICTURES[name]())


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"
