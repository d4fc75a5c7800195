"""What an arena is to play: who against whom, how often, and from which seeds.

The whole schedule follows from the plan, so a game is known by its number alone. Games come in
pairs on the same seed with the seats swapped, and the decks with them: as all that is drawn by lot
follows from the seeds of the two seats, the first of a pairing gets in the second game the places
in the side deck, and the draws, that the other had in the first. (Lots are numbered through a
match, so once a set has taken more draws than it did in the first game, later sets get other cards.
By the rules alone each set has draws of its own, and that does not happen.) Pairs go round: first a
pair of each pairing, then another of each, so that the table is fair at any time.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

import msgspec

from pazaak_p2p.arena.sprt import Sprt
from pazaak_p2p.bots.outside_spec import typed_seconds
from pazaak_p2p.rules import Rules, SideDeck

MOST_MATCHES: Final = 1_000_000
"""Of one pairing."""
MOST_ENTRANTS: Final = 64


class Entrant(msgspec.Struct, frozen=True):
    """One who plays: a bot with a side deck."""

    name: str
    """Unlike those of all others, and safe to show."""
    bot: str
    """As typed, for ``find_bot``."""
    deck: SideDeck
    deck_name: str
    """Safe to show."""


class Game(msgspec.Struct, frozen=True):
    """A match of the arena."""

    number: int
    """From 0."""
    pairing: int
    pair: int
    """Which of the pairing's pairs, from 0."""
    swapped: bool
    """Whether the first of the pairing joins: the second game of a pair."""
    host: int
    """An index of the plan's entrants, as ``join`` is."""
    join: int
    seed: str
    """The text that both seats' secrets are derived from; see ``SeedSecrets``."""


class Plan(msgspec.Struct, frozen=True):
    """An arena."""

    entrants: tuple[Entrant, ...]
    rules: Rules
    seed: str
    matches: int
    """Of each pairing; even."""
    gauntlet: bool = False
    """The first against each of the others, in place of all against all."""
    fast: bool = False
    """By the rules alone, without peers and sockets."""
    move_seconds: float = 10.0
    """How long a bot may think about one choice, if it does not say so itself; see
    :func:`seconds_of`."""
    sprt: Sprt | None = None
    """When to stop a pairing early."""

    @property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """Who plays whom, as indices of ``entrants``."""
        others = range(1, len(self.entrants))
        if self.gauntlet:
            return tuple((0, other) for other in others)
        return tuple(combinations(range(len(self.entrants)), 2))

    @property
    def games(self) -> int:
        """How many there are if none is dropped."""
        return len(self.pairings) * self.matches


def is_seed(text: str) -> bool:
    """Whether an arena can have this seed, which is shown as it is."""
    return text != "" and text.isprintable()


def seconds_of(plan: Plan, entrant: Entrant) -> float:
    """How long *entrant* may think about one choice: as its bot says, or else as *plan* does."""
    typed = typed_seconds(entrant.bot)
    seconds = plan.move_seconds if typed is None else typed
    most = plan.rules.turn_seconds  # R21
    return seconds if most is None else min(seconds, most)


def game_of(plan: Plan, pairings: tuple[tuple[int, int], ...], number: int) -> Game:
    """The game *number* of *plan*, whose ``pairings`` are given to save working them out."""
    pair, at = divmod(number, 2 * len(pairings))
    pairing, swapped = divmod(at, 2)
    first, second = pairings[pairing]
    host, join = (second, first) if swapped else (first, second)
    seed = f"{plan.seed} {pairing} {pair}"
    return Game(number, pairing, pair, bool(swapped), host, join, seed)
