"""What of a damaged record is sound, and what a crash can have done to the rest.

A record only grows, and what it says is on the disk before it is sent (specification, section 6.4).
So a crash can harm nothing but its end: a message that is not all there, or nothing at all where
the file has already become longer, which disks show as zeros. That is a *torn* end, and what was in
it has never been sent. Anything else, such as whole messages behind something that cannot be read,
no crash leaves: it is damage, and what it has hit may have been sent long ago.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from pazaak_p2p.rules import Seat
from pazaak_p2p.wire import claims
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.codec import MAX_MESSAGE, Cutter
from pazaak_p2p.wire.errors import Refusal, RemoteError
from pazaak_p2p.wire.messages import Claim, Concede, Entry, RecordEnd
from pazaak_p2p.wire.reading import Reading, Saved, begins_a_map
from pazaak_p2p.wire.record import END
from pazaak_p2p.wire.transcript import Transcript
from pazaak_p2p.wire.verdict import TooLarge

# How each object of a record begins that follows the agreement, in the form of section 4. Nothing
# that stands inside of one begins like that.
_BEGINNINGS: Final = (
    b"\x83\xa1t\xa5entry",
    b"\x85\xa1t\xa7concede",
    b"\x84\xa1t\xa5claim",
    END,
)
_LONGEST: Final = max(map(len, _BEGINNINGS))


class Sound(Struct, frozen=True):
    """The part of a record that can be gone on with."""

    saved: Saved
    entries: int
    flaw: str = ""
    """What is wrong with what follows, in a sentence; empty if nothing is, or it is an end map."""
    torn: bool = False
    """Is it no more than what a crash leaves of one message?"""


def sound_part(read: Callable[[int], Iterable[bytes]]) -> Sound:
    """What of a record is sound, from its first byte to the first thing that does not fit.

    *read* gives the record from a byte on, piece by piece; it is never held whole. Signatures and
    rules are looked at. Raises a ``Refusal`` or a ``RecordProblem`` if not even the agreement is
    there, and a ``Cheat`` if the record ends by convicting the other seat.
    """
    reading = Reading(read(0))
    terms = reading.begin()
    header = reading.header
    assert header is not None
    transcript = Transcript(terms)
    items: list[Entry | Concede | Claim] = []
    length = reading.length
    flaw = ""
    try:
        for item in reading:
            if isinstance(item, RecordEnd):
                continue
            _hear(transcript, item)
            items.append(item)
            length = reading.length
    except RemoteError as error:
        if isinstance(error, Cheat) and error.seat is not Seat(header.seat):
            raise
        flaw = _in_words(error)
    except TooLarge as error:
        flaw = f"More follows than a record can hold. {error.why}"
    saved = Saved(header, terms, tuple(items), length, torn=reading.torn)
    if not flaw and not reading.torn:
        return Sound(saved, transcript.length)
    if is_torn(read(length)):
        return Sound(saved, transcript.length, "It ends within a message.", torn=True)
    return Sound(saved, transcript.length, flaw or "Whole messages stand behind the fault.")


def is_torn(rest: Iterable[bytes]) -> bool:
    """Is *rest*, which follows what is sound, what a crash leaves of one message?

    That is its beginning, or nothing of it, and then perhaps zeros.
    """
    begun = bytearray()
    size = 0
    for piece in rest:
        size += len(piece)
        room = MAX_MESSAGE + 1 - len(begun)
        begun += piece[:room]
        if piece[room:].strip(b"\0"):
            return False
    part = bytes(begun.rstrip(b"\0"))
    if not part:
        return size > 0
    if len(part) > MAX_MESSAGE or not begins_a_map(part[0]) or has_messages([part[1:]]):
        return False
    cutter = Cutter()
    cutter.feed(part)
    try:
        return next(iter(cutter), None) is None
    except Refusal:
        return False


def has_messages(chunks: Iterable[bytes]) -> bool:
    """Does anything in *chunks* begin as the objects of a record do that follow its agreement?"""
    before = b""
    for piece in chunks:
        seen = before + piece
        if any(beginning in seen for beginning in _BEGINNINGS):
            return True
        before = seen[1 - _LONGEST :]
    return False


def _hear(transcript: Transcript, item: Entry | Concede | Claim) -> None:
    if isinstance(item, Entry):
        transcript.read(item)
    elif isinstance(item, Concede):
        transcript.hear_concession(Seat(item.by), item)
    else:
        claims.check(transcript, item)


def _in_words(error: RemoteError) -> str:
    if isinstance(error, Cheat):
        return "What follows does not go together with it."
    return f"What follows is something else than was written ({error.code})."
