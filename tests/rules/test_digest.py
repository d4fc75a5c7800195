"""The public state, byte for byte, against the specification's section 9 written out by hand."""

from __future__ import annotations

import hashlib
from random import Random

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import (
    DECKS,
    Deal,
    Digester,
    Leave,
    Opener,
    Opening,
    Phase,
    Rules,
    Seat,
    State,
    Termination,
    Tiebreaker,
    apply,
    digest,
    new_match,
    parse_rules,
    public_bytes,
)
from tests.rules.simulation import walk
from tests.rules.table import HOST, JOIN, go, start


def laid_out(*parts: str) -> bytes:
    return bytes.fromhex(" ".join(parts))


FULL = "04 04 04 04 04 04 04 04 04 04"
STANDARD = "00 01 00 01 00 00 03 0000 0000"
NO_CARDS = "00 00 00"  # not standing, empty table, no hand
HAND = "04 00 00 01 00 02 00 03 00"  # four hidden cards at positions 0, 1, 2, 3


def test_digest_before_the_deal() -> None:
    assert public_bytes(new_match(Rules())) == laid_out(
        "00",  # phase deal
        STANDARD,
        "0000",  # sets finished
        "00 00",  # sets won
        "ff ff",  # opener, mover
        "00 00",  # played, laid
        FULL,
        NO_CARDS,
        NO_CARDS,
        "00 ff",  # termination, winner
    )


def test_digest_R4_after_the_deal_positions_only() -> None:
    state = apply(start_dealing(), Deal((9, 0, 5, 3), (1, 2, 3, 4)))
    assert public_bytes(state) == laid_out(
        "01",
        STANDARD,
        "0000 00 00 ff ff 00 00",
        FULL,
        "00 00 04 09 00 00 00 05 00 03 00",
        "00 00 04 01 00 02 00 03 00 04 00",
        "00 ff",
    )


def start_dealing() -> State:
    return new_match(Rules())


def test_digest_R7_a_draw_is_due() -> None:
    assert public_bytes(start(opener=JOIN)) == laid_out(
        "03", STANDARD, "0000 00 00 01 01 00 00", FULL, f"00 00 {HAND}", f"00 00 {HAND}", "00 ff"
    )


def test_digest_R15_tables_with_present_values() -> None:
    state = go(start("2&4 -3 D", "+1 ±2"), 4, "-3", "end", 2, "±2=-2", "end", 7, "2&4")
    assert public_bytes(state) == laid_out(
        "04",  # phase act
        STANDARD,
        "0000 00 00",
        "00 00",  # the host opened and moves
        "01 00",  # has played
        "04 03 04 03 04 04 03 04 04 04",
        "00",  # the host does not stand
        "04 00 fc 09 fd 00 07 15 00",  # four cards: green -4, card 9 (-3), green 7, card 21 (2&4)
        "04 00 15 01 09 02 00 03 00",  # positions 0 and 1 have been played
        "00",
        "02 00 02 0e fe",  # green 2, card 14 (±2) as -2
        "04 00 00 01 0e 02 00 03 00",
        "00 ff",
    )


def test_digest_R12_a_standing_seat() -> None:
    state = go(start(), 10, "end", 8, "stand")
    assert public_bytes(state) == laid_out(
        "03",
        STANDARD,
        "0000 00 00 00 00 00 00",
        "04 04 04 04 04 04 04 03 04 03",
        f"00 01 00 0a {HAND}",
        f"01 01 00 08 {HAND}",
        "00 ff",
    )


def test_digest_R17_at_a_tie_with_one_laid() -> None:
    state = start("±1T", "+1", rules=Rules(tiebreaker=Tiebreaker.AT_TIE))
    state = go(state, 9, "stand", 9, "stand", "lay")
    assert public_bytes(state) == laid_out(
        "05",
        "00 01 00 01 00 02 03 0000 0000",
        "0000 00 00",
        "00 01",  # the host opened, the joiner is asked
        "00 01",  # laid by the host
        "04 04 04 04 04 04 04 04 02 04",
        "01 01 00 09 04 00 13 01 00 02 00 03 00",
        f"01 01 00 09 {HAND}",
        "00 ff",
    )


def test_digest_R17_laid_by_the_joiner() -> None:
    state = start("+1", "±1T", rules=Rules(tiebreaker=Tiebreaker.AT_TIE), opener=JOIN)
    state = go(state, 9, "stand", 9, "stand", "lay")
    assert public_bytes(state)[18:20] == laid_out("00 02")


def test_digest_R17_nothing_is_laid_once_the_match_is_over() -> None:
    rules = Rules(tiebreaker=Tiebreaker.AT_TIE, sets=1)
    state = go(start("±1T", "+1", rules=rules), 9, "stand", 9, "stand", "lay", "pass")
    assert state.phase is Phase.OVER
    assert public_bytes(state)[16:20] == laid_out("00 ff 00 00")


def test_digest_R6_the_next_set_begins_with_a_lot() -> None:
    state = go(start(rules=Rules(opener=Opener.RANDOM)), 10, "stand", 8, "stand")
    assert public_bytes(state) == laid_out(
        "02",
        "00 01 03 01 00 00 03 0000 0000",
        "0001",  # one set finished
        "01 00",  # the host won it
        "ff ff 00 00",
        FULL,
        f"00 00 {HAND}",
        f"00 00 {HAND}",
        "00 ff",
    )


def test_digest_R19_the_last_position_stays() -> None:
    state = go(start("+1", rules=Rules(sets=1)), 10, "+1", "stand", 8, "stand")
    assert public_bytes(state) == laid_out(
        "06",
        "00 01 00 01 00 00 01 0000 0000",
        "0001 01 00",
        "00 ff",  # opener stays, no mover
        "00 00",
        "04 04 04 04 04 04 04 03 04 03",
        "01 02 00 0a 01 01 04 00 01 01 00 02 00 03 00",
        f"01 01 00 08 {HAND}",
        "01 00",  # normal, the host
    )


def test_digest_R10_a_bust_leaves_no_standing_mark() -> None:
    state = go(start(rules=Rules(sets=1)), 10, "end", 1, "end", 9, "end", 1, "end", 8, "stand")
    assert public_bytes(state)[30:31] == laid_out("00")
    assert public_bytes(state)[-2:] == laid_out("01 01")


@pytest.mark.parametrize(
    ("termination", "seat", "end"),
    [
        (Termination.CONCESSION, HOST, "03 01"),
        (Termination.CONCESSION, JOIN, "03 00"),
        (Termination.TIME, HOST, "04 01"),
        (Termination.TIME, JOIN, "04 00"),
    ],
)
def test_digest_R21_leaving_keeps_the_position(
    termination: Termination, seat: Seat, end: str
) -> None:
    state = go(start("+3"), 5, "+3")
    assert public_bytes(state)[18:20] == laid_out("01 00")
    left = public_bytes(apply(state, Leave(seat, termination)))
    before = public_bytes(state)
    assert left[0] == Phase.OVER
    assert left[1:16] == before[1:16]
    assert left[16:20] == laid_out("00 ff 00 00")
    assert left[20:-2] == before[20:-2]
    assert left[-2:] == laid_out(end)


def test_digest_R20_the_cap_and_a_drawn_match() -> None:
    state = go(start(rules=Rules(max_sets=1)), 9, "stand", 9, "stand")
    assert public_bytes(state)[12:16] == laid_out("0001 00 00")
    assert public_bytes(state)[-2:] == laid_out("02 ff")


def test_digest_R20_sets_finished_are_two_bytes() -> None:
    state = start()
    for _ in range(300):
        state = go(state, 9, "stand", 9, "stand")
    assert public_bytes(state)[12:14] == laid_out("012c")


def test_digest_R20_more_than_65535_sets_are_written_as_65535() -> None:
    (result,) = go(start(), 9, "stand", 9, "stand").results
    for number, written in ((65_534, "fffe"), (65_535, "ffff"), (65_536, "ffff"), (70_000, "ffff")):
        state = replace(start(), results=(result,) * number)
        assert public_bytes(state)[12:14] == laid_out(written)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("standard", STANDARD),
        ("kotor1", "00 00 04 01 01 00 03 0000 0000"),
        ("kotor2", STANDARD),
        ("tournament", "01 01 00 01 00 00 03 000f 003c"),
        ("opener=loser,auto_stand=off", "00 01 01 00 00 00 03 0000 0000"),
        ("opener=winner,tiebreaker=last", "00 01 02 01 00 01 03 0000 0000"),
        ("opener=random,tiebreaker=at-tie", "00 01 03 01 00 02 03 0000 0000"),
        ("sets=9,max_sets=999,turn_seconds=3600", "00 01 00 01 00 00 09 03e7 0e10"),
    ],
)
def test_digest_rules(text: str, rules: str) -> None:
    assert public_bytes(new_match(parse_rules(text)))[1:12] == laid_out(rules)


def test_digest_is_the_hash_of_the_frame() -> None:
    state = go(start(), 7)
    public = public_bytes(state)
    frame = bytes([14]) + b"pazaak/1 state" + len(public).to_bytes(4, "big") + public
    assert digest(state) == hashlib.sha256(frame).digest()


def test_digest_differs_for_every_step_of_a_match() -> None:
    states = [new_match(Rules())]
    states.append(apply(states[-1], Deal((0, 1, 2, 3), (0, 1, 2, 3))))
    states.append(apply(states[-1], Opening(2, 1)))
    for step in (5, "end", 6, "stand", 7, "stand", 4):
        states.append(go(states[-1], step))
    assert len({digest(state) for state in states}) == len(states)


def test_a_digester_says_of_every_state_what_a_fresh_one_says() -> None:
    rng = Random("a digester")
    decks = DECKS["super"], DECKS["from-hell"]
    rules = parse_rules("tiebreaker=at-tie")
    states = [state for _ in range(30) for state in walk(rng, rules, decks)]
    digester, mixed = Digester(), Digester()
    assert [digester.digest(state) for state in states] == [digest(state) for state in states]
    rng.shuffle(states)
    assert [mixed.digest(state) for state in states] == [digest(state) for state in states]
