"""The transcript: one linear signed log that both peers, and anyone later, check alike.

The machine does not know which seat is ours. What we say ourselves passes the same checks as what
the other side says, so both sides obey one set of rules, and a third party needs nothing but this
module to judge a record (G6).

At any moment exactly one statement is due, of one kind and from one seat (specification,
section 6.3): that is :attr:`Transcript.due`. ``say`` takes that statement, ``append`` closes an
entry over what was said, ``read`` does both for an entry that somebody else made.
"""

from __future__ import annotations

from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pazaak_p2p import rules
from pazaak_p2p.fairness import lots
from pazaak_p2p.rules import (
    Input,
    Leave,
    RuleError,
    Seat,
    SideDeck,
    State,
    Termination,
)
from pazaak_p2p.rules.seats import HOST, JOIN, OTHER
from pazaak_p2p.rules.state import ACT, DEAL, DRAW, OPENING, OVER, TIE
from pazaak_p2p.wire import cheats, messages
from pazaak_p2p.wire.codec import read_body
from pazaak_p2p.wire.commitments import Commitments
from pazaak_p2p.wire.errors import BadSignature, BrokenChain, Reflected, RemoteError, Unexpected
from pazaak_p2p.wire.events import Moved
from pazaak_p2p.wire.messages import Body, Commit, Concede, Entry, Open, Reveal, Statement
from pazaak_p2p.wire.terms import KIND, Due, Kind, Terms, concession_frame, entry_frame

_BY_ITSELF = frozenset({Termination.NORMAL, Termination.CAP})
_SEATS = tuple(Seat)

# Made once: one is due after every statement.
_FIRST_DUE = Due(HOST, Kind.COMMIT)
_SECOND_DUE = Due(JOIN, Kind.COMMIT)
_REVEAL_DUE = tuple(Due(seat, Kind.REVEAL) for seat in Seat)
_ACT_DUE = tuple(Due(seat, Kind.ACT) for seat in Seat)

# Statements that hold nothing but an action of the game.
_ACTIONS: dict[type[Statement], Input] = {
    messages.EndTurn: rules.End(),
    messages.StandNow: rules.Stand(),
    messages.PassOn: rules.Pass(),
}

# What is wrong with a card before anybody looks at which card it is (section 11, order of checks).
_BEFORE_OPENING = (
    rules.NotDue,
    rules.SecondCard,
    rules.CardNotDealt,
    rules.CardAlreadyPlayed,
)


class Transcript:
    """The log of one match, checked as it grows.

    *decks* are the side decks as far as this checker knows them. Raises a ``Cheat`` as soon as
    something is said that no honest peer says; after that the transcript is of no use.
    """

    def __init__(
        self, terms: Terms, decks: tuple[SideDeck | None, SideDeck | None] = (None, None)
    ) -> None:
        self.terms = terms
        self.state = rules.new_match(terms.rules, decks)
        self.heads = [terms.match_id]
        """The head after 0, 1, 2 .. entries."""
        self.dues: list[Due | None] = [_FIRST_DUE]
        """What was due there."""
        self.authors: list[Seat] = []
        self.length = 0
        """Entries so far; the number of the next one."""
        self.lots = 0
        """Lots completed; also the number of the lot that is due or comes next."""
        self.opened = (False, False)
        self.conceded: Seat | None = None
        """A seat whose concession was heard but has not taken effect."""
        self._conceded_at: list[int | None] = [None, None]
        self._last_spoken = [0, 0]
        """The length of the transcript after each seat's last entry with more than ``open``."""
        self.due: Due | None = _FIRST_DUE
        self.committed = False
        """Have both seats committed? Before that nobody can concede."""
        self._concession: Leave | None = None
        self._last_speaker = Seat.HOST
        self._keys = tuple(Ed25519PublicKey.from_public_bytes(key) for key in terms.keys)
        self.commitments = Commitments(terms.match_id)
        self._digester = rules.Digester()

    @property
    def head(self) -> bytes:
        return self.heads[-1]

    def digest(self) -> bytes:
        """Of the state after all that was said."""
        return self._digester.digest(self.state)

    @property
    def complete(self) -> bool:
        """Nothing more can be said."""
        return self.due is None

    # --- entries

    def holds(self, n: int, body: bytes) -> bool:
        """Is *body* that of entry *n*, which is in the transcript?"""
        return sha256(entry_frame(self.terms.match_id, body)).digest() == self.heads[n + 1]

    def append(self, body: bytes, author: Seat) -> bytes:
        """Close an entry over what *author* has said; *body* are its exact bytes.

        The frame of the entry, which its author signs.
        """
        framed = entry_frame(self.terms.match_id, body)
        self._append(framed, author)
        return framed

    def _append(self, framed: bytes, author: Seat) -> None:
        self.heads.append(sha256(framed).digest())
        self.authors.append(author)
        self.dues.append(self.due)
        self.length += 1

    def read(self, entry: Entry, sender: Seat | None = None) -> list[Moved]:
        """Check a whole entry and take it in; what it made happen in the game.

        The order of the checks is that of the specification, section 11. *sender* is the seat that
        delivered it, where that is known; an entry in the other seat's name is refused.
        """
        body = read_body(entry.body)
        author = _SEATS[body.by]
        if sender is not None and author is not sender:
            raise Reflected(why="It sent an entry in our name.")
        framed = entry_frame(self.terms.match_id, entry.body)
        self.check_signature(author, entry.sig, framed)
        self._check_not_conceded(body, author)
        self._check_place(body, author, framed)
        before = self.state, self.opened, self.due, self.conceded, self._concession
        try:
            moves = self._read_statements(body, author)
        except RemoteError:  # a refused entry is no part of the transcript
            self.state, self.opened, self.due, self.conceded, self._concession = before
            raise
        self._append(framed, author)
        return moves

    def _read_statements(self, body: Body, author: Seat) -> list[Moved]:
        if type(body.say[0]) is Open:
            outcome = self.state.outcome
            if outcome is None or outcome.termination not in _BY_ITSELF:
                return self._read_after_concession(body, author)
        moves = self._say_all(body, author)
        if body.state != self.digest():
            raise cheats.WrongDigest(author, self.length)
        return moves

    def _say_all(self, body: Body, author: Seat) -> list[Moved]:
        moves: list[Moved] = []
        for statement in body.say:
            moved = self.say(author, statement)
            if moved is not None:
                moves.append(moved)
        return moves

    def _read_after_concession(self, body: Body, author: Seat) -> list[Moved]:
        """An ``open`` in a match that has not ended by itself: the first one accepts a concession.

        That concession is not in the chain, so whoever shows this entry may have left it out or
        exchanged it. What does not fit here therefore convicts nobody, unless the deck itself does.
        """
        moves = self.settle_concession() if self.conceded is author.other else []
        state_fits = body.state == self.digest()
        if self.due != Due(author, Kind.OPEN) or not state_fits:
            raise BrokenChain(author, self.length)
        return moves + self._say_all(body, author)

    def check_signature(self, seat: Seat, signature: bytes, signed: bytes) -> None:
        """Has *seat* signed this? Raises ``BadSignature``."""
        try:
            self._keys[seat].verify(signature, signed)
        except InvalidSignature:
            raise BadSignature(seat, self.length) from None

    def _check_not_conceded(self, body: Body, author: Seat) -> None:
        # Concession and entry are both signed for this match: they convict in whatever order they
        # were delivered, and whatever the entry is chained to.
        since = self._conceded_at[author]
        if since is None or body.n < since:
            return
        if not all(type(statement) is Open for statement in body.say):
            raise cheats.ActedAfterConceding(author, self.length)

    def _check_place(self, body: Body, author: Seat, framed: bytes) -> None:
        """Is this entry the next one?

        Only what the author has signed can convict it. Whoever delivers or keeps a log may have
        dropped, repeated or exchanged entries of others, so an entry that merely does not fit ours
        proves nothing.
        """
        n, length = body.n, self.length
        held = n < length and self.authors[n] is author
        if held and sha256(framed).digest() != self.heads[n + 1]:
            raise cheats.TwoEntries(author, n)
        if body.prev != self.head:
            if length == 0 and n == 0:
                raise cheats.OtherMatch(author, length)
            if n == length and self.authors[-1] is author:
                raise cheats.WrongPrevious(author, length)
            raise BrokenChain(author, length)
        if n != length:
            raise cheats.WrongSequence(author, length)

    # --- statements

    def say(self, seat: Seat, statement: Statement) -> Moved | None:
        """Take one statement of *seat*; what it made happen in the game."""
        kind = KIND[type(statement)]
        due = self.due
        if due is None or due.seat is not seat or due.kind is not kind:
            raise self._not_due(seat, kind)
        moved: Moved | None = None
        if type(statement) is Reveal:
            moved = self._reveal(seat, statement)
        elif type(statement) is Commit:
            self._commit(seat, statement)
        elif type(statement) is Open:
            self._open(seat, statement)
        else:
            moved = self._act(seat, statement)
        self._last_speaker = seat
        if type(statement) is not Open:
            self._last_spoken[seat] = self.length + 1
        self.due = self._next_due()
        return moved

    def _not_due(self, seat: Seat, kind: Kind) -> cheats.Cheat:
        if kind is Kind.ACT:
            if self.state.stood[seat]:
                twenty = self.state.totals[seat] == 20
                return (cheats.AtTwenty if twenty else cheats.AfterStanding)(seat, self.length)
            return cheats.OutOfTurn(seat, self.length)
        if self.due is not None and self.due.seat is seat:
            return cheats.WrongStatement(
                seat, self.length, f"{kind.name.lower()} instead of {self.due.kind.name.lower()}"
            )
        return cheats.WithoutFloor(seat, self.length)

    def _next_due(self) -> Due | None:
        state = self.state
        phase, mover = state.phase, state.mover
        if phase is ACT or phase is TIE:
            assert mover is not None
            return _ACT_DUE[mover]
        if phase is OVER:
            return self._next_open()
        if not self.committed:
            return _SECOND_DUE
        host, join = self.commitments.shares
        if host is not None:
            return _REVEAL_DUE[JOIN]
        if join is not None:
            return _REVEAL_DUE[HOST]
        # The one who draws reveals last, and then acts in the same breath.
        return _REVEAL_DUE[self._last_speaker if mover is None else OTHER[mover]]

    def _next_open(self) -> Due | None:
        assert self.state.outcome is not None
        winner = self.state.outcome.winner
        first = Seat.HOST if winner is None else winner
        for seat in (first, first.other):
            if not self.opened[seat]:
                return Due(seat, Kind.OPEN)
        return None

    def _commit(self, seat: Seat, said: Commit) -> None:
        self.commitments.commit(seat, said, self.length)
        self.committed = seat is JOIN  # who commits last

    def _reveal(self, seat: Seat, said: Reveal) -> Moved | None:
        lot = self.commitments.reveal(seat, said, self.lots, self.length)
        if lot is None:
            return None
        self.lots += 1
        state = self.state
        return self._take(_chance(state, lot), state.mover)

    def _act(self, seat: Seat, said: Statement) -> Moved:
        if type(said) is messages.PlayCard:
            return self._lay_open(seat, rules.Play(said.at, said.card, said.value), said.salt)
        if type(said) is messages.LayDown:
            return self._lay_open(seat, rules.Lay(said.at), said.salt)
        try:
            return self._take(_ACTIONS[type(said)], seat)
        except RuleError as error:
            raise cheats.cheat_of(error, seat, self.length) from error

    def _lay_open(self, seat: Seat, action: rules.Play | rules.Lay, salt: bytes) -> Moved:
        """Play or lay a card, which opens its commitment."""
        card = action.card if isinstance(action, rules.Play) else rules.Card.TIEBREAKER
        broken: RuleError | None = None
        state = self.state
        try:
            state = rules.apply(state, action)
        except _BEFORE_OPENING as error:
            raise cheats.cheat_of(error, seat, self.length) from error
        except RuleError as error:
            broken = error
        if not self.commitments.opens(seat, action.at, card, salt):
            raise cheats.CardDoesNotOpen(seat, self.length)
        if broken is not None:
            raise cheats.cheat_of(broken, seat, self.length) from broken
        self.state = state
        return Moved(action, seat, state)

    def _open(self, seat: Seat, said: Open) -> None:
        self.commitments.open_deck(seat, said, self.terms.rules, self.length)
        self.opened = (seat is Seat.HOST or self.opened[0], seat is Seat.JOIN or self.opened[1])

    def _take(self, input_: Input, seat: Seat | None) -> Moved:
        self.state = state = rules.apply(self.state, input_)
        return Moved(input_, seat, state)

    # --- concessions (section 10)

    def hear_concession(self, seat: Seat, said: Concede) -> None:
        """Check a concession of *seat* and remember it until it takes effect."""
        signed = concession_frame(self.terms.match_id, seat, said.head, said.reason)
        self.check_signature(seat, said.sig, signed)
        if said.head not in self.heads:
            raise BrokenChain(seat, self.length)
        at = self.heads.index(said.head)
        if at < len(Seat):
            raise Unexpected(why="It conceded before both had committed.")
        if at < self._last_spoken[seat]:
            raise cheats.ActedAfterConceding(seat, self.length)
        self._conceded_at[seat] = at
        if self.conceded is None or seat is Seat.HOST:  # of two that cross, the joiner's is void
            self._concession = Leave(seat, Termination(said.reason.value))
            self.conceded = seat

    def settle_concession(self) -> list[Moved]:
        """Let a concession take effect, unless the match has ended without it."""
        leave, self._concession, self.conceded = self._concession, None, None
        if leave is None or self.state.phase is OVER:
            return []
        moved = self._take(leave, leave.seat)
        self.due = self._next_due()
        return [moved]


def _chance(state: State, lot: bytes) -> Input:
    """What *lot* decides in this phase (section 7)."""
    phase = state.phase
    if phase is DRAW:
        return rules.Draw(lots.draw(lot, state.deck))
    if phase is DEAL:
        return rules.Deal(*lots.deal(lot))
    if phase is OPENING:
        return rules.Opening(*lots.opening(lot))
    return rules.FirstMove(Seat(lots.first_move(lot)))
