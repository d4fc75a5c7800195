"""The 23 side cards, their numbers and values, and legal side decks (section 8, R2, R3)."""

from collections import Counter

CARDS = (
    *(f"+{n}" for n in range(1, 7)),
    *(f"-{n}" for n in range(1, 7)),
    *(f"+-{n}" for n in range(1, 7)),
    "+-1T",
    "1+-2",
    "2&4",
    "3&6",
    "D",
)
NUMBER = {card: number for number, card in enumerate(CARDS, start=1)}
TIEBREAKER = 19
DOUBLE = 23
FLIPS = {21: (2, 4), 22: (3, 6)}


def is_gold(number: int) -> bool:
    """Whether the card with this number is a gold one."""
    return number >= TIEBREAKER


def values(number: int, drawn: int) -> tuple[int, ...]:
    """The values that a card can be played with; `drawn` is the last card on the table."""
    if number <= 6:
        return (number,)
    if number <= 12:
        return (6 - number,)
    if number <= 18:
        return (number - 12, 12 - number)
    return {19: (1, -1), 20: (1, 2, -1, -2), 21: (0,), 22: (0,), 23: (drawn,)}[number]


def deck_is_legal(deck: list[str], limited: bool, gold: bool) -> bool:
    """Whether R3 allows this side deck."""
    counts = Counter(NUMBER[card] for card in deck)
    if not gold and any(is_gold(number) for number in counts):
        return False
    if limited and any(n > (2 if is_gold(number) else 4) for number, n in counts.items()):
        return False
    return len(deck) == 10
