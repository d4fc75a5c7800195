"""The solver: its chances sum to one, its tables are a fixed point, and bots compute the same."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from pazaak_p2p.arena.solver.exploit import exploiter_book
from pazaak_p2p.arena.solver.layers import KIND, SIZES, Leaves, Store, solve_size
from pazaak_p2p.arena.solver.opponent import first_habits
from pazaak_p2p.arena.solver.sweep import Prior, Sweep, anybody
from pazaak_p2p.arena.solver.writing import read_tables, write_tables
from pazaak_p2p.bots import MasterBot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.bots.solved.book import shipped_book
from pazaak_p2p.bots.solved.hands import all_hands, hand_numbers, kinds
from pazaak_p2p.bots.solved.layers import CARDS_FROM, Ties
from pazaak_p2p.bots.solved.leaves import Stakes
from pazaak_p2p.bots.solved.model import replies
from pazaak_p2p.bots.solved.tables import COUNTS, STOOD, USED, shipped, shipped_bytes
from pazaak_p2p.rules import Card, Rules

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


@pytest.mark.parametrize(("text", "off"), [("2&4", 1e-3), ("D", 0.01)])
def test_what_one_side_wins_the_other_loses(text: str, off: float) -> None:
    """With decks of one kind of card nothing is hidden, so each of two equals wins half. (Of a
    double it is not known which rank it was played on, R14.)
    """
    prior = Prior([((Card.parse(text).number - 1,) * 10, 1.0)])
    sweep = Sweep(prior)
    score = (1, 1)
    sweep.answer({score: first_habits()})
    for number in range(4):
        share = np.float32(1 if number < 2 else 0.5)
        found = share * sweep.habits_of(score) + (1 - share) * sweep.habits[score]
        sweep.answer({score: found})
    for cards, (hand,) in enumerate(prior.hands):
        assert abs(sweep.values[score][hand, :, cards].mean() - 0.5) < off, cards


def test_R14_R15_what_is_done_with_doubles_and_flips_is_among_the_habits() -> None:
    """Of who holds one card only, in the last set, against one who stands at 20."""
    for card, made in ((Card.DOUBLE, 20), (Card.FLIP_2_4, 0), (Card.PLUS_1, None)):
        sweep = Sweep(Prior([((card.number - 1,) * 10, 1.0)]))
        sweep.values, sweep.habits = read_tables(shipped_bytes())
        found = sweep.habits_of((1, 1))[:, 1, 1, 20]
        assert np.allclose(found.sum(axis=-1)[:, 1:], 1, atol=1e-5)
        used = found[..., USED:]
        # From 15 a double makes 20 if the draw was a 5; from 22 a flip may lead back below 20.
        assert (used[:, 15, STOOD + 20] > 0.05).all() == (made == 20)
        assert (used[:, 22].sum(axis=-1) > 0.3).all() == (made == 0)


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
        assert np.abs(found - values[SCORE][index]).max() < 5e-4
        for hand, value in zip(hands, found, strict=True):
            for opened in range(2):
                stakes = Stakes(SCORE, (1.0 - opened,) * 3)
                for cards in range(COUNTS):
                    layer = book.layer(stakes, hand, cards, Ties())
                    # Who opens draws first; if the other does, it is as if a turn ended at 0.
                    start = layer.expected(0, 0)[0] if opened else layer.after(0, 0)[0]
                    if hand or cards:
                        assert abs(start - float(value[opened, cards])) < 1e-4, (hand, cards)


def reply(cards: int, opens: bool, ties: tuple[float, ...]) -> float:
    """What the best reply to :func:`first_habits` wins in the last set with so many ``+3``, by a
    plain recursion; *ties* is what a tie is worth by the cards that are left then.
    """

    @cache
    def their_turn(own: int, theirs: int, stands: bool, left: int) -> float:
        return sum(they_have(own, theirs + rank, stands, left) for rank in range(1, 11)) / 10

    def they_have(own: int, theirs: int, stands: bool, left: int) -> float:
        if theirs > 20:
            return 1.0
        if not stands:
            return own_turn(own, theirs, theirs >= 17, left)
        if theirs > own or theirs == own >= 17:
            return judged(own, theirs, left)
        return their_turn(own, theirs, True, left)

    @cache
    def own_turn(own: int, theirs: int, stand: bool, left: int) -> float:
        return sum(best(own + rank, theirs, stand, left) for rank in range(1, 11)) / 10

    def best(own: int, theirs: int, stand: bool, left: int) -> float:
        kept = settled(own, theirs, stand, left)
        # Of low totals no card is looked at. (To one who never uses a card that loses a little.)
        if left and own != 20 and own + 3 <= 20 and (own >= CARDS_FROM or stand):
            return max(kept, settled(own + 3, theirs, stand, left - 1))
        return kept

    @cache
    def settled(own: int, theirs: int, stand: bool, left: int) -> float:
        if own > 20:
            return 0.0
        standing = judged(own, theirs, left) if stand else their_turn(own, theirs, True, left)
        if own == 20:
            return standing
        turn = own_turn(own, theirs, True, left) if stand else their_turn(own, theirs, False, left)
        return max(standing, turn)

    def judged(own: int, theirs: int, left: int) -> float:
        return 1.0 if own > theirs else 0.0 if own < theirs else ties[left]

    return own_turn(0, 0, False, cards) if opens else their_turn(0, 0, False, cards)


def test_the_best_reply_to_given_habits_is_that_of_a_plain_recursion() -> None:
    """To one who stands at 17 or to win and uses no card, in the last set, with up to four +3."""
    kind = Card.PLUS_3.number - 1
    sweep = Sweep(Prior([((kind,) * 10, 1.0)]))
    sweep.answer({(1, 1): first_habits()})
    won = [[0.5] * COUNTS, [0.5] * COUNTS]
    for _ in range(8):  # a tie leads back to the same score, with the other to open
        won = [
            [reply(cards, bool(opens), tuple(won[1 - opens])) for cards in range(COUNTS)]
            for opens in range(2)
        ]
    for cards in range(COUNTS):
        found = sweep.values[1, 1][hand_numbers()[(kind,) * cards]]
        for opens in range(2):
            assert np.abs(found[opens] - won[opens][cards]).max() < 2e-5, (cards, opens)
    assert won[1] == sorted(won[1])
    assert won[1][4] - won[1][0] > 0.15


def test_an_exploiter_of_one_deck_plays_on_its_own_tables() -> None:
    deck = (Card.PLUS_3,) * 10
    book = exploiter_book(deck)
    four, plain = hand_numbers()[(Card.PLUS_3.number - 1,) * 4], shipped()
    more = [
        book.tables.value((3, 3), True, cards, four) - plain.value((3, 3), True, cards, four)
        for cards in range(COUNTS)
    ]
    # Of one without cards there is nothing to know. Of one with four +3 it is known that they are
    # no better, which anybody's would be.
    assert abs(more[0]) < 0.005
    assert more[4] > 0.1
    state = play_match(Rules(max_sets=99), (deck, deck), (MasterBot(book), MasterBot()), Random(1))
    assert state.outcome is not None
