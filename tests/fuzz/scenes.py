"""Honest sessions, stopped before each message that our peer gets: where an attack can begin.

Playing up to a moment costs many signatures, so each session is played once and a copy of the peer
is attacked: the very same object in the very same state, but for the decoder, which between two
messages holds nothing (``test_fuzz.py`` holds copies against the originals).
"""

from __future__ import annotations

import copy
import gc
from collections import deque
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from types import FunctionType, ModuleType

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from pazaak_p2p.rules import (
    DECKS,
    PRESETS,
    Action,
    Nine,
    Opener,
    Phase,
    Rules,
    Seat,
    SideDeck,
    Tiebreaker,
    View,
    digest,
    legal_actions,
)
from pazaak_p2p.wire.codec import Reader
from pazaak_p2p.wire.events import Greeted
from tests.cheating import HONEST, Cheater
from tests.wire.pair import Side, messages_in
from tests.wire.tricks.case import BREAKERS


class Scene(Struct, frozen=True):
    """A session: our peer's seat, what is played, and whether a person chooses for our peer."""

    seat: Seat
    rules: Rules
    decks: tuple[SideDeck, SideDeck] = (DECKS["balanced"], DECKS["super"])
    person: bool = False
    split: bool = False
    """Does the other side send every statement in an entry of its own?"""


_SHORT = Rules(sets=1)
_TIES = Rules(sets=1, tiebreaker=Tiebreaker.AT_TIE, max_sets=3, turn_seconds=60)
_OTHER = Rules(sets=2, opener=Opener.RANDOM, auto_stand=False, nine=Nine.STAND)

SCENES = (
    Scene(Seat.HOST, _SHORT, split=True),
    Scene(Seat.JOIN, _SHORT, split=True),
    Scene(Seat.HOST, _SHORT, person=True),
    Scene(Seat.JOIN, PRESETS["tournament"], (DECKS["easy"], DECKS["wanderer"]), person=True),
    Scene(Seat.HOST, _TIES, (BREAKERS, BREAKERS)),
    Scene(Seat.JOIN, _TIES, (BREAKERS, BREAKERS), person=True),
    Scene(Seat.HOST, _OTHER, person=True, split=True),
    Scene(Seat.JOIN, _OTHER),
)


class Stage(Enum):
    """How far our peer has come."""

    GREETING = auto()
    LOBBY = auto()
    MATCH = auto()
    """A match is on or over."""


@dataclass
class Moment:
    """Our peer and the other side at a moment of a session."""

    scene: Scene
    stage: Stage
    side: Side
    foe: Cheater
    said: list[bytes]
    """The other side's messages in the whole honest session."""
    at: int
    """How many of them our peer has got."""
    shared: list[object]
    """What all copies have in common, as nobody can change it."""

    def copied_side(self) -> Side:
        """Our side as it is now, to do with whatever one likes."""
        known = self._known()
        known[id(self.side.peer._reader)] = Reader()
        return copy.deepcopy(self.side, known)

    def copied_foe(self) -> Cheater:
        """The other side as it is now, likewise."""
        return copy.deepcopy(self.foe, self._known())

    def _known(self) -> dict[int, object]:
        return {id(value): value for value in self.shared}


def _frozen(*roots: object) -> list[object]:
    """All frozen values and keys that belong to *roots*."""
    found: dict[int, object] = {}
    seen: set[int] = set()
    waiting = list(roots)
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, type | FunctionType | ModuleType):
            continue
        seen.add(id(value))
        if isinstance(value, Struct | Ed25519PrivateKey | Ed25519PublicKey):
            found[id(value)] = value
        else:
            waiting += gc.get_referents(value)
    return list(found.values())


@cache
def moments(number: int) -> list[Moment]:
    """The moments of scene *number*, in their order. What they hold is only to be copied."""
    scene = SCENES[number]
    seed = f"fuzz {number}"
    foe = Cheater(
        scene.seat.other,
        HONEST,
        rules=scene.rules,
        deck=scene.decks[scene.seat.other],
        seed=seed,
        split=scene.split,
    )
    side = Side(scene.seat, seed, scene.decks[scene.seat], choose, scene.person)
    stage, said, found = Stage.GREETING, list[bytes](), list[Moment]()
    waiting: deque[bytes] = deque()
    while True:
        side.react()
        waiting.extend(exact for _, exact in messages_in(foe.send()))
        data = side.send()
        if not waiting and not data and side.think():
            data = side.send()
        if data:
            foe.receive(data)
            continue
        now = Moment(scene, stage, side, foe, said, len(said), [])
        now.side, now.foe = now.copied_side(), now.copied_foe()
        now.shared = _frozen(now.side, now.foe)
        found.append(now)
        if not waiting:
            break
        said.append(waiting.popleft())
        side.peer.receive(said[-1], 0.0)
        side.react()
        if side.of_kind(Greeted):
            stage = Stage.LOBBY
            if scene.seat is Seat.HOST and not side.matches:
                side.offer(scene.rules)
        if side.matches and side.peer.seat is not None:
            stage = Stage.MATCH
        side.events.clear()
    assert side.errors == []
    return found


@cache
def moments_of(stage: Stage) -> list[tuple[int, int]]:
    """Scene and number of every moment in *stage*."""
    return [
        (scene, number)
        for scene in range(len(SCENES))
        for number, moment in enumerate(moments(scene))
        if moment.stage is stage
    ]


def choose(view: View) -> Action:
    """Chooses by the position alone, so that a copy plays on as the original did."""
    actions = legal_actions(view.state)
    number = digest(view.state)[0]
    if view.state.phase is Phase.ACT and view.total <= 20 and number % 3:
        return actions[-1] if view.total >= 17 else actions[-2]
    return actions[number % len(actions)]
