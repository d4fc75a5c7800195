"""``messages.json``: messages, entry bodies and record objects, valid and invalid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.vectors_tools.bad_messages import bad_bodies, bad_bytes, bad_messages
from tests.vectors_tools.examples import B32, BASE, BODY, END, HEADER, RULES, STATEMENTS, Value
from tests.vectors_tools.pack import Pairs, pack
from tests.vectors_tools.shown import shown

Vector = dict[str, Any]


def messages() -> dict[str, Any]:
    """Everything, by what it is."""
    return {
        "messages": {
            "valid": [_valid(name, value) for name, value in _good_messages()],
            "invalid": [*bad_bytes(), *bad_messages()],
        },
        "bodies": {
            "valid": [_valid(name, value) for name, value in _good_bodies()],
            "invalid": list(bad_bodies()),
        },
        "record_objects": {"valid": [_valid(name, value) for name, value in _good_records()]},
    }


def _valid(name: str, value: Value) -> Vector:
    """A value, the bytes that we send for it, and others that mean the same."""
    also = {
        "keys in another order": pack(Pairs(*reversed(_turned(value)))),
        "longest forms": pack(value, wide=True),
    }
    return {
        "name": name,
        "value": shown(value),
        "bytes": pack(value).hex(),
        "also": {how: data.hex() for how, data in also.items()},
    }


def _turned(value: Value) -> list[tuple[str, Any]]:
    """The pairs of a map, with those of the maps in it in reverse."""

    def turn(inner: Any) -> Any:
        if isinstance(inner, dict):
            return Pairs(*reversed(_turned(inner)))
        return [turn(each) for each in inner] if isinstance(inner, list) else inner

    return [(key, turn(each)) for key, each in value.items()]


def _good_messages() -> Iterator[tuple[str, Value]]:
    yield from BASE.items()
    most = {
        "versions": list(range(65520, 65536)),
        "name": "🂡" * 32,
        "software": "é" * 64,
        "features": ["f" * 32] * 16,
        "cert": B32,
    }
    yield "hello, longest", {**BASE["hello"], **most}
    yield "hello, shortest", {**BASE["hello"], "name": "A", "software": ""}
    rules: dict[str, list[Any]] = {
        "copies": ["limited"],
        "gold": [False],
        "opener": ["loser", "winner", "random", "host"],
        "auto_stand": [False],
        "nine": ["stand"],
        "tiebreaker": ["last", "at-tie"],
        "sets": [1, 9],
        "max_sets": [1, 999],
        "turn_seconds": [5, 3600],
    }
    for key, values in rules.items():
        for value in values:
            yield f"offer, {key} {value}", {**BASE["offer"], "rules": {**RULES, key: value}}
    for reason in ("deck", "user", "unknown"):
        yield f"decline, {reason}", {**BASE["decline"], "reason": reason}
    yield "decline, longest", {**BASE["decline"], "text": "λ" * 300}
    for n in (0, 2**32 - 1):
        yield f"resume, {n} entries", {**BASE["resume"], "n": n}
    conceded = [{**BASE["concede"], "by": by} for by in (1, 0)]
    yield "resume, one concession", {**BASE["resume"], "conceded": conceded[:1]}
    yield "resume, two concessions", {**BASE["resume"], "conceded": conceded}
    yield "entry, largest", {**BASE["entry"], "body": bytes(8192)}
    yield "concede, time", {**BASE["concede"], "by": 0, "reason": "time"}
    yield "claim, the joiner's", {**BASE["claim"], "by": 1}
    for n in (0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1):
        yield f"ping, {n}", {**BASE["ping"], "n": n}
    yield "chat, one character", {**BASE["chat"], "text": "\u202e"}
    yield "chat, longest", {**BASE["chat"], "text": "\U0001f0a1" * 500}
    reasons = (
        "busy",
        "version",
        "declined",
        "interrupted",
        "later",
        "timeout",
        "cheat",
        "protocol",
        "fault",
    )
    for reason in reasons:
        yield f"bye, {reason}", {**BASE["bye"], "reason": reason, "text": "wrong-share"}


def _good_bodies() -> Iterator[tuple[str, Value]]:
    for kind, statement in STATEMENTS.items():
        yield kind, {**BODY, "say": [statement]}
    for value in (-10, 0, 10):
        play = {**STATEMENTS["play"], "at": 0, "card": "D", "value": value}
        yield f"play, value {value}", {**BODY, "say": [play]}
    several = [STATEMENTS[kind] for kind in ("reveal", "play", "end", "reveal")]
    yield "a whole turn", {**BODY, "n": 41, "by": 1, "say": several}
    yield "eight statements", {**BODY, "n": 2**32 - 1, "say": [STATEMENTS["reveal"]] * 8}


def _good_records() -> Iterator[tuple[str, Value]]:
    yield "header", HEADER
    yield "header, the joiner's", {**HEADER, "seat": 1, "began": 2**53}
    yield "end", END
    for termination in ("cap", "concession", "time", "abandoned"):
        yield f"end, {termination}", {**END, "termination": termination}
    yield "end, nobody won", {**END, "termination": "cap", "winner": None, "opened": [True, False]}
    cheat = {"termination": "cheat", "winner": 1, "code": "wrong-share", "text": "x" * 300}
    yield "end, cheat", {**END, **cheat}
