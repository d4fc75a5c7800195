"""What a record proves, and what it does not: ``wire/judge.py`` (specification, section 12)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgpack
import pytest
from msgspec.structs import replace

from pazaak_p2p.rules import DECKS, Action
from pazaak_p2p.wire import events, reading
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.judge import MAX_RECORD, Verdict, judge
from pazaak_p2p.wire.verdict import (
    CutShort,
    EmptyRecord,
    NewerRecord,
    NoRecord,
    TooLarge,
    Unsound,
)
from tests.verifier import verify
from tests.verifier.generator import Table
from tests.verifier.lies import CASES as LIES
from tests.verifier.lies import ZERO, acting, given_up, until
from tests.wire.agreement import OPTIONS, PLAYERS, decks_for
from tests.wire.caught import catch
from tests.wire.pair import Pair
from tests.wire.records import RECORD, pieces, with_end, with_header
from tests.wire.tricks import CASES, Case

ROOT = Path(__file__).parents[2]
SEEDS = sorted((ROOT / "seeds").glob("*/expected.pzk"))
VECTORS = ROOT / "protocol" / "vectors"


# --- against the second verifier, which shares no code with the package


def agree(record: bytes) -> Verdict:
    """The judge's verdict, which must be that of the second verifier."""
    ours, theirs = judge(record), verify(record)
    assert (ours.match_id, ours.entries, ours.head) == (
        theirs.match_id,
        theirs.entries,
        theirs.head,
    )
    proven = (
        ("unfinished", None)
        if ours.proven is None
        else (
            ours.proven.termination.value,
            ours.proven.winner,
        )
    )
    assert proven == (theirs.termination, theirs.winner)
    assert (ours.sets, ours.opened) == (theirs.sets, theirs.opened)
    cheat = ours.cheat
    assert (None if cheat is None else (cheat.code, cheat.seat, cheat.entry)) == theirs.cheat
    assert bool(ours.problem or ours.contradiction or ours.torn) is bool(theirs.problem)
    if ours.problem is not None:
        assert theirs.problem.startswith(f"{ours.problem.refusal}:")
    elif cheat is None:
        due = None if ours.missing is None else (ours.missing.kind.name.lower(), ours.missing.seat)
        assert due == theirs.due
        assert ours.complete is theirs.complete
        assert ours.keeper == theirs.keeper
    return ours


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.parent.name)
def test_seeded_matches(path: Path) -> None:
    verdict = agree(path.read_bytes())
    assert verdict.decided
    assert verdict.complete
    assert verdict.contradiction == ""


@pytest.mark.parametrize("i", range(len(OPTIONS)))
def test_matches_under_every_option_as_each_side_recorded_them(i: int) -> None:
    rules, player = OPTIONS[i], PLAYERS[i % len(PLAYERS)]
    host, join = (DECKS[name] for name in decks_for(rules, i))
    pair = Pair(f"judged {i}", (host, join), (player(i), player(-i)))
    pair.play(replace(rules, max_sets=rules.max_sets or 20))
    (ended,) = pair.host.of_kind(events.Ended)
    acts = [e for e in pair.host.of_kind(events.Moved) if isinstance(e.input, Action)]
    for side in pair.sides:
        verdict = agree(bytes(side.record))
        assert verdict.proven == ended.outcome
        assert verdict.claimed is None
        assert (verdict.head, verdict.opened) == (ended.head, (True, True))
        assert verdict.lots == side.peer.lots_checked
        assert verdict.cards == 8
        assert verdict.moves == len(acts)
        assert verdict.keeper is side.seat
        assert verdict.rules == replace(rules, max_sets=rules.max_sets or 20)
        assert verdict.players is not None
        assert [player.name for player in verdict.players] == ["Host", "Join"]
        assert [player.key for player in verdict.players] == [
            side.key.public_key().public_bytes_raw() for side in pair.sides
        ]


def vector_records(name: str) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    for vector in json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["vectors"]:
        for match in vector.get("matches", [{"records": {"": vector.get("record", "")}}]):
            for seat, record in match["records"].items():
                yield f"{vector['name']} {seat}", vector, bytes.fromhex(record)


@pytest.mark.parametrize(
    ("vector", "record"),
    [
        pytest.param(vector, r, id=f"{kind}: {name}")
        for kind in ("cheats", "refusals", "records")
        for name, vector, r in vector_records(kind)
    ],
)
def test_vectors(vector: dict[str, Any], record: bytes) -> None:
    verdict = agree(record)
    cheat = verdict.cheat
    if "steps" not in vector or "entry" not in vector or verdict.claimed is not None:
        assert cheat is None
    elif vector["code"] not in ("will-not-open", "bad-signature", "broken-chain"):
        assert cheat is None or (cheat.code, cheat.seat, cheat.entry) == (
            vector["code"],
            vector["seat"],
            vector["entry"],
        )


def test_every_cheat_of_the_vectors_is_convicted() -> None:
    for name, vector, record in vector_records("cheats"):
        cheat = judge(record).cheat
        assert cheat is not None, name
        named = vector["code"], vector["seat"], vector["entry"]
        assert (cheat.code, cheat.seat, cheat.entry) == named
        assert cheat.what


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.name}")
def test_a_cheat_that_was_caught_live_is_convicted_alike(case: Case) -> None:
    caught = catch(case, case.seats[0], case.points[0], case.splits[-1])
    (error,) = caught.victim.errors
    assert isinstance(error, Cheat)
    verdict = agree(caught.record)
    assert verdict.cheat is not None
    cheat = verdict.cheat
    assert (cheat.code, cheat.seat, cheat.entry) == (error.code, error.seat, error.entry)
    assert error.what.startswith(cheat.what)
    assert error.what.endswith(cheat.detail)
    (ended,) = caught.victim.of_kind(events.Ended)
    assert (verdict.proven, verdict.contradiction) == (ended.outcome, "")


@pytest.mark.parametrize(("code", "lie"), LIES)
def test_a_cheat_that_the_second_verifier_makes(
    code: str, lie: Callable[[], tuple[Table, int, bytes]]
) -> None:
    table, seat, message = lie()
    end = table.end(termination="cheat", winner=1 - seat, code=code)
    for more in ((message,), (message, end), (message, table.end()), (message, message)):
        verdict = agree(table.record(*more))
        assert verdict.cheat is not None
        assert (verdict.cheat.code, verdict.cheat.seat) == (code, seat)


@pytest.mark.parametrize("loser", [0, 1])
def test_what_rests_on_a_concession_convicts_nobody_unless_its_deck_does(loser: int) -> None:
    table, _ = until("rests", acting())
    given_up(table, loser)
    for owes in (1 - loser, loser):
        said: dict[str, Any] = table.players[owes].open()
        act = {"t": "end"}
        for say in ([said], [said | {"salts": [ZERO] * 10}], [said, said], [said, act]):
            for by, changes in ((0, {}), (1, {}), (owes, {"state": ZERO})):
                verdict = agree(table.record(table.entry(by, say, **changes)))
                if by == loser and act in say:
                    assert verdict.cheat is not None
                    assert verdict.cheat.code == "acted-after-conceding"
                elif by != owes or changes:
                    assert verdict.problem is not None
                    assert verdict.problem.refusal == "broken-chain"
                else:
                    assert verdict.problem is None
                    assert (verdict.cheat is None) is (say == [said])
        table.say(owes, said)


# --- nothing that was altered


def words(record: bytes) -> set[int]:
    """Where the keeper's own words are: names, software, began, seat, and the end's text."""
    header, *_, end = pieces(record)
    found: set[int] = set()
    at_end = len(record) - len(end)
    keys = [(0, header, key) for key in ("seat", "name", "software", "began")]
    for start, whole, key in [*keys, (at_end, end, "text")]:
        packed = msgpack.packb(key)
        place = whole.find(packed)
        while place >= 0:
            value = place + len(packed)
            letters = whole[value] & 0x1F if whole[value] >= 0xA0 else 0
            found |= set(range(start + value + 1, start + value + 1 + letters))
            found |= set() if letters else {start + value}
            place = whole.find(packed, value)
    return found


def result(verdict: Verdict) -> Verdict:
    """A verdict without the keeper's own words, of which nothing is proven."""
    return replace(verdict, players=None, keeper=None, began=0, end=None)


@pytest.mark.parametrize("mask", [0x01, 0x80])
def test_no_record_with_a_flipped_byte_verifies_as_the_same_result(mask: int) -> None:
    record = with_end(RECORD, text="some words")
    whole, free = judge(record), words(record)
    assert len(free) == len("HostJoin") + len("tests") + len("some words") + 2
    assert whole.decided
    same: set[int] = set()
    for at in range(len(record)):
        altered = bytearray(record)
        altered[at] ^= mask
        verdict = judge(bytes(altered))
        assert verdict.cheat is None  # whoever alters a file makes nobody a cheat
        if result(verdict) == result(whole):
            same.add(at)
    # The highest bit of a letter is no letter, and that of a small number is no number.
    assert same == (free if mask == 0x01 else set())


def test_cut_at_every_byte_it_is_readable_up_to_there() -> None:
    record, ends, at = RECORD, set(), 0
    for piece in pieces(record):
        at += len(piece)
        ends.add(at)
    begun = len(b"".join(pieces(record)[:3]))
    entries = 0
    for length in range(len(record)):
        verdict = judge(record[:length])
        assert verdict.cheat is None
        if length < begun:
            assert verdict.match_id == b""
            kind = EmptyRecord if length == 0 else NoRecord if length < 10 else CutShort
            assert type(verdict.problem) is kind
            continue
        assert verdict.problem is None
        assert verdict.torn is (length not in ends)
        assert verdict.end is None
        assert 0 <= verdict.entries - entries <= 1
        entries = verdict.entries
        assert verdict.missing is not None or verdict.complete
    assert entries == judge(record).entries


def test_how_it_is_cut_into_pieces_makes_no_difference() -> None:
    whole = judge(RECORD)
    for size in (1, 7, 1000):
        chunks = (RECORD[at : at + size] for at in range(0, len(RECORD), size))
        assert judge(chunks) == whole
    assert judge([b"", RECORD, b""]) == whole


# --- what cannot be in a record


def unsound(record: bytes, refusal: str, entries: int) -> Verdict:
    verdict = judge(record)
    assert isinstance(verdict.problem, Unsound)
    assert (verdict.problem.refusal, verdict.problem.entry) == (refusal, entries)
    assert verdict.entries == entries
    assert verdict.cheat is None
    assert refusal in verdict.problem.what
    return verdict


def test_entries_after_the_end_of_the_match() -> None:
    *before, last, end = pieces(RECORD)
    n = judge(RECORD).entries
    unsound(b"".join([*before, last, last, end]), "unexpected", n)
    unsound(b"".join([*before, last, before[5]]), "unexpected", n)


@pytest.mark.parametrize(
    ("tail", "refusal"),
    [
        (b"\x00", "garbage"),
        (b"\n", "garbage"),
        (b"\xc1", "garbage"),
        (b"\x80", "malformed"),
        (b"\x81\xa1t\xa3end", "malformed"),
        (RECORD, "unexpected"),
        (pieces(RECORD)[-1], "unexpected"),
        (pieces(RECORD)[-1][:20], "unexpected"),
        (encode(m.Ping(1)), "unexpected"),
        (b"\xdf\x00\x00\x00\x41", "oversized"),
        (b"\x81\x80\x01", "malformed"),
        (b"\x81" * 20, "unexpected"),
        (b"\xc4\xff", "unexpected"),
    ],
    ids=lambda value: value[:8].hex() if isinstance(value, bytes) else value,
)
def test_trailing_garbage(tail: bytes, refusal: str) -> None:
    verdict = unsound(RECORD + tail, refusal, judge(RECORD).entries)
    assert verdict.complete  # what stands before still does


def test_a_torn_end_must_be_that_of_a_message() -> None:
    cut = b"".join(pieces(RECORD)[:-1])
    assert judge(cut + b"\x86\xa1t").torn
    unsound(cut + b"\xc4\xff", "garbage", judge(RECORD).entries)


def test_messages_that_are_no_part_of_a_match() -> None:
    *before, end = pieces(RECORD)
    chat = encode(m.Chat("hello"))
    unsound(b"".join([*before[:5], chat, *before[5:], end]), "unexpected", 2)
    header, offer, accept, *rest = before
    for middle in ([accept, offer], [offer, offer], [chat, offer, accept], [header, offer]):
        assert judge(b"".join([header, *middle, *rest])).match_id == b""
    assert type(judge(header + offer + end).problem) is CutShort


def test_a_key_that_anybody_can_sign_for() -> None:
    verdict = judge(with_header(RECORD, join={"name": "x", "key": bytes(32)}))
    assert verdict.problem is not None
    assert verdict.problem.refusal == "identity"


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (b"", EmptyRecord),
        (b"hello, world\n" * 100, NoRecord),
        (b'{"event": "result"}', NoRecord),
        (bytes(1000), NoRecord),
        (bytes(range(256)) * 8, NoRecord),
        (bytes(range(128, 256)) * 8, NoRecord),
        (b"\xdf\xff", NoRecord),
        (b"\x87\xa1t\xa6recor", NoRecord),
        (b"\x81\xa1t\xa6record"[:-1], NoRecord),
        (encode(m.Ping(1)), NoRecord),
        (RECORD[1:], NoRecord),
        (pieces(RECORD)[1], NoRecord),
        (pieces(RECORD)[0], CutShort),
        (RECORD[:250], CutShort),
        (with_header(RECORD, v=2), NewerRecord),
        (with_header(RECORD, v=65536, also="new")[:300], NewerRecord),
        (with_header(RECORD, v=0), Unsound),
        (with_header(RECORD, v=True), Unsound),
        (with_header(RECORD, seat=2), Unsound),
    ],
    ids=lambda value: value[:12].hex() if isinstance(value, bytes) else value.__name__,
)
def test_files_that_are_no_record(record: bytes, kind: type[Exception]) -> None:
    verdict = judge(record)
    assert type(verdict.problem) is kind
    assert verdict == Verdict(problem=verdict.problem)


def test_no_more_is_read_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []

    def endless(chunk: bytes) -> Iterator[bytes]:
        while True:
            taken.append(len(chunk))
            yield chunk

    assert type(judge(endless(bytes(65536))).problem) is NoRecord
    assert len(taken) == 1
    monkeypatch.setattr(reading, "MAX_RECORD", len(RECORD))
    assert judge(RECORD).decided
    body = b"".join(pieces(RECORD)[:-1])
    verdict = judge(
        chunk for part in (body, bytes(1), *islice(endless(body), 3)) for chunk in [part]
    )
    assert verdict.problem is not None  # garbage comes before the limit
    assert verdict.problem.refusal == "garbage"
    verdict = judge([body, pieces(RECORD)[-1], b"\x00"])
    assert type(verdict.problem) is TooLarge
    assert verdict.match_id == b""
    assert MAX_RECORD == 64 * 1024 * 1024
