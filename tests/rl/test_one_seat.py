"""The Gymnasium environment: its own checker, and whole matches against bots."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env

from pazaak_p2p.bots import UnknownBot, find_bot
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rl import ACTIONS, PazaakAEC, PazaakGym, action_mask, number_of, observe
from pazaak_p2p.rules import DECKS, DeckError, RulesOptionError, view
from pazaak_p2p.store import UnknownDeck

NAME = "pazaak_p2p.rl:Pazaak-v0"


@pytest.mark.parametrize("opponent", ["random", "careful"])
def test_gymnasiums_own_checks(opponent: str) -> None:
    made = gymnasium.make(NAME, opponent=opponent, render_mode="ansi")
    check_env(made.unwrapped)


def play(env: PazaakGym, rng: Random, seed: int | None) -> tuple[float, list[bytes]]:
    """Play masked at random; what it brought, and all that was seen."""
    seen, info = env.reset(seed=seed)
    assert info == {}
    total, over, all_seen = 0.0, False, [seen["observation"].tobytes()]
    while not over:
        assert env.match.state.mover is env.seat
        assert np.array_equal(seen["action_mask"], env.action_masks())
        assert np.array_equal(seen["action_mask"], action_mask(env.match.state))
        choice = rng.choice(np.flatnonzero(seen["action_mask"]))
        seen, reward, over, cut, info = env.step(choice)
        assert (cut, info) == (False, {})
        assert (reward == 0) or over
        total += reward
        all_seen.append(seen["observation"].tobytes())
    return total, all_seen


@pytest.mark.parametrize("seat", ["host", "join", "either"])
def test_a_match_follows_from_its_seed(seat: str) -> None:
    one, two = (PazaakGym("novice", deck="hard", seat=seat) for _ in range(2))
    seats = set()
    for number in range(12):
        first, second = (play(env, Random(number), number) for env in (one, two))
        assert first == second
        outcome = one.match.state.outcome
        assert outcome is not None
        assert first[0] == (1 if outcome.winner is one.seat else -1)
        seats.add(str(one.seat))
        # The own deck goes with the seat.
        assert one.match.state.decks[one.seat] == DECKS["hard"]
    assert seats == ({"host", "join"} if seat == "either" else {seat})


def test_the_opponent_plays_as_its_bot_does() -> None:
    bot = find_bot("threshold:15").make(bytes(32))
    env = PazaakGym("threshold:15", seat="join")
    for number in range(10):
        env.reset(seed=number)
        over = False
        while not over:
            action = bot.choose(view(env.match.state, env.seat))
            assert not isinstance(action, Concede)
            _, _, over, _, _ = env.step(number_of(action))
        # The same draws with the same bot asked for both seats.
        both = PazaakAEC()
        both.np_random, _ = seeding.np_random(number)
        both.np_random.bytes(32)
        both.reset()
        while not both.match.over:
            mover = both.match.state.mover
            assert mover is not None
            action = bot.choose(view(both.match.state, mover))
            assert not isinstance(action, Concede)
            both.step(number_of(action))
        assert env.match.state == both.match.state


@pytest.mark.parametrize("opponent", ["random", "expert"])
def test_a_copy_goes_on_as_the_match_does(opponent: str) -> None:
    env = PazaakGym(opponent, seat="host")
    deepcopy(env).reset(seed=1)
    env.reset(seed=1)
    env.step(33)
    copied = deepcopy(env)
    before = env.match.state
    ends = [play_on(each, Random(7)) for each in (copied, env)]
    assert ends[0] == ends[1]
    assert before != env.match.state


def play_on(env: PazaakGym, rng: Random) -> list[bytes]:
    """Play to the end of the match; all that is seen."""
    all_seen, over = [], env.match.over
    while not over:
        seen, _, over, *_ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        all_seen.append(seen["observation"].tobytes())
    return all_seen


def test_a_set_at_a_time() -> None:
    env = PazaakGym("random", reward="set", seat="join")
    for number in range(10):
        env.reset(seed=number)
        over, total = False, 0.0
        while not over:
            choice = np.flatnonzero(env.action_masks())[-1]  # stand
            _, reward, over, _, _ = env.step(choice)
            total += reward
        won = env.match.state.won
        assert total == won[1] - won[0]


def test_an_action_that_is_not_legal_loses_the_match() -> None:
    env = PazaakGym("careful", seat="host", reward="set")
    env.reset(seed=1)
    seen, reward, over, cut, info = env.step(35)
    assert (reward, over, cut, info) == (-3.0, True, False, {"illegal": True})
    assert not seen["action_mask"].any()
    env.reset(seed=1)
    with pytest.raises(IndexError):
        env.step(-1)


@pytest.mark.parametrize("action", [3.7, 3.0, np.float32(3), "3", None, np.array([3, 4])])
def test_what_is_no_whole_number_is_no_action(action: Any) -> None:
    env = PazaakGym(seat="host")
    env.reset(seed=1)
    both = PazaakAEC()
    both.reset(seed=1)
    before = env.match.state, both.match.state
    for step in (env.step, both.step):
        with pytest.raises(TypeError):
            step(action)
    assert (env.match.state, both.match.state) == before


def test_any_kind_of_whole_number_is_one() -> None:
    env = PazaakGym(seat="host")
    ends = set()
    for action in (33, np.int64(33), np.int8(33), np.array(33)):
        env.reset(seed=1)
        env.step(action)  # type: ignore[arg-type]
        ends.add(repr(env.match.state))
    assert len(ends) == 1


def test_a_bot_that_concedes_before_anything(tmp_path: Path) -> None:
    script = tmp_path / "gives-up.txt"
    script.write_text("concede\n")
    env = PazaakGym(f"script:{script}", seat="join")
    ends: set[tuple[Any, ...]] = set()
    for number in range(8):
        seen, _ = env.reset(seed=number)
        if not env.match.over:
            assert env.match.state.opener is env.seat
            seen, *_ = env.step(33)  # the bot's first turn comes now
        else:
            assert not seen["action_mask"].any()
            seen, reward, over, _, info = env.step(33)
            ends.add((reward, over, tuple(info)))
        assert env.match.over
    assert ends == {(1.0, True, ())}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"opponent": "nobody"}, UnknownBot),
        ({"opponent": "cmd:true"}, UnknownBot),
        ({"rules": "chess"}, RulesOptionError),
        ({"deck": "+1 +2"}, DeckError),
        ({"deck": "supper"}, UnknownDeck),
        ({"rules": "kotor1", "opponent_deck": "hard"}, DeckError),
        ({"seat": "both"}, ValueError),
        ({"reward": "glory"}, ValueError),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        PazaakGym(**options)


def test_a_seat_sees_its_view() -> None:
    env = PazaakGym()
    seen, _ = env.reset(seed=4)
    expected = observe(view(env.match.state, env.seat))
    assert {name: part.tolist() for name, part in seen.items()} == {
        name: part.tolist() for name, part in expected.items()
    }


def test_the_example_of_the_readme() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    section = text.split("## For learning programs\n")[1].split("\n## ")[0]
    code = section.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    match = names["env"].unwrapped.match
    assert match.over
    assert abs(names["reward"]) == 1
    assert f"the {ACTIONS} actions" in section
