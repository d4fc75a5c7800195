"""What a match prints: objects for a script, or lines for a person who looks on.

Everything is printed by a thread, so that a match goes on, and can be ended, also when nobody reads
what it prints.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from pazaak_p2p.cli.failure import as_failure, describe_failure, json_failure
from pazaak_p2p.cli.fitting import fitted
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.fairness.fingerprint import fingerprint
from pazaak_p2p.net.addresses import Way
from pazaak_p2p.net.errors import Left, resuming
from pazaak_p2p.net.player import Away
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
from pazaak_p2p.tui.writer import LineWriter
from pazaak_p2p.wire import events
from pazaak_p2p.wire.events import Event

Watch = Callable[[Event], None]


PATIENCE: Final = 1.0
"""Seconds that what is still to be printed may take when the user wants to leave."""


class Output:
    """Where a command tells what happens, and how.

    Within ``with`` it may be used; at the end it waits until all is printed, or for a second only
    if the user wants to leave. All methods but those of ``with`` return at once, and raise
    ``BrokenPipeError`` (or another ``OSError``) if nobody will ever read what is printed.
    """

    def __init__(self) -> None:
        self._writer = LineWriter()
        self._stdout = sys.stdout
        """Standard output, also while what a bot prints goes elsewhere."""
        self._hurry = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        in_a_hurry = self._hurry or isinstance(error, KeyboardInterrupt | Left)
        self._writer.drain(PATIENCE if in_a_hurry else None)
        if error is None:
            self._check()

    def code(self, code: str) -> None:
        """The join code is *code* from now on; whoever hosts is to hand it on."""
        self.say(f"The join code is: {code}")

    def listening(self, ways: Sequence[Way], port: int, *, code: bool = False) -> None:
        """We wait for opponents, who need a *code* or none."""
        self.say("Waiting for one opponent. They type:")
        lines = [f"{way.line} --code" if code else way.line for way in ways]
        self._list(lines, ways, port)

    def awaiting(self, ways: Sequence[Way], port: int, match_id: bytes, *, there: bool) -> None:
        """We wait for the other player of a match; *there* is whether they went here before."""
        again = resuming(match_id)
        self.say("Waiting for the other player. They type:")
        if there:
            self.say(f"  {again}")
            self.say("or, if this machine has another address by now:")
        lines = [f"{again} --join {way.target}" for way in ways]
        self._list(lines, ways, port)

    def _list(self, lines: Sequence[str], ways: Sequence[Way], port: int) -> None:
        width = max(map(len, lines), default=0)
        for line, way in zip(lines, ways, strict=True):
            self.say(f"  {line:<{width}}   ({way.where})")
        if not ways:
            self.say(f"  (this machine has no address now; port {port} is open on those it gets)")
        self.say("")

    def refused(self, address: str, what: str) -> None:
        """Somebody came from *address* who is no opponent; we wait on."""
        text = f"{address} is no opponent: {what}. Still waiting."
        self.complain(fitted(text, sys.stderr, head="pazaak: "))

    def turned_down(self, error: PazaakError) -> None:
        """An opponent came with whom there is no match, because of *error*; we wait on."""
        self.complain(f"{describe_failure(error)}\nStill waiting.")

    def restarted(self, note: str) -> None:
        """Our bot did something wrong and is started again, as *note* tells."""
        self.complain(fitted(note, sys.stderr, head="pazaak: "))

    def given_up(self, match_id: bytes, record: Path) -> None:
        """The match is dropped; its *record* stays."""
        self.say(f"Given up. The record stays: {printable(str(record), 1000)}")

    def watch(self, address: str) -> Watch:
        """What is to be called with every event of the session with *address*."""
        raise NotImplementedError

    def away(self, away: Away) -> None:
        """The other side is away, and waited for."""

    def claimed(self, report: MatchReport) -> None:
        """Our player has claimed the match, since the other did not come back."""
        self.say("You have claimed the match, since the other player did not come back (R21).")
        self.say("They are told when you meet again: whoever of you waits, and whoever joins.")

    def result(self, report: MatchReport) -> None:
        """A match is over, or was broken off."""
        if report.record is not None:
            self.say(f"Record: {printable(str(report.record), 1000)}")

    def failure(self, error: BaseException, *, debug: bool) -> int:
        """Something went wrong; the exit code that goes with it."""
        failure = as_failure(error)
        self._hurry = isinstance(failure, Left)
        if debug:
            self.complain("".join(traceback.format_exception(error)).rstrip())
        self.tell(failure)
        return failure.exit_code

    def tell(self, failure: PazaakError) -> None:
        """Say what *failure* means for the user."""
        self.complain(describe_failure(failure))

    def say(self, line: str) -> None:
        """Print *line* on standard output."""
        self._check()
        self._writer.write(self._stdout, line)

    def complain(self, line: str) -> None:
        """Print *line* on standard error."""
        self._check()
        self._writer.write(sys.stderr, line)

    async def settled(self) -> None:
        """Wait, but not for long, until all is printed, if a screen may be put there next."""

    def _check(self) -> None:
        if self._writer.broken is not None:
            raise self._writer.broken


class JsonOutput(Output):
    """One object a line on standard output, each with ``event``."""

    def code(self, code: str) -> None:
        self.emit("code", code=code)

    def listening(self, ways: Sequence[Way], port: int, *, code: bool = False) -> None:
        self.emit("listening", addresses=[str(way.address) for way in ways], port=port)

    def awaiting(self, ways: Sequence[Way], port: int, match_id: bytes, *, there: bool) -> None:
        self.listening(ways, port)

    def refused(self, address: str, what: str) -> None:
        self.emit("refused", address=address, code="stranger", what=what, why=None, next=None)
        super().refused(address, what)

    def turned_down(self, error: PazaakError) -> None:
        parts = {"code": error.code, "what": error.what, "why": error.why, "next": error.next}
        self.emit("refused", address=None, **parts)
        super().turned_down(error)

    def restarted(self, note: str) -> None:
        self.emit("restart", note=note)
        super().restarted(note)

    def given_up(self, match_id: bytes, record: Path) -> None:
        self.emit("given-up", match_id=match_id.hex(), record=str(record))

    def watch(self, address: str) -> Watch:
        return _JsonMatch(address, self.emit).watch

    def away(self, away: Away) -> None:
        self.emit("away", seconds=away.seconds, claim_in=away.claim_in)

    def claimed(self, report: MatchReport) -> None:
        self.emit("claim", seat=str(report.seat), match_id=report.match_id.hex())

    def result(self, report: MatchReport) -> None:
        winner = report.outcome.winner
        self.emit(
            "result",
            winner=None if winner is None else str(winner),
            sets=list(report.won),
            termination=report.outcome.termination.value,
            transcript=report.head.hex(),
            record=None if report.record is None else str(report.record),
            match_id=report.match_id.hex(),
            opened=list(report.opened),
            unfinished=report.unfinished,
        )

    def tell(self, failure: PazaakError) -> None:
        self.say(json_failure(failure))

    def emit(self, event: str, **fields: object) -> None:
        # Escaped to ASCII: names are as the other side wrote them, perhaps meant for a terminal.
        self.say(json.dumps({"event": event, **fields}))


class _JsonMatch:
    def __init__(self, address: str, emit: Callable[..., None]) -> None:
        self._address = address
        self._emit = emit
        self._sets = 0
        self._match_id = ""

    def watch(self, event: Event) -> None:
        if isinstance(event, events.Started | events.Resumed):
            self._match_id = event.match_id.hex()
        match event:
            case events.Greeted(name, key, software):
                peer = {
                    "name": name,
                    "fingerprint": fingerprint(key),
                    "address": self._address,
                    "software": software,
                }
                self._emit("connected", peer=peer)
            case events.Started(match_id, seat, rules):
                self._sets = 0
                self._emit("match", match_id=match_id.hex(), seat=str(seat), rules=describe(rules))
            case events.Resumed(match_id, seat, rules, state):
                self._sets = len(state.results)
                self._emit(
                    "back",
                    match_id=match_id.hex(),
                    seat=str(seat),
                    rules=describe(rules),
                    sets=list(state.won),
                )
            case events.Moved(moved, seat, state):
                self._moved(moved, seat, state)
            case events.Ended(claimed=True, outcome=outcome):
                self._emit("claim", seat=str(outcome.winner), match_id=self._match_id)

    def _moved(self, moved: Any, seat: Seat | None, state: State) -> None:
        finished = state.results[self._sets] if len(state.results) > self._sets else None
        common = {
            "set": self._sets + 1,
            "seat": str(seat),
            "total": _total(seat, state, finished),
        }
        match moved:
            case Draw(card):
                self._emit("draw", **common, card=card)
            case Play(at, card, value):
                self._emit("act", **common, action="play", card=card.ascii, value=value, at=at)
            case End():
                self._emit("act", **common, action="end")
            case Stand():
                self._emit("act", **common, action="stand")
            case Lay(at):
                self._emit("act", **common, action="lay", at=at)
            case Pass():
                self._emit("act", **common, action="pass")
            case Leave(left, termination):
                self._emit("act", **common | {"seat": str(left)}, action=termination.value)
        if finished is not None:
            self._sets += 1
            winner = finished.winner
            self._emit(
                "set",
                number=finished.number,
                totals=list(finished.totals),
                winner=None if winner is None else str(winner),
                reason=finished.reason.value,
                sets=list(state.won),
            )


class LineOutput(Output):
    """Lines on standard output, for whoever looks on while a bot plays the seat."""

    def watch(self, address: str) -> Watch:
        # prompt_toolkit comes along with these, so only a match pays for it.
        from pazaak_p2p.tui.glyphs import glyphs_for
        from pazaak_p2p.tui.lines import plain
        from pazaak_p2p.tui.story import Story

        story = Story(glyphs_for(self._stdout.encoding))

        def watch(event: Event) -> None:
            if isinstance(event, events.Greeted):
                self.say(f" Connected with {address}, key {fingerprint(event.key)}.")
            for line in story.tell(event):
                self.say(plain(line))

        return watch

    def away(self, away: Away) -> None:
        # A bot claims nothing by itself, so there is no more to say.
        if away.claim_in != 0:
            self.say(f" The other side is away. Waiting for it, up to {away.seconds:.0f} seconds.")


class PersonOutput(Output):
    """Nothing during a match, since the person's own screen shows it."""

    def claimed(self, report: MatchReport) -> None:
        """Nothing: the screen is told."""

    def watch(self, address: str) -> Watch:
        return lambda event: None

    async def settled(self) -> None:
        await self._writer.drained(PATIENCE)


def make_output(*, json: bool, bot: bool) -> Output:
    """What fits a seat that is played by a *bot*, or by a person."""
    if json:
        return JsonOutput()
    return LineOutput() if bot else PersonOutput()


def _total(seat: Seat | None, state: State, finished: SetResult | None) -> int | None:
    if seat is None:
        return None
    return (state if finished is None else finished).totals[seat]
