"""Join codes: nobody gets in, or between, without the code (section 5.4)."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.errors import Exit
from pazaak_p2p.wire import Peer, Role, errors, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.pake import CodeExchange
from tests import spake
from tests.wire.pair import messages_in

CODE = "17-copper-lantern"
WRONG = "17-copper-walnut"
ROLES = [Role.LISTENER, Role.DIALLER]
Alter = Callable[[bytes], bytes]


def same(data: bytes) -> bytes:
    return data


class End:
    """A peer with a code or without, what it said and what became of it."""

    def __init__(self, role: Role, code: str | None, name: str = "") -> None:
        mark = (name + role.value).encode()
        self.peer = Peer(
            key=Ed25519PrivateKey.from_private_bytes(mark.ljust(32)[:32]),
            role=role,
            name=role.value,
            nonce=mark.rjust(32)[:32],
            software="tests",
            now=0.0,
            code=code,
            code_secret=mark.ljust(64)[:64],
        )
        self.judges = True
        """Whether it looks at a code as soon as one is tried."""
        self.said = b""
        self.events: list[events.Event] = []
        self.error: errors.RemoteError | None = None

    def say(self) -> bytes:
        data = self.peer.data_to_send()
        self.said += data
        return data

    def take(self, data: bytes, now: float = 0.0) -> None:
        self.peer.receive(data, now)
        try:
            while (event := self.peer.next_event()) is not None:
                self.events.append(event)
                if isinstance(event, events.CodeTried) and self.judges:
                    self.peer.try_code(now)
        except errors.RemoteError as error:
            assert self.error is None
            self.error = error

    @property
    def greeted(self) -> bool:
        return any(isinstance(event, events.Greeted) for event in self.events)

    def waits(self) -> bool:
        """Does a code wait to be judged?"""
        return self.peer.code_waits

    def kinds(self) -> list[str]:
        """The kinds of message that it has sent."""
        return [str(type(said).__struct_config__.tag) for said, _ in messages_in(self.said)]


def meet(one: End, two: End, there: Alter = same, back: Alter = same) -> None:
    """Carry what both say, altered on the way, until neither says anything more."""
    carried = True
    while carried:
        carried = False
        for source, target, alter in ((one, two, there), (two, one, back)):
            if data := source.say():
                carried = True
                target.take(alter(data))


def pair(codes: tuple[str | None, str | None] = (CODE, CODE)) -> tuple[End, End]:
    return End(Role.LISTENER, codes[0]), End(Role.DIALLER, codes[1])


def test_with_the_same_code_the_session_stands() -> None:
    host, guest = pair()
    meet(host, guest)
    assert host.greeted
    assert guest.greeted
    assert host.kinds() == ["hello", "pake", "confirm", "proof"]
    assert guest.kinds() == ["hello", "pake", "confirm", "proof"]


def test_features_name_the_code_and_only_then() -> None:
    for code, features in ((CODE, ["code"]), (None, [])):
        ((hello, _),) = messages_in(End(Role.LISTENER, code).say())
        assert isinstance(hello, m.Hello)
        assert hello.features == features


def test_a_wrong_code_is_refused_and_nothing_is_told_before() -> None:
    host, guest = pair((CODE, WRONG))
    meet(host, guest)
    assert isinstance(host.error, errors.WrongCode)
    assert host.error.exit_code is Exit.IDENTITY_REFUSED
    assert host.kinds() == ["hello", "pake", "bye"]
    assert guest.error is None
    assert guest.events == [events.Left("protocol", "wrong-code")]
    assert "proof" not in guest.kinds()


def test_a_listener_who_does_not_know_the_code_is_refused() -> None:
    """It takes the confirmation for good, whatever it is, and answers with its own."""
    guest = End(Role.DIALLER, CODE)
    false = Forger(Role.LISTENER, WRONG)
    guest.take(false.hello())
    false.hear(guest.say())
    guest.take(false.pake())
    false.hear(guest.say())
    guest.take(false.confirm())
    assert isinstance(guest.error, errors.WrongCode)
    assert [type(said) for said, _ in messages_in(guest.say())] == [m.Bye]
    assert guest.kinds() == ["hello", "pake", "confirm", "bye"]


@pytest.mark.parametrize(
    ("codes", "code", "host_says", "guest_says"),
    [
        ((CODE, None), "code-required", "The other side has no", "This host asks for a join code."),
        ((None, CODE), "code-unasked", "The other side has a join", "The other side does not go"),
    ],
)
def test_a_code_on_one_side_only_is_refused_by_both(
    codes: tuple[str | None, str | None], code: str, host_says: str, guest_says: str
) -> None:
    host, guest = pair(codes)
    hellos = host.say(), guest.say()
    host.take(hellos[1])
    guest.take(hellos[0])
    for end, says in ((host, host_says), (guest, guest_says)):
        assert end.error is not None
        assert end.error.code == code
        assert end.error.what.startswith(says)
        assert end.error.exit_code is Exit.IDENTITY_REFUSED
        ((bye, _),) = messages_in(end.say())
        assert bye == m.Bye(m.ByeReason.PROTOCOL, code)


def busy_listener() -> Peer:
    key, nonce = Ed25519PrivateKey.generate(), bytes(32)
    return Peer(
        key=key, role=Role.LISTENER, name="Ann", nonce=nonce, software="", now=0.0, busy=True
    )


def test_a_busy_listener_says_so_in_place_of_a_hello_without_a_code() -> None:
    peer, guest = busy_listener(), End(Role.DIALLER, CODE)
    assert peer.data_to_send() == b""
    peer.receive(guest.say(), 0.0)
    with pytest.raises(errors.Occupied):
        peer.next_event()
    said = peer.data_to_send()
    assert [message for message, _ in messages_in(said)] == [m.Bye(m.ByeReason.BUSY, "")]
    guest.take(said)
    assert guest.events == [events.Left("busy", "")]
    assert guest.error is None


def test_a_busy_listener_greets_who_comes_without_a_code() -> None:
    peer, guest = busy_listener(), End(Role.DIALLER, None)
    peer.receive(guest.say(), 0.0)
    said = peer.data_to_send()
    assert [type(message) for message, _ in messages_in(said)] == [m.Hello, m.Proof]
    guest.take(said)
    assert guest.greeted
    peer.receive(guest.say(), 0.0)
    assert isinstance(peer.next_event(), events.Greeted)


# --- somebody on the line


def changed(data: bytes, **fields: Any) -> bytes:
    """*data*, with other fields in its hello if it begins with one."""
    unpacker = msgpack.Unpacker(raw=False)
    unpacker.feed(data)
    hello = unpacker.unpack()
    if hello.get("t") != "hello":
        return data
    packed: bytes = msgpack.packb({**hello, **fields})
    return packed + data[unpacker.tell() :]


OTHER_KEY = Ed25519PrivateKey.from_private_bytes(b"m" * 32).public_key().public_bytes_raw()


@pytest.mark.parametrize(
    "fields",
    [
        {"key": OTHER_KEY},
        {"nonce": b"m" * 32},
        {"cert": b"c" * 32},
        {"name": "Mal"},
        {"features": ["code", "x"]},
    ],
    ids=lambda fields: next(iter(fields)),
)
@pytest.mark.parametrize("whose", ROLES)
def test_the_code_covers_every_field_of_both_hellos(fields: dict[str, Any], whose: Role) -> None:
    """Another key or nonce on the way, and even the right code is wrong.

    Another certificate is noticed before.
    """
    host, guest = pair()

    def alter(data: bytes) -> bytes:
        return changed(data, **fields)

    if whose is Role.LISTENER:
        meet(host, guest, there=alter)
    else:
        meet(host, guest, back=alter)
    if "cert" in fields:
        notices = guest if whose is Role.LISTENER else host
        assert isinstance(notices.error, errors.CertificateRefused)
    else:
        assert isinstance(host.error, errors.WrongCode)
    assert not host.greeted
    assert not guest.greeted


def test_one_who_stands_between_with_keys_of_his_own_gets_to_neither() -> None:
    """He greets each in his own name and passes on all that is said about the code."""
    host, guest = pair()
    to_host, to_guest = End(Role.DIALLER, CODE, "Mal"), End(Role.LISTENER, CODE, "Mal")
    host.take(to_host.say())
    guest.take(to_guest.say())
    from_host, from_guest = host.say(), guest.say()
    pakes = [data[data.index(b"\x82\xa1t\xa4pake") :] for data in (from_host, from_guest)]
    guest.take(pakes[0])
    host.take(pakes[1])
    host.take(guest.say())  # the confirmation
    assert isinstance(host.error, errors.WrongCode)
    guest.take(host.say())
    assert not host.greeted
    assert not guest.greeted


@pytest.mark.parametrize("stripped", ["host's", "guest's", "both"])
def test_the_feature_cannot_be_stripped(stripped: str) -> None:
    """Both have a code, and somebody takes the word for it out of the hellos."""
    host, guest = pair()

    def strip(data: bytes) -> bytes:
        return changed(data, features=[])

    hellos = host.say(), guest.say()
    guest.take(strip(hellos[0]) if stripped != "guest's" else hellos[0])
    host.take(strip(hellos[1]) if stripped != "host's" else hellos[1])
    if stripped != "guest's":
        assert isinstance(guest.error, errors.CodeUnasked)
    if stripped != "host's":
        assert isinstance(host.error, errors.CodeRequired)
    assert not host.greeted
    assert not guest.greeted


# --- guesses


class Forger:
    """One side in plain arithmetic, who can do what no program of ours does."""

    def __init__(self, role: Role, code: str) -> None:
        self.role, self.code = role, code
        self._key = Ed25519PrivateKey.from_private_bytes(b"f" * 32)
        self._heard = b""
        self.side: spake.Side

    def hello(self) -> bytes:
        public = self._key.public_key().public_bytes_raw()
        self._hello = encode(m.Hello([1], "Mal", public, b"f" * 32, "by hand", ["code"], None))
        return self._hello

    def hear(self, data: bytes) -> None:
        self._heard += data

    def said(self, kind: type[m.Message]) -> tuple[Any, bytes]:
        """The one message of *kind* that the other side has sent."""
        (found,) = (each for each in messages_in(self._heard) if isinstance(each[0], kind))
        return found

    def begin(self, code: str) -> spake.Side:
        """Our side of this session, by *code*."""
        _, theirs = self.said(m.Hello)
        pair = (self._hello, theirs) if self.role is Role.LISTENER else (theirs, self._hello)
        session_id = hashlib.sha256(spake.frame("session", *pair)).digest()
        return spake.Side(self.role.value, code, b"secret".ljust(64), session_id)

    def pake(self) -> bytes:
        self.side = self.begin(self.code)
        return encode(m.Pake(self.side.element))

    def confirm(self) -> bytes:
        key = self.side.key(self.said(m.Pake)[0].m)
        return encode(m.Confirm(self.side.mac(key, self.role.value)))

    def fits(self, code: str) -> bool:
        """Would the other side's confirmation be right if *code* were the code?"""
        side = self.begin(code)  # the same secret, which is what an attacker keeps
        element, side.element = side.element, self.side.element
        assert (element == side.element) == (code == self.code)
        mac = side.mac(side.key(self.said(m.Pake)[0].m), self.role.other.value)
        return hmac.compare_digest(mac, self.said(m.Confirm)[0].mac)


@pytest.mark.parametrize("guess", [CODE, WRONG])
def test_a_false_listener_has_one_guess_and_no_other_afterwards(guess: str) -> None:
    """A confirmation shows whether the code that its element was made with is right, no more."""
    guest = End(Role.DIALLER, CODE)
    false = Forger(Role.LISTENER, guess)
    guest.take(false.hello())
    false.hear(guest.say())
    guest.take(false.pake())
    false.hear(guest.say())
    others = ("17-copper-lemon", "18-copper-lantern", CODE, WRONG)
    assert [code for code in others if false.fits(code)] == ([CODE] if guess == CODE else [])


def test_a_false_dialler_hears_nothing_before_it_has_spent_its_guess() -> None:
    host = End(Role.LISTENER, CODE)
    false = Forger(Role.DIALLER, WRONG)
    host.take(false.hello())
    false.hear(host.say())
    host.take(false.pake())
    assert host.say() == b""
    host.take(false.confirm())
    ((bye, _),) = messages_in(host.say())
    assert bye == m.Bye(m.ByeReason.PROTOCOL, "wrong-code")


# --- the machine


def test_a_code_waits_until_it_is_judged() -> None:
    host, guest = pair()
    host.judges = False
    meet(host, guest)
    assert host.events == [events.CodeTried()]
    assert host.waits()
    assert host.kinds() == ["hello", "pake"]
    assert host.peer.next_deadline() == 10.0  # that of the greeting
    assert host.peer.try_code(9.0)
    assert not host.waits()
    meet(host, guest)
    assert host.greeted
    assert guest.greeted
    with pytest.raises(errors.LocalError):
        host.peer.try_code(9.0)


def test_a_code_that_nobody_judges_ends_with_the_greeting() -> None:
    host, guest = pair()
    host.judges = False
    meet(host, guest)
    host.peer.handle_timeout(10.0)
    with pytest.raises(errors.Silent):
        host.peer.next_event()
    assert not host.waits()


def test_who_goes_before_the_code_is_judged_is_not_told() -> None:
    host, guest = pair()
    host.judges = False
    meet(host, guest)
    guest.peer.bye(m.ByeReason.INTERRUPTED)
    host.take(guest.say())
    assert not host.waits()
    with pytest.raises(errors.LocalError):
        host.peer.try_code(1.0)
    assert host.say() == b""


@pytest.mark.parametrize("message", [m.Ping(1), m.Chat("x"), m.Confirm(bytes(32))])
def test_nothing_else_comes_while_a_code_waits(message: m.Message) -> None:
    host, guest = pair()
    host.judges = False
    meet(host, guest)
    host.take(encode(message))
    assert isinstance(host.error, errors.Unexpected)


def test_there_is_nothing_to_judge_without_a_code() -> None:
    for end in (End(Role.LISTENER, None), End(Role.LISTENER, CODE)):
        with pytest.raises(errors.LocalError):
            end.peer.try_code(0.0)


def test_a_code_needs_secret_bytes() -> None:
    with pytest.raises(errors.LocalError, match="64 secret bytes"):
        CodeExchange(Role.LISTENER, CODE, b"", bytes(32))


def test_the_element_is_new_with_new_secret_bytes() -> None:
    made = {CodeExchange(Role.LISTENER, CODE, bytes([n]) * 64, bytes(32)).element for n in range(3)}
    assert len(made) == 3


def test_the_package_is_loaded_only_for_a_code() -> None:
    program = """
import sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pazaak_p2p.wire import Peer, Role
import pazaak_p2p.cli.host, pazaak_p2p.cli.join
key = Ed25519PrivateKey.generate()
one = Peer(key=key, role=Role.LISTENER, name="a", nonce=bytes(32), software="", now=0.0)
two = Peer(key=key, role=Role.DIALLER, name="b", nonce=b"1" * 32, software="", now=0.0)
one.receive(two.data_to_send(), 0.0)
assert len(one.data_to_send()) > 100
sys.exit("spake2" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
