"""Random rule sets and decks, and whole matches by them."""

from __future__ import annotations

from random import Random

from pazaak_p2p.rules import (
    CARDS,
    DECKS,
    Copies,
    DeckError,
    Nine,
    Opener,
    Rules,
    SideDeck,
    Tiebreaker,
    check_deck,
)


def random_rules(rng: Random) -> Rules:
    """Any rule set that ends: every option, up to 9 sets to win and at most 12 to play."""
    return Rules(
        copies=rng.choice(list(Copies)),
        gold=rng.random() < 0.8,
        opener=rng.choice(list(Opener)),
        auto_stand=rng.random() < 0.7,
        nine=rng.choice(list(Nine)),
        tiebreaker=rng.choice(list(Tiebreaker)),
        sets=rng.randint(1, 9),
        max_sets=rng.randint(1, 12),
    )


def random_deck(rng: Random, rules: Rules) -> SideDeck:
    """Any ten cards that *rules* allow; a shipped deck now and then."""
    while True:
        if rng.random() < 0.2:
            deck = rng.choice(list(DECKS.values()))
        else:
            # Few kinds, so that odd hands come up.
            kinds = rng.sample(CARDS, rng.randint(3, 10))
            deck = tuple(rng.choice(kinds) for _ in range(10))
        try:
            check_deck(deck, rules)
        except DeckError:
            continue
        return deck
