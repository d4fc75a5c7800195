"""The fields of every message, body and statement that a record can hold (sections 4, 6, 8, 12)."""

from .cards import NUMBER
from .decode import one_map
from .game import Rules
from .state_bytes import COPIES, NINE, OPENER, TIEBREAKER
from .verdict import Refusal

Map = dict[str, object]

STATEMENTS = {
    "commit": ("cards", "next"),
    "reveal": ("share", "next"),
    "play": ("at", "card", "salt", "value"),
    "end": (),
    "stand": (),
    "lay": ("at", "salt"),
    "pass": (),
    "open": ("deck", "salts"),
}


def wrong(what: str) -> Refusal:
    """The refusal of anything of the wrong shape."""
    return Refusal("malformed", what)


def has(value: Map, *names: str) -> None:
    """Exactly these keys."""
    if set(value) != set(names):
        raise wrong(f"keys {sorted(value)} instead of {sorted(names)}")


def submap(value: object) -> Map:
    """A map."""
    if not isinstance(value, dict):
        raise wrong("no map")
    return value


def binary(value: object, size: int) -> bytes:
    """A bin of this size."""
    if not isinstance(value, bytes) or len(value) != size:
        raise wrong(f"no bin of {size} bytes")
    return value


def integer(value: object, low: int, high: int) -> int:
    """An integer in this range; a boolean is none."""
    if type(value) is not int or not low <= value <= high:
        raise wrong(f"no integer from {low} to {high}")
    return value


def optional(value: object, low: int, high: int) -> int | None:
    """The same, or nil."""
    return None if value is None else integer(value, low, high)


def boolean(value: object) -> bool:
    """A boolean; an integer is none."""
    if type(value) is not bool:
        raise wrong("no boolean")
    return value


def text(value: object, low: int, high: int) -> str:
    """A str with so many code points."""
    if not isinstance(value, str) or not low <= len(value) <= high:
        raise wrong(f"no text of {low} to {high} code points")
    return value


def choice(value: object, choices: tuple[str, ...]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in choices:
        raise wrong(f"none of {choices}")
    return value


def array(value: object, low: int, high: int) -> list[object]:
    """An array of so many items."""
    if not isinstance(value, list) or not low <= len(value) <= high:
        raise wrong(f"no array of {low} to {high}")
    return value


def card(value: object) -> str:
    """A card in its notation."""
    return choice(value, tuple(NUMBER))


def rules(value: object) -> Rules:
    """The rules map (section 8)."""
    fields = submap(value)
    has(fields, *Rules.__dataclass_fields__)
    return Rules(
        copies=choice(fields["copies"], COPIES),
        gold=boolean(fields["gold"]),
        opener=choice(fields["opener"], OPENER),
        auto_stand=boolean(fields["auto_stand"]),
        nine=choice(fields["nine"], NINE),
        tiebreaker=choice(fields["tiebreaker"], TIEBREAKER),
        sets=integer(fields["sets"], 1, 9),
        max_sets=optional(fields["max_sets"], 1, 999),
        turn_seconds=optional(fields["turn_seconds"], 5, 3600),
    )


def offer(message: Map) -> Rules:
    """The rules of an offer."""
    has(message, "t", "rules", "nonce")
    binary(message["nonce"], 32)
    return rules(message["rules"])


def accept(message: Map) -> None:
    """An accept."""
    has(message, "t", "nonce")
    binary(message["nonce"], 32)


def entry(message: Map) -> tuple[bytes, bytes]:
    """Body and signature of an entry."""
    has(message, "t", "body", "sig")
    body = message["body"]
    if not isinstance(body, bytes) or not 1 <= len(body) <= 8192:
        raise wrong("no body of 1 to 8192 bytes")
    return body, binary(message["sig"], 64)


def concede(message: Map) -> tuple[int, bytes, str, bytes]:
    """Seat, head, reason and signature of a concession."""
    has(message, "t", "by", "head", "reason", "sig")
    by = integer(message["by"], 0, 1)
    reason = choice(message["reason"], ("concession", "time"))
    return by, binary(message["head"], 32), reason, binary(message["sig"], 64)


def claim(message: Map) -> tuple[int, bytes, bytes]:
    """Seat, head and signature of a claim."""
    has(message, "t", "by", "head", "sig")
    return (
        integer(message["by"], 0, 1),
        binary(message["head"], 32),
        binary(message["sig"], 64),
    )


def body(data: bytes) -> Map:
    """A checked body: `n`, `by`, `prev`, `say`, `state` (section 6.1)."""
    try:
        value = one_map(data)
    except Refusal as refusal:
        raise refusal if refusal.code == "too-deep" else wrong(f"a body with {refusal}") from None
    has(value, "n", "by", "prev", "say", "state")
    integer(value["n"], 0, 2**32 - 1)
    integer(value["by"], 0, 1)
    binary(value["prev"], 32)
    binary(value["state"], 32)
    for item in array(value["say"], 1, 8):
        statement(submap(item))
    return value


def statement(value: Map) -> None:
    """A statement (section 6.2)."""
    kind = choice(value.get("t"), tuple(STATEMENTS))
    has(value, "t", *STATEMENTS[kind])
    if kind == "commit":
        for item in array(value["cards"], 10, 10):
            binary(item, 32)
    if kind in ("commit", "reveal"):
        binary(value["next"], 32)
    if kind == "reveal":
        binary(value["share"], 32)
    if kind in ("play", "lay"):
        integer(value["at"], 0, 9)
        binary(value["salt"], 32)
    if kind == "play":
        card(value["card"])
        integer(value["value"], -10, 10)
    if kind == "open":
        for item in array(value["deck"], 10, 10):
            card(item)
        for item in array(value["salts"], 10, 10):
            binary(item, 32)
