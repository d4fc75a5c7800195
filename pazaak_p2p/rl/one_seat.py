"""The Gymnasium environment: one seat learns, in the other sits a bot."""

from __future__ import annotations

from copy import deepcopy
from operator import index
from typing import Any, Final, Self

import gymnasium
import numpy as np
from gymnasium import spaces

from pazaak_p2p.bots import Bot, find_bot
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rl.actions import ACTIONS, Mask, action_mask
from pazaak_p2p.rl.ansi import render
from pazaak_p2p.rl.match import STANDARD_DECK, STANDARD_RULES, Match, Reward, setting_of
from pazaak_p2p.rl.observation import Observation, observation_space, observe
from pazaak_p2p.rules import Rules, Seat, SideDeck, view

_SEATS: Final = {"host": Seat.HOST, "join": Seat.JOIN, "either": None}


class PazaakGym(gymnasium.Env[dict[str, Any], np.int64]):
    """A match against the bot *opponent*, as in ``master`` or ``threshold:17``.

    *seat* is ``host``, ``join`` or ``either``: drawn anew for every match. *rules* and *reward* are
    as :func:`~pazaak_p2p.rl.match.setting_of` takes them, *deck* and *opponent_deck* as one of its
    decks; what is wrong with them, or with the bot, is raised. ``action_masks()``, or
    ``action_mask`` in the observation, says what is legal. An action that is not loses the match,
    with ``illegal`` in the info; a number that is none raises ``IndexError``, and what is
    no whole number ``TypeError``.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        opponent: str = "careful",
        rules: Rules | str = STANDARD_RULES,
        deck: SideDeck | str = STANDARD_DECK,
        opponent_deck: SideDeck | str = STANDARD_DECK,
        seat: str = "either",
        reward: str = Reward.MATCH,
        render_mode: str | None = None,
    ) -> None:
        self._opponent = find_bot(opponent, runs_programs=False)
        decks = (deck, opponent_deck)
        self._settings = (
            setting_of(rules, decks, reward),
            setting_of(rules, (opponent_deck, deck), reward),
        )
        if seat not in _SEATS:
            raise ValueError(f"the seat is one of {', '.join(_SEATS)}, not {seat!r}")
        self._seat_choice = _SEATS[seat]
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(ACTIONS)
        self._bot: Bot
        self._owed = 0  # won or lost before the own seat was asked: a script may concede at once
        self.seat: Seat
        """The own seat in the match that is on; after :meth:`reset`."""
        self.match: Match
        """The match, with all that is hidden."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new match. All of it follows from *seed*; without one, chance goes on as it was."""
        super().reset(seed=seed)
        chosen = self._seat_choice
        self.seat = Seat(int(self.np_random.integers(2))) if chosen is None else chosen
        self._bot = self._opponent.make(self.np_random.bytes(32))
        self.match = Match(self._settings[self.seat], self.np_random)
        self._owed = self._answer()
        return self._seen(), {}

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        number, host = index(action), 0
        if not self.match.over:
            host = self.match.choose(number) + self._answer()
        host, self._owed = host + self._owed, 0
        info = {} if self.match.illegal is None else {"illegal": True}
        reward = host if self.seat is Seat.HOST else -host
        return self._seen(), float(reward), self.match.over, False, info

    def _answer(self) -> int:
        """The bot plays until the own seat has a choice; what that brings the host."""
        match, host, other = self.match, 0, self.seat.other
        while match.state.mover is other:
            choice = self._bot.choose(view(match.state, other))
            host += match.give_up() if isinstance(choice, Concede) else match.act(choice)
        return host

    def _seen(self) -> Observation:
        return observe(view(self.match.state, self.seat))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The same match a second time, for who tries out what comes of a choice."""
        if not self._opponent.remembers and hasattr(self, "_bot"):
            memo[id(self._bot)] = self._bot  # its tables are large, and never change
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        vars(made).update(deepcopy(vars(self), memo))
        return made

    def action_masks(self) -> Mask:
        """What is legal now, under the name by which learning libraries ask for it."""
        return action_mask(self.match.state)

    def render(self) -> str | None:
        """Both hands and tables as text, with ``render_mode="ansi"``."""
        return render(self.match.state) if self.render_mode == "ansi" else None
