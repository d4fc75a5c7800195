"""Two peers wired back to back: the main fixture of the protocol's tests.

Everything that a test wants to change has one place: who chooses (``choose``), how (a person's
program sends what it must before its user has thought: ``persons``), and what becomes of the bytes
on their way (``between``: chunks, losses, lies).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.rules import DECKS, Action, Rules, Seat, SideDeck, View, legal_actions
from pazaak_p2p.wire import Peer, Role, events
from pazaak_p2p.wire.codec import MAX_MESSAGE, Reader
from pazaak_p2p.wire.errors import RemoteError
from pazaak_p2p.wire.messages import Message
from pazaak_p2p.wire.resuming import Interrupted

Choice = Callable[[View], Action]
Between = Callable[["Side", bytes], Iterable[bytes]]
_E = TypeVar("_E", bound=events.Event)


def first_legal(view: View) -> Action:
    """The duller half of a player: always the first action that the rules list."""
    return legal_actions(view.state)[0]


def last_legal(view: View) -> Action:
    """Plays no card, and stands as soon as it can."""
    return legal_actions(view.state)[-1]


def at_random(seed: object) -> Choice:
    """Chooses evenly among all that is legal."""
    random = Random(repr(seed))
    return lambda view: random.choice(legal_actions(view.state))


def whole(_: Side, data: bytes) -> Iterable[bytes]:
    """A wire that does nothing to what it carries."""
    return (data,)


def messages_in(data: bytes) -> Iterator[tuple[Message, bytes]]:
    """The messages in *data*, each with its exact bytes."""
    reader = Reader()
    for start in range(0, len(data), MAX_MESSAGE):
        reader.feed(data[start : start + MAX_MESSAGE])
        yield from reader


def objects_in(record: bytes) -> list[dict[str, Any]]:
    """The objects of a record (section 12), plainly decoded."""
    unpacker = msgpack.Unpacker(raw=False)
    unpacker.feed(record)
    return list(unpacker)


class Side:
    """A peer with its secrets, what it chooses with, and everything it reported."""

    def __init__(
        self,
        seat: Seat,
        seed: str,
        deck: SideDeck,
        choose: Choice,
        person: bool = False,
        now: float = 0.0,
        key: Ed25519PrivateKey | None = None,
    ) -> None:
        self.seat = seat
        self.seed = seed
        self.secrets = SeedSecrets(seed, seat)
        self.key = key or Ed25519PrivateKey.from_private_bytes(self.secrets.identity())
        self.deck = deck
        self.choose = choose
        self.person = person
        self.thinking_about: View | None = None
        self.matches = 0
        self.events: list[events.Event] = []
        self.errors: list[RemoteError] = []
        self.record = bytearray()
        self.sent: list[bytes] = []
        self.restart(Role.LISTENER if seat is Seat.HOST else Role.DIALLER, 0, now)

    def restart(self, role: Role, session: int, now: float = 0.0) -> None:
        """Begin a session, the *session*-th with these secrets."""
        self.peer = Peer(
            key=self.key,
            role=role,
            name=self.seat.name.title(),
            nonce=self.secrets.hello(session),
            software="tests",
            now=now,
        )

    def offer(self, rules: Rules, now: float = 0.0) -> None:
        m, self.matches = self.matches, self.matches + 1
        nonce, secret = self.secrets.nonce(m), self.secrets.match_secret(m)
        self.peer.offer(rules, nonce, secret, self.deck, now)

    def accept(self, now: float = 0.0) -> None:
        m, self.matches = self.matches, self.matches + 1
        self.peer.accept(self.secrets.nonce(m), self.secrets.match_secret(m), self.deck, now)

    def resume(self, interrupted: Interrupted, now: float = 0.0) -> None:
        """Want to go on with a match, being where we were in it."""
        self.peer.resume(interrupted, now)

    def react(self, now: float = 0.0) -> None:
        """Take in all events; accept offers; answer choices, or think about them as a person."""
        while True:
            try:
                event = self.peer.next_event()
            except RemoteError as error:
                self.errors.append(error)
                continue
            if event is None:
                return
            self.events.append(event)
            match event:
                case events.Offered():
                    self.accept(now)
                case events.Resumed(choices=choices):
                    for view in choices:
                        self.choose(view)
                case events.Choose(view) if self.person:
                    self.thinking_about = view
                case events.Choose(view):
                    self.peer.act(self.choose(view), now)
                case events.Moved(state=state) if state.outcome is not None:
                    self.thinking_about = None
                case events.Ended():
                    self.thinking_about = None

    def think(self, now: float = 0.0) -> bool:
        """Let the person, if one is asked, choose; False if there was nothing to choose."""
        if self.thinking_about is None:
            return False
        view, self.thinking_about = self.thinking_about, None
        self.peer.act(self.choose(view), now)
        return True

    def send(self) -> bytes:
        data = self.peer.data_to_send()
        self.record += self.peer.data_to_record()
        if data:
            self.sent.append(data)
        return data

    def of_kind(self, kind: type[_E]) -> list[_E]:
        return [event for event in self.events if isinstance(event, kind)]

    def said(self) -> list[Message]:
        """All messages that this side has sent, in order."""
        return [message for message, _ in messages_in(b"".join(self.sent))]


class Pair:
    """Both sides and the wire between them."""

    def __init__(
        self,
        seed: str = "pair",
        decks: tuple[SideDeck, SideDeck] = (DECKS["wanderer"], DECKS["hard"]),
        choose: tuple[Choice, Choice] = (first_legal, first_legal),
        persons: tuple[bool, bool] = (False, False),
        between: Between = whole,
    ) -> None:
        self.host = Side(Seat.HOST, seed, decks[0], choose[0], persons[0])
        self.join = Side(Seat.JOIN, seed, decks[1], choose[1], persons[1])
        self.sides = (self.host, self.join)
        self.between = between

    def step(self, now: float = 0.0) -> bool:
        """Carry what both have to say to the other; False when nothing was said."""
        carried = False
        for source, target in (self.sides, self.sides[::-1]):
            source.react(now)
            data = source.send()
            if not data and source.think(now):
                data = source.send()
            if data:
                carried = True
                for piece in self.between(source, data):
                    target.peer.receive(piece, now)
                    target.react(now)
        return carried

    def go(self, now: float = 0.0) -> None:
        """Go on until neither has anything to say."""
        while self.step(now):
            pass

    def run(self, now: float = 0.0) -> None:
        """The same. Raises what either side found wrong with the other."""
        self.go(now)
        for side in self.sides:
            if side.errors:
                raise side.errors[0]

    def greet(self) -> None:
        self.run()

    def play(self, rules: Rules) -> None:
        """Greet if need be, and play a whole match, the host offering."""
        self.run()
        self.host.offer(rules)
        self.run()
