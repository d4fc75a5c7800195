"""Matches by the rules alone: what falls by chance is the same whoever plays."""

from __future__ import annotations

from random import Random

import pytest

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.rules import DECKS, SLOTS, Draw, FirstMove, Input, Opener, Rules, State, apply


def drawn(
    monkeypatch: pytest.MonkeyPatch, rules: Rules, stand_at: tuple[int, int], seed: int
) -> tuple[list[list[int]], list[FirstMove]]:
    """The green cards of each set in the order drawn, and who opened by lot."""
    sets: list[list[int]] = []
    moves: list[FirstMove] = []

    def noted(state: State, given: Input) -> State:
        if isinstance(given, Draw):
            if len(sets) == len(state.results):
                sets.append([])
            sets[-1].append(given.card)
        elif isinstance(given, FirstMove):
            moves.append(given)
        return apply(state, given)

    monkeypatch.setattr("pazaak_p2p.bots.by_rules.apply", noted)
    deck = DECKS["balanced"]
    bots = ThresholdBot(stand_at[0]), ThresholdBot(stand_at[1])
    play_match(rules, (deck, deck), bots, Random(seed))
    return sets, moves


def test_each_set_has_the_same_draws_whatever_was_played_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, shifted = Rules(max_sets=99, opener=Opener.RANDOM), 0
    for seed in range(30):
        one, other = (drawn(monkeypatch, rules, s, seed) for s in ((14, 19), (19, 14)))
        pairs = list(zip(one[0], other[0], strict=False))
        assert all(a[: len(b)] == b[: len(a)] for a, b in pairs)
        assert all(a == b for a, b in zip(one[1], other[1], strict=False))
        shifted += any(len(a) != len(b) for a, b in pairs[:-1])
    assert shifted > 20  # a set took more draws, and the next ones agree nevertheless


def test_R1_a_set_is_drawn_from_one_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = [0] * 11
    for seed in range(200):
        sets, _ = drawn(monkeypatch, Rules(max_sets=99), (20, 20), seed)
        for cards in sets:
            assert len(cards) <= 2 * SLOTS
            assert max(map(cards.count, range(1, 11))) <= 4
            ranks[cards[0]] += 1
    assert ranks[0] == 0
    # Chi-squared with 9 degrees of freedom: above 27.9 once in a thousand seeds.
    even = sum(ranks) / 10
    assert sum((count - even) ** 2 / even for count in ranks[1:]) < 27.9
