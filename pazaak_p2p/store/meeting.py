"""Is this player one we know? Trust on first use, by key; a name proves nothing.

A player whom we meet for the first time is believed to be whoever it says it is, and its key is
kept. From then on the key is the player: it may change its name as it likes. But whoever comes
under a name of somebody we know, with another key, is never taken for that one without a word; nor
is one we know who changes its name to that of another.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar, Final

from msgspec import Struct

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.store.names import readings, shown_name
from pazaak_p2p.store.peers_file import Book, KnownPeer

_SHOWN: Final = 3


class Case(Enum):
    """How a player stands to those we know."""

    NEW = "new"
    """Neither key nor name is known."""
    KNOWN = "known"
    """The key is known, and the name is the same."""
    RENAMED = "renamed"
    """The key is known, by another name."""
    NAME_TAKEN = "name-taken"
    """The name is one of somebody else whom we know, with another key."""


class Meeting(Struct, frozen=True):
    """A player with this key and name (raw) has come."""

    case: Case
    key: bytes
    name: str
    peer: KnownPeer | None
    """What we know of this key; None if nothing, or if the list is full."""
    holders: tuple[KnownPeer, ...] = ()
    """Who else is or was known by this name, if it is taken."""


class NameTaken(PazaakError):
    """A player comes under a name that you know, with another key.

    ``meeting`` is the case.
    """

    code: ClassVar[str] = "name-taken"
    exit_code = Exit.IDENTITY_REFUSED

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting
        known = " or ".join(fingerprint(peer.key) for peer in meeting.holders[:_SHOWN])
        super().__init__(
            f"A player calls itself {shown_name(meeting.name)!r}, a name that you know, but has"
            " another key.",
            why=f"It has the key {fingerprint(meeting.key)}. You know {known}. Perhaps they play"
            " from another machine or lost their key, or this is somebody else.",
            next="Ask them, by voice or another way you trust, what 'pazaak peers me' shows there.",
        )


Index = Mapping[str, frozenset[bytes]]
"""Who can be read so: keys by the readings of their names."""


def index(book: Book) -> Index:
    """The index of *book*."""
    keys: dict[str, set[bytes]] = {}
    for key, peer in book.items():
        for name in peer.names:
            for reading in readings(name):
                keys.setdefault(reading, set()).add(key)
    return {reading: frozenset(found) for reading, found in keys.items()}


def judge(book: Book, names: Index, key: bytes, name: str) -> Meeting:
    """How a player with *key* and *name* stands to those in *book*, whose index *names* is.

    A blank name is nobody's, so it can neither be known nor taken.
    """
    peer = book.get(key)
    if peer is not None and peer.name == name:
        # Also if others have this name: then the user has said yes to it before.
        return Meeting(Case.KNOWN, key, name, peer)
    found: set[bytes] = set()
    for reading in readings(name):
        found |= names.get(reading, frozenset())
    found.discard(key)
    if found:
        holders = tuple(other for other in book.values() if other.key in found)
        return Meeting(Case.NAME_TAKEN, key, name, peer, holders)
    return Meeting(Case.NEW if peer is None else Case.RENAMED, key, name, peer)
