"""How the vectors show things: typed values as JSON with hex, and JSON that people can read."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from pazaak_p2p.rules import (
    Action,
    Card,
    Chance,
    Deal,
    Draw,
    End,
    FirstMove,
    Input,
    Lay,
    Leave,
    Opening,
    Pass,
    Play,
    Rules,
    Seat,
    Stand,
    State,
    public_bytes,
)
from pazaak_p2p.rules import digest as state_digest

_WIDTH: Final = 110

_DO: Final[dict[type, str]] = {
    Deal: "deal",
    Opening: "opening",
    FirstMove: "opener",
    Draw: "draw",
    Play: "play",
    End: "end",
    Stand: "stand",
    Lay: "lay",
    Pass: "pass",
    Leave: "leave",
}
_CLASS: Final = {name: cls for cls, name in _DO.items()}


def shown(value: Any) -> Any:
    """A typed value as JSON: bytes as hex, enums as their values."""
    return _hexed(msgspec.to_builtins(value, builtin_types=(bytes,)))


def _hexed(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: _hexed(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_hexed(each) for each in value]
    return value


def show_input(input_: Input) -> dict[str, Any]:
    """An input of the rules as JSON, its kind under ``do``."""
    return {"do": _DO[type(input_)], **shown(input_)}


def read_input(value: dict[str, Any]) -> Input:
    """The input that :func:`show_input` showed."""
    fields = {key: each for key, each in value.items() if key not in ("do", "by")}
    made: Action | Chance | Leave = msgspec.convert(fields, _CLASS[value["do"]])
    return made


def show_rules(rules: Rules) -> dict[str, Any]:
    """The rules map (specification, section 8)."""
    fields: dict[str, Any] = shown(rules)
    return fields


def read_rules(value: dict[str, Any]) -> Rules:
    return msgspec.convert(value, Rules)


def show_deck(deck: tuple[Card, ...]) -> str:
    """Cards on one line, in ASCII."""
    return " ".join(card.ascii for card in deck)


def read_deck(text: str) -> tuple[Card, ...]:
    return tuple(Card(word) for word in text.split())


def show_state(state: State) -> dict[str, Any]:
    """The fields of the public state in the order of their bytes (specification, section 9)."""
    deck = [state.deck.count(rank) for rank in range(1, 11)]
    outcome = state.outcome
    return {
        "phase": state.phase.name.lower(),
        "rules": show_rules(state.rules),
        "sets_finished": len(state.results),
        "sets_won": list(state.won),
        "opener": _seat(state.opener),
        "mover": _seat(state.mover),
        "played": state.played,
        "laid": state.laid[0] + 2 * state.laid[1],
        "deck": deck,
        "host": _side(state, Seat.HOST),
        "join": _side(state, Seat.JOIN),
        "termination": None if outcome is None else outcome.termination.value,
        "winner": None if outcome is None else _seat(outcome.winner),
    }


def _seat(seat: Seat | None) -> int | None:
    return None if seat is None else int(seat)


def _side(state: State, seat: Seat) -> dict[str, Any]:
    return {
        "stands": state.stood[seat],
        "table": [
            [None if placed.card is None else placed.card.ascii, placed.value]
            for placed in state.tables[seat]
        ],
        "total": state.totals[seat],
        "hand": [
            [held.position, held.card.ascii if held.played and held.card is not None else None]
            for held in state.hands[seat]
        ],
    }


def state_vector(state: State) -> dict[str, str]:
    """The bytes of a public state and their digest."""
    return {"bytes": public_bytes(state).hex(), "digest": state_digest(state).hex()}


def pretty(value: Any) -> str:
    """JSON text in which whatever fits on a line stands on one."""
    return _pretty(value, 0) + "\n"


def _pretty(value: Any, indent: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(line) + indent <= _WIDTH:
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        inner = [
            f"{pad}{json.dumps(key, ensure_ascii=False)}: {_pretty(each, indent + 1)}"
            for key, each in value.items()
        ]
        return "{\n" + ",\n".join(inner) + "\n" + " " * indent + "}"
    inner = [pad + _pretty(each, indent + 1) for each in value]
    return "[\n" + ",\n".join(inner) + "\n" + " " * indent + "]"
