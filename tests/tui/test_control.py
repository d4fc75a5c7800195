"""Keys, clicks, arrows and pauses at the table, without a terminal."""

from __future__ import annotations

import pytest

from pazaak_p2p.net.player import Concede, Quit, Say
from pazaak_p2p.rules import Card, Draw, End, Play, Stand
from pazaak_p2p.tui.choices import CTRL_C
from pazaak_p2p.tui.control import LEFT, RIGHT, Control
from pazaak_p2p.tui.dialog import ENTER, ESCAPE, Act, Again, Decision, GoOn, Position
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.log import DOWN, UP
from tests.tui.pictures import card_placed
from tests.tui.positions import after, at, dealt


def control_at(total: int = 7) -> Control:
    """Our turn, with the hand +3 ±4 1±2 D."""
    control = Control(UNICODE)
    control.show(Position(at(total), "Kreia", 1))
    return control


def typed(control: Control, *keys: str) -> Decision | None:
    """What the last of *keys* decides; the others decide nothing."""
    for key in keys[:-1]:
        assert control.press(key) is None
    return control.press(keys[-1])


def message(control: Control) -> str:
    return plain(control.scene().message)


def test_a_key_acts_at_once() -> None:
    assert control_at().press("s") == Act(1, Stand())
    assert typed(control_at(), "2", "-") == Act(1, Play(1, Card.PLUSMINUS_4, -4))


def test_arrows_and_enter() -> None:
    control = control_at()
    assert typed(control, RIGHT, ENTER) == Act(1, Play(0, Card.PLUS_3, 3))


def test_the_arrows_go_round_through_cards_and_keys() -> None:
    control = control_at()
    seen = []
    for _ in range(12):
        control.press(RIGHT)
        seen.append(control.scene().chosen)
    assert seen == ["1", "2", "3", "4", "e", "s", "c", "t", "l", "?", "q", "1"]
    for _ in range(2):
        control.press(LEFT)
    assert control.scene().chosen == "?"


def test_up_and_down_change_between_cards_and_keys() -> None:
    control = control_at()
    assert typed(control, RIGHT, RIGHT, DOWN, ENTER) == Act(1, End())
    control = control_at()
    for key in (RIGHT, DOWN, UP):
        control.press(key)
    assert control.scene().chosen == "1"


def test_enter_on_a_card_of_two_signs_chooses_the_first_of_them() -> None:
    control = control_at()
    assert typed(control, RIGHT, RIGHT, ENTER) is None
    assert control.scene().chosen == "+"
    assert typed(control, RIGHT, ENTER) == Act(1, Play(1, Card.PLUSMINUS_4, -4))


def test_a_gold_card_of_four_values_by_arrows_alone() -> None:
    control = control_at()
    # The size 2, then the sign -.
    keys = (RIGHT, RIGHT, RIGHT, ENTER, RIGHT, ENTER, RIGHT, ENTER)
    assert typed(control, *keys) == Act(1, Play(2, Card.ONE_TWO, -2))


def test_R10_a_question_that_can_lose_the_set_is_answered_no_by_enter() -> None:
    control = control_at(23)
    assert typed(control, RIGHT, DOWN, ENTER) is None
    assert message(control).endswith("Really (y/n)?")
    assert control.scene().chosen == "n"
    assert typed(control, ENTER) is None
    assert message(control).startswith("23 is over 20")
    assert typed(control, "e", "y") == Act(1, End())


def test_a_chosen_card_is_explained_and_a_key_is_not() -> None:
    control = control_at()
    control.press(RIGHT)
    assert control.scene().card is Card.PLUS_3
    control.press(DOWN)
    assert control.scene().card is None
    control.press(ESCAPE)
    assert control.scene().chosen is None


def test_R8_a_card_that_cannot_be_played_can_be_chosen_and_says_why() -> None:
    control = Control(UNICODE)
    control.show(Position(card_placed(), "Kreia", 1))
    assert typed(control, RIGHT, ENTER) is None
    assert message(control).startswith("One card a turn, and you have placed it (R8)")


def test_what_is_chosen_stays_while_the_table_changes() -> None:
    control = control_at()
    control.press(RIGHT)
    control.press(RIGHT)
    control.show(Position(after(dealt(), Draw(10), End(), Draw(4)), "Kreia", None))
    assert control.scene().chosen == "2"


def test_a_clicked_card_is_a_pressed_key() -> None:
    assert control_at().press("1") == Act(1, Play(0, Card.PLUS_3, 3))


def test_any_key_ends_a_pause_and_does_nothing_else() -> None:
    control = control_at()
    control.hold(True)
    assert message(control) == "Any key goes on."
    for key in ("e", "s", "1", "z", RIGHT, ENTER, " ", "end"):
        assert control.press(key) == GoOn()
    assert control.scene().chosen is None
    control.hold(False)
    assert control.press("s") == Act(1, Stand())


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (("q", "y"), Quit()),
        (("c", "y"), Concede()),
        ((CTRL_C, CTRL_C), Quit()),
        (("t", "h", "i", ENTER), Say("hi")),
    ],
)
def test_a_pause_keeps_nobody_from_leaving_or_talking(
    keys: tuple[str, ...], decision: Decision
) -> None:
    control = control_at()
    control.hold(True)
    assert typed(control, *keys) == decision


def test_a_pause_that_begins_under_a_question_does_not_take_its_answer() -> None:
    control = control_at()
    control.press("q")
    control.hold(True)
    assert message(control).startswith("Leave now?")
    assert control.press("n") is None
    assert control.press("n") == GoOn()


@pytest.mark.parametrize("key", ["e", "q", CTRL_C, ENTER, " ", "t"])
def test_at_the_end_any_key_leaves(key: str) -> None:
    control = control_at()
    control.rest()
    assert message(control) == "The match is over. Any key leaves."
    assert control.press(key) == GoOn()
    assert control.interrupt() == GoOn()
    won = Position(banner=(("class:won", " You win the match, 3 to 0. "),))
    control.show(won)  # says that it is over, and need not be told so twice
    assert message(control) == "Any key leaves."


def test_at_the_end_there_may_be_another_match() -> None:
    control = control_at()
    control.rest(again=True)
    text = "The match is over. a plays again, any other key leaves."
    assert message(control) == text
    assert [entry.keys for entry in control.scene().entries] == [("a",), (ENTER,), ("l",)]
    assert control.press("a") == Again()
    assert control.press("q") == GoOn()


def test_help_covers_the_table_until_a_key() -> None:
    control = control_at()
    assert control.press("?") is None
    assert control.scene().help
    assert control.press("s") is None  # read, not played
    assert not control.scene().help
    assert control.press("s") == Act(1, Stand())


def test_ctrl_c_is_heard_over_the_help() -> None:
    control = control_at()
    control.press("?")
    assert control.press(CTRL_C) is None
    assert message(control).startswith("Leave now?")
    control.press("?")
    assert control.interrupt() is None
    assert not control.scene().help


def test_a_kept_match_says_that_it_can_go_on() -> None:
    control = Control(UNICODE)
    control.show(Position(at(7), "Kreia", 1, keeps=True))
    control.press("q")
    assert message(control).startswith(
        "Leave now? The match is kept: pazaak resume goes on with it. y or q again leaves"
    )


def test_show_tells_when_our_turn_begins() -> None:
    control = Control(UNICODE)
    waiting = Position(after(dealt(), Draw(10), End(), Draw(4)), "Kreia", None)
    assert not control.show(waiting)
    assert control.show(Position(at(7), "Kreia", 1))
    assert not control.show(Position(at(7), "Kreia", 1))
    assert not control.show(waiting)


def test_arrows_while_talking_are_no_words() -> None:
    control = control_at()
    assert typed(control, "t", "a", RIGHT, "b", " ", "c", ENTER) == Say("ab c")
