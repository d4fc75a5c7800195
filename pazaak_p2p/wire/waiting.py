"""What the other side is waited for, since when, and what it means if it does not come."""

from __future__ import annotations

from pazaak_p2p.rules import Outcome, Phase, Termination
from pazaak_p2p.wire import cheats
from pazaak_p2p.wire.clock import Alarm, Deadline, Watch
from pazaak_p2p.wire.lobby import Lobby
from pazaak_p2p.wire.match import Match
from pazaak_p2p.wire.messages import ByeReason
from pazaak_p2p.wire.terms import Kind


class Waiting:
    """Holds *watch* to what is due in the matches of *lobby*."""

    def __init__(self, lobby: Lobby, watch: Watch) -> None:
        self._lobby = lobby
        self._watch = watch
        self._seen: tuple[Match | None, bool] = (None, False)

    def deadline(self) -> Deadline:
        """The earliest deadline."""
        match = self._lobby.match
        on = self._lobby.playing and not self._lobby.catching_up
        return self._watch.deadline(match.seat if on and match is not None else None)

    def notice(self, now: float) -> None:
        """Notice what is waited for since *now*, if that has changed."""
        lobby, watch = self._lobby, self._watch
        match = lobby.match
        if (match, lobby.playing) != self._seen:
            self._seen = (match, lobby.playing)
            watch.lobby_since = now
        if match is None or not lobby.playing or lobby.catching_up:
            watch.await_statement(None, (0, False), None, now)
            return
        transcript, awaited = match.transcript, match.awaited
        # A turn is the lot that is drawn in it, before and after it is known; the question at a tie
        # (R17) has a clock of its own.
        acting = awaited is not None and awaited.kind is Kind.ACT
        turn = (transcript.lots - acting, transcript.state.phase is Phase.TIE)
        watch.await_statement(awaited, turn, transcript.terms.rules.turn_seconds, now)

    def end(self, alarm: Alarm) -> tuple[ByeReason, str]:
        """The other side is there and keeps back what *alarm* is about: that ends the match.

        The goodbye that is to be said. Raises a ``Cheat`` if it counts as one.
        """
        match = self._lobby.running()
        if alarm is Alarm.THEIR_TURN:
            self._lobby.finish(Outcome(Termination.TIME, match.seat), code="turn_seconds")
            return ByeReason.TIMEOUT, "turn_seconds"
        due = match.awaited
        assert due is not None
        if due.kind is Kind.OPEN and match.decided is not None:
            # Whoever did not win changes nothing by refusing (section 10); the record says so.
            self._lobby.break_off(code=cheats.WillNotOpen.code)
            return ByeReason.DONE, ""
        cheat = cheats.WillNotOpen if due.kind is Kind.OPEN else cheats.WillNotReveal
        raise cheat(due.seat, match.transcript.length)
