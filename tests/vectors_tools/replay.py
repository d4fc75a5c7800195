"""Vectors of sessions played again, every honest side by the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pazaak_p2p.rules import Action, SideDeck
from tests.vectors_tools import shown
from tests.vectors_tools.session import LABELS, Forged, Session, Step, Who


def replay(vector: dict[str, Any], piece: int = 1 << 20) -> Session:
    """The session that *vector* tells of, with every honest side played by the package.

    All that is sent arrives in pieces of *piece* bytes.
    """
    who = {label: Who.read(vector["sides"][label]) for label in LABELS}
    honest = [label for label in LABELS if vector["sides"][label]["honest"]]
    session = Session(who, honest, piece)
    for step in vector["steps"]:
        _DO[step["step"]](session, step)
    return session


def _send(session: Session, step: Step) -> None:
    side = session.sides[step["side"]]
    if isinstance(side, Forged):
        side.out = bytes.fromhex(step["bytes"])
    session.send(step["side"], step.get("late", False))


def _read_kit(step: Step) -> tuple[bytes, bytes, SideDeck]:
    nonce, secret = bytes.fromhex(step["nonce"]), bytes.fromhex(step["secret"])
    return nonce, secret, shown.read_deck(step["deck"])


def _choose(session: Session, step: Step) -> None:
    fields = {key: value for key, value in step.items() if key not in ("step", "side")}
    session.choose(step["side"], cast("Action", shown.read_input(fields)))


_DO: dict[str, Callable[[Session, Step], None]] = {
    "send": _send,
    "arrive": lambda session, step: session.arrive(step["side"]),
    "close": lambda session, step: session.close(step["side"]),
    "offer": lambda session, step: session.offer(
        step["side"], shown.read_rules(step["rules"]), *_read_kit(step)
    ),
    "accept": lambda session, step: session.accept(step["side"], *_read_kit(step)),
    "decline": lambda session, step: session.decline(step["side"], step["reason"], step["text"]),
    "resume": lambda session, step: session.resume(
        step["side"],
        bytes.fromhex(step["record"]),
        bytes.fromhex(step["secret"]),
        shown.read_deck(step["deck"]),
        step["away"],
    ),
    "choose": _choose,
    "concede": lambda session, step: session.concede(step["side"]),
    "chat": lambda session, step: session.chat(step["side"], step["text"]),
    "bye": lambda session, step: session.bye(step["side"], step["reason"]),
    "wait": lambda session, step: session.wait(step["seconds"]),
    "refuse": lambda session, step: None,  # it follows from what arrived
}


def one_sided(session: Session, honest: str) -> Session:
    """*session* again, of whose sides only *honest* is one of the package; the other only talks."""
    again = Session(session.who, [honest])
    for step in session.steps:
        # What the other one was told to do shows only in what it sends.
        if step.get("side", honest) == honest or step["step"] in ("send", "arrive", "close"):
            _DO[step["step"]](again, step)
    return again
