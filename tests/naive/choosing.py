"""What random matches are made of: options, side decks, cards to draw, players, foul moves.

Works on the naive engine's dicts alone, so that a mistake of the package cannot steer its test.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.naive.engine import GOLD, ORDINARY, Match, Move, total, unplayed, values_of

Chooser = Callable[[Random, Match, list[Move]], Move]
Drawer = Callable[[Random, Match], int]


def options(rng: Random) -> Match:
    """Any combination of options; short matches more often than long ones."""
    return {
        "copies": rng.choice(["unlimited", "limited"]),
        "gold": rng.random() < 0.85,
        "opener": rng.choice(["alternate", "loser", "winner", "random", "host"]),
        "auto_stand": rng.random() < 0.7,
        "nine": rng.choice(["win", "win", "stand"]),
        "tiebreaker": rng.choice(["played", "last", "at-tie"]),
        "sets": rng.choice([1, 1, 2, 2, 3, 3, 4, 9]),
        "max_sets": rng.choice([None, None, None, 1, 2, 4, 7, 15, 999]),
        "turn_seconds": rng.choice([None, 5, 60, 3600]),
    }


def side_deck(rng: Random, rules: Match) -> list[str]:
    """Ten cards, mostly legal; one in fifty is left as it came, so R3 has something to refuse."""
    style = rng.random()
    if style < 0.25:
        pool = ["+-1T", "+-1T", "2&4", "3&6", "D", "1+-2", "-6", "-4", "+-6"]
    elif style < 0.45:
        pool = GOLD
    elif style < 0.6:
        pool = rng.sample(ORDINARY + GOLD, 4)
    else:
        pool = ORDINARY + GOLD
    as_it_comes = rng.random() < 0.02
    deck: list[str] = []
    size = rng.choice([9, 10, 10, 10, 11]) if as_it_comes else 10
    while len(deck) < size:
        card = rng.choice(pool)
        if not as_it_comes:
            if card in GOLD and not rules["gold"]:
                card = rng.choice(ORDINARY)
            most = 10 if rules["copies"] == "unlimited" else 2 if card in GOLD else 4
            if deck.count(card) >= most:
                card = rng.choice(ORDINARY)
                if deck.count(card) >= 4:
                    continue
        deck.append(card)
    return deck


# --- cards to draw ----------------------------------------------------------------------------


def any_card(rng: Random, match: Match) -> int:
    green: list[int] = match["green"]
    return green[int(rng.random() * len(green))]


def low_card(rng: Random, match: Match) -> int:
    """Nine cards come up with these."""
    return min(any_card(rng, match), any_card(rng, match), any_card(rng, match))


def twenty(rng: Random, match: Match) -> int:
    """The card that makes exactly 20, if there is one."""
    missing: int = 20 - total(match, match["who"])
    return missing if missing in match["green"] else any_card(rng, match)


def draw_style(rng: Random) -> Drawer:
    style = rng.random()
    return any_card if style < 0.6 else low_card if style < 0.9 else twenty


# --- players ----------------------------------------------------------------------------------


def anything(rng: Random, match: Match, moves: list[Move]) -> Move:
    return moves[int(rng.random() * len(moves))]


def sensible(rng: Random, match: Match, moves: list[Move]) -> Move:
    """Stands high, mends a bust, ends low: sets that go to the end, and ties."""
    mine = total(match, match["who"])
    if match["phase"] == "act" and len(moves) > 2 and (mine > 20 or rng.random() < 0.3):
        for move in moves[:-2]:
            if move[3] and 17 <= mine + move[3] <= 20:
                return move
        if mine > 20:
            return moves[int(rng.random() * len(moves))]
    if match["phase"] == "tie":
        return moves[0] if rng.random() < 0.8 else moves[-1]
    return ("stand",) if mine >= 16 else ("end",)


def long_table(rng: Random, match: Match, moves: list[Move]) -> Move:
    """Fills the table: minus cards and flips when high, never stands while it can go on."""
    mine = total(match, match["who"])
    if match["phase"] == "tie":
        return moves[0]
    if len(moves) > 2 and (mine > 13 or rng.random() < 0.2):
        lowering = [m for m in moves[:-2] if m[3] <= 0]
        if lowering:
            return lowering[int(rng.random() * len(lowering))]
    return ("end",)


def golden(rng: Random, match: Match, moves: list[Move]) -> Move:
    """Uses D, flips and tiebreakers as soon as it can."""
    if len(moves) > 2 and match["phase"] == "act":
        gold = [m for m in moves[:-2] if m[2] in GOLD]
        if gold and rng.random() < 0.7:
            return gold[int(rng.random() * len(gold))]
    return sensible(rng, match, moves)


PLAYERS: list[Chooser] = [anything, sensible, sensible, long_table, golden]


# --- foul moves -------------------------------------------------------------------------------


def foul(rng: Random, match: Match) -> Move:
    """A move that is probably, not certainly, against the rules."""
    who = match["who"] or "host"
    kind = rng.random()
    if kind < 0.6:
        hand = match["hand"][who]
        at = rng.choice(hand) if hand and rng.random() < 0.8 else rng.randint(-1, 10)
        if 0 <= at <= 9 and rng.random() < 0.8:
            card = match["decks"][who][at]
        else:
            card = rng.choice(ORDINARY + GOLD)
        if rng.random() < 0.5 and match["phase"] == "act":
            return ("play", at, card, rng.choice(values_of(match, card)))
        return ("play", at, card, rng.randint(-10, 10))
    if kind < 0.7:
        return ("draw", rng.randint(0, 11))
    if kind < 0.8:
        left = unplayed(match, who)
        return ("lay", rng.choice(left) if left and rng.random() < 0.5 else rng.randint(-1, 10))
    if kind < 0.86:
        return (rng.choice(["end", "stand", "pass"]),)
    if kind < 0.9:
        return ("first", rng.choice(["host", "join"]))
    if kind < 0.94:
        return ("opening", rng.randint(0, 11), rng.randint(0, 11))
    if kind < 0.97:
        size = rng.choice([3, 4, 4, 4, 5])
        return (
            "deal",
            tuple(rng.randint(0, 10) for _ in range(size)),
            tuple(rng.sample(range(10), 4)),
        )
    return ("leave", rng.choice(["host", "join"]), rng.choice(["normal", "cap", "concession"]))
