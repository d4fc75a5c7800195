"""The codec: every limit of section 4 of the specification, from both sides."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from typing import Any

import msgpack
import pytest

from pazaak_p2p.rules import Card, Copies, Nine, Opener, Rules, Tiebreaker
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import MAX_MESSAGE, Reader, encode, read_body
from pazaak_p2p.wire.errors import Refusal

B32 = bytes(range(32))
B64 = bytes(range(64))
RULES: dict[str, Any] = {
    "copies": "limited",
    "gold": True,
    "opener": "random",
    "auto_stand": False,
    "nine": "stand",
    "tiebreaker": "at-tie",
    "sets": 9,
    "max_sets": 999,
    "turn_seconds": 3600,
}
TYPED_RULES = Rules(
    copies=Copies.LIMITED,
    gold=True,
    opener=Opener.RANDOM,
    auto_stand=False,
    nine=Nine.STAND,
    tiebreaker=Tiebreaker.AT_TIE,
    sets=9,
    max_sets=999,
    turn_seconds=3600,
)
CARDS = ["+1", "-6", "+-3", "+-1T", "1+-2", "2&4", "3&6", "D", "+6", "-1"]

# Each kind of message once as the specification's tables write it, and as a typed value.
MESSAGES: list[tuple[dict[str, Any], m.Message]] = [
    (
        {
            "t": "hello",
            "versions": [1, 65535],
            "name": "Revan",
            "key": B32,
            "nonce": B32[::-1],
            "software": "pazaak 1",
            "features": ["x-later"],
            "cert": None,
        },
        m.Hello([1, 65535], "Revan", B32, B32[::-1], "pazaak 1", ["x-later"], None),
    ),
    ({"t": "proof", "sig": B64}, m.Proof(B64)),
    (
        {"t": "offer", "rules": RULES, "nonce": B32},
        m.Offer(m.RulesMap.of(TYPED_RULES), B32),
    ),
    ({"t": "accept", "nonce": B32}, m.Accept(B32)),
    ({"t": "decline", "reason": "deck", "text": "no"}, m.Decline(m.DeclineReason.DECK, "no")),
    ({"t": "entry", "body": b"\x80", "sig": B64}, m.Entry(b"\x80", B64)),
    (
        {"t": "concede", "by": 1, "head": B32, "reason": "time", "sig": B64},
        m.Concede(1, B32, m.ConcedeReason.TIME, B64),
    ),
    ({"t": "claim", "by": 0, "head": B32, "sig": B64}, m.Claim(0, B32, B64)),
    ({"t": "ping", "n": 7}, m.Ping(7)),
    ({"t": "pong", "n": 2**32 - 1}, m.Pong(2**32 - 1)),
    ({"t": "chat", "text": "±"}, m.Chat("±")),
    ({"t": "bye", "reason": "fault", "text": ""}, m.Bye(m.ByeReason.FAULT, "")),
]
STATEMENTS: list[tuple[dict[str, Any], m.Statement]] = [
    ({"t": "commit", "cards": [B32] * 10, "next": B32}, m.Commit([B32] * 10, B32)),
    ({"t": "reveal", "share": B32, "next": B32}, m.Reveal(B32, B32)),
    (
        {"t": "play", "at": 9, "card": "+-1T", "salt": B32, "value": -10},
        m.PlayCard(9, Card.TIEBREAKER, B32, -10),
    ),
    ({"t": "end"}, m.EndTurn()),
    ({"t": "stand"}, m.StandNow()),
    ({"t": "lay", "at": 0, "salt": B32}, m.LayDown(0, B32)),
    ({"t": "pass"}, m.PassOn()),
    (
        {"t": "open", "deck": CARDS, "salts": [B32] * 10},
        m.Open([Card(card) for card in CARDS], [B32] * 10),
    ),
]
BY_KIND = {raw["t"]: raw for raw, _ in [*MESSAGES, *STATEMENTS]}


def body_of(*say: object, **changes: object) -> dict[str, object]:
    return {"n": 0, "by": 0, "prev": B32, "say": list(say), "state": B32, **changes}


def pack(value: object) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def read(*pieces: bytes) -> list[tuple[m.Message, bytes]]:
    reader = Reader()
    out: list[tuple[m.Message, bytes]] = []
    for piece in pieces:
        reader.feed(piece)
        out += reader
    return out


def code_of(*pieces: bytes) -> str:
    """The code with which these bytes are refused."""
    with pytest.raises(Refusal) as caught:
        read(*pieces)
    return caught.value.code


def body_code(data: bytes) -> str:
    with pytest.raises(Refusal) as caught:
        read_body(data)
    return caught.value.code


def singly(data: bytes) -> Iterator[bytes]:
    return (data[i : i + 1] for i in range(len(data)))


def with_value(kind: str, field: str, value: object) -> bytes:
    """The message of *kind*, or an entry's body with such a statement, with one field changed."""
    return pack({**BY_KIND[kind], field: value})


# --- every kind, there and back


@pytest.mark.parametrize(("raw", "typed"), MESSAGES, ids=lambda v: v["t"] if v is dict else "")
def test_every_message_goes_there_and_back(raw: dict[str, Any], typed: m.Message) -> None:
    data = pack(raw)
    assert encode(typed) == data  # keys in the order of the tables, shortest forms
    assert read(data) == [(typed, data)]


@pytest.mark.parametrize(("raw", "typed"), STATEMENTS, ids=lambda v: v["t"] if v is dict else "")
def test_every_statement_goes_there_and_back(raw: dict[str, Any], typed: m.Statement) -> None:
    body = m.Body(2**32 - 1, 1, B32, [typed], B32)
    data = pack(body_of(raw, n=2**32 - 1, by=1))
    assert encode(body) == data
    assert read_body(data) == body


STREAM = b"".join(pack(raw) for raw, _ in MESSAGES)
TYPED = [typed for _, typed in MESSAGES]


def test_all_messages_in_one_piece() -> None:
    got = read(STREAM)
    assert [message for message, _ in got] == TYPED
    assert b"".join(exact for _, exact in got) == STREAM


def test_all_messages_byte_by_byte() -> None:
    got = read(*singly(STREAM))
    assert [message for message, _ in got] == TYPED
    assert b"".join(exact for _, exact in got) == STREAM


@pytest.mark.parametrize("cut", range(1, len(STREAM), 7))
def test_a_cut_anywhere_changes_nothing(cut: int) -> None:
    assert [message for message, _ in read(STREAM[:cut], STREAM[cut:])] == TYPED


def test_pieces_that_come_before_anybody_reads_are_kept() -> None:
    pieces = [encode(m.Ping(n)) for n in range(3)]
    reader = Reader()
    for piece in (*pieces, pieces[0][:1], pieces[0][1:]):
        reader.feed(piece)
    assert [exact for _, exact in reader] == [*pieces, pieces[0]]
    assert list(reader) == []


def test_a_thousand_messages_in_one_piece() -> None:
    ping = encode(m.Ping(1))
    assert read(ping * 1000) == [(m.Ping(1), ping)] * 1000


# --- forms: any order, any width, but the bytes count


def non_minimal(value: object) -> bytes:
    """*value* in msgpack's longest forms."""
    match value:
        case bool() | None:
            return pack(value)
        case int():
            return (b"\xcf" if value >= 0 else b"\xd3") + value.to_bytes(8, "big", signed=value < 0)
        case str():
            return b"\xdb" + len(value.encode()).to_bytes(4, "big") + value.encode()
        case bytes():
            return b"\xc6" + len(value).to_bytes(4, "big") + value
        case list():
            return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(non_minimal, value))
        case dict():
            pairs = b"".join(non_minimal(k) + non_minimal(v) for k, v in value.items())
            return b"\xdf" + len(value).to_bytes(4, "big") + pairs
        case _:
            raise AssertionError(value)


@pytest.mark.parametrize(("raw", "typed"), MESSAGES, ids=lambda v: v["t"] if v is dict else "")
def test_long_forms_and_any_order_are_accepted_and_kept(
    raw: dict[str, Any], typed: m.Message
) -> None:
    data = non_minimal(dict(reversed(raw.items())))
    assert read(data) == [(typed, data)]
    assert read(*singly(data)) == [(typed, data)]


@pytest.mark.parametrize(("raw", "typed"), STATEMENTS, ids=lambda v: v["t"] if v is dict else "")
def test_long_forms_are_accepted_in_a_body(raw: dict[str, Any], typed: m.Statement) -> None:
    assert read_body(non_minimal(body_of(raw))).say == [typed]


# --- each field's limits

FIELDS: list[tuple[str, str, list[object], list[object]]] = [
    (
        "hello",
        "versions",
        [[1], [65535], [1] * 16],
        [[], [1] * 17, [0], [65536], [-1], ["1"], [True], 1, None, {}],
    ),
    ("hello", "name", ["a", "a" * 32, "\U0001f0a1" * 32], ["", "a" * 33, b"a", 1, None]),
    ("hello", "key", [bytes(32)], [bytes(31), bytes(33), "k" * 32, [0] * 32, None]),
    ("hello", "nonce", [bytes(32)], [bytes(31), bytes(33), b"", "k" * 32]),
    ("hello", "software", ["", "s" * 64], ["s" * 65, None, b"s"]),
    ("hello", "features", [[], ["f" * 32] * 16], [["f"] * 17, ["f" * 33], [1], None, "f"]),
    ("hello", "cert", [None, bytes(32)], [bytes(31), "", 0]),
    ("proof", "sig", [bytes(64)], [bytes(63), bytes(65), None]),
    ("offer", "nonce", [bytes(32)], [bytes(31), bytes(33)]),
    ("accept", "nonce", [bytes(32)], [bytes(31), bytes(33)]),
    ("decline", "reason", ["rules", "deck", "user"], ["", "done", 0, None]),
    ("decline", "text", ["", "x" * 300], ["x" * 301, None]),
    ("entry", "body", [b"\0", bytes(8192)], [b"", bytes(8193), "body", {}]),
    ("entry", "sig", [bytes(64)], [bytes(63), bytes(65)]),
    ("concede", "by", [0, 1], [2, -1, True, "host", None]),
    ("concede", "head", [bytes(32)], [bytes(31), bytes(33)]),
    ("concede", "reason", ["concession", "time"], ["normal", "abandoned", ""]),
    ("concede", "sig", [bytes(64)], [bytes(63), bytes(65)]),
    ("claim", "by", [0, 1], [2, -1, True, "host", None]),
    ("claim", "head", [bytes(32)], [bytes(31), bytes(33)]),
    ("claim", "sig", [bytes(64)], [bytes(63), bytes(65)]),
    ("ping", "n", [0, 2**32 - 1], [-1, 2**32, 2**64 - 1, -(2**63), False, "1", None, b""]),
    ("pong", "n", [0, 2**32 - 1], [-1, 2**32]),
    ("chat", "text", ["x", "x" * 500, "é" * 500], ["", "x" * 501, 1]),
    (
        "bye",
        "reason",
        [
            "done",
            "busy",
            "version",
            "declined",
            "interrupted",
            "timeout",
            "cheat",
            "protocol",
            "fault",
        ],
        ["", "DONE", "user"],
    ),
    ("bye", "text", ["", "x" * 300], ["x" * 301]),
]

RULE_FIELDS: list[tuple[str, list[object], list[object]]] = [
    ("copies", ["unlimited", "limited"], ["", "none", 0, None]),
    ("gold", [True, False], [0, 1, "on", None]),
    ("opener", ["alternate", "loser", "winner", "random", "host"], ["join", 0]),
    ("auto_stand", [True, False], [0, "off"]),
    ("nine", ["win", "stand"], ["lose", 9]),
    ("tiebreaker", ["played", "last", "at-tie"], ["at_tie", ""]),
    ("sets", [1, 9], [0, 10, None, "3", True]),
    ("max_sets", [None, 1, 999], [0, 1000, False]),
    ("turn_seconds", [None, 5, 3600], [4, 3601, 0]),
]

STATEMENT_FIELDS: list[tuple[str, str, list[object], list[object]]] = [
    ("commit", "cards", [[B32] * 10], [[B32] * 9, [B32] * 11, [B32] * 9 + [b""], None]),
    ("commit", "next", [B32], [B32[1:], None]),
    ("reveal", "share", [B32], [B32[1:], B64, "s" * 32]),
    ("reveal", "next", [B32], [b"", B64]),
    ("play", "at", [0, 9], [-1, 10, True, None]),
    ("play", "card", [card.ascii for card in Card], ["±3", "+0", "+7", "-0", "", "d", 1, None]),
    ("play", "salt", [B32], [B64]),
    ("play", "value", [-10, 10], [-11, 11, "1", None]),
    ("lay", "at", [0, 9], [-1, 10]),
    ("lay", "salt", [B32], [b""]),
    ("open", "deck", [["D"] * 10], [["D"] * 9, ["D"] * 11, ["D"] * 9 + ["X"]]),
    ("open", "salts", [[B32] * 10], [[B32] * 9, [B32] * 11, [B32] * 9 + [B64]]),
]

BODY_FIELDS: list[tuple[str, list[object], list[object]]] = [
    ("n", [0, 2**32 - 1], [-1, 2**32, True, None]),
    ("by", [0, 1], [2, -1, False, None]),
    ("prev", [B32], [b"", B64, None]),
    ("say", [[{"t": "end"}], [{"t": "end"}] * 8], [[], [{"t": "end"}] * 9, {"t": "end"}, [[]]]),
    ("state", [B32], [b"", B64, None]),
]


@pytest.mark.parametrize(("kind", "field", "good", "bad"), FIELDS)
def test_message_fields(kind: str, field: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        assert len(read(with_value(kind, field, value))) == 1
    for value in bad:
        assert code_of(with_value(kind, field, value)) == "malformed", value


@pytest.mark.parametrize(("field", "good", "bad"), RULE_FIELDS)
def test_rule_fields(field: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        assert len(read(with_value("offer", "rules", {**RULES, field: value}))) == 1
    for value in bad:
        assert code_of(with_value("offer", "rules", {**RULES, field: value})) == "malformed"


@pytest.mark.parametrize(("kind", "field", "good", "bad"), STATEMENT_FIELDS)
def test_statement_fields(kind: str, field: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        read_body(pack(body_of({**BY_KIND[kind], field: value})))
    for value in bad:
        assert body_code(pack(body_of({**BY_KIND[kind], field: value}))) == "malformed", value


@pytest.mark.parametrize(("field", "good", "bad"), BODY_FIELDS)
def test_body_fields(field: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        read_body(pack(body_of({"t": "end"}, **{field: value})))
    for value in bad:
        assert body_code(pack(body_of({"t": "end"}, **{field: value}))) == "malformed", value


# --- keys and kinds


def without_each(raw: dict[str, Any]) -> Iterable[dict[str, Any]]:
    return ({k: v for k, v in raw.items() if k != missing} for missing in raw)


@pytest.mark.parametrize("raw", [raw for raw, _ in MESSAGES], ids=lambda raw: raw["t"])
def test_unknown_and_missing_keys_are_refused(raw: dict[str, Any]) -> None:
    assert code_of(pack({**raw, "x": None})) == "malformed"
    assert code_of(pack({**raw, "": 0})) == "malformed"
    for less in without_each(raw):
        assert code_of(pack(less)) == "malformed"


@pytest.mark.parametrize("raw", [raw for raw, _ in STATEMENTS], ids=lambda raw: raw["t"])
def test_unknown_and_missing_keys_of_statements_are_refused(raw: dict[str, Any]) -> None:
    assert body_code(pack(body_of({**raw, "x": None}))) == "malformed"
    for less in without_each(raw):
        assert body_code(pack(body_of(less))) == "malformed"


def test_unknown_and_missing_keys_of_a_body_are_refused() -> None:
    body = body_of({"t": "end"})
    assert body_code(pack({**body, "t": "entry"})) == "malformed"
    for less in without_each(body):
        assert body_code(pack(less)) == "malformed"


def test_unknown_and_missing_keys_of_the_rules_are_refused() -> None:
    # "All keys always present": otherwise two programs could fill the gaps with other rules.
    for rules in [{**RULES, "x": 1}, {}, *without_each(RULES)]:
        assert code_of(pack({"t": "offer", "rules": rules, "nonce": B32})) == "malformed"


@pytest.mark.parametrize(
    "kind", ["", "resume", "claims", "x-new", "HELLO", "end", "record", 1, None]
)
def test_unknown_and_reserved_kinds_are_refused(kind: object) -> None:
    assert code_of(pack({"t": kind})) == "malformed"
    assert code_of(pack({"t": kind, "n": 1})) == "malformed"


@pytest.mark.parametrize("kind", ["entry", "hello", "", "claim"])
def test_unknown_kinds_of_statements_are_refused(kind: str) -> None:
    assert body_code(pack(body_of({"t": kind}))) == "malformed"


T, N, PING = pack("t"), pack("n"), pack("ping")
DOUBLE_KEYS = [
    b"\x83" + T + PING + N + b"\x01" + N + b"\x01",
    b"\x83" + T + PING + N + b"\x01" + N + b"\x02",
    b"\x83" + T + PING + T + PING + N + b"\x01",
    b"\x83" + T + PING + N + b"\x01\xd9\x01n\x01",  # the same key in another form
    b"\x82" + T + PING + N + b"\x82" + N + b"\x01" + N + b"\x01",
]


@pytest.mark.parametrize("data", DOUBLE_KEYS)
def test_double_keys_are_refused(data: bytes) -> None:
    assert code_of(data) == "malformed"
    assert body_code(data) == "malformed"


ODD_KEYS = {
    "nil": b"\xc0",
    "boolean": b"\xc3",
    "integer": b"\x01",
    "bin": b"\xc4\x01t",
    "float": b"\xcb" + bytes(8),
    "nan": b"\xcb\x7f\xf8" + bytes(6),
    "array": b"\x90",
    "full array": b"\x91\x01",
    "map": b"\x80",
    "full map": b"\x81\xa1t\x01",
}


@pytest.mark.parametrize("key", ODD_KEYS.values(), ids=ODD_KEYS)
def test_keys_that_are_no_strings_are_refused(key: bytes) -> None:
    for data in (
        b"\x81" + key + b"\x01",
        b"\x82" + T + PING + key + b"\x01",
        b"\x82" + T + PING + N + b"\x81" + key + b"\x01",
        b"\x82" + key + b"\x01" + key + b"\x01",
    ):
        assert code_of(data) == "malformed"
        assert body_code(data) == "malformed"


# --- types that no message has

ODD_VALUES = {
    "float 32": b"\xca" + bytes(4),
    "float 64": b"\xcb" + bytes(8),
    "float that is an integer": b"\xcb\x3f\xf0" + bytes(6),
    "nan": b"\xcb\x7f\xf8" + bytes(6),
    "fixext 1": b"\xd4\x05\0",
    "fixext 2": b"\xd5\x05\0\0",
    "fixext 4": b"\xd6\x05" + bytes(4),
    "fixext 8": b"\xd7\x05" + bytes(8),
    "fixext 16": b"\xd8\x05" + bytes(16),
    "ext 8, empty": b"\xc7\x00\x05",
    "ext 8": b"\xc7\x03\x05abc",
    "ext 16": b"\xc8\x00\x03\x05abc",
    "ext 32": b"\xc9\x00\x00\x00\x03\x05abc",
    "timestamp 32": b"\xd6\xff" + bytes(4),
    "timestamp 64": b"\xd7\xff" + bytes(8),
    "timestamp 96": b"\xc7\x0c\xff" + bytes(12),
    "timestamp of no bytes": b"\xc7\x00\xff",
    "timestamp of three bytes": b"\xc7\x03\xffabc",
    "bad UTF-8": b"\xa1\xff",
    "UTF-8 cut short": b"\xa2\xc3(",
    "UTF-8 too long": b"\xa2\xc0\x80",
    "a surrogate": b"\xa3\xed\xa0\x80",
    "beyond Unicode": b"\xa4\xf4\x90\x80\x80",
}


@pytest.mark.parametrize("value", ODD_VALUES.values(), ids=ODD_VALUES)
def test_floats_ext_timestamps_and_bad_text_are_refused(value: bytes) -> None:
    chat = b"\x82" + T + pack("chat") + pack("text")
    for data in (
        chat + value,
        b"\x82" + T + PING + N + value,
        b"\x83" + T + PING + N + b"\x01" + pack("x") + value,
        b"\x81" + T + value,
        b"\x82" + T + PING + value + b"\x01",  # as a key
        b"\x82" + T + PING + N + b"\x91" + value,
    ):
        assert code_of(data) == "malformed"
        assert code_of(*singly(data)) == "malformed"
        assert body_code(data) == "malformed"


@pytest.mark.parametrize("name", [name for name in ODD_VALUES if "ext" in name or "time" in name])
@pytest.mark.parametrize("after", [b"", pack({"t": "ping", "n": 1})])
def test_a_bare_ext_is_malformed_and_no_garbage(name: str, after: bytes) -> None:
    value = ODD_VALUES[name]
    assert code_of(value + after) == "malformed"
    assert code_of(*singly(value + after)) == "malformed"
    assert body_code(value) == "malformed"


# --- nesting


def nested(levels: int, inner: bytes = b"\x01") -> bytes:
    """A message that is a map in a map .. *levels* deep."""
    return b"\x81\xa1t" * levels + inner


@pytest.mark.parametrize("levels", [1, 2, 8])
def test_eight_levels_are_merely_malformed(levels: int) -> None:
    assert code_of(nested(levels)) == "malformed"
    assert code_of(b"\x82" + T + PING + N + b"\x91" * (levels - 1) + b"\xc0") == "malformed"


@pytest.mark.parametrize("levels", [9, 100, 500, 1000, 1025, 5000, 20_000])
def test_nine_levels_are_too_deep(levels: int) -> None:
    assert code_of(nested(levels)) == "too-deep"
    assert code_of(b"\x82" + T + PING + N + b"\x91" * (levels - 1) + b"\x01") == "too-deep"


@pytest.mark.parametrize("levels", [9, 1000, 2500])
def test_too_deep_bodies_are_refused(levels: int) -> None:
    assert body_code(nested(levels)) == "malformed"


# --- sizes


def test_a_message_of_65536_bytes_is_read() -> None:
    size = MAX_MESSAGE - len(b"\x81" + T + b"\xda\xff\xff")
    data = b"\x81" + T + b"\xda" + size.to_bytes(2, "big") + b"a" * size
    assert len(data) == MAX_MESSAGE
    assert code_of(data) == "malformed"
    assert code_of(data[:1], data[1:-1], data[-1:]) == "malformed"


def test_a_message_of_65537_bytes_is_oversized() -> None:
    size = MAX_MESSAGE + 1 - len(b"\x81" + T + b"\xda\xff\xff")
    data = b"\x81" + T + b"\xda" + size.to_bytes(2, "big") + b"a" * size
    assert len(data) == MAX_MESSAGE + 1
    assert code_of(data[:MAX_MESSAGE], data[MAX_MESSAGE:]) == "oversized"


def test_a_message_that_has_grown_too_large_is_refused_before_its_end() -> None:
    text = pack("x" * 16_000)
    data = b"\x88" + T + text + b"".join(pack(c) + text for c in "abcd")
    assert code_of(data[:MAX_MESSAGE], data[MAX_MESSAGE : MAX_MESSAGE + 1]) == "oversized"


def test_a_valid_message_before_a_refused_one_is_still_read() -> None:
    reader = Reader()
    reader.feed(encode(m.Ping(1)) + b"\xdd\xff\xff\xff\xff")
    messages = iter(reader)
    assert next(messages)[0] == m.Ping(1)
    with pytest.raises(Refusal):
        next(messages)


TOO_MANY = {
    "array 32": b"\xdd\xff\xff\xff\xff",
    "array 16": b"\xdc\xff\xff",
    "array of 65": b"\xdc\x00\x41",
    "map 32": b"\xdf\xff\xff\xff\xff",
    "map 16": b"\xde\xff\xff",
    "map of 65": b"\xde\x00\x41",
}
TOO_LONG = {
    "str 32": b"\xdb\xff\xff\xff\xff",
    "str of 65537": b"\xdb\x00\x01\x00\x01",
    "bin 32": b"\xc6\xff\xff\xff\xff",
    "bin of 65537": b"\xc6\x00\x01\x00\x01",
    "ext 32": b"\xc9\xff\xff\xff\xff\x05",
    "timestamp of 65537": b"\xc9\x00\x01\x00\x01\xff",
}


@pytest.mark.parametrize("head", TOO_MANY.values(), ids=TOO_MANY)
def test_what_announces_too_many_items_is_refused_at_once(head: bytes) -> None:
    for data in (head, b"\x81" + T + head, b"\x82" + T + PING + head):
        assert code_of(data) == "oversized"
        assert code_of(*singly(data)) == "oversized"
        assert body_code(data) == "malformed"


@pytest.mark.parametrize("head", TOO_LONG.values(), ids=TOO_LONG)
def test_what_announces_too_many_bytes_is_refused_before_they_have_come(head: bytes) -> None:
    for start in (head, b"\x81" + T + head, b"\x82" + T + PING + head):
        data = start.ljust(MAX_MESSAGE + 1, b"a")
        assert code_of(data[:MAX_MESSAGE], data[MAX_MESSAGE:]) == "oversized"
        assert body_code(data[:8192]) == "malformed"


def test_64_items_are_not_too_many() -> None:
    assert code_of(b"\x81" + T + b"\xdc\x00\x40" + b"\x01" * 64) == "malformed"
    pairs = b"".join(pack(str(i)) + b"\x01" for i in range(64))
    assert code_of(b"\xde\x00\x40" + pairs) == "malformed"


MEMORY = {
    "announced": [b"\x81" + T + head for head in (TOO_MANY | TOO_LONG).values()],
    "a nest of announced arrays": [(b"\xdc\x00\x40" * 30_000)[:MAX_MESSAGE]],
    "a nest of announced maps": [(b"\xde\x00\x40\xa1t" * 20_000)[:MAX_MESSAGE]],
    "many small things": [b"\x81" + T + (b"\xdc\x00\x40" + b"\x90" * 64) * 900],
    "a str never finished": [b"\x81" + T + b"\xdb\x00\x01\x00\x00" + b"a" * 60_000],
}


@pytest.mark.parametrize("streams", MEMORY.values(), ids=MEMORY)
def test_memory_stays_small_whatever_comes(streams: list[bytes]) -> None:
    tracemalloc.start()
    try:
        for data in streams:
            reader = Reader()
            try:
                for start in range(0, len(data), MAX_MESSAGE):
                    reader.feed(data[start : start + MAX_MESSAGE])
                    list(reader)
            except Refusal:
                pass
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_nothing_is_kept_of_messages_that_were_read() -> None:
    reader, chat = Reader(), encode(m.Chat("x" * 500))
    tracemalloc.start()
    try:
        for _ in range(10_000):  # 5 MB
            reader.feed(chat)
            assert len(list(reader)) == 1
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


# --- other protocols, and other msgpack

STRANGERS = {
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost:7777\r\nUser-Agent: curl/8\r\n\r\n",
    "TLS": bytes.fromhex("16030100f8010000f40303") + bytes(range(200)),
    "SSH": b"SSH-2.0-OpenSSH_9.6\r\n",
    "a line of text": b"hello\n",
    "zeros": bytes(100),
    "ones": b"\xff" * 100,
    "never used byte": b"\xc1",
    "nil": b"\xc0",
    "boolean": b"\xc3",
    "integer": b"\x01",
    "str": b"\xa5hello",
    "bin": b"\xc4\x01x",
    "array": b"\x91\x81\xa1t\xa4ping",
    "empty array": b"\x90",
}


@pytest.mark.parametrize("data", STRANGERS.values(), ids=STRANGERS)
def test_what_is_no_map_is_garbage(data: bytes) -> None:
    assert code_of(data) == "garbage"
    assert code_of(*singly(data)) == "garbage"


def test_an_empty_map_is_malformed() -> None:
    assert code_of(b"\x80") == "malformed"


@pytest.mark.parametrize(
    "data",
    [b"", b"\xc1", b"\xc0", b"\x90", b"\x80", b"\x01", pack(body_of({"t": "end"})) + b"\xc0"],
)
def test_a_body_that_is_not_exactly_one_map_is_malformed(data: bytes) -> None:
    assert body_code(data) == "malformed"


def test_a_body_cut_short_anywhere_is_malformed() -> None:
    data = pack(body_of({"t": "open", "deck": CARDS, "salts": [B32] * 10}))
    for end in range(len(data)):
        assert body_code(data[:end]) == "malformed"


def test_a_valid_body_before_a_second_is_malformed() -> None:
    data = pack(body_of({"t": "end"}))
    assert body_code(data + data) == "malformed"
