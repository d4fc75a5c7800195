"""Streaks and luck in plain words."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.store.luck import FEWEST, Count, Luck
from pazaak_p2p.store.tallies import Streaks

# Chances below which a deck is called a little uneven, uneven, and not fair.
_SELDOM: Final = 0.05
_ODD: Final = 0.01
_VERY_ODD: Final = 0.0001
# How far from what was expected chance strays once in twenty times, and once in four hundred.
_FAR: Final = 1.96
_VERY_FAR: Final = 3.0


def deck_words(luck: Luck) -> str:
    """Whether the deck was fair, as far as its draws can tell."""
    if not luck.enough:
        return (
            f"{luck.draws} draws are too few to tell; each card should have been expected"
            f" {FEWEST} times."
        )
    chance = luck.chance
    told = f"chi-squared is {luck.chi_squared:.1f} over {luck.draws} draws (9 is usual)"
    if chance >= _SELDOM:
        times = f"{chance * 100:.0f} of 100"
        return f"nothing odd; {times} fair decks would stray at least as far: {told}."
    if chance >= _ODD:
        return f"a little uneven, as 1 fair deck in {1 / chance:.0f} is: {told}."
    if chance >= _VERY_ODD:
        return (
            f"uneven. Only 1 fair deck in {1 / chance:.0f} strays so far: {told}. Once is chance;"
            " if it stays so with more matches, look into it: pazaak verify checks every draw."
        )
    return (
        f"NOT what a fair deck gives; less than 1 in {1 / _VERY_ODD:.0f} strays so far: {told}."
        " Check the records: pazaak verify."
    )


def count_words(count: Count) -> str:
    """How often something came, and what to think of it."""
    times = {1: "once", 2: "twice"}.get(count.came, f"{count.came} times")
    told = f"{times}; {count.expected:.1f} were to be expected"
    away = abs(count.deviation)
    if away < _FAR:
        return f"{told}, which is well within chance"
    side = "more" if count.deviation > 0 else "fewer"
    if away < _VERY_FAR:
        return f"{told}: {side} than usual, as happens to 1 in 20"
    return f"{told}: {side} than chance gives to 1 in 300"


def streak_words(streaks: Streaks) -> str:
    """The present streak and the longest ones."""
    now = streaks.now
    present = "none now" if not now else f"{abs(now)} {'won' if now > 0 else 'lost'} now"
    return f"{present}; at most {streaks.won} won and {streaks.lost} lost in a row"
