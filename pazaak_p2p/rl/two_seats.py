"""The PettingZoo environment: both seats are agents, and each is asked when it has a choice."""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar, Final, TypeAlias

from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.random import Generator
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from pazaak_p2p.rl.actions import ACTIONS
from pazaak_p2p.rl.ansi import render
from pazaak_p2p.rl.match import STANDARD_DECK, STANDARD_RULES, Match, Reward, setting_of
from pazaak_p2p.rl.observation import Observation, observation_space, observe
from pazaak_p2p.rules import Rules, Seat, SideDeck, view

AGENTS: Final = ("host_0", "join_1")
"""The seats as PettingZoo names agents."""

Environment: TypeAlias = AECEnv[str, Observation, int | None]


class PazaakAEC(AECEnv[str, Observation, int | None]):  # type: ignore[misc]
    """A match between the agents ``host_0`` and ``join_1``.

    *rules*, *decks* (host, join) and *reward* are as :func:`~pazaak_p2p.rl.match.setting_of` takes
    them, and raise what it raises. Who is asked may be asked again at once: to play a card and to
    end the turn are two actions (R8, R9). An action that is not legal loses the match, with
    ``infos[agent]["illegal"]``; a number that is none raises ``IndexError``, and
    what is no whole number ``TypeError``.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "pazaak_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: Rules | str = STANDARD_RULES,
        decks: tuple[SideDeck | str, SideDeck | str] = (STANDARD_DECK, STANDARD_DECK),
        reward: str = Reward.MATCH,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._setting = setting_of(rules, decks, reward)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}
        self.np_random: Generator | None = None
        self.match: Match
        """The match that is on, with all that is hidden; after :meth:`reset`."""

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match. All of it follows from *seed*; without one, chance goes on as it was."""
        if seed is not None or self.np_random is None:
            self.np_random, self.np_random_seed = seeding.np_random(seed)
        self.match = Match(self._setting, self.np_random)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection = None
        self._select()

    def _select(self) -> None:
        mover = self.match.state.mover
        assert mover is not None
        self.agent_selection = AGENTS[mover]

    def observe(self, agent: str) -> Observation:
        return observe(view(self.match.state, Seat(AGENTS.index(agent))))

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError(f"{agent} has a choice to make")
        host = self.match.choose(index(action))
        self._cumulative_rewards[agent] = 0
        self.rewards = dict(zip(AGENTS, (host, -host), strict=True))
        if self.match.over:
            self.terminations = dict.fromkeys(AGENTS, True)
            if self.match.illegal is not None:
                self.infos[AGENTS[self.match.illegal]]["illegal"] = True
        else:
            self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Both hands and tables as text, with ``render_mode="ansi"``."""
        return render(self.match.state) if self.render_mode == "ansi" else None


def env(**options: Any) -> Environment:
    """A :class:`PazaakAEC`, made of *options*, that says so where it is used before a reset."""
    return OrderEnforcingWrapper(PazaakAEC(**options))
