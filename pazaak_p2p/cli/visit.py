"""One who dials plays match after match with the same host, as long as both want: ``join``, and a
guest who resumes."""

from __future__ import annotations

from pathlib import Path

from pazaak_p2p.cli.guest import Guest
from pazaak_p2p.cli.introduction import Introductions, NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.cli.seat import SeatPlayer
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import CannotConnect, Left
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import Rules, Seat
from pazaak_p2p.store.meeting import NameTaken


class Visit:
    """With the host at *route*; each match is a :class:`Guest`'s, recorded in *folder*."""

    def __init__(
        self,
        entrant: Entrant,
        seat: SeatPlayer,
        output: Output,
        known: Introductions | NoIntroductions,
        route: Route,
        folder: Path,
        *,
        grace: float,
        sync: bool,
    ) -> None:
        self._entrant = entrant
        self._seat = seat
        self._output = output
        self._known = known
        self._route = route
        self._folder = folder
        self._grace = grace
        self._sync = sync
        self._last: Guest | None = None
        """Who plays, or has played, the last of the matches."""

    async def join(self, wanted: Rules | None, code: str | None) -> MatchReport:
        """Play a new match, as :meth:`Guest.join`, and others after it; how the last one ended."""
        while True:
            try:
                played = await self._new().join(wanted, code)
                break
            except NameTaken as taken:
                await self._seat.leave()
                if not await self._known.ask(taken, self._output):
                    raise
        return await self._more(played, wanted, code)

    async def resume(self, kept: Keeping, stood: MatchReport) -> MatchReport:
        """The same, beginning with the match that is *kept*, and that stands as *stood* says."""
        played = await self._guest(kept).resume(stood)
        if self._entrant.seat != Seat.JOIN:  # who dials for a new match sits there
            return played
        # With what code it was joined is not known any more; the host is, by its key.
        return await self._more(played, played.rules, None)

    async def _more(
        self, played: MatchReport, wanted: Rules | None, code: str | None
    ) -> MatchReport:
        """Play again after *played*, as long as our player and the host want to."""
        while await self._seat.rest(again=played.to_its_end):
            assert self._last is not None
            host = self._last.opponent
            await self._seat.leave()
            self._output.result(played)
            self._known.tell_trouble(self._output)
            self._output.complain("Going to the other player for another match; Ctrl-C ends.")
            await self._output.settled()
            guest = self._new(host)
            try:
                played = await guest.join_again(wanted, code)
            except (CannotConnect, Left) as error:
                if guest.report is not None:
                    raise
                await self._seat.leave()
                if not isinstance(error, Left):
                    self._output.complain("The other player does not play again.")
                break
        return played

    def explain(self, error: PazaakError) -> None:
        """As :meth:`Guest.explain`."""
        if self._last is not None:
            self._last.explain(error)

    def tell_result(self) -> None:
        """Tell how the last match ended, or stands, if there was any."""
        if self._last is not None and self._last.report is not None:
            self._output.result(self._last.report)

    def _new(self, host: bytes | None = None) -> Guest:
        return self._guest(
            Keeping(
                self._entrant,
                self._seat,
                self._folder,
                self._route,
                sync=self._sync,
                complain=self._output.complain,
            ),
            host,
        )

    def _guest(self, kept: Keeping, host: bytes | None = None) -> Guest:
        self._last = guest = Guest(
            self._entrant,
            self._seat,
            self._output,
            self._known,
            self._route,
            kept,
            grace=self._grace,
            host=host,
        )
        return guest
