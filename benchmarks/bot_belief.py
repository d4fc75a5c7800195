"""How well master knows what the opponent holds, and what it will do next.

    python -m benchmarks.bot_belief [--matches N] [--bots NAME...] [--watcher NAME]

Matches of each bot or policy (policies.py) against *watcher*, half of them with the decks that
ship, half with random ones. Before every turn of the bot master is asked how likely each outcome of
that turn is, given the green card. Told is the mean of -log(chance) of what the bot then did, in
nats, less is better: by the habits of the tables alone, and corrected by the belief over its hand;
the gain with its standard error (over matches); and how much likelier the true hand is by the
belief than by the cards used alone (the mean of the logarithm, and the share of turns).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from benchmarks.policies import maker
from pazaak_p2p.bots import Bot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.bots.solved.belief import Believer, shipped_believer
from pazaak_p2p.bots.solved.book import Book, read_all, shipped_book
from pazaak_p2p.bots.solved.hands import Kinds, kinds
from pazaak_p2p.bots.solved.leaves import scaled
from pazaak_p2p.bots.solved.tables import BUST, OUTCOMES, STOOD, USED
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    CARDS,
    DECKS,
    SLOTS,
    TARGET,
    Action,
    Phase,
    Play,
    Rules,
    SideDeck,
    Stand,
    View,
    public,
    total_after,
)

RULES = Rules(max_sets=99)
BOTS = ("master", "expert", "careful", "classic", "threshold", "totals:18:20")
_MIXED = 0.02
"""With so much of all outcomes alike, so that none is impossible."""


class Turn(NamedTuple):
    """A turn that somebody took."""

    before: View
    """What the other side saw before the draw."""
    drawn: int
    hand: Kinds
    """What was really held."""
    outcome: int
    """In the order of the tables."""


class Watched:
    """A bot whose turns are kept; but not those that fill its table (R16), or begin with 20."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.turns: list[Turn] = []
        self._used = 0

    def choose(self, view: View) -> Action | Concede:
        action = self._bot.choose(view)
        if view.state.phase is not Phase.ACT or view.total == TARGET:
            return action
        if not view.state.played:
            self._used = 0
            hand = kinds(held.card for held in view.hand if held.card)
            self._begun = other_view(view), view.table[-1].value, hand
        if isinstance(action, Play):
            self._used = USED
            made = total_after(view.state, action)
            if made == TARGET and len(view.table) + 1 < SLOTS:
                self._end(STOOD + made)
        elif len(view.table) < SLOTS:
            stood = STOOD * isinstance(action, Stand)
            self._end(BUST if view.total > TARGET else stood + max(view.total, 0))
        return action

    def _end(self, outcome: int) -> None:
        self.turns.append(Turn(*self._begun, self._used + outcome))


def other_view(view: View) -> View:
    """What the other side saw before the green card was drawn that *view*'s side has just drawn."""
    state, me = view.state, view.seat
    rank = view.table[-1].value
    tables, totals = list(state.tables), list(state.totals)
    tables[me], totals[me] = tables[me][:-1], totals[me] - rank
    return View(
        me.other,
        replace(
            public(state),
            tables=(tables[0], tables[1]),
            totals=(totals[0], totals[1]),
            deck=bytes(sorted((*state.deck, rank))),
        ),
    )


def chance(turn: Turn, book: Book, believer: Believer | None) -> float:
    """How likely that turn was, for one who saw what was before it."""
    view, drawn = turn.before, turn.drawn
    rules = view.state.rules
    score = scaled((rules.sets - view.won, rules.sets - view.opponent_won))
    foresight = book.habits(score)
    who = foresight if believer is None else believer.foresight(view, foresight)
    ranks = np.eye(10)[drawn - 1]
    total = min(max(view.total, 0), TARGET)
    stands = int(view.stands)
    own = len(view.hand)
    outcomes = who.turn(own, view.opponent_cards, stands, total, view.opponent_total, ranks)
    return float((1 - _MIXED) * outcomes[turn.outcome] + _MIXED / OUTCOMES)


def likelier(turn: Turn, believer: Believer) -> float | None:
    """By how much, as a logarithm, the true hand is likelier than before anything was seen; None
    where nothing was, or where that hand was thought impossible.
    """
    belief = believer.belief(turn.before)
    if belief is None:
        return None
    before = believer.prior(turn.before).of(turn.hand)
    return math.log(belief.of(turn.hand) / before) if before else None


def random_deck(rng: Random) -> SideDeck:
    return tuple(rng.choice(CARDS) for _ in range(10))


def watched(bot: str, watcher: str, deck: SideDeck, number: int) -> list[Turn]:
    """The turns of *bot* in one match."""
    rng = Random(f"belief {number}")
    watching = Watched(maker(bot)(rng.randbytes(32)))
    other = maker(watcher)(rng.randbytes(32))
    bots: tuple[Bot, Bot] = (watching, other) if number % 2 else (other, watching)
    play_match(RULES, (deck, deck), bots, rng)
    return watching.turns


def measure(name: str, decks: str, matches: list[list[Turn]]) -> None:
    book, believer = shipped_book(), shipped_believer()
    gains, losses, known = [], [], []
    for match in matches:
        turns = [turn for turn in match if turn.before.opponent_cards]
        pairs = [
            (-math.log(chance(turn, book, None)), -math.log(chance(turn, book, believer)))
            for turn in turns
        ]
        losses += pairs
        gains.append((sum(habit - belief for habit, belief in pairs), len(pairs)))
        known += [ratio for turn in turns if (ratio := likelier(turn, believer)) is not None]
    habits, corrected = np.array(losses).mean(axis=0)
    gain, count = np.array(gains).T
    error = np.sqrt(((gain - count * (habits - corrected)) ** 2).sum()) / count.sum()
    true = np.array(known) if known else np.zeros(1)
    print(
        f"{name:<13} {decks:<8} {len(losses):>6} turns  habits {habits:.4f}  belief {corrected:.4f}"
        f"  gain {habits - corrected:+.4f} +- {error:.4f};"
        f"  true hand {true.mean():+.3f} ({(true > 0).mean():.0%} likelier)",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bot_belief")
    parser.add_argument("--matches", type=int, default=90, help="for each bot and kind of decks")
    parser.add_argument("--bots", nargs="+", default=list(BOTS))
    parser.add_argument("--watcher", default="master")
    options = parser.parse_args(arguments)
    read_all(shipped_book())
    shipped = list(DECKS.values())
    for name in options.bots:
        for kind in ("shipped", "random"):
            matches = [
                watched(
                    name,
                    options.watcher,
                    shipped[number % len(shipped)]
                    if kind == "shipped"
                    else random_deck(Random(f"deck {number}")),
                    number,
                )
                for number in range(options.matches)
            ]
            measure(name, kind, matches)
    return 0


if __name__ == "__main__":
    sys.exit(main())
