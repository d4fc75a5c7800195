"""The bots by their levels: legal everywhere, the same for the same seed, quick, what they say."""

from __future__ import annotations

import time
from random import Random

import pytest

from pazaak_p2p.bots import BOTS, LEVELS, Bot, MasterBot, find_bot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.bots.solved.book import Book, shipped_book
from pazaak_p2p.bots.solved.tables import Tables, shipped_bytes
from pazaak_p2p.rules import DECKS, Action, End, Lay, Pass, Phase, Play, Rules, Stand, View, digest
from tests.bots.matches import random_deck, random_rules
from tests.bots.test_threshold import play, position

SEED = bytes(range(32))


def make(name: str, seed: bytes = SEED) -> Bot:
    return find_bot(name).make(seed)


@pytest.mark.parametrize(
    ("name", "matches"),
    [("novice", 2_000), ("classic", 2_000), ("careful", 2_000), ("expert", 30), ("master", 30)],
)
def test_a_level_plays_any_rules_with_any_deck_legally(name: str, matches: int) -> None:
    """The engine raises for what is illegal; every match comes to an end."""
    phases = set()
    for number in range(matches):
        rng = Random(f"legal {name} {number}")
        rules = random_rules(rng)
        decks = (random_deck(rng, rules), random_deck(rng, rules))
        against = rng.choice(LEVELS[:4])
        bots = [Watched(make(name, rng.randbytes(32))), make(against, rng.randbytes(32))]
        order = rng.sample((0, 1), 2)
        state = play_match(rules, decks, (bots[order[0]], bots[order[1]]), rng)
        assert state.outcome is not None
        watched = bots[0]
        assert isinstance(watched, Watched)
        phases |= watched.phases
    assert phases == {Phase.ACT, Phase.TIE}


class Watched:
    """A bot whose choices' phases are noted."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.phases: set[Phase] = set()

    def choose(self, view: View) -> Action:
        self.phases.add(view.state.phase)
        action = self._bot.choose(view)
        assert isinstance(action, Play | End | Stand | Lay | Pass)
        return action


@pytest.mark.parametrize("name", LEVELS)
def test_a_seed_repeats_a_match_exactly(name: str) -> None:
    deck = DECKS["wanderer"]
    one, two = (
        [
            digest(play_match(Rules(), (deck, deck), (make(name), make("classic")), Random(number)))
            for number in range(5)
        ]
        for _ in range(2)
    )
    assert one == two


def test_the_coins_of_a_novice_follow_from_its_seed() -> None:
    view = position([9, 3], "+1 +2 +3 +4")
    choices = [make("novice", bytes([seed] * 32)).choose(view) for seed in range(40)]
    assert set(choices) == {End(), play(view, "+1", 1)}
    assert 8 < choices.count(End()) < 32


@pytest.mark.parametrize(
    ("name", "table", "hand", "theirs", "expected"),
    [
        ("novice", [10, 6], "+4", 19, "stand"),  # never asks what the opponent has
        ("novice", [10, 5, 8], "-6 -3", None, "-6"),  # the first that helps, not the best
        ("novice", [10, 1], "+4", None, "end"),
        ("classic", [10, 5], "+5", None, "stand"),
        ("classic", [10, 4], "+2 +3 +6", None, "+6"),
        ("classic", [10, 4], "+3", None, "+3"),
        ("classic", [10, 4], "+2", None, "end"),
        ("classic", [10, 8], "+2", 18, "stand"),  # a match is enough
        ("classic", [10, 7], "+1 +2", 18, "+2"),
        ("classic", [10, 7], "-1", 18, "end"),
        ("classic", [10, 5, 8], "-6 -4", None, "-4"),
        ("careful", [10, 5], "+3 +4", None, "end"),  # it saves them
        ("careful", [10, 5], "+3 +5", None, "+5"),
        ("careful", [10, 6], "+4", None, "stand"),
        ("careful", [10, 7], "+1 -1", 18, "+1"),
        ("careful", [10, 2], "-1", 12, "stand"),
        ("careful", [10, 5, 8], "-6 -4", None, "-4"),
    ],
)
def test_a_level_does_what_its_account_says(
    name: str, table: list[int], hand: str, theirs: int | None, expected: str
) -> None:
    view = position(table, hand, theirs)
    wanted = {"stand": Stand(), "end": End()}.get(expected)
    assert make(name).choose(view) == (wanted or play(view, expected, int(expected)))


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_is_listed_and_gives_an_account_of_itself(name: str) -> None:
    assert name in dict(BOTS)
    assert (type(make(name)).__doc__ or "").count("\n") > 2


@pytest.mark.parametrize("name", ["expert", "master"])
@pytest.mark.parametrize(
    "hand", ["2&4 ±4 D 3&6", "2&4 3&6 ±1T 1±2", "D ±1T 1±2 ±6", "+1 +2 +3 +4", "3&6 3&6 D D"]
)
@pytest.mark.parametrize(("table", "theirs"), [([7, 4], None), ([9, 9, 6], 19)])
def test_a_choice_takes_less_than_50_ms_with_nothing_cached(
    name: str, hand: str, table: list[int], theirs: int | None
) -> None:
    """With the hands that there is most to think about; by processor time, the best of three."""
    view = position(table, hand, theirs)
    bot = make(name)
    seconds = []
    for _ in range(3):
        shipped_book().forget()
        began = time.process_time()
        bot.choose(view)
        seconds.append(time.process_time() - began)
    assert min(seconds) < 0.05


def test_the_tables_are_ready_within_2_seconds_and_under_5_MB() -> None:
    """All that a choice of master would else read and reckon, from the file as it ships."""
    data = shipped_bytes()
    assert len(data) < 5_000_000
    began = time.process_time()
    MasterBot(Book(Tables(data)))
    assert time.process_time() - began < 2
