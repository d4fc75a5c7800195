"""A record of ours, read for what happened in its match: sets, draws, cards played.

Our own program wrote it, and checked every signature and every opening before it did; checking them
again would take four fifths of the time. So of the signatures only the last entry's is checked
here, which by the chain vouches for the bytes of all before it; every lot and move is played again
by the rules, and must lead to the states that were signed. That is what a damaged file fails. What
a lying keeper could write is another matter: ``pazaak verify`` trusts nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from pazaak_p2p import rules
from pazaak_p2p.fairness import digest, lots
from pazaak_p2p.rules import Card, Phase, Rules, Seat, SetResult, SideDeck, State, Termination
from pazaak_p2p.rules.tables import total_after
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import kinds_of, read_body, typed
from pazaak_p2p.wire.errors import Refusal
from pazaak_p2p.wire.messages import Concede, Entry, RecordEnd, Statement
from pazaak_p2p.wire.reading import Reading, cut
from pazaak_p2p.wire.terms import Terms, entry_frame
from pazaak_p2p.wire.verdict import CutShort, EmptyRecord, RecordProblem

_ENTRY: Final = kinds_of(Entry)
_CHANCE: Final = frozenset({Phase.DEAL, Phase.OPENING, Phase.OPENER, Phase.DRAW})


class Unfinished(Exception):
    """The match is not over: it is being played, or its program was stopped at once."""


class Damaged(Exception):
    """This is not the record of a match, or not as one must be; the text says what is wrong."""


class Drawn(Struct, frozen=True, gc=False):
    """A green card that was drawn (R7)."""

    set: int
    """Counted from 1, like a set's own number."""
    seat: Seat
    rank: int
    before: int
    """The total before it."""
    deck: bytes
    """The ranks that it was drawn from, ascending."""


class Used(Struct, frozen=True, gc=False):
    """A hand card that was played (R8)."""

    set: int
    seat: Seat
    card: Card
    before: int
    after: int
    """The totals before and after it."""


class Played(Struct, frozen=True, gc=False):
    """A match that is over. Pairs are (host, join)."""

    match_id: bytes
    seat: Seat
    """The keeper's: ours."""
    keys: tuple[bytes, bytes]
    names: tuple[str, str]
    """Raw, as they were given."""
    began: int
    """Unix time in seconds, 0 if not known."""
    rules: Rules
    termination: Termination
    winner: Seat | None
    proven: bool
    """Whether it ended so by what is signed, and not only by the keeper's word."""
    won: tuple[int, int]
    entries: int
    ended: bool
    """Whether the record has its end map."""
    decks: tuple[SideDeck | None, SideDeck | None]
    """As they were opened after the match; None for one that was not."""
    sets: tuple[SetResult, ...]
    draws: tuple[Drawn, ...]
    uses: tuple[Used, ...]


def is_within_a_lot(chunks: Iterable[bytes]) -> bool:
    """Is a record cut off within a lot, so that its match is not over, whatever was said in it?

    Most records of matches that are not over are; to know it of them, nothing need be played again.
    That is so if the last entry ends with a share and has something before it: an act, a
    ``commit`` or the other share of the lot before, after each of which a new lot begins.
    """
    kinds = chain(("record", "offer", "accept"), repeat("entry"))
    value: object = None
    try:
        for kind, (value, _) in zip(kinds, cut(chunks), strict=False):
            if type(value) is not dict or value.get("t") != kind:
                return False  # a concession, a claim, an end; or no record
        entry: Entry = typed(value, _ENTRY)
        say = read_body(entry.body).say
    except (Refusal, RecordProblem):
        return False
    return len(say) > 1 and type(say[-1]) is messages.Reveal


def read_played(chunks: Iterable[bytes]) -> Played:
    """The match in a record. Raises :class:`Unfinished` or :class:`Damaged`."""
    reading = Reading(chunks)
    try:
        terms = reading.begin()
    except (CutShort, EmptyRecord) as error:
        raise Unfinished from error  # a file that has just been made looks like that
    except (RecordProblem, Refusal) as error:
        raise Damaged(error.what) from error
    replay = _Replay(terms)
    end: RecordEnd | None = None
    fault: Exception | None = None
    try:
        for item in reading:
            if isinstance(item, RecordEnd):
                end = item
            elif fault is not None:
                raise fault
            elif isinstance(item, Concede):
                replay.concessions.append(item)
            elif isinstance(item, Entry):
                try:
                    replay.take(item)
                except (Damaged, Refusal, rules.RuleError) as error:
                    fault = error  # the last entry may be one that was refused (section 12)
    except (RecordProblem, Refusal, rules.RuleError) as error:
        raise Damaged(error.what) from error
    if fault is not None and (end is None or not end.code):
        raise Damaged(f"Entry {replay.entries}: {fault}") from fault
    header = reading.header
    assert header is not None
    replay.check_last()
    replay.settle()
    outcome = replay.state.outcome
    proven = True
    if end is not None:
        said = _said(end)
        # After a refused entry nothing is said any more: that entry is what convicts (section 12).
        proven, outcome = said == outcome or fault is not None, said
    if outcome is None:
        raise Unfinished
    return Played(
        match_id=terms.match_id,
        seat=Seat(header.seat),
        keys=terms.keys,
        names=(header.host.name, header.join.name),
        began=header.began,
        rules=terms.rules,
        termination=outcome.termination,
        winner=outcome.winner,
        proven=proven,
        won=replay.state.won,
        entries=replay.entries,
        ended=end is not None,
        decks=(replay.decks[0], replay.decks[1]),
        sets=replay.state.results,
        draws=tuple(replay.draws),
        uses=tuple(replay.uses),
    )


def _said(end: RecordEnd) -> rules.Outcome:
    try:
        termination = Termination(end.termination)
    except ValueError as error:
        raise Damaged("Its end tells of an end that does not exist.") from error
    return rules.Outcome(termination, None if end.winner is None else Seat(end.winner))


class _Replay:
    """A match played again from what was said in it."""

    def __init__(self, terms: Terms) -> None:
        self.state: State = rules.new_match(terms.rules)
        self.entries = 0
        self.concessions: list[Concede] = []
        self.decks: list[SideDeck | None] = [None, None]
        self.draws: list[Drawn] = []
        self.uses: list[Used] = []
        self._match_id = terms.match_id
        self._keys = terms.keys
        self._head = terms.match_id
        self._last: tuple[Seat, Entry] | None = None
        self._lots = 0
        self._shares: list[bytes | None] = [None, None]

    def take(self, entry: Entry) -> None:
        """The next entry. Raises :class:`Damaged`, a ``Refusal`` or a ``RuleError``."""
        body = read_body(entry.body)
        if body.prev != self._head or body.n != self.entries:
            raise Damaged("It does not continue what went before.")
        seat = Seat(body.by)
        for statement in body.say:
            self._take(seat, statement)
        if body.state != rules.digest(self.state):
            raise Damaged("It does not lead where its author says.")
        self._head = digest("entry", self._match_id, entry.body)
        self._last = seat, entry
        self.entries += 1

    def check_last(self) -> None:
        """Check the last entry's signature. Raises :class:`Damaged`."""
        if self._last is None:
            return
        seat, entry = self._last
        key = Ed25519PublicKey.from_public_bytes(self._keys[seat])
        try:
            key.verify(entry.sig, entry_frame(self._match_id, entry.body))
        except InvalidSignature as error:
            raise Damaged(f"Entry {self.entries - 1} is not signed by its author.") from error

    def settle(self) -> None:
        """Let a concession take effect, if the match has not ended without it (R21)."""
        if self.concessions and self.state.phase is not Phase.OVER:
            # Of two that crossed the joiner's is void (section 10).
            said = min(self.concessions, key=lambda concession: concession.by)
            leave = rules.Leave(Seat(said.by), Termination(said.reason.value))
            self.state = rules.apply(self.state, leave)

    def _take(self, seat: Seat, statement: Statement) -> None:
        match statement:
            case messages.Reveal():
                self._reveal(seat, statement.share)
            case messages.EndTurn():
                self._act(seat, rules.End())
            case messages.PlayCard():
                self._play(seat, rules.Play(statement.at, statement.card, statement.value))
            case messages.StandNow():
                self._act(seat, rules.Stand())
            case messages.LayDown():
                self._act(seat, rules.Lay(statement.at))
            case messages.PassOn():
                self._act(seat, rules.Pass())
            case messages.Open():
                self.settle()
                self.decks[seat] = tuple(statement.deck)
            case messages.Commit():
                pass

    def _act(self, seat: Seat, action: rules.Action) -> None:
        if self.state.mover is not seat:
            raise Damaged("It is of a seat whose turn it is not.")
        self.state = rules.apply(self.state, action)

    def _play(self, seat: Seat, play: rules.Play) -> None:
        before = self.state
        self._act(seat, play)
        number, total = len(before.results) + 1, before.totals[seat]
        self.uses.append(Used(number, seat, play.card, total, total_after(before, play)))

    def _reveal(self, seat: Seat, share: bytes) -> None:
        state = self.state
        if self._shares[seat] is not None or state.phase not in _CHANCE:
            raise Damaged("It reveals what is not due.")
        self._shares[seat] = share
        host, join = self._shares
        if host is None or join is None:
            return
        lot = lots.lot(self._match_id, self._lots, host, join)
        self._lots += 1
        self._shares = [None, None]
        match state.phase:
            case Phase.DRAW:
                rank = lots.draw(lot, state.deck)
                mover = state.mover
                assert mover is not None
                number, total = len(state.results) + 1, state.totals[mover]
                self.draws.append(Drawn(number, mover, rank, total, state.deck))
                chance: rules.Chance = rules.Draw(rank)
            case Phase.DEAL:
                chance = rules.Deal(*lots.deal(lot))
            case Phase.OPENING:
                chance = rules.Opening(*lots.opening(lot))
            case _:
                chance = rules.FirstMove(Seat(lots.first_move(lot)))
        self.state = rules.apply(state, chance)
