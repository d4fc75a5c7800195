"""The numbering of the actions, and what a seat sees."""

from __future__ import annotations

import importlib
import sys
from random import Random

import msgspec
import numpy as np
import pytest

from pazaak_p2p.rl import ACTIONS, FIELDS, MOVES, action_mask, action_of, number_of, observe
from pazaak_p2p.rl.observation import observation_space
from pazaak_p2p.rules import (
    CARDS,
    Card,
    HandCard,
    Lay,
    Play,
    RuleError,
    Rules,
    Seat,
    State,
    Tiebreaker,
    legal_actions,
    view,
)
from tests.rules.table import HOST, JOIN, go, start


def test_every_number_is_told_and_stands_for_what_the_documentation_says() -> None:
    told = [str(move) for move in MOVES]
    assert len(told) == len(set(told)) == ACTIONS == 37
    assert told[:6] == [f"play +{n}" for n in range(1, 7)]
    assert told[6:12] == [f"play -{n}" for n in range(1, 7)]
    assert told[12:24] == [f"play ±{n} as {sign}{n}" for n in range(1, 7) for sign in "+-"]
    assert told[24:30] == [
        *("play ±1T as +1", "play ±1T as -1"),
        *("play 1±2 as +1", "play 1±2 as +2", "play 1±2 as -1", "play 1±2 as -2"),
    ]
    assert told[30:] == [
        *("play 2&4", "play 3&6", "play D"),
        *("end the turn", "stand", "lay down ±1T", "pass"),
    ]


def chosen(state: State) -> set[str]:
    return {str(MOVES[number]) for number in np.flatnonzero(action_mask(state))}


def test_a_mask_is_what_is_legal() -> None:
    state = go(start("1±2 D +3 2&4", "-5 ±1T +1 +1"), 5)
    assert chosen(state) == {
        *(f"play 1±2 as {value}" for value in ("+1", "+2", "-1", "-2")),
        *("play D", "play +3", "play 2&4", "end the turn", "stand"),
    }
    assert action_of(32, state) == Play(1, Card.DOUBLE, 5)
    played = go(state, "D")  # R8: one hand card a turn
    assert chosen(played) == {"end the turn", "stand"}
    other = go(played, "end", 9)
    assert chosen(other) == {
        *("play -5", "play ±1T as +1", "play ±1T as -1", "play +1", "end the turn", "stand")
    }
    # Of equal cards the one that was dealt first.
    assert action_of(0, other) == Play(2, Card.PLUS_1, 1)


def test_R17_at_a_tie_one_lays_or_passes() -> None:
    state = start("±1T D 2&4 ±6", "1±2 3&6 -5 +2", rules=Rules(tiebreaker=Tiebreaker.AT_TIE))
    tie = go(state, 9, "stand", 9, "stand")
    assert chosen(tie) == {"lay down ±1T", "pass"}
    assert action_of(35, tie) == Lay(0)
    assert chosen(go(tie, "lay")) == {"pass"}


@pytest.mark.parametrize("number", [-1, ACTIONS])
def test_no_number_of_an_action(number: int) -> None:
    with pytest.raises(IndexError, match=f"from 0 to 36, so {number} is none"):
        action_of(number, go(start("1±2 D +3 2&4", "-5 ±1T +1 +1"), 5))


def test_what_is_not_legal_now() -> None:
    state = go(start("1±2 D +3 2&4", "-5 ±1T +1 +1"), 5)
    for number in set(range(ACTIONS)) - {number_of(action) for action in legal_actions(state)}:
        with pytest.raises(RuleError, match="is not legal now"):
            action_of(number, state)


def field(state: State, seat: Seat, name: str) -> list[int]:
    numbers: list[int] = observe(view(state, seat))["observation"][FIELDS[name]].tolist()
    return numbers


def test_what_the_fields_say() -> None:
    state = go(start("1±2 D +3 2&4", "-5 ±1T +1 +1", rules=Rules(max_sets=7)), 5, "D")
    state = go(state, "end", 9, "stand", 4, "2&4")
    for seat, sign in ((HOST, 1), (JOIN, -1)):
        own = slice(None, None, sign)  # own first, then the other's
        assert field(state, seat, "to_choose") == [sign]
        assert field(state, seat, "opens") == [sign]
        assert field(state, seat, "card_placed") == [1]
        assert field(state, seat, "at_tie") == [0]
        assert field(state, seat, "totals") == [6, 9][own]
        assert field(state, seat, "stands") == [0, 1][own]
        assert field(state, seat, "sets_needed") == [3, 3]
        assert field(state, seat, "sets_left") == [7]
        assert field(state, seat, "green_left") == [4, 4, 4, 3, 3, 4, 4, 4, 3, 4]
        # Green 5, D as 5, green 4 turned by 2&4 (cards 1 + 23 and 1 + 21), and the flip itself.
        host = [1, 5, 24, 5, 1, -4, 22, 0] + [0] * 10
        assert [field(state, seat, "table"), field(state, seat, "other_table")][own] == [
            host,
            [1, 9] + [0] * 16,
        ]
    kinds = {card: at for at, card in enumerate(CARDS)}
    assert counted(field(state, HOST, "hand")) == {kinds[Card.ONE_TWO]: 1, kinds[Card.PLUS_3]: 1}
    assert counted(field(state, JOIN, "hand")) == {
        kinds[Card.MINUS_5]: 1,
        kinds[Card.TIEBREAKER]: 1,
        kinds[Card.PLUS_1]: 2,
    }
    used = {kinds[Card.DOUBLE]: 1, kinds[Card.FLIP_2_4]: 1}
    assert counted(field(state, HOST, "hand_played")) == used
    assert counted(field(state, JOIN, "other_played")) == used
    assert counted(field(state, JOIN, "hand_played")) == {}
    assert (field(state, HOST, "other_hand"), field(state, JOIN, "other_hand")) == ([4], [2])


def counted(kinds: list[int]) -> dict[int, int]:
    return {kind: count for kind, count in enumerate(kinds) if count}


def with_another_hand(state: State, seat: Seat, rng: Random) -> State:
    """*state* with other cards where *seat* holds some that nobody else has seen."""
    hand = tuple(
        held if held.played else HandCard(held.position, rng.choice(CARDS), False)
        for held in state.hands[seat]
    )
    deck = tuple(rng.choice(CARDS) for _ in range(10))
    hands, decks = list(state.hands), list(state.decks)
    hands[seat], decks[seat] = hand, deck
    return msgspec.structs.replace(state, hands=tuple(hands), decks=tuple(decks))


def same(one: State, two: State, seat: Seat) -> bool:
    a, b = observe(view(one, seat)), observe(view(two, seat))
    return all(np.array_equal(a[part], b[part]) for part in ("observation", "action_mask"))


def test_a_hidden_hand_is_in_no_observation() -> None:
    rng = Random(1)
    states = [go(start("1±2 D +3 2&4", "-5 ±1T +1 +1"), 5)]
    states.append(go(states[-1], "D", "end", 9))
    states.append(go(states[-1], "-5", "stand", 4, "2&4"))
    for state in states:
        for seat in Seat:
            others = [with_another_hand(state, seat.other, rng) for _ in range(30)]
            assert all(same(state, other, seat) for other in others)
            # While whoever holds the cards does see them.
            assert not any(same(state, other, seat.other) for other in others)
            assert observation_space().contains(observe(view(state, seat)))


def test_without_the_extra_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pazaak_p2p.rl")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ModuleNotFoundError, match=r"Type: pip install 'pazaak-p2p\[rl\]'$"):
        importlib.import_module("pazaak_p2p.rl")
