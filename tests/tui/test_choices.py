"""Every key in every situation: what it does, asks or refuses, and by which rule."""

from __future__ import annotations

import pytest

from pazaak_p2p.rules import (
    Action,
    Card,
    Draw,
    End,
    Lay,
    Leave,
    Pass,
    Play,
    Rules,
    Seat,
    Stand,
    Termination,
    View,
    legal_actions,
    new_match,
    parse_rules,
    view,
)
from pazaak_p2p.tui.choices import (
    CTRL_C,
    CTRL_D,
    Asks,
    Chosen,
    Command,
    Refused,
    Reply,
    Talk,
    menu,
    normalise,
    read,
    why_no_choice,
)
from pazaak_p2p.tui.glyphs import ASCII, UNICODE
from tests.tui.positions import (
    OURS,
    THEIRS,
    after,
    against_standing,
    at,
    dealt,
    tie_after_them,
    tie_to_break,
    views_of_random_matches,
)


def press(keys: str, seen: View | None, *, confirm: bool = True) -> Reply:
    return read(keys, seen, opponent="Kreia", glyphs=UNICODE, confirm=confirm)


def refusal(keys: str, seen: View | None) -> str:
    reply = press(keys, seen)
    assert isinstance(reply, Refused)
    return reply.why


def question(keys: str, seen: View | None) -> str:
    reply = press(keys, seen)
    assert isinstance(reply, Asks)
    return reply.question


CONCEDED = after(dealt(), Draw(10), Leave(Seat.JOIN, Termination.CONCESSION))
THEIR_TURN = after(dealt(), Draw(10), End())
OURS_TO_DRAW = after(dealt(), Draw(10), End(), Draw(9), End())
STANDING = after(dealt(), Draw(10), Stand())
STANDING_AT_20 = after(dealt(), Draw(10), End(), Draw(1), End(), Draw(10))
PLACED = after(dealt(), Draw(10), Play(0, Card.PLUS_3, 3))
FIRST_GONE = after(dealt(), Draw(10), Play(0, Card.PLUS_3, 3), End(), Draw(1), End(), Draw(1))
THEIRS_TO_LAY = after(
    dealt(1, 2, 3, 4, opener=Seat.JOIN, rules=parse_rules("tiebreaker=at-tie")),
    *(Draw(10), End(), Draw(10), End(), Draw(8), Stand(), Draw(8), Stand()),
)


# Cards.


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        ("1", Play(0, Card.PLUS_3, 3)),
        ("1+", Play(0, Card.PLUS_3, 3)),
        ("2+", Play(1, Card.PLUSMINUS_4, 4)),
        ("2-", Play(1, Card.PLUSMINUS_4, -4)),
        ("31+", Play(2, Card.ONE_TWO, 1)),
        ("32+", Play(2, Card.ONE_TWO, 2)),
        ("3-1", Play(2, Card.ONE_TWO, -1)),
        ("3-2", Play(2, Card.ONE_TWO, -2)),
        ("4", Play(3, Card.DOUBLE, 7)),
        ("e", End()),
        ("s", Stand()),
    ],
)
def test_R8_a_key_gives_its_action(keys: str, action: Action) -> None:
    assert press(keys, at(7)) == Chosen(action)


def test_R8_a_plusminus_card_asks_for_its_sign_and_shows_both_totals() -> None:
    assert press("2", at(7)) == Asks("±4: +4 makes 11, -4 makes 3. Press + or -.", "+ -")


def test_R8_a_one_two_card_asks_for_what_is_missing() -> None:
    seen = at(7)
    assert press("3", seen) == Asks(
        "1±2: +1 makes 8, +2 makes 9, -1 makes 6, -2 makes 5. Press 1 or 2 and + or -.", "1 2 + -"
    )
    assert press("32", seen) == Asks("1±2: +2 makes 9, -2 makes 5. Press + or -.", "+ -")
    assert press("3-", seen) == Asks("1±2: -1 makes 6, -2 makes 5. Press 1 or 2.", "1 2")


def test_R15_a_flip_needs_no_sign() -> None:
    assert press("1", at(7, 4, 5, 6, 7)) == Chosen(Play(4, Card.FLIP_2_4, 0))


def test_R17_a_tiebreaker_asks_for_its_sign() -> None:
    seen = at(7, 4, 5, 6, 7)
    assert question("4", seen) == "±1T: +1 makes 8, -1 makes 6. Press + or -."
    assert press("4-", seen) == Chosen(Play(7, Card.TIEBREAKER, -1))


def test_the_notation_of_the_terminal_is_used() -> None:
    reply = read("2", at(7), opponent="Kreia", glyphs=ASCII)
    assert reply == Asks("+-4: +4 makes 11, -4 makes 3. Press + or -.", "+ -")


def test_every_legal_action_can_be_typed_and_nothing_else_comes_of_it() -> None:
    for seen in views_of_random_matches(6):
        if not seen.to_choose:
            continue
        typed = set()
        hand = ["1", "2", "3", "4"]
        signs = ["", "+", "-", "1+", "1-", "2+", "2-"]
        for keys in [*(key + sign for key in hand for sign in signs), "e", "s", "p"]:
            for reply in (press(keys, seen), press(keys + "y", seen)):
                if isinstance(reply, Chosen):
                    typed.add(reply.action)
        assert typed == set(legal_actions(seen.state))


# Refused, and why.


@pytest.mark.parametrize(
    ("keys", "seen", "why"),
    [
        ("1", None, "The match has not begun yet."),
        ("e", None, "The match has not begun yet."),
        (
            "c",
            None,
            "The match has not begun yet: there is nothing to concede (R21).",
        ),
        ("1", CONCEDED, "The match is over."),
        ("c", CONCEDED, "The match is over: there is nothing to concede (R21)."),
        (
            "e",
            view(new_match(Rules(), (OURS, THEIRS)), Seat.HOST),
            "The cards decide who opens first (R5, R6); it is nobody's turn yet.",
        ),
        (
            "s",
            THEIR_TURN,
            "It is Kreia's turn; yours begins with your next green card (R7).",
        ),
        ("1", OURS_TO_DRAW, "Your green card is just being drawn (R7)."),
        ("1", STANDING, "You stand at 10 until the set ends (R12); Kreia plays on."),
        ("1", STANDING_AT_20, "You stand at 20 until the set ends (R11); Kreia plays on."),
        ("e", STANDING_AT_20, "You stand at 20 until the set ends (R11); Kreia plays on."),
        (
            "1",
            THEIRS_TO_LAY,
            "It is for Kreia to lay down a tiebreaker or pass (R17).",
        ),
        (
            "2",
            PLACED,
            "One card a turn, and you have placed it (R8): e ends the turn, s stands.",
        ),
        (
            "1",
            PLACED,
            "One card a turn, and you have placed it (R8): e ends the turn, s stands.",
        ),
        ("1", FIRST_GONE, "Card 1, +3, was played and is gone for the match (R4)."),
        ("5", at(7), "Your hand has the cards 1 to 4, dealt for the match (R4)."),
        ("0", at(7), "Your hand has the cards 1 to 4, dealt for the match (R4)."),
        ("1-", at(7), "+3 cannot be played as - (R8)."),
        ("22", at(7), "±4 cannot be played as 2 (R8)."),
        ("2+-", at(7), "±4 cannot be played as +- (R8)."),
        ("2++", at(7), "±4 cannot be played as ++ (R8)."),
        ("312", at(7), "1±2 cannot be played as 12 (R8)."),
        ("34", at(7), "4 is nothing that 1±2 could be played as (R8)."),
        ("+", at(7), "First a card, 1 to 4, then the sign it is to have (R8)."),
        ("p", at(7), "p is for ties alone (R17); e ends your turn, s stands."),
        ("ex", at(7), "ex does nothing here; ? lists the keys."),
        ("z", at(7), "z does nothing here; ? lists the keys."),
        ("z", None, "z does nothing here; ? lists the keys."),
        ("", at(7), "Press one of the keys below."),
        ("2y", at(7), "y is no answer to that."),
        ("qx", at(7), "x is no answer to that."),
        ("cx", at(7), "x is no answer to that."),
    ],
)
def test_a_key_that_cannot_act_says_why(keys: str, seen: View | None, why: str) -> None:
    assert refusal(keys, seen) == why


def test_what_is_typed_is_shown_without_control_characters() -> None:
    assert refusal("\x1b[2J", at(7)) == "\\x1b[2J does nothing here; ? lists the keys."


# At a tie.


def test_R17_at_a_tie_a_tiebreaker_is_laid_or_not() -> None:
    seen = tie_to_break()
    assert press("4", seen) == Chosen(Lay(7))
    assert press("p", seen) == Chosen(Pass())


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("1", "At a tie only a ±1T can be laid down (R17), not +3."),
        ("4+", "A tiebreaker laid at a tie adds nothing, so it takes no sign (R17)."),
        ("e", "Both stand, so there is no turn to end (R12); p lays nothing."),
        ("s", "Both stand already (R12); p lays nothing."),
    ],
)
def test_R17_other_keys_at_a_tie_say_why(keys: str, why: str) -> None:
    assert refusal(keys, tie_to_break()) == why


# Moves that lose for certain.


@pytest.mark.parametrize(
    ("keys", "seen", "why"),
    [
        (
            "e",
            at(23, 1, 2, 6, 4),
            "Over 20 at the end of the turn is bust (R10), and you are at 23. Really (y/n)?",
        ),
        (
            "s",
            at(23, 1, 2, 6, 4),
            "Over 20 at the end of the turn is bust (R10), and you are at 23. Really (y/n)?",
        ),
        (
            "2+",
            at(18),
            "That makes 22, and no second card can mend it (R8, R10). Really (y/n)?",
        ),
        (
            "s",
            against_standing(18, 16),
            "Standing at 16 loses: Kreia has 18 (R18). Really (y/n)?",
        ),
    ],
)
def test_R10_R18_a_certain_loss_is_asked_about(keys: str, seen: View, why: str) -> None:
    assert question(keys, seen) == why
    sure = press(keys + "y", seen)
    assert isinstance(sure, Chosen)
    assert press(keys, seen, confirm=False) == sure


def test_R10_without_a_way_back_nothing_is_asked() -> None:
    hopeless = at(23, 0, 3, 8, 9)
    assert press("e", hopeless) == Chosen(End())
    assert press("1", hopeless) == Chosen(Play(0, Card.PLUS_3, 3))


def test_R18_standing_for_a_tie_or_a_win_is_not_asked_about() -> None:
    assert press("s", against_standing(16, 16)) == Chosen(Stand())
    assert press("s", against_standing(15, 16)) == Chosen(Stand())


# Leaving, conceding, talking, help.


@pytest.mark.parametrize("seen", [at(7), THEIR_TURN, STANDING, tie_to_break()])
def test_R21_conceding_asks_first_at_any_time(seen: View) -> None:
    assert press("c", seen) == Asks(
        "Concede the whole match to Kreia (R21)? y concedes, n plays on.", "y n"
    )
    assert press("cy", seen) is Command.CONCEDE
    assert press("c", seen, confirm=False) is Command.CONCEDE


def test_claiming_is_asked_about_where_somebody_can_answer() -> None:
    def keys(keys: str, *, confirm: bool = True) -> Reply:
        given = {"opponent": "Kreia", "glyphs": UNICODE, "confirm": confirm, "away": True}
        return read(keys, THEIR_TURN, **given)  # type: ignore[arg-type]

    assert keys("w") == Asks(
        "Claim the match, as Kreia is away (R21)? y claims, n waits on.", "y n"
    )
    assert keys("wy") is Command.CLAIM
    assert keys("w", confirm=False) is Command.CLAIM
    assert keys("wx") == Refused("x is no answer to that.")


@pytest.mark.parametrize("seen", [None, at(7), THEIR_TURN, CONCEDED])
@pytest.mark.parametrize("key", ["q", CTRL_C, CTRL_D])
def test_leaving_asks_once_and_twice_leaves(key: str, seen: View | None) -> None:
    assert isinstance(press(key, seen), Asks)
    assert press(key + "y", seen) is Command.LEAVE
    assert press(key + key, seen) is Command.LEAVE
    assert press(key, seen, confirm=False) is Command.LEAVE


def test_leaving_says_what_becomes_of_the_match() -> None:
    assert question(CTRL_C, at(7)) == (
        "Leave now? Who leaves loses the match (R21). y or Ctrl-C again leaves, n stays."
    )
    assert question("q", CONCEDED) == "Leave? y or q again leaves, n stays."


def test_talk_and_help() -> None:
    assert press("t", None) == Talk("")
    assert press("tHello there ", at(7)) == Talk("Hello there")
    assert press("?", None) is Command.HELP


# Lines and words.


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        (" Stand ", "s"),
        ("END", "e"),
        ("concede", "c"),
        ("claim", "w"),
        ("quit", "q"),
        ("leave", "q"),
        ("exit", "q"),
        ("help", "?"),
        ("pass", "p"),
        ("yes", "y"),
        ("no", "n"),
        ("3 2 -", "32-"),
        ("2=", "2+"),
        ("2_", "2-"),
        ("2\N{MINUS SIGN}", "2-"),
        ("", ""),
        ("t", "t"),
        ("t Well Played", "tWell Played"),
        ("talk Well Played", "tWell Played"),
        ("tie", "tie"),
    ],
)
def test_a_line_is_read_as_its_keys(line: str, keys: str) -> None:
    assert normalise(line) == keys


# The menu.


@pytest.mark.parametrize(
    ("seen", "entries"),
    [
        (None, ""),
        (THEIR_TURN, "c concede"),
        (CONCEDED, ""),
        (at(7), "1 2 3 4 play, e end turn, s stand, c concede"),
        (PLACED, "e end turn, s stand, c concede"),
        (FIRST_GONE, "2 3 4 play, e end turn, s stand, c concede"),
        (at(23), "1 2 3 4 play, e end: bust, s stand: bust, c concede"),
        (against_standing(18, 16), "1 2 3 4 play, e end turn, s stand: loses, c concede"),
        (against_standing(15, 16), "1 2 3 4 play, e end turn, s stand: wins, c concede"),
        (against_standing(16, 16), "1 2 3 4 play, e end turn, s stand: ties, c concede"),
        (tie_to_break(), "4 lay it down, p pass, c concede"),
        (tie_after_them(Pass()), "4 lay it down: wins, p pass: ties, c concede"),
        (tie_after_them(Lay(0)), "4 lay it down: ties, p pass: loses, c concede"),
    ],
)
def test_the_menu_holds_what_acts_now(seen: View | None, entries: str) -> None:
    shown = ", ".join(f"{key} {meaning}" for key, meaning in menu(seen))
    always = "t talk, ? help, q leave"
    assert shown == (f"{entries}, {always}" if entries else always)


def test_every_menu_key_acts_or_asks() -> None:
    for seen in views_of_random_matches(3):
        for keys, _ in menu(seen):
            for key in keys.split():
                assert not isinstance(press(key, seen), Refused)


def test_a_reason_is_given_exactly_when_there_is_no_choice() -> None:
    for seen in views_of_random_matches(10):
        ours = seen.state.mover is seen.seat and legal_actions(seen.state) != ()
        assert (why_no_choice(seen, "Kreia") is None) == ours
