"""Pictures of the table on the full screen, one file each, that its pages must equal in every sign,
every style, and in what a click does.

``python -m tests.tui.table_pages`` draws them anew, and with a folder as its argument also as SVG
there, to be looked at; look at every difference before it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from prompt_toolkit.styles import BaseStyle

from pazaak_p2p.bots.hints import Hint
from pazaak_p2p.rules import (
    Card,
    Draw,
    End,
    Play,
    Seat,
    Stand,
    View,
    legal_actions,
    parse_rules,
    view,
)
from pazaak_p2p.text import printable
from pazaak_p2p.tui.control import RIGHT, Control, Scene
from pazaak_p2p.tui.dialog import Position
from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.log import DOWN, HOME, PAGE_UP, Span
from pazaak_p2p.tui.page import Row, draw_page
from pazaak_p2p.tui.picture import as_svg
from pazaak_p2p.tui.status import Clock, Status
from tests.tui.drawn import marks, text_of
from tests.tui.pictures import card_placed, conceded, every_kind, ninth_to_play
from tests.tui.positions import after, against_standing, at, dealt, play_on, tie_to_break

FOLDER: Final = Path(__file__).parent

_LOG: Final[list[Line]] = [
    (("", " Kreia sits down at the table."),),
    (("", " The match begins: first to 3 sets (standard)."),),
    (("", " Who opens? You draw 7, Kreia draws 4: you open (R5)."),),
    (
        ("", " Kreia draws "),
        ("class:card.green", "[9]"),
        ("", ": "),
        ("class:total", "9"),
        ("", "."),
    ),
    (("", " "), ("class:name", "Kreia ▸ "), ("class:chat", "Apathy is death, and so is 21.")),
]
_CALM = Status(rtt=0.0234, lots=37)
_WON: Line = (("class:won", " Set 1 is yours: 19 beats 18 (R18). "),)


def _scene(
    shown: View | None,
    *keys: str,
    name: str = "Kreia",
    status: Status = _CALM,
    asked: bool = True,
    keeps: bool = False,
    held: bool = False,
    resting: bool = False,
    banner: Line = (),
    ended: bool = False,
    away: bool = False,
    more: Sequence[str] = (),
    glyphs: Glyphs = UNICODE,
    practice: bool = False,
    hint: Hint | None = None,
    lesson: str = "",
    entries: int = 0,
    span: Span | None = None,
) -> Scene:
    control = Control(glyphs)
    control.say(_LOG + [(("", f" {text}"),) for text in more])
    control.say([(("", f" Kreia draws [{number % 10 + 1}]."),) for number in range(entries)])
    result = shown.state.results[-1] if ended and shown is not None else None
    question = 1 if asked and shown is not None and shown.to_choose else None
    told: Line = (("class:lesson", f"{glyphs.says} "), ("", lesson)) if lesson else ()
    control.show(
        Position(
            shown,
            name,
            question,
            keeps,
            result,
            banner,
            away,
            practice=practice,
            hint=hint,
            lesson=told,
        )
    )
    control.inform(status)
    control.hold(held)
    if resting:
        control.rest()
    for key in keys:
        control.press(key, span or Span())
    return control.scene()


def _hint(shown: View) -> Hint:
    """Chances that are easy to tell apart: 97 %, 92 % and so on, the last action being the best."""
    actions = legal_actions(shown.state)
    chances = [0.97 - 0.05 * number for number in range(len(actions))]
    return Hint(tuple(zip(reversed(actions), chances, strict=True)), actions[-1])


_LESSON = (
    "23 is over 20: lost if the turn ends so (R10). Your ±4 adds or takes 4."
    " Press 2, then -: back to 19."
)
_NEWS = "Kreia plays 3&6, which turns the signs of its own 3s and 6s (R15): 22 becomes 10."


def _set_over(*, won: bool = True) -> View:
    ours, theirs = (9, 8) if won else (7, 9)
    state = dealt()
    return after(
        state, Draw(10), End(), Draw(10), End(), Draw(ours), Stand(), Draw(theirs), Stand()
    )


def _match_won() -> View:
    state = dealt(rules=parse_rules("sets=1"))
    return after(state, Draw(10), End(), Draw(10), End(), Draw(9), Stand(), Draw(8), Stand())


def _their_turn() -> View:
    return after(dealt(), Draw(10), End(), Draw(4))


def _negative() -> View:
    """Far below zero."""
    state = play_on(dealt(6, 4, 5, 3), Draw(2), Play(6, Card.MINUS_5, -5))
    return view(state, Seat.HOST)


def _nine_cards() -> View:
    """Nine cards and not over 20: the set is won (R16)."""
    state = dealt(0, 3, 1, 6)
    draws = [step for rank in (1, 1, 2, 2, 2) for step in (Draw(rank), End())]
    first = (Draw(1), End(), Draw(10), End(), Draw(1), End(), Draw(7), Stand())
    return after(state, *first, *draws, Draw(9), Play(6, Card.MINUS_5, -5))


def _tied() -> View:
    state = dealt()
    return after(state, Draw(10), End(), Draw(10), End(), Draw(8), Stand(), Draw(8), Stand())


def _match_lost() -> View:
    state = dealt(rules=parse_rules("sets=1"))
    return after(state, Draw(10), End(), Draw(10), End(), Draw(7), Stand(), Draw(9), Stand())


def _match_drawn() -> View:
    """As many sets as were agreed, and nobody has won more of them (R20)."""
    state = dealt(rules=parse_rules("sets=1,max_sets=1"))
    return after(state, Draw(10), End(), Draw(10), End(), Draw(8), Stand(), Draw(8), Stand())


_NINE: Line = (("class:won", " Set 1 is yours: nine cards and not over 20 (R16). "),)
_SET_TIED: Line = (("class:tied", " Set 1 is tied: 18 each, and nobody scores (R18). "),)
_MATCH_LOST: Line = (("class:lost", " Kreia wins the match, 1 to 0. "),)
_CONCEDED: Line = (
    ("", " You concede the match."),
    ("class:lost", " Kreia wins the match; sets: 0 to 0. "),
)
_DRAWN: Line = (("class:tied", " The match is drawn, 0 to 0 (R20). "),)
_TALK: Final = (
    printable("Kreia ▸ \x1b[2J\x07 \u202eover\u202c zero\u200bwidth 👩\u200d🚀 " + "!" * 120),
    "Kreia ▸ " + "無関心は死です" * 8,
)
_TIED: Line = (("class:tied", " Set 1 is tied: 18 each, and nobody scores (R18). "),)
_LOST: Line = (("class:lost", " Set 1 goes to Kreia: 19 beats 17 (R18). "),)
_OVER: Line = (("class:won", " You win the match, 1 to 0. "),)
_WIDE_NAME: Final = "達斯·瑞文 Darth Revan 達斯"
_RTL_NAME: Final = "דארת\u05bc רבן e\u0301o\u0308"

Page = tuple[Callable[[], Scene], int, int, Glyphs]

PAGES: Final[dict[str, Page]] = {
    "waiting": (lambda: _scene(None), 80, 24, UNICODE),
    "waiting_compact": (lambda: _scene(None), 40, 16, UNICODE),
    "first_card": (lambda: _scene(at(7)), 80, 24, UNICODE),
    "first_card_compact": (lambda: _scene(at(7)), 40, 16, UNICODE),
    "first_card_log_beside": (lambda: _scene(at(7)), 120, 30, UNICODE),
    "first_card_large": (lambda: _scene(at(7)), 200, 50, UNICODE),
    "first_card_middle": (lambda: _scene(at(7)), 60, 20, UNICODE),
    "card_chosen": (lambda: _scene(at(7), RIGHT, RIGHT), 80, 24, UNICODE),
    "card_chosen_ascii": (lambda: _scene(at(7), RIGHT, RIGHT, glyphs=ASCII), 80, 24, ASCII),
    "card_chosen_compact": (lambda: _scene(at(7), RIGHT, RIGHT), 40, 16, UNICODE),
    "end_chosen": (lambda: _scene(at(7), RIGHT, DOWN), 80, 24, UNICODE),
    "asks_for_a_sign": (lambda: _scene(at(7), "2"), 80, 24, UNICODE),
    "asks_by_enter": (lambda: _scene(at(7), RIGHT, RIGHT, "enter"), 80, 24, UNICODE),
    "asks_for_size_and_sign": (lambda: _scene(at(17), "3"), 80, 24, UNICODE),
    "over_20": (lambda: _scene(at(23)), 80, 24, UNICODE),
    "over_20_compact": (lambda: _scene(at(23)), 40, 16, UNICODE),
    "over_20_ascii": (lambda: _scene(at(23), glyphs=ASCII), 80, 24, ASCII),
    "really_end": (lambda: _scene(at(23), "e"), 80, 24, UNICODE),
    "card_placed": (lambda: _scene(card_placed()), 80, 24, UNICODE),
    "refused": (lambda: _scene(card_placed(), "2"), 80, 24, UNICODE),
    "their_turn": (lambda: _scene(_their_turn()), 80, 24, UNICODE),
    "their_card_held": (lambda: _scene(_their_turn(), held=True), 80, 24, UNICODE),
    "against_a_standing_18": (lambda: _scene(against_standing(18, 15)), 80, 24, UNICODE),
    "every_kind": (lambda: _scene(every_kind()), 80, 24, UNICODE),
    "every_kind_compact": (lambda: _scene(every_kind()), 40, 16, UNICODE),
    "negative": (lambda: _scene(_negative()), 80, 24, UNICODE),
    "ninth_to_play": (lambda: _scene(ninth_to_play()), 80, 24, UNICODE),
    "tie_to_break": (lambda: _scene(tie_to_break()), 80, 24, UNICODE),
    "set_won": (lambda: _scene(_set_over(), held=True, ended=True, banner=_WON), 80, 24, UNICODE),
    "set_won_compact": (
        lambda: _scene(_set_over(), held=True, ended=True, banner=_WON),
        40,
        16,
        UNICODE,
    ),
    "set_lost": (
        lambda: _scene(_set_over(won=False), held=True, ended=True, banner=_LOST),
        80,
        24,
        UNICODE,
    ),
    "next_set_with_banner": (lambda: _scene(at(7), banner=_TIED), 80, 24, UNICODE),
    "match_won": (
        lambda: _scene(_match_won(), resting=True, ended=True, banner=_OVER),
        80,
        24,
        UNICODE,
    ),
    "match_conceded_compact": (
        lambda: _scene(conceded(), resting=True, banner=_CONCEDED),
        40,
        16,
        UNICODE,
    ),
    "match_conceded": (lambda: _scene(conceded(), resting=True, banner=_CONCEDED), 80, 24, UNICODE),
    "clock": (
        lambda: _scene(at(7), status=Status(0.0234, 0, 12, Clock(True, 42))),
        80,
        24,
        UNICODE,
    ),
    "clock_nearly_over": (
        lambda: _scene(at(7), status=Status(0.0234, 0, 12, Clock(True, 9))),
        80,
        24,
        UNICODE,
    ),
    "their_clock_compact": (
        lambda: _scene(_their_turn(), status=Status(0.0234, 0, 12, Clock(False, 65))),
        40,
        16,
        UNICODE,
    ),
    "silent": (lambda: _scene(_their_turn(), status=Status(0.02, 14, 37)), 80, 24, UNICODE),
    "away": (lambda: _scene(_their_turn(), status=Status(lots=37, away=594)), 80, 24, UNICODE),
    "leaving": (lambda: _scene(at(7), "q", keeps=True), 80, 24, UNICODE),
    "leaving_for_good": (lambda: _scene(at(7), "q"), 80, 24, UNICODE),
    "conceding": (lambda: _scene(at(7), "c"), 80, 24, UNICODE),
    "talking": (lambda: _scene(at(7), "t", *"well played"), 80, 24, UNICODE),
    "talking_compact": (lambda: _scene(at(7), "t", *"well played, " * 5), 40, 16, UNICODE),
    "practice": (lambda: _scene(at(7), practice=True), 80, 24, UNICODE),
    "practice_compact": (lambda: _scene(at(7), practice=True), 40, 16, UNICODE),
    "hint_awaited": (lambda: _scene(at(17), "h", practice=True), 80, 24, UNICODE),
    "hint": (lambda: _scene(at(17), "h", practice=True, hint=_hint(at(17))), 80, 24, UNICODE),
    "hint_large": (
        lambda: _scene(at(17), "h", practice=True, hint=_hint(at(17))),
        120,
        40,
        UNICODE,
    ),
    "hint_compact": (
        lambda: _scene(at(17), "h", practice=True, hint=_hint(at(17))),
        40,
        16,
        UNICODE,
    ),
    "hint_ascii": (
        lambda: _scene(at(17), "h", practice=True, hint=_hint(at(17)), glyphs=ASCII),
        80,
        24,
        ASCII,
    ),
    "no_hint": (lambda: _scene(at(7), "h"), 80, 24, UNICODE),
    "no_talk": (lambda: _scene(at(7), "t", practice=True), 80, 24, UNICODE),
    "lesson": (lambda: _scene(at(23), practice=True, lesson=_LESSON), 80, 24, UNICODE),
    "lesson_compact": (lambda: _scene(at(23), practice=True, lesson=_LESSON), 40, 16, UNICODE),
    "lesson_held": (
        lambda: _scene(_their_turn(), practice=True, lesson=_NEWS, held=True),
        80,
        24,
        UNICODE,
    ),
    "lesson_held_compact": (
        lambda: _scene(_their_turn(), practice=True, lesson=_NEWS, held=True, banner=_TIED),
        40,
        16,
        UNICODE,
    ),
    "log": (lambda: _scene(at(7), "l", entries=40), 80, 24, UNICODE),
    "log_scrolled": (
        lambda: _scene(at(7), "l", HOME, DOWN, entries=40, span=Span(45, 21)),
        80,
        24,
        UNICODE,
    ),
    "log_compact": (lambda: _scene(_their_turn(), "l", entries=40), 40, 16, UNICODE),
    "log_below_scrolled": (
        lambda: _scene(at(7), PAGE_UP, entries=40, span=Span(45, 6)),
        80,
        24,
        UNICODE,
    ),
    "log_beside_scrolled": (
        lambda: _scene(at(7), PAGE_UP, entries=80, span=Span(85, 39)),
        120,
        40,
        UNICODE,
    ),
    "help": (lambda: _scene(at(7), "?"), 80, 24, UNICODE),
    "help_compact": (lambda: _scene(at(7), "?"), 40, 16, UNICODE),
    "wide_name": (lambda: _scene(_their_turn(), name=_WIDE_NAME), 80, 24, UNICODE),
    "wide_name_compact": (lambda: _scene(_their_turn(), name=_WIDE_NAME), 40, 16, UNICODE),
    "right_to_left_name": (lambda: _scene(_their_turn(), name=_RTL_NAME), 80, 24, UNICODE),
    "first_card_ascii": (lambda: _scene(at(7), glyphs=ASCII), 80, 24, ASCII),
    "first_card_compact_ascii": (lambda: _scene(at(7), glyphs=ASCII), 40, 16, ASCII),
    "over_20_large": (lambda: _scene(at(23), banner=_TIED), 200, 50, UNICODE),
    "twenty_in_reach": (lambda: _scene(at(17)), 80, 24, UNICODE),
    "nine_cards": (
        lambda: _scene(_nine_cards(), held=True, ended=True, banner=_NINE),
        80,
        24,
        UNICODE,
    ),
    "set_tied": (
        lambda: _scene(_tied(), held=True, ended=True, banner=_SET_TIED),
        80,
        24,
        UNICODE,
    ),
    "match_lost": (
        lambda: _scene(_match_lost(), resting=True, ended=True, banner=_MATCH_LOST),
        80,
        24,
        UNICODE,
    ),
    "match_drawn": (
        lambda: _scene(_match_drawn(), resting=True, ended=True, banner=_DRAWN),
        80,
        24,
        UNICODE,
    ),
    "match_drawn_compact": (
        lambda: _scene(_match_drawn(), resting=True, ended=True, banner=_DRAWN),
        40,
        16,
        UNICODE,
    ),
    "away_to_be_claimed": (
        lambda: _scene(_their_turn(), status=Status(lots=37, away=294), away=True),
        80,
        24,
        UNICODE,
    ),
    "away_compact": (
        lambda: _scene(_their_turn(), status=Status(lots=37, away=294), away=True),
        40,
        16,
        UNICODE,
    ),
    "claiming": (
        lambda: _scene(_their_turn(), "w", status=Status(lots=37, away=294), away=True),
        80,
        24,
        UNICODE,
    ),
    "leaving_compact": (lambda: _scene(at(7), "q", keeps=True), 40, 16, UNICODE),
    "tie_to_break_compact": (lambda: _scene(tie_to_break()), 40, 16, UNICODE),
    "asks_for_size_compact": (lambda: _scene(at(17), "3"), 40, 16, UNICODE),
    "hostile_talk": (lambda: _scene(at(7), more=_TALK), 80, 24, UNICODE),
    "hostile_talk_compact": (lambda: _scene(at(7), more=_TALK), 40, 16, UNICODE),
    "too_small": (lambda: _scene(at(7)), 39, 16, UNICODE),
    "much_too_small": (lambda: _scene(at(7)), 12, 4, UNICODE),
}


def page_of(name: str) -> list[Row]:
    """The page *name* as it is drawn now."""
    make, columns, rows, glyphs = PAGES[name]
    return draw_page(make(), columns, rows, glyphs)


def text(name: str) -> str:
    """The page *name* as it is described."""
    return described(page_of(name))


def described(page: list[Row]) -> str:
    """*page* in signs, and below them what has a style, or does something when clicked."""
    return text_of(page) + "\n" + "".join(f"{line}\n" for line in marks(page))


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def svg(name: str, style: BaseStyle) -> str:
    """The page *name* as a picture."""
    _, columns, rows, _ = PAGES[name]
    return as_svg(page_of(name), columns, rows, style, name)
