"""What a match prints: objects for a script, or lines for a person who looks on."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pazaak_p2p.cli.failure import show_failure
from pazaak_p2p.net.addresses import Way
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import (
    Draw,
    End,
    Lay,
    Leave,
    Pass,
    Play,
    Seat,
    SetResult,
    Stand,
    State,
    describe,
)
from pazaak_p2p.text import printable
from pazaak_p2p.wire import events
from pazaak_p2p.wire.events import Event

Watch = Callable[[Event], None]


class Output(Protocol):
    """Where a command tells what happens. All may raise ``BrokenPipeError``."""

    def listening(self, ways: Sequence[Way], port: int) -> None:
        """We wait for opponents."""

    def watch(self, address: str) -> Watch:
        """What is to be called with every event of the session with *address*."""

    def result(self, report: MatchReport) -> None:
        """A match is over, or was broken off."""

    def failure(self, error: BaseException, *, debug: bool) -> int:
        """Something went wrong; the exit code that goes with it."""


class JsonOutput:
    """One object a line on standard output, each with ``event``."""

    def listening(self, ways: Sequence[Way], port: int) -> None:
        _emit("listening", addresses=[str(way.address) for way in ways], port=port)

    def watch(self, address: str) -> Watch:
        return _JsonMatch(address).watch

    def result(self, report: MatchReport) -> None:
        winner = report.outcome.winner
        _emit(
            "result",
            winner=None if winner is None else str(winner),
            sets=list(report.won),
            termination=report.outcome.termination.value,
            transcript=report.head.hex(),
            record=None if report.record is None else str(report.record),
            match_id=report.match_id.hex(),
            opened=list(report.opened),
        )

    def failure(self, error: BaseException, *, debug: bool) -> int:
        return show_failure(error, json=True, debug=debug)


class _JsonMatch:
    def __init__(self, address: str) -> None:
        self._address = address
        self._sets = 0

    def watch(self, event: Event) -> None:
        match event:
            case events.Greeted(name, key, software):
                peer = {
                    "name": name,
                    "fingerprint": fingerprint(key),
                    "address": self._address,
                    "software": software,
                }
                _emit("connected", peer=peer)
            case events.Started(match_id, seat, rules):
                self._sets = 0
                _emit("match", match_id=match_id.hex(), seat=str(seat), rules=describe(rules))
            case events.Moved(moved, seat, state):
                self._moved(moved, seat, state)

    def _moved(self, moved: Any, seat: Seat | None, state: State) -> None:
        finished = state.results[self._sets] if len(state.results) > self._sets else None
        common = {
            "set": self._sets + 1,
            "seat": str(seat),
            "total": _total(seat, state, finished),
        }
        match moved:
            case Draw(card):
                _emit("draw", **common, card=card)
            case Play(at, card, value):
                _emit("act", **common, action="play", card=card.ascii, value=value, at=at)
            case End():
                _emit("act", **common, action="end")
            case Stand():
                _emit("act", **common, action="stand")
            case Lay(at):
                _emit("act", **common, action="lay", at=at)
            case Pass():
                _emit("act", **common, action="pass")
            case Leave(left, termination):
                _emit("act", **common | {"seat": str(left)}, action=termination.value)
        if finished is not None:
            self._sets += 1
            winner = finished.winner
            _emit(
                "set",
                number=finished.number,
                totals=list(finished.totals),
                winner=None if winner is None else str(winner),
                reason=finished.reason.value,
                sets=list(state.won),
            )


class LineOutput:
    """Lines on standard output, for whoever looks on while a bot plays the seat."""

    def listening(self, ways: Sequence[Way], port: int) -> None:
        print_ways(ways)

    def watch(self, address: str) -> Watch:
        # prompt_toolkit comes along with these, so only a match pays for it.
        from pazaak_p2p.tui.glyphs import glyphs_for
        from pazaak_p2p.tui.lines import plain
        from pazaak_p2p.tui.story import Story

        story = Story(glyphs_for(sys.stdout.encoding))

        def watch(event: Event) -> None:
            if isinstance(event, events.Greeted):
                print(f" Connected with {address}, key {fingerprint(event.key)}.")
            for line in story.tell(event):
                print(plain(line))
            sys.stdout.flush()

        return watch

    def result(self, report: MatchReport) -> None:
        print_result(report)

    def failure(self, error: BaseException, *, debug: bool) -> int:
        return show_failure(error, json=False, debug=debug)


class PersonOutput:
    """Nothing during a match, since the person's own screen shows it."""

    def listening(self, ways: Sequence[Way], port: int) -> None:
        print_ways(ways)

    def watch(self, address: str) -> Watch:
        return lambda event: None

    def result(self, report: MatchReport) -> None:
        print_result(report)

    def failure(self, error: BaseException, *, debug: bool) -> int:
        return show_failure(error, json=False, debug=debug)


def make_output(*, json: bool, bot: bool) -> Output:
    """What fits a seat that is played by a *bot*, or by a person."""
    if json:
        return JsonOutput()
    return LineOutput() if bot else PersonOutput()


def fingerprint(key: bytes) -> str:
    """What people compare to know a player's key: the first 16 bytes of its SHA-256, in hex."""
    return hashlib.sha256(key).hexdigest()[:32]


def print_ways(ways: Sequence[Way]) -> None:
    """Say how the other side gets here."""
    print("Waiting for one opponent. They type:")
    width = max(len(way.line) for way in ways)
    for way in ways:
        print(f"  {way.line:<{width}}   ({way.where})")
    print(flush=True)


def print_result(report: MatchReport) -> None:
    """Say where the record of a match is."""
    if report.record is not None:
        print(f"Record: {printable(str(report.record), 1000)}", flush=True)


def _total(seat: Seat | None, state: State, finished: SetResult | None) -> int | None:
    if seat is None:
        return None
    return (state if finished is None else finished).totals[seat]


def _emit(event: str, **fields: object) -> None:
    # Escaped to ASCII: names are as the other side wrote them, and may be meant for a terminal.
    print(json.dumps({"event": event, **fields}), flush=True)
