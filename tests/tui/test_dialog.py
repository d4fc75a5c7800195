"""The conversation at the prompt, key by key and line by line."""

from __future__ import annotations

import pytest

from pazaak_p2p.net.player import Claim, Concede, Quit, Say
from pazaak_p2p.rules import Card, Draw, End, Lay, Pass, Play, Stand, View
from pazaak_p2p.tui.choices import CTRL_C, CTRL_D
from pazaak_p2p.tui.dialog import (
    BACKSPACE,
    ENTER,
    ESCAPE,
    Act,
    Decision,
    Dialog,
    Help,
    Position,
)
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.lines import plain
from tests.tui.positions import after, against_standing, at, dealt, tie_after_them, tie_to_break


def asked(seen: View, question: int = 1, *, confirm: bool = True) -> Dialog:
    dialog = Dialog(UNICODE, confirm=confirm)
    dialog.show(Position(seen, "Kreia", question))
    return dialog


def type_all(dialog: Dialog, *keys: str) -> list[Decision]:
    decisions = [dialog.press(key) for key in keys]
    return [decision for decision in decisions if decision is not None]


def test_a_key_answers_the_question_once() -> None:
    dialog = asked(at(7), 5)
    assert type_all(dialog, "e") == [Act(5, End())]
    assert type_all(dialog, "e", "s", "1") == []
    assert plain(dialog.message()) == "One moment: what you chose is on its way (R9)."


def test_capital_letters_are_the_same_keys() -> None:
    assert type_all(asked(at(7)), "S") == [Act(1, Stand())]


def test_R8_card_then_sign() -> None:
    dialog = asked(at(7))
    assert dialog.press("2") is None
    assert plain(dialog.message()) == "±4: +4 makes 11, -4 makes 3. Press + or -."
    assert dialog.press("-") == Act(1, Play(1, Card.PLUSMINUS_4, -4))


def test_an_unshifted_plus_is_a_plus() -> None:
    assert type_all(asked(at(7)), "2", "=") == [Act(1, Play(1, Card.PLUSMINUS_4, 4))]


def test_R8_one_two_takes_sign_and_size_in_either_order() -> None:
    minus_two = Act(1, Play(2, Card.ONE_TWO, -2))
    assert type_all(asked(at(7)), "3", "2", "-") == [minus_two]
    assert type_all(asked(at(7)), "3", "-", "2") == [minus_two]


def test_escape_backspace_and_n_go_back() -> None:
    for back in (ESCAPE, BACKSPACE, "n"):
        dialog = asked(at(7))
        assert type_all(dialog, "2", back) == []
        assert dialog.typed == ""
        assert plain(dialog.message()) == "Your turn."


def test_another_choice_takes_the_place_of_a_pending_one() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "2", "3") == []
    assert dialog.typed == "3"
    assert type_all(dialog, "s") == [Act(1, Stand())]


def test_R10_a_certain_loss_wants_a_yes() -> None:
    dialog = asked(at(23, 1, 2, 6, 4))
    assert type_all(dialog, "e") == []
    assert type_all(dialog, "n") == []
    assert type_all(dialog, "e", "y") == [Act(1, End())]


def test_enter_alone_does_nothing() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, ENTER) == []
    assert dialog.refused is None


def test_keys_with_names_are_never_read_as_words() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "end", "s-tab", "c-q", "pageup") == []
    assert plain(dialog.message()) == "The key pageup does nothing here; ? lists the keys."


def test_a_refusal_goes_with_the_next_key_or_question() -> None:
    dialog = asked(at(7))
    dialog.press("5")
    assert "R4" in plain(dialog.message())
    dialog.press("2")
    assert "R4" not in plain(dialog.message())
    dialog.press("5")
    dialog.show(Position(at(8), "Kreia", 2))
    assert plain(dialog.message()) == "Your turn."


def test_what_is_typed_for_an_earlier_turn_is_dropped() -> None:
    dialog = asked(at(7))
    dialog.press("2")
    dialog.show(Position(at(8), "Kreia", 2))
    assert dialog.press("+") is None
    assert plain(dialog.message()) == "First a card, 1 to 4, then the sign it is to have (R8)."


def test_a_question_about_leaving_outlives_the_turn() -> None:
    dialog = asked(at(7))
    dialog.press("q")
    dialog.show(Position(at(8), "Kreia", 2))
    assert dialog.press("y") == Quit()


def test_nothing_acts_between_event_and_question() -> None:
    dialog = Dialog(UNICODE)
    dialog.show(Position(at(7), "Kreia", None))
    assert type_all(dialog, "e", "1", "2") == []
    assert plain(dialog.message()) == "One moment: your turn is just beginning (R7)."


def test_R21_conceding_wants_a_yes() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "c", "n") == []
    assert type_all(dialog, "c", "y") == [Concede()]


def test_ctrl_c_once_asks_twice_leaves() -> None:
    dialog = asked(at(7))
    assert dialog.interrupt() is None
    assert "Ctrl-C again" in plain(dialog.message())
    assert dialog.interrupt() == Quit()


def test_ctrl_c_asks_again_after_something_else_was_pressed() -> None:
    dialog = asked(at(7))
    dialog.interrupt()
    dialog.press("n")
    assert dialog.interrupt() is None


def test_q_ctrl_d_and_ctrl_c_together() -> None:
    assert type_all(asked(at(7)), "q", "y") == [Quit()]
    assert type_all(asked(at(7)), "q", "q") == [Quit()]
    assert type_all(asked(at(7)), CTRL_D, CTRL_D) == [Quit()]
    assert type_all(asked(at(7)), CTRL_C, CTRL_C) == [Quit()]


def test_leaving_works_before_a_match_and_in_the_others_turn() -> None:
    assert type_all(Dialog(UNICODE), "q", "y") == [Quit()]
    dialog = Dialog(UNICODE)
    dialog.show(Position(after(dealt(), Draw(10), End()), "Kreia", None))
    assert type_all(dialog, "q", "y") == [Quit()]


def test_help() -> None:
    assert type_all(Dialog(UNICODE), "?") == [Help()]


def test_talking() -> None:
    dialog = asked(at(7))
    dialog.press("t")
    assert type_all(dialog, *"Quick end?", ENTER) == [Say("Quick end?")]
    assert type_all(dialog, "e") == [Act(1, End())]


def test_talking_is_corrected_and_given_up() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "t", "a", "b", BACKSPACE, "c", "left", ENTER) == [Say("ac")]
    assert type_all(dialog, "t", "a", ESCAPE) == []
    assert dialog.talk is None
    assert type_all(dialog, "t", "a", BACKSPACE, BACKSPACE) == []
    assert dialog.talk is None
    assert type_all(dialog, "t", " ", ENTER) == []
    assert dialog.talk is None


def test_talk_ends_at_500_characters() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "t", *"x" * 600, ENTER) == [Say("x" * 500)]
    assert dialog.enter("t " + "y" * 600) == Say("y" * 500)


def test_ctrl_c_while_talking_asks_about_leaving() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "t", "a", CTRL_C) == []
    assert dialog.talk is None
    assert dialog.press(CTRL_C) == Quit()


def test_whole_lines() -> None:
    plus = Act(1, Play(1, Card.PLUSMINUS_4, 4))
    assert asked(at(7)).enter("2+") == plus
    dialog = asked(at(7))
    assert dialog.enter("2") is None
    assert dialog.enter("+") == plus
    assert asked(at(7)).enter("stand") == Act(1, Stand())
    assert asked(at(7)).enter("t hello") == Say("hello")


def test_without_confirmation_all_is_done_at_once() -> None:
    over = at(23, 1, 2, 6, 4)
    assert asked(over, confirm=False).enter("e") == Act(1, End())
    assert asked(over, confirm=False).enter("c") == Concede()
    assert asked(over, confirm=False).enter("q") == Quit()


def message(seen: View) -> str:
    return plain(asked(seen).message())


def test_the_message_says_what_the_turn_is_about() -> None:
    assert plain(Dialog(UNICODE).message()) == "Waiting for the match to begin."
    assert message(at(7)) == "Your turn."
    assert message(against_standing(16, 14)) == "Your turn. Kreia stands at 16: 17 to 20 wins."
    assert message(against_standing(19, 14)) == "Your turn. Kreia stands at 19: only 20 wins."
    assert message(against_standing(20, 14)) == (
        "Your turn. Kreia stands at 20: 20 ties, nine cards win (R16)."
    )


def test_R17_at_a_tie_it_is_said_what_a_tiebreaker_would_do() -> None:
    assert message(tie_to_break()) == (
        "A tie at 18: a ±1T laid down now wins it, unless Kreia lays one too (R17)."
    )
    assert message(tie_after_them(Pass())) == "A tie at 18: a ±1T laid down now wins it (R17)."
    assert message(tie_after_them(Lay(0))) == (
        "A tie at 18, and Kreia has laid a ±1T: with one of yours nobody scores (R17)."
    )


def test_R10_over_20_the_ways_back_are_named() -> None:
    assert message(at(23, 1, 2, 6, 4)) == (
        "23 is over 20: lost if the turn ends so (R10). Ways back: 1- → 19, 3 → 18, 4 → 15"
    )
    assert message(at(22, 1, 2, 3, 7)) == (
        "22 is over 20: lost if the turn ends so (R10). Ways back: 1- → 18, 2-2 → 20"
    )
    assert message(at(23, 0, 3, 8, 9)) == "23 is over 20 and no card brings you back: bust (R10)."
    placed = after(dealt(), Draw(10), End(), Draw(1), End(), Draw(9), Play(0, Card.PLUS_3, 3))
    assert message(placed) == "22 is over 20 and your card is played: bust (R10)."


def away() -> Dialog:
    dialog = Dialog(UNICODE)
    dialog.show(Position(at(7), "Kreia", None, away=True))
    return dialog


def test_R21_a_match_is_claimed_while_the_opponent_is_away() -> None:
    dialog = away()
    assert dialog.press("w") is None
    assert plain(dialog.message()) == (
        "Claim the match, as Kreia is away (R21)? y claims, n waits on."
    )
    assert dialog.press("y") == Claim()


def test_R21_claiming_can_be_thought_better_of() -> None:
    assert type_all(away(), "w", "n", "y") == []


def test_R21_the_word_claims_as_well() -> None:
    dialog = away()
    assert dialog.enter("claim") is None
    assert dialog.enter("yes") == Claim()


def test_R21_nobody_is_claimed_against_who_is_here() -> None:
    dialog = asked(at(7))
    assert type_all(dialog, "w") == []
    assert plain(dialog.message()) == (
        "A match can be claimed when Kreia has to move and has been away for five minutes (R21)."
    )


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        (Position(at(7), "Kreia"), "w", Position(at(7), "Kreia", absent=True)),
        (
            Position(at(7), "Kreia", absent=True),
            "w",
            Position(at(7), "Kreia", absent=True, away=True),
        ),
        (
            Position(at(7), "Kreia", absent=True, away=True),
            "w",
            Position(at(7), "Kreia"),
        ),
        (Position(at(7), "Kreia"), "x", Position(at(7), "Kreia", absent=True)),
    ],
)
def test_what_was_said_of_a_key_does_not_outlast_its_cause(
    before: Position, key: str, after: Position
) -> None:
    dialog, fresh = Dialog(UNICODE), Dialog(UNICODE)
    dialog.show(before)
    dialog.press(key)
    fresh.show(before)
    assert dialog.message() != fresh.message()
    for each in (dialog, fresh):
        each.show(after)
    assert dialog.message() == fresh.message()
    assert dialog.typed == ""


def test_a_question_whether_to_claim_stays_while_they_are_still_away() -> None:
    dialog = away()
    dialog.press("w")
    dialog.show(Position(at(7), "Kreia", None, away=True))
    assert dialog.press("y") == Claim()


def test_once_they_are_back_a_question_whether_to_claim_is_void() -> None:
    dialog = away()
    dialog.press("w")
    dialog.show(Position(at(7), "Kreia", 1))
    assert dialog.press("y") is None


def test_who_waits_for_somebody_away_is_told_that_and_not_to_wait_a_moment() -> None:
    dialog = Dialog(UNICODE)
    for here, now in ((None, None), (at(7), None)):
        dialog.show(Position(here, "Kreia", now, absent=True))
        assert plain(dialog.message()) == (
            "The match goes on when Kreia is back. You need not wait."
        )
    dialog.show(Position(at(7), "Kreia", 1))
    assert plain(dialog.message()) == "Your turn."
