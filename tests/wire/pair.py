"""Two peers wired back to back: the main fixture of the protocol's tests."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.rules import DECKS, Action, Rules, Seat, SideDeck, View, legal_actions
from pazaak_p2p.wire import Peer, Role, events

Choice = Callable[[View], Action]


def first_legal(view: View) -> Action:
    """The duller half of a player: always the first action that the rules list."""
    return legal_actions(view.state)[0]


class Side:
    """A peer with its secrets, what it choose with, and everything it reported."""

    def __init__(self, seat: Seat, seed: str, deck: SideDeck, choose: Choice) -> None:
        self.seat = seat
        self.secrets = SeedSecrets(seed, seat)
        self.deck = deck
        self.choose = choose
        self.matches = 0
        self.events: list[events.Event] = []
        self.record = bytearray()
        self.sent: list[bytes] = []
        self.peer = Peer(
            key=Ed25519PrivateKey.from_private_bytes(self.secrets.identity()),
            role=Role.LISTENER if seat is Seat.HOST else Role.DIALLER,
            name=seat.name.title(),
            nonce=self.secrets.hello(0),
            software="tests",
            now=0.0,
        )

    def offer(self, rules: Rules, now: float = 0.0) -> None:
        m, self.matches = self.matches, self.matches + 1
        nonce, secret = self.secrets.nonce(m), self.secrets.match_secret(m)
        self.peer.offer(rules, nonce, secret, self.deck, now)

    def accept(self, now: float = 0.0) -> None:
        m, self.matches = self.matches, self.matches + 1
        self.peer.accept(self.secrets.nonce(m), self.secrets.match_secret(m), self.deck, now)

    def react(self, now: float = 0.0) -> None:
        """Take in all events and answer those that ask for something."""
        while (event := self.peer.next_event()) is not None:
            self.events.append(event)
            match event:
                case events.Offered():
                    self.accept(now)
                case events.Choose(view):
                    self.peer.act(self.choose(view), now)

    def send(self) -> bytes:
        data = self.peer.data_to_send()
        self.record += self.peer.data_to_record()
        if data:
            self.sent.append(data)
        return data

    def of_kind(self, kind: type) -> list[events.Event]:
        return [event for event in self.events if isinstance(event, kind)]


class Pair:
    """Both sides and the wire between them."""

    def __init__(
        self,
        seed: str = "pair",
        decks: tuple[SideDeck, SideDeck] = (DECKS["wanderer"], DECKS["hard"]),
        choose: tuple[Choice, Choice] = (first_legal, first_legal),
    ) -> None:
        self.host = Side(Seat.HOST, seed, decks[0], choose[0])
        self.join = Side(Seat.JOIN, seed, decks[1], choose[1])

    def step(self, now: float = 0.0) -> bool:
        """Carry what both have to say to the other; False when nothing was said."""
        carried = False
        for source, target in ((self.host, self.join), (self.join, self.host)):
            source.react(now)
            data = source.send()
            if data:
                carried = True
                target.peer.receive(data, now)
                target.react(now)
        return carried

    def run(self, now: float = 0.0) -> None:
        """Go on until neither has anything to say."""
        while self.step(now):
            pass

    def greet(self) -> None:
        self.run()

    def play(self, rules: Rules) -> None:
        """Greet if need be, and play a whole match."""
        self.run()
        self.host.offer(rules)
        self.run()
