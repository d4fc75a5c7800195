"""Known answers written out by hand from the specification, and bytes that are no record at all."""

import random
from hashlib import sha256

import msgpack
import pytest

from . import frames, lots, shapes, verify
from .cards import CARDS, NUMBER, deck_is_legal, values
from .decode import MESSAGE_BYTES, one_map
from .game import Game, Phase, Rules, Side
from .state_bytes import rules_bytes, side_bytes, state_bytes
from .verdict import Refusal


def test_a_frame_is_laid_out_as_section_3_says() -> None:
    expected = "0c" + "70617a61616b2f31206c6f74" + "00000002" + "6162" + "00000000"
    assert frames.frame("lot", b"ab", b"").hex() == expected
    assert frames.frame("x").hex() == "0a" + "70617a61616b2f312078"


def test_parts_cannot_be_shifted_into_each_other() -> None:
    assert frames.frame("card", b"ab", b"c") != frames.frame("card", b"a", b"bc")
    assert frames.frame("card", b"", b"c") != frames.frame("card", b"c")


def test_numbers_and_texts_inside_commitments() -> None:
    match, share, salt = b"m" * 32, b"s" * 32, b"t" * 32
    head = b"\x0epazaak/1 share\x00\x00\x00\x20" + match
    tail = b"\x00\x00\x00\x01\x01\x00\x00\x00\x04\x00\x00\x01\x02\x00\x00\x00\x20" + share
    assert frames.share_commitment(match, 1, 258, share) == sha256(head + tail).digest()
    head = b"\x0dpazaak/1 card\x00\x00\x00\x20" + match
    tail = b"\x00\x00\x00\x01\x00\x00\x00\x00\x01\x09\x00\x00\x00\x20" + salt
    card = b"\x00\x00\x00\x04+-1T"
    assert frames.card_commitment(match, 0, 9, salt, "+-1T") == sha256(head + tail + card).digest()
    concede = frames.concede_frame(match, 1, b"h" * 32, "time")
    assert concede.endswith(b"\x00\x00\x00\x01\x01\x00\x00\x00\x20" + b"h" * 32 + b"\0\0\0\x04time")


def test_entries_are_signed_and_hashed_with_their_match() -> None:
    framed = b"\x0epazaak/1 entry\x00\x00\x00\x01m\x00\x00\x00\x01b"
    assert frames.entry_frame(b"m", b"b") == framed
    assert frames.entry_hash(b"m", b"b") == sha256(framed).digest()


def test_a_mac_is_hmac_sha256_of_a_frame() -> None:
    # RFC 2104 with its two pads written out.
    key = b"k" * 32 + bytes(32)
    inner = sha256(bytes(b ^ 0x36 for b in key) + frames.frame("order", b"\x07")).digest()
    outer = sha256(bytes(b ^ 0x5C for b in key) + inner).digest()
    assert frames.mac(b"k" * 32, "order", b"\x07") == outer


def test_keys_of_small_order_are_known() -> None:
    assert frames.is_small_order(bytes(31) + b"\x80")
    assert frames.is_small_order(b"\xec" + b"\xff" * 31)
    assert not frames.is_small_order(b"\x09" + bytes(31))


def test_the_cards_have_the_numbers_of_section_8() -> None:
    assert len(CARDS) == 23
    assert [NUMBER[card] for card in ("+1", "-1", "+-6", "+-1T", "1+-2", "2&4", "3&6", "D")] == [
        *(1, 7, 18, 19, 20, 21, 22, 23)
    ]
    assert values(NUMBER["-4"], 0) == (-4,)
    assert set(values(NUMBER["+-5"], 0)) == {5, -5}
    assert set(values(NUMBER["1+-2"], 0)) == {1, 2, -1, -2}
    assert values(NUMBER["D"], 9) == (9,)


def test_legal_decks() -> None:
    assert deck_is_legal(["+1"] * 10, limited=False, gold=True)
    assert not deck_is_legal(["+1"] * 5 + ["+2"] * 4 + ["+3"], limited=True, gold=True)
    assert deck_is_legal(["+1"] * 4 + ["+2"] * 4 + ["D"] * 2, limited=True, gold=True)
    assert not deck_is_legal(["+1"] * 4 + ["+2"] * 3 + ["D"] * 3, limited=True, gold=True)
    assert not deck_is_legal(["+1"] * 9 + ["D"], limited=False, gold=False)


def test_the_first_state_in_bytes() -> None:
    expected = "00" + "0001000100000300000000" + "0000" + "0000" + "ffff0000" + "04" * 10
    assert state_bytes(Game(Rules())).hex() == expected + "000000" * 2 + "00ff"


def test_rules_and_sides_in_bytes() -> None:
    rules = Rules("limited", False, "host", False, "stand", "at-tie", 9, 999, 3600)
    assert (
        rules_bytes(rules).hex() == "01" + "00" + "04" + "00" + "01" + "02" + "09" + "03e7" + "0e10"
    )
    side = Side(True, [(0, 10), (15, -3), (0, 2)], [[7, 15], [0, 0], [9, 0], [3, 21]])
    assert side_bytes(side).hex() == "01" + "03" + "000a0ffd0002" + "04" + "070f000009000315"


def test_every_number_has_its_place_in_the_state() -> None:
    game = Game(Rules(), Phase.ACT, 258, [2, 1], 1, 0, True, 3, list(range(10)))
    game.termination, game.winner = 4, 1
    data = state_bytes(game)
    assert data[0] == 4
    assert data[12:30].hex() == "0102" + "0201" + "01" + "00" + "01" + "03" + "00010203040506070809"
    assert data[-2:].hex() == "0401"
    game.finished = 70_000
    assert state_bytes(game)[12:14] == b"\xff\xff"


def test_a_hand_is_the_shuffle_of_section_7() -> None:
    lot = bytes(range(32))
    places = list(range(10))
    for i in range(4):
        message = (
            b"\x0dpazaak/1 deal\x00\x00\x00\x20" + lot + b"\0\0\0\x01\x01\0\0\0\x01" + bytes([i])
        )
        j = i + int(sha256(message).hexdigest(), 16) % (10 - i)
        places[i], places[j] = places[j], places[i]
    assert lots.hand(lot, 1) == places[:4]


def test_draws_come_from_the_ascending_deck() -> None:
    deck = [4, 0, 1, 0, 0, 0, 0, 0, 0, 2]
    drawn = [lots.draw(index.to_bytes(32, "big"), deck) for index in range(8)]
    assert drawn == [1, 1, 1, 1, 3, 10, 10, 1]
    assert lots.opener(b"\xff" * 31 + b"\x02") == 0


def test_openings_are_fair_and_can_be_equal() -> None:
    results = [lots.opening(frames.digest("test", frames.u32(i))) for i in range(4000)]
    # 3 in 39 are equal; the rest is even.
    assert 200 < results.count(None) < 420
    assert abs(results.count(0) - results.count(1)) < 250


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xc1", "garbage"),
        (b"\x90", "garbage"),
        (b"\x81\xa1a\xcb" + bytes(8), "malformed"),
        (b"\x81\xa1a\xd4\x05\x00", "malformed"),
        (b"\x81\xa1a\xd6\xff" + bytes(4), "malformed"),
        (b"\x82\xa1a\x01\xa1a\x01", "malformed"),
        (b"\x81\xc4\x01a\x01", "malformed"),
        (b"\x81\x01\x01", "malformed"),
        (b"\x81\xa1\xff\x01", "malformed"),
        (b"\x80\x80", "malformed"),
        (b"\x81\xa1a", "malformed"),
        (b"\x81\xa1a" + b"\x91" * 8 + b"\x01", "too-deep"),
        (b"\x81\xa1a" + b"\x91" * 9000, "too-deep"),
        (b"\x81\xa1a\xdd\xff\xff\xff\xff", "oversized"),
        (b"\xdf\xff\xff\xff\xff", "oversized"),
        (b"\x81\xa1a\xc5\xff\xff" + bytes(MESSAGE_BYTES), "oversized"),
    ],
)
def test_bytes_outside_the_limits_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refusal) as refusal:
        one_map(data)
    assert refusal.value.code == code


def test_any_form_and_order_is_accepted() -> None:
    assert one_map(b"\xdf\0\0\0\1\xdb\0\0\0\1a\xd3\0\0\0\0\0\0\0\7") == {"a": 7}
    rules = {"turn_seconds": 5, **{k: v for k, v in vars(Rules()).items() if k != "turn_seconds"}}
    assert shapes.rules(rules) == Rules(turn_seconds=5)
    assert one_map(b"\x81\xa1a" + b"\x91" * 7 + b"\x01")["a"] is not None


@pytest.mark.parametrize("field", ["gold", "auto_stand", "sets", "copies", "max_sets"])
def test_a_boolean_is_no_integer_and_the_other_way_round(field: str) -> None:
    for value in (1, True, "on", 2.5, 10**6, None):
        wrong = {**vars(Rules()), field: value}
        good: dict[str, list[object]] = {
            "gold": [True],
            "auto_stand": [True],
            "sets": [1],
            "max_sets": [1, None],
        }
        if any(value is item for item in good.get(field, [])):
            assert shapes.rules(wrong)
        else:
            with pytest.raises(Refusal, match="malformed"):
                shapes.rules(wrong)


def test_garbage_is_a_verdict_and_not_an_exception() -> None:
    rng = random.Random(1)
    for length in (*range(60), 500, 70_000):
        for _ in range(20):
            verdict = verify(rng.randbytes(length))
            assert not verdict.clean
            assert verdict.cheat is None
    for data in (b"\xc1", b"\x80", b"\x93\x01", b"\x91" * 100_000, b"\xdf" + b"\xff" * 8):
        assert not verify(data).clean


def test_maps_that_are_no_record_are_refused() -> None:
    values: list[dict[str, object]] = [
        {},
        {"t": "record"},
        {"t": "end"},
        {"t": "entry", "body": b"", "sig": b""},
    ]
    for value in values:
        assert "malformed" in verify(msgpack.packb(value)).problem
