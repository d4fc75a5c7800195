"""Who dials the other side: for ``join``, and for a guest who resumes."""

from __future__ import annotations

import random
from typing import Final

import trio

from pazaak_p2p.cli.claiming import claim_event
from pazaak_p2p.cli.failure import tell_way_back
from pazaak_p2p.cli.introduction import Introductions, NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.cli.seat import SeatPlayer
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import dial, dial_plain, where
from pazaak_p2p.net.errors import (
    Busy,
    CannotConnect,
    NotOpen,
    NotPazaak,
    OpponentAway,
    PeerLost,
    WrongOpponent,
)
from pazaak_p2p.net.lasting import play_on, wait_for
from pazaak_p2p.net.no_host import no_host
from pazaak_p2p.net.player import Away
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import JoinSeating, ResumeSeating, Seating
from pazaak_p2p.net.tls import Line
from pazaak_p2p.rules import Rules
from pazaak_p2p.wire import Role
from pazaak_p2p.wire.errors import CodeRequired, RemoteError
from pazaak_p2p.wire.events import Greeted

_AGAIN_SECONDS: Final = 90.0
"""How long a host may look at the end of a match before another one; its table stays a minute."""
_AGAIN_LOOK_SECONDS: Final = 1.0
"""How often one who wants another match looks whether the host does."""
_MOST_STARTS: Final = 5
"""How often a new match is begun in place of one that the line broke before it was one."""


class Guest:
    """Plays the match *kept* with whoever listens at *route*, over as many lines as it takes.

    A new one with the player of the key *host* alone, if that is given.
    """

    def __init__(
        self,
        entrant: Entrant,
        seat: SeatPlayer,
        output: Output,
        known: Introductions | NoIntroductions,
        route: Route,
        kept: Keeping,
        *,
        grace: float,
        host: bytes | None = None,
        number: int = 0,
    ) -> None:
        """*number*: how many matches the *entrant* has played before this one."""
        self._host = host
        self._number = number
        self._entrant = entrant
        self._seat = seat
        self._output = output
        self._known = known
        self._route = route
        self._kept = kept
        self._grace = grace
        self._sessions = 0
        self._pump: Pump | None = None
        self._stood: MatchReport | None = None
        self._going_on = self._seated = False
        self._introduced = ""

    @property
    def report(self) -> MatchReport | None:
        """How the match stands, as the last session saw it."""
        last = None if self._pump is None else self._pump.match.report
        return last or self._stood

    @property
    def opponent(self) -> bytes:
        """The key of the other player, with whom a match was played."""
        assert self._pump is not None
        assert self._pump.greeting is not None
        return self._pump.greeting.key

    def explain(self, error: PazaakError) -> None:
        """See to it that *error*, which ends this, says how to go on with a match that is open."""
        unheard = self._kept.match_id if self._going_on else None
        tell_way_back(error, self.report, unheard)

    async def join(self, wanted: Rules | None, code: str | None) -> MatchReport:
        """A new match, by the *wanted* rules (None: any), with a join *code* or without."""
        for _ in range(_MOST_STARTS - 1):
            try:
                return await self._join(wanted, code)
            except (NotOpen, CodeRequired):
                # The line broke on our acceptance: the host still waits for somebody to play with.
                if not self._kept.drop_unheard():
                    raise
                await self._seat.leave()
                self._seated = False
            except Busy:
                self._forget_unheard()
                raise
        return await self._join(wanted, code)

    def _forget_unheard(self) -> None:
        """Somebody else was quicker than our acceptance: that match never was one."""
        if self._kept.drop_unheard():
            self._pump = self._stood = None

    async def join_again(self, wanted: Rules | None, code: str | None) -> MatchReport:
        """The same after another match with that host, as soon as it is ready for one.

        Raises ``Busy`` if it is not for long, and ``CannotConnect`` if it has gone: of these
        ``WrongOpponent`` if somebody else is there now.
        """
        until = trio.current_time() + _AGAIN_SECONDS
        told = False
        while True:
            try:
                return await self.join(wanted, code)
            except Busy as error:
                if isinstance(error, WrongOpponent) or trio.current_time() >= until:
                    raise
            if not told:
                told = True
                self._seat.tell("Waiting until the other player wants another match too; q leaves.")
            await wait_for(self._seat, _AGAIN_LOOK_SECONDS, lambda: "no match is on.")

    async def _join(self, wanted: Rules | None, code: str | None) -> MatchReport:
        self._pump = self._stood = None
        stream = await self._dial()
        if not self._seated:
            self._seat.sit(self._number)
            self._seated = True
        kit = self._kept.bring(self._entrant.kit(self._number))
        seating = JoinSeating(wanted, kit, self._welcome, self._kept.find)
        pump = self._over(stream, seating, code)
        try:
            return await self._play_on(pump)
        except (PeerLost, RemoteError) as error:
            if pump.greeting is not None:
                raise
            raise no_host(where(self._target), pump.first_bytes, error) from error

    async def resume(self, stood: MatchReport) -> MatchReport:
        """Go on with the match that is kept, and that stands as *stood* says."""
        self._going_on = True
        self._seat.sit(0)
        if not stood.open:
            self._stood = stood
        try:
            return await self._play_on(None)
        except NotOpen as error:
            if self._kept.drop_unheard():
                error.why = "It was broken off before they had said anything in it; so it never was"
                error.why += " one."
                error.next = "Begin a new one, with 'pazaak join' and their address."
            raise
        except NotPazaak:
            raise
        except CannotConnect as error:
            raise OpponentAway(self._kept.match_id) from error

    async def _play_on(self, pump: Pump | None) -> MatchReport:
        report = await play_on(
            pump,
            self._dial,
            self._again,
            self._seat,
            self._away,
            grace=self._grace,
            jitter=random.random,
            claim=self._claim,
            stood=self._stood,
        )
        self._kept.end(report)
        return report

    async def _dial(self) -> Line:
        return await (dial_plain if self._route.plain else dial)(self._target)

    @property
    def _target(self) -> Address:
        return Address(self._route.host, self._route.port)

    def _again(self, stream: Line) -> Pump:
        kept = self._kept
        return self._over(stream, ResumeSeating(kept.match_id, kept.opponent, kept.reopen))

    def _over(self, stream: Line, seating: Seating, code: str | None = None) -> Pump:
        session = self._sessions
        self._sessions += 1
        self._stood = self.report
        self._pump = Pump(
            stream,
            self._entrant.peer(
                Role.DIALLER, session, trio.current_time(), stream.certificate, code
            ),
            self._entrant.name,
            seating,
            self._seat,
            self._kept,
            [self._output.watch(stream.remote), self._known.watch()],
        )
        return self._pump

    def _welcome(self, event: Greeted) -> None:
        if self._host not in (None, event.key):
            raise WrongOpponent
        words = self._known.introduce(event)
        if words != self._introduced:  # else it was told when we came before
            self._introduced = words
            self._seat.tell(words)

    def _claim(self) -> MatchReport:
        self._stood, self._pump = self._kept.claim(), None
        self._output.claimed(self._stood)
        self._seat.notice(claim_event(self._stood))
        return self._stood

    def _away(self, away: Away) -> None:
        self._output.away(away)
        self._seat.notice(away)
