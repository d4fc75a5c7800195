"""The bot interface's texts: whole, bounded, and what the page about them says."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.bots.faults import BotFault
from pazaak_p2p.bots.interface import error_text, parse_answer, parse_greeting, question_text
from pazaak_p2p.net.lines import LONGEST_LINE
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import CARDS, Lay, Pass, Phase, Play, legal_actions
from pazaak_p2p.text import printable
from tests.bots.outsiders import some_views
from tests.bots.reading import read_question, without_positions

PROTOCOL = Path(__file__).parents[2] / "protocol"
PAGE = (PROTOCOL / "bot-interface.md").read_text(encoding="utf-8")
VECTORS: dict[str, Any] = json.loads(
    (PROTOCOL / "vectors" / "bot-interface.json").read_text(encoding="utf-8")
)


def test_a_question_holds_all_that_the_seat_may_see() -> None:
    views = some_views(400)
    assert {view.state.phase for view in views} == {Phase.ACT, Phase.TIE}
    assert {held.card for view in views for held in view.hand} == set(CARDS)
    assert any(len(view.state.results) > 2 for view in views)
    for number, view in enumerate(views, start=1):
        assert read_question(question_text(number, view, 10)) == without_positions(view)


def test_actions_are_numbered_as_the_rules_list_them() -> None:
    for view in some_views(200):
        lines = question_text(1, view, 10).split("\n")
        actions = [line.split(" ")[1:] for line in lines if line.startswith("action ")]
        legal = legal_actions(view.state)
        assert [words[0] for words in actions] == [str(i) for i in range(1, len(legal) + 1)]
        for words, action in zip(actions, legal, strict=True):
            assert parse_answer(f"act 1 {words[0]}", 1, view) == action
            match action:
                case Play(_, card, value):
                    assert words[1:4] == ["play", card.ascii, str(value)]
                case Lay():
                    assert words[1:] == ["lay", "+-1T"]
                case _:
                    assert words[1:] == [type(action).__name__.lower()]


def test_who_knows_the_text_alone_chooses_as_who_knows_the_view() -> None:
    for view in some_views(200):
        told = read_question(question_text(1, view, 10))
        ours, theirs = (
            legal_actions(seen.state).index(ThresholdBot().choose(seen)) for seen in (view, told)
        )
        assert ours == theirs


def test_no_text_is_longer_than_the_page_promises() -> None:
    views = some_views(400)
    texts = [question_text(2**31, view, 3600) for view in views]
    assert max(len(line) for text in texts for line in text.split("\n")) < LONGEST_LINE
    # R20 allows 999 sets.
    view = max(views, key=lambda view: len(view.state.results))
    more = [
        len(question_text(1, after, 10)) - len(question_text(1, before, 10))
        for before, after in pairwise(views)
        if len(after.state.results) == len(before.state.results) + 1
    ]
    assert len(question_text(1, view, 10)) + 999 * max(more) < 300_000


def test_the_pages_examples_are_vectors() -> None:
    (question,) = (q for q in VECTORS["questions"] if q["name"] == "the question of the text")
    block = PAGE.split("## 4.")[1].split("\n\n")[2]
    shown = [line.removeprefix("    ") for line in block.split("\n")]
    told = question["told"].rstrip("\n").split("\n")
    for line, wanted in zip(shown, told, strict=True):
        cut = line.partition(" ...")[0]
        assert wanted.startswith(cut) if line.endswith(" ...") else line == wanted


@pytest.mark.parametrize("question", VECTORS["questions"], ids=lambda vector: vector["name"])
def test_the_vectors_answers(question: dict[str, Any]) -> None:
    view = read_question(question["told"])
    legal = legal_actions(view.state)
    assert question["told"].count("\naction ") == len(legal)
    assert not any(isinstance(action, Pass) for action in legal[:-1])
    taken = [answer.get("takes") for answer in question["answers"] if "fault" not in answer]
    assert set(taken) == {1, len(legal), None}
    faults = {answer["fault"] for answer in question["answers"] if "fault" in answer}
    assert faults == {"bot-illegal", "bot-garbage", "bot-gave-up"}


VIEW = some_views(1)[0]
LINES = st.one_of(
    st.text(max_size=LONGEST_LINE),
    st.from_regex(r"(act|concede|error|name|version|option|pazaak-bot) [0-9]{0,3} ?[0-9a-z]{0,3}"),
)


def can_be_shown(fault: BotFault) -> None:
    # (Python's own isprintable() knows no blank but the plain one.)
    assert all(printable(text, len(text)) == text for text in (fault.what, fault.why, fault.next))
    assert len(error_text(fault)) <= LONGEST_LINE


@given(LINES)
@example("error 0\xa0")
def test_any_line_is_an_answer_or_a_fault_that_can_be_shown(line: str) -> None:
    try:
        choice = parse_answer(line, 7, VIEW)
    except BotFault as fault:
        can_be_shown(fault)
    else:
        assert line.split(" ")[1] == "7"
        assert isinstance(choice, Concede) or choice in legal_actions(VIEW.state)


@given(st.lists(LINES, max_size=5))
def test_any_lines_are_a_greeting_or_a_fault_that_can_be_shown(lines: list[str]) -> None:
    try:
        greeting = parse_greeting(["pazaak-bot 1", "name N", *lines])
    except BotFault as fault:
        can_be_shown(fault)
    else:
        assert greeting.name == "N"
