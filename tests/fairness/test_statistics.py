"""Large seeded runs: everything comes up as often as it should (G1, G3). No seed was chosen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from itertools import combinations, pairwise, permutations

import pytest

from pazaak_p2p.fairness import (
    FULL_DECK,
    MatchSecret,
    deal,
    draw,
    first_move,
    lot,
    opening,
)
from tests.fairness.chi2 import check, check_flat, check_rate, critical

DRAWS = {"both honest": 200_000, "only the host": 100_000, "only the joiner": 100_000}
DEALS = 30_000


def number(*parts: object) -> bytes:
    return sha256(repr(parts).encode()).digest()


def shares(seat: int) -> Callable[[int], bytes]:
    """A seat's shares as our peer derives them, all through one very long match."""
    return MatchSecret(number("secret", seat), number("match"), seat).share


def stubborn(_: int) -> bytes:
    """The shares of a peer that always takes the same: one honest peer must be enough (G1)."""
    return bytes(32)


PEERS = {
    "both honest": (shares(0), shares(1)),
    "only the host": (shares(0), stubborn),
    "only the joiner": (stubborn, shares(1)),
}


@cache
def lots(peers: str, n: int) -> list[bytes]:
    host, join = PEERS[peers]
    return [lot(number("match"), k, host(k), join(k)) for k in range(n)]


def honest(n: int) -> list[bytes]:
    return lots("both honest", DRAWS["both honest"])[:n]


def without(deck: bytes, rank: int) -> bytes:
    at = deck.index(rank)
    return deck[:at] + deck[at + 1 :]


@pytest.mark.parametrize("peers", PEERS)
def test_G1_every_card_comes_up_as_often_as_it_should(peers: str) -> None:
    """Sets of one to forty draws: which ranks come up, and at which places of the deck."""
    places: dict[int, Counter[int]] = defaultdict(Counter)
    ranks = [0] * 11
    expected, variance = [0.0] * 11, [0.0] * 11
    firsts: Counter[int] = Counter()
    deck, left, length = FULL_DECK, [0] + [4] * 10, 1
    for lot_ in lots(peers, DRAWS[peers]):
        size = len(deck)
        rank = draw(lot_, deck)
        for r in range(1, 11):
            p = left[r] / size
            expected[r] += p
            variance[r] += p * (1 - p)
        ranks[rank] += 1
        places[size][int.from_bytes(lot_, "big") % size] += 1
        firsts[rank] += size == 40
        deck = without(deck, rank)
        left[rank] -= 1
        if len(deck) == 40 - length:
            deck, left, length = FULL_DECK, [0] + [4] * 10, length % 40 + 1
    for rank in range(1, 11):
        check_rate(ranks[rank], expected[rank], variance[rank])
    total, freedom = 0.0, 0
    for size in range(2, 41):
        counts = places[size]
        mean = sum(counts.values()) / size
        assert mean > 5
        total += sum((counts[i] - mean) ** 2 / mean for i in range(size))
        freedom += size - 1
    assert total < critical(freedom)
    check_flat(firsts, 10)


def test_G1_no_draw_tells_of_the_next() -> None:
    ranks = [draw(lot_, FULL_DECK) for lot_ in honest(50_000)]
    check_flat(Counter(pairwise(ranks)), 100)
    check_flat(Counter(zip(ranks, ranks[2:], strict=False)), 100)


def test_G1_a_shuffled_deck_is_a_shuffled_deck() -> None:
    # Draw by draw to the last card: where each of the ranks comes is uniform.
    lot_ = iter(honest(40 * 1_500))
    where: dict[int, Counter[int]] = defaultdict(Counter)
    for _ in range(1_500):
        deck = FULL_DECK
        for place in range(40):
            rank = draw(next(lot_), deck)
            deck = without(deck, rank)
            where[rank][place] += 1
    for counts in where.values():
        check_flat(counts, 40)


def test_G4_hands_are_uniform() -> None:
    single: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    sets: tuple[Counter[tuple[int, ...]], ...] = (Counter(), Counter())
    both: Counter[tuple[int, int]] = Counter()
    ordered: Counter[tuple[int, ...]] = Counter()
    for lot_ in honest(DEALS):
        hands = deal(lot_)
        for seat, hand in enumerate(hands):
            for slot, position in enumerate(hand):
                single[seat, slot][position] += 1
            sets[seat][tuple(sorted(hand))] += 1
        ordered[hands[0]] += 1
        both[hands[0][0], hands[1][0]] += 1
    for counts in single.values():
        check_flat(counts, 10)
    for hands_of_seat in sets:
        check_flat(hands_of_seat, len(list(combinations(range(10), 4))))
    check_flat(ordered, len(list(permutations(range(10), 4))))
    check_flat(both, 100)


def test_G1_openings_are_as_two_cards_of_forty() -> None:
    pairs = Counter(opening(lot_) for lot_ in honest(DEALS))
    cells = [(host, join) for host in range(1, 11) for join in range(1, 11)]
    chances = [4 / 40 * (3 if host == join else 4) / 39 for host, join in cells]
    check([pairs[cell] for cell in cells], [chance * DEALS for chance in chances])
    equal = sum(pairs[rank, rank] for rank in range(1, 11))
    check_rate(equal, DEALS * 3 / 39, DEALS * 3 / 39 * 36 / 39)


def test_G1_the_first_move_is_a_coin() -> None:
    heads = sum(first_move(lot_) for lot_ in honest(100_000))
    check_rate(heads, 50_000, 25_000)


# --- the order of a side deck


def orders(n: int) -> list[tuple[int, ...]]:
    """The orders in which a deck is committed to in *n* matches."""
    return [MatchSecret(number("s", i), number("m", i), i % 2).order(10) for i in range(n)]


def test_G3_any_card_can_be_anywhere() -> None:
    drawn = orders(12_000)
    for place in range(10):
        check_flat(Counter(order[place] for order in drawn), 10)
    for card in range(10):
        check_flat(Counter(order.index(card) for order in drawn), 10)
    # Which cards are at places 0, 1, 2, and in which order.
    check_flat(Counter(order[:3] for order in drawn), 10 * 9 * 8)


def test_G3_the_positions_dealt_tell_nothing_of_the_cards() -> None:
    # Whoever knows the deck as written and sees the positions of the hand knows no more of it.
    held: Counter[tuple[int, int]] = Counter()
    for i, order in enumerate(orders(12_000)):
        for position in deal(number("deal", i))[i % 2]:
            held[position, order[position]] += 1
    check_flat(held, 100)


def test_G3_the_order_is_secret_and_new_for_every_match() -> None:
    seen = {
        MatchSecret(number(secret), number(match), seat).order(10)
        for secret in range(20)
        for match in range(20)
        for seat in (0, 1)
    }
    assert len(seen) == 800
