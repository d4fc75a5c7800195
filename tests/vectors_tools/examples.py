"""One valid value of every message, statement and record object, for the vectors to start from."""

from __future__ import annotations

from typing import Any

from tests.vectors_tools.primitives import example

Value = dict[str, Any]

B32, B64 = example("32 bytes"), example("one half") + example("other half")
RULES: Value = {
    "copies": "unlimited",
    "gold": True,
    "opener": "alternate",
    "auto_stand": True,
    "nine": "win",
    "tiebreaker": "played",
    "sets": 3,
    "max_sets": None,
    "turn_seconds": None,
}
BASE: dict[str, Value] = {
    "hello": {
        "t": "hello",
        "versions": [1],
        "name": "Ann",
        "key": B32,
        "nonce": example("nonce"),
        "software": "someone's 1.0",
        "features": [],
        "cert": None,
    },
    "proof": {"t": "proof", "sig": B64},
    "pake": {"t": "pake", "m": b"A" + B32},
    "confirm": {"t": "confirm", "mac": B32},
    "offer": {"t": "offer", "rules": RULES, "nonce": B32},
    "accept": {"t": "accept", "nonce": B32},
    "decline": {"t": "decline", "reason": "rules", "text": "not with gold cards"},
    "resume": {"t": "resume", "match": B32, "n": 41, "head": example("head"), "conceded": []},
    "entry": {"t": "entry", "body": b"\x80", "sig": B64},
    "concede": {"t": "concede", "by": 1, "head": B32, "reason": "concession", "sig": B64},
    "claim": {"t": "claim", "by": 0, "head": B32, "sig": B64},
    "ping": {"t": "ping", "n": 7},
    "pong": {"t": "pong", "n": 7},
    "chat": {"t": "chat", "text": "well played"},
    "bye": {"t": "bye", "reason": "done", "text": ""},
}
CARDS10 = ["+1", "-6", "+-3", "+-1T", "1+-2", "2&4", "3&6", "D", "+6", "+-6"]
STATEMENTS: dict[str, Value] = {
    "commit": {
        "t": "commit",
        "cards": [example(f"card {i}") for i in range(10)],
        "next": B32,
    },
    "reveal": {"t": "reveal", "share": B32, "next": example("next")},
    "play": {"t": "play", "at": 4, "card": "+-4", "salt": B32, "value": -4},
    "end": {"t": "end"},
    "stand": {"t": "stand"},
    "lay": {"t": "lay", "at": 9, "salt": B32},
    "pass": {"t": "pass"},
    "open": {"t": "open", "deck": CARDS10, "salts": [example(f"salt {i}") for i in range(10)]},
}
BODY: Value = {"n": 0, "by": 0, "prev": B32, "say": [STATEMENTS["end"]], "state": example("state")}
PLAYER: Value = {"name": "Ann", "key": B32}
HEADER: Value = {
    "t": "record",
    "v": 1,
    "seat": 0,
    "host": PLAYER,
    "join": {"name": "Ben", "key": example("Ben")},
    "software": "someone's 1.0",
    "began": 0,
}
END: Value = {
    "t": "end",
    "termination": "normal",
    "winner": 0,
    "opened": [True, True],
    "code": "",
    "text": "",
}
