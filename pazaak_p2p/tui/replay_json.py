"""A recorded match as JSON: every step with the state after it (``protocol/replay.md``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from json import dumps
from typing import Any, Final

from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.rules import (
    Deal,
    Draw,
    End,
    FirstMove,
    Hand,
    Lay,
    Leave,
    Opening,
    Outcome,
    Pass,
    Phase,
    Play,
    Seat,
    SetResult,
    SideDeck,
    Stand,
    State,
    Table,
    describe,
)
from pazaak_p2p.text import printable
from pazaak_p2p.tui.replay_record import Happening, Opened, Recording, Side

FORMAT: Final = "pazaak-replay"
VERSION: Final = 1


def as_json(recording: Recording, side: Side, verdict: Mapping[str, Any]) -> Iterator[str]:
    """The pieces of one JSON document, a step on each line; from a seat, with what that seat saw.

    *verdict* is the object that ``pazaak verify --json`` gives of the record.
    """
    head = {"format": FORMAT, "version": VERSION, "seen": side.value, "match": _match(recording)}
    yield f"{dumps(head)[:-1]},\n"
    yield f'"verdict": {dumps(dict(verdict))},\n"steps": [\n'
    for at in range(recording.last + 1):
        yield dumps(_step(recording, side, at)) + ("\n" if at == recording.last else ",\n")
    yield "]}\n"


def _match(recording: Recording) -> dict[str, Any]:
    verdict = recording.verdict
    assert verdict.rules is not None
    assert verdict.players is not None
    return {
        "id": verdict.match_id.hex(),
        "began": verdict.began or None,
        "rules": describe(verdict.rules),
        "keeper": str(recording.keeper),
        "players": {
            str(seat): {
                "name": printable(player.name),
                "key": player.key.hex(),
                "fingerprint": fingerprint(player.key),
            }
            for seat, player in zip(Seat, verdict.players, strict=True)
        },
        "decks": {str(seat): _deck(recording.decks[seat]) for seat in Seat},
    }


def _step(recording: Recording, side: Side, at: int) -> dict[str, Any]:
    step = recording.steps[at]
    result = recording.result(at)
    return {
        "step": at + 1,
        "entry": step.entry,
        "seat": _seat(step.seat),
        "what": _what(step.what, first=at == 0),
        "result": None if result is None else _result(result),
        "state": _state(recording.seen(at, side).state),
    }


def _what(what: Happening, *, first: bool) -> dict[str, Any]:
    match what:
        case None:
            return {"kind": "start" if first else "end-of-record"}
        case Deal(host, join):
            return {"kind": "deal", "host": list(host), "join": list(join)}
        case Opening(host, join):
            return {"kind": "opening", "host": host, "join": join}
        case FirstMove(seat):
            return {"kind": "first-move", "opener": str(seat)}
        case Draw(card):
            return {"kind": "draw", "card": card}
        case Play(at, card, value):
            return {"kind": "play", "at": at, "card": card.ascii, "value": value}
        case End():
            return {"kind": "end"}
        case Stand():
            return {"kind": "stand"}
        case Lay(at):
            return {"kind": "lay", "at": at}
        case Pass():
            return {"kind": "pass"}
        case Leave(_, termination):
            return {"kind": "leave", "termination": termination.value}
        case Opened(deck):
            return {"kind": "open", "deck": _deck(deck)}


def _state(state: State) -> dict[str, Any]:
    return {
        "phase": Phase(state.phase).name.lower(),
        "set": len(state.results) + (state.outcome is None),
        "mover": _seat(state.mover),
        "opener": _seat(state.opener),
        "hands": {str(seat): _hand(state.hands[seat]) for seat in Seat},
        "tables": {str(seat): _table(state.tables[seat]) for seat in Seat},
        "totals": list(state.totals),
        "stood": list(state.stood),
        "played": state.played,
        "deck": list(state.deck),
        "won": list(state.won),
        "outcome": None if state.outcome is None else _outcome(state.outcome),
    }


def _result(result: SetResult) -> dict[str, Any]:
    return {
        "set": result.number,
        "opener": str(result.opener),
        "winner": _seat(result.winner),
        "reason": result.reason.value,
        "totals": list(result.totals),
        "stood": list(result.stood),
        "tables": {str(seat): _table(result.tables[seat]) for seat in Seat},
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {"termination": outcome.termination.value, "winner": _seat(outcome.winner)}


def _hand(hand: Hand) -> list[dict[str, Any]]:
    return [
        {
            "at": held.position,
            "card": None if held.card is None else held.card.ascii,
            "played": held.played,
        }
        for held in hand
    ]


def _table(table: Table) -> list[dict[str, Any]]:
    return [
        {"card": None if placed.card is None else placed.card.ascii, "value": placed.value}
        for placed in table
    ]


def _deck(deck: SideDeck | None) -> list[str] | None:
    return None if deck is None else [card.ascii for card in deck]


def _seat(seat: Seat | None) -> str | None:
    return None if seat is None else str(seat)
