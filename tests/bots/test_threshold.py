"""The threshold bot, choice by choice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.rules import (
    FULL_DECK,
    Action,
    Card,
    End,
    HandCard,
    Lay,
    Pass,
    Phase,
    Placed,
    Play,
    Rules,
    Seat,
    Stand,
    State,
    View,
    legal_actions,
)


def position(
    table: Sequence[int],
    hand: str = "",
    theirs: int | None = None,
    *,
    phase: Phase = Phase.ACT,
    played: bool = False,
) -> View:
    """The joiner is to choose with *table* and *hand*; the host stands on *theirs* if given."""
    cards = [Card.parse(text) for text in hand.split()]
    held = tuple(HandCard(at, card, False) for at, card in enumerate(cards))
    hidden = tuple(HandCard(at, None, False) for at in range(4))
    host = () if theirs is None else (Placed(None, theirs),)
    state = State(
        rules=Rules(),
        phase=phase,
        decks=(None, None),
        hands=(hidden, held),
        tables=(host, tuple(Placed(None, value) for value in table)),
        totals=(theirs or 0, sum(table)),
        stood=(theirs is not None, phase is Phase.TIE),
        deck=FULL_DECK,
        mover=Seat.JOIN,
        opener=Seat.JOIN,
        played=played,
        laid=(False, False),
        won=(0, 0),
        results=(),
        outcome=None,
    )
    return View(Seat.JOIN, state)


def play(view: View, card: str, value: int) -> Action:
    wanted = Card.parse(card)
    at = next(held.position for held in view.hand if held.card is wanted)
    return Play(at, wanted, value)


@pytest.mark.parametrize(
    ("total", "stands"), [(10, False), (16, False), (17, True), (19, True), (20, True)]
)
def test_it_stands_at_its_number(total: int, stands: bool) -> None:
    view = position([10, total - 10])
    assert ThresholdBot().choose(view) == (Stand() if stands else End())


@pytest.mark.parametrize("number", range(1, 21))
def test_any_number_will_do(number: int) -> None:
    bot = ThresholdBot(number)
    assert bot.choose(position([number])) == Stand()
    if number > 1:
        assert bot.choose(position([number - 1])) == End()


@pytest.mark.parametrize(
    ("table", "hand", "card", "value"),
    [
        ([10, 6], "+1 +2 +3 +4", "+4", 4),
        ([10, 6], "+1 +2 +3", "+3", 3),
        ([10, 6], "±2 +3", "+3", 3),
        ([10, 6], "+-4 +1", "+-4", 4),
        ([9, 8, -1], "1±2 +1", "1±2", 2),
        ([10, 5, 1], "D ±1T", "", 0),
        ([2, 9, 5], "D", "", 0),
        ([4, 4, 4, 4], "D", "D", 4),
        ([10, 10, -2, -2], "2&4", "", 0),
        ([10, 6, 2, -2], "2&4 +2", "+2", 2),
        ([10, 10, -4], "+1", "", 0),
    ],
)
def test_below_its_number_it_uses_a_card_for_18_to_20(
    table: list[int], hand: str, card: str, value: int
) -> None:
    view = position(table, hand)
    expected = play(view, card, value) if card else End()
    assert ThresholdBot().choose(view) == expected


def test_a_flip_counts_what_it_turns() -> None:
    view = position([10, 10, -4], "2&4")  # 16; turned: 24
    assert ThresholdBot().choose(view) == End()
    view = position([10, 3, 3, -3, 1], "3&6")  # 14; turned: 8
    assert ThresholdBot().choose(view) == End()
    view = position([10, 5, -2], "2&4")  # 13; turned: 17, which is not worth a card
    assert ThresholdBot().choose(view) == End()
    view = position([10, 6, -2], "2&4")  # 14; turned: 18
    assert ThresholdBot().choose(view) == play(view, "2&4", 0)


def test_a_higher_number_wants_better_cards() -> None:
    view = position([10, 6], "+2 +3")
    assert ThresholdBot(20).choose(view) == End()
    view = position([10, 6], "+2 +3 +4")
    assert ThresholdBot(20).choose(view) == play(view, "+4", 4)


def test_of_two_cards_for_one_total_it_plays_the_first() -> None:
    view = position([10, 6], "±4 +4")
    assert ThresholdBot().choose(view) == play(view, "±4", 4)


@pytest.mark.parametrize(
    ("table", "hand", "card", "value"),
    [
        ([10, 9, 4], "-3 -5", "-3", -3),
        ([10, 9, 4], "-5 +1", "-5", -5),
        ([10, 9, 4], "±6 -4", "-4", -4),
        ([10, 9, 2], "1±2", "1±2", -1),
        ([10, 10, 4], "2&4", "2&4", 0),
        ([10, 9, 9], "-6 +1", "", 0),
        ([10, 9, 4], "", "", 0),
    ],
)
def test_R10_over_20_it_goes_back_as_little_as_it_can(
    table: list[int], hand: str, card: str, value: int
) -> None:
    view = position(table, hand)
    assert ThresholdBot().choose(view) == (play(view, card, value) if card else End())


@pytest.mark.parametrize(
    ("total", "theirs", "hand", "expected"),
    [
        (18, 17, "", "stand"),
        (12, 11, "", "stand"),
        (12, 12, "", "end"),  # a low tie: another card is worth the risk
        (18, 18, "", "stand"),  # a high one is not
        (18, 18, "+1", "+1"),
        (18, 18, "+2 +1", "+2"),
        (17, 19, "+1 +3", "+3"),
        (17, 19, "+1 +2", "+2"),
        (17, 19, "+1", "end"),
        (17, 20, "+3", "+3"),
        (19, 20, "", "end"),
        (9, 12, "+4", "+4"),
        (9, 12, "+3", "end"),
        (23, 18, "-3 -4", "-3"),
        (23, 18, "-6", "-6"),  # back, and on
        (23, 18, "", "end"),
    ],
)
def test_R12_against_a_standing_opponent_it_does_what_it_takes(
    total: int, theirs: int, hand: str, expected: str
) -> None:
    view = position([9, total - 9] if total > 9 else [total], hand, theirs)
    wanted: Action
    match expected:
        case "stand":
            wanted = Stand()
        case "end":
            wanted = End()
        case card:
            wanted = play(view, card, int(card))
    assert ThresholdBot().choose(view) == wanted


@pytest.mark.parametrize(
    ("total", "theirs", "action"),
    [(18, None, Stand()), (14, None, End()), (18, 19, End()), (19, 18, Stand()), (18, 18, Stand())],
)
def test_R8_after_its_card_it_plays_no_other(
    total: int, theirs: int | None, action: Action
) -> None:
    view = position([9, total - 9], "+1 +2 +3", theirs, played=True)
    assert action in legal_actions(view.state)
    assert ThresholdBot().choose(view) == action


def test_R17_at_a_tie_it_lays_its_tiebreaker() -> None:
    view = position([10, 8], "+1 ±1T", 18, phase=Phase.TIE)
    assert ThresholdBot().choose(view) == Lay(1)
    view = position([10, 8], "+1 +2", 18, phase=Phase.TIE)
    assert ThresholdBot().choose(view) == Pass()
