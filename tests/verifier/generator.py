"""Matches between two seeded, honest seats that act at random, made from the specification alone.

`Table` also makes entries that are not honest, for the tests that want them refused.
"""

import random
from dataclasses import asdict

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .cards import CARDS, NUMBER, is_gold, values
from .frames import (
    card_commitment,
    concede_frame,
    digest,
    entry_frame,
    mac,
    match_id,
    share_commitment,
    u8,
    u32,
)
from .game import NOBODY, TERMINATIONS, Phase, Rules
from .shapes import Map
from .state_bytes import COPIES, NINE, OPENER, TIEBREAKER, state_digest
from .transcript import Transcript


class Player:
    """One seat with all its secrets, derived from a text (section 3, "The seeded matches")."""

    def __init__(self, text: str, seat: int, deck: list[str], m: int = 0) -> None:
        root = digest("seed", text.encode(), u8(seat))
        self.seat = seat
        self.key = Ed25519PrivateKey.from_private_bytes(mac(root, "identity"))
        self.public = self.key.public_key().public_bytes_raw()
        self.nonce = mac(root, "nonce", u32(m))
        self.secret = mac(root, "match", u32(m))
        self.match = b""
        self.written = deck
        self.deck = deck

    def sit(self, match: bytes) -> None:
        """Know the match id, and with it the secret order of the deck."""
        self.match = match
        order = sorted(
            range(10), key=lambda i: mac(self.secret, "order", match, u8(self.seat), u8(i))
        )
        self.deck = [self.written[i] for i in order]

    def share(self, k: int) -> bytes:
        """The share of lot k."""
        return mac(self.secret, "share", self.match, u8(self.seat), u32(k))

    def salt(self, position: int) -> bytes:
        """The salt of a card."""
        return mac(self.secret, "salt", self.match, u8(self.seat), u8(position))

    def next(self, k: int) -> bytes:
        """The commitment to the share of lot k."""
        return share_commitment(self.match, self.seat, k, self.share(k))

    def commit(self) -> Map:
        """The first statement."""
        cards = [
            card_commitment(self.match, self.seat, p, self.salt(p), self.deck[p]) for p in range(10)
        ]
        return {"t": "commit", "cards": cards, "next": self.next(0)}

    def reveal(self, k: int) -> Map:
        """The share of lot k."""
        return {"t": "reveal", "share": self.share(k), "next": self.next(k + 1)}

    def play(self, position: int, value: int) -> Map:
        """A hand card."""
        card, salt = self.deck[position], self.salt(position)
        return {"t": "play", "at": position, "card": card, "salt": salt, "value": value}

    def lay(self, position: int) -> Map:
        """A tiebreaker."""
        return {"t": "lay", "at": position, "salt": self.salt(position)}

    def open(self) -> Map:
        """The audit."""
        salts = [self.salt(position) for position in range(10)]
        return {"t": "open", "deck": self.deck, "salts": salts}


class Table:
    """A match on its way: what has been said, and the messages of one keeper's record."""

    def __init__(
        self, text: str, rules: Rules, decks: tuple[list[str], list[str]], m: int = 0
    ) -> None:
        self.players = (Player(text, 0, decks[0], m), Player(text, 1, decks[1], m))
        keys = (self.players[0].public, self.players[1].public)
        offer = pack({"t": "offer", "rules": asdict(rules), "nonce": self.players[0].nonce})
        accept = pack({"t": "accept", "nonce": self.players[1].nonce})
        self.messages = [offer, accept]
        self.transcript = Transcript(match_id(keys, offer, accept), keys, rules)
        for player in self.players:
            player.sit(self.transcript.match)

    def entry(self, seat: int, said: list[Map], **changes: object) -> bytes:
        """An entry with the state as it is now, or with whatever is to be changed in its body."""
        transcript = self.transcript
        fields = {
            "n": len(transcript.bodies),
            "by": seat,
            "prev": transcript.head,
            "say": said,
            "state": state_digest(transcript.game),
        }
        body = pack(fields | changes)
        signature = self.players[seat].key.sign(entry_frame(transcript.match, body))
        return pack({"t": "entry", "body": body, "sig": signature})

    def say(self, seat: int, *statements: Map) -> None:
        """An honest entry."""
        for statement in statements:
            self.transcript.say(seat, statement)
        self.finish(seat, list(statements))

    def finish(self, seat: int, said: list[Map]) -> None:
        """Close an entry whose statements have been said."""
        message = self.entry(seat, said)
        self.messages.append(message)
        self.transcript.append(seat, msgpack.unpackb(message)["body"])

    def concession(self, seat: int, reason: str, head: bytes | None = None) -> bytes:
        """A concession, not yet in the record."""
        match = self.transcript.match
        head = self.transcript.head if head is None else head
        signature = self.players[seat].key.sign(concede_frame(match, seat, head, reason))
        return pack({"t": "concede", "by": seat, "head": head, "reason": reason, "sig": signature})

    def header(self, keeper: int = 0) -> bytes:
        """The header map."""
        host, join = ({"name": n, "key": p.public} for n, p in zip("AB", self.players, strict=True))
        return pack(
            {"t": "record", "v": 1, "seat": keeper}
            | {"host": host, "join": join, "software": "generator", "began": 0}
        )

    def end(self, **changes: object) -> bytes:
        """The end map as it should be."""
        game = self.transcript.game
        termination = TERMINATIONS[game.termination] if game.termination else "abandoned"
        fields = {
            "t": "end",
            "termination": termination,
            "winner": None if game.winner == NOBODY else game.winner,
            "opened": self.transcript.opened,
            "code": "",
            "text": "",
        }
        return pack(fields | changes)

    def record(self, *more: bytes, keeper: int = 0) -> bytes:
        """The record so far, with more messages at its end."""
        return b"".join((self.header(keeper), *self.messages, *more))

    def honest(self, seat: int, rng: random.Random) -> Map:
        """A statement of the kind that is due from this seat."""
        transcript = self.transcript
        due = transcript.due()
        player = self.players[seat]
        if due == ("commit", seat):
            return player.commit()
        if due == ("reveal", seat):
            return player.reveal(transcript.k)
        if due == ("open", seat):
            return player.open()
        return self.act(seat, rng)

    def act(self, seat: int, rng: random.Random) -> Map:
        """A legal act at random, not always a clever one."""
        game = self.transcript.game
        player = self.players[seat]
        side = game.sides[seat]
        hidden = [position for position, number in side.hand if not number]
        if game.phase == Phase.TIE:
            ties = [p for p in hidden if player.deck[p] == "+-1T"]
            return player.lay(ties[0]) if ties and rng.random() < 0.8 else {"t": "pass"}
        if hidden and not game.played and rng.random() < (0.9 if side.total > 20 else 0.3):
            position = rng.choice(hidden)
            possible = values(NUMBER[player.deck[position]], side.table[-1][1])
            best = min(possible, key=lambda v: abs(20 - side.total - v))
            return player.play(position, rng.choice((best, rng.choice(possible))))
        if side.total < rng.randrange(12, 24):
            return {"t": "end"}
        return {"t": "stand"}

    def turn(self, rng: random.Random, keep: float = 0.8) -> None:
        """One entry of whoever has the floor, closed at random after some statement."""
        due = self.transcript.due()
        assert due is not None
        seat = due[1]
        said: list[Map] = []
        while due is not None and due[1] == seat and len(said) < 8:
            said.append(self.honest(seat, rng))
            self.transcript.say(seat, said[-1])
            due = self.transcript.due()
            if rng.random() > keep:
                break
        self.finish(seat, said)


def pack(fields: Map) -> bytes:
    """A map in msgpack's shortest form, keys in the order given."""
    data: bytes = msgpack.packb(fields)
    return data


def random_rules(rng: random.Random) -> Rules:
    """Every option at random."""
    return Rules(
        copies=rng.choice(COPIES),
        gold=rng.random() < 0.8,
        opener=rng.choice(OPENER),
        auto_stand=rng.random() < 0.7,
        nine=rng.choice(NINE),
        tiebreaker=rng.choice(TIEBREAKER),
        sets=rng.randint(1, 4),
        max_sets=rng.choice((None, rng.randint(1, 6))),
        turn_seconds=rng.choice((None, 60)),
    )


def random_deck(rng: random.Random, rules: Rules) -> list[str]:
    """A legal deck, often of few kinds and with much gold."""
    kinds = [card for card in CARDS if rules.gold or not is_gold(NUMBER[card])]
    kinds = rng.sample(kinds, rng.randint(8, len(kinds)))
    if rules.gold:
        kinds += ["+-1T", "2&4", "3&6", "D"]
    deck: list[str] = []
    while len(deck) < 10:
        card = rng.choice(kinds)
        most = 10 if rules.copies == "unlimited" else 2 if is_gold(NUMBER[card]) else 4
        if deck.count(card) < most:
            deck.append(card)
    return deck


def random_table(text: str, rng: random.Random, rules: Rules | None = None, m: int = 0) -> Table:
    """Two seats that have agreed on rules and said nothing yet."""
    rules = rules or random_rules(rng)
    return Table(text, rules, (random_deck(rng, rules), random_deck(rng, rules)), m)


def play(table: Table, rng: random.Random, most: int = 100_000) -> Table:
    """Go on until the transcript is complete, or so many entries are in it."""
    keep = rng.choice((0.3, 0.8, 1.0))
    while not table.transcript.complete() and len(table.transcript.bodies) < most:
        table.turn(rng, keep)
    return table


def leave(table: Table, rng: random.Random, keeper: int) -> None:
    """A concession, entries and perhaps another concession that cross it, and what follows."""
    transcript = table.transcript
    first = rng.randrange(2)
    message = _give_up(table, first, rng)
    if keeper == first:
        table.messages.append(message)
    for _ in range(rng.randint(0, 3)):  # the other has not heard yet
        due = transcript.due()
        if due is not None and due[1] != first:
            table.turn(rng)
    if transcript.game.phase != Phase.OVER and rng.random() < 0.3:
        table.messages.append(_give_up(table, 1 - first, rng))
    if keeper != first:
        table.messages.append(message)
    transcript.settle()
    play(table, rng)


def _give_up(table: Table, seat: int, rng: random.Random) -> bytes:
    """A concession that the transcript knows of."""
    reason = rng.choice(("concession", "time"))
    table.transcript.conceded[seat] = (reason, len(table.transcript.bodies))
    return table.concession(seat, reason)
