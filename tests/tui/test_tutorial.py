"""The tutorial: what it says is true whatever is played, and nothing is left out."""

from __future__ import annotations

import random
import re

import pytest

from pazaak_p2p.bots.tutor import TutorBot
from pazaak_p2p.cli.tutorial import DECK, SEED, TUTOR, TUTOR_DECK
from pazaak_p2p.rules import (
    CARDS,
    TARGET,
    Card,
    Deal,
    Draw,
    End,
    Input,
    Opening,
    Phase,
    Play,
    Rules,
    Seat,
    SetEnd,
    SideDeck,
    Stand,
    State,
    View,
    apply,
    legal_actions,
    new_match,
    parse_deck,
    parse_rules,
    possible_values,
    view,
)
from pazaak_p2p.tui.advice import advice
from pazaak_p2p.tui.choices import keys_for
from pazaak_p2p.tui.control import Control
from pazaak_p2p.tui.dialog import Act, Dialog, Position
from pazaak_p2p.tui.glyphs import ASCII, UNICODE
from pazaak_p2p.tui.outlook import Verdict, outlooks, ways_back
from pazaak_p2p.tui.page import draw_page
from pazaak_p2p.tui.tutorial import Lesson, Topic, Tutorial, spelt, topic_of
from tests.tui.drawn import text_of
from tests.tui.positions import after as follows
from tests.tui.positions import at, dealt
from tests.tui.tutorial_search import WANTED, Lots, met, run

DECKS = (parse_deck(DECK), parse_deck(TUTOR_DECK))
KINDS = frozenset(topic_of(card) for card in CARDS)


BANNER = (("class:won", " Set 2 is yours: 20 each, and the ±1T decides (R17). "),)


def check_words(lesson: Lesson, seen: View, *, held: bool) -> None:
    """Plain, and to be read as a whole on the smallest terminal and on any other."""
    assert lesson.text.endswith(".")
    control = Control(UNICODE)
    line = (("class:lesson", "▸ "), ("", lesson.text))
    question = None if held else 1
    control.show(Position(seen, TUTOR, question, banner=BANNER, practice=True, lesson=line))
    control.hold(held)
    for columns, rows in [(40, 16), (80, 24), (120, 40)]:
        page = text_of(draw_page(control.scene(), columns, rows, UNICODE))
        left = [row[:80] for row in page.splitlines()]  # without a log beside it
        assert f"▸ {lesson.text}" in " ".join(" ".join(left).split()), page


def check_advice(lesson: Lesson, seen: View, told: frozenset[Topic]) -> None:
    """What is said before a choice holds in *seen*, and what it tells to press does it."""
    check_words(lesson, seen, held=False)
    text = lesson.text
    # The keys, pressed one after the other, are a move, and nothing has to be confirmed.
    dialog = Dialog(UNICODE)
    dialog.show(Position(seen, TUTOR, 1))
    decisions = [dialog.press(key) for key in lesson.keys]
    assert decisions[:-1] == [None] * (len(lesson.keys) - 1)
    (decision,) = decisions[-1:]
    assert isinstance(decision, Act), text
    assert f"ress {spelt(lesson.keys)}" in text
    look = next(each for each in outlooks(seen) if each.action == decision.action)
    assert not look.doomed or all(each.doomed for each in outlooks(seen)), text
    # Every number that it names.
    if found := re.search(r"makes (-?\d+)|back to (-?\d+)", text):
        assert int(found[1] or found[2]) == look.total
    if "stands by itself" in text:
        assert look.total == TARGET
        assert look.stands or look.verdict is not None
    if found := re.search(r"(\d+) of the (\d+) cards left would take you over", text):
        deck = seen.state.deck
        assert int(found[2]) == len(deck)
        assert int(found[1]) == sum(seen.total + rank > TARGET for rank in deck)
    if found := re.match(r"(?:From|At) (\d+)", text):
        assert int(found[1]) == seen.total
    if "No card takes you over" in text or "no card takes you over" in text:
        assert all(seen.total + rank <= TARGET for rank in range(1, 11))
    if " is over 20" in text:
        assert seen.total > TARGET
        assert ("is lost" in text) == (not ways_back(seen))
    if found := re.search(r"stands at (-?\d+)", text):
        assert seen.opponent_stands
        assert int(found[1]) == seen.opponent_total
    if found := re.search(r": 20 (ties|wins|loses), nine cards", text):
        ours, theirs = (
            any(placed.card is Card.TIEBREAKER for placed in table)
            for table in (seen.table, seen.opponent_table)
        )
        assert found[1] == ("ties" if ours == theirs else "wins" if ours else "loses")
    if "You go on" in text:
        assert decision.action == End()
    if "to stand is a tie" in text:
        assert look.verdict is Verdict.TIES
    if found := re.search(r"(\d+) of your 9 places", text):
        assert int(found[1]) == len(seen.table) < 9
    if "Below are your four cards" in text:
        assert len(seen.state.hands[seen.seat]) == 4
    if "more than" in text:
        assert seen.opponent_stands
        assert look.total > seen.opponent_total
    if "a tie that it wins" in text:
        assert seen.opponent_stands
        assert isinstance(decision.action, Play)
        assert decision.action.card is Card.TIEBREAKER
        assert all(placed.card is not Card.TIEBREAKER for placed in seen.opponent_table)
        assert look.total == seen.opponent_total
    # A card that is explained is one of ours, and it can do what is said.
    for topic in set(lesson.topics) & KINDS:
        assert topic not in told
        held = [each.card for each in seen.hand if each.card and topic_of(each.card) is topic]
        assert held
        assert any(f"Your {UNICODE.name(card)} " in text for card in held)


def check_news(lesson: Lesson, step: Input, before: State, after: View) -> None:
    """What is said of something that has happened did happen so."""
    check_words(lesson, after, held=True)
    text, results = lesson.text, after.state.results
    ended = len(results) > len(before.results)
    assert lesson.keys == ""
    for topic in lesson.topics:
        if topic in KINDS:
            assert isinstance(step, Play)
            assert before.mover is after.seat.other
            assert topic_of(step.card) is topic
            assert text.startswith(f"{TUTOR} plays {UNICODE.name(step.card)}, which ")
            found = re.search(r": (-?\d+) becomes (-?\d+)\.$", text)
            assert found
            totals = results[-1].totals if ended else after.state.totals
            assert int(found[1]) == before.totals[after.seat.other]
            assert int(found[2]) == totals[after.seat.other]
        elif topic is Topic.TWENTY:
            assert isinstance(step, Draw)
            assert before.mover is after.seat
            assert after.total == TARGET
            assert after.stands
        else:
            assert ended
            reason = results[-1].reason
            tie = results[-1].winner is None
            assert {
                Topic.TIE: tie,
                Topic.BROKEN: reason is SetEnd.TIEBREAKER,
                Topic.NINE: reason is SetEnd.NINE,
                Topic.LOST: reason is SetEnd.BUST,
                Topic.SET: reason is SetEnd.HIGHER and not tie,
            }[topic]


class Pupil:
    """A newcomer at HOST, who hears lessons and does what *choose* says."""

    def __init__(self) -> None:
        self.tutorial = Tutorial(UNICODE)
        self.lessons: list[Lesson] = []

    def asks(self, seen: View) -> None:
        told = self.tutorial.told
        lesson = self.tutorial.asked(seen, TUTOR)
        if lesson is not None:
            check_advice(lesson, seen, told)
            self.lessons.append(lesson)

    def sees(self, step: Input, before: State, after: View) -> None:
        lesson = self.tutorial.happened(step, before, after, TUTOR)
        if lesson is not None:
            check_news(lesson, step, before, after)
            self.lessons.append(lesson)


def play(
    pupil: Pupil, chance: random.Random, wild: float, decks: tuple[SideDeck, SideDeck]
) -> None:
    """A match against the tutor; *wild* is how many of our choices are anything that is allowed."""
    state, tutor = new_match(parse_rules("standard,max_sets=30"), decks), TutorBot()
    while state.outcome is None:
        seen = view(state, Seat.HOST)
        if seen.to_choose:
            pupil.asks(seen)
        wildly = chance.random() < wild
        match state.phase:
            case Phase.DEAL:
                one, other = (tuple(chance.sample(range(10), 4)) for _ in Seat)
                step: Input = Deal(one, other)
            case Phase.OPENING:
                step = Opening(*chance.sample(range(1, 11), 2))
            case Phase.DRAW:
                step = Draw(chance.choice(state.deck))
            case _ if state.mover is Seat.JOIN:
                step = tutor.choose(view(state, Seat.JOIN))
            case _:
                step = chance.choice(legal_actions(state)) if wildly else advice(seen)
        state = apply(state, step)
        pupil.sees(step, seen.state, view(state, Seat.HOST))


@pytest.mark.parametrize("wild", [0, 0.2, 1])
def test_whatever_is_played_every_lesson_is_true_and_none_is_left_out(wild: float) -> None:
    for seed in range(30):
        chance = random.Random(seed)
        ours, theirs = (tuple(chance.choices(CARDS, k=10)) for _ in Seat)
        pupil = Pupil()
        play(pupil, chance, wild, DECKS if seed % 2 else (ours, theirs))
        told = {topic for lesson in pupil.lessons for topic in lesson.topics}
        assert pupil.tutorial.told == told
        rest = pupil.tutorial.rest()
        assert len(rest) == len(Topic) - len(told)
        assert pupil.tutorial.rest() == []
        assert all(line.endswith(".") and len(line) <= 76 for line in rest)


def test_who_does_as_is_proposed_meets_everything() -> None:
    """The draws and decks of the tutorial, by the rules alone."""
    lots = Lots(SEED)
    assert met(lots, DECKS) == WANTED
    pupil = Pupil()
    for before, after, step in run(lots, DECKS):
        seen = view(before, Seat.HOST)
        if seen.to_choose:
            pupil.asks(seen)
        pupil.sees(step, seen.state, view(after, Seat.HOST))
    assert after.won == (3, 0)
    assert len(after.results) == 4  # some minutes
    assert set(Topic) - pupil.tutorial.told == {Topic.LOST}
    assert pupil.tutorial.rest() == ["Over 20 at the end of the turn loses the set (R10)."]


def test_it_follows_the_player_not_a_script() -> None:
    """Over 20 is explained when it comes, once, and again no more."""
    tutorial = Tutorial(UNICODE)
    lesson = tutorial.asked(at(23), TUTOR)
    assert lesson is not None
    assert lesson.text == (
        "23 is over 20: lost if the turn ends so (R10). Your ±4 adds or takes 4."
        " Press 2, then -: back to 19."
    )
    assert lesson.keys == "2-"
    assert tutorial.asked(at(23), TUTOR) is None


def test_R17_equal_to_who_stands_it_is_a_tie_only_without_a_tiebreaker() -> None:
    start, ours = dealt(3, 4, 5, 6), (Draw(10), End(), Draw(9), End(), Draw(5), End())
    tied = follows(start, *ours, Draw(9), Stand(), Draw(3))
    lesson = Tutorial(UNICODE).asked(tied, TUTOR)
    assert lesson is not None
    check_advice(lesson, tied, frozenset())
    assert lesson.text == (
        "Tutor stands at 18 and draws no more (R12). You have as much: to stand is a tie (R18)."
        " Press s."
    )
    theirs = (Draw(10), Play(0, Card.TIEBREAKER, -1), Stand(), Draw(3))
    broken = follows(start, *ours, *theirs)
    assert broken.opponent_total == broken.total == 18
    lesson = Tutorial(UNICODE).asked(broken, TUTOR)
    assert lesson is not None
    check_advice(lesson, broken, frozenset())
    assert lesson.keys == "e"


def test_it_speaks_the_notation_of_the_terminal() -> None:
    lesson = Tutorial(ASCII).asked(at(23), TUTOR)
    assert lesson is not None
    assert "Your +-4 adds or takes 4." in lesson.text


@pytest.mark.parametrize("card", CARDS)
def test_every_card_has_keys_that_play_it(card: Card) -> None:
    """What a lesson tells to press is what the dialog takes, for all 23 and each value."""
    deck = (card, *parse_deck("+1 " * 10)[:9])
    state = new_match(Rules(), (deck, deck))
    for step in (Deal((0, 1, 2, 3), (0, 1, 2, 3)), Opening(9, 2), Draw(3)):
        state = apply(state, step)
    seen = view(state, Seat.HOST)
    for value in possible_values(card, seen.table):
        action = Play(0, card, value)
        dialog = Dialog(UNICODE)
        dialog.show(Position(seen, TUTOR, 1))
        assert [dialog.press(key) for key in keys_for(seen, action)][-1] == Act(1, action)
