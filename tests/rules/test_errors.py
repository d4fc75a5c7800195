"""What is refused says so: class, rule, what, why and what to do next; and changes nothing."""

from __future__ import annotations

import re

import pytest

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.rules import (
    Card,
    CardAlreadyPlayed,
    CardError,
    CardNotAllowed,
    CardNotDealt,
    Deal,
    DeckError,
    Draw,
    End,
    FirstMove,
    ImpossibleDraw,
    ImpossibleValue,
    Input,
    Lay,
    NotDue,
    Opener,
    Opening,
    Pass,
    Play,
    RuleError,
    Rules,
    RulesOptionError,
    SecondCard,
    Stand,
    State,
    Tiebreaker,
    WrongCard,
    apply,
    new_match,
)
from tests.rules.table import HOST, go, start

CLASSES: list[type[RuleError]] = [
    RuleError,
    NotDue,
    SecondCard,
    CardNotDealt,
    CardAlreadyPlayed,
    WrongCard,
    CardNotAllowed,
    ImpossibleValue,
    ImpossibleDraw,
    CardError,
    DeckError,
]


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_has_three_parts_a_code_and_a_rule(error: type[RuleError]) -> None:
    instance = error()
    assert isinstance(instance, PazaakError)
    for part in (instance.what, instance.why, instance.next):
        assert re.fullmatch(r"\S.*[.]", part)
    assert re.fullmatch(r"R([1-9]|1[0-9]|2[01])", instance.rule)
    assert error is RuleError or error is NotDue or instance.why.startswith(f"{instance.rule}: ")
    assert len({error.code for error in CLASSES}) == len(CLASSES)


def test_only_what_a_user_wrote_is_a_usage_error() -> None:
    usage = {error for error in CLASSES if error.exit_code is Exit.USAGE}
    assert usage == {CardError, DeckError}
    assert RulesOptionError.exit_code is Exit.USAGE


def hidden(rules: Rules | None = None) -> State:
    """The host opened and drew a 5; its hand is positions 2, 4, 6 and 8, unknown here."""
    state = apply(new_match(rules or Rules()), Deal((2, 4, 6, 8), (0, 1, 2, 3)))
    return go(apply(state, Opening(2, 1)), 5)


def used_up() -> State:
    """The host has played position 0 in an earlier turn and is to act again."""
    return go(start("+1 +2 +3 +4"), 5, "+1", "end", 5, "end", 5)


NO_GOLD = Rules(gold=False)

REFUSED: list[tuple[str, State, Input, type[RuleError], str]] = [
    ("second", go(start(), 5, "+1"), Play(1, Card.PLUS_2, 2), SecondCard, "R8"),
    ("not dealt", go(start(), 5), Play(7, Card.PLUS_2, 2), CardNotDealt, "R4"),
    ("no such place", go(start(), 5), Play(10, Card.PLUS_2, 2), CardNotDealt, "R4"),
    ("hidden, not dealt", hidden(), Play(3, Card.PLUS_2, 2), CardNotDealt, "R4"),
    ("used", used_up(), Play(0, Card.PLUS_1, 1), CardAlreadyPlayed, "R4"),
    ("other card", go(start(), 5), Play(0, Card.PLUS_2, 2), WrongCard, "R4"),
    ("gold", hidden(NO_GOLD), Play(2, Card.DOUBLE, 5), CardNotAllowed, "R3"),
    ("value", go(start(), 5), Play(0, Card.PLUS_1, 2), ImpossibleValue, "R8"),
    ("hidden, value", hidden(), Play(2, Card.PLUSMINUS_3, 2), ImpossibleValue, "R8"),
    ("double", hidden(), Play(2, Card.DOUBLE, 4), ImpossibleValue, "R14"),
    ("flip", hidden(), Play(2, Card.FLIP_2_4, 2), ImpossibleValue, "R15"),
]


@pytest.mark.parametrize(
    ("state", "given", "error", "rule"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_R4_R8_what_cannot_be_played_names_its_rule(
    state: State, given: Input, error: type[RuleError], rule: str
) -> None:
    for _ in range(2):
        with pytest.raises(RuleError) as refused:
            apply(state, given)
        assert type(refused.value) is error
        assert refused.value.rule == rule
        assert refused.value.why.startswith(f"{rule}: ")


def test_R8_of_several_reasons_the_first_is_given() -> None:
    """Second card, not dealt, used, another card, not allowed, impossible value: in this order."""
    second = go(start("+1 +2 +3 +4"), 5, "+1", "end", 5, "end", 5, "+2")
    order = [
        (second, Play(9, Card.DOUBLE, 99), SecondCard),
        (used_up(), Play(9, Card.DOUBLE, 99), CardNotDealt),
        (used_up(), Play(0, Card.DOUBLE, 99), CardAlreadyPlayed),
        (used_up(), Play(1, Card.DOUBLE, 99), WrongCard),
        (hidden(NO_GOLD), Play(2, Card.DOUBLE, 99), CardNotAllowed),
        (hidden(), Play(2, Card.DOUBLE, 99), ImpossibleValue),
    ]
    for state, play, error in order:
        with pytest.raises(RuleError) as refused:
            apply(state, play)
        assert type(refused.value) is error


@pytest.mark.parametrize("card", [card for card in Card if card.gold])
def test_R3_gold_off_refuses_every_gold_card_of_a_hidden_hand(card: Card) -> None:
    value = (card.values or (5,))[0]
    with pytest.raises(CardNotAllowed) as refused:
        apply(hidden(NO_GOLD), Play(2, card, value))
    assert refused.value.rule == "R3"
    assert apply(hidden(), Play(2, card, value)).hands[HOST][0].card is card


def test_R8_a_hidden_card_becomes_known_when_it_is_played() -> None:
    state = go(hidden(), Play(4, Card.MINUS_2, -2))
    assert [(held.card, held.played) for held in state.hands[HOST]] == [
        (None, False),
        (Card.MINUS_2, True),
        (None, False),
        (None, False),
    ]
    assert state.totals[HOST] == 3


TIED = go(start(rules=Rules(tiebreaker=Tiebreaker.AT_TIE)), 9, "stand", 9, "stand")
PHASES = {
    "R4": new_match(Rules()),
    "R5": apply(new_match(Rules()), Deal((0, 1, 2, 3), (0, 1, 2, 3))),
    "R6": go(start(rules=Rules(opener=Opener.RANDOM)), 9, "stand", 9, "stand"),
    "R7": start(),
    "R9": go(start(), 5),
    "R17": TIED,
    "R19": go(start(rules=Rules(sets=1)), 9, "stand", 8, "stand"),
}
INPUTS: dict[str, list[Input]] = {
    "R4": [Deal((0, 1, 2, 3), (0, 1, 2, 3))],
    "R5": [Opening(2, 1)],
    "R6": [FirstMove(HOST)],
    "R7": [Draw(5)],
    "R9": [Play(0, Card.PLUS_1, 1), End(), Stand()],
    "R17": [Lay(0), Pass()],
}


@pytest.mark.parametrize("due", PHASES)
@pytest.mark.parametrize("kind", INPUTS)
def test_every_input_comes_in_its_own_phase_only(due: str, kind: str) -> None:
    for given in INPUTS[kind]:
        if due == kind:
            if not isinstance(given, Lay):
                apply(PHASES[due], given)
            continue
        with pytest.raises(NotDue) as refused:
            apply(PHASES[due], given)
        assert refused.value.rule == due
        assert refused.value.why.startswith(f"{due}: ")


def test_what_is_no_input_is_a_fault_of_ours() -> None:
    with pytest.raises(TypeError, match="not an input"):
        apply(start(), "end")  # type: ignore[arg-type]
