"""Our own records, read without judging every signature."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import Rules, Seat, Termination
from pazaak_p2p.store.played import Damaged, Played, Unfinished, is_within_a_lot, read_played
from pazaak_p2p.wire.judge import judge
from tests.cli.verified import CHEATS, REFUSALS, SEEDS
from tests.history import some_records
from tests.wire.records import BOTH, RECORD, conceded, kind, pieces, with_end, with_header

MATCHES = 25


def read(record: bytes) -> Played:
    return read_played([record])


def outcome_of(record: bytes) -> str:
    """What reading *record* comes to, in a word."""
    try:
        read(record)
    except Unfinished:
        return "unfinished"
    except Damaged:
        return "damaged"
    return "read"


def check(record: bytes) -> None:
    """It says what the judge says, who checks everything."""
    played, verdict = read(record), judge(record)
    assert verdict.problem is None
    assert verdict.proven is not None
    assert verdict.players is not None
    assert (played.termination, played.winner) == (
        verdict.proven.termination,
        verdict.proven.winner,
    )
    assert played.match_id == verdict.match_id
    assert played.won == verdict.sets
    assert played.entries == verdict.entries
    assert played.seat is verdict.keeper
    assert played.names == tuple(player.name for player in verdict.players)
    assert played.keys == tuple(player.key for player in verdict.players)
    assert tuple(deck is not None for deck in played.decks) == verdict.opened
    assert (played.proven, played.ended) == (True, True)


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.parent.name)
def test_seeded_matches_are_read_as_the_judge_reads_them(path: Path) -> None:
    check(path.read_bytes())


def test_other_matches_too_from_both_seats() -> None:
    for ours, theirs in some_records(MATCHES):
        check(ours)
        check(theirs)
        mine, other = read(ours), read(theirs)
        assert mine.seat is other.seat.other
        assert replace(mine, seat=other.seat) == other


def test_what_happened_adds_up() -> None:
    for ours, _ in some_records(MATCHES):
        played = read(ours)
        for each in played.sets:
            for seat in Seat:
                table = Counter(
                    abs(placed.value) for placed in each.tables[seat] if placed.card is None
                )
                drawn = Counter(
                    draw.rank
                    for draw in played.draws
                    if draw.set == each.number and draw.seat is seat
                )
                assert table == drawn
                used = [
                    use.card for use in played.uses if use.set == each.number and use.seat is seat
                ]
                assert used == [p.card for p in each.tables[seat] if p.card is not None]
        for draw in played.draws:
            assert draw.deck.count(draw.rank) >= 1
            assert bytes(sorted(draw.deck)) == draw.deck


def test_R21_a_concession_counts() -> None:
    for seats in ((Seat.HOST,), (Seat.JOIN,), BOTH):
        _, records = conceded(seats)
        for record in records:
            check(record)
            assert read(record).termination is Termination.CONCESSION


def test_a_concession_without_an_open_counts_too() -> None:
    _, (record, _) = conceded((Seat.HOST,))
    kept = [piece for piece in pieces(record) if kind(piece) != "end"]
    place = next(at for at, piece in enumerate(kept) if kind(piece) == "concede")
    played = read(b"".join(kept[: place + 1]))
    assert (played.termination, played.winner) == (Termination.CONCESSION, Seat.JOIN)
    assert (played.ended, played.decks) == (False, (None, None))


def test_the_keepers_word_counts_where_nothing_is_signed() -> None:
    before = [piece for piece in pieces(RECORD) if kind(piece) != "end"][:-4]
    ends = pieces(RECORD)[-1]
    record = b"".join([*before, ends])
    said = with_end(
        record, termination="abandoned", winner=0, opened=[False, False], code="interrupted"
    )
    played = read(said)
    assert (played.termination, played.winner, played.proven) == (
        Termination.ABANDONED,
        Seat.HOST,
        False,
    )


def test_a_record_without_an_end_is_unfinished_until_the_match_is_over() -> None:
    cut = pieces(RECORD)
    found = [outcome_of(b"".join(cut[:stop])) for stop in range(len(cut) + 1)]
    assert found == sorted(found, key=("unfinished", "read").index)
    assert found[-1] == "read"
    assert found.count("unfinished") >= 6


def test_what_is_cut_off_within_a_lot_is_not_over() -> None:
    """So nothing need be played again; of these records that holds for more than every second."""
    within, unfinished = 0, 0
    for records in some_records(MATCHES):
        for record in records:
            parts = pieces(record)
            for stop in range(len(parts) + 1):
                cut = b"".join(parts[:stop])
                outcome = outcome_of(cut)
                unfinished += outcome == "unfinished"
                if is_within_a_lot([cut]):
                    within += 1
                    assert outcome == "unfinished"
                    assert is_within_a_lot([cut + parts[stop][:20]])  # with a torn end
                    assert not is_within_a_lot([cut + parts[-1]])  # with an end map
    assert within > unfinished / 2


def test_who_has_conceded_within_a_lot_has_ended_the_match() -> None:
    _, (record, _) = conceded((Seat.HOST,))
    parts = pieces(record)
    place = next(at for at, piece in enumerate(parts) if kind(piece) == "concede")
    for stop in range(3, place + 1):
        behind = [*parts[:3], parts[place], *parts[3:stop]]
        assert not is_within_a_lot([b"".join(behind)])


def test_what_is_no_record_is_not_within_a_lot() -> None:
    parts = pieces(RECORD)
    stop = next(n for n in range(5, len(parts)) if is_within_a_lot([b"".join(parts[:n])]))
    sound = parts[:stop]
    for record in (
        b"",
        b"\xff",
        b"".join(sound[1:]),
        b"".join([*sound[:3], sound[0], *sound[3:]]),
        b"".join(sound)[:-70] + b"\xff" * 70,
        b"".join(sound) + b"\xff",
        sound[-1],
    ):
        assert not is_within_a_lot([record])


def test_a_record_that_is_just_being_written_is_unfinished_at_every_byte() -> None:
    whole = len(b"".join(pieces(RECORD)[:-2]))
    for stop in range(0, whole, 13):
        assert outcome_of(RECORD[:stop]) in ("unfinished", "read")


def same_match(one: Played, other: Played) -> bool:
    """But for the keeper's own words, and for a torn end with the loser's side deck in it."""
    free = {"seat": Seat.HOST, "names": ("", ""), "began": 0, "ended": True, "proven": True}
    free |= {"termination": Termination.NORMAL, "winner": None}
    if one.entries == other.entries - 1:
        free |= {"decks": (None, None), "entries": 0}
    return replace(one, **free) == replace(other, **free)


def test_no_changed_byte_makes_another_match() -> None:
    """A match is read as it was signed, or not at all: what the header and the end say, and the
    signatures that are not looked at, are all that can be changed."""
    chance = random.Random(11)
    original = read(RECORD)
    found: Counter[str] = Counter()
    for _ in range(1500):
        at = chance.randrange(len(RECORD))
        changed = RECORD[:at] + bytes([RECORD[at] ^ (1 << chance.randrange(8))]) + RECORD[at + 1 :]
        found[outcome_of(changed)] += 1
        if outcome_of(changed) == "read":
            assert same_match(read(changed), original), at
    assert found["damaged"] > 1000


def test_random_bytes_and_mixed_pieces_do_no_harm() -> None:
    chance = random.Random(12)
    for _ in range(300):
        assert outcome_of(chance.randbytes(chance.randrange(400))) in ("damaged", "unfinished")
        mixed = pieces(RECORD)
        chance.shuffle(mixed)
        assert outcome_of(b"".join(mixed)) in ("damaged", "unfinished")


def test_other_words_at_the_end() -> None:
    assert outcome_of(with_end(RECORD, termination="magic")) == "damaged"
    assert outcome_of(with_end(RECORD, winner=7)) == "damaged"
    assert outcome_of(with_header(RECORD, v=7)) == "damaged"
    assert outcome_of(with_header(RECORD, seat=1)) == "read"
    assert outcome_of(RECORD + RECORD) == "damaged"


@pytest.mark.parametrize("file", [CHEATS, REFUSALS], ids=lambda path: path.stem)
def test_vectors_of_cheats_and_refusals_are_never_taken_for_something_else(file: Path) -> None:
    """A record that convicts somebody ends by its keeper's word, or is not read."""
    found: Counter[str] = Counter()
    for vector in json.loads(file.read_text("utf-8"))["vectors"]:
        for match in vector.get("matches", []):
            for text in match["records"].values():
                record = bytes.fromhex(text)
                found[outcome_of(record)] += 1
                if outcome_of(record) != "read":
                    continue
                played, verdict = read(record), judge(record)
                if verdict.cheat is not None and played.ended:
                    assert verdict.end is not None
                    assert played.termination.value == verdict.end.termination
                if verdict.cheat is None and verdict.problem is None and not verdict.contradiction:
                    assert played.won == verdict.sets
                    assert played.entries == verdict.entries
    assert found["read"] > 0


def test_the_rules_are_those_of_the_match() -> None:
    assert read(RECORD).rules == Rules(sets=1)
