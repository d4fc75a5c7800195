"""The solver: its chances sum to one, its tables are a fixed point, and bots compute the same."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from pazaak_p2p.arena.solver.layers import KIND, SIZES, Leaves, Store, solve_size
from pazaak_p2p.arena.solver.opponent import first_habits
from pazaak_p2p.arena.solver.sweep import anybody
from pazaak_p2p.arena.solver.writing import read_tables, write_tables
from pazaak_p2p.bots.solved.book import shipped_book
from pazaak_p2p.bots.solved.hands import all_hands, hand_numbers, kinds
from pazaak_p2p.bots.solved.layers import Ties
from pazaak_p2p.bots.solved.leaves import Stakes
from pazaak_p2p.bots.solved.model import replies
from pazaak_p2p.bots.solved.tables import COUNTS, shipped, shipped_bytes
from pazaak_p2p.rules import Card

SCORE = (2, 2)


def test_hands_are_numbered_by_size_without_gaps() -> None:
    hands = all_hands()
    assert len(hands) == 17_550
    assert [hand_numbers()[hand] for hand in hands] == list(range(len(hands)))
    assert kinds([Card.DOUBLE, Card.PLUS_1, Card.DOUBLE]) == (0, 22, 22)
    assert SIZES.tolist() == [len(hand) for hand in hands]
    assert (KIND[-1] == 22).all()


def test_a_turn_and_a_set_of_the_opponent_come_to_something() -> None:
    found = replies(first_habits())
    assert np.allclose(found.turns.sum(axis=3), 1, atol=1e-5)
    for finishes in (found.finishes, found.ahead):
        assert np.allclose(finishes.sum(axis=3), 1, atol=1e-5)
    # Against a tiebreaker at 20 nobody wins.
    assert not found.ahead[:, 20, :, 2::3].any()
    assert found.finishes[:, 19, :, 2::3].any()


def test_the_likely_hands_hold_all_that_they_come_down_to() -> None:
    prior = anybody()
    known = {all_hands()[number] for index in prior.hands for number in index.tolist()}
    for weights in prior.weights:
        assert abs(float(weights.sum()) - 1) < 1e-5
    for hand in known:
        assert all(rest in known for rest in combinations(hand, max(len(hand) - 1, 0)))


def test_tables_come_back_from_their_file(tmp_path: Path) -> None:
    data = shipped_bytes()
    assert len(data) < 5_000_000
    values, habits = read_tables(data)
    assert len(values) == len(habits) == 9
    file = tmp_path / "tables.zip"
    write_tables(file, values, habits)
    again = read_tables(file.read_bytes())
    for score in values:
        assert (values[score] == again[0][score]).all()
        assert np.allclose(habits[score], again[1][score], atol=1 / 255)
    assert abs(float(values[3, 1][7, 1, 2]) - shipped().value((3, 1), True, 2, 7)) < 1e-6


@pytest.mark.parametrize("text", ["+2 -3 ±4 1±2", "±1T ±1T +6 -6", "D ±5 +1"])
def test_shipped_values_follow_from_themselves_and_bots_compute_the_same(text: str) -> None:
    """One more pass of the solver changes nothing, and the plain lists of the bots give its values
    for the start of the set.
    """
    values, habits = read_tables(shipped_bytes())
    own, theirs = SCORE
    leaves = Leaves(
        *(
            values[score][:, ::-1].copy()
            for score in ((own - 1, theirs), (own, theirs), (own, theirs - 1))
        )
    )
    whole = kinds(map(Card.parse, text.split()))
    store = Store()
    book = shipped_book()
    model = replies(habits[SCORE[::-1]])
    for size in range(len(whole) + 1):
        hands = sorted(set(combinations(whole, size)))
        index = np.array([hand_numbers()[hand] for hand in hands])
        found = solve_size(index, leaves, model, store)
        assert np.abs(found - values[SCORE][index]).max() < 3e-3
        for hand, value in zip(hands, found, strict=True):
            for opened in range(2):
                stakes = Stakes(SCORE, (1.0 - opened,) * 3)
                for cards in range(COUNTS):
                    layer = book.layer(stakes, hand, cards, Ties())
                    # Who opens draws first; if the other does, it is as if a turn ended at 0.
                    start = layer.expected(0, 0)[0] if opened else layer.after(0, 0)[0]
                    if hand or cards:
                        assert abs(start - float(value[opened, cards])) < 1e-4, (hand, cards)
