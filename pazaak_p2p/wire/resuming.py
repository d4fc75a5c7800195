"""Going on with a match that was broken off (specification, section 6.4).

Both sides say how many entries they hold and the head that these make. Where one is a beginning of
the other, who holds more tells the rest, and both are where the match was. Where neither is, two
different entries were signed for one place: both tell all they hold, and the first difference
convicts its author.

The rest may hold entries of whoever lacks them: a machine that lost power can lose what it had
said. They are its own words, and it goes on from there; it says nothing before it has heard them,
so it cannot say something else in their place. Concessions stand outside the chain and come along
with the first word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from pazaak_p2p.rules import Outcome, Phase, Seat, SideDeck, View
from pazaak_p2p.wire import cheats, record
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.errors import Forked, Unexpected
from pazaak_p2p.wire.events import Moved, Resumed
from pazaak_p2p.wire.match import Match
from pazaak_p2p.wire.messages import Concede, Entry, Resume
from pazaak_p2p.wire.reading import Saved


class Interrupted(Struct, frozen=True):
    """A match that was broken off, as our seat left it."""

    match: Match
    choices: tuple[View, ...]
    """The choices that were ours in it, in order."""
    moves: tuple[Moved, ...] = ()
    """All that happened in the game."""
    away: float = 0.0
    """For how many seconds, by our clock, our side has been away from it: the other's claim is
    refused if that is too short."""

    def resumed(self) -> Resumed:
        """How it was left, for whoever goes on with it."""
        transcript = self.match.transcript
        terms = transcript.terms
        return Resumed(
            terms.match_id,
            self.match.seat,
            terms.rules,
            transcript.state,
            self.choices,
            self.moves,
        )


def restore(
    saved: Saved, key: Ed25519PrivateKey, secret: bytes, deck: SideDeck | None
) -> Interrupted:
    """The match of a record, to go on with as its keeper's seat.

    *key*, *secret* and *deck* are those it was played with; a match that is complete needs no
    *deck*, nor does one that we have claimed. What comes out serves one session. Raises a
    ``RemoteError`` if the record holds what cannot be in it, and ``WrongSecrets`` if *secret* or
    *deck* is another.
    """
    match = Match(saved.terms, Seat(saved.header.seat), key, secret, deck)
    return Interrupted(match, *match.replay(saved.items))


def claim(interrupted: Interrupted) -> tuple[bytes, Outcome]:
    """End a match that was broken off, since the other side does not come back (section 10).

    What its record is to hold after what it holds, and how it ended. Nothing more can be said in it
    then. Raises ``LocalError`` if the match cannot be claimed.
    """
    match = interrupted.match
    said = b"" if match.seat in match.claims else match.claim()
    outcome = match.broken_off(None)
    return said + record.ending(outcome, match.transcript.opened, "claim"), outcome


class Resumption:
    """How far both sides are in *interrupted*, until both are equally far."""

    def __init__(self, interrupted: Interrupted) -> None:
        self.interrupted = interrupted
        self.match = match = interrupted.match
        self.away = interrupted.away
        self._record = bytearray()
        transcript = match.transcript
        self._held = transcript.length
        self.wish = Resume(
            transcript.terms.match_id,
            self._held,
            transcript.head,
            [match.concessions[seat] for seat in Seat if seat in match.concessions],
        )
        self._theirs: Resume | None = None
        self._unheard: list[Concede] = []
        self._forked = False

    @property
    def caught_up(self) -> bool:
        """Do both sides hold the same?"""
        theirs, transcript = self._theirs, self.match.transcript
        return theirs is not None and not self._forked and transcript.length >= theirs.n

    def take_record(self) -> bytes:
        """What was heard, since the last call, that the record does not hold."""
        heard = bytes(self._record)
        self._record.clear()
        return heard

    def compare(self, theirs: Resume) -> bytes:
        """Take the other side's word for how far it is; what is to be said to it.

        Raises a ``RemoteError``, as *take* does.
        """
        self._theirs = theirs
        known = self.match.concessions
        self._unheard = [said for said in theirs.conceded if said != known.get(Seat(said.by))]
        heads = self.match.transcript.heads
        rest: Sequence[Entry] = ()
        if theirs.n <= self._held:
            if heads[theirs.n] != theirs.head:
                return self._fork()
            rest = self.match.entries[theirs.n :]
        self._hear()
        return _said(rest)

    def take(self, entry: Entry, exact: bytes) -> bytes:
        """Take an entry of what we lack, *exact* on the wire; what is to be said to it.

        Raises a ``RemoteError``: a ``Cheat``, which is in the record then, if it shows that the
        other side has signed two entries for one place, ``Forked`` if it shows such a thing of us.
        """
        assert self._theirs is not None
        transcript = self.match.transcript
        n = read_body(entry.body).n
        if n < self._held and transcript.holds(n, entry.body):
            if n + 1 >= min(self._held, self._theirs.n):
                raise _wrong_head()
            return b"" if self._forked else self._fork()
        if n >= self._held and (self._forked or transcript.complete):
            raise _wrong_head()
        with self._recording(exact):
            self.match.take_again(entry)
        if transcript.length == self._theirs.n and transcript.head != self._theirs.head:
            raise _wrong_head()
        self._hear()
        return b""

    def _hear(self) -> None:
        """Take the concessions that name what we hold by now; at the end all must."""
        heads = self.match.transcript.heads
        for said in self._unheard[:]:
            if said.head in heads or self.caught_up:
                void = self.match.transcript.state.phase is Phase.OVER
                with self._recording(encode(said), void=void):
                    self.match.hear_again(said)
                self._unheard.remove(said)
        if self.caught_up:
            self.match.settle()

    @contextmanager
    def _recording(self, exact: bytes, *, void: bool = False) -> Iterator[None]:
        """Record what is taken here, unless it is *void*, and what convicts the other side."""
        try:
            yield
        except cheats.Cheat as cheat:
            if cheat.seat is self.match.seat:
                # Whatever we have signed, we have not broken the rules: it is our record that has
                # not got all of it.
                raise Forked from None
            self._record += exact  # the proof
            raise
        if not void:  # a concession after the end means nothing there, so it has no place
            self._record += exact

    def _fork(self) -> bytes:
        self._forked = True
        return _said(self.match.entries)


def _wrong_head() -> Unexpected:
    return Unexpected(why="It named a head that its own entries do not make.")


def _said(entries: Sequence[Entry]) -> bytes:
    return b"".join(encode(entry) for entry in entries)
