"""Every message and statement as a typed, frozen value (specification, sections 4, 6.1, 6.2, 12).

The types are the schema: lengths and ranges stand in their annotations, and
``protocol/messages.schema.json`` is made from them.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import astuple

from pazaak_p2p.rules import Card, Copies, Nine, Opener, Rules, Tiebreaker
from pazaak_p2p.rules.options import MaxSets, Sets, TurnSeconds

MAX_ENTRY_BODY = 8192
MAX_SAY = 8
"""Statements in one entry, at most."""

Hash = Annotated[bytes, Meta(min_length=32, max_length=32)]
Key = Annotated[bytes, Meta(min_length=32, max_length=32)]
Nonce = Annotated[bytes, Meta(min_length=32, max_length=32)]
Secret = Annotated[bytes, Meta(min_length=32, max_length=32)]
Element = Annotated[bytes, Meta(min_length=33, max_length=33)]
Signature = Annotated[bytes, Meta(min_length=64, max_length=64)]
Position = Annotated[int, Meta(ge=0, le=9)]
U32 = Annotated[int, Meta(ge=0, le=2**32 - 1)]
SeatNumber = Annotated[int, Meta(ge=0, le=1)]
Name = Annotated[str, Meta(min_length=1, max_length=32)]
ShortText = Annotated[str, Meta(max_length=64)]
Text = Annotated[str, Meta(max_length=300)]


class DeclineReason(Enum):
    """Why an offer, or the wish to resume a match, is not taken."""

    RULES = "rules"
    DECK = "deck"
    USER = "user"
    UNKNOWN = "unknown"
    """There is no such match to go on with."""


class ConcedeReason(Enum):
    """Why a match is conceded; the names are those of the termination that follows (R21)."""

    CONCESSION = "concession"
    TIME = "time"


class ByeReason(Enum):
    """Why a peer closes the stream (section 5.3)."""

    DONE = "done"
    BUSY = "busy"
    VERSION = "version"
    DECLINED = "declined"
    INTERRUPTED = "interrupted"
    LATER = "later"
    TIMEOUT = "timeout"
    CHEAT = "cheat"
    PROTOCOL = "protocol"
    FAULT = "fault"


# --- messages


class RulesMap(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules as they are sent (section 8): unlike ``Rules`` without anything left out."""

    copies: Copies
    gold: bool
    opener: Opener
    auto_stand: bool
    nine: Nine
    tiebreaker: Tiebreaker
    sets: Sets
    max_sets: MaxSets
    turn_seconds: TurnSeconds

    @classmethod
    def of(cls, rules: Rules) -> RulesMap:
        return cls(*astuple(rules))

    def rules(self) -> Rules:
        return Rules(*astuple(self))


class Hello(Struct, frozen=True, tag="hello", tag_field="t", forbid_unknown_fields=True):
    versions: Annotated[
        list[Annotated[int, Meta(ge=1, le=65535)]], Meta(min_length=1, max_length=16)
    ]
    name: Name
    key: Key
    nonce: Nonce
    software: ShortText
    features: Annotated[list[Annotated[str, Meta(max_length=32)]], Meta(max_length=16)]
    cert: Hash | None


class Proof(Struct, frozen=True, tag="proof", tag_field="t", forbid_unknown_fields=True):
    sig: Signature


class Pake(Struct, frozen=True, tag="pake", tag_field="t", forbid_unknown_fields=True):
    m: Element


class Confirm(Struct, frozen=True, tag="confirm", tag_field="t", forbid_unknown_fields=True):
    mac: Hash


class Offer(Struct, frozen=True, tag="offer", tag_field="t", forbid_unknown_fields=True):
    rules: RulesMap
    nonce: Nonce


class Accept(Struct, frozen=True, tag="accept", tag_field="t", forbid_unknown_fields=True):
    nonce: Nonce


class Decline(Struct, frozen=True, tag="decline", tag_field="t", forbid_unknown_fields=True):
    reason: DeclineReason
    text: Text


class Entry(Struct, frozen=True, tag="entry", tag_field="t", forbid_unknown_fields=True):
    body: Annotated[bytes, Meta(min_length=1, max_length=MAX_ENTRY_BODY)]
    sig: Signature


class Concede(Struct, frozen=True, tag="concede", tag_field="t", forbid_unknown_fields=True):
    by: SeatNumber
    head: Hash
    reason: ConcedeReason
    sig: Signature


class Claim(Struct, frozen=True, tag="claim", tag_field="t", forbid_unknown_fields=True):
    by: SeatNumber
    head: Hash
    sig: Signature


class Resume(Struct, frozen=True, tag="resume", tag_field="t", forbid_unknown_fields=True):
    match: Hash
    n: U32
    head: Hash
    conceded: Annotated[list[Concede], Meta(max_length=2)]


class Ping(Struct, frozen=True, tag="ping", tag_field="t", forbid_unknown_fields=True):
    n: U32


class Pong(Struct, frozen=True, tag="pong", tag_field="t", forbid_unknown_fields=True):
    n: U32


class Chat(Struct, frozen=True, tag="chat", tag_field="t", forbid_unknown_fields=True):
    text: Annotated[str, Meta(min_length=1, max_length=500)]


class Bye(Struct, frozen=True, tag="bye", tag_field="t", forbid_unknown_fields=True):
    reason: ByeReason
    text: Text


Message: TypeAlias = (
    Hello
    | Proof
    | Pake
    | Confirm
    | Offer
    | Accept
    | Decline
    | Resume
    | Entry
    | Concede
    | Claim
    | Ping
    | Pong
    | Chat
    | Bye
)


# --- statements


class Commit(Struct, frozen=True, tag="commit", tag_field="t", forbid_unknown_fields=True):
    cards: Annotated[list[Hash], Meta(min_length=10, max_length=10)]
    next: Hash


class Reveal(Struct, frozen=True, tag="reveal", tag_field="t", forbid_unknown_fields=True):
    share: Secret
    next: Hash


class PlayCard(Struct, frozen=True, tag="play", tag_field="t", forbid_unknown_fields=True):
    at: Position
    card: Card
    salt: Secret
    value: Annotated[int, Meta(ge=-10, le=10)]


class EndTurn(Struct, frozen=True, tag="end", tag_field="t", forbid_unknown_fields=True):
    pass


class StandNow(Struct, frozen=True, tag="stand", tag_field="t", forbid_unknown_fields=True):
    pass


class LayDown(Struct, frozen=True, tag="lay", tag_field="t", forbid_unknown_fields=True):
    at: Position
    salt: Secret


class PassOn(Struct, frozen=True, tag="pass", tag_field="t", forbid_unknown_fields=True):
    pass


class Open(Struct, frozen=True, tag="open", tag_field="t", forbid_unknown_fields=True):
    deck: Annotated[list[Card], Meta(min_length=10, max_length=10)]
    salts: Annotated[list[Secret], Meta(min_length=10, max_length=10)]


Statement: TypeAlias = Commit | Reveal | PlayCard | EndTurn | StandNow | LayDown | PassOn | Open


class Body(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of an entry (section 6.1)."""

    n: U32
    by: SeatNumber
    prev: Hash
    say: Annotated[list[Statement], Meta(min_length=1, max_length=MAX_SAY)]
    state: Hash


# --- records (section 12)


class Player(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    key: Key


class Header(Struct, frozen=True, tag="record", tag_field="t", forbid_unknown_fields=True):
    v: Annotated[int, Meta(ge=1, le=65535)]
    seat: SeatNumber
    host: Player
    join: Player
    software: ShortText
    began: Annotated[int, Meta(ge=0, le=2**53)]


class RecordEnd(Struct, frozen=True, tag="end", tag_field="t", forbid_unknown_fields=True):
    termination: Annotated[str, Meta(max_length=32)]
    winner: SeatNumber | None
    opened: tuple[bool, bool]
    code: ShortText
    text: Text
