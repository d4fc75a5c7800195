"""Concessions wherever they stand, and several records of one match, judged together."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgpack
import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import Outcome, Seat, Termination
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.judge import Verdict, judge, judge_pair, judge_together
from pazaak_p2p.wire.terms import Kind, concession_frame, entry_frame
from pazaak_p2p.wire.verdict import DifferentMatches, Unsound
from tests.wire.pair import Pair, messages_in
from tests.wire.records import BOTH, RECORD, conceded, kind, pieces, played, with_end


def word(verdict: Verdict) -> Verdict:
    """A verdict without what only one keeper says."""
    return replace(verdict, keeper=None, end=None, torn=False, contradiction="", problem=None)


def sign_entry(pair: Pair, entry: m.Entry, body: bytes) -> bytes:
    """Another entry of the same author."""
    side = pair.sides[read_body(entry.body).by]
    return encode(m.Entry(body, side.key.sign(entry_frame(side.peer.match_id, body))))


def sign_concession(pair: Pair, seat: Seat, head: bytes, reason: m.ConcedeReason) -> bytes:
    side = pair.sides[seat]
    signed = concession_frame(side.peer.match_id, seat, head, reason)
    return encode(m.Concede(seat, head, reason, side.key.sign(signed)))


def entries_in(record: bytes) -> Iterator[tuple[int, m.Entry]]:
    """Where in the record's objects an entry is, and the entry."""
    for at, piece in enumerate(pieces(record)):
        if kind(piece) == "entry":
            ((message, _),) = messages_in(piece)
            assert isinstance(message, m.Entry)
            yield at, message


# --- concessions: their place in the file means nothing


@pytest.mark.parametrize("seats", [(Seat.HOST,), (Seat.JOIN,), BOTH], ids=str)
def test_a_concession_counts_wherever_it_stands(seats: tuple[Seat, ...]) -> None:
    _, records = conceded(seats)
    for record in records:
        whole = judge(record)
        assert whole.proven == Outcome(Termination.CONCESSION, seats[0].other)
        assert whole.complete
        header, offer, accept, *rest, end = pieces(record)
        said = [piece for piece in rest if kind(piece) == "concede"]
        assert len(said) == len(seats)
        others = [piece for piece in rest if kind(piece) != "concede"]
        for place in range(len(others) + 1):
            moved = [*others[:place], *said[::-1], *others[place:]]
            assert judge(b"".join([header, offer, accept, *moved, end])) == whole
            assert judge(b"".join([header, offer, accept, *moved])) == replace(whole, end=None)


def test_what_comes_after_a_late_concession_is_still_judged() -> None:
    _, (record, _) = conceded((Seat.JOIN,))
    *before, end = pieces(record)
    said = [piece for piece in before if kind(piece) == "concede"]
    late = [*(piece for piece in before if kind(piece) != "concede"), *said]
    whole = judge(record)
    for tail, refusal in ((b"\x00", "garbage"), (said[0], "unexpected"), (end + end, "unexpected")):
        verdict = judge(b"".join([*late, tail]))
        assert verdict.problem is not None
        assert verdict.problem.refusal == refusal
        if refusal == "garbage":
            assert (verdict.entries, verdict.proven) == (whole.entries, whole.proven)


def test_a_concession_of_another_place_or_player() -> None:
    pair, (record, _) = conceded((Seat.JOIN,))
    *before, end = pieces(record)
    (at,) = [at for at, piece in enumerate(before) if kind(piece) == "concede"]
    entries = sum(kind(piece) == "entry" for piece in before)
    once = before[at]
    without = [*before[:at], *before[at + 1 :]]

    def refused(said: bytes, refusal: str) -> None:
        problem = judge(b"".join([*without, said, end])).problem
        assert isinstance(problem, Unsound)
        assert problem.refusal == refusal

    problem = judge(b"".join([*before, once, end])).problem
    assert isinstance(problem, Unsound)
    assert (problem.refusal, problem.entry) == ("unexpected", entries)
    # What it names is no entry of the match, or one before both had committed.
    why = m.ConcedeReason.CONCESSION
    refused(sign_concession(pair, Seat.JOIN, b"?" * 32, why), "broken-chain")
    refused(sign_concession(pair, Seat.JOIN, pair.host.peer.match_id, why), "unexpected")
    # The other reason, or the other seat: the winner has not accepted that.
    head = msgpack.unpackb(once)["head"]
    refused(sign_concession(pair, Seat.JOIN, head, m.ConcedeReason.TIME), "broken-chain")
    *_, (_, accepting), _ = entries_in(record)
    last = read_body(accepting.body).prev
    refused(sign_concession(pair, Seat.HOST, last, why), "broken-chain")
    for byte in range(len(once)):
        for mask in (0x01, 0x80):
            altered = bytearray(once)
            altered[byte] ^= mask
            verdict = judge(b"".join([*before[:at], altered, *before[at + 1 :], end]))
            assert verdict.problem is not None or verdict.torn
            assert verdict.cheat is None


# --- two records that go well together


def test_both_sides_records_of_one_match() -> None:
    pair = played()
    a, b = (bytes(side.record) for side in pair.sides)
    together = judge_pair(a, b)
    assert together.agreed == judge(a).entries
    assert together.verdict == word(judge(a)) == word(judge(b))
    assert judge_pair(b, a) == together
    assert judge_together([a, b, a]) == together


@pytest.mark.parametrize("cut", [0, 1], ids=["the first", "the second"])
def test_one_is_cut_off_where_the_other_goes_on(cut: int) -> None:
    whole = word(judge(RECORD))
    begun = len(b"".join(pieces(RECORD)[:3]))
    for length in range(begun, len(RECORD), 37):
        records = [RECORD, RECORD]
        records[cut] = RECORD[:length]
        together = judge_pair(*records)
        assert together.verdict == whole
        assert together.agreed == judge(RECORD[:length]).entries


def test_each_has_what_the_other_lacks() -> None:
    parts = pieces(RECORD)
    lacking = [b"".join([*parts[:at], *parts[at + 1 :]]) for at in (5, 8)]
    for record in lacking:
        assert isinstance(judge(record).problem, Unsound)
    assert judge_pair(*lacking).verdict == word(judge(RECORD))
    assert judge_pair(*lacking).agreed == 2


@pytest.mark.parametrize("seats", [(Seat.HOST,), (Seat.JOIN,), BOTH], ids=str)
def test_a_concession_that_one_has_left_out_or_exchanged(seats: tuple[Seat, ...]) -> None:
    pair, (record, other) = conceded(seats)
    whole = word(judge(other))
    parts = pieces(record)
    for at, piece in enumerate(parts):
        if kind(piece) != "concede":
            continue
        seat, head = Seat(msgpack.unpackb(piece)["by"]), msgpack.unpackb(piece)["head"]
        time = sign_concession(pair, seat, head, m.ConcedeReason.TIME)
        for instead in (b"", time):
            altered = b"".join([*parts[:at], instead, *parts[at + 1 :]])
            for records in ((altered, other), (other, altered)):
                assert judge_pair(*records).verdict == whole
            # Even if the other's record breaks off before anybody has opened.
            cut = b"".join(part for part in pieces(other)[:-3])
            assert judge_pair(cut, altered).verdict == whole


def test_an_unsound_record_beside_a_sound_one() -> None:
    unsound = bytearray(RECORD)
    unsound[len(RECORD) // 2] ^= 1
    assert judge(bytes(unsound)).problem is not None
    for records in ((bytes(unsound), RECORD), (RECORD, bytes(unsound))):
        assert judge_pair(*records).verdict == word(judge(RECORD))


def test_records_of_different_matches() -> None:
    other = bytes(played("another").host.record)
    for record in (other, b"", b"text", RECORD[:200]):
        for records in ((RECORD, record), (record, RECORD), (record, record[:100])):
            with pytest.raises(DifferentMatches):
                judge_pair(*records)


# --- what only two records prove


@pytest.mark.parametrize("n", range(7))
def test_two_entries_of_one_seat_for_one_place(n: int) -> None:
    pair = played()
    record = bytes(pair.join.record)
    at, entry = list(entries_in(record))[n]
    body = read_body(entry.body)
    # The same content in another encoding: good by itself, but not what the other side was told.
    number = entry.body.index(b"\xa1n") + 2
    twin = sign_entry(pair, entry, entry.body[:number] + b"\xcc" + entry.body[number:])
    told = b"".join([*pieces(bytes(pair.host.record))[:at], twin])
    assert judge(told).cheat is None
    assert judge(told).problem is None
    assert judge(told).entries == n + 1
    for records in ((record, told), (told, record)):
        together = judge_pair(*records)
        assert together.agreed == n
        cheat = together.verdict.cheat
        assert cheat is not None
        assert (cheat.code, cheat.seat, cheat.entry) == ("two-entries", body.by, n)
        # Whoever had lost before it cheated has lost; else it loses now.
        winner = Seat(body.by).other
        reason = Termination.NORMAL if n == 6 else Termination.CHEAT
        assert together.verdict.proven == Outcome(reason, winner)


def test_another_statement_that_is_no_good_by_itself() -> None:
    pair = played()
    record = bytes(pair.join.record)
    for at, entry in entries_in(record):
        body = read_body(entry.body)
        forged = sign_entry(pair, entry, encode(replace(body, state=b"?" * 32)))
        told = b"".join([*pieces(record)[:at], forged])
        alone, together = judge(told).cheat, judge_pair(record, told).verdict.cheat
        assert alone is not None
        assert together is not None
        assert alone.code == "wrong-digest"
        assert (together.seat, together.entry) == (body.by, body.n) == (alone.seat, alone.entry)


def test_who_conceded_to_one_and_acted_to_the_other() -> None:
    pair = played()
    record = bytes(pair.join.record)
    for at, entry in entries_in(record):
        body = read_body(entry.body)
        acts = any(type(statement) is not m.Open for statement in body.say)
        if body.n < 2 or not acts:
            continue
        said = sign_concession(pair, Seat(body.by), body.prev, m.ConcedeReason.CONCESSION)
        told = b"".join([*pieces(record)[:at], said])
        alone = judge(told)
        assert alone.cheat is None
        assert alone.proven == Outcome(Termination.CONCESSION, Seat(body.by).other)
        assert alone.missing is not None
        assert alone.missing.kind is Kind.OPEN
        cheat = judge_pair(record, told).verdict.cheat
        assert cheat is not None
        assert (cheat.code, cheat.seat) == ("acted-after-conceding", body.by)


# --- and what they do not prove


def tampered(pair: Pair, record: bytes, keeper: Seat, random: Random) -> bytes:
    """What a keeper can make of an honest record without the other's key."""
    header, offer, accept, *rest = pieces(record)
    for _ in range(random.randint(1, 3)):
        if not rest:
            break
        at = random.randrange(len(rest))
        match random.randrange(6):
            case 0:
                del rest[at]
            case 1:
                rest.insert(random.randrange(len(rest) + 1), rest[at])
            case 2:
                rest.insert(random.randrange(len(rest)), rest.pop(at))
            case 3:
                del rest[at:]
            case 4:
                piece = bytearray(rest[at])
                piece[random.randrange(len(piece))] ^= 1 << random.randrange(8)
                rest[at] = bytes(piece)
            case _:
                heads = [read_body(entry.body).prev for _, entry in entries_in(record)]
                reason = random.choice(list(m.ConcedeReason))
                rest.insert(at, sign_concession(pair, keeper, random.choice(heads), reason))
    return b"".join([header, offer, accept, *rest])


@pytest.mark.parametrize("seats", [(), (Seat.HOST,), (Seat.JOIN,), BOTH], ids=str)
def test_no_keeper_can_make_a_cheat_of_the_other(seats: tuple[Seat, ...]) -> None:
    pair = conceded(seats)[0] if seats else played()
    records = [bytes(side.record) for side in pair.sides]
    random = Random(repr(seats))
    convicted = 0
    for _ in range(150):
        keeper = random.choice(BOTH)
        forged = tampered(pair, records[keeper], keeper, random)
        honest = records[keeper.other][: random.choice((None, 2000, 3000))]
        verdicts = [judge(forged), judge_pair(forged, honest).verdict]
        verdicts.append(judge_pair(honest, forged).verdict)
        for verdict in verdicts:
            if verdict.cheat is not None:
                convicted += 1
                assert verdict.cheat.seat is keeper
                assert verdict.cheat.code == "acted-after-conceding"
        assert verdicts[1].entries >= judge(honest).entries
    assert convicted > 5


def test_a_keepers_end_is_no_part_of_what_they_prove_together() -> None:
    together = judge_pair(with_end(RECORD, winner=0), RECORD)
    assert together.verdict == word(judge(RECORD))
