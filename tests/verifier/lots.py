"""What a lot decides (section 7). The lot itself is 32 bytes, uniform if one peer is honest."""

from .frames import digest, number, u8

FULL_DECK = (4,) * 10


def hand(lot: bytes, seat: int) -> list[int]:
    """The positions of the four hand cards of a seat, in the order dealt (R4)."""
    positions = list(range(10))
    for i in range(4):
        j = i + number(digest("deal", lot, u8(seat), u8(i))) % (10 - i)
        positions[i], positions[j] = positions[j], positions[i]
    return positions[:4]


def nth(deck: list[int], index: int) -> int:
    """The rank of the card with this index in the ascending deck; deck counts by rank."""
    ranks = [rank for rank, count in enumerate(deck, start=1) for _ in range(count)]
    return ranks[index]


def opening(lot: bytes) -> int | None:
    """The seat that opens the first set, or None if both cards are equal (R5)."""
    deck = list(FULL_DECK)
    host = nth(deck, number(digest("opening", lot, u8(0))) % 40)
    deck[host - 1] -= 1
    join = nth(deck, number(digest("opening", lot, u8(1))) % 39)
    if host == join:
        return None
    return 0 if host > join else 1


def opener(lot: bytes) -> int:
    """The seat that opens a later set under `opener: random` (R6)."""
    return number(lot) % 2


def draw(lot: bytes, deck: list[int]) -> int:
    """The rank of the green card that is drawn (R7); the deck is left alone."""
    return nth(deck, number(lot) % sum(deck))
