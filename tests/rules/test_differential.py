"""The rules engine against the naive one on random matches (tests/naive/differential.py).

A chunk is the same matches in every run; ``python -m tests.naive.differential`` plays others.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.naive.differential import play

CHUNKS = 6
MATCHES = 1_000

# What must come up in every chunk; without these the agreement would prove little.
SETS = ["higher", "bust", "bust with a full table", "nine", "nine against a standing player"]
TIES = ["tie", "tiebreaker", "lay", "pass"]
ENDS = ["normal", "cap", "concession", "time"]
GOLD = [f"play {card}" for card in ("+-1T", "1+-2", "2&4", "3&6", "D")]
REFUSALS = [f"refused R{rule}" for rule in (1, 4, 5, 6, 7, 8, 9, 14, 15, 17, 21)]
KINDS = [*SETS, *TIES, *ENDS, *GOLD, *REFUSALS, "refused nothing", "deck refused"]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_R1_to_R21_both_engines_agree_on_random_matches(chunk: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(chunk * MATCHES, (chunk + 1) * MATCHES):
        seen.update(play(number))
    assert [kind for kind in KINDS if not seen[kind]] == []
    assert seen["moves"] > 50 * MATCHES
