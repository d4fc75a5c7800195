"""An honest listener and whatever connects to it."""

from __future__ import annotations

from typing import Any

from pazaak_p2p.fairness import SeedSecrets, digest, frame
from pazaak_p2p.rules import Seat
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import encode
from tests.vectors_tools.forge import DECK, Author, who_for
from tests.vectors_tools.session import Session


class Visitor:
    """An honest listener and whatever comes to it."""

    def __init__(self) -> None:
        self.secrets = SeedSecrets("refusals", Seat.JOIN)
        who = {
            "listener": who_for(SeedSecrets("refusals", Seat.HOST), "Hope"),
            "dialler": who_for(self.secrets, "Mal"),
        }
        self.session = Session(who, honest=["listener"])
        self.author = Author(Seat.JOIN, "refusals", DECK)
        self.session.send("listener")
        self.their_hello = bytes.fromhex(self.session.steps[0]["bytes"])

    def tell(self, data: bytes) -> Session:
        self.session.forge("dialler", data)
        self.session.send("listener")
        return self.session

    def hello(self, **changes: Any) -> bytes:
        """Our hello, with other fields."""
        who = self.session.who["dialler"]
        fields: dict[str, Any] = {
            "versions": [1],
            "name": "Mal",
            "key": who.signer().public_key().public_bytes_raw(),
            "nonce": who.nonce,
            "software": who.software,
            "features": [],
            "cert": None,
        }
        return encode(messages.Hello(**{**fields, **changes}))

    def greet(self) -> None:
        """Hello and proof, as they should be."""
        self.tell(self.author.hello())
        heard = b"".join(
            bytes.fromhex(s["bytes"]) for s in self.session.steps if s["side"] == "listener"
        )
        self.tell(self.author.hear(heard))

    def proof(self, role: str) -> bytes:
        """A proof that signs *role*."""
        session_id = digest("session", self.their_hello, self.author.hello())
        signed = frame("proof", session_id, role.encode())
        return encode(messages.Proof(self.session.who["dialler"].signer().sign(signed)))
