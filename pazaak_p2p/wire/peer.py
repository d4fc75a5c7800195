"""The peer: bytes in, events and bytes out; no sockets, no clock, no threads.

A peer goes through three stages, and in each takes only the messages of that stage:

1. *Greeting*: hellos and proofs are exchanged (``greeting.py``). Nothing is known of the other
   side, so only three kinds of message are taken.
2. *Lobby*: the session stands, no match is on. The host offers, the other accepts or declines.
3. *Match*: entries grow the transcript (``match.py`` says what is due from our seat,
   ``transcript.py`` checks both sides alike). When it is complete the peer is in the lobby again.

Whatever the other side does wrong ends the session: :meth:`Peer.next_event` raises the error in
its place among the events, and the goodbye that names it is among the bytes to send. Afterwards
the peer takes nothing more.

The driver's duty is one line: *get the bytes to send, write the bytes to record, then send*. An
entry is then never seen by the other side, nor acted on, that the record does not hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

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
from pazaak_p2p.wire import cheats, clock, events, messages, record
from pazaak_p2p.wire.clock import Alarm, Deadline
from pazaak_p2p.wire.codec import MAX_MESSAGE, Reader, encode
from pazaak_p2p.wire.errors import Flood, LocalError, RemoteError, Silent, Unexpected, WireError
from pazaak_p2p.wire.greeting import Greeting, Role
from pazaak_p2p.wire.match import Match
from pazaak_p2p.wire.messages import ByeReason, ConcedeReason, DeclineReason, Hello, Message
from pazaak_p2p.wire.transcript import Due, Kind, agree


class _Offer(Struct, frozen=True):
    """An offer that waits for its answer: its exact bytes, and, if it is ours, our part of it."""

    rules: Rules
    exact: bytes
    secret: bytes = b""
    deck: SideDeck = ()
    began: int = 0


class Peer:
    """One side of a session.

    *now*, here and in every method, is the time in seconds of any monotonic clock. Methods that say
    something raise ``LocalError`` when it cannot be said now.
    """

    def __init__(
        self,
        *,
        key: Ed25519PrivateKey,
        role: Role,
        name: str,
        nonce: bytes,
        software: str,
        now: float,
    ) -> None:
        self._key = key
        self._greeting = Greeting(key, role, name, nonce, software)
        self._reader = Reader()
        self._out = bytearray(self._greeting.hello)
        self._record = bytearray()
        self._events: deque[events.Event | WireError] = deque()
        self._our_offer: _Offer | None = None
        self._their_offer: _Offer | None = None
        self._match: Match | None = None
        self._playing = False
        self._over = False
        self._now = self._stage_since = self.last_heard = now
        self._budget = clock.Budget(20, 1, now)
        self._pings = 0
        self._pinged_at: float | None = None
        self._pong_due = False
        self._due: tuple[Due, int] | None = None
        self._due_since = now
        self.rtt: float | None = None
        """Seconds of the last ping's round trip."""
        self._handlers: dict[type, Callable[[Any, bytes], None]] = {
            Hello: self._on_hello,
            messages.Proof: self._on_proof,
            messages.Offer: self._on_offer,
            messages.Accept: self._on_accept,
            messages.Decline: self._on_decline,
            messages.Entry: self._on_entry,
            messages.Concede: self._on_concede,
            messages.Ping: self._on_ping,
            messages.Pong: self._on_pong,
            messages.Chat: self._on_chat,
            messages.Bye: self._on_bye,
        }

    # --- what can be seen

    @property
    def remote(self) -> Hello | None:
        """The other side's hello; proven only after ``Greeted``."""
        return self._greeting.theirs

    @property
    def state(self) -> State | None:
        """The running or last match as our seat knows it."""
        return None if self._match is None else self._match.transcript.state

    @property
    def seat(self) -> Seat | None:
        return None if self._match is None else self._match.seat

    @property
    def match_id(self) -> bytes:
        """Of the running or last match; empty before the first."""
        return b"" if self._match is None else self._match.transcript.terms.match_id

    @property
    def head(self) -> bytes:
        """The head of the transcript of the running or last match; empty before the first."""
        return b"" if self._match is None else self._match.transcript.head

    @property
    def lots_checked(self) -> int:
        """Lots of this match whose shares were both checked."""
        return 0 if self._match is None else self._match.transcript.lots

    # --- bytes and events

    def data_to_send(self) -> bytes:
        """All that is to be sent now; what was said since the last call is signed into an entry."""
        self._seal()
        data = bytes(self._out)
        self._out.clear()
        return data

    def data_to_record(self) -> bytes:
        """What the record must hold before the bytes of the last ``data_to_send`` are sent."""
        data = bytes(self._record)
        self._record.clear()
        return data

    def next_event(self) -> events.Event | None:
        """The next event, or None. Raises a ``RemoteError`` in its place among them."""
        if not self._events:
            return None
        event = self._events.popleft()
        if isinstance(event, WireError):
            raise event
        return event

    def receive(self, data: bytes, now: float) -> None:
        """Take what arrived; b"" is the end of the stream."""
        if self._over:
            return
        self._now = now
        if not data:
            self._close()
            return
        self.last_heard = now
        try:
            for start in range(0, len(data), MAX_MESSAGE):
                self._reader.feed(data[start : start + MAX_MESSAGE])
                for message, exact in self._reader:
                    self._take(message, exact)
                    if isinstance(message, messages.Bye):
                        return
        except RemoteError as error:
            self._fail(error)
        self._watch_due()

    def next_deadline(self) -> float | None:
        """When ``handle_timeout`` is to be called at the latest, None for never."""
        deadline = self._deadline()
        return None if deadline is None else deadline.at

    def handle_timeout(self, now: float) -> None:
        """Do what is due at *now*; nothing if no deadline has passed."""
        self._now = now
        deadline = self._deadline()
        if deadline is None or now < deadline.at:
            return
        match deadline.alarm:
            case Alarm.PING:
                self._pinged_at = now
                self._pings += 1
                self._pong_due = True
                self._say(messages.Ping(self._pings))
            case Alarm.OUR_TURN:
                self.concede(now, ConcedeReason.TIME)
            case Alarm.THEIR_TURN:
                assert self.seat is not None
                self._finish(Outcome(Termination.TIME, self.seat), code="turn_seconds")
                self.bye(ByeReason.TIMEOUT, "turn_seconds")
            case Alarm.STATEMENT:
                self._fail_waiting()
            case Alarm.GREETING:
                self._fail(Silent("The other side did not greet."))
            case Alarm.OFFER:
                self._fail(Silent("The other side did not answer the offer."))
            case Alarm.SILENCE:
                self._fail(Silent())
        self._watch_due()

    # --- what our side wants

    def offer(
        self, rules: Rules, nonce: bytes, secret: bytes, deck: SideDeck, now: float, began: int = 0
    ) -> None:
        """Offer a match, as its host.

        *nonce* and *secret* are 32 fresh random bytes each, *began* the Unix time for the record.
        Raises ``DeckError`` if the deck breaks the rules.
        """
        self._need_lobby()
        check_deck(deck, rules)
        exact = encode(messages.Offer(rules, nonce))
        self._our_offer = _Offer(rules, exact, secret, deck, began)
        self._stage_since = now
        self._out += exact

    def accept(
        self, nonce: bytes, secret: bytes, deck: SideDeck, now: float, began: int = 0
    ) -> None:
        """Accept the offer, as joiner. Raises ``DeckError`` if the deck breaks its rules."""
        offer = self._their_offer
        if offer is None or self._over:
            raise LocalError("There is no offer to accept.")
        check_deck(deck, offer.rules)
        self._now = now
        exact = encode(messages.Accept(nonce))
        self._out += exact
        ours = _Offer(offer.rules, offer.exact, secret, deck, began)
        self._start(Seat.JOIN, ours, exact)

    def decline(self, reason: DeclineReason, text: str = "") -> None:
        """Decline the offer."""
        if self._their_offer is None or self._over:
            raise LocalError("There is no offer to decline.")
        self._their_offer = None
        self._say(messages.Decline(reason, text))

    def act(self, action: Action, now: float) -> None:
        """Answer ``Choose``.

        Raises ``RuleError`` if the rules do not allow it: nothing is changed then, and the choice
        is still open.
        """
        match = self._need_match()
        self._now = now
        match.act(action)
        self._after_match_step()

    def concede(self, now: float, reason: ConcedeReason = ConcedeReason.CONCESSION) -> None:
        """Give the running match up (R21)."""
        match = self._need_match()
        self._now = now
        self._seal()
        said = match.concede(reason)
        self._out += said
        self._record += said
        self._after_match_step()

    def chat(self, text: str) -> None:
        """Say something to the other side."""
        if not self._greeting.done or self._over:
            raise LocalError("There is nobody to talk to.")
        self._say(messages.Chat(text))

    def bye(self, reason: ByeReason, text: str = "") -> None:
        """Leave. A running match is broken off. Does nothing if the session is over."""
        if self._over:
            return
        self._seal()
        self._break_off(code=reason.value, text=text)
        self._say(messages.Bye(reason, text))
        self._over = True

    # --- messages, by kind

    def _take(self, message: Message, exact: bytes) -> None:
        kind = type(message)
        early = kind in (Hello, messages.Proof, messages.Bye)
        if not self._greeting.done and not early:
            raise Unexpected(why="It did not greet first.")
        self._handlers[kind](message, exact)

    def _on_hello(self, message: Hello, exact: bytes) -> None:
        self._out += self._greeting.take_hello(message, exact)

    def _on_proof(self, message: messages.Proof, _: bytes) -> None:
        theirs = self._greeting.take_proof(message)
        self._events.append(events.Greeted(theirs.name, theirs.key, theirs.software))

    def _on_offer(self, message: messages.Offer, exact: bytes) -> None:
        if self._playing or self._our_offer is not None or self._their_offer is not None:
            raise Unexpected(why="It offered a match when none could begin.")
        self._their_offer = _Offer(message.rules, exact)
        self._events.append(events.Offered(message.rules))

    def _on_accept(self, _: messages.Accept, exact: bytes) -> None:
        if self._our_offer is None:
            raise Unexpected(why="It accepted what was not offered.")
        self._start(Seat.HOST, self._our_offer, exact)

    def _on_decline(self, message: messages.Decline, _: bytes) -> None:
        if self._our_offer is None:
            raise Unexpected(why="It declined what was not offered.")
        self._our_offer = None
        self._events.append(events.Declined(message.reason.value, message.text))

    def _on_entry(self, message: messages.Entry, exact: bytes) -> None:
        match = self._match
        if match is None or not self._playing:
            raise Unexpected(why="It played when no match was on.")
        self._seal()
        try:
            match.receive(message)
        except cheats.Cheat:
            self._record += exact  # the proof
            raise
        self._record += exact
        self._after_match_step()

    def _on_concede(self, message: messages.Concede, exact: bytes) -> None:
        match = self._match
        if match is None or not self._playing:
            raise Unexpected(why="It conceded when no match was on.")
        self._seal()
        try:
            match.receive_concession(message)
        except cheats.Cheat:
            self._record += exact  # the proof
            raise
        self._record += exact
        self._after_match_step()

    def _on_ping(self, message: messages.Ping, _: bytes) -> None:
        self._spend()
        self._say(messages.Pong(message.n))

    def _on_pong(self, message: messages.Pong, _: bytes) -> None:
        if self._pong_due and message.n == self._pings and self._pinged_at is not None:
            self._pong_due = False
            self.rtt = self._now - self._pinged_at
        else:
            self._spend()

    def _on_chat(self, message: messages.Chat, _: bytes) -> None:
        self._spend()
        self._events.append(events.Chatted(message.text))

    def _on_bye(self, message: messages.Bye, _: bytes) -> None:
        self._break_off(code=message.reason.value, text=message.text)
        self._events.append(events.Left(message.reason.value, message.text))
        self._over = True

    # --- the match

    def _start(self, seat: Seat, ours: _Offer, accept: bytes) -> None:
        theirs = self._greeting.theirs
        assert theirs is not None
        me, other = (self._greeting.key, self._greeting.name), (theirs.key, theirs.name)
        host, join = (me, other) if seat is Seat.HOST else (other, me)
        keys = (host[0], join[0])
        terms = agree(ours.rules, keys, ours.exact, accept)
        self._match = Match(terms, seat, self._key, ours.secret, ours.deck)
        self._our_offer = self._their_offer = None
        self._playing = True
        names = (host[1], join[1])
        self._record += record.header(seat, names, keys, self._greeting.software, ours.began)
        self._record += ours.exact + accept
        self._events.append(events.Started(terms.match_id, seat, ours.rules))
        self._after_match_step()

    def _seal(self) -> None:
        if self._playing and self._match is not None:
            entry = self._match.seal()
            self._out += entry
            self._record += entry

    def _after_match_step(self) -> None:
        match = self._match
        assert match is not None
        self._events.extend(match.events)
        match.events.clear()
        if match.complete:
            outcome = match.transcript.state.outcome
            assert outcome is not None
            self._finish(outcome)
        self._watch_due()

    def _finish(self, outcome: Outcome, code: str = "", text: str = "") -> None:
        match = self._match
        assert match is not None
        self._seal()
        self._playing = False
        opened = match.transcript.opened
        self._record += record.ending(outcome, opened, code, text)
        self._events.append(events.Ended(outcome, opened, match.transcript.head))
        self._stage_since = self._now

    def _break_off(self, code: str, text: str = "") -> None:
        """End a running match without the other side's further word."""
        if not self._playing:
            return
        self._finish(self._decided() or Outcome(Termination.ABANDONED, None), code, text)

    def _decided(self) -> Outcome | None:
        """The outcome, if nothing that is missing can change it: the winner must have opened."""
        assert self._match is not None
        transcript = self._match.transcript
        outcome = transcript.state.outcome
        if outcome is not None and outcome.winner is not None:
            return None if transcript.owes_open(outcome.winner) else outcome
        return outcome

    def _convict(self, cheat: cheats.Cheat) -> None:
        """The cheater loses; a match that it had lost or drawn anyway it loses all the same."""
        if not self._playing:
            return
        outcome = self._decided()
        if outcome is None or outcome.winner is not cheat.seat.other:
            outcome = Outcome(Termination.CHEAT, cheat.seat.other)
        self._finish(outcome, cheat.code, cheat.what)

    def _fail_waiting(self) -> None:
        """The other side keeps back a statement for which nobody has to think."""
        assert self._match is not None
        transcript = self._match.transcript
        due = transcript.due
        assert due is not None
        if due.kind is Kind.OPEN and self._decided() is not None:
            # Whoever did not win changes nothing by refusing (section 10); the record says so.
            self._break_off(code=cheats.WillNotOpen.code)
            self.bye(ByeReason.DONE)
            self._events.append(events.Closed())
            return
        error = cheats.WillNotOpen if due.kind is Kind.OPEN else cheats.WillNotReveal
        self._fail(error(due.seat, transcript.length))

    # --- ends

    def _fail(self, error: RemoteError) -> None:
        reason = ByeReason.PROTOCOL
        if isinstance(error, cheats.Cheat):
            self._convict(error)
            reason = ByeReason.CHEAT
        elif isinstance(error, Silent):
            reason = ByeReason.TIMEOUT
        elif error.code == ByeReason.VERSION.value:
            reason = ByeReason.VERSION
        self._break_off(error.code, error.what)
        self._say(messages.Bye(reason, error.code))
        self._over = True
        self._events.append(error)

    def _close(self) -> None:
        self._break_off(code="closed")
        self._over = True
        self._events.append(events.Closed())

    # --- small things

    def _say(self, message: Message) -> None:
        self._out += encode(message)

    def _spend(self) -> None:
        if not self._budget.spend(self._now):
            raise Flood

    def _need_match(self) -> Match:
        if self._match is None or not self._playing:
            raise LocalError("No match is on.")
        return self._match

    def _need_lobby(self) -> None:
        busy = self._playing or self._our_offer is not None or self._their_offer is not None
        if not self._greeting.done or busy or self._over:
            raise LocalError("A match cannot be offered now.")

    # --- time

    def _watch_due(self) -> None:
        """Notice since when the statement that is due has been due."""
        if self._match is None or not self._playing:
            self._due = None
            return
        transcript = self._match.transcript
        due = None if transcript.due is None else (transcript.due, transcript.lots)
        if due != self._due:
            self._due = due
            self._due_since = self._now

    def _deadline(self) -> Deadline | None:
        if self._over:
            return None
        if not self._greeting.done:
            return Deadline(self._stage_since + clock.GREETING_LIMIT, Alarm.GREETING)
        silence = Deadline(self.last_heard + clock.SILENT_AFTER, Alarm.SILENCE)
        due = [silence]
        if self._pinged_at is None or self._pinged_at < self.last_heard:
            due.append(Deadline(self.last_heard + clock.PING_AFTER, Alarm.PING))
        if self._our_offer is not None:
            due.append(Deadline(self._stage_since + clock.OFFER_LIMIT, Alarm.OFFER))
        if self._due is not None:
            due += self._statement_deadline(self._due[0])
        return min(due, key=lambda deadline: deadline.at)

    def _statement_deadline(self, due: Due) -> list[Deadline]:
        ours = due.seat is self.seat
        if due.kind is not Kind.ACT:
            limit = self._due_since + clock.STATEMENT_LIMIT
            return [] if ours else [Deadline(limit, Alarm.STATEMENT)]
        assert self._match is not None
        transcript = self._match.transcript
        seconds = transcript.terms.rules.turn_seconds
        if seconds is None or transcript.conceded is not None:
            return []
        limit = self._due_since + seconds
        if ours:
            return [Deadline(limit, Alarm.OUR_TURN)]
        return [Deadline(limit + clock.TURN_GRACE, Alarm.THEIR_TURN)]
