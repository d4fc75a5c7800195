"""A match that outlasts its line: away, waited for, back.

When the line to the other side breaks, whoever dialled dials again (:func:`play_on`), and whoever
listened leaves the door open (``host.py``), for as long as the one is to wait for the other.
Whatever ends that, the match is kept, and can go on later.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar, cast

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import (
    Accused,
    Busy,
    CannotConnect,
    Convicted,
    Left,
    NotPazaak,
    OpponentAway,
    PeerLost,
)
from pazaak_p2p.net.player import Away, Claim, Player, Quit, Say, Thinking
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.standing import Standing
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.claims import CLAIM_SECONDS
from pazaak_p2p.wire.clock import Budget
from pazaak_p2p.wire.errors import (
    CodeRequired,
    CodeUnasked,
    EarlyClaim,
    RemoteError,
    Silent,
)

GRACE_SECONDS: Final = 600.0
"""How long one who is away is waited for, if nobody says otherwise."""
OBLIGING_SECONDS: Final = 10.0
"""How long, if nothing that is missing can change the result."""
BUSY_SECONDS: Final = 45.0
"""How long then, if it is there, and busy: perhaps with the line that we know to be broken. It
takes half a minute to notice that (specification, section 5.2)."""
FIRST_DELAY: Final = 0.5
LONGEST_DELAY: Final = 15.0
"""Seconds between two attempts to connect, at first and at most; each time twice as many."""
LONGEST_OBLIGING_DELAY: Final = 4.0
"""At most, if nothing that is missing can change the result: the other side waits but shortly."""
AWAY_GRACES: Final = 3
"""How often the grace, in all absences of one match together: who comes back just in time each time
shall not hold a seat for ever."""
MOST_RETURNS: Final = 30
RETURN_RATE: Final = 1 / 20
"""How often the line of a match may break: so many times at once, and then once in twenty seconds.
Each time costs both sides a greeting, and reading the record. It is as many at most with nothing
said in between: who comes at once, and keeps still for half a minute, spends nothing else."""
MOST_REFUSALS: Final = 5
"""Sessions in a row that may end by a broken protocol without anything being played."""


class ClaimWanted(PazaakError):
    """Our player claims the match, and may."""


T = TypeVar("T")
S = TypeVar("S", bound=trio.abc.AsyncResource)


class Patience:
    """Whether to wait for the other side of a match once more, and until when.

    *grace* is how many seconds one who is away from an open match is waited for, once, and in all
    while nothing is said in it; it is :data:`AWAY_GRACES` times as long for the whole match.
    *stood* is how the match stands to begin with, if it goes on with this program.
    """

    def __init__(self, grace: float, stood: MatchReport | None = None) -> None:
        self._grace = grace
        self._since: float | None = None
        self._returns = Budget(MOST_RETURNS, RETURN_RATE, now=0.0)
        self._worn_out = False
        self._gone = 0.0
        """Seconds of absences that are over."""
        self._gone_in_turn = 0.0
        """Those since anything was last said in the match."""
        self._said = b""
        self._head = b""
        self._refusals = 0
        self._idle = 0
        """Sessions in a row in which nothing was said."""
        self.stood = stood
        """How the match stood when its line broke last."""

    def broken(self, pump: Pump | None, error: PazaakError | None, now: float) -> float | None:
        """A session has ended, or could not begin (*pump* None), by *error* (None: quietly).

        The seconds for which the other side is still to be waited for; None if not at all, since
        the match is over or *error* would only come again.
        """
        if pump is not None:
            match = pump.match
            self.stood = match.report or self.stood
            if not match.can_go_on:
                return None
            if match.started:
                if isinstance(error, Busy) and match.report and match.report.head == match.match_id:
                    return None  # somebody else was quicker: our acceptance came too late
                self._was_back(match, now)
        if not _passes(error):
            return None
        broke = isinstance(error, RemoteError | Accused | NotPazaak) and not isinstance(
            error, Silent
        )
        if broke and not self._on_and_on(pump):
            return None
        if self._since is None:
            self._since = now
        return max(0.0, self._since + self._limit(error) - now)

    def _was_back(self, match: Standing, now: float) -> None:
        """The other side was back, and the line has broken again."""
        gone = 0.0 if self._since is None else max(0.0, match.began - self._since)
        self._since = None
        self._gone += gone
        said = b"" if match.report is None else match.report.head
        if said == self._said:
            self._gone_in_turn += gone
        else:
            self._gone_in_turn, self._idle = 0.0, 0
        self._idle += 1
        self._said = said
        if not self._returns.spend(now) or self._idle > MOST_RETURNS:
            self._worn_out = True

    def claim_in(self, now: float) -> float | None:
        """In how many seconds our seat can claim the match; None if never, as it stands."""
        if self.stood is None or not self.stood.claimable or self._since is None:
            return None
        left = max(0.0, self._since + CLAIM_SECONDS - now)
        return left if left <= self._since + self._limit(None) - now else None

    def away(self, seconds: float, now: float) -> Away:
        """What there is to tell about a side that is waited for, *seconds* at most."""
        return Away(seconds, self.claim_in(now))

    def no_claim(self) -> str | None:
        """Why our player cannot claim the match now; None if it can."""
        left = self.claim_in(trio.current_time())
        if left is None:
            return "nothing is due from the other player now, so the match cannot be claimed."
        if left > 0:
            return f"the match can be claimed in {round(left)} seconds, if they are still away."
        return None

    def _limit(self, error: PazaakError | None) -> float:
        if self._worn_out:
            return 0.0
        if self.open:
            left = self._grace - self._gone_in_turn
            return max(0.0, min(left, AWAY_GRACES * self._grace - self._gone))
        return min(self._grace, BUSY_SECONDS if isinstance(error, Busy) else OBLIGING_SECONDS)

    def _on_and_on(self, pump: Pump | None) -> bool:
        """Is there hope although the protocol was broken? A line that alters bytes may do so."""
        head = b"" if pump is None or pump.match.report is None else pump.match.report.head
        self._refusals = 1 if head != self._head else self._refusals + 1
        self._head = head
        return self._refusals < MOST_REFUSALS

    @property
    def open(self) -> bool:
        """Is the match undecided as it stands?"""
        return self.stood is None or self.stood.open

    def result(self, error: PazaakError | None) -> MatchReport:
        """How the match ends, now that nobody comes any more; *error* is why, as seen last.

        Raises ``OpponentAway`` if it is open.
        """
        if self.stood is not None and not self.stood.open:
            return self.stood
        if error is not None and (self.stood is None or not self._grace):
            raise error  # nobody was there from the start, or nobody was waited for
        assert self.stood is not None
        away = OpponentAway(self.stood.match_id, claimable=self.stood.claimable)
        if self._worn_out:
            away.why = "The line to them breaks again and again."
        elif self._gone:
            away.why = "They have been away for too long in all."
        raise away from error


# The other side cheats, or says that we do. Who could not prove its key is another matter: a line
# that alters bytes, or somebody in between, can make that of a good side, as the next line shows.
_FINAL = Cheat | Convicted


def _passes(error: PazaakError | None) -> bool:
    """Does what ended a session say nothing about the next?"""
    if isinstance(error, _FINAL | CodeRequired | CodeUnasked | EarlyClaim):
        return False
    return error is None or isinstance(error, PeerLost | CannotConnect | RemoteError | Accused)


async def hearing(
    player: Player,
    work: Callable[[], Awaitable[T]],
    undo: Callable[[T], Awaitable[None]],
    no_claim: Callable[[], str | None],
) -> T:
    """The result of *work*, with which *player* has nothing to do, but who may leave meanwhile.

    Raises ``Left`` then, after *undo* of a result that came all the same; and what *work* raises.
    Raises ``ClaimWanted`` likewise, if the player claims the match and *no_claim* has nothing to
    say against it.
    """
    if player.instant:
        return await work()
    thinking = cast("Thinking", player)
    results: list[T] = []
    leaves: PazaakError | None = None
    failure: PazaakError | None = None

    async def listen() -> None:
        nonlocal leaves
        async for request in thinking.requests:
            match request:
                case Quit():
                    leaves = Left()
                    nursery.cancel_scope.cancel()
                    return
                case Claim():
                    why = no_claim()
                    if why is None:
                        leaves = ClaimWanted()
                        nursery.cancel_scope.cancel()
                        return
                    thinking.refused(why)
                case Say():
                    thinking.refused("the other player is away.")
                case _:
                    thinking.refused("the other player is away; q keeps the match for later.")

    kept = False
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen)
            try:
                results.append(await work())
            except PazaakError as error:
                failure = error  # raised below, not in a group
            nursery.cancel_scope.cancel()
        if leaves is not None:
            raise leaves
        if failure is not None:
            raise failure
        kept = True
        return results[0]
    finally:
        if not kept:
            with trio.CancelScope(shield=True):
                for result in results:
                    await undo(result)


async def wait_for(player: Player, seconds: float, no_claim: Callable[[], str | None]) -> None:
    """Wait for *seconds*. Raises as :func:`hearing` if *player* does not want to wait."""
    await hearing(player, partial(trio.sleep, seconds), _nothing, no_claim)


async def _nothing(_: None) -> None:
    pass


async def _next(
    player: Player,
    connect: Callable[[], Awaitable[S]],
    again: Callable[[S], Pump],
    no_claim: Callable[[], str | None],
) -> Pump:
    stream = await hearing(player, connect, trio.aclose_forcefully, no_claim)
    try:
        return again(stream)
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise


async def play_on(
    pump: Pump | None,
    connect: Callable[[], Awaitable[S]],
    again: Callable[[S], Pump],
    player: Player,
    tell: Callable[[Away], None],
    *,
    grace: float,
    jitter: Callable[[], float],
    claim: Callable[[], MatchReport],
    stood: MatchReport | None = None,
) -> MatchReport:
    """Play the match of *pump* to its end, however often its line breaks.

    *pump* None is for one whose line is broken to begin with. *connect* gives a stream to the other
    side, *again* the pump of a session that goes on with the match over it. That is tried until the
    other side has been away for *grace* seconds; *tell* is told when it goes away. *jitter* gives
    numbers from 0 to 1, so that two who lost each other do not knock in step. *stood* is how a
    match stands that goes on with this program. *claim* ends it when *player* claims it.

    Raises what ended the match, or what keeps it from going on: ``OpponentAway`` if it is time.
    """
    patience = Patience(grace, stood)
    current = pump
    delay = FIRST_DELAY
    told = False
    may_claim = True  # whether that has been told, if so
    while True:
        error: PazaakError | None = None
        try:
            if current is None:
                current = await _next(player, connect, again, patience.no_claim)
            report = await current.run()
            if not current.match.can_go_on:
                return report
        except ClaimWanted:
            return claim()
        except PazaakError as caught:
            error = caught
        now = trio.current_time()
        seconds = patience.broken(current, error, now)
        if seconds is None:
            assert error is not None
            stood = patience.stood
            if stood is not None and stood.decided and not isinstance(error, _FINAL):
                return stood  # only what changes nothing was missing
            raise error
        back = current is not None and current.match.started
        if back or not told:
            tell(patience.away(seconds, now))
            told, may_claim = True, False
        elif not may_claim and patience.claim_in(now) == 0:
            tell(patience.away(seconds, now))
            may_claim = True
        if back:
            delay = FIRST_DELAY
        current = None
        pause = delay * (0.5 + jitter())
        try:
            await wait_for(player, min(pause, seconds), patience.no_claim)
        except ClaimWanted:
            return claim()
        if pause > seconds:
            return patience.result(error)
        delay = min(2 * delay, LONGEST_DELAY if patience.open else LONGEST_OBLIGING_DELAY)
