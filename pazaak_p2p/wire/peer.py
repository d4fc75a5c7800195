"""The peer: bytes in, events and bytes out; no sockets, no clock, no threads.

A peer goes through three stages, and in each takes only the messages of that stage:

1. *Greeting*: hellos and proofs are exchanged (``greeting.py``). Nothing is known of the other
   side, so only three kinds of message are taken.
2. *Lobby*: the session stands, no match is on. The host offers, the other accepts or declines; or
   both want to go on with a match that was broken off (``lobby.py``, ``resuming.py``).
3. *Match*: entries grow the transcript (``match.py`` says what is due from our seat,
   ``transcript.py`` checks both sides alike). When it is complete the peer is in the lobby again.

Whatever the other side does wrong ends the session: :meth:`Peer.next_event` raises the error in
its place among the events, and the goodbye that names it is among the bytes to send. Afterwards
the peer takes nothing more.

The driver's duty is one line: *get the bytes to send, write the bytes to record, then send*. The
other side then never sees an entry that the record does not hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.rules import Action, Rules, Seat, SideDeck, State
from pazaak_p2p.text import printable
from pazaak_p2p.wire import cheats, events, messages
from pazaak_p2p.wire.beside import Beside
from pazaak_p2p.wire.clock import Alarm, Watch
from pazaak_p2p.wire.codec import MAX_MESSAGE, Reader, encode
from pazaak_p2p.wire.errors import (
    LocalError,
    NoCommonVersion,
    Occupied,
    RemoteError,
    Silent,
    Unexpected,
    WireError,
    WrongCode,
)
from pazaak_p2p.wire.greeting import Greeting, Role
from pazaak_p2p.wire.lobby import Lobby
from pazaak_p2p.wire.messages import ByeReason, ConcedeReason, DeclineReason, Hello, Message
from pazaak_p2p.wire.pake import FEATURE
from pazaak_p2p.wire.resuming import Interrupted
from pazaak_p2p.wire.waiting import Waiting

# What can come before the session stands.
_EARLY = frozenset({Hello, messages.Pake, messages.Confirm, messages.Proof, messages.Bye})
# Reasons of a goodbye by which its sender gives a running match up, rather than ending what cannot
# go on.
_LEAVING = frozenset({ByeReason.DONE, ByeReason.BUSY, ByeReason.DECLINED, ByeReason.INTERRUPTED})


class Peer:
    """One side of a session.

    *now*, here and in every method, is the time in seconds of any monotonic clock. Methods that say
    something raise ``LocalError`` when it cannot be said now. *cert* is the SHA-256 of the
    certificate on this connection: a listener's own, or what a dialler saw; None without TLS.
    *code* is a join code that the other side has to know too; *code_secret*, 64 fresh random bytes,
    goes with it. A listener that is *busy* with a match takes back its other player and nobody
    else: it does not greet first, so that it can say ``busy`` to who comes with a code.
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
        cert: bytes | None = None,
        code: str | None = None,
        code_secret: bytes = b"",
        busy: bool = False,
    ) -> None:
        self._greeting = Greeting(key, role, name, nonce, software, cert, code, code_secret)
        self._reader = Reader()
        self._busy = busy
        self._out = bytearray(b"" if busy else self._greeting.hello)
        self._events: deque[events.Event | WireError] = deque()
        self._lobby = lobby = Lobby(key, role, self._greeting.ours, self._out, self._events)
        self._over = False
        self._now = now
        self._watch = Watch(now)
        self._beside = Beside(self._watch, now)
        self._waiting = Waiting(lobby, self._watch)
        self._heard_done = False
        self._handlers: dict[type, Callable[[Any, bytes], None]] = {
            Hello: self._on_hello,
            messages.Pake: self._on_code,
            messages.Confirm: self._on_code,
            messages.Proof: self._on_proof,
            messages.Offer: lobby.on_offer,
            messages.Accept: lobby.on_accept,
            messages.Decline: lobby.on_decline,
            messages.Resume: lobby.on_resume,
            messages.Claim: lobby.on_claim,
            messages.Entry: lobby.on_play,
            messages.Concede: lobby.on_play,
            messages.Ping: self._on_ping,
            messages.Pong: self._on_pong,
            messages.Chat: self._on_chat,
            messages.Bye: self._on_bye,
        }

    # --- what can be seen

    @property
    def rtt(self) -> float | None:
        """Seconds of the last ping's round trip."""
        return self._beside.rtt

    @property
    def last_heard(self) -> float:
        """When the last message arrived."""
        return self._watch.heard

    @property
    def turn_clock(self) -> tuple[int, float] | None:
        """The seat whose turn it is and when its time is up; None without a clock (R21)."""
        self._waiting.notice(self._now)
        return self._watch.turn

    @property
    def code_waits(self) -> bool:
        """Has the other side tried a join code that waits to be judged (``try_code``)?"""
        return self._greeting.code_waits and not self._over

    @property
    def remote(self) -> Hello | None:
        """The other side's hello; proven only after ``Greeted``."""
        return self._greeting.theirs

    @property
    def state(self) -> State | None:
        """The running or last match as our seat knows it."""
        return self._lobby.state

    @property
    def seat(self) -> Seat | None:
        """Our seat in the running or last match."""
        return None if self._lobby.match is None else self._lobby.match.seat

    @property
    def match_id(self) -> bytes:
        """Of the running or last match; empty before the first."""
        match = self._lobby.match
        return b"" if match is None else match.transcript.terms.match_id

    @property
    def head(self) -> bytes:
        """The head of the transcript of the running or last match; empty before the first."""
        return b"" if self._lobby.match is None else self._lobby.match.transcript.head

    @property
    def confirmed(self) -> bool:
        """Does the other side hold all of the last match, which is complete?

        It does if the last entry is its own, or when it says that it is done.
        """
        match = self._lobby.match
        if match is None or not match.complete:
            return False
        return self._heard_done or match.transcript.authors[-1] is not match.seat

    @property
    def claimable(self) -> bool:
        """Can our seat claim the last match, if the other stays away (section 10)?"""
        return self._lobby.match is not None and self._lobby.match.claimable

    @property
    def lots_checked(self) -> int:
        """Lots of this match whose shares were both checked."""
        return 0 if self._lobby.match is None else self._lobby.match.transcript.lots

    # --- bytes and events

    def data_to_send(self) -> bytes:
        """All that is to be sent now; what was said since the last call is signed into an entry."""
        self._lobby.seal()
        if pongs := self._beside.pongs:
            if not self._over:
                self._out += pongs
            pongs.clear()
        data = bytes(self._out)
        self._out.clear()
        return data

    def data_to_record(self) -> bytes:
        """What the record must hold before the bytes of the last ``data_to_send`` are sent."""
        data = bytes(self._lobby.record)
        self._lobby.record.clear()
        return data

    def next_event(self) -> events.Event | None:
        """The next event, or None. Raises a ``RemoteError`` in its place among them.

        ``Offered``, ``ResumeAsked`` and ``Choose`` come only while they can be answered.
        """
        while self._events:
            event = self._events.popleft()
            if type(event) is events.Moved:  # as most are
                return event
            if isinstance(event, WireError):
                raise event
            if self._lobby.asks(event):
                return event
        return None

    def receive(self, data: bytes, now: float) -> None:
        """Take what arrived; b"" is the end of the stream."""
        if self._over:
            return
        self._pass_to(now)
        if not data:
            self._lobby.break_off(code="closed")
            self._over = True
            self._events.append(events.Closed())
            return
        try:
            for start in range(0, len(data), MAX_MESSAGE):
                self._reader.feed(data[start : start + MAX_MESSAGE])
                for message, exact in self._reader:
                    # Half a message is no sign of life, else a trickle could hold us for ever.
                    self._watch.heard = now
                    if not self._take(message, exact):
                        return
        except RemoteError as error:
            self._fail(error)

    def next_deadline(self) -> float | None:
        """When ``handle_timeout`` is to be called at the latest, None for never."""
        if self._over:
            return None
        self._waiting.notice(self._now)
        return self._waiting.deadline().at

    def handle_timeout(self, now: float) -> None:
        """Do what is due at *now*; nothing if no deadline has passed."""
        self._waiting.notice(self._now)
        self._now = now
        deadline = self._waiting.deadline()
        if self._over or now < deadline.at:
            return
        match deadline.alarm:
            case Alarm.PING:
                self._ping()
            case Alarm.STATEMENT | Alarm.THEIR_TURN:
                self._ping()
                self._watch.ask(deadline.alarm, now)
            case Alarm.OUR_TURN:
                self.concede(now, ConcedeReason.TIME)
            case Alarm.GREETING:
                self._fail(Silent("The other side did not greet."))
            case Alarm.OFFER:
                self._fail(Silent("No match has come about."))
            case Alarm.SILENCE:
                self._fail(Silent())

    # --- what our side wants

    def try_code(self, now: float) -> bool:
        """Judge the join code that the other side has tried (``CodeTried``); is it right?

        A wrong one ends the session: ``WrongCode`` is among the events then.
        """
        self._at(now)
        try:
            self._out += self._greeting.judge_code()
        except WrongCode as error:
            self._fail(error)
            return False
        return True

    def offer(
        self, rules: Rules, nonce: bytes, secret: bytes, deck: SideDeck, now: float, began: int = 0
    ) -> None:
        """Offer a match, as its host.

        *nonce* and *secret* are 32 fresh random bytes each, *began* the Unix time for the record.
        Raises ``DeckError`` if the deck breaks the rules.
        """
        self._at(now)
        self._lobby.offer(rules, nonce, secret, deck, began)
        self._watch.lobby_since = now

    def accept(
        self, nonce: bytes, secret: bytes, deck: SideDeck, now: float, began: int = 0
    ) -> None:
        """Accept the offer, as joiner. Raises ``DeckError`` if the deck breaks its rules."""
        self._at(now)
        self._lobby.accept(nonce, secret, deck, began)

    def resume(self, interrupted: Interrupted, now: float) -> None:
        """Go on with a match, as either side: our wish, or the answer to ``ResumeAsked``.

        ``Resumed`` follows, or ``Declined``; or, among the events as ever, what is wrong with how
        far the other side said it is.
        """
        self._at(now)
        try:
            self._lobby.resume(interrupted)
        except RemoteError as error:
            self._fail(error)
        self._watch.lobby_since = now

    def decline(self, reason: DeclineReason, text: str = "") -> None:
        """Decline the offer, or to resume a match."""
        self._at(self._now)
        self._lobby.decline(reason, printable(text))

    def act(self, action: Action, now: float) -> None:
        """Answer ``Choose``.

        Raises ``RuleError`` if the rules do not allow it: nothing is changed then, and the choice
        is still open.
        """
        self._at(now)
        self._lobby.act(action)

    def concede(self, now: float, reason: ConcedeReason = ConcedeReason.CONCESSION) -> None:
        """Give the running match up (R21); before both have committed, as soon as they have."""
        self._at(now)
        self._lobby.concede(reason)

    def chat(self, text: str, now: float) -> None:
        """Say something to the other side: 1 to 500 characters, and no more than it has to take."""
        if not self._greeting.done or self._over:
            raise LocalError("There is nobody to talk to.")
        said = self._beside.chat(text, now)
        self._at(now)
        self._out += said

    def bye(self, reason: ByeReason, text: str = "") -> None:
        """Leave; that loses a running match (R21). Does nothing if the session is over."""
        if self._over:
            return
        text = printable(text)
        self._lobby.break_off(reason.value, text, self.seat if reason in _LEAVING else None)
        self._say(messages.Bye(reason, text))
        self._over = True

    # --- messages, by kind

    def _take(self, message: Message, exact: bytes) -> bool:
        """False if the session is over by it."""
        kind = type(message)
        if not self._greeting.done and kind not in _EARLY:
            raise Unexpected(why="It did not greet first.")
        self._handlers[kind](message, exact)
        return not self._over

    def _on_hello(self, message: Hello, exact: bytes) -> None:
        if self._busy:
            # Who comes back goes by its key. Another would refuse our hello, which names no code,
            # before it could hear that we are busy (section 5.1).
            if FEATURE in message.features:
                raise Occupied
            self._out += self._greeting.hello
            self._busy = False
        self._out += self._greeting.take_hello(message, exact)

    def _on_code(self, message: messages.Pake | messages.Confirm, _: bytes) -> None:
        self._out += self._greeting.take_code(message)
        if self._greeting.code_waits:
            self._events.append(events.CodeTried())

    def _on_proof(self, message: messages.Proof, _: bytes) -> None:
        theirs = self._greeting.take_proof(message)
        self._watch.greeted = True
        self._watch.lobby_since = self._now
        self._lobby.enter(theirs)
        self._events.append(events.Greeted(theirs.name, theirs.key, theirs.software))

    def _on_ping(self, message: messages.Ping, _: bytes) -> None:
        self._beside.on_ping(message, self._now)

    def _on_pong(self, message: messages.Pong, _: bytes) -> None:
        self._waiting.notice(self._now)  # what came just before it is not missing
        alarm = self._beside.on_pong(message, self._now)
        if alarm is not None:
            self.bye(*self._waiting.end(alarm))
            self._events.append(events.Closed())

    def _ping(self) -> None:
        self._out += self._beside.ping(self._now)

    def _on_chat(self, message: messages.Chat, _: bytes) -> None:
        self._beside.on_chat(self._now)
        self._events.append(events.Chatted(message.text))

    def _on_bye(self, message: messages.Bye, _: bytes) -> None:
        match = self._lobby.match
        leaver = None if match is None or message.reason not in _LEAVING else match.seat.other
        if message.reason is ByeReason.BUSY and match is not None and not match.transcript.length:
            # It has taken its offer back before it heard that we accept: there is no match.
            self._lobby.break_off(code="closed")
        self._lobby.break_off(message.reason.value, message.text, leaver)
        self._events.append(events.Left(message.reason.value, message.text))
        self._over = True
        self._heard_done = message.reason is ByeReason.DONE

    # --- ends

    def _fail(self, error: RemoteError) -> None:
        reason, text = ByeReason.PROTOCOL, error.code
        if isinstance(error, cheats.Cheat):
            outcome = self._lobby.running().convict(error)
            self._lobby.finish(outcome, error.code, error.what)
            reason = ByeReason.CHEAT
        elif isinstance(error, Silent):
            reason = ByeReason.TIMEOUT
        elif isinstance(error, NoCommonVersion):
            reason = ByeReason.VERSION
        elif isinstance(error, Occupied):
            reason, text = ByeReason.BUSY, ""
        self._lobby.break_off(error.code, error.what)
        self._say(messages.Bye(reason, text))
        self._over = True
        self._events.append(error)

    # --- small things

    def _say(self, message: Message) -> None:
        self._out += encode(message)

    def _at(self, now: float) -> None:
        """Our side does something at *now*. Raises ``LocalError`` if the session is over."""
        if self._over:
            raise LocalError("The session is over.")
        self._pass_to(now)

    def _pass_to(self, now: float) -> None:
        """Time goes on. What was waited for until then is noticed only now, or if it is asked for:
        for whoever drives many matches in no time, that is never.
        """
        if now != self._now:
            self._waiting.notice(self._now)
            self._now = now
