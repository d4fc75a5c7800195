"""The greeting: two keys are proven, and nothing else is said before (section 5.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import Rules
from pazaak_p2p.wire import Peer, Role, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import CertificateRefused, LocalError, NoCommonVersion, RemoteError
from tests.wire.pair import messages_in

OUR_KEY = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
THEIR_KEY = Ed25519PrivateKey.from_private_bytes(b"t" * 32)
OUR_NONCE = b"O" * 32
ROLES = [Role.LISTENER, Role.DIALLER]
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group that Ed25519 works in


def frame(tag: str, *parts: bytes) -> bytes:
    name = f"pazaak/1 {tag}".encode()
    return bytes([len(name)]) + name + b"".join(len(p).to_bytes(4, "big") + p for p in parts)


def peer(
    role: Role = Role.LISTENER, key: Ed25519PrivateKey = OUR_KEY, cert: bytes | None = None
) -> Peer:
    return Peer(
        key=key, role=role, name="Ours", nonce=OUR_NONCE, software="tests", now=0.0, cert=cert
    )


def hello(signer: Ed25519PrivateKey = THEIR_KEY, **changes: object) -> bytes:
    fields: dict[str, Any] = {
        "t": "hello",
        "versions": [1],
        "name": "Theirs",
        "key": signer.public_key().public_bytes_raw(),
        "nonce": b"T" * 32,
        "software": "by hand",
        "features": [],
        "cert": None,
    }
    packed: bytes = msgpack.packb(fields | changes)
    return packed


def to_sign(ours: bytes, theirs: bytes, our_role: Role, signer: Role) -> bytes:
    """What the proof of *signer* covers, straight from section 3."""
    hellos = (ours, theirs) if our_role is Role.LISTENER else (theirs, ours)
    session = hashlib.sha256(frame("session", *hellos)).digest()
    return frame("proof", session, signer.value.encode())


def proof(us: bytes, them: bytes, role: Role, key: Ed25519PrivateKey = THEIR_KEY) -> bytes:
    return encode(m.Proof(key.sign(to_sign(us, them, role, role.other))))


def drain(target: Peer) -> None:
    while target.next_event() is not None:
        pass


def refusal(target: Peer) -> RemoteError:
    """What the peer found wrong; all that must then hold in any case is checked here."""
    with pytest.raises(RemoteError) as caught:
        drain(target)
    error = caught.value
    last = list(messages_in(target.data_to_send()))[-1][0]
    assert isinstance(last, m.Bye)
    assert last.text == error.code
    assert target.next_deadline() is None
    target.receive(hello(), 1.0)
    assert target.next_event() is None
    assert target.data_to_send() == b""
    assert target.data_to_record() == b""
    return error


@pytest.mark.parametrize("role", ROLES)
def test_a_greeting_by_hand(role: Role) -> None:
    us = peer(role)
    ours = us.data_to_send()  # without waiting for the other side
    theirs = hello()
    us.receive(theirs, 0.0)
    ((said, _),) = messages_in(us.data_to_send())
    assert isinstance(said, m.Proof)
    OUR_KEY.public_key().verify(said.sig, to_sign(ours, theirs, role, role))
    assert us.next_event() is None  # a hello proves nothing
    us.receive(proof(ours, theirs, role), 0.0)
    key = THEIR_KEY.public_key().public_bytes_raw()
    assert us.next_event() == events.Greeted("Theirs", key, "by hand")
    assert us.next_event() is None
    assert us.data_to_send() == b""


@pytest.mark.parametrize("role", ROLES)
def test_byte_by_byte_and_in_another_encoding(role: Role) -> None:
    us = peer(role)
    ours = us.data_to_send()
    theirs = hello().replace(msgpack.packb([1]), b"\xdd\x00\x00\x00\x01\xcd\x00\x01", 1)
    assert len(theirs) == len(hello()) + 6  # hashed as it is, not as we would write it
    for data in theirs + proof(ours, theirs, role):
        us.receive(bytes([data]), 0.0)
    assert isinstance(us.next_event(), events.Greeted)


def test_features_are_ignored() -> None:
    us = peer()
    ours = us.data_to_send()
    theirs = hello(features=["x-anything"])
    us.receive(theirs + proof(ours, theirs, Role.LISTENER), 0.0)
    assert isinstance(us.next_event(), events.Greeted)


def test_equal_keys_are_fine() -> None:
    us = peer()
    ours = us.data_to_send()
    theirs = hello(OUR_KEY)
    us.receive(theirs + proof(ours, theirs, Role.LISTENER, OUR_KEY), 0.0)
    assert isinstance(us.next_event(), events.Greeted)


# --- the certificate of the connection

CERT, OTHER_CERT = b"C" * 32, b"D" * 32


def said_cert(target: Peer) -> bytes | None:
    ((said, _),) = messages_in(target.data_to_send())
    assert isinstance(said, m.Hello)
    return said.cert


def test_a_listener_names_its_certificate_and_a_dialler_none() -> None:
    assert said_cert(peer(Role.LISTENER, cert=CERT)) == CERT
    assert said_cert(peer(Role.LISTENER)) is None
    assert said_cert(peer(Role.DIALLER, cert=CERT)) is None


@pytest.mark.parametrize("cert", [CERT, None])
def test_a_greeting_for_the_connection_that_a_dialler_sees(cert: bytes | None) -> None:
    us = peer(Role.DIALLER, cert=cert)
    ours, theirs = us.data_to_send(), hello(cert=cert)
    us.receive(theirs + proof(ours, theirs, Role.DIALLER), 0.0)
    assert isinstance(us.next_event(), events.Greeted)


@pytest.mark.parametrize(
    ("role", "cert", "said"),
    [
        (Role.DIALLER, CERT, OTHER_CERT),
        (Role.DIALLER, CERT, None),  # as if nothing were encrypted
        (Role.DIALLER, None, CERT),  # encryption that was taken away on the way
        (Role.LISTENER, CERT, CERT),  # a dialler has none
        (Role.LISTENER, None, CERT),
    ],
)
def test_a_greeting_for_another_connection_is_refused_without_a_proof(
    role: Role, cert: bytes | None, said: bytes | None
) -> None:
    us = peer(role, cert=cert)
    ours, theirs = us.data_to_send(), hello(cert=said)
    us.receive(theirs + proof(ours, theirs, role), 0.0)
    answer = us.data_to_send()
    assert answer == encode(m.Bye(m.ByeReason.PROTOCOL, "certificate"))
    with pytest.raises(CertificateRefused) as caught:
        us.next_event()
    assert caught.value.exit_code is Exit.IDENTITY_REFUSED
    assert us.next_deadline() is None


def test_keys_are_looked_at_before_the_certificate() -> None:
    us = peer(Role.DIALLER, cert=CERT)
    us.receive(hello(key=bytes(32), cert=None), 0.0)
    assert refusal(us).code == "identity"


# --- versions


@pytest.mark.parametrize("versions", [[1], [2, 1], [1, 65535], [1] * 16])
def test_a_common_version_is_enough(versions: list[int]) -> None:
    us = peer()
    us.data_to_send()
    us.receive(hello(versions=versions), 0.0)
    assert len(us.data_to_send()) > 0
    assert us.next_event() is None


@pytest.mark.parametrize("versions", [[2], [3, 2], [65535]])
def test_no_common_version_tells_both_lists(versions: list[int]) -> None:
    us = peer()
    us.receive(hello(versions=versions), 0.0)
    sent = [message for message, _ in messages_in(us.data_to_send())]
    assert sent[-1] == m.Bye(m.ByeReason.VERSION, "version")
    with pytest.raises(NoCommonVersion) as caught:
        us.next_event()
    assert caught.value.exit_code is Exit.MISFIT
    assert "Ours: 1." in caught.value.what
    assert f"side's: {', '.join(map(str, sorted(versions)))}." in caught.value.what


def test_a_goodbye_for_another_version_is_understood() -> None:
    us = peer()
    us.receive(hello(versions=[1, 2]) + encode(m.Bye(m.ByeReason.VERSION, "version")), 0.0)
    assert us.next_event() == events.Left("version", "version")


# --- reflection


@pytest.mark.parametrize("role", ROLES)
def test_our_own_hello_is_reflected(role: Role) -> None:
    us = peer(role)
    us.receive(us.data_to_send(), 0.0)
    assert refusal(us).code == "reflected"


def test_our_nonce_under_another_key_is_reflected() -> None:
    us = peer()
    us.receive(hello(nonce=OUR_NONCE), 0.0)
    assert refusal(us).code == "reflected"


def test_our_nonce_is_looked_at_before_versions_and_keys() -> None:
    us = peer()
    us.receive(hello(nonce=OUR_NONCE, versions=[2], key=bytes(32)), 0.0)
    assert refusal(us).code == "reflected"


@pytest.mark.parametrize("role", ROLES)
def test_our_proof_in_their_name_is_refused(role: Role) -> None:
    # The role is in what is signed; so even with equal keys an echoed proof is none.
    us = peer(role)
    us.data_to_send()
    us.receive(hello(OUR_KEY), 0.0)
    us.receive(us.data_to_send(), 0.0)
    assert refusal(us).code == "identity"


# --- proofs


@pytest.mark.parametrize("at", range(0, 64, 3))
def test_a_proof_with_a_wrong_bit_is_refused(at: int) -> None:
    us = peer()
    ours, theirs = us.data_to_send(), hello()
    signature = bytearray(THEIR_KEY.sign(to_sign(ours, theirs, Role.LISTENER, Role.DIALLER)))
    signature[at] ^= 1 << at % 8
    us.receive(theirs + encode(m.Proof(bytes(signature))), 0.0)
    error = refusal(us)
    assert error.code == "identity"
    assert error.exit_code is Exit.IDENTITY_REFUSED


WRONG_PROOFS: dict[str, Callable[[bytes, bytes], bytes]] = {
    "of another key": lambda ours, theirs: OUR_KEY.sign(
        to_sign(ours, theirs, Role.LISTENER, Role.DIALLER)
    ),
    "for the other role": lambda ours, theirs: THEIR_KEY.sign(
        to_sign(ours, theirs, Role.LISTENER, Role.LISTENER)
    ),
    "with the hellos exchanged": lambda ours, theirs: THEIR_KEY.sign(
        to_sign(theirs, ours, Role.LISTENER, Role.DIALLER)
    ),
    "of another session": lambda ours, theirs: THEIR_KEY.sign(
        to_sign(ours, hello(nonce=b"U" * 32), Role.LISTENER, Role.DIALLER)
    ),
    "of nothing": lambda ours, theirs: THEIR_KEY.sign(b""),
    "zeros": lambda ours, theirs: bytes(64),
}


@pytest.mark.parametrize("make", WRONG_PROOFS.values(), ids=WRONG_PROOFS)
def test_wrong_proofs_are_refused(make: Callable[[bytes, bytes], bytes]) -> None:
    us = peer()
    ours, theirs = us.data_to_send(), hello()
    us.receive(theirs + encode(m.Proof(make(ours, theirs))), 0.0)
    assert refusal(us).code == "identity"


def test_a_signature_with_the_order_added_is_refused() -> None:
    us = peer()
    ours, theirs = us.data_to_send(), hello()
    good = THEIR_KEY.sign(to_sign(ours, theirs, Role.LISTENER, Role.DIALLER))
    s = int.from_bytes(good[32:], "little") + ORDER
    us.receive(theirs + encode(m.Proof(good[:32] + s.to_bytes(32, "little"))), 0.0)
    assert refusal(us).code == "identity"


# The list of section 3.
WEAK = [
    bytes(32),
    b"\x01" + bytes(31),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    b"\xec" + b"\xff" * 30 + b"\x7f",
    b"\xed" + b"\xff" * 30 + b"\x7f",
    b"\xee" + b"\xff" * 30 + b"\x7f",
]


@pytest.mark.parametrize("key", WEAK, ids=bytes.hex)
@pytest.mark.parametrize("top", [0, 0x80])
def test_keys_of_small_order_are_refused(key: bytes, top: int) -> None:
    key = key[:-1] + bytes([key[-1] | top])
    us = peer()
    us.receive(hello(key=key), 0.0)
    assert refusal(us).code == "identity"


@pytest.mark.parametrize("key", [b"\x02" + bytes(31), b"\xff" * 32, b"\xef" + b"\xff" * 31])
def test_keys_that_are_no_points_are_refused(key: bytes) -> None:
    us = peer()
    us.receive(hello(key=key) + encode(m.Proof(bytes(64))), 0.0)
    assert refusal(us).code == "identity"


# --- order

EVERYTHING_ELSE: list[m.Message] = [
    m.Offer(m.RulesMap.of(Rules()), bytes(32)),
    m.Accept(bytes(32)),
    m.Decline(m.DeclineReason.USER, ""),
    m.Entry(b"\x80", bytes(64)),
    m.Concede(0, bytes(32), m.ConcedeReason.TIME, bytes(64)),
    m.Ping(1),
    m.Pong(1),
    m.Chat("x"),
]


@pytest.mark.parametrize("message", EVERYTHING_ELSE, ids=lambda message: type(message).__name__)
def test_nothing_is_taken_before_the_greeting(message: m.Message) -> None:
    us = peer()
    us.receive(encode(message), 0.0)
    assert refusal(us).code == "unexpected"
    us = peer()
    us.receive(hello() + encode(message), 0.0)
    assert refusal(us).code == "unexpected"


def test_a_proof_before_the_hello_is_unexpected() -> None:
    us = peer()
    us.receive(encode(m.Proof(bytes(64))), 0.0)
    assert refusal(us).code == "unexpected"


def test_a_second_hello_is_unexpected() -> None:
    us = peer()
    us.receive(hello() + hello(nonce=bytes(32)), 0.0)
    assert refusal(us).code == "unexpected"


@pytest.mark.parametrize("again", ["hello", "proof"])
def test_a_second_greeting_is_unexpected(again: str) -> None:
    us = peer()
    ours, theirs = us.data_to_send(), hello()
    said = proof(ours, theirs, Role.LISTENER)
    us.receive(theirs + said + {"hello": hello(nonce=bytes(32)), "proof": said}[again], 0.0)
    assert isinstance(us.next_event(), events.Greeted)
    assert refusal(us).code == "unexpected"


def test_a_goodbye_instead_of_a_hello_is_told() -> None:
    us = peer()
    us.receive(encode(m.Bye(m.ByeReason.BUSY, "later")), 0.0)
    assert us.next_event() == events.Left("busy", "later")
    assert us.next_event() is None
    assert us.next_deadline() is None


@pytest.mark.parametrize("end", range(0, 240, 13))
def test_a_stream_that_ends_within_the_greeting_is_closed(end: int) -> None:
    us = peer()
    ours, theirs = us.data_to_send(), hello()
    data = (theirs + proof(ours, theirs, Role.LISTENER))[:-1][:end]
    if data:
        us.receive(data, 0.0)
    us.receive(b"", 0.0)
    assert us.next_event() == events.Closed()
    assert us.next_event() is None
    assert us.next_deadline() is None


def test_nobody_is_talked_to_before_the_greeting() -> None:
    us = peer()
    ours = us.data_to_send()
    assert [type(message) for message, _ in messages_in(ours)] == [m.Hello]
    assert us.remote is None
    assert us.state is None
    assert us.seat is None
    assert us.match_id == us.head == b""


# --- what cannot be sent is noticed before


def named(name: str, software: str = "tests") -> Peer:
    return Peer(
        key=OUR_KEY, role=Role.LISTENER, name=name, nonce=OUR_NONCE, software=software, now=0.0
    )


@pytest.mark.parametrize("name", ["", "n" * 33, "\U0001f0cf" * 33, "a\udcff"])
def test_a_name_that_cannot_be_sent_is_our_own_error(name: str) -> None:
    with pytest.raises(LocalError, match="greeting"):
        named(name)


@pytest.mark.parametrize("name", ["n", "n" * 32, "\U0001f0cf" * 32])
def test_names_of_1_to_32_characters_are_sent(name: str) -> None:
    ((said, _),) = messages_in(named(name).data_to_send())
    assert isinstance(said, m.Hello)
    assert said.name == name


def test_other_parts_of_a_greeting_are_looked_at_too() -> None:
    named("x", software="s" * 64)
    with pytest.raises(LocalError):
        named("x", software="s" * 65)
    with pytest.raises(LocalError):
        Peer(key=OUR_KEY, role=Role.LISTENER, name="x", nonce=b"short", software="", now=0.0)
