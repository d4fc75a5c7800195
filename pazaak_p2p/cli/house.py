"""What the door of a listening seat opens to: for ``host``, and for a host who resumes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import trio

from pazaak_p2p.cli.claiming import claim_event
from pazaak_p2p.cli.code_asked import gate_for
from pazaak_p2p.cli.failure import tell_way_back
from pazaak_p2p.cli.introduction import Introductions, NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.lease import Lease
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.cli.seat import SeatPlayer
from pazaak_p2p.cli.strangers import Strangers
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.code_gate import CodeGate
from pazaak_p2p.net.errors import Busy, Left, Undecided, WrongOpponent
from pazaak_p2p.net.house import Place
from pazaak_p2p.net.lasting import OBLIGING_SECONDS, ClaimWanted, Patience, wait_for
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import (
    DOUBT_SECONDS,
    BusySeating,
    HostSeating,
    Kit,
    Later,
    ResumeSeating,
    ReturnSeating,
    Seating,
)
from pazaak_p2p.net.tls import Line
from pazaak_p2p.rules import Rules, Seat
from pazaak_p2p.store import NoRecord
from pazaak_p2p.store.meeting import NameTaken
from pazaak_p2p.store.names import shown_name
from pazaak_p2p.wire import Role
from pazaak_p2p.wire.events import Greeted
from pazaak_p2p.wire.resuming import Interrupted


class House:
    """See :class:`pazaak_p2p.net.house.House`.

    While a match *rests*, nobody but its other player comes in; otherwise everyone is offered one
    by *rules*. After a match there can be another one, with the same player and nobody else.
    *stood* is how a match stands that rests to begin with.
    """

    def __init__(
        self,
        entrant: Entrant,
        seat: SeatPlayer,
        output: Output,
        records: Path,
        known: Introductions | NoIntroductions,
        route: Route,
        *,
        rules: Rules | None = None,
        grace: float,
        sync: bool,
        forever: bool = False,
        debug: bool = False,
        rests: Keeping | None = None,
        stood: MatchReport | None = None,
    ) -> None:
        self._entrant = entrant
        self._seat = seat
        self._output = output
        self._records = records
        self._known = known
        self._route = route
        self._rules = rules
        self._grace = grace
        self._sync = sync
        self._forever = forever
        self._debug = debug
        self._rests = rests
        self._kept = rests
        self._patience = Patience(grace, stood)
        self._up = False
        self._sessions = 0
        self._matches = 0
        self._playing: Pump | None = None
        self._told: PazaakError | None = None
        self._asked: NameTaken | None = None
        self._claimed: MatchReport | None = None
        self._only: bytes | None = None
        """The key of the player who may come in, if nobody else may: who plays again."""
        self._awaited: bytes | None = None
        """The key of one who has played, while our player may still want another match."""
        self._strangers = Strangers(output)

        self.waiting = trio.CancelScope()
        """Ends the wait for the other side of a match that *stood* decided: it need not come."""
        if stood is not None and not stood.open:
            self.waiting.deadline = trio.current_time() + min(grace, OBLIGING_SECONDS)

        self.gate: CodeGate | None = None
        """What judges join codes, if the host asks for them."""

    def ask_for_code(self, own: str | None) -> None:
        """Let in only who knows the join code: the user's *own*, or a new one, which is told."""
        self.gate = gate_for(own, self._output, lambda: self._playing is not None)

    def receive(self, stream: Line, place: Place, since: float) -> Pump:
        record: RecordSink = NoRecord()
        seating: Seating = BusySeating()
        if place.returns:
            if self._kept is not None:  # else the match is over that was on when it came
                record = lease = Lease(self._kept)
                seating = self._returning(self._kept, lease, place, lambda: pump)
        elif self._rests is not None:
            record = lease = Lease(self._rests)
            seating = self._same_match(self._rests, lease, place, lambda: pump)
        elif self._rules is not None:
            record = kept = Keeping(
                self._entrant,
                self._seat,
                self._records,
                self._route,
                sync=self._sync,
                complain=self._output.complain,
            )
            seating = self._new_match(self._rules, kept, place, lambda: pump)
        session = self._sessions
        self._sessions += 1
        code, judge = None, None
        busy = not isinstance(seating, HostSeating)  # then one goes by its key
        if self.gate is not None and not busy:
            code = self.gate.code
            judge = partial(self.gate.judge, code)
        pump = Pump(
            stream,
            self._entrant.peer(Role.LISTENER, session, since, stream.certificate, code, busy),
            self._entrant.name,
            seating,
            self._seat,
            record,
            [self._output.watch(stream.remote), self._known.watch()],
            judge,
        )
        return pump

    def _new_match(
        self, rules: Rules, kept: Keeping, place: Place, pump: Callable[[], Pump]
    ) -> Seating:
        words = ""

        def welcome(event: Greeted) -> None:
            nonlocal words
            if event.key == self._awaited:
                self._awaited = None
                self._seat.tell(f"{shown_name(event.name)} wants to play again.")
            check()
            if self._only not in (None, event.key):
                raise WrongOpponent
            place.greeted()
            words = self._known.introduce(event)

        def check() -> None:
            if self._rests is not None:  # since this one has come: the door is its opponent's now
                raise Busy

        def take() -> None:
            check()
            place.take()
            self._playing = playing = pump()
            assert playing.greeting is not None
            kept.meet(playing.greeting.key)
            self._kept = kept
            self._patience = Patience(self._grace)
            self._sit()
            self._seat.tell(words)

        def find(match_id: bytes, key: bytes) -> Interrupted | None:
            if self._playing not in (None, pump()):
                raise Busy  # perhaps with that match, which nobody else can open then
            interrupted = kept.find(match_id, key)
            if interrupted is not None:
                try:
                    take()
                except Busy:
                    kept.close()
                    raise
            return interrupted

        def bring() -> Kit:
            return kept.bring(self._entrant.kit(self._matches))

        def doubt(error: PazaakError) -> Later | None:
            if not isinstance(error, NameTaken) or not self._known.can_ask(error):
                return None
            place.take()  # nobody else comes in while our player is asked
            self._playing = pump()
            return partial(self._settle, error)

        return HostSeating(rules, bring, welcome, find, take, doubt)

    async def _settle(self, error: NameTaken) -> None:
        """Ask our player about one who comes. Raises *error* if it is not to come in."""
        self._asked = error
        with trio.move_on_after(DOUBT_SECONDS):
            yes = await self._known.ask(error, self._output)
            self._asked = None
            if yes:
                return
            raise error
        raise Undecided

    def _same_match(
        self, kept: Keeping, lease: Lease, place: Place, pump: Callable[[], Pump]
    ) -> Seating:
        def take() -> Interrupted:
            if self._rests is not kept:
                raise Busy
            place.greeted()
            return self._take_up(kept, lease, place, pump())

        return ResumeSeating(kept.match_id, kept.opponent, take, from_the_start=False)

    def _returning(
        self, kept: Keeping, lease: Lease, place: Place, pump: Callable[[], Pump]
    ) -> Seating:
        async def make_way() -> None:
            if self._kept is not kept:  # that match is over, and another may be on
                raise Busy
            await place.make_way()

        def take() -> Interrupted:
            if self._rests is not kept:
                raise Busy
            return self._take_up(kept, lease, place, pump())

        return ReturnSeating(kept.match_id, kept.opponent, make_way, take)

    def _take_up(self, kept: Keeping, lease: Lease, place: Place, pump: Pump) -> Interrupted:
        place.take()
        self._playing, self._rests = pump, None
        self.waiting.deadline = float("inf")
        if not self._up:
            self._sit()
        lease.take()
        return kept.reopen()

    def _sit(self) -> None:
        self._seat.sit(self._matches)
        self._up = True

    def stranger(self, address: str, what: str) -> None:
        # Not while a match is on: the screen is the player's then.
        if self._up or self._playing is not None:
            return
        self._strangers.tell(address, what)

    async def turned_down(self, error: PazaakError) -> None:
        playing = self._playing
        if self._up:
            await self._leave()
        asked, self._asked = self._asked, None
        # The question stands, also if they have gone: else who comes and goes could ask for ever.
        if asked is not None and await self._known.ask(asked, self._output, still=True):
            self._output.complain("They can come in now: they have to join again. Still waiting.")
        else:
            self._output.turned_down(error)
        await self._output.settled()
        # Meanwhile another may have got the seat.
        if playing is not None and playing is self._playing and not playing.match.started:
            self._playing = None

    async def away(self, pump: Pump, error: PazaakError | None) -> MatchReport | PazaakError:
        seconds = self._patience.broken(pump, error, trio.current_time())
        if seconds is None:
            return self._as_it_stands(pump, error)
        self._rests = self._kept
        playing = self._playing
        try:
            await self._wait(seconds)
            return self._patience.result(error)
        except ClaimWanted as wanted:
            if self._playing is not playing:  # they have come back in this very moment
                return wanted
            return self._claim()
        except Left:
            raise
        except PazaakError as gone:
            return gone

    def _claim(self) -> MatchReport | PazaakError:
        assert self._kept is not None
        try:
            self._claimed = self._kept.claim()
        except PazaakError as error:
            return error
        self._rests = None
        self._output.claimed(self._claimed)
        self._seat.notice(claim_event(self._claimed))
        return self._claimed

    async def _wait(self, seconds: float) -> None:
        """Wait for the other side, and tell when the match can be claimed."""
        patience, now = self._patience, trio.current_time()
        until = now + seconds
        claim_in = self._tell_away(until)
        if claim_in:
            await wait_for(self._seat, claim_in, patience.no_claim)
            self._tell_away(until)
        left = max(0.0, until - trio.current_time())
        await wait_for(self._seat, left, patience.no_claim)

    def _tell_away(self, until: float) -> float | None:
        now = trio.current_time()
        away = self._patience.away(max(0.0, until - now), now)
        self._output.away(away)
        self._seat.notice(away)
        return away.claim_in

    def _as_it_stands(self, pump: Pump, error: PazaakError | None) -> MatchReport | PazaakError:
        if error is not None:
            return error
        assert pump.match.report is not None
        return pump.match.report

    async def finished(self, report: MatchReport | None, error: PazaakError | None) -> bool:
        again = False
        if error is None:
            again = await self._rest(report)
        await self._leave()
        if error is not None:
            self._tell_way_back(error)
            self._told = error
            self._output.failure(error, debug=self._debug)
        report, self._claimed = self._claimed or report, None
        if report is not None:
            self._output.result(report)
            if self._kept is not None:
                self._kept.end(report)
        self._known.tell_trouble(self._output)
        if self._forever and not isinstance(error, Left):
            self._output.complain("Waiting for the next opponent; Ctrl-C ends.")
        elif again:
            self._output.complain("Waiting for the other player to come again; Ctrl-C ends.")
        await self._output.settled()
        self._matches += 1  # an offer that came to nothing was none
        self._playing = self._rests = self._kept = None
        return again

    async def _rest(self, report: MatchReport | None) -> bool:
        """Let the end of the match be looked at; does our player want another one, with the same?

        Who hosts for ever gets one in any case, and who has resumed as the joiner is no host.
        """
        greeting = None if self._playing is None else self._playing.greeting
        if (
            report is None
            or greeting is None
            or not report.to_its_end
            or self._forever
            or self._entrant.seat != Seat.HOST
        ):
            await self._seat.rest()
            return False
        self._rules, self._awaited = report.rules, greeting.key
        again = await self._seat.rest(again=True)
        self._only, self._awaited = greeting.key, None
        return again

    def close(self, error: PazaakError) -> int:
        """Say what ended the program, and how the match that was on came out; the exit code."""
        self._tell_way_back(error)
        if error is not self._told:
            self._output.failure(error, debug=self._debug)
        if self._playing is not None and self._playing.match.report is not None:
            self._output.result(self._playing.match.report)
        return error.exit_code

    def _tell_way_back(self, error: PazaakError) -> None:
        if self._kept is not None:
            playing = self._playing
            tell_way_back(error, (playing and playing.match.report) or self._patience.stood)

    async def _leave(self) -> None:
        self._up = False
        await self._seat.leave()
