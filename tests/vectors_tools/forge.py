"""A seat that signs whatever it is told to, at a table with an honest one.

:class:`Author` plays by the rules until the story wants otherwise; :class:`Table` carries what both
say and logs it as the steps of a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from pazaak_p2p import rules as game
from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.fairness import MatchSecret, SeedSecrets, card_commitment, share_commitment
from pazaak_p2p.rules import Action, Card, Phase, Rules, Seat, SideDeck, View, parse_deck
from pazaak_p2p.wire import Role, messages
from pazaak_p2p.wire.codec import Reader, encode, read_body
from pazaak_p2p.wire.greeting import Greeting
from pazaak_p2p.wire.messages import Body, Concede, ConcedeReason, Entry, RulesMap, Statement
from pazaak_p2p.wire.terms import Kind, Terms, agree, concession_frame, entry_frame
from pazaak_p2p.wire.transcript import Transcript
from tests.vectors_tools.session import LABELS, SOFTWARE, Session, Who

Choice = Callable[[View], Action]
DECK = parse_deck("+1 -2 +-3 +4 -5 +-6 +1 -2 +-3 +4")


def who_for(secrets: SeedSecrets, name: str) -> Who:
    """A side that has everything from a seed."""
    return Who(name, secrets.identity(), secrets.hello(0), SOFTWARE)


class Author:
    """The seat that can cheat. What it says honestly goes into its own transcript as well."""

    def __init__(self, seat: Seat, seed: str, deck: SideDeck) -> None:
        self.seat = seat
        self.secrets = SeedSecrets(seed, seat)
        self.who = who_for(self.secrets, "Mal")
        self.written_deck = deck
        self.role = Role.LISTENER if seat is Seat.HOST else Role.DIALLER
        self._key = self.who.signer()
        self._greeting = Greeting(self._key, self.role, "Mal", self.who.nonce, SOFTWARE)
        self._reader = Reader()
        self._offer = b""
        self.said: list[Statement] = []
        """Said, but not yet sealed into an entry."""
        self.transcript: Transcript
        self.derived: MatchSecret
        self.deck: SideDeck = ()
        """In the order committed."""
        self.commits: messages.Commit | None = None
        """The other side's commit, once heard."""
        self.last_share = b""
        """The share that the other side revealed last, and its commitment to the next."""
        self.last_next = b""

    # --- the session

    def hello(self) -> bytes:
        return self._greeting.hello

    def hear(self, data: bytes) -> bytes:
        """Take what the other side sent; the answer that cannot wait."""
        self._reader.feed(data)
        out = b""
        for message, exact in self._reader:
            match message:
                case messages.Hello():
                    out += self._greeting.take_hello(message, exact)
                case messages.Proof():
                    self._greeting.take_proof(message)
                case messages.Offer(rules_map, _):
                    accept = encode(messages.Accept(self.secrets.nonce(0)))
                    self._begin(rules_map.rules(), exact, accept)
                    out += accept
                case messages.Accept():
                    self._begin(self._rules, self._offer, exact)
                case Entry():
                    self._read(message)
                case Concede():
                    self.transcript.hear_concession(self.seat.other, message)
                    self.transcript.settle_concession()
                case _:
                    pass
        return out

    def offer(self, rules: Rules) -> bytes:
        self._rules = rules
        self._offer = encode(messages.Offer(RulesMap.of(rules), self.secrets.nonce(0)))
        return self._offer

    def _begin(self, rules: Rules, offer: bytes, accept: bytes) -> None:
        theirs = self._greeting.theirs
        assert theirs is not None
        ours = self._greeting.ours.key
        keys = (ours, theirs.key) if self.seat is Seat.HOST else (theirs.key, ours)
        self.begin(agree(rules, keys, offer, accept))

    def begin(self, terms: Terms) -> None:
        self.terms = terms
        self.derived = MatchSecret(self.secrets.match_secret(0), terms.match_id, self.seat)
        self.deck = tuple(self.written_deck[i] for i in self.derived.order(10))
        self.transcript = Transcript(terms)
        # Past the check of the deck: it need not be a legal one.
        decks = (self.deck, None) if self.seat is Seat.HOST else (None, self.deck)
        self.transcript.state = replace(self.transcript.state, decks=decks)

    def _read(self, entry: Entry) -> None:
        self.transcript.read(entry)
        for statement in read_body(entry.body).say:
            if isinstance(statement, messages.Commit):
                self.commits = statement
            if isinstance(statement, messages.Reveal):
                self.last_share, self.last_next = statement.share, statement.next

    # --- statements

    def commit(self) -> messages.Commit:
        cards = [
            card_commitment(
                self.terms.match_id, self.seat, at, self.derived.salt(at), card.ascii.encode()
            )
            for at, card in enumerate(self.deck)
        ]
        return messages.Commit(cards, self.commitment(0))

    def commitment(self, k: int) -> bytes:
        return share_commitment(self.terms.match_id, self.seat, k, self.derived.share(k))

    def reveal(self) -> messages.Reveal:
        k = self.transcript.lots
        return messages.Reveal(self.derived.share(k), self.commitment(k + 1))

    def play(self, at: int, value: int, card: Card | None = None) -> messages.PlayCard:
        return messages.PlayCard(at, card or self.deck[at], self.derived.salt(at), value)

    def lay(self, at: int) -> messages.LayDown:
        return messages.LayDown(at, self.derived.salt(at))

    def open(self) -> messages.Open:
        return messages.Open(list(self.deck), [self.derived.salt(at) for at in range(10)])

    def hand(self) -> list[int]:
        """Positions of its unplayed hand cards."""
        held = self.transcript.state.hands[self.seat]
        return [each.position for each in held if not each.played]

    # --- saying

    def say(self, *statements: Statement) -> None:
        """Say something that is as it should be; it stays open until it is sealed."""
        for statement in statements:
            self.transcript.say(self.seat, statement)
            self.said.append(statement)

    def say_due(self, choose: Choice) -> None:
        """Say the statement that is due from us."""
        due = self.transcript.due
        assert due is not None
        assert due.seat is self.seat
        match due.kind:
            case Kind.COMMIT:
                self.say(self.commit())
            case Kind.REVEAL:
                self.say(self.reveal())
            case Kind.OPEN:
                self.say(self.open())
            case Kind.ACT:
                self.say(self.statement(choose(game.view(self.transcript.state, self.seat))))

    def statement(self, action: Action) -> Statement:
        match action:
            case game.Play(at, card, value):
                return self.play(at, value, card)
            case game.Lay(at):
                return self.lay(at)
            case game.End():
                return messages.EndTurn()
            case game.Stand():
                return messages.StandNow()
            case _:
                return messages.PassOn()

    def seal(self) -> bytes:
        """The entry over what was said since the last one, or b""."""
        if not self.said:
            return b""
        entry, body = self._entry(self.said)
        self.said = []
        self.transcript.append(body, self.seat)
        return entry

    def forge(self, *statements: Statement, **changes: Any) -> bytes:
        """An entry over what was said and *statements*, which need not be as they should be.

        *changes* are fields of the body. Nothing of it goes into our own transcript.
        """
        return self._entry([*self.said, *statements], **changes)[0]

    def _entry(self, say: list[Statement], **changes: Any) -> tuple[bytes, bytes]:
        transcript = self.transcript
        body = encode(
            replace(
                Body(
                    transcript.length,
                    self.seat,
                    transcript.head,
                    say,
                    game.digest(transcript.state),
                ),
                **changes,
            )
        )
        signature = self._key.sign(entry_frame(self.terms.match_id, body))
        return encode(Entry(body, signature)), body

    def give_up(self) -> bytes:
        """A concession that is as it should be."""
        assert not self.said
        said = self.concede(self.transcript.head)
        self.transcript.hear_concession(self.seat, msgspec.msgpack.decode(said, type=Concede))
        return said

    def concede(self, head: bytes, reason: ConcedeReason = ConcedeReason.CONCESSION) -> bytes:
        """A concession that names *head*."""
        signed = concession_frame(self.terms.match_id, self.seat, head, reason)
        return encode(Concede(self.seat, head, reason, self._key.sign(signed)))


def at_threshold(stand_at: int) -> Choice:
    """Plays as the threshold bot."""
    return ThresholdBot(stand_at).choose


def always(action: Action) -> Choice:
    """Plays no cards: ends every turn, say."""
    return lambda view: game.Pass() if view.state.phase is Phase.TIE else action


class Table:
    """An :class:`Author` and an honest peer across the table."""

    def __init__(
        self,
        seed: str,
        cheater: Seat,
        rules: Rules,
        *,
        deck: SideDeck = DECK,
        victim_deck: SideDeck = DECK,
        choose: Choice | None = None,
        victim: Choice | None = None,
    ) -> None:
        self.author = Author(cheater, seed, deck)
        self.rules = rules
        self.choose = choose or always(game.End())
        self._victim_chooses = victim or always(game.End())
        self._victim_deck = victim_deck
        self._secrets = SeedSecrets(seed, cheater.other)
        self.theirs, self.ours = LABELS if cheater is Seat.JOIN else LABELS[::-1]
        """Labels of the honest side and of the author's."""
        who = {self.ours: self.author.who, self.theirs: who_for(self._secrets, "Hope")}
        self.session = Session(who, honest=[self.theirs])
        self._heard = 0

    # --- carrying

    def tell(self, data: bytes) -> None:
        """The author says *data*, and the honest side answers."""
        self.session.forge(self.ours, data)
        self._answer()

    def _answer(self) -> None:
        side = self.session.honest(self.theirs)
        if side.offered:
            self.session.accept(self.theirs, *self._kit())
        while side.choices:
            self.session.choose(self.theirs, self._victim_chooses(side.choices[0]))
        before = len(self.session.steps)
        self.session.send(self.theirs)
        for step in self.session.steps[before:]:
            if step["step"] == "send" and self.refusal() is None:
                self._pass_on(bytes.fromhex(step["bytes"]))

    def _pass_on(self, data: bytes) -> None:
        answer = self.author.hear(data)
        if answer:
            self.tell(answer)

    def _kit(self) -> tuple[bytes, bytes, SideDeck]:
        secrets = self._secrets
        return secrets.nonce(0), secrets.match_secret(0), self._victim_deck

    def begin(self) -> None:
        """Greet, offer, accept."""
        self.greet()
        if self.author.seat is Seat.HOST:
            self.tell(self.author.offer(self.rules))
        else:
            self.session.offer(self.theirs, self.rules, *self._kit())
            self._answer()

    def greet(self) -> None:
        self.tell(self.author.hello())

    def let_concede(self) -> None:
        """The honest side gives the match up."""
        self.session.concede(self.theirs)
        self._answer()

    def play(self, until: Callable[[Author], bool]) -> bool:
        """Play on until *until* holds when the author has the floor; False if it never does.

        It is asked before each statement of the author; what was said before it is not sealed yet.
        """
        transcript = self.author.transcript
        while (due := transcript.due) is not None:
            if due.seat is self.author.seat:
                if until(self.author):
                    return True
                self.author.say_due(self.choose)
            else:
                entry = self.author.seal()
                if not entry:
                    return False
                self.tell(entry)
        return False

    # --- what came of it

    def refusal(self) -> dict[str, Any] | None:
        """How the honest side refused, if it did."""
        return next((s for s in self.session.steps if s["step"] == "refuse"), None)

    def record(self) -> bytes:
        """The honest side's record."""
        return bytes(self.session.honest(self.theirs).matches[-1].record)
