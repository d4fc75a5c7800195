"""The part of ``refusals.json`` that is about join codes (section 5.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pazaak_p2p.fairness import SeedSecrets, digest, frame
from pazaak_p2p.rules import Seat
from pazaak_p2p.wire import Role, messages
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.pake import CodeExchange
from tests.vectors_tools.codes import CODE, elements, secret_of, with_code
from tests.vectors_tools.forge import who_for
from tests.vectors_tools.match_refusals import Case
from tests.vectors_tools.session import Session

OTHER_CODE = "18-copper-lantern"


class Guest:
    """An honest *role*, with a code or without, and somebody at the other end."""

    def __init__(self, role: Role, code: str | None) -> None:
        self.honest = role.value
        self.forged = role.other.value
        self._role = role.other
        who = {
            each.value: who_for(SeedSecrets("codes", seat), name)
            for each, seat, name in zip(Role, Seat, ("Hope", "Mal"), strict=True)
        }
        if code is not None:
            who[self.honest] = with_code(who[self.honest], role, code)
        self.session = Session(who, honest=[self.honest])
        self.session.send(self.honest)
        self._their_hello = bytes.fromhex(self.session.steps[0]["bytes"])
        self.exchange: CodeExchange

    def tell(self, *said: messages.Message) -> Session:
        for message in said:
            self.session.forge(self.forged, encode(message))
        self.session.send(self.honest)
        return self.session

    def hello(self, features: list[str], code: str = CODE) -> messages.Message:
        """The forged hello; what is said after it is by *code*."""
        who = self.session.who[self.forged]
        key = who.signer().public_key().public_bytes_raw()
        hello = messages.Hello([1], who.name, key, who.nonce, who.software, features, None)
        ours = encode(hello)
        pair = (ours, self._their_hello)
        self._session_id = digest("session", *(pair if self.forged == "listener" else pair[::-1]))
        secret = secret_of(self._role)
        self.exchange = CodeExchange(self._role, code, secret, self._session_id)
        return hello

    def pake(self) -> messages.Message:
        return messages.Pake(self.exchange.element)

    def confirm(self) -> messages.Message:
        """What shows that we know the code, by the element of the honest side."""
        self.exchange.take_element(self.their_element())
        return messages.Confirm(self.exchange.confirm())

    def their_element(self) -> bytes:
        """The element that the honest side has sent."""
        return next(
            bytes.fromhex(step["bytes"])[-33:]
            for step in self.session.steps
            if step["step"] == "send" and step["says"] == ["pake"] and step["side"] == self.honest
        )

    def proof(self) -> messages.Message:
        signed = frame("proof", self._session_id, self.forged.encode())
        return messages.Proof(self.session.who[self.forged].signer().sign(signed))


def _greeted(role: Role, code: str = CODE) -> Guest:
    """A guest who has said hello, with another *code* perhaps than the honest side's."""
    guest = Guest(role, CODE)
    guest.tell(guest.hello(["code"], code))
    return guest


def with_codes() -> Iterator[Case]:
    """Every case; the honest side is a listener where nothing else is said."""
    listener, dialler = Role.LISTENER, Role.DIALLER
    for role in Role:
        asks = Guest(role, CODE)
        code = "code-required" if role is listener else "code-unasked"
        what = f"The {role.value} has a code, the other side none."
        yield f"no code against a {role.value}'s", code, what, asks.tell(asks.hello([]))
        none = Guest(role, None)
        code = "code-unasked" if role is listener else "code-required"
        what = f"The {role.value} has no code, the other side has one."
        yield f"a code against a {role.value}'s none", code, what, none.tell(none.hello(["code"]))

    guest = _greeted(listener, OTHER_CODE)
    what = "The dialler confirms by another code."
    yield "a wrong code", "wrong-code", what, guest.tell(guest.pake(), guest.confirm())
    guest = _greeted(dialler, OTHER_CODE)
    confirm = guest.confirm()
    guest.tell(guest.pake())
    what = "The listener, who has another code, answers the dialler's confirmation."
    yield "a listener's wrong code", "wrong-code", what, guest.tell(confirm)
    guest = _greeted(listener)
    what = "The dialler sends back what the listener has yet to send: a MAC of the listener's role."
    guest.tell(guest.pake())
    guest.exchange.take_element(guest.their_element())
    mac = messages.Confirm(guest.exchange._confirmation("listener"))
    yield "a confirmation of the other role", "wrong-code", what, guest.tell(mac)

    for name, m in elements().items():
        if name in ("good", "the base point", "our own", "our own, turned round"):
            continue
        guest = _greeted(listener)
        what = "The dialler's element is none of the group, or not a dialler's."
        yield f"an element: {name}", "bad-element", what, guest.tell(messages.Pake(m))
    for name, letter in (("as it was", b""), ("turned round", b"B")):
        guest = _greeted(listener)
        own = guest.their_element()
        m = letter + own[1:] if letter else own
        what = "The listener's own element comes back."
        yield f"our own element {name}", "reflected", what, guest.tell(messages.Pake(m))
    yield from _out_of_order()


def _out_of_order() -> Iterator[Case]:
    listener = Role.LISTENER
    code = "unexpected"
    guest = Guest(listener, CODE)
    guest.hello(["code"])
    what = "The first message is no hello."
    yield "pake before hello", code, what, guest.tell(guest.pake())
    guest = _greeted(listener)
    what = "The dialler confirms before it has sent its element."
    yield "confirm before pake", code, what, guest.tell(messages.Confirm(bytes(32)))
    guest = _greeted(listener)
    guest.tell(guest.pake())
    yield "pake twice", code, "The same element comes again.", guest.tell(guest.pake())
    guest = _greeted(listener)
    what = "The dialler leaves the code out and proves its key at once."
    yield "proof instead of pake", code, what, guest.tell(guest.proof())
    guest = _greeted(listener)
    guest.tell(guest.pake())
    what = "The dialler leaves the confirmation out."
    yield "proof instead of confirm", code, what, guest.tell(guest.proof())
    for name, message in _afterwards():
        guest = _greeted(listener)
        confirm = guest.confirm()
        guest.tell(guest.pake(), confirm)
        if name.endswith("stands"):
            guest.tell(guest.proof())
        again = confirm if message is None else message
        what = "It confirms a second time, or begins anew."
        yield name, code, what, guest.tell(again)
    none = Guest(listener, None)
    none.tell(none.hello([]))
    what = "There is no code in this greeting."
    yield "pake without a code", code, what, none.tell(none.pake())
    none = Guest(listener, None)
    none.tell(none.hello([]))
    yield "confirm without a code", code, what, none.tell(messages.Confirm(bytes(32)))


def _afterwards() -> Iterator[tuple[str, Any]]:
    element = elements()["good"]
    yield "confirm twice", None
    yield "confirm when the session stands", None
    yield "pake when the session stands", messages.Pake(element)
