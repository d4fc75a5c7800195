"""``protocol/messages.schema.json``, made from the typed messages of the package.

msgspec can write JSON Schema itself, but shows bytes as base64; the contract shows them as hex of
an exact length, closes every object and describes it. So the types are walked here.
"""

from __future__ import annotations

import inspect
from enum import Enum
from pathlib import Path
from typing import Any, Final

import msgspec.inspect as mi

from pazaak_p2p.rules import Card
from pazaak_p2p.wire import messages as m
from tests.vectors_tools.shown import pretty

PROTOCOL: Final = Path(__file__).parents[2] / "protocol"
SCHEMA_FILE: Final = PROTOCOL / "messages.schema.json"

_MESSAGES: Final = (
    m.Hello,
    m.Proof,
    m.Pake,
    m.Confirm,
    m.Offer,
    m.Accept,
    m.Decline,
    m.Resume,
    m.Entry,
    m.Concede,
    m.Claim,
    m.Ping,
    m.Pong,
    m.Chat,
    m.Bye,
)
_STATEMENTS: Final = (
    m.Commit,
    m.Reveal,
    m.PlayCard,
    m.EndTurn,
    m.StandNow,
    m.LayDown,
    m.PassOn,
    m.Open,
)

_ABOUT: Final = {
    "hello": "The first message of both sides (section 5.1).",
    "proof": "The signature over the session id and the signer's role (sections 3, 5.1).",
    "pake": "The sender's part of a join code (section 5.4).",
    "confirm": "Shows that the sender knows the join code (section 5.4).",
    "offer": "The host offers a match (section 6).",
    "accept": "The joiner accepts it (section 6).",
    "decline": "The joiner does not.",
    "entry": "One signed entry of the transcript (section 6.1). The bytes of body are the msgpack"
    " encoding of #/$defs/body.",
    "resume": "Wants to go on with a match, and says how far its sender is (section 6.4).",
    "concede": "Gives the match up (section 10).",
    "claim": "Ends the match, since the other did not come back (section 10).",
    "ping": "Asks whether the other side is there (section 5.2).",
    "pong": "The answer to ping, with its n.",
    "chat": "Talk. Shown only with control and format characters escaped.",
    "bye": "Its sender closes the stream (section 5.3).",
    "commit": "Card commitments for the positions 0..9, and the share commitment for lot 0.",
    "reveal": "The author's share of the lot that is due, and its commitment to the next.",
    "play": "Plays a hand card (R8).",
    "end": "Ends the turn (R9).",
    "stand": "Stands (R9, R12).",
    "lay": "Lays down a tiebreaker at a tie (R17, tiebreaker: at-tie).",
    "pass": "Lays nothing at such a tie.",
    "open": "The audit: the whole side deck with its salts.",
    "body": "The body of an entry, encoded on its own and carried as bytes (section 6.1).",
    "record_header": "The first object of a record (section 12).",
    "record_end": "The last object of a record (section 12).",
    "rules": "The rules of a match (section 8). All keys are always present.",
    "player": "A player in a record's header.",
    "card": "A side card in its ASCII notation (section 8).",
    "bin32": "A bin of 32 bytes, shown here as lower-case hex.",
    "bin64": "A bin of 64 bytes, shown here as lower-case hex.",
}

_FIELDS: Final = {
    "hello.versions": "The protocol versions that the sender speaks.",
    "hello.name": "Its user's name.",
    "hello.key": "Its Ed25519 public key.",
    "hello.nonce": "Fresh random bytes.",
    "hello.software": "The name of its program.",
    "hello.features": "Empty, or code (section 5.4); unknown ones are ignored.",
    "hello.cert": "From the listener under TLS: SHA-256 of its certificate (DER). Else null.",
    "proof.sig": "Signature of frame(proof, session id, role).",
    "pake.m": "The byte 41 (listener) or 42 (dialler), and an element of SPAKE2.",
    "confirm.mac": "MAC of frame(confirm, session id, role).",
    "offer.nonce": "Fresh random bytes.",
    "accept.nonce": "Fresh random bytes.",
    "entry.body": "msgpack of #/$defs/body, 1 to 8192 bytes.",
    "entry.sig": "Signature of frame(entry, match id, body).",
    "resume.match": "The match id.",
    "resume.n": "How many entries its sender holds.",
    "resume.head": "The head that they make.",
    "resume.conceded": "The concessions that its sender holds, of either seat.",
    "concede.by": "The conceding seat: 0 host, 1 join.",
    "concede.head": "The head of the transcript as the sender knows it.",
    "concede.sig": "Signature of frame(concede, match id, by, head, reason).",
    "claim.by": "The claiming seat: 0 host, 1 join.",
    "claim.head": "The head of the transcript where a statement of the other seat is due.",
    "claim.sig": "Signature of frame(claim, match id, by, head).",
    "bye.text": "For the reasons cheat and protocol the refusal code (section 11).",
    "commit.cards": "Card commitments, by position.",
    "commit.next": "Share commitment for lot 0.",
    "reveal.share": "The author's share of the due lot k.",
    "reveal.next": "Its share commitment for lot k + 1.",
    "play.at": "Position in the side deck as committed.",
    "play.salt": "Opens the card commitment together with the card.",
    "play.value": "The value it is placed with (section 8).",
    "lay.at": "Position of an unplayed +-1T.",
    "lay.salt": "Opens its commitment.",
    "open.deck": "The side deck, by position.",
    "open.salts": "Its salts, by position.",
    "body.n": "Sequence number, from 0.",
    "body.by": "The author's seat: 0 host, 1 join.",
    "body.prev": "Hash of the entry before; the match id when n is 0.",
    "body.say": "Statements, in order.",
    "body.state": "Digest of the public state after them (section 9).",
    "record_header.seat": "The keeper's seat.",
    "record_header.began": "Unix time in whole seconds; 0 in seeded matches.",
    "record_end.winner": "The seat that won, null if nobody did.",
    "record_end.opened": "Who has opened the side deck: host, join.",
    "record_end.code": "What broke the match off (section 12), or empty.",
    "rules.max_sets": "null for no limit.",
    "rules.turn_seconds": "null for no limit.",
}

# The end of a record is its keeper's word and never decoded by a peer, so the types are wider than
# what the specification lists (section 12).
_TERMINATIONS: Final = ["normal", "cap", "concession", "time", "abandoned", "cheat"]


def schema() -> dict[str, Any]:
    """The whole schema as a JSON value."""
    defs: dict[str, Any] = {
        "message": _one_of(cls.__struct_config__.tag for cls in _MESSAGES),
        "statement": _one_of(cls.__struct_config__.tag for cls in _STATEMENTS),
        "record_object": _one_of(
            ("record_header", "offer", "accept", "entry", "concede", "claim", "record_end")
        ),
    }
    defs["message"]["description"] = "What can come over the stream (section 4)."
    defs["statement"]["description"] = "What an entry can say (section 6.2)."
    defs["record_object"]["description"] = "What can stand in a record (section 12)."
    for cls in (*_MESSAGES, *_STATEMENTS):
        defs[str(cls.__struct_config__.tag)] = _struct(cls)
    defs["body"] = _struct(m.Body)
    defs["record_header"] = _struct(m.Header)
    defs["record_header"]["properties"]["v"] = {"const": 1}
    defs["record_end"] = _struct(m.RecordEnd)
    defs["record_end"]["properties"]["termination"] = {"enum": _TERMINATIONS}
    defs["rules"] = _struct(m.RulesMap)
    defs["player"] = _struct(m.Player)
    defs["card"] = {"enum": [card.value for card in Card]}
    for size in (32, 64):
        defs[f"bin{size}"] = _hex(size, size)
    for name, about in _ABOUT.items():
        defs[name] = {"description": about, **defs[name]}
    for place, about in _FIELDS.items():
        name, _, field = place.partition(".")
        properties = defs[name]["properties"]
        properties[field] = {"description": about, **properties[field]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:pazaak:1:messages",
        "title": "The messages of the pazaak protocol, version 1",
        "description": "Made from the package's own types; SPECIFICATION.md is the authority."
        " On the wire everything is msgpack. Here a bin is a string of lower-case hex digits, and"
        " nil is null. The properties of an object are listed in the order in which they are sent."
        " A str's length counts Unicode code points.",
        "$ref": "#/$defs/message",
        "$defs": defs,
    }


def _one_of(names: Any) -> dict[str, Any]:
    return {"oneOf": [_ref(str(name)) for name in names]}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _struct(cls: type) -> dict[str, Any]:
    info = mi.type_info(cls)
    assert isinstance(info, mi.StructType)
    properties: dict[str, Any] = {}
    if info.tag_field is not None:
        properties[info.tag_field] = {"const": info.tag}
    for field in info.fields:
        properties[field.encode_name] = _shape(field.type)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_NAMED: Final[dict[type, str]] = {
    m.Player: "player",
    m.RulesMap: "rules",
    m.Concede: "concede",
}


def _shape(info: mi.Type) -> dict[str, Any]:
    match info:
        case mi.BytesType(min_length=low, max_length=high):
            if low == high and low in (32, 64):
                return _ref(f"bin{low}")
            return _hex(low or 0, high)
        case mi.StrType(min_length=low, max_length=high):
            return {"type": "string", **_given(minLength=low, maxLength=high)}
        case mi.IntType(ge=low, le=high):
            return {"type": "integer", **_given(minimum=low, maximum=high)}
        case mi.BoolType():
            return {"type": "boolean"}
        case mi.NoneType():
            return {"type": "null"}
        case mi.EnumType(cls=cls):
            return _ref("card") if cls is Card else _enum(cls)
        case mi.ListType(item_type=item, min_length=low, max_length=high):
            return {"type": "array", "items": _shape(item), **_given(minItems=low, maxItems=high)}
        case mi.TupleType(item_types=items):
            return {
                "type": "array",
                "prefixItems": [_shape(item) for item in items],
                "items": False,
                "minItems": len(items),
            }
        case mi.StructType(cls=cls):
            return _ref(_NAMED[cls])
        case mi.UnionType(types=types):
            if all(isinstance(each, mi.StructType) for each in types):
                return _ref("statement")
            return {"anyOf": [_shape(each) for each in types]}
        case _:
            raise TypeError(f"no shape for {info}")


def _enum(cls: type[Enum]) -> dict[str, Any]:
    shape: dict[str, Any] = {"enum": [member.value for member in cls]}
    about = inspect.getdoc(cls)
    return {"description": about.splitlines()[0], **shape} if about else shape


def _hex(low: int, high: int | None) -> dict[str, Any]:
    times = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
    return {"type": "string", "pattern": f"^([0-9a-f]{{2}}){times}$"}


def _given(**limits: int | None) -> dict[str, int]:
    return {name: limit for name, limit in limits.items() if limit is not None}


def text() -> str:
    """The schema as it stands in its file."""
    return pretty(schema())
