"""Master: what it promises is what it wins, and the positions where its reasons can be told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from random import Random
from zipfile import ZipFile

import numpy as np
import pytest
from msgspec.structs import replace

from benchmarks.bot_calibration import Recording
from pazaak_p2p.bots import MasterBot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.bots.errors import TablesDamaged
from pazaak_p2p.bots.solved.book import Book
from pazaak_p2p.bots.solved.hands import Kinds
from pazaak_p2p.bots.solved.layers import Ties
from pazaak_p2p.bots.solved.leaves import Stakes, scaled
from pazaak_p2p.bots.solved.tables import BUST, OUTCOMES, USED, shipped, shipped_bytes
from pazaak_p2p.rules import (
    DECKS,
    Action,
    End,
    Lay,
    Nine,
    Pass,
    Phase,
    Rules,
    Stand,
    Tiebreaker,
    View,
    legal_actions,
)
from tests.bots.test_threshold import play, position


def best(view: View) -> Action:
    return MasterBot().choose(view)


def with_state(view: View, **changes: object) -> View:
    return View(view.seat, replace(view.state, **changes))


def test_threads_share_what_has_been_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot plays in its thread while a hint is worked out in another; little room is left."""
    monkeypatch.setattr("pazaak_p2p.bots.solved.book._MOST_HANDS", 5)
    book, stakes = Book(shipped()), Stakes((1, 1), (1.0, 1.0, 1.0))
    hands: list[Kinds] = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    won = {hand: book.layer(stakes, hand, 1, Ties()).won for hand in hands}

    def work(seed: int) -> None:
        rng = Random(seed)
        for _ in range(250):
            hand = rng.choice(hands)
            assert book.layer(stakes, hand, 1, Ties()).won == won[hand]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
    finally:
        sys.setswitchinterval(before)


def test_the_chances_are_those_with_which_it_wins() -> None:
    """Of each match one choice, at random; the sum of (won - expected) within 3.3 sigma, also for
    those that were expected to be won, and those to be lost. (At length: benchmarks.)
    """
    rng = Random("calibrated")
    off = {"all": [0.0, 0.0], "likely": [0.0, 0.0], "unlikely": [0.0, 0.0]}
    names = ("balanced",)  # one, so that most of the work is done once
    for number in range(36):
        decks = DECKS[rng.choice(names)], DECKS[rng.choice(names)]
        bots = Recording(), Recording()
        state = play_match(Rules(max_sets=99), decks, bots, Random(number))
        assert state.outcome is not None
        # One seat only, since what one wins the other loses.
        seat = rng.randrange(2)
        expected = rng.choice(bots[seat].expected)
        won = 0.5 if state.outcome.winner is None else float(state.outcome.winner == seat)
        for part in ("all", "likely" if expected > 0.5 else "unlikely"):
            off[part][0] += won - expected
            off[part][1] += expected * (1 - expected)
    for part, (difference, variance) in off.items():
        assert variance > 2, part
        assert abs(difference) < 3.3 * variance**0.5, (part, difference, variance)


def test_it_takes_the_best_of_its_chances_and_has_one_for_each_action() -> None:
    view = position([9, 6], "+2 ±4 1±2 D")
    chances = MasterBot().chances(view)
    assert tuple(chances) == legal_actions(view.state)
    assert all(0 <= chance <= 1 for chance in chances.values())
    assert best(view) == max(chances, key=lambda action: chances[action])


def test_where_nobody_chooses_there_are_no_chances() -> None:
    view = position([9, 6], "+2 ±4 1±2 D")
    assert MasterBot().chances(with_state(view, mover=view.seat.other)) == {}


@pytest.mark.parametrize(
    ("table", "hand", "theirs", "expected"),
    [
        ([10, 9, 4], "-3 -5", 19, "-3"),  # the only card that wins
        ([10, 8], "", 17, "stand"),
        ([10, 2], "", 18, "end"),
        ([10, 7], "+3", 20, "+3"),
        ([10, 9, 4], "-4", 18, "-4"),
        ([10, 9], "1±2", None, "stand"),  # 19 is good, and the card wins more later
        ([10, 9], "+1", 18, "stand"),
        ([10, 2], "+6", None, "end"),
    ],
)
def test_positions_whose_answer_is_plain(
    table: list[int], hand: str, theirs: int | None, expected: str
) -> None:
    view = position(table, hand, theirs)
    wanted = {"stand": Stand(), "end": End()}.get(expected)
    assert best(view) == (wanted or play(view, expected, int(expected)))


def test_R1_it_counts_the_cards_that_are_left() -> None:
    """With 15 against a standing 15: with low cards left it draws, with high ones it stands."""
    view = position([9, 6], "", 15)
    low = with_state(view, deck=bytes([1, 1, 1, 2, 2, 3, 4, 4, 5, 5]))
    high = with_state(view, deck=bytes([6, 6, 7, 7, 8, 8, 9, 9, 10, 10]))
    assert best(low) == End()
    assert best(high) == Stand()
    assert MasterBot().chances(low)[End()] > MasterBot().chances(high)[End()]


def test_R4_a_card_is_kept_while_it_may_win_more_later_and_spent_in_the_last_set() -> None:
    """Far behind a standing 20, with 5: the set is let go rather than two cards spent."""
    early = MasterBot().chances(position([9, 7], "+1 +2 +3 +4"))
    last = position([9, 7], "+1 +2 +3 +4")
    last = with_state(last, won=(2, 2))
    now = MasterBot().chances(last)
    card = play(last, "+4", 4)
    assert now[card] - now[Stand()] > early[card] - early[Stand()] > 0


def test_R16_the_ninth_card_wins_against_a_standing_20() -> None:
    view = position([1, 1, 1, 1, 2, 2, 2, 9], "-1", 20)
    assert best(view) == play(view, "-1", -1)
    rules = replace(view.state.rules, nine=Nine.STAND)
    assert best(with_state(view, rules=rules)) == End()


def test_R17_a_tiebreaker_is_worth_a_tie() -> None:
    view = position([10, 8], "±1T +2", 19)
    chances = MasterBot().chances(view)
    plain = MasterBot().chances(position([10, 8], "±1 +2", 19))
    assert chances[play(view, "±1T", 1)] > plain[play(position([10, 8], "±1 +2"), "±1", 1)] + 0.1
    at_tie = replace(view.state.rules, tiebreaker=Tiebreaker.AT_TIE)
    tied = position([10, 8], "±1T +2", 18, phase=Phase.TIE)
    tied = with_state(tied, rules=at_tie)
    assert best(tied) == Lay(0)
    without = with_state(position([10, 8], "±1 +2", 18, phase=Phase.TIE), rules=at_tie)
    assert best(without) == Pass()


def test_R15_a_flip_counts_what_lies_on_the_table() -> None:
    view = position([10, 4, 4, 2, 3], "2&4", 5)  # 23; turned: 3
    assert MasterBot().chances(view)[play(view, "2&4", 0)] > 0
    last = with_state(position([10, 4, 9], "2&4", 14), won=(2, 2))  # 23; turned: 15
    assert MasterBot().chances(last)[play(last, "2&4", 0)] == 1


def test_R20_in_the_last_set_under_a_cap_a_lead_need_only_be_kept() -> None:
    view = position([10, 8], "", 18)
    rules = replace(view.state.rules, max_sets=1)
    chances = MasterBot().chances(with_state(view, rules=rules))
    assert chances[Stand()] == 0.5
    ahead = MasterBot().chances(with_state(view, rules=rules, won=(0, 1)))
    assert ahead[Stand()] == 1


def test_the_tables_hold_chances_and_habits_that_sum_to_one() -> None:
    value, habits = shipped().value, shipped().habits
    assert value((0, 2), True, 4, 17_000) == 1
    assert value((2, 0), True, 4, 17_000) == 0
    even = value((3, 3), True, 0, 0)
    assert abs(even + value((3, 3), False, 0, 0) - 1) < 0.002
    better = [value((3, 3), True, cards, 0) for cards in range(5)]
    assert better == sorted(better, reverse=True)
    rows = habits((3, 3)).rows(2, 3, 0, 15)
    assert np.allclose(rows[1:].sum(axis=1), 1)
    row = rows[23]
    assert row.shape == (OUTCOMES,)
    assert row[USED:].any()  # 23: it uses a card, or
    assert row[BUST] > 0


@pytest.mark.parametrize(
    ("score", "expected"),
    [((3, 1), (3, 1)), ((9, 9), (3, 3)), ((5, 1), (3, 1)), ((1, 9), (1, 3)), ((6, 4), (3, 2))],
)
def test_R19_longer_matches_are_scaled_down(
    score: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert scaled(score) == expected


def test_a_table_at_20_without_auto_stand_stands() -> None:
    view = position([10, 10], "-1")
    rules = replace(view.state.rules, auto_stand=False)
    assert best(with_state(view, rules=rules)) == Stand()


def _without(data: bytes, name: str) -> bytes:
    """The archive *data* without its member *name*."""
    made = BytesIO()
    with ZipFile(BytesIO(data)) as whole, ZipFile(made, "w") as lesser:
        for member in whole.namelist():
            if member != name:
                lesser.writestr(member, whole.read(member))
    return made.getvalue()


def test_tables_that_are_damaged_are_told_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = shipped_bytes()
    middle = len(data) // 2
    for damaged in (
        b"",
        data[:middle],
        data[:middle] + bytes((data[middle] ^ 1,)) + data[middle + 1 :],
        _without(data, "habits-3-1"),
    ):
        monkeypatch.setattr("pazaak_p2p.bots.solved.tables.shipped_bytes", lambda d=damaged: d)
        with pytest.raises(TablesDamaged, match="expert and master") as caught:
            shipped.__wrapped__()
        assert caught.value.why.startswith("tables.zip: ")
    missing = FileNotFoundError(2, "No such file")
    monkeypatch.setattr("pazaak_p2p.bots.solved.tables.shipped_bytes", raising(missing))
    with pytest.raises(TablesDamaged):
        shipped.__wrapped__()


def raising(error: Exception) -> Callable[[], bytes]:
    def fail() -> bytes:
        raise error

    return fail
