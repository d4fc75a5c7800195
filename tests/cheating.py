"""A peer that cheats.

It speaks the protocol with its own keys and secrets, but not through the package's peer: nothing
keeps it from saying whatever it likes, signed. It is honest until the *trick* that it was given
finds its moment; what the trick then says is sent instead.

The transcript that it keeps is its own view of the match. As long as it is honest that is also the
other side's view, so that it always knows what an honest peer would say next.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.fairness import MatchSecret, SeedSecrets, card_commitment, share_commitment
from pazaak_p2p.rules import (
    Card,
    Outcome,
    Phase,
    Rules,
    Seat,
    SideDeck,
    State,
    digest,
    possible_values,
)
from pazaak_p2p.wire import Role
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode, read_body
from pazaak_p2p.wire.greeting import Greeting
from pazaak_p2p.wire.terms import Due, Kind, agree, concession_frame, entry_frame
from pazaak_p2p.wire.transcript import Transcript
from tests.wire.pair import Side, messages_in


class Trick(NamedTuple):
    """A way to cheat: *when* its moment is, and *what* is then said (raw messages; b"": nothing).

    The other side's transcript is the cheater's own at that moment, so *what* may build on it.
    """

    when: Callable[[Cheater], bool]
    what: Callable[[Cheater], bytes]


def never(_: Cheater) -> bool:
    return False


HONEST = Trick(never, lambda _: b"")


class Cheater:
    """One side of a session, in *seat*; ``receive`` and ``send`` carry its bytes.

    The first *skip* moments of the trick are let go by. With *split* every statement is an entry.
    """

    def __init__(
        self,
        seat: Seat,
        trick: Trick,
        *,
        rules: Rules,
        deck: SideDeck,
        seed: str,
        skip: int = 0,
        split: bool = False,
    ) -> None:
        self.seat = seat
        self.rules = rules
        self.split = split
        self.secrets = SeedSecrets(seed, seat)
        self.key = Ed25519PrivateKey.from_private_bytes(self.secrets.identity())
        self.random = Random(f"{seed} {seat}")
        self.struck = False
        self.before: tuple[Outcome | None, tuple[bool, bool]] = (None, (False, False))
        """How the match stood when the trick struck: its outcome, and who had opened."""
        self.accuse: int | None = None
        """The entry that a conviction must name, where it is not the one that struck."""
        self.bye: m.Bye | None = None
        self.bodies: list[bytes] = []
        """Our entries, exactly."""
        self.heard: list[m.Statement] = []
        """All that the other side has said in the match."""
        self.their_entries: list[bytes] = []
        """Its entries, as whole messages."""
        self._said: list[m.Statement] = []
        self._trick = trick
        self._skip = skip
        self._written = deck
        self._greeting = Greeting(
            self.key,
            Role.LISTENER if seat is Seat.HOST else Role.DIALLER,
            "Cheater",
            self.secrets.hello(0),
            "by hand",
        )
        self._out = bytearray(self._greeting.hello)
        self._pongs = bytearray()
        self._offer = b""
        self._match: Transcript | None = None

    # --- the session

    def receive(self, data: bytes) -> None:
        for message, exact in messages_in(data):
            self._take(message, exact)
        self._go_on()

    def send(self) -> bytes:
        data = bytes(self._out + self._pongs)
        self._out.clear()
        self._pongs.clear()
        return data

    def _take(self, message: m.Message, exact: bytes) -> None:
        match message:
            case m.Hello():
                self._out += self._greeting.take_hello(message, exact)
            case m.Proof():
                self._greeting.take_proof(message)
                if self.seat is Seat.HOST:
                    rules = m.RulesMap.of(self.rules)
                    self._offer = encode(m.Offer(rules, self.secrets.nonce(0)))
                    self._out += self._offer
            case m.Offer():
                accept = encode(m.Accept(self.secrets.nonce(0)))
                self._out += accept
                self._start(exact, accept)
            case m.Accept():
                self._start(self._offer, exact)
            case m.Ping(n):
                self._pongs += encode(m.Pong(n))
            case m.Bye():
                self.bye = message
            case m.Concede():
                self.transcript.hear_concession(self.seat.other, message)
                self.transcript.settle_concession()
            case m.Entry() if not self.struck:
                self.transcript.read(message, self.seat.other)
                self.heard += read_body(message.body).say
                self.their_entries.append(exact)

    def _start(self, offer: bytes, accept: bytes) -> None:
        theirs = self._greeting.theirs
        assert theirs is not None
        keys = (self._greeting.ours.key, theirs.key)
        if self.seat is Seat.JOIN:
            keys = keys[::-1]
        self._match = Transcript(agree(self.rules, keys, offer, accept))
        self.bodies.clear()
        self.their_entries.clear()
        self.secret = MatchSecret(self.secrets.match_secret(0), self.match_id, self.seat)
        self.deck = tuple(self._written[i] for i in self.secret.order(10))

    def _go_on(self) -> None:
        if self._match is None or self.bye is not None or self._moment():
            return
        while self.floor:
            self._say_next()
            if self.split:
                self._seal()
            if self._moment():
                return
        self._seal()

    def _moment(self) -> bool:
        """Strike, if this is the moment; True if we have struck."""
        if not self.struck and self._trick.when(self):
            if self._skip == 0:
                self.struck = True
                self.before = self.state.outcome, self.transcript.opened
                self._out += self._trick.what(self)
            self._skip -= 1
        return self.struck

    # --- what can be seen

    @property
    def hello(self) -> bytes:
        return self._greeting.hello

    @property
    def transcript(self) -> Transcript:
        assert self._match is not None
        return self._match

    @property
    def match_id(self) -> bytes:
        return self.transcript.terms.match_id

    @property
    def state(self) -> State:
        return self.transcript.state

    @property
    def due(self) -> Due | None:
        return self.transcript.due

    @property
    def floor(self) -> bool:
        return self.due is not None and self.due.seat is self.seat

    @property
    def midway(self) -> bool:
        """We have said something that is not sent yet."""
        return bool(self._said)

    def owes(self, kind: Kind) -> bool:
        return self.due == Due(self.seat, kind)

    @property
    def they_think(self) -> bool:
        """The other side has been shown its card, and has not acted."""
        return self.due == Due(self.seat.other, Kind.ACT) and self.state.phase is Phase.ACT

    @property
    def lot(self) -> int:
        """The number of the lot that is due or comes next."""
        return self.transcript.lots

    @property
    def dealt(self) -> list[int]:
        """Positions of the cards that we were dealt."""
        return [card.position for card in self.state.hands[self.seat]]

    @property
    def unplayed(self) -> list[int]:
        """Positions of our cards that are still in our hand."""
        return [card.position for card in self.state.hands[self.seat] if not card.played]

    @property
    def used(self) -> list[int]:
        return [card.position for card in self.state.hands[self.seat] if card.played]

    @property
    def undealt(self) -> list[int]:
        return [position for position in range(10) if position not in self.dealt]

    # --- honest statements

    def _say_next(self) -> None:
        statement = self._next()
        self.transcript.say(self.seat, statement)
        self._said.append(statement)

    def _seal(self) -> None:
        if self._said:
            message = self.entry()
            body = body_of(message)
            self.bodies.append(body)
            self.transcript.append(body, self.seat)
            self._said = []
            self._out += message

    def finish(self) -> None:
        """Say all that an honest peer would say now, up to the end of its floor; not sent yet."""
        while self.floor:
            self._say_next()

    def rest(
        self, n: int | None = None, prev: bytes | None = None, state: bytes | None = None
    ) -> bytes:
        """All that an honest peer would say now, in an entry that is not quite right."""
        self.finish()
        return self.entry(n=n, prev=prev, state=state)

    def rest_signed_by(self, key: Ed25519PrivateKey) -> bytes:
        """All that an honest peer would say now, signed by somebody else."""
        self.finish()
        return self.entry(key=key)

    def turn(self) -> None:
        """All that an honest peer would say now, and the entry is sent."""
        self.finish()
        self._seal()

    def _next(self) -> m.Statement:
        assert self.due is not None
        match self.due.kind:
            case Kind.COMMIT:
                return self.commit()
            case Kind.REVEAL:
                return self.reveal()
            case Kind.OPEN:
                return self.opening()
            case Kind.ACT:
                return self._act()

    def commit(self) -> m.Commit:
        return m.Commit([self.card_commitment(at) for at in range(10)], self.commitment(0))

    def reveal(self) -> m.Reveal:
        return m.Reveal(self.secret.share(self.lot), self.commitment(self.lot + 1))

    def opening(self) -> m.Open:
        return m.Open(list(self.deck), [self.secret.salt(at) for at in range(10)])

    def card_commitment(self, at: int) -> bytes:
        card = self.deck[at].ascii.encode()
        return card_commitment(self.match_id, self.seat, at, self.secret.salt(at), card)

    def commitment(self, k: int) -> bytes:
        return share_commitment(self.match_id, self.seat, k, self.secret.share(k))

    def play(self, at: int, value: int | None = None) -> m.PlayCard:
        """The card at *at* as it is; the first value it can have, unless another is wanted."""
        card = self.deck[at]
        if value is None:
            values = possible_values(card, self.state.tables[self.seat])
            value = values[0] if values else 0
        return m.PlayCard(at, card, self.secret.salt(at), value)

    def playable(self) -> list[m.PlayCard]:
        """All that may be played now, if an act is due from us."""
        if not self.owes(Kind.ACT) or self.state.phase is not Phase.ACT or self.state.played:
            return []
        table = self.state.tables[self.seat]
        allowed = [at for at in self.unplayed if self.rules.gold or not self.deck[at].gold]
        return [self.play(at, v) for at in allowed for v in possible_values(self.deck[at], table)]

    def _act(self) -> m.Statement:
        if self.state.phase is Phase.TIE:
            breakers = [at for at in self.unplayed if self.deck[at] is Card.TIEBREAKER]
            return m.LayDown(breakers[0], self.secret.salt(breakers[0])) if breakers else m.PassOn()
        cards = self.playable()
        total = self.state.totals[self.seat]
        if cards and self.random.random() < (0.9 if total > 20 else 0.15):
            return self.random.choice(cards)
        return m.EndTurn() if total < 16 else m.StandNow()

    # --- entries and concessions

    def entry(
        self,
        *say: m.Statement,
        n: int | None = None,
        prev: bytes | None = None,
        by: Seat | None = None,
        state: bytes | None = None,
        key: Ed25519PrivateKey | None = None,
    ) -> bytes:
        """An entry that says what is not sent yet and then this.

        It comes next and is signed by us, unless told otherwise, and is not taken into our
        transcript; *state* is that of our transcript as it is.
        """
        t = self.transcript
        body = m.Body(
            t.length if n is None else n,
            self.seat if by is None else by,
            t.head if prev is None else prev,
            [*self._said, *say],
            digest(t.state) if state is None else state,
        )
        return self.sign(encode(body), key)

    def sign(self, body: bytes, key: Ed25519PrivateKey | None = None) -> bytes:
        return encode(m.Entry(body, (key or self.key).sign(entry_frame(self.match_id, body))))

    def concession(
        self,
        head: bytes | None = None,
        by: Seat | None = None,
        reason: m.ConcedeReason = m.ConcedeReason.CONCESSION,
    ) -> bytes:
        seat = self.seat if by is None else by
        head = self.transcript.head if head is None else head
        signature = self.key.sign(concession_frame(self.match_id, seat, head, reason))
        return encode(m.Concede(seat, head, reason, signature))


def body_of(message: bytes) -> bytes:
    """The exact body of an entry."""
    entry = next(messages_in(message))[0]
    assert isinstance(entry, m.Entry)
    return entry.body


def duel(cheater: Cheater, victim: Side, now: float = 0.0) -> None:
    """Let them play until one has nothing more to say, or the victim has had enough."""
    victim.react(now)
    if not victim.matches and cheater.seat is Seat.JOIN:
        _carry(cheater, victim, now)
        victim.offer(cheater.rules, now)
    while _carry(cheater, victim, now):
        pass


def _carry(cheater: Cheater, victim: Side, now: float) -> bool:
    moved = False
    while True:
        ours = cheater.send()
        if ours:
            victim.peer.receive(ours, now)
        victim.react(now)
        theirs = victim.send()
        if not ours and not theirs and not cheater.struck and victim.think(now):
            theirs = victim.send()
        if theirs:
            cheater.receive(theirs)
        if not ours and not theirs:
            return moved
        moved = True
