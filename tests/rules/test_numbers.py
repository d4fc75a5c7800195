"""Every rule of RULES.md has a test that carries its number; the page for players has them all."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pazaak_p2p.rules
from pazaak_p2p.rules import DECKS, PRESETS, Card, Copies, Nine, Opener, Tiebreaker, format_deck

HERE = Path(__file__).parent
RULES = {f"R{number}" for number in range(1, 22)}
PAGE = HERE.parent.parent / "seeds" / "RULES.md"


def test_R1_to_R21_each_rule_is_named_by_a_test() -> None:
    names = " ".join(
        name
        for file in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        if "_to_" not in name
    )
    assert set(re.findall(r"_(R\d+)(?=_)", names)) == RULES


def test_R1_to_R21_the_page_for_players_has_every_number_once_as_a_heading() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\*\*(R\d+) ", text, re.MULTILINE) == [f"R{n}" for n in range(1, 22)]


def test_R2_R3_the_page_for_players_has_every_card_deck_preset_and_option() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for card in Card:
        assert f"`{card.text}`" in text
    for name, deck in DECKS.items():
        assert f"| {name} | {format_deck(deck)} |" in text
    for name in PRESETS:
        assert f"`{name}`" in text
    for option in (Copies, Opener, Nine, Tiebreaker):
        for choice in option:
            assert f"`{choice.value}`" in text


def test_the_example_of_the_package_runs() -> None:
    assert doctest.testmod(pazaak_p2p.rules).failed == 0
