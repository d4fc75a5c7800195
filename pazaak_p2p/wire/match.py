"""One match as one of its seats plays it: the transcript, and what this seat has to say in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p import rules
from pazaak_p2p.fairness import MatchSecret, card_commitment, share_commitment
from pazaak_p2p.rules import Action, Outcome, Phase, Seat, SideDeck, Termination, View
from pazaak_p2p.rules.state import OVER
from pazaak_p2p.wire import claims, messages
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import LocalError, OwnFault, Reflected, Unexpected, WrongSecrets
from pazaak_p2p.wire.events import Choose, Event, Moved
from pazaak_p2p.wire.messages import Body, Claim, Concede, ConcedeReason, Entry, Statement
from pazaak_p2p.wire.terms import (
    COMMIT,
    OPEN,
    REVEAL,
    Due,
    Kind,
    Terms,
    claim_frame,
    concession_frame,
)
from pazaak_p2p.wire.transcript import Transcript

_CONCEDED = frozenset({Termination.CONCESSION, Termination.TIME})
_ALWAYS = (rules.End, rules.Stand)  # R9: whoever acts may do this, whatever the cards


class Match:
    """A seat's side of a match.

    Statements without a choice (commit, reveal, open) are said by themselves as soon as they are
    due. What has been said stays open until :meth:`seal` signs it into an entry; so whoever answers
    ``Choose`` before sealing gets a whole turn into one entry.

    A new match begins with :meth:`advance`, one that was broken off with :meth:`replay`.
    """

    def __init__(
        self,
        terms: Terms,
        seat: Seat,
        key: Ed25519PrivateKey,
        secret: bytes,
        deck: SideDeck | None,
    ) -> None:
        self.seat = seat
        self.events: deque[Event] = deque()
        self.entries: list[Entry] = []
        """Every entry so far: what an other side that has lost some is told again."""
        self.concessions: dict[Seat, Concede] = {}
        self.claims: dict[Seat, Claim] = {}
        self._key = key
        self._secrets = MatchSecret(secret, terms.match_id, seat)
        if deck is not None:
            deck = tuple(deck[i] for i in self._secrets.order(len(deck)))
        self._deck = deck or ()
        decks = (deck, None) if seat is Seat.HOST else (None, deck)
        self.transcript = Transcript(terms, decks)
        self._said: list[Statement] = []

    @property
    def complete(self) -> bool:
        return self.transcript.complete

    def advance(self) -> None:
        """Say what is due from us without a choice; ask when there is one."""
        transcript, seat = self.transcript, self.seat
        while (due := transcript.due) is not None and due.seat is seat:
            kind = due.kind
            if kind is OPEN:
                self._say(self._open())
            elif seat in self.concessions:
                return
            elif kind is REVEAL:
                self._say(self._reveal())
            elif kind is COMMIT:
                self._say(self._commit())
            else:
                self.events.append(Choose(rules.view(transcript.state, seat)))
                return

    def act(self, action: Action) -> None:
        """Take our player's choice.

        Raises RuleError, with nothing changed, if the rules do not allow it, LocalError if no
        choice is ours.
        """
        if not self.choosing:
            raise LocalError("There is nothing to choose now.")
        state = self.transcript.state
        if type(action) not in _ALWAYS or state.phase is not Phase.ACT:
            rules.apply(state, action)
        self._say(self._statement(action))
        self.advance()

    def receive(self, entry: Entry) -> None:
        """Take an entry from the other side. Raises a ``RemoteError``."""
        self.events += self.transcript.read(entry, self.seat.other)
        self.entries.append(entry)
        self.advance()

    def seal(self) -> bytes:
        """Sign what was said since the last time into an entry: its message, or b""."""
        if not self._said:
            return b""
        transcript = self.transcript
        body = encode(
            Body(
                transcript.length,
                self.seat,
                transcript.head,
                self._said,
                transcript.digest(),
            )
        )
        self._said = []
        entry = Entry(body, self._key.sign(transcript.append(body, self.seat)))
        self.entries.append(entry)
        return encode(entry)

    # --- concessions; both sides seal first, so that what was said before comes before

    def concede(self, reason: ConcedeReason) -> bytes:
        """Give the match up: the message that says so."""
        transcript = self.transcript
        if transcript.state.phase is OVER or self._conceded_by_us:
            raise LocalError("The match is already over.")
        signed = concession_frame(transcript.terms.match_id, self.seat, transcript.head, reason)
        said = Concede(self.seat, transcript.head, reason, self._key.sign(signed))
        self._hear(said)
        return encode(said)

    def receive_concession(self, said: Concede) -> None:
        """Take the other side's concession. Raises a ``RemoteError``."""
        if said.by != self.seat.other:
            raise Reflected(why="It conceded in our name.")
        if said.by in self.concessions:
            raise Unexpected(why="It conceded twice.")
        self._hear(said)
        self.advance()

    def _hear(self, said: Concede) -> None:
        self.hear_again(said)
        self.settle()

    # --- claims, which are made and heard while no word is said in the match

    @property
    def claimable(self) -> bool:
        """Can our seat claim the match, if the other stays away for long enough?"""
        due = self.transcript.due
        return (
            due is not None
            and due.seat is self.seat.other
            and self.transcript.committed
            and self.decided is None
            and not self._conceded_by_us
            and not self.claims
        )

    def claim(self) -> bytes:
        """Claim the match, since the other side does not come back: the message that says so."""
        if not self.claimable:
            raise LocalError("The match cannot be claimed.")
        head = self.transcript.head
        signed = claim_frame(self.transcript.terms.match_id, self.seat, head)
        said = Claim(self.seat, head, self._key.sign(signed))
        self.hear_claim(said)
        return encode(said)

    def hear_claim(self, said: Claim) -> None:
        """Take a claim of either seat. Raises a ``Refusal``."""
        by = Seat(said.by)
        if by in self.claims:
            raise Unexpected(why="It shows two claims of one seat.")
        claims.check(self.transcript, said)
        self.claims[by] = said

    @property
    def claimed(self) -> Outcome | None:
        """How the match has ended by a claim; None if it has not."""
        seat = claims.standing(self.transcript, self.claims.values())
        return None if seat is None else Outcome(Termination.ABANDONED, seat)

    # --- what was broken off (section 6.4)

    def replay(
        self, items: Iterable[Entry | Concede | Claim]
    ) -> tuple[tuple[View, ...], tuple[Moved, ...]]:
        """Take in again what was said in this match, by either seat.

        The choices that were ours, and all that happened in the game. Nothing is said meanwhile.
        Raises a ``RemoteError`` at what cannot be there, and
        ``WrongSecrets`` if our secrets are not those from which our seat has spoken.
        """
        choices: list[View] = []
        for item in items:
            if isinstance(item, Concede):
                self.hear_again(item)
                continue
            if isinstance(item, Claim):
                self.hear_claim(item)
                continue
            before = self.transcript.state
            moves = self.take_again(item)
            if len(self.entries) <= len(Seat):
                self._check_secrets()  # before our cards are looked for in another deck
            for state, move in zip((before, *(move.state for move in moves)), moves, strict=False):
                if move.seat is self.seat and isinstance(move.input, Action):
                    choices.append(rules.view(state, self.seat))
        self.settle()
        happened = tuple(event for event in self.events if isinstance(event, Moved))
        self.events.clear()
        self._check_secrets()
        return tuple(choices), happened

    def _check_secrets(self) -> None:
        """Would we say again what we have committed to? With other secrets we would cheat."""
        made = self.transcript.commitments
        cards, following = made.cards[self.seat], made.next[self.seat]
        if not cards or not self._deck:
            return
        k = self.transcript.lots + (made.shares[self.seat] is not None)
        if self._card_commitments() != cards or self._commitment(k) != following:
            raise WrongSecrets

    def take_again(self, entry: Entry) -> list[Moved]:
        """Take an entry of either seat, ours perhaps, from whoever has it; what it made happen.

        Raises a ``RemoteError``.
        """
        moves = self.transcript.read(entry)
        self.entries.append(entry)
        self.events += moves
        return moves

    def hear_again(self, said: Concede) -> None:
        """Take a concession of either seat; it takes effect when it is accepted or settled.

        Raises a ``RemoteError``.
        """
        by = Seat(said.by)
        if by in self.concessions:
            raise Unexpected(why="It shows two concessions of one seat.")
        self.transcript.hear_concession(by, said)
        self.concessions[by] = said

    def settle(self, *, accepted: bool = False) -> None:
        """The other seat's concession, if there is one, comes after all that we have said.

        Ours takes effect if it is *accepted*, or nothing more can come that accepts it.
        """
        if accepted or self.transcript.conceded is self.seat.other:
            self.events += self.transcript.settle_concession()

    # --- how it stands

    @property
    def decided(self) -> Outcome | None:
        """The outcome, if nothing that is missing can change it.

        The winner must have opened, after a drawn match both.
        """
        transcript = self.transcript
        outcome = transcript.state.outcome
        if outcome is None:
            return None
        must = Seat if outcome.winner is None else (outcome.winner,)
        return outcome if all(transcript.opened[seat] for seat in must) else None

    def broken_off(self, leaver: Seat | None) -> Outcome:
        """The outcome if no further word comes; *leaver* said goodbye (None: nobody did).

        Whoever leaves loses (R21), and so does who leaves before opening a deck on which the result
        rests. What nobody can be held to has no winner.
        """
        transcript = self.transcript
        self.settle(accepted=True)  # a concession counts, also before its winner has come to open
        outcome, due = transcript.state.outcome, transcript.due
        if self.claimed is not None:
            return self.claimed
        if outcome is not None and outcome.termination in _CONCEDED:
            return outcome
        if self.decided is not None:
            return self.decided
        if outcome is not None and due is not None:
            leaver = due.seat
        return Outcome(Termination.ABANDONED, None if leaver is None else leaver.other)

    @property
    def awaited(self) -> Due | None:
        """What is waited for. After our concession that is the winner's ``open``."""
        transcript = self.transcript
        # Is our concession on its way, and not void by an entry that has ended the match?
        if transcript.conceded is self.seat and transcript.state.phase is not OVER:
            return Due(self.seat.other, OPEN)
        return transcript.due

    @property
    def _conceded_by_us(self) -> bool:
        return self.seat in self.concessions

    @property
    def choosing(self) -> bool:
        """Is it our player's choice?"""
        due = self.transcript.due
        return (
            due is not None
            and due.seat is self.seat
            and due.kind is Kind.ACT
            and self.seat not in self.concessions
        )

    def convict(self, cheat: Cheat) -> Outcome:
        """The outcome after a cheat: the cheater loses, if it has not lost already."""
        outcome = self.decided
        if outcome is not None and outcome.winner is cheat.seat.other:
            return outcome
        return Outcome(Termination.CHEAT, cheat.seat.other)

    # --- what we say

    def _say(self, statement: Statement) -> None:
        try:
            moved = self.transcript.say(self.seat, statement)
        except Cheat as cheat:
            # What the other side cannot have brought about is our own fault, and nobody's cheat:
            # it is not said, and the match stays as it is.
            raise OwnFault(why=cheat.what) from cheat
        if moved is not None:
            self.events.append(moved)
        self._said.append(statement)

    def _commitment(self, k: int) -> bytes:
        share = self._secrets.share(k)
        return share_commitment(self.transcript.terms.match_id, self.seat, k, share)

    def _commit(self) -> messages.Commit:
        return messages.Commit(list(self._card_commitments()), self._commitment(0))

    def _card_commitments(self) -> tuple[bytes, ...]:
        match_id = self.transcript.terms.match_id
        return tuple(
            card_commitment(
                match_id, self.seat, at, self._secrets.salt(at), card.ascii.encode("ascii")
            )
            for at, card in enumerate(self._deck)
        )

    def _reveal(self) -> Statement:
        k = self.transcript.lots
        return messages.Reveal(self._secrets.share(k), self._commitment(k + 1))

    def _open(self) -> Statement:
        salts = [self._secrets.salt(at) for at in range(len(self._deck))]
        return messages.Open(list(self._deck), salts)

    def _statement(self, action: Action) -> Statement:
        match action:
            case rules.Play(at, card, value):
                return messages.PlayCard(at, card, self._secrets.salt(at), value)
            case rules.End():
                return messages.EndTurn()
            case rules.Stand():
                return messages.StandNow()
            case rules.Lay(at):
                return messages.LayDown(at, self._secrets.salt(at))
            case _:
                return messages.PassOn()
