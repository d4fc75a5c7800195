"""Pazaak for learning programs, as PettingZoo and Gymnasium have it; needs the extra ``rl``.

:func:`env` is for two who learn (or one against itself), :class:`PazaakGym` for one against a bot;
both are over the rules engine, without peers and network, and a learner sees what its seat may see
and nothing else. ``actions.py`` and ``observation.py`` have the numbering. Gymnasium also makes the
second by its name: ``gymnasium.make("pazaak_p2p.rl:Pazaak-v0", opponent="careful")``.

>>> from pazaak_p2p.rl import env
>>> match = env(decks=("starter", "+1 +2 +3 +4 +5 +6 D D D D"))
>>> match.reset(seed=7)
>>> for seat in match.agent_iter():
...     seen, reward, over, cut, info = match.last()
...     choices = seen["action_mask"]
...     match.step(None if over else match.action_space(seat).sample(choices))
"""

try:
    import gymnasium
    import pettingzoo  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"pazaak_p2p.rl needs {error.name}. Type: pip install 'pazaak-p2p[rl]'", name=error.name
    ) from error

from pazaak_p2p.rl.actions import ACTIONS, MOVES, Move, action_mask, action_of, number_of
from pazaak_p2p.rl.match import Reward
from pazaak_p2p.rl.observation import FIELDS, observe
from pazaak_p2p.rl.one_seat import PazaakGym
from pazaak_p2p.rl.two_seats import PazaakAEC, env

gymnasium.register("Pazaak-v0", entry_point="pazaak_p2p.rl:PazaakGym")

__all__ = [
    "ACTIONS",
    "FIELDS",
    "MOVES",
    "Move",
    "PazaakAEC",
    "PazaakGym",
    "Reward",
    "action_mask",
    "action_of",
    "env",
    "number_of",
    "observe",
]
