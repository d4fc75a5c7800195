"""The options as one value, the presets, and their text."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import (
    PRESETS,
    Copies,
    Nine,
    Opener,
    Rules,
    RulesOptionError,
    Tiebreaker,
    describe,
    parse_rules,
)


def test_preset_standard() -> None:
    assert PRESETS["standard"] == Rules() == parse_rules("standard")
    assert msgspec.to_builtins(Rules()) == {
        "copies": "unlimited",
        "gold": True,
        "opener": "alternate",
        "auto_stand": True,
        "nine": "win",
        "tiebreaker": "played",
        "sets": 3,
        "max_sets": None,
        "turn_seconds": None,
    }


def test_preset_kotor1() -> None:
    assert PRESETS["kotor1"] == Rules(gold=False, opener=Opener.HOST, nine=Nine.STAND)


def test_preset_kotor2_is_standard_with_unlimited_copies() -> None:
    assert PRESETS["kotor2"] == Rules(copies=Copies.UNLIMITED) == Rules()


def test_preset_tournament() -> None:
    assert PRESETS["tournament"] == Rules(copies=Copies.LIMITED, turn_seconds=60, max_sets=15)
    assert list(PRESETS) == ["standard", "kotor1", "kotor2", "tournament"]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("kotor2", Rules()),
        (
            "tournament,sets=5,max_sets=none,gold=off",
            Rules(copies=Copies.LIMITED, turn_seconds=60, sets=5, gold=False),
        ),
        ("sets=1", Rules(sets=1)),
        (" standard , sets = 9 ", Rules(sets=9)),
        ("auto-stand=off,max-sets=99", Rules(auto_stand=False, max_sets=99)),
        (
            "tiebreaker=at-tie,opener=random",
            Rules(tiebreaker=Tiebreaker.AT_TIE, opener=Opener.RANDOM),
        ),
        ("kotor1,gold=on,nine=win,turn_seconds=5", Rules(opener=Opener.HOST, turn_seconds=5)),
    ],
)
def test_rules_are_read_from_text(text: str, rules: Rules) -> None:
    assert parse_rules(text) == rules


@pytest.mark.parametrize(
    ("text", "what", "why"),
    [
        ("", "no rule set ''", "presets are standard, kotor1, kotor2, tournament"),
        ("kotor3", "no rule set 'kotor3'", "presets are"),
        ("Standard", "no rule set", "presets are"),
        ("standard,", "no option ''", "keys are copies, gold,"),
        ("standard,gold", "no option 'gold'", "key=value"),
        ("standard,golden=on", "no option 'golden=on'", "keys are"),
        ("gold=on,standard", "no option 'standard'", "keys are"),
        ("gold=yes", "gold cannot be 'yes'", "on or off"),
        ("opener=me", "opener cannot be 'me'", "alternate or loser or winner or random or host"),
        ("copies=", "copies cannot be ''", "unlimited or limited"),
        ("nine=lose", "nine cannot be 'lose'", "win or stand"),
        ("tiebreaker=never", "tiebreaker cannot be", "played or last or at-tie"),
        ("sets=none", "sets cannot be 'none'", "a whole number."),
        ("sets=three", "sets cannot be 'three'", "a whole number."),
        ("sets=-3", "sets cannot be '-3'", "a whole number."),
        ("sets=٣", "sets cannot be", "a whole number."),
        ("max_sets=9999999", "max_sets cannot be", "a whole number or none."),
        ("sets=0", "sets cannot be 0", "R19: it goes from 1 to 9."),
        ("sets=10", "sets cannot be 10", "R19: it goes from 1 to 9."),
        ("max_sets=0", "max_sets cannot be 0", "R20: it goes from 1 to 999."),
        ("max_sets=1000", "max_sets cannot be 1000", "R20: it goes from 1 to 999."),
        ("turn_seconds=4", "turn_seconds cannot be 4", "R21: it goes from 5 to 3600."),
        ("turn_seconds=3601", "turn_seconds cannot be 3601", "R21: it goes from 5 to 3600."),
        ("sets=3,sets=3", "sets is given twice", ""),
    ],
)
def test_rules_that_cannot_be_understood_are_refused(text: str, what: str, why: str) -> None:
    with pytest.raises(RulesOptionError) as refused:
        parse_rules(text)
    assert what in refused.value.what
    assert why in refused.value.why
    assert refused.value.next.startswith("Write it like: ")
    assert refused.value.exit_code is Exit.USAGE


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (Rules(), "standard"),
        (PRESETS["kotor1"], "kotor1"),
        (PRESETS["tournament"], "tournament"),
        (Rules(sets=5), "standard,sets=5"),
        (Rules(copies=Copies.LIMITED), "standard,copies=limited"),
        (Rules(gold=False, sets=5), "standard,gold=off,sets=5"),
        (Rules(gold=False, nine=Nine.STAND), "kotor1,opener=alternate"),
        (
            Rules(copies=Copies.LIMITED, turn_seconds=60, auto_stand=False),
            "tournament,auto_stand=off,max_sets=none",
        ),
    ],
)
def test_rules_are_described_by_preset_and_differences(rules: Rules, text: str) -> None:
    assert describe(rules) == text


def test_every_combination_of_options_is_read_back_from_its_description() -> None:
    on_off = (True, False)
    numbers = ((1, 3, 9), (None, 15), (None, 60))
    every = itertools.product(Copies, on_off, Opener, on_off, Nine, Tiebreaker, *numbers)
    combinations = [Rules(*values) for values in every]
    assert [parse_rules(describe(rules)) for rules in combinations] == combinations
    assert len(combinations) == 2 * 2 * 5 * 2 * 2 * 3 * 3 * 2 * 2


@pytest.mark.parametrize(
    "change",
    [
        {"sets": 0},
        {"sets": 10},
        {"sets": True},
        {"max_sets": 0},
        {"max_sets": 1000},
        {"turn_seconds": 4},
        {"turn_seconds": 3601},
        {"gold": 1},
        {"gold": "on"},
        {"opener": "nobody"},
        {"nine": None},
    ],
)
def test_rules_out_of_range_are_refused_from_messages(change: dict[str, object]) -> None:
    plain = msgspec.to_builtins(Rules())
    assert msgspec.convert(plain, Rules) == Rules()
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**plain, **change}, Rules)


def test_rules_out_of_range_cannot_be_built() -> None:
    with pytest.raises(RulesOptionError):
        Rules(sets=0)
    with pytest.raises(RulesOptionError):
        Rules(max_sets=1000)
    with pytest.raises(RulesOptionError):
        Rules(turn_seconds=1)
