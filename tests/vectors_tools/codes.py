"""``codes.json``: join codes, from what people type to whole greetings (section 5.4)."""

from __future__ import annotations

from typing import Any

from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.code_words import WORDS, NoCode, read_code
from pazaak_p2p.rules import Seat
from pazaak_p2p.wire import Role
from pazaak_p2p.wire.errors import Refusal
from pazaak_p2p.wire.pake import CodeExchange
from tests import spake
from tests.vectors_tools.forge import who_for
from tests.vectors_tools.primitives import example
from tests.vectors_tools.session import Session, Who

Vector = dict[str, Any]

CODE = "17-copper-lantern"
ROLES = (Role.LISTENER, Role.DIALLER)


def secret_of(role: Role, name: str = "code") -> bytes:
    """64 bytes that look like nothing, the same every time."""
    return example(f"{name} {role.value} 1") + example(f"{name} {role.value} 2")


def with_code(who: Who, role: Role, code: str) -> Who:
    """*who*, with a join code."""
    return Who(who.name, who.private_key, who.nonce, who.software, code, secret_of(role))


def codes() -> dict[str, Any]:
    """All of it."""
    return {
        "words": list(WORDS),
        "typed": [{"typed": text, "code": _read(text)} for text in _TYPED],
        "exchanges": [_exchange(code, name) for code, name in _EXCHANGES],
        "elements": [
            {"name": name, "m": m.hex(), "code": _refused(m)} for name, m in elements().items()
        ],
        "sessions": [_greeting()],
    }


_TYPED = (
    CODE,
    " 17 Copper  LANTERN\n",
    "017copper-lantern",
    "1 zodiac acorn",
    "99--acorn--acorn",
    "",
    "17",
    "copper lantern",
    "copper 17 lantern",
    "17 copper lantern acorn",
    "0-copper-lantern",
    "100-copper-lantern",
    "17-coper-lantern",
)
_EXCHANGES = ((CODE, "code"), ("1-acorn-zodiac", "another"), ("99-zebra-zebra", "a third"))


def _read(text: str) -> str | None:
    try:
        return read_code(text)
    except NoCode:
        return None


def _exchange(code: str, name: str) -> Vector:
    session_id = example(f"{name} session")
    secrets = {role: secret_of(role, name) for role in ROLES}
    sides = {role: CodeExchange(role, code, secrets[role], session_id) for role in ROLES}
    for role, side in sides.items():
        side.take_element(sides[role.other].element)
    key = spake.Side("listener", code, secrets[Role.LISTENER], session_id).key(
        sides[Role.DIALLER].element
    )
    return {
        "code": code,
        "session_id": session_id.hex(),
        "w": f"{spake.password(code):064x}",
        "listener_secret": secrets[Role.LISTENER].hex(),
        "dialler_secret": secrets[Role.DIALLER].hex(),
        "listener_m": sides[Role.LISTENER].element.hex(),
        "dialler_m": sides[Role.DIALLER].element.hex(),
        "k": key.hex(),
        "listener_mac": sides[Role.LISTENER].confirm().hex(),
        "dialler_mac": sides[Role.DIALLER].confirm().hex(),
    }


def listener() -> CodeExchange:
    """The listener that ``elements`` are shown to."""
    return CodeExchange(Role.LISTENER, CODE, secret_of(Role.LISTENER), example("code session"))


def elements() -> dict[str, bytes]:
    """What a dialler may send as its ``m``, by name."""
    good = CodeExchange(
        Role.DIALLER, CODE, secret_of(Role.DIALLER), example("code session")
    ).element
    ours = listener().element
    low = spake.decode(
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
    )
    off = next(y for y in range(2, 99) if spake.even_x(y) is None)
    high = next(y for y in range(spake.P + 2, 2**255) if spake.even_x(y - spake.P) is not None)
    points = {
        "zero": spake.encode(spake.ZERO),
        "zero with the sign bit": (1 | 1 << 255).to_bytes(32, "little"),
        "zero, not canonical": (spake.P + 1).to_bytes(32, "little"),
        "order 8": spake.encode(low),
        "order 8 L": spake.encode(spake.add(spake.BASE, low)),
        "not on the curve": off.to_bytes(32, "little"),
        "not canonical": high.to_bytes(32, "little"),
    }
    return {
        "good": good,
        "the base point": b"B" + spake.encode(spake.BASE),
        "of the listener's role": b"A" + good[1:],
        "of no role": b"S" + good[1:],
        **{name: b"B" + point for name, point in points.items()},
        "our own": ours,
        "our own, turned round": b"B" + ours[1:],
    }


def _refused(m: bytes) -> str | None:
    try:
        listener().take_element(m)
    except Refusal as error:
        return error.code
    return None


def _greeting() -> Vector:
    who = {
        role.value: with_code(who_for(SeedSecrets("codes", seat), name), role, CODE)
        for role, seat, name in zip(ROLES, Seat, ("Hope", "Joy"), strict=True)
    }
    session = Session(who)
    said = True
    while said:
        said = any([session.send(role.value) for role in ROLES])
    what = "Both sides know the code, and the session stands."
    return {"name": "a greeting with a code", "what": what, **session.show(moves=False)}
