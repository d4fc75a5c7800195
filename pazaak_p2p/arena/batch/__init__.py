"""Many matches at once, by NumPy: for studies of decks and simple policies.

>>> from pazaak_p2p.arena.batch import simulate, threshold_policy
>>> from pazaak_p2p.rules import DECKS, Rules
>>> deck, policy = DECKS["balanced"], threshold_policy(17)
>>> played = simulate(Rules(), (deck, deck), (policy, policy), matches=10_000, seed=1)
>>> bool(0.47 < (played.won[:, 0] == 3).mean() < 0.53)
True
"""

from pazaak_p2p.arena.batch.chance import Chance, Given, Shuffled
from pazaak_p2p.arena.batch.match import Played, play, simulate
from pazaak_p2p.arena.batch.policy import Policy, threshold_policy

__all__ = [
    "Chance",
    "Given",
    "Played",
    "Policy",
    "Shuffled",
    "play",
    "simulate",
    "threshold_policy",
]
