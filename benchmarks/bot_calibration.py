"""Whether master's chances are those with which it wins.

    python -m benchmarks.bot_calibration [--matches N]

Master against itself, each side with any of the decks that ship. Of each match one choice of one
side counts, taken at random; the chances are grouped by tenths.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random

from pazaak_p2p.bots import MasterBot
from pazaak_p2p.bots.by_rules import play_match, share_won
from pazaak_p2p.bots.master import best_of
from pazaak_p2p.rules import DECKS, Action, Rules, View


class Recording:
    """Master, and what it expects of its choices."""

    def __init__(self) -> None:
        self._bot = MasterBot()
        self.expected: list[float] = []

    def choose(self, view: View) -> Action:
        chances = self._bot.chances(view)
        action = best_of(chances)
        self.expected.append(chances[action])
        return action


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bot_calibration")
    parser.add_argument("--matches", type=int, default=1_000)
    matches = parser.parse_args(arguments).matches
    rng = Random("calibration")
    groups: list[list[tuple[float, float]]] = [[] for _ in range(10)]
    names = sorted(DECKS)
    for number in range(matches):
        decks = DECKS[rng.choice(names)], DECKS[rng.choice(names)]
        bots = Recording(), Recording()
        state = play_match(Rules(max_sets=99), decks, bots, Random(number))
        seat = rng.randrange(2)
        expected = rng.choice(bots[seat].expected)
        groups[min(int(expected * 10), 9)].append((expected, share_won(state, seat)))
    print("chance      choices  expected      won  +- one sigma")
    groups.append([pair for group in groups for pair in group])
    for tenth, group in enumerate(groups):
        if not group:
            continue
        count = len(group)
        expected = sum(pair[0] for pair in group) / count
        won = sum(pair[1] for pair in group) / count
        sigma = sum(pair[0] * (1 - pair[0]) for pair in group) ** 0.5 / count
        name = "all" if tenth == 10 else f"{tenth * 10}-{tenth * 10 + 10} %"
        print(f"{name:<11} {count:>7} {expected:>9.1%} {won:>8.1%}  {sigma:.1%}")


if __name__ == "__main__":
    main()
