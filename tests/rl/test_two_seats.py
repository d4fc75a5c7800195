"""The PettingZoo environment: its own tests, and every move against the second rules engine."""

from __future__ import annotations

import doctest
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import pazaak_p2p.rl
import pazaak_p2p.rl.match
from pazaak_p2p.rl import ACTIONS, PazaakAEC, Reward, env, number_of, observe
from pazaak_p2p.rl.two_seats import AGENTS
from pazaak_p2p.rules import Input, Phase, Seat, State, apply, legal_actions, view
from tests.naive import choosing, engine
from tests.naive.differential import CARDS, compare, compare_results, to_move, to_rules
from tests.rl.test_actions import with_another_hand

# What PettingZoo says of every environment whose observation holds a mask and that is not its own.
MASKED = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)


@pytest.mark.filterwarnings(*MASKED)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rules": "standard,tiebreaker=at-tie,opener=random", "decks": ("hard", "from-hell")},
        {"reward": "set", "decks": ("average", "wanderer")},
    ],
)
def test_pettingzoos_own_tests(options: dict[str, Any]) -> None:
    api_test(env(**options), num_cycles=300)
    seed_test(lambda: env(**options), num_cycles=300)


def test_pettingzoos_own_test_of_what_is_drawn() -> None:
    render_test(env, {"ansi": lambda text: text.startswith("Set ") and text.count("\n") == 2})


def test_the_example_of_the_package() -> None:
    assert doctest.testmod(pazaak_p2p.rl) == (0, 4)


def chance_to_move(given: Input) -> engine.Move:
    name = {"FirstMove": "first"}.get(type(given).__name__, type(given).__name__.lower())
    parts = tuple(getattr(given, field) for field in type(given).__struct_fields__)
    return (name, *(str(part) if isinstance(part, Seat) else part for part in parts))


class Mirrored:
    """An environment whose every input the second rules engine gets too."""

    def __init__(self, rng: Random, monkeypatch: pytest.MonkeyPatch) -> None:
        options = choosing.options(rng)
        decks: list[list[str]] = []
        while len(decks) < 2:
            deck = choosing.side_deck(rng, options)
            if not engine.deck_refused(options, deck):
                decks.append(deck)
        host, join = (tuple(CARDS[card] for card in deck) for deck in decks)
        self.naive = engine.new_match(options, *decks)
        self.inputs: list[Input] = []
        monkeypatch.setattr(pazaak_p2p.rl.match, "apply", self._apply)
        self.aec = PazaakAEC(to_rules(options), (host, join))
        self.aec.reset(seed=rng.randrange(2**32))

    def _apply(self, state: State, given: Input) -> State:
        self.inputs.append(given)
        chance = type(given).__name__ in ("Deal", "Opening", "FirstMove", "Draw")
        engine.do(self.naive, chance_to_move(given) if chance else to_move(given))  # type: ignore[arg-type]
        after = apply(state, given)
        compare(after, self.naive)
        return after


def test_masked_play_is_the_rules_move_by_move(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[int] = set()
    for number in range(150):
        rng = Random(number)
        mirrored = Mirrored(rng, monkeypatch)
        aec = mirrored.aec
        while not aec.match.over:
            state = aec.match.state
            assert state.mover is not None
            agent = aec.agent_selection
            assert agent == AGENTS[state.mover]
            mask = aec.observe(agent)["action_mask"]
            legal = legal_actions(state)
            assert set(np.flatnonzero(mask)) == {number_of(action) for action in legal}
            assert not aec.observe(AGENTS[state.mover.other])["action_mask"].any()
            choice = int(rng.choice(np.flatnonzero(mask)))
            if number % 2 and mask[34] and rng.random() < 0.6:
                choice = 34  # matches of many ties
            seen.add(choice)
            asked = len(mirrored.inputs)
            aec.step(choice)
            # What was chosen went to the rules, and all that followed is of chance.
            given = mirrored.inputs[asked]
            assert given == next(action for action in legal if number_of(action) == choice)
        compare_results(aec.match.state, mirrored.naive)
        outcome = aec.match.state.outcome
        assert outcome is not None
        points = 0 if outcome.winner is None else 1 if outcome.winner is Seat.HOST else -1
        assert aec.rewards == {AGENTS[0]: points, AGENTS[1]: -points}
        assert aec.terminations == dict.fromkeys(AGENTS, True)
    assert seen == set(range(ACTIONS))


def played(aec: PazaakAEC, rng: Random) -> list[tuple[str, int]]:
    """Play masked at random; who was given what, as far as it is not 0."""
    given: list[tuple[str, int]] = []
    for agent in aec.agent_iter():
        seen, reward, over, _, _ = aec.last()
        if reward:
            given.append((agent, reward))
        aec.step(None if over else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    return given


def test_what_is_rewarded_adds_up_to_nothing() -> None:
    for number in range(20):
        by_match, by_set = (PazaakAEC("standard,sets=2", reward=kind) for kind in Reward)
        given = []
        for aec in (by_match, by_set):
            aec.reset(seed=number)
            given.append(played(aec, Random(number)))
        assert by_match.match.state == by_set.match.state
        won = by_set.match.state.won
        winner = AGENTS[won[1] > won[0]]
        assert sorted(given[0]) == sorted((agent, 1 if agent == winner else -1) for agent in AGENTS)
        for seat, agent in enumerate(AGENTS):
            total = sum(reward for to, reward in given[1] if to == agent)
            assert total == won[seat] - won[1 - seat]


@pytest.mark.parametrize(("reward", "loss"), [("match", 1), ("set", 3)])
def test_an_action_that_is_not_legal_loses_the_match(reward: str, loss: int) -> None:
    aec = PazaakAEC(reward=reward)
    aec.reset(seed=1)
    agent = aec.agent_selection
    (other,) = set(AGENTS) - {agent}
    aec.step(36)  # nobody passes where there is no tie
    assert aec.rewards == {agent: -loss, other: loss}
    assert aec.infos == {agent: {"illegal": True}, other: {}}
    assert aec.match.over
    outcome = aec.match.state.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (AGENTS.index(other), "concession")


def test_what_is_no_action_changes_nothing() -> None:
    aec = PazaakAEC()
    aec.reset(seed=1)
    before = aec.match.state
    with pytest.raises(IndexError):
        aec.step(ACTIONS)
    with pytest.raises(TypeError, match="has a choice to make"):
        aec.step(None)
    assert aec.match.state is before


def test_an_agent_sees_what_its_seat_may_see_and_no_more() -> None:
    aec = PazaakAEC(decks=("super", "hard"))
    rng = Random(5)
    aec.reset(seed=5)
    looked = 0
    while not aec.match.over:
        state = aec.match.state
        for seat, agent in zip(Seat, AGENTS, strict=True):
            seen = aec.observe(agent)
            expected = observe(view(state, seat))
            aec.match.state = with_another_hand(state, seat.other, rng)
            again = aec.observe(agent)
            aec.match.state = state
            for part in ("observation", "action_mask"):
                assert seen[part].tobytes() == expected[part].tobytes() == again[part].tobytes()
            looked += 1
        mask = aec.observe(aec.agent_selection)["action_mask"]
        aec.step(int(rng.choice(np.flatnonzero(mask))))
    assert looked > 20


def test_without_a_seed_chance_goes_on() -> None:
    one, two = PazaakAEC(), PazaakAEC()
    matches = []
    for aec in (one, two):
        aec.reset(seed=9)
        matches.append([aec.match.state])
        for _ in range(3):
            aec.reset()
            matches[-1].append(aec.match.state)
    assert matches[0] == matches[1]
    assert len({str(state) for state in matches[0]}) == 4


def test_what_is_drawn() -> None:
    aec = PazaakAEC("sets=1", ("starter", "starter"), render_mode="ansi")
    aec.reset(seed=3)
    text = aec.render()
    assert text is not None
    first, host, join = text.splitlines()
    assert first == "Set 1, won 0:0"
    assert [line[0] for line in (host, join)].count(">") == 1
    state = aec.match.state
    hand = " ".join(str(held.card) for held in state.hands[0])
    assert host.split("|")[-1].strip() == hand
    while state.phase is not Phase.OVER:
        aec.step(33)
        state = aec.match.state
    assert aec.render().splitlines()[0].startswith("Set 1, won ")  # type: ignore[union-attr]
    assert ", over: " in str(aec.render())
    assert PazaakAEC().render() is None
