"""From an offer to the end of a match, and to the next offer (specification, section 6).

The lobby is the part of a peer that deals with matches; ``peer.py`` has the session around it.
"""

from __future__ import annotations

from collections import deque

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from pazaak_p2p.rules import (
    Action,
    Outcome,
    Rules,
    Seat,
    SideDeck,
    State,
    Termination,
    check_deck,
)
from pazaak_p2p.wire import cheats, events, messages, record
from pazaak_p2p.wire.claims import CLAIM_SECONDS, CLAIM_TOLERANCE
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import (
    EarlyClaim,
    LocalError,
    OwnFault,
    Reflected,
    Unexpected,
    WireError,
)
from pazaak_p2p.wire.greeting import Role
from pazaak_p2p.wire.match import Match
from pazaak_p2p.wire.messages import ConcedeReason, DeclineReason, Hello, RulesMap
from pazaak_p2p.wire.resuming import Interrupted, Resumption
from pazaak_p2p.wire.terms import agree


class _Offer(Struct, frozen=True):
    """An offer that waits for its answer: its exact bytes, and, if it is ours, our part of it."""

    rules: Rules
    exact: bytes
    secret: bytes = b""
    deck: SideDeck = ()
    began: int = 0


class Lobby:
    """The matches of one session, one after the other.

    It adds what is to be sent to *out* and what is to be told to *told*, which it shares with its
    peer, and what is to be recorded to ``record``.
    """

    def __init__(
        self,
        key: Ed25519PrivateKey,
        role: Role,
        ours: Hello,
        out: bytearray,
        told: deque[events.Event | WireError],
    ) -> None:
        self.record = bytearray()
        self.match: Match | None = None
        self.playing = False
        self._key = key
        self._role = role
        self._ours = ours
        self._theirs: Hello | None = None
        self._out = out
        self._told = told
        self._our_offer: _Offer | None = None
        self._their_offer: _Offer | None = None
        self._crossed = False
        self._wish: ConcedeReason | None = None
        self._resumption: Resumption | None = None
        self._their_wish: messages.Resume | None = None
        self._their_claim: messages.Claim | None = None

    def enter(self, theirs: Hello) -> None:
        """The session with *theirs* stands: matches can be offered."""
        self._theirs = theirs

    @property
    def state(self) -> State | None:
        return None if self.match is None else self.match.transcript.state

    @property
    def catching_up(self) -> bool:
        """Does a match go on of which one side has yet to tell the other the rest?"""
        return self.playing and self._resumption is not None

    def asks(self, event: events.Event | WireError) -> bool:
        """Does *event* still ask for an answer, if it ever did?

        What it asked for may have gone before anybody could answer: an offer and a goodbye, or a
        turn and a concession, can arrive in one piece.
        """
        kind = type(event)
        if kind is events.Choose:
            return self.playing and self.running().choosing
        if kind is events.Offered:
            return self._their_offer is not None
        if kind is events.ResumeAsked:
            return self._their_wish is not None
        return True

    def running(self) -> Match:
        """The match that is on. Raises ``LocalError`` if none is."""
        if self.match is None or not self.playing:
            raise LocalError("No match is on.")
        return self.match

    def _open_to_us(self) -> Match:
        """The match that is on, for our player to do something in it. Raises ``LocalError``."""
        if self._resumption is not None:
            raise LocalError("The match does not go on yet.")
        return self.running()

    # --- what our side wants; see the same methods of Peer

    def offer(self, rules: Rules, nonce: bytes, secret: bytes, deck: SideDeck, began: int) -> None:
        if self._theirs is None or self._taken():
            raise LocalError("A match cannot be offered now.")
        check_deck(deck, rules)
        exact = encode(messages.Offer(RulesMap.of(rules), nonce))
        self._our_offer = _Offer(rules, exact, secret, deck, began)
        self._crossed = False
        self._out += exact

    def accept(self, nonce: bytes, secret: bytes, deck: SideDeck, began: int) -> None:
        offer = self._their_offer
        if offer is None:
            raise LocalError("There is no offer to accept.")
        check_deck(deck, offer.rules)
        exact = encode(messages.Accept(nonce))
        self._out += exact
        self._start(Seat.JOIN, _Offer(offer.rules, offer.exact, secret, deck, began), exact)

    def decline(self, reason: DeclineReason, text: str) -> None:
        if self._their_offer is None and self._their_wish is None:
            raise LocalError("There is no offer to decline.")
        self._their_offer = self._their_wish = self._their_claim = None
        self._out += encode(messages.Decline(reason, text))

    def resume(self, interrupted: Interrupted) -> None:
        match = interrupted.match
        seat, keys = match.seat, match.transcript.terms.keys
        taken = self.playing or self._our_offer is not None or self._resumption is not None
        if self._theirs is None or taken:
            raise LocalError("A match cannot be resumed now.")
        if (keys[seat], keys[seat.other]) != (self._ours.key, self._theirs.key):
            raise LocalError("This match is between other players.")
        theirs = self._their_wish
        if theirs is not None and theirs.match != match.transcript.terms.match_id:
            raise LocalError("The other side wants to go on with another match.")
        self._their_offer = self._their_wish = None
        self._resumption = Resumption(interrupted)
        self._crossed = False
        if seat in match.claims:  # heard before the other side says anything in this match
            self._out += encode(match.claims[seat])
        self._out += encode(self._resumption.wish)
        if theirs is not None:
            self._go_on(theirs)

    def act(self, action: Action) -> None:
        match = self._open_to_us()
        match.act(action)
        self._moved(match)

    def concede(self, reason: ConcedeReason) -> None:
        match = self._open_to_us()
        self.seal()
        if self._wish is not None:
            raise LocalError("The match is already conceded.")
        if not match.transcript.committed:
            self._wish = reason  # there is nothing to concede yet (section 10)
            return
        said = match.concede(reason)
        self._out += said
        self.record += said
        self._moved(match)

    # --- messages, by kind

    def on_claim(self, message: messages.Claim, _: bytes) -> None:  # of the match resumed next
        asked = self._their_claim is not None or self._their_wish is not None
        if self.playing or asked or self._their_offer is not None:
            raise Unexpected(why="It claimed a match when none could go on.")
        self._their_claim = message

    def _only_resume(self) -> None:
        if self._their_claim is not None:
            raise Unexpected(why="It claimed a match and did not name it.")

    def on_offer(self, message: messages.Offer, exact: bytes) -> None:
        self._only_resume()
        if self._resumption is not None and not self.playing:
            return  # it crossed our wish, which goes before it
        if self._our_offer is not None and not self._crossed:
            # Two offers cross: neither side could know. The listener's stands.
            if self._role is Role.LISTENER:
                self._crossed = True
                return
            self._our_offer = None
        if self._taken():
            raise Unexpected(why="It offered a match when none could begin.")
        rules = message.rules.rules()
        self._their_offer = _Offer(rules, exact)
        self._told.append(events.Offered(rules))

    def on_accept(self, _: messages.Accept, exact: bytes) -> None:
        self._only_resume()
        if self._our_offer is None:
            raise Unexpected(why="It accepted what was not offered.")
        self._start(Seat.HOST, self._our_offer, exact)

    def on_resume(self, message: messages.Resume, _: bytes) -> None:
        asked = self._their_wish is not None or self._their_offer is not None
        if self.playing or asked or (self._resumption is not None and self._crossed):
            raise Unexpected(why="It wanted to resume a match when none could go on.")
        self._our_offer = None  # it crossed this wish, which goes before it
        if self._resumption is None:
            self._their_wish = message
            self._told.append(events.ResumeAsked(message.match))
        elif self._resumption.wish.match == message.match:
            self._go_on(message)
        else:  # each wants to go on with another; neither can, as the other will say too
            self._crossed = True
            self._their_claim = None
            self._out += encode(messages.Decline(DeclineReason.UNKNOWN, ""))

    def on_decline(self, message: messages.Decline, _: bytes) -> None:
        self._only_resume()
        resuming = self._resumption is not None and not self.playing
        if self._our_offer is None and not resuming:
            raise Unexpected(why="It declined what was not offered.")
        self._our_offer = self._resumption = None
        self._told.append(events.Declined(message.reason.value, message.text))

    def on_play(self, message: messages.Entry | messages.Concede, exact: bytes) -> None:
        match = self.match
        if match is None or not self.playing:
            raise Unexpected(why="It played when no match was on.")
        if self._resumption is not None:
            self._catch_up(self._resumption, message, exact)
            return
        self.seal()
        try:
            if isinstance(message, messages.Entry):
                match.receive(message)
            else:
                match.receive_concession(message)
        except (cheats.Cheat, OwnFault):
            self.record += exact  # the proof; or what we have no right answer to, and hold now
            raise
        self.record += exact
        self._moved(match)

    # --- the match

    def _taken(self) -> bool:
        asked = (self._our_offer, self._their_offer, self._their_wish, self._resumption)
        return self.playing or any(each is not None for each in asked)

    def _start(self, seat: Seat, ours: _Offer, accept: bytes) -> None:
        assert self._theirs is not None
        players = (self._ours, self._theirs)
        host, join = players if seat is Seat.HOST else players[::-1]
        keys = (host.key, join.key)
        terms = agree(ours.rules, keys, ours.exact, accept)
        self.match = match = Match(terms, seat, self._key, ours.secret, ours.deck)
        self._our_offer = self._their_offer = self._wish = None
        self.playing = True
        match.advance()
        names = (host.name, join.name)
        self.record += record.header(seat, names, keys, self._ours.software, ours.began)
        self.record += ours.exact + accept
        self._told.append(events.Started(terms.match_id, seat, ours.rules))
        self._moved(match)

    def _go_on(self, theirs: messages.Resume) -> None:
        """Both sides want to go on with the same match."""
        resumption = self._resumption
        assert resumption is not None
        self.match = resumption.match
        self._wish = None
        self.playing = True
        self._told.append(resumption.interrupted.resumed())
        try:
            self._out += resumption.compare(theirs)
        finally:
            self.record += resumption.take_record()
        self._caught_up(resumption)

    def _catch_up(
        self, resumption: Resumption, message: messages.Entry | messages.Concede, exact: bytes
    ) -> None:
        """Take what we lack of the match."""
        if isinstance(message, messages.Concede):
            raise Unexpected(why="It conceded before the match went on.")
        try:
            self._out += resumption.take(message, exact)
        finally:
            self.record += resumption.take_record()
        self._caught_up(resumption)

    def _caught_up(self, resumption: Resumption) -> None:
        if resumption.caught_up:
            self._resumption = None
            if not self._settle_claims(resumption):
                resumption.match.advance()
                self._moved(resumption.match)
        else:  # and if the match is complete for us: what is still to come may convict
            self._tell(resumption.match)

    def _settle_claims(self, resumption: Resumption) -> bool:
        """Has a claim ended the match, now that both sides hold the same? (section 10)"""
        match, theirs = resumption.match, self._their_claim
        self._their_claim = None
        ours = match.seat in match.claims
        if theirs is None and not match.claims:
            return False
        match.settle(accepted=True)  # a concession goes before a claim
        if theirs is not None and theirs != match.claims.get(match.seat.other):
            if theirs.by != match.seat.other:
                raise Reflected(why="It claimed in our name.")
            match.hear_claim(theirs)
            if match.claimed == Outcome(Termination.ABANDONED, match.seat.other):
                if not ours and resumption.away < CLAIM_SECONDS - CLAIM_TOLERANCE:
                    del match.claims[match.seat.other]
                    raise EarlyClaim
                self.record += encode(theirs)
        if not ours and match.claimed is None:
            return False
        # Who has claimed says nothing more in this match, also if the claim is void.
        self.break_off("done", leaver=match.seat if ours else None)
        return True

    def seal(self) -> None:
        """Sign what was said since the last time into an entry."""
        if self.playing and self.match is not None and (entry := self.match.seal()):
            self._out += entry
            self.record += entry

    def _moved(self, match: Match) -> None:
        self._tell(match)
        if self._wish is not None and match.transcript.committed:
            reason, self._wish = self._wish, None
            self.concede(reason)
            return
        if match.complete:
            outcome = match.transcript.state.outcome
            assert outcome is not None
            self.finish(outcome)

    def _tell(self, match: Match) -> None:
        self._told += match.events
        match.events.clear()

    def finish(
        self, outcome: Outcome, code: str = "", text: str = "", resumable: bool = False
    ) -> None:
        """End the match that is on with *outcome*; *code* and *text* are for the record."""
        match = self.running()
        self.seal()
        self._tell(match)
        self.playing = False
        self._resumption = None
        opened = match.transcript.opened
        self.record += record.ending(outcome, opened, code, text)
        head = match.transcript.head
        self._told.append(events.Ended(outcome, opened, head, resumable, code == "claim"))

    def break_off(self, code: str, text: str = "", leaver: Seat | None = None) -> None:
        """End a match without the other side's further word, and drop any offer.

        It can be resumed unless a *leaver* has given it up, or has only kept back what changes
        nothing.
        """
        self._our_offer = self._their_offer = self._their_wish = self._resumption = None
        self._their_claim = None
        if not self.playing:
            return
        match = self.running()
        outcome = match.broken_off(leaver)
        if match.complete:
            self.finish(outcome)
        elif outcome == match.claimed:
            self.finish(outcome, "claim")
        else:
            resumable = leaver is None and code != cheats.WillNotOpen.code
            self.finish(outcome, code, text, resumable)
