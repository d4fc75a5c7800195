"""How long a strong bot takes to choose, on one core, with nothing worked out before.

    python -m benchmarks.bot_latency [--bot NAME] [--matches N] [--hands N] [--processes N]

Four things are measured, by processor time: the choices of matches with any decks that ship, all
that was worked out being forgotten before each match; the first choice with any hand of any cards,
all forgotten before each; the same late in long matches, as after ``pazaak resume``; and in fresh
processes the loading of the tables and the first choice.
The limit is 50 ms for every choice, 2 s for the tables.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from random import Random

from benchmarks.policies import maker
from pazaak_p2p.bots import Bot, find_bot
from pazaak_p2p.bots.by_rules import play_match
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import CARDS, DECKS, Action, Rules, SideDeck, View

LIMIT = 0.05
LIMIT_LOADING = 2.0
RULES = Rules(max_sets=99)


class Timed:
    """A bot whose time is taken."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.seconds: list[float] = []

    def choose(self, view: View) -> Action | Concede:
        began = time.process_time()
        action = self._bot.choose(view)
        self.seconds.append(time.process_time() - began)
        return action


def forget() -> None:
    from pazaak_p2p.bots.solved.belief import shipped_believer
    from pazaak_p2p.bots.solved.book import shipped_book

    shipped_book().forget()
    shipped_believer().forget()


def matches(name: str, count: int) -> Timed:
    timed = Timed(find_bot(name).make(bytes(32)))
    names = sorted(DECKS)
    for number in range(count):
        forget()
        rng = Random(f"latency {number}")
        decks = DECKS[rng.choice(names)], DECKS[rng.choice(names)]
        play_match(RULES, decks, (timed, find_bot("careful").make(bytes(32))), rng)
    return timed


def hands(name: str, count: int) -> Timed:
    """The first choice of a match to be thought about, with any four cards."""
    timed = Timed(find_bot(name).make(bytes(32)))
    for number in range(count):
        rng = Random(f"latency hands {number}")
        deck = tuple(rng.choice(CARDS) for _ in range(10))
        view = first_view(deck, rng)
        forget()
        timed.choose(view)
    return timed


def resumed(name: str, count: int) -> Timed:
    """The first choice to be thought about, late in a match to nine sets, against several bots."""
    timed = Timed(find_bot(name).make(bytes(32)))
    others = ("plain:17", "hoard:17", "careful", "random")
    for number in range(count):
        rng = Random(f"latency resumed {number}")
        looking = Looking(find_bot("careful").make(b""))
        deck = DECKS[sorted(DECKS)[number % len(DECKS)]]
        bots = looking, maker(others[number % len(others)])(rng.randbytes(32))
        while not looking.found:
            play_match(Rules(sets=9, max_sets=99), (deck, deck), bots, rng)
        forget()
        timed.choose(looking.found[-1])
    return timed


class Looking:
    """A bot whose views, from 11 on, are kept."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.found: list[View] = []

    def choose(self, view: View) -> Action | Concede:
        if view.total > 10 and view.opponent_cards and not view.opponent_stands:
            self.found.append(view)
        return self._bot.choose(view)


def first_view(deck: SideDeck, rng: Random) -> View:
    while True:
        looking = Looking(find_bot("careful").make(b""))
        play_match(RULES, (deck, deck), (looking, find_bot("careful").make(b"")), rng)
        for view in looking.found:
            if len(view.hand) == 4:
                return view


def fresh(name: str, number: int) -> tuple[float, float]:
    """The seconds of loading and of the first choice."""
    view = first_view(DECKS[sorted(DECKS)[number % len(DECKS)]], Random(f"fresh {number}"))
    began = time.process_time()
    bot = find_bot(name).make(bytes(32))
    loaded = time.process_time()
    bot.choose(view)
    return loaded - began, time.process_time() - loaded


def told(what: str, seconds: list[float], limit: float) -> bool:
    ordered = sorted(seconds)
    p50, p95 = (ordered[int(len(ordered) * share)] * 1e3 for share in (0.5, 0.95))
    most = ordered[-1]
    verdict = "reached" if most < limit else "MISSED"
    print(
        f"{what:<34} {len(ordered):>6}  p50 {p50:6.2f} ms  p95 {p95:6.2f} ms"
        f"  max {most * 1e3:6.1f} ms (limit {limit * 1e3:.0f}: {verdict})",
        flush=True,
    )
    return most < limit


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bot_latency")
    parser.add_argument("--bot", default="master")
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--hands", type=int, default=500)
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--fresh", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.fresh is not None:
        print(*fresh(options.bot, options.fresh))
        return 0
    reached = True
    for what, timed in (
        ("choices of matches", matches(options.bot, options.matches)),
        ("first choices, any hand", hands(options.bot, options.hands)),
        ("first choices, late in a match", resumed(options.bot, (options.hands + 3) // 4)),
    ):
        reached &= told(what, timed.seconds, LIMIT)
    loading, first = [], []
    for number in range(options.processes):
        command = [sys.executable, "-m", "benchmarks.bot_latency", "--bot", options.bot]
        run = subprocess.run(
            [*command, "--fresh", str(number)], capture_output=True, text=True, check=True
        )
        load, choice = map(float, run.stdout.split())
        loading.append(load)
        first.append(choice)
    reached &= told("fresh processes: NumPy and tables", loading, LIMIT_LOADING)
    reached &= told("fresh processes: the first choice", first, LIMIT)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
