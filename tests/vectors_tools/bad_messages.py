"""The invalid half of ``messages.json``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.vectors_tools.examples import B32, BASE, BODY, CARDS10, RULES, STATEMENTS, Value
from tests.vectors_tools.pack import Pairs, Raw, pack

Vector = dict[str, Any]


def _bad(name: str, data: bytes | list[Any], code: str) -> Vector:
    return {"name": name, "bytes": data.hex() if isinstance(data, bytes) else data, "code": code}


def bad_bytes() -> Iterator[Vector]:
    """What is wrong before anybody looks at fields."""
    yield _bad("a byte that msgpack does not use", b"\xc1", "garbage")
    yield _bad("the same inside a map", b"\x81\xa1t\xc1", "garbage")
    yield _bad("an HTTP request", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "garbage")
    yield _bad("a TLS client hello", bytes.fromhex("16030100c8010000c40303"), "garbage")
    yield _bad("an SSH client", b"SSH-2.0-OpenSSH_9.6\r\n", "garbage")
    for name, value in (
        ("an integer", 1),
        ("nil", None),
        ("a boolean", True),
        ("a float", 1.0),
        ("a str", "hello"),
        ("a bin", b"hello"),
        ("an array", ["hello"]),
    ):
        yield _bad(f"{name} instead of a map", pack(value), "garbage")

    chat = {"t": "chat", "text": ""}
    head = len(pack({**chat, "text": "a" * 60000})) - 60000
    for size, code in ((65536, "malformed"), (65537, "oversized")):
        text = size - head
        whole = pack({**chat, "text": "a" * text})
        pieces: list[Any] = [whole[: len(whole) - text].hex(), {"hex": "61", "times": text}]
        yield _bad(f"a message of {size} bytes", pieces, code)
    for name, start in (("str", b"\xdb"), ("bin", b"\xc6")):
        begun = b"\x82" + pack("t") + pack("chat") + pack("text") + start + b"\x00\x01\x00\x01"
        pieces = [begun.hex(), {"hex": "61", "times": 65537}]
        yield _bad(f"a {name} of 65537 bytes", pieces, "oversized")
    for name, start in (
        ("an array of 65", b"\xdc\x00\x41"),
        ("a map of 65", b"\xde\x00\x41"),
        ("an array of 2^32-1", b"\xdd\xff\xff\xff\xff"),
        ("a map of 2^32-1", b"\xdf\xff\xff\xff\xff"),
    ):
        announced = b"\x82" + pack("t") + pack("chat") + pack("text") + start
        yield _bad(f"{name} announced", announced, "oversized")

    for levels, code in ((8, "malformed"), (9, "too-deep"), (500, "too-deep")):
        nested = b"\x91" * (levels - 2) + b"\x90"
        yield _bad(f"{levels} levels", pack({**chat, "text": Raw(nested)}), code)

    ping = BASE["ping"]
    for name, raw in (
        ("a float", pack(7.0)),
        ("a 32-bit float", b"\xca\x40\xe0\x00\x00"),
        ("an ext", b"\xd4\x01\x07"),
        ("an ext of 0 bytes", b"\xc7\x00\x01"),
        ("a timestamp", b"\xd6\xff\x00\x00\x00\x07"),
    ):
        yield _bad(f"{name} instead of an integer", pack({**ping, "n": Raw(raw)}), "malformed")
    for name, raw in (
        ("an overlong form", b"\xa2\xc0\x80"),
        ("a surrogate", b"\xa3\xed\xa0\x80"),
        ("a lone byte", b"\xa1\xff"),
        ("a cut character", b"\xa2\xe2\x82"),
        ("a code point above 10ffff", b"\xa4\xf4\x90\x80\x80"),
    ):
        yield _bad(f"UTF-8 with {name}", pack({**chat, "text": Raw(raw)}), "malformed")
    keys: tuple[tuple[str, Any], ...] = (
        ("bin", b"n"),
        ("an integer", 1),
        ("nil", None),
        ("a float", 1.5),
        ("an array", []),
        ("a map", {}),
    )
    for name, key in keys:
        packed = pack(Pairs(("t", "ping"), (key, 7)))
        yield _bad(f"a key that is {name}", packed, "malformed")


def bad_messages() -> Iterator[Vector]:
    yield _bad("an empty map", pack({}), "malformed")
    yield _bad("no kind", pack({"n": 1}), "malformed")
    for kind in ("claims", "x-more", "", "Hello", "commit", "record"):
        yield _bad(f"a kind {kind!r}", pack({"t": kind}), "malformed")
    yield _bad("a kind as bin", pack({"t": b"ping", "n": 1}), "malformed")
    yield _bad("a kind as integer", pack({"t": 1, "n": 1}), "malformed")
    for kind, base in BASE.items():
        yield from _bad_fields(kind, base, "malformed")
    for kind, key, values in _BAD_VALUES:
        for what, value in values.items():
            name = f"{kind}, {key} {what}"
            yield _bad(name, pack({**BASE[kind], key: value}), "malformed")
    for key in RULES:
        short = {k: v for k, v in RULES.items() if k != key}
        yield _bad(
            f"offer, rules without {key}", pack({**BASE["offer"], "rules": short}), "malformed"
        )
    for key, bad_values in _BAD_RULES:
        for value in bad_values:
            rules = {**RULES, key: value}
            name = f"offer, rules with {key} {value!r}"
            yield _bad(name, pack({**BASE["offer"], "rules": rules}), "malformed")
    twice = Pairs(*RULES.items(), ("sets", 3))
    yield _bad("offer, rules with sets twice", pack({**BASE["offer"], "rules": twice}), "malformed")


def _bad_fields(kind: str, base: Value, code: str) -> Iterator[Vector]:
    """Each field missing, doubled, nil; and one too many."""
    for key, value in base.items():
        without = {k: v for k, v in base.items() if k != key}
        yield _bad(f"{kind} without {key}", pack(without), code)
        yield _bad(f"{kind} with {key} twice", pack(Pairs(*base.items(), (key, value))), code)
        if value is not None:
            yield _bad(f"{kind} with {key} nil", pack({**base, key: None}), code)
    yield _bad(f"{kind} with a field more", pack({**base, "more": 1}), code)


def _sized(size: int) -> dict[str, Any]:
    return {
        "too short": bytes(size - 1),
        "too long": bytes(size + 1),
        "empty": b"",
        "a str": "a" * size,
    }


def _texts(least: int, most: int) -> dict[str, Any]:
    texts: dict[str, Any] = {"too long": "a" * (most + 1), "a bin": b"a", "an integer": 1}
    return {"empty": "", **texts} if least else texts


def _ints(low: int, high: int) -> dict[str, Any]:
    return {
        "too small": low - 1,
        "too large": high + 1,
        "very small": -(2**63),
        "very large": 2**63 - 1,
        "true": True,
        "a str": str(high),
    }


_BAD_VALUES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "hello",
        "versions",
        {
            "empty": [],
            "too many": list(range(1, 18)),
            "zero": [0],
            "65536": [65536],
            "negative": [-1],
            "a str in it": ["1"],
            "true in it": [True],
            "an integer": 1,
        },
    ),
    ("hello", "name", _texts(1, 32)),
    ("hello", "key", _sized(32)),
    ("hello", "nonce", _sized(32)),
    ("hello", "software", _texts(0, 64)),
    (
        "hello",
        "features",
        {"too many": ["f"] * 17, "a long one": ["f" * 33], "a bin in it": [b"f"], "a map": {}},
    ),
    ("hello", "cert", _sized(32)),
    ("proof", "sig", _sized(64)),
    ("pake", "m", _sized(33)),
    ("confirm", "mac", _sized(32)),
    ("offer", "rules", {"an array": [], "a str": "standard", "empty": {}}),
    ("offer", "nonce", _sized(32)),
    ("accept", "nonce", _sized(32)),
    ("decline", "reason", {"unknown": "weather", "empty": "", "an integer": 0}),
    ("decline", "text", _texts(0, 300)),
    ("entry", "body", {"empty": b"", "too long": bytes(8193), "a str": "a", "a map": {}}),
    ("entry", "sig", _sized(64)),
    ("concede", "by", _ints(0, 1)),
    ("concede", "head", _sized(32)),
    ("concede", "reason", {"unknown": "normal", "empty": ""}),
    ("concede", "sig", _sized(64)),
    ("claim", "by", _ints(0, 1)),
    ("claim", "head", _sized(32)),
    ("claim", "sig", _sized(64)),
    ("ping", "n", _ints(0, 2**32 - 1)),
    ("pong", "n", _ints(0, 2**32 - 1)),
    ("chat", "text", _texts(1, 500)),
    ("bye", "reason", {"unknown": "bored", "empty": "", "an integer": 0}),
    ("bye", "text", _texts(0, 300)),
)

_BAD_RULES: tuple[tuple[str, list[Any]], ...] = (
    ("copies", ["", "some", 0, None]),
    ("gold", [0, 1, "true", None]),
    ("opener", ["", "join", None]),
    ("auto_stand", [1, None]),
    ("nine", ["lose", None]),
    ("tiebreaker", ["at_tie", None]),
    ("sets", [0, 10, -1, True, None, "3"]),
    ("max_sets", [0, 1000, False, "none"]),
    ("turn_seconds", [4, 3601, True, "60"]),
    ("more", [1]),
)


def bad_bodies() -> Iterator[Vector]:
    """Everything wrong in a body is ``malformed`` (section 11, order of checks)."""
    whole = pack(BODY)
    yield _bad("a byte that msgpack does not use", b"\xc1", "malformed")
    yield _bad("an integer", b"\x01", "malformed")
    yield _bad("an array", b"\x90", "malformed")
    yield _bad("an empty map", b"\x80", "malformed")
    yield _bad("cut short", whole[:-1], "malformed")
    yield _bad("a byte after the map", whole + b"\xc0", "malformed")
    yield _bad("two maps", whole * 2, "malformed")
    yield _bad("nine levels", pack({**BODY, "say": Raw(b"\x91" * 8 + b"\x90")}), "malformed")
    yield _bad("a key that is an array", pack(Pairs(*BODY.items(), ([], 1))), "malformed")
    yield _bad("an ext", pack({**BODY, "n": Raw(b"\xd4\x01\x00")}), "malformed")
    yield _bad("65 statements", pack({**BODY, "say": [STATEMENTS["end"]] * 65}), "malformed")
    yield from _bad_fields("body", BODY, "malformed")
    for key, values in (
        ("n", _ints(0, 2**32 - 1)),
        ("by", _ints(0, 1)),
        ("prev", _sized(32)),
        ("state", _sized(32)),
        (
            "say",
            {
                "empty": [],
                "of nine": [STATEMENTS["end"]] * 9,
                "a map": STATEMENTS["end"],
                "with an integer": [1],
                "with nil": [None],
            },
        ),
    ):
        for what, value in values.items():
            yield _bad(f"body, {key} {what}", pack({**BODY, key: value}), "malformed")
    for kind, base in STATEMENTS.items():
        for bad in _bad_fields(kind, base, "malformed"):
            statement = Raw(bytes.fromhex(bad["bytes"]))
            yield {**bad, "bytes": pack({**BODY, "say": [statement]}).hex()}
    for kind, key, values in _BAD_STATEMENTS:
        for what, value in values.items():
            say = [{**STATEMENTS[kind], key: value}]
            yield _bad(f"{kind}, {key} {what}", pack({**BODY, "say": say}), "malformed")
    for kind in ("act", "concede", "", "x-more"):
        yield _bad(f"a statement {kind!r}", pack({**BODY, "say": [{"t": kind}]}), "malformed")


_BAD_CARDS: dict[str, Any] = {
    "unknown": "+7",
    "in Unicode": "±4",
    "without a sign": "4",
    "of zero": "+0",
    "green": "10",
    "empty": "",
    "a number": 16,
    "a bin": b"+4",
}
_BAD_STATEMENTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "commit",
        "cards",
        {"nine": [B32] * 9, "eleven": [B32] * 11, "a short one": [*([B32] * 9), B32[1:]]},
    ),
    ("commit", "next", _sized(32)),
    ("reveal", "share", _sized(32)),
    ("reveal", "next", _sized(32)),
    ("play", "at", _ints(0, 9)),
    ("play", "card", _BAD_CARDS),
    ("play", "salt", _sized(32)),
    ("play", "value", _ints(-10, 10)),
    ("lay", "at", _ints(0, 9)),
    ("lay", "salt", _sized(32)),
    (
        "open",
        "deck",
        {
            "nine": CARDS10[1:],
            "eleven": [*CARDS10, "+1"],
            **{f"with a card {what}": [*CARDS10[1:], card] for what, card in _BAD_CARDS.items()},
        },
    ),
    (
        "open",
        "salts",
        {"nine": [B32] * 9, "eleven": [B32] * 11, "a short one": [*([B32] * 9), B32[1:]]},
    ),
)
