"""What fuzzing begins with: the test vectors, the seeded matches, and texts that people write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pazaak_p2p.wire.judge import judge
from tests.fuzz.program import STEPS

_ROOT = Path(__file__).parents[2]
_VECTORS = _ROOT / "protocol" / "vectors"


def _load(name: str) -> Any:
    return json.loads((_VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def _sound() -> Any:
    return next(vector for vector in _load("records")["vectors"] if vector["name"] == "whole")


@cache
def sound_record() -> bytes:
    """The record of an honest match from its offer to its end."""
    return bytes.fromhex(_sound()["record"])


def _convicting() -> Iterator[bytes]:
    for vector in _load("cheats")["vectors"]:
        for match in vector["matches"]:
            yield from (bytes.fromhex(text) for text in match["records"].values())
    yield from (bytes.fromhex(vector["record"]) for vector in _load("records")["vectors"])


@cache
def records_that_convict() -> frozenset[bytes]:
    """The ids of the matches in the vectors in which somebody has signed a cheat."""
    verdicts = map(judge, _convicting())
    return frozenset(verdict.match_id for verdict in verdicts if verdict.cheat is not None)


def seeds_of(target: str) -> Iterable[bytes]:
    """Inputs to begin with for *target*, in no particular order and not yet chosen from."""
    match target:
        case "cutter" | "decoder":
            return (b"\0" + data for data in _messages())
        case "greeting":
            return (b"\0\0\0" + data for data in _messages())
        case "lobby" | "match":
            return _programs()
        case "record":
            return _records()
        case "rules":
            return (text.encode() for text in _RULES)
        case "script":
            return (text.encode() for text in _SCRIPTS)
        case "deck":
            return (text.encode() for text in _DECKS)
        case "seed":
            return (path.read_bytes() for path in sorted(_ROOT.glob("seeds/*/match.toml")))
        case "peers":
            return (text.encode() for text in _PEERS)
    raise ValueError(target)


def _messages() -> Iterator[bytes]:
    kinds = _load("messages")
    for kind in kinds.values():
        for vectors in kind.values():
            for vector in vectors:
                if isinstance(vector["bytes"], str):
                    yield bytes.fromhex(vector["bytes"])


def _programs() -> Iterator[bytes]:
    """A moment, and each step once or twice, with plain choices."""
    for moment in range(0, 160, 5):
        for step in range(len(STEPS)):
            yield bytes([moment, step, step * 7 % 256, 1, 2, 3, step, 0])
            yield bytes([moment, 2, 0, step, 1, 0, 3, 1, 2, 2, 0, step])


def _records() -> Iterator[bytes]:
    yield from _convicting()
    yield from (path.read_bytes() for path in sorted(_ROOT.glob("seeds/*/expected.pzk")))


_RULES = (
    "standard",
    "kotor1",
    "tournament,sets=5,max_sets=none,gold=off",
    "copies=limited,opener=random,auto_stand=off,nine=stand,tiebreaker=at-tie,turn_seconds=60",
    "sets=99999, max_sets = 999",
)
_SCRIPTS = (
    "at-end stand-at 17\nplay +1\nplay ±3 -3\nend\nstand\nlay\npass\nconcede\n",
    "# nothing\n\nat-end fail\nplay 1±2 2\n",
)
_DECKS = (
    "+1 +2 +3 -1 -2 -3 ±4 ±5 ±6 ±1T",
    "+1,+2,+3 # these\n-1 -2 -3\n+-4 +-5 +-6 D\n",
    'name = "mine"\ncards = ["+1", "+2", "+3", "-1", "-2", "-3", "+-4", "2&4", "3&6", "1+-2"]\n',
    'cards = "+1 +1 +1 +1 +1 +1 +1 +1 +1 +1"\n',
)
_PLAYER = """
[players.{}]
name = "Ann"
nickname = "Little Ann" # from school
earlier_names = ["An", "Anne"]
first_seen = 2031-05-04T21:30:00Z
last_seen = 2031-05-04T23:30:00+02:00
matches = 3
# the next one
"""
_PEERS = (
    "version = 1\n",
    "version = 1\n" + _PLAYER.format("ab" * 32) + _PLAYER.format("cd" * 32),
    "\ufeffversion = 1\r\nplayers." + "0f" * 32 + " = {name='A', first_seen="
    "2031-05-04T21:30:00Z, last_seen=2031-05-04T21:30:00Z}\r\n",
    "version = 2\n",
)
