"""The bytes of a record, cut into what a record is made of (specification, section 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from msgspec import Struct

from pazaak_p2p.fairness import is_weak
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import MAX_MESSAGE, MESSAGES, Cutter, kinds_of, typed
from pazaak_p2p.wire.errors import Garbage, IdentityRefused, Refusal, Unexpected
from pazaak_p2p.wire.messages import Claim, Concede, Entry, Header, RecordEnd
from pazaak_p2p.wire.record import RECORD_VERSION
from pazaak_p2p.wire.terms import Terms, agree
from pazaak_p2p.wire.verdict import CutShort, EmptyRecord, NewerRecord, NoRecord, TooLarge

MAX_RECORD: Final = 64 * 1024 * 1024
"""Bytes of a record, at most. A match of 999 sets, the longest that rules can ask for, takes about
a tenth of it."""

Item: TypeAlias = Entry | Concede | Claim | RecordEnd

# How every record begins that was written as the specification says: its own kind comes first.
_MAGIC: Final = b"\x87\xa1t\xa6record"


_HEADER: Final = kinds_of(Header)
_ITEMS: Final[dict[str, type[Struct]]] = {**MESSAGES, **kinds_of(Header), **kinds_of(RecordEnd)}


class Saved(Struct, frozen=True):
    """The record of a match, as far as it can be gone on with."""

    header: Header
    terms: Terms
    items: tuple[Entry | Concede | Claim, ...]
    length: int
    """Bytes up to the end of the last of the items; what follows is to be cut off: an end map,
    which tells of an end that was none, or an object that is not all there."""
    torn: bool = False
    """Whether there is one, or what may be taken for one (see ``soundness.py``)."""


def read_saved(chunks: Iterable[bytes]) -> Saved:
    """The match of a record, whose signatures and rules are not looked at.

    Raises a ``Refusal`` or a ``RecordProblem`` if it is no record or holds what cannot be in one.
    """
    reading = Reading(chunks)
    terms = reading.begin()
    items = tuple(item for item in reading if not isinstance(item, RecordEnd))
    assert reading.header is not None
    return Saved(reading.header, terms, items, reading.length, reading.torn)


class Reading:
    """A record, read piece by piece and only as far as it is asked to.

    :meth:`begin` reads up to the accept; iterating yields what follows. Both raise a ``Refusal`` at
    what cannot be in a record, or a ``RecordProblem`` if it is none. A torn end ends it quietly.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._cutter = Cutter()
        self._objects = cut(chunks, self._cutter)
        self.header: Header | None = None
        self.torn = False
        """Set at the end, if the last object is not all there."""
        self.length = 0
        """Bytes so far, without those of the end map and of a torn object."""

    def begin(self) -> Terms:
        """What the match is."""
        self.header = header = self._header()
        offer, offer_exact = self._agreement(messages.Offer)
        _, accept_exact = self._agreement(messages.Accept)
        keys = (header.host.key, header.join.key)
        return agree(offer.rules.rules(), keys, offer_exact, accept_exact)

    def _header(self) -> Header:
        try:
            value, exact = next(self._objects)
        except StopIteration:
            raise self._nothing() from None
        except Refusal:
            raise NoRecord from None
        if type(value) is not dict or value.get("t") != "record":
            raise NoRecord
        _check_version(value.get("v"))
        header: Header = typed(value, _HEADER)
        if any(is_weak(player.key) for player in (header.host, header.join)):
            raise IdentityRefused
        self.length += len(exact)
        return header

    def _nothing(self) -> NoRecord | CutShort:
        if self._cutter.rest.startswith(_MAGIC):
            return CutShort()
        return NoRecord() if self._cutter.rest else EmptyRecord()

    def _agreement(self, kind: type[Any]) -> tuple[Any, bytes]:
        try:
            value, exact = next(self._objects)
        except StopIteration:
            raise CutShort from None
        message = typed(value, _ITEMS)
        if type(message) is RecordEnd:
            raise CutShort
        if type(message) is not kind:
            raise Unexpected
        self.length += len(exact)
        return message, exact

    def __iter__(self) -> Iterator[Item]:
        ended = False
        for value, exact in self._objects:
            item = typed(value, _ITEMS)
            if ended or not isinstance(item, Item):
                raise Unexpected
            ended = isinstance(item, RecordEnd)
            if not ended:
                self.length += len(exact)
            yield item
        if ended and self._cutter.rest:
            raise Unexpected
        if self._cutter.rest and not begins_a_map(self._cutter.rest[0]):
            raise Garbage
        self.torn = bool(self._cutter.rest)


def cut(chunks: Iterable[bytes], cutter: Cutter | None = None) -> Iterator[tuple[object, bytes]]:
    """Each object of a record with its exact bytes; a torn one is left in the *cutter*.

    Raises a ``Refusal`` or ``TooLarge``.
    """
    cutter = cutter or Cutter()
    total = 0
    for piece in _pieces(chunks):
        total += len(piece)
        if total > MAX_RECORD:
            raise TooLarge(why=f"A record has at most {MAX_RECORD >> 20} MiB.")
        cutter.feed(piece)
        yield from cutter


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), MAX_MESSAGE):
            yield chunk[start : start + MAX_MESSAGE]


def _check_version(version: object) -> None:
    if type(version) is int and version > RECORD_VERSION:
        raise NewerRecord(
            why=f"It is of version {version}; this program reads version {RECORD_VERSION}."
        )


def begins_a_map(byte: int) -> bool:
    """Does a msgpack map begin with *byte*?"""
    return byte & 0xF0 == 0x80 or byte in (0xDE, 0xDF)
