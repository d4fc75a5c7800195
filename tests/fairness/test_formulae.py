"""Known answers: every formula of sections 3 and 7, written out with hashlib and hmac alone."""

from __future__ import annotations

import hashlib
import hmac
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pazaak_p2p import fairness
from pazaak_p2p.fairness import FULL_DECK, MatchSecret, SeedSecrets

ID = bytes(range(32))
SECRET = bytes(range(100, 132))
SALT = bytes(range(200, 232))
LOTS = [hashlib.sha256(b"lot %d" % i).digest() for i in range(300)]
EDGES = [bytes(32), b"\xff" * 32, bytes(31) + b"\x01", b"\x80" + bytes(31)]


def f(tag: bytes, *parts: bytes) -> bytes:
    """frame() as the page writes it."""
    t = b"pazaak/1 " + tag
    return bytes([len(t)]) + t + b"".join(len(p).to_bytes(4, "big") + p for p in parts)


def h(tag: bytes, *parts: bytes) -> bytes:
    return hashlib.sha256(f(tag, *parts)).digest()


def mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


# --- frames


def test_a_frame_byte_by_byte() -> None:
    assert fairness.frame("x") == b"\x0apazaak/1 x"
    assert fairness.frame("lot", b"") == b"\x0cpazaak/1 lot\0\0\0\0"
    assert fairness.frame("lot", b"ab", b"c") == b"\x0cpazaak/1 lot\0\0\0\x02ab\0\0\0\x01c"
    long = bytes(70_000)
    assert fairness.frame("entry", long) == b"\x0epazaak/1 entry\0\x01\x11\x70" + long


@pytest.mark.parametrize("size", [0, 1, 31, 255, 256, 257, 8192, 65_535, 65_536])
def test_frames_of_all_sizes(size: int) -> None:
    part = b"p" * size
    assert fairness.frame("entry", part, part) == f(b"entry", part, part)
    assert fairness.digest("entry", part, b"") == h(b"entry", part, b"")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.binary(max_size=6), max_size=4),
    st.lists(st.binary(max_size=6), max_size=4),
    st.sampled_from(["a", "ab", "entry"]),
    st.sampled_from(["a", "ab", "entry"]),
)
def test_different_parts_are_different_frames(
    a: list[bytes], b: list[bytes], s: str, t: str
) -> None:
    assert (fairness.frame(s, *a) == fairness.frame(t, *b)) is ((s, a) == (t, b))


# --- commitments


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("k", [0, 1, 255, 256, 2**32 - 1])
def test_share_commitments(seat: int, k: int) -> None:
    assert fairness.share_commitment(ID, seat, k, SALT) == h(
        b"share", ID, bytes([seat]), k.to_bytes(4, "big"), SALT
    )


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("position", range(10))
def test_card_commitments(seat: int, position: int) -> None:
    for card in (b"+1", b"+-1T", b"D", b"3&6"):
        assert fairness.card_commitment(ID, seat, position, SALT, card) == h(
            b"card", ID, bytes([seat]), bytes([position]), SALT, card
        )


def test_no_commitment_is_good_for_another_place() -> None:
    places = {
        fairness.share_commitment(match, seat, k, SALT)
        for match in (ID, SECRET)
        for seat in (0, 1)
        for k in range(50)
    } | {
        fairness.card_commitment(match, seat, position, SALT, b"+1")
        for match in (ID, SECRET)
        for seat in (0, 1)
        for position in range(10)
    }
    assert len(places) == 2 * 2 * 50 + 2 * 2 * 10


# --- secrets


@pytest.mark.parametrize("seat", [0, 1])
def test_secrets_of_a_match(seat: int) -> None:
    secret = MatchSecret(SECRET, ID, seat)
    s = bytes([seat])
    for k in (0, 1, 300, 2**32 - 1):
        assert secret.share(k) == mac(SECRET, f(b"share", ID, s, k.to_bytes(4, "big")))
    for position in range(10):
        assert secret.salt(position) == mac(SECRET, f(b"salt", ID, s, bytes([position])))
    keys = [mac(SECRET, f(b"order", ID, s, bytes([i]))) for i in range(10)]
    order = secret.order(10)
    assert sorted(order) == list(range(10))
    assert all(keys[a] < keys[b] for a, b in pairwise(order))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("text", ["", "a", "±1T", "a longer text with blanks"])
def test_secrets_of_a_seed(seat: int, text: str) -> None:
    z = h(b"seed", text.encode("utf-8"), bytes([seat]))
    seeds = SeedSecrets(text, seat)
    assert seeds.identity() == mac(z, f(b"identity"))
    for n in (0, 1, 70_000):
        number = n.to_bytes(4, "big")
        assert seeds.nonce(n) == mac(z, f(b"nonce", number))
        assert seeds.match_secret(n) == mac(z, f(b"match", number))
        assert seeds.bot(n) == mac(z, f(b"bot", number))
        assert seeds.hello(n) == mac(z, f(b"hello", number))


@pytest.mark.parametrize(("secret", "match_id"), [(b"short", ID), (SECRET, b""), (SECRET * 2, ID)])
def test_secrets_of_a_wrong_size_are_refused(secret: bytes, match_id: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        MatchSecret(secret, match_id, 0)


# --- lots


def test_lots() -> None:
    for k in (0, 1, 65_536):
        assert fairness.lot(ID, k, SALT, SECRET) == h(
            b"lot", ID, k.to_bytes(4, "big"), SALT, SECRET
        )
    assert fairness.lot(ID, 0, SALT, SECRET) != fairness.lot(ID, 0, SECRET, SALT)


def hand(lot: bytes, seat: int) -> tuple[int, ...]:
    positions = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    for i in range(4):
        value = int.from_bytes(h(b"deal", lot, bytes([seat]), bytes([i])), "big")
        j = i + value % (10 - i)
        positions[i], positions[j] = positions[j], positions[i]
    return tuple(positions[:4])


@pytest.mark.parametrize("lot", LOTS[:50] + EDGES)
def test_R4_deals(lot: bytes) -> None:
    hands = fairness.deal(lot)
    assert hands == (hand(lot, 0), hand(lot, 1))
    for positions in hands:
        assert len(set(positions)) == 4
        assert set(positions) <= set(range(10))


def test_C12_a_hand_is_four_different_positions() -> None:
    for lot in LOTS:
        for positions in fairness.deal(lot):
            assert len(set(positions)) == 4


def physical(lot: bytes) -> tuple[int, int]:
    """Which two of the 40 cards are taken for the opening."""
    i = int.from_bytes(h(b"opening", lot, b"\0"), "big") % 40
    rest = [card for card in range(40) if card != i]
    return i, rest[int.from_bytes(h(b"opening", lot, b"\1"), "big") % 39]


def test_R5_openings_never_take_the_same_card_twice() -> None:
    ranks = [rank for rank in range(1, 11) for _ in range(4)]
    assert list(FULL_DECK) == ranks
    for lot in LOTS + EDGES:
        host, join = physical(lot)
        assert host != join
        assert fairness.opening(lot) == (ranks[host], ranks[join])


def test_R6_first_moves() -> None:
    for lot in LOTS + EDGES:
        assert fairness.first_move(lot) == int.from_bytes(lot, "big") % 2


@pytest.mark.parametrize("size", range(1, 41))
def test_R7_draws(size: int) -> None:
    for lot in LOTS[:40] + EDGES:
        deck = bytes(sorted(FULL_DECK[(i * 7) % 40] for i in range(size)))
        assert fairness.draw(lot, deck) == deck[int.from_bytes(lot, "big") % size]


def test_R1_a_whole_deck_is_drawn_once() -> None:
    deck, drawn = FULL_DECK, []
    for lot in LOTS[:40]:
        rank = fairness.draw(lot, deck)
        at = deck.index(rank)
        deck = deck[:at] + deck[at + 1 :]
        drawn.append(rank)
    assert deck == b""
    assert sorted(drawn) == list(FULL_DECK)


# --- keys

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def add(a: Point, b: Point) -> Point:
    (x1, y1), (x2, y2) = a, b
    k = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P
    return x, y


def decode(key: bytes) -> Point | None:
    """The point of an encoding, canonical or not, as RFC 8032 decodes it; None if there is none."""
    y = int.from_bytes(key, "little")
    sign, y = y >> 255, y % 2**255 % P
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if v * x * x % P != u:
        return None
    return (-x % P if x % 2 != sign else x), y


def small_order(key: bytes) -> bool:
    point = decode(key)
    if point is None:
        return False
    for _ in range(3):
        point = add(point, point)
    return point == (0, 1)


def candidates() -> list[bytes]:
    """Encodings around all that is special: near 0 and p, and of the points of order 8."""
    ys = {*range(20), *range(P - 20, P + 19)}
    # If 2Q has order 4, then y(2Q) = 0, hence y**2 = -x**2, hence D*y**4 + 2*y**2 - 1 = 0.
    root = pow(1 + D, (P + 3) // 8, P)
    if root * root % P != (1 + D) % P:
        root = root * pow(2, (P - 1) // 4, P) % P
    for r in (root, -root % P):
        square = (r - 1) * pow(D, -1, P) % P
        y = pow(square, (P + 3) // 8, P)
        if y * y % P != square:
            y = y * pow(2, (P - 1) // 4, P) % P
        ys |= {y, -y % P}
    return [(y | top).to_bytes(32, "little") for y in ys for top in (0, 2**255)]


def test_weak_keys_are_all_points_of_small_order_and_no_others() -> None:
    weak = [key for key in candidates() if fairness.is_weak(key)]
    assert weak == [key for key in candidates() if small_order(key)]
    assert len(weak) == 14  # seven, with the top bit and without
    assert {decode(key) for key in weak} == set(multiples(weak))


def multiples(weak: list[bytes]) -> list[Point]:
    """The eight points that a point of order 8 generates."""
    for key in weak:
        point = decode(key)
        assert point is not None
        points = [(0, 1)]
        while (following := add(points[-1], point)) != (0, 1):
            points.append(following)
        if len(points) == 8:
            return points
    raise AssertionError
