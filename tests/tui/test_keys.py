"""Every key, in every kind of position: it acts, or it says why not and names the rule."""

from __future__ import annotations

import re
import string

import pytest
from prompt_toolkit.keys import Keys

from pazaak_p2p.rules import Card as C
from pazaak_p2p.rules import Draw, End, Play, Stand, View
from pazaak_p2p.tui import log
from pazaak_p2p.tui.choices import CTRL_C, CTRL_D
from pazaak_p2p.tui.control import LEFT, RIGHT, Control, Scene
from pazaak_p2p.tui.dialog import ENTER, Position
from pazaak_p2p.tui.full_screen import written_on
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.log import Span
from tests.tui.pictures import card_placed, conceded
from tests.tui.positions import after, against_standing, at, dealt, tie_to_break

KEYS = [
    *string.ascii_letters,
    *string.digits,
    *"+-?!=_.,/ ",
    *(LEFT, RIGHT, log.UP, log.DOWN, log.PAGE_UP, log.PAGE_DOWN, log.WHEEL_UP, log.WHEEL_DOWN),
    *(ENTER, CTRL_C, CTRL_D, "end", "home", "f1", "delete", "s-tab", "c-a"),
]
POSITIONS: dict[str, View | None] = {
    "before the match": None,
    "before the first card": after(dealt()),
    "our turn": at(7),
    "over 20": at(23),
    "card placed": card_placed(),
    "their turn": after(dealt(), Draw(10), End(), Draw(4)),
    "we stand": after(dealt(), Draw(10), Stand(), Draw(4)),
    "we stand at 20": after(
        dealt(), Draw(10), End(), Draw(4), End(), Draw(7), Play(0, C.PLUS_3, 3)
    ),
    "against a standing 18": against_standing(18, 15),
    "tie to break": tie_to_break(),
    "match over": conceded(),
}
# What is no rule of the game says in words why it does not act.
SAYS_WHY = (
    "does nothing here; ? lists the keys.",
    "The match has not begun yet",
    "Kreia is a bot, and hears nothing.",
    "Hints are for matches against a bot here",
    "Nothing is chosen: the arrows choose, Enter presses it.",
    "Press one of the keys below.",
    "The match is over",
)


def what_is_shown(scene: Scene) -> tuple[object, ...]:
    return scene.chosen, scene.talk, scene.help, scene.reading, scene.top, scene.entries


@pytest.mark.parametrize("practice", [False, True])
@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("name", POSITIONS)
def test_a_key_acts_or_says_why_not_and_names_the_rule(
    name: str, asked: bool, practice: bool
) -> None:
    shown = POSITIONS[name]
    for key in KEYS:
        control = Control(UNICODE)
        due = asked and shown is not None and shown.to_choose
        control.show(Position(shown, "Kreia", 1 if due else None, practice=practice))
        before = control.scene()
        decision = control.press(key, Span(total=100, room=5))
        scene = control.scene()
        if decision is not None or what_is_shown(scene) != what_is_shown(before):
            continue
        if key in (log.PAGE_DOWN, log.WHEEL_DOWN):
            continue  # the newest is shown already
        said = plain(scene.message)
        assert scene.message != before.message, (key, said)  # at least it is marked as a refusal
        assert re.search(r"\(R\d+", said) or any(why in said for why in SAYS_WHY), (key, said)


def test_what_the_hint_key_says_where_it_does_not_act() -> None:
    control = Control(UNICODE)
    control.show(Position(at(7), "Kreia", 1))
    control.press("h")
    assert plain(control.scene().message) == (
        "Hints are for matches against a bot here, by pazaak play: in this one nobody has agreed"
        " to them, and Kreia could not see that you use them."
    )
    control.show(Position(POSITIONS["their turn"], "Kreia", None, practice=True))
    control.press("h")
    assert plain(control.scene().message) == (
        "A hint is for a choice. It is Kreia's turn; yours begins with your next green card (R7)."
    )


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (Keys.ControlX, "Ctrl-X"),
        (Keys.ControlShiftPageDown, "Ctrl-Shift-PgDn"),
        (Keys.BackTab, "Shift-Tab"),
        (Keys.F5, "F5"),
        (Keys.Tab, "Tab"),
        (Keys.Delete, "Delete"),
    ],
)
def test_a_key_is_called_what_is_written_on_it(key: Keys, name: str) -> None:
    assert written_on(key) == name


def test_no_name_of_a_key_is_a_character() -> None:
    """Else it would be read as one that was pressed."""
    assert [key for key in Keys if len(written_on(key)) < 2] == []
