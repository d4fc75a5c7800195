"""``refusals.json``: sessions in which a peer refuses what proves no cheat, or must not refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pazaak_p2p.rules import Seat
from pazaak_p2p.wire import messages
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.messages import RulesMap
from tests.vectors_tools.claimed import claims_told
from tests.vectors_tools.code_refusals import with_codes
from tests.vectors_tools.forge import DECK, Table
from tests.vectors_tools.match_refusals import Case, in_matches, partings, silences
from tests.vectors_tools.primitives import example
from tests.vectors_tools.resumed import in_resumed
from tests.vectors_tools.situations import STANDARD
from tests.vectors_tools.visitors import Visitor

Vector = dict[str, Any]


def refusals() -> list[Vector]:
    """Every case; its code is None where nothing is to be refused."""
    vectors = []
    for name, code, what, session in (
        *_greetings(),
        *with_codes(),
        *_lobby(),
        *in_matches(),
        *in_resumed(),
        *claims_told(),
        *partings(),
        *silences(),
    ):
        refused = next((s for s in session.steps if s["step"] == "refuse"), {"code": None})
        assert refused["code"] == code, (name, refused)
        places = {key: refused[key] for key in ("seat", "entry") if key in refused}
        shown = session.show(moves=False)
        vectors.append({"name": name, "what": what, "code": code, **places, **shown})
    return vectors


_SMALL = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"


def _greetings() -> Iterator[Case]:
    for name, data in (
        ("an HTTP request", b"GET / HTTP/1.1\r\n\r\n"),
        ("a TLS client", bytes.fromhex("16030100c8010000c40303")),
    ):
        what = "A program of another kind connects."
        yield name, "garbage", what, Visitor().tell(data)
    table = Visitor()
    yield (
        "hello cut off",
        "garbage",
        "Half a hello, and then other bytes.",
        table.tell(table.hello()[:20] + b"\xc1" * 200),
    )
    for name, message in (
        ("ping", messages.Ping(1)),
        ("chat", messages.Chat("hello?")),
        ("offer", messages.Offer(RulesMap.of(STANDARD), example("nonce"))),
        ("accept", messages.Accept(example("nonce"))),
        ("entry", messages.Entry(b"\x80", bytes(64))),
        ("proof", messages.Proof(bytes(64))),
    ):
        yield (
            f"{name} before hello",
            "unexpected",
            "The first message is no hello.",
            Visitor().tell(encode(message)),
        )
    table = Visitor()
    table.tell(table.hello())
    yield (
        "a second hello",
        "unexpected",
        "Hello comes twice.",
        table.tell(table.hello(nonce=example("another nonce"))),
    )
    table = Visitor()
    table.tell(table.hello())
    yield (
        "chat before proof",
        "unexpected",
        "Hello is there, the proof is not.",
        table.tell(encode(messages.Chat("hello?"))),
    )
    table = Visitor()
    table.greet()
    yield (
        "a second proof",
        "unexpected",
        "The session stands already.",
        table.tell(encode(messages.Proof(bytes(64)))),
    )

    table = Visitor()
    yield (
        "hello echoed",
        "reflected",
        "Our own hello comes back.",
        table.tell(table.their_hello),
    )
    table = Visitor()
    nonce = table.session.who["listener"].nonce
    yield (
        "nonce echoed",
        "reflected",
        "Another key's hello has our own nonce.",
        table.tell(table.hello(nonce=nonce)),
    )
    for versions in ([2], [2, 3, 65535]):
        table = Visitor()
        yield (
            f"versions {versions}",
            "version",
            "No version in common.",
            table.tell(table.hello(versions=versions)),
        )
    table = Visitor()
    yield (
        "versions [7, 1]",
        None,
        "More versions than ours, in any order: version 1 is spoken.",
        table.tell(table.hello(versions=[7, 1])),
    )
    table = Visitor()
    yield (
        "features",
        None,
        "Unknown features are ignored.",
        table.tell(table.hello(features=["resume", "x"])),
    )
    table = Visitor()
    yield (
        "a key of small order",
        "identity",
        "Anybody can sign for this key.",
        table.tell(table.hello(key=bytes.fromhex(_SMALL))),
    )
    table = Visitor()
    yield (
        "a certificate of the dialler",
        "certificate",
        "A dialler has no certificate; the stream of the vectors has none at all.",
        table.tell(table.hello(cert=example("certificate"))),
    )
    for name, what in (
        ("of nothing", "The proof is 64 zero bytes."),
        ("of the other role", "The proof signs our own role."),
    ):
        table = Visitor()
        table.tell(table.author.hello())
        nothing = name == "of nothing"
        proof = encode(messages.Proof(bytes(64))) if nothing else table.proof("listener")
        yield f"a proof {name}", "identity", what, table.tell(proof)


def _lobby() -> Iterator[Case]:
    offer = encode(messages.Offer(RulesMap.of(STANDARD), example("nonce")))
    kit = (example("n"), example("s"), DECK)
    for name, message in (
        ("accept", messages.Accept(example("nonce"))),
        ("decline", messages.Decline(messages.DeclineReason.USER, "")),
        ("entry", messages.Entry(b"\x80", bytes(64))),
        (
            "concede",
            messages.Concede(1, bytes(32), messages.ConcedeReason.CONCESSION, bytes(64)),
        ),
    ):
        table = Visitor()
        table.greet()
        yield (
            f"{name} without an offer",
            "unexpected",
            "Nothing was offered and no match is on.",
            table.tell(encode(message)),
        )
    table = Visitor()
    table.greet()
    table.tell(offer)
    yield (
        "a second offer",
        "unexpected",
        "An offer while another waits for its answer.",
        table.tell(offer),
    )
    table = Visitor()
    table.greet()
    table.session.offer("listener", STANDARD, *kit)
    table.session.send("listener")
    yield (
        "offers that cross, at the listener",
        None,
        "Both sides offer at once: the dialler's offer is void.",
        table.tell(offer),
    )
    crossing = Table("offers cross", Seat.HOST, STANDARD)
    crossing.greet()
    crossing.session.offer("dialler", STANDARD, *kit)
    crossing.session.send("dialler")
    crossing.tell(crossing.author.offer(STANDARD))
    yield (
        "offers that cross, at the dialler",
        None,
        "Both sides offer at once: the listener's stands, and the dialler accepts it.",
        crossing.session,
    )
    table = Visitor()
    table.greet()
    for n in range(20):
        table.session.forge("dialler", encode(messages.Ping(n)))
    table.session.send("listener")
    yield (
        "twenty pings",
        None,
        "A budget of 20 may be spent at once.",
        table.session,
    )
    for name, last in (
        ("pings", messages.Ping(20)),
        ("chats", messages.Chat("!")),
        ("pongs", messages.Pong(9)),
    ):
        table = Visitor()
        table.greet()
        pings = b"".join(encode(messages.Ping(n)) for n in range(20))
        yield (
            f"flood of {name}",
            "flood",
            "Twenty pings, and one thing more in the same second.",
            table.tell(pings + encode(last)),
        )
    table = Visitor()
    table.greet()
    table.tell(b"".join(encode(messages.Ping(n)) for n in range(20)))
    table.session.wait(1)
    yield (
        "no flood",
        None,
        "The budget refills by one a second.",
        table.tell(encode(messages.Ping(20))),
    )
    table = Visitor()
    table.greet()
    table.session.offer("listener", STANDARD, *kit)
    table.session.send("listener")
    table.tell(encode(messages.Decline(messages.DeclineReason.DECK, "I have gold cards only")))
    table.session.offer("listener", STANDARD, *kit)
    table.session.send("listener")
    yield "offered again", None, "After a decline a match can be offered again.", table.session
