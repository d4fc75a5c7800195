"""Plans of arenas for tests."""

from __future__ import annotations

from string import ascii_lowercase

from pazaak_p2p.arena.plan import Entrant, Plan
from pazaak_p2p.arena.sprt import Sprt
from pazaak_p2p.rules import DECKS, Rules


def plan_of(
    *bots: str,
    matches: int = 4,
    fast: bool = True,
    gauntlet: bool = False,
    sprt: Sprt | None = None,
    move_seconds: float = 60.0,
    seed: str = "s",
    rules: Rules | None = None,
) -> Plan:
    """An arena of *bots*, all with the same deck, called a, b, c ..."""
    players = tuple(
        Entrant(ascii_lowercase[at], bot, DECKS["balanced"], "balanced")
        for at, bot in enumerate(bots)
    )
    rules = rules or Rules(max_sets=99)
    return Plan(players, rules, seed, matches, gauntlet, fast, move_seconds, sprt)
