"""What a crash can leave of a record, and what no crash leaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pazaak_p2p.rules import Rules
from pazaak_p2p.wire import reading
from pazaak_p2p.wire.errors import RemoteError
from pazaak_p2p.wire.soundness import Sound, is_torn, sound_part
from pazaak_p2p.wire.verdict import RecordProblem
from tests.wire.broken import Line, begin, items, new_pair, written
from tests.wire.records import pieces


def record() -> bytes:
    pair = new_pair("soundness", Line(12))
    begin(pair, Rules(sets=1))
    return written(pair.host)


RECORD = record()
PARTS = pieces(RECORD)
SAID = items(RECORD)
"""The messages after the agreement."""
STARTS = [len(b"".join(PARTS[:n])) for n in range(len(PARTS) + 1)]
LAST = STARTS[-2]


def examined(record: bytes) -> Sound | None:
    """None if not even the agreement is there."""
    try:
        return sound_part(lambda start: [record[start:]])
    except (RemoteError, RecordProblem):
        return None


def test_a_whole_record_is_sound() -> None:
    sound = examined(RECORD)
    assert sound is not None
    assert (sound.flaw, sound.torn) == ("", False)
    assert sound.entries == len(SAID) == len(sound.saved.items) >= 5
    assert sound.saved.length == len(RECORD)


@pytest.mark.parametrize("zeros", [0, 1, 511, 4096, 70_000])
def test_what_ends_within_a_message_is_torn(zeros: int) -> None:
    """Also with zeros behind it, where the file became longer before it was written to."""
    for end in range(STARTS[3], len(RECORD), 3 if zeros == 0 else 41):
        whole = sum(start <= end for start in STARTS[4:])
        sound = examined(RECORD[:end] + bytes(zeros))
        assert sound is not None
        assert sound.entries == whole
        assert sound.saved.length == STARTS[3 + whole]
        assert sound.torn is (end not in STARTS or zeros > 0)


def altered() -> Iterator[tuple[int, bytes]]:
    """The record with a byte altered, and where: each in one way, where lengths are in all."""
    for at, byte in enumerate(RECORD):
        near = min(at - start for start in STARTS if start <= at)
        for n, other in enumerate((bytes([byte ^ 1 << at % 8]), b"\0", b"")):
            if at % 3 == n or near < 20 or at >= LAST:
                yield at, RECORD[:at] + other + RECORD[at + 1 :]


def test_no_byte_that_is_altered_makes_a_torn_end_of_anything_but_the_last_message() -> None:
    kinds = set()
    for at, data in altered():
        sound = examined(data)
        if sound is None:
            assert at < STARTS[3]
        elif not sound.flaw:  # nothing that is signed, or a zero that was one
            assert sound.entries == len(SAID)
            assert at < STARTS[1] or data == RECORD
        elif sound.torn:
            assert at >= LAST
            assert sound.entries == len(SAID) - 1
        else:
            hit = sum(start <= at for start in STARTS[4:])
            assert sound.entries == (hit if at >= STARTS[3] else 0)
        kinds.add(None if sound is None else (bool(sound.flaw), sound.torn))
    assert kinds == {None, (False, False), (True, True), (True, False)}


@pytest.mark.parametrize("size", [16, 512])
def test_a_hole_before_whole_messages_is_damage(size: int) -> None:
    """A disk may bring the blocks of one burst to itself in any order."""
    for at in range(STARTS[3], LAST - size, 97):
        sound = examined(RECORD[:at] + bytes(size) + RECORD[at + size :])
        assert sound is not None
        assert sound.flaw
        assert not sound.torn


@pytest.mark.parametrize("size", [1, 3, 13, 100_000])
def test_what_follows_an_end_is_damage(size: int) -> None:
    """In whatever pieces it is read."""

    def torn(rest: bytes) -> bool:
        return is_torn(rest[at : at + size] for at in range(0, len(rest), size))

    end = b"\x86\xa1t\xa3end"
    assert not torn(SAID[-1])
    assert not torn(SAID[-1][:-1] + end)
    assert not torn(b"\xff")
    assert not torn(b"")
    assert torn(SAID[-1][:-1])
    assert torn(end)
    assert torn(bytes(10))
    assert torn(SAID[-1][:-1] + bytes(100_000))
    assert not torn(SAID[-1][:-1] + bytes(100_000) + b"\x01")
    assert not torn(bytes(100_000) + end)


def test_more_than_a_record_can_hold_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_RECORD", LAST - 1)
    sound = sound_part(lambda start: (RECORD[at : at + 50] for at in range(start, len(RECORD), 50)))
    assert 0 < sound.entries < len(SAID)
    assert sound.flaw.startswith("More follows than a record can hold.")
    assert not sound.torn
