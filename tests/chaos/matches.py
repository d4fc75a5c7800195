"""Matches of honest seats over lines that go wrong, and what must hold of each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import trio

from pazaak_p2p.net.errors import Accused, PeerLeft, PeerLost, TermsRefused, VersionRefused
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import Outcome, Seat, Termination
from pazaak_p2p.wire import events
from pazaak_p2p.wire.cheats import Cheat, WillNotOpen, WillNotReveal
from pazaak_p2p.wire.errors import Refusal, Silent
from pazaak_p2p.wire.judge import judge, judge_pair
from tests.chaos.faults import faulty_pair
from tests.chaos.plans import Plan
from tests.matches import Side, play

Streams = tuple[trio.abc.Stream, trio.abc.Stream]
Connect = Callable[[], Streams]
"""A new connection between the two seats: the host's end, and the joiner's."""

PATIENCE = 3600.0
"""Seconds of the virtual clock after which a session counts as hanging."""


class NotHonest(AssertionError):
    """Something happened to two honest players that must not."""


@dataclass
class Played:
    """A match between two honest seats, and what became of it."""

    host: Side
    join: Side
    reports: list[MatchReport | None]

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.host, self.join

    @property
    def finished(self) -> tuple[bool, bool]:
        """For whom the match came to its proper end."""
        return self.host.error is None, self.join.error is None

    @property
    def head(self) -> bytes:
        """The final head that both have. Raises :class:`NotHonest` if they have not."""
        ours, theirs = self.reports
        if self.finished != (True, True) or ours is None or theirs is None:
            raise NotHonest(f"broken off: {self.host.error!r}, {self.join.error!r}")
        if ours.head != theirs.head:
            raise NotHonest("two histories")
        return ours.head

    def fate(self) -> str:
        """What became of it, in a word or two: of both sides, host first."""
        return "/".join(_fate(side.error) for side in self.sides)


def _fate(error: Exception | None) -> str:
    match error:
        case None:
            return "finished"
        case Silent():
            return "silent"
        case Refusal():
            return "refused"
        case Accused():
            return "told of a refusal"
        case PeerLeft():
            return "left"
        case PeerLost():
            return "lost"
        case TermsRefused() | VersionRefused():
            return "declined"
        case _:
            return type(error).__name__


async def play_match(host: Side, join: Side, connect: Connect) -> Played:
    """Play the match of these seats to its end.

    *connect* is asked for a connection once. When seats can come back to a match whose line was
    lost, this is where they are given the next one. Raises :class:`NotHonest` for a hang; what
    crashes a seat comes out as it is.
    """
    with trio.move_on_after(PATIENCE) as scope:
        return Played(host, join, await play(host, join, connect()))
    assert scope.cancelled_caught
    raise NotHonest("it hangs")


async def disturbed(
    host: Side, join: Side, up: Plan = (), down: Plan = (), *, ordered: bool = True
) -> Played:
    """Play over a line with these plans (*up* is from the host to the joiner), and check it."""

    def connect() -> Streams:
        first, second, _ = faulty_pair(up, down)
        return first, second

    played = await play_match(host, join, connect)
    check_honest(played, ordered=ordered)
    return played


def check_honest(played: Played, *, ordered: bool = True) -> None:
    """Nobody was called a cheat, by the other side or by a judge, and no two histories came to be.

    On a stream that is not *ordered*, which only an attacker can bring about and only where nothing
    protects the stream, a statement may be held back and what was said after it let through. Then
    the one who waits may say ``will-not-reveal`` or ``will-not-open`` (specification, section 10,
    being late); no record proves these, and no judge may believe them. Raises :class:`NotHonest`.
    """
    for side, report in zip(played.sides, played.reports, strict=True):
        _check_side(side, report, ordered=ordered)
    ours, theirs = played.reports
    if played.finished == (True, True):
        assert ours is not None
        assert theirs is not None
        if (ours.outcome, ours.won) != (theirs.outcome, theirs.won):
            raise NotHonest(f"two results: {ours} {theirs}")
        # To the winner, a line that is lost while only the loser's side deck is still to be seen
        # is as good as the end: nothing can change any more.
        if (ours.head == theirs.head) is not (ours.opened == theirs.opened):
            raise NotHonest(f"two histories: {ours} {theirs}")
    if ours is not None and theirs is not None and ours.match_id == theirs.match_id:
        both = judge_pair(played.host.record.data, played.join.record.data).verdict
        if both.cheat is not None:
            raise NotHonest(f"the two records together convict: {both.cheat}")


def _must_open(outcome: Outcome) -> tuple[Seat, ...]:
    """Whose side deck a result rests on; a concession counts without (section 10, leaving)."""
    if outcome.termination in (Termination.CONCESSION, Termination.TIME):
        return ()
    return tuple(Seat) if outcome.winner is None else (outcome.winner,)


def _check_side(side: Side, report: MatchReport | None, *, ordered: bool) -> None:
    error = side.error
    silence = isinstance(error, WillNotReveal | WillNotOpen) and not ordered
    if isinstance(error, Cheat) and not silence:
        raise NotHonest(f"a false conviction: {error.code}: {error}")
    expected = (Refusal, Accused, PeerLost, TermsRefused, VersionRefused)
    if error is not None and not silence and not isinstance(error, expected):
        raise NotHonest(f"an error of another kind: {error!r}")
    said = [e.text for _, e in side.events if isinstance(e, events.Left) and e.reason == "cheat"]
    if said and (ordered or said[0] not in (WillNotReveal.code, WillNotOpen.code)):
        raise NotHonest(f"a false accusation: {error}")
    if report is None:
        if error is None:
            raise NotHonest("a match that ended well and is not reported")
    elif report.outcome.termination is Termination.ABANDONED:
        if error is None:
            raise NotHonest("a match that was broken off, and nobody is told why")
    elif not silence and not all(report.opened[seat] for seat in _must_open(report.outcome)):
        raise NotHonest(f"a result that rests on a side deck nobody has seen: {report}")
    if not side.record.data:
        return
    verdict = judge(side.record.data)
    if verdict.cheat is not None:
        raise NotHonest(f"a record that convicts: {verdict.cheat}")
    if verdict.problem is not None or verdict.contradiction or verdict.torn or verdict.end is None:
        raise NotHonest(f"a record that is not sound: {verdict}")
    if report is not None and verdict.head != report.head:
        raise NotHonest("a record of another history than the one reported")


_T = TypeVar("_T")


async def each(
    cases: Iterable[_T], run: Callable[[_T], Awaitable[Played]], most: int = 50
) -> Counter[str]:
    """Run all *cases*, so many at a time; how often what became of them.

    What goes wrong with a case is raised with a note of which one it was.
    """
    fates: Counter[str] = Counter()
    places = trio.Semaphore(most)

    async def one(case: _T) -> None:
        try:
            fates[(await run(case)).fate()] += 1
        except Exception as error:
            error.add_note(f"case: {case}")
            raise
        finally:
            places.release()

    async with trio.open_nursery() as nursery:
        for case in cases:
            await places.acquire()
            nursery.start_soon(one, case)
    return fates
