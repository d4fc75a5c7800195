"""The batch simulator against the rules engine, match by match on the same cards."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pazaak_p2p.arena.batch import Given, play, simulate, threshold_policy
from pazaak_p2p.arena.batch.chance import MOST_DRAWS, Shuffled
from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.rules import (
    DECKS,
    FULL_DECK,
    Card,
    Deal,
    Draw,
    FirstMove,
    Opening,
    Phase,
    Rules,
    RulesOptionError,
    Seat,
    SideDeck,
    State,
    apply,
    new_match,
    parse_rules,
    view,
)

MATCHES = 60
SETS = 40


def given(rng: np.random.Generator) -> tuple[Given, dict[str, np.ndarray]]:
    """Cards for MATCHES matches of at most SETS sets, as arrays and for the batch."""
    deck = np.frombuffer(FULL_DECK, np.int8)
    arrays = {
        "deals": rng.permuted(np.tile(np.arange(10, dtype=np.int8), (MATCHES, 2, 1)), axis=2),
        "openers": rng.integers(0, 2, MATCHES, np.int8),
        "first_moves": rng.integers(0, 2, (MATCHES, SETS + 1), np.int8),
        "draws": rng.permuted(np.tile(deck, (MATCHES, SETS + 1, 1)), axis=2)[:, :, :MOST_DRAWS],
    }
    arrays["deals"] = arrays["deals"][:, :, :4]
    return Given(**arrays), arrays


def by_engine(
    rules: Rules, decks: tuple[SideDeck, SideDeck], stand_at: tuple[int, int],
    cards: dict[str, np.ndarray], match: int,
) -> State:  # fmt: skip
    """The same match by the rules engine and the real bots."""
    bots = [ThresholdBot(number) for number in stand_at]
    host, join = (tuple(map(int, cards["deals"][match, seat])) for seat in range(2))
    opening = Opening(2, 1) if cards["openers"][match] == 0 else Opening(1, 2)
    state = apply(apply(new_match(rules, decks), Deal(host, join)), opening)
    drawn = sets = 0
    while state.phase is not Phase.OVER:
        if len(state.results) != sets:
            sets, drawn = len(state.results), 0
        if state.phase is Phase.DRAW:
            state = apply(state, Draw(int(cards["draws"][match, sets, drawn])))
            drawn += 1
        elif state.phase is Phase.OPENER:
            state = apply(state, FirstMove(Seat(cards["first_moves"][match, sets])))
        else:
            assert state.mover is not None
            state = apply(state, bots[state.mover].choose(view(state, state.mover)))
    return state


RULES = [
    "standard,max_sets=40",
    "kotor1,max_sets=40",
    "standard,sets=1,opener=random,max_sets=40",
    "standard,sets=5,opener=winner,max_sets=40",
    "standard,opener=loser,tiebreaker=last,max_sets=40",
    "standard,nine=stand,sets=9,max_sets=11",
]
ODD: tuple[Card, ...] = tuple(
    map(Card.parse, ["-6", "2&4", "-6", "3&6", "D", "±1T", "-6", "1±2", "-6", "3&6"])
)  # many low cards, so that tables fill up


@pytest.mark.parametrize("rules", RULES)
def test_a_batch_plays_what_the_engine_plays_on_the_same_cards(rules: str) -> None:
    parsed = parse_rules(rules)
    rng = np.random.default_rng(7)
    pairs = [(DECKS[name], DECKS["balanced"]) for name in DECKS] + [(ODD, ODD)]
    for number, decks in enumerate(pairs):
        if not parsed.gold and any(card.gold for deck in decks for card in deck):
            continue
        stand_at = (14 + number % 7, 17 if number % 2 else 20)
        chance, cards = given(rng)
        policies = (threshold_policy(stand_at[0]), threshold_policy(stand_at[1]))
        # Few lanes, so that matches follow each other in a lane.
        played = play(parsed, decks, policies, MATCHES, chance, lanes=16)
        for match in range(MATCHES):
            state = by_engine(parsed, decks, stand_at, cards, match)
            used = tuple(sum(held.played for held in hand) for hand in state.hands)
            assert (
                tuple(played.won[match].tolist()),
                int(played.sets[match]),
                tuple(played.cards[match].tolist()),
            ) == (state.won, len(state.results), used), (number, match)


def test_R16_nine_cards_come_up_in_the_comparison() -> None:
    """A player who never stands, with low cards, so that the test above covers R16 and R15."""
    _, cards = given(np.random.default_rng(7))
    ends = {
        result.reason.value
        for match in range(MATCHES)
        for result in by_engine(
            parse_rules("standard,max_sets=40"), (ODD, ODD), (20, 20), cards, match
        ).results
    }
    assert ends >= {"nine", "tie", "bust"}


def test_the_same_seed_gives_the_same_matches() -> None:
    deck, policy = DECKS["hard"], threshold_policy()
    one, two, other = (
        simulate(Rules(), (deck, deck), (policy, policy), 500, seed) for seed in (1, 1, 2)
    )
    assert (one.won == two.won).all()
    assert (one.sets == two.sets).all()
    assert not (one.won == other.won).all()


def test_R1_shuffled_decks_hold_four_of_each_rank_and_each_rank_comes_as_often() -> None:
    chance = Shuffled(3)
    lanes = np.arange(50_000, dtype=np.int32)
    rows = chance.draws(lanes, lanes)
    for rank in range(1, 11):
        counts = (rows == rank).sum(axis=1)
        assert counts.max() <= 4
        # 18 of 40 cards: 1.8 of each rank on average, with variance 4/40 * 36/40 * 18 * 22/39.
        assert abs(counts.mean() - 1.8) < 4.4 * (0.9139 / len(lanes)) ** 0.5
    for place in (0, 17):
        counts = np.bincount(rows[:, place], minlength=11)[1:]
        # Chi-squared with 9 degrees of freedom: above 27.9 once in a thousand seeds.
        assert ((counts - 5_000) ** 2 / 5_000).sum() < 27.9


def test_as_often_won_as_by_the_engine() -> None:
    """A batch of random cards against the engine with random cards: both within 4.4 sigma."""
    rng = random.Random(5)
    deck, rules = DECKS["wanderer"], Rules()
    policies = (threshold_policy(17), threshold_policy(14))
    played = simulate(rules, (deck, deck), policies, 100_000, 5)
    share = float((played.won[:, 0] == 3).mean())
    wins = 0
    for _ in range(1500):
        cards = {
            "deals": np.array([[rng.sample(range(10), 4) for _ in range(2)]]),
            "openers": np.array([rng.randrange(2)]),
            "draws": np.array([[rng.sample(list(FULL_DECK), MOST_DRAWS) for _ in range(60)]]),
        }
        wins += by_engine(rules, (deck, deck), (17, 14), cards, 0).won[0] == 3
    assert abs(wins / 1500 - share) < 4.4 * (0.25 / 1500) ** 0.5


@pytest.mark.parametrize("text", ["standard,auto_stand=off", "standard,tiebreaker=at-tie"])
def test_options_that_tables_cannot_answer_to_are_refused(text: str) -> None:
    deck, policy = DECKS["balanced"], threshold_policy()
    with pytest.raises(RulesOptionError):
        simulate(parse_rules(text), (deck, deck), (policy, policy), 10, 1)
