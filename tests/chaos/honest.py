"""Honest matches over lines that go wrong, many at a time: nobody may be accused.

    python -m tests.chaos.honest [--matches 10000] [--seed TEXT] [--jobs 2]

Each match is two bots under rules, decks and plans drawn from the seed, with all that ``pazaak
host`` and ``pazaak join`` have: journals, and reconnection by themselves (see
:mod:`tests.survive.rig`). Nothing is encrypted, which would hide from the players most of what goes
wrong. A third of the first lines only delay, split, merge and throttle, the others also cut, end,
lose, repeat or alter bytes, and so does half of those that follow. Nothing is reordered, which no
network does to a stream.

After each, nobody may have convicted the other, been accused of cheating, crashed or hung, and both
records must be sound to the judge and convict nobody, alone or together. Every match either comes
to its end, at both sides the same, or is kept; who keeps one goes on with it over a good line, and
then it must come to its end. (Or both know the same result, and only one has all of the audit: the
other cannot know that its last word was lost, and has nothing to go on with.) A match is given by
its number and the seed alone, so whatever is reported can be played again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import trio
import trio.testing
from msgspec import Struct
from msgspec.structs import replace

from pazaak_p2p.net.errors import (
    Accused,
    Busy,
    CannotConnect,
    Convicted,
    PeerLost,
    Refused,
    TermsRefused,
    VersionRefused,
)
from pazaak_p2p.rules import Rules, describe, format_deck
from pazaak_p2p.wire import events
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.errors import RemoteError
from pazaak_p2p.wire.judge import judge, judge_pair
from pazaak_p2p.wire.verdict import Verdict
from tests.chaos.matches import NotHonest
from tests.chaos.plans import Plan, gentle_plan, harsh_plan, write_plan
from tests.e2e.thousand import draw_deck, draw_rules
from tests.survive import cases
from tests.survive.rig import HANGS, Plans, Player, SideStreet, Street, memory

_REACH = 12_000
"""Faults begin in the first so many bytes of a direction; most matches are a little longer."""
_BAD_LINES = 8
"""Lines of a match that go wrong, at most: there is an end to everything."""
_RETRIES = 5
_PAUSE = 30.0
_CALLERS = 3
"""Who else comes to the door while a match is on, in half of the matches."""
_CALL_WITHIN = 90.0
"""Seconds within which a caller comes, and goes if it has nothing to say."""
_AT_ONCE = 25
_PORTION = 100
"""Matches that a process plays on one virtual clock."""


def _draw_chair(rng: random.Random, rules: Rules) -> cases.Chair:
    deck = format_deck(draw_deck(rng, rules), ascii=True)
    stand_at = rng.randint(12, 20)
    if rng.random() < 0.1:
        script = (f"auto {stand_at}",) * rng.randint(0, 30)
        return cases.Chair(deck, script=(*script, "concede"))
    return cases.Chair(deck, f"threshold:{stand_at}" if rng.random() < 0.6 else "random")


class Case(Struct, frozen=True):
    """Match *number* of *seed*."""

    seed: str
    number: int

    @property
    def gentle(self) -> bool:
        """Does nothing go wrong but in time and size?"""
        return random.Random(f"gentle {self.seed} {self.number}").random() < 1 / 3

    def plans(self, line: int) -> Plans:
        """What goes wrong on the n-th *line*, up and down."""
        rng = random.Random(f"plans {self.seed} {self.number} {line}")
        if line >= _BAD_LINES or (line and rng.random() < 0.5):
            return (), ()
        reach = _REACH if rng.random() < 0.7 else 1_500
        draw = gentle_plan if self.gentle else rng.choice((gentle_plan, harsh_plan))
        # At least one of the directions of a line that is not gentle is harsh.
        up, down = draw(rng, reach), (gentle_plan if self.gentle else harsh_plan)(rng, reach)
        return (up, down) if rng.random() < 0.5 else (down, up)

    def calls(self) -> list[tuple[float, float | None]]:
        """When callers come, and for how long they are silent; None for one who wants to play."""
        rng = random.Random(f"calls {self.seed} {self.number}")
        if rng.random() < 0.5:
            return []
        return [
            (rng.random() ** 3 * _CALL_WITHIN, rng.choice((None, rng.random() * _CALL_WITHIN)))
            for _ in range(rng.randint(1, _CALLERS))
        ]

    def match(self) -> cases.Case:
        """What is played, and by whom."""
        rng = random.Random(f"match {self.seed} {self.number}")
        rules = draw_rules(rng)
        host, join = (_draw_chair(rng, rules) for _ in range(2))
        name = f"{self.seed} {self.number}"
        return cases.Case(name, describe(rules), host, join, name)

    def __str__(self) -> str:
        lines = [self.plans(line) for line in range(_BAD_LINES)]
        shown = "; ".join(
            f"{n} up {write_plan(up)!r}, down {write_plan(down)!r}"
            for n, (up, down) in enumerate(lines)
            if up or down
        )
        rules = self.match().rules
        return f"match {self.number} of seed {self.seed!r} by {rules}, lines: {shown}"


async def play_case(case: Case) -> str:
    """Play and check one match; what became of it.

    Raises :class:`NotHonest`, and whatever crashed.
    """
    match = case.match()
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        host, join = (Player(seat, match, Path(folder) / str(seat)) for seat in (0, 1))
        first = Street(case.plans)
        stranger = replace(match, seed=f"a caller of {match.seed}")
        callers = [
            partial(_call, after, silent, Player(1, stranger, Path(folder) / f"caller {n}"))
            for n, (after, silent) in enumerate(case.calls())
        ]
        await _meet(host, join, first, callers)
        fate = _judge(host, join)
        if case.gentle and (fate != "finished" or len(first.lines) > 1):
            raise NotHonest(f"broken off though nothing was lost: {fate}")
        if fate in ("finished", "told by one", "no match"):
            return f"{fate}, {_count(len(first.lines))}"
        await _meet(host, join, Street(_good))
        later = _judge(host, join)
        if fate == "kept" and later != "finished":
            raise NotHonest(f"kept, and then {later}: {host.error!r} {join.error!r}")
        return f"{fate}, and later {later}"


def _good(line: int) -> tuple[Plan, Plan]:
    return (), ()


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines" if lines < 4 else "more lines"


async def _call(after: float, silent: float | None, caller: Player, street: Street) -> None:
    """Somebody else comes to the door of a match that is on, where there is nothing to be had."""
    await trio.sleep(after)
    try:
        if silent is not None:
            async with street.call():
                await trio.sleep(silent)
            return
    except Refused:
        return
    await caller.dial(SideStreet(street))
    # Whoever comes just after the end finds nobody, and whoever is greeting then is cut off.
    if caller.records or not isinstance(caller.error, Busy | CannotConnect | PeerLost):
        raise NotHonest(f"a caller was let in: {caller.error!r}")


async def _meet(
    host: Player,
    join: Player,
    street: Street,
    callers: Sequence[Callable[[Street], Awaitable[None]]] = (),
) -> None:
    """Let both play until nothing happens any more; *callers* come once the match is on."""

    async def all_call() -> None:
        while not (host.records and join.records):  # noqa: ASYNC110 - files make no events
            await trio.sleep(0.01)
        async with trio.open_nursery() as nursery:
            for call in callers:
                nursery.start_soon(call, street)

    with trio.move_on_after(HANGS) as scope:
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(partial(host.listen, street, resume=host.kept))
            if callers:
                nursery.start_soon(all_call)
            await join.dial(street, resume=join.kept)
            for _ in range(_RETRIES):
                if join.error is None or join.records:
                    break
                await trio.sleep(_PAUSE)
                await join.dial(street)
            # Who waits for one who has lost its match, or never came in, may do so for ever.
            if join.error is not None and not host.kept:
                await trio.sleep(2 * host.grace)
                nursery.cancel_scope.cancel()
    if scope.cancelled_caught:
        raise NotHonest(f"it hangs: {host.error!r} {join.error!r}")


def _judge(host: Player, join: Player) -> str:
    """What became of the match as it stands. Raises :class:`NotHonest`."""
    for player in (host, join):
        _check_errors(player)
    ours, theirs = _last(host), _last(join)
    for player, verdict in ((host, ours), (join, theirs)):
        if verdict is not None:
            _check_record(player, verdict)
    if ours is None or theirs is None or ours.match_id != theirs.match_id:
        # The line broke before both had begun, or altered what they began with.
        if any(verdict is not None and verdict.entries > 2 for verdict in (ours, theirs)):
            raise NotHonest("a match with nobody")
        return "begun by one" if host.kept or join.kept else "no match"
    both = judge_pair(host.records[-1].read_bytes(), join.records[-1].read_bytes()).verdict
    if both.cheat is not None:
        raise NotHonest(f"the two records together convict: {both.cheat}")
    if host.kept and join.kept:
        return "kept"
    if host.kept or join.kept:
        # Of two who speak over a bad line one always speaks last, and cannot know who has heard.
        there, here = (ours, theirs) if join.kept else (theirs, ours)
        return "told by one" if there.complete and here.proven == there.proven else "kept"
    if ours.head != theirs.head:
        raise NotHonest(f"two histories, and neither is kept: {ours} {theirs}")
    if host.error is not None or join.error is not None:
        raise NotHonest(f"at the end, and yet: {host.error!r} {join.error!r}")
    return "finished"


def _last(player: Player) -> Verdict | None:
    records = player.records
    return judge(records[-1].read_bytes()) if records else None


def _check_errors(player: Player) -> None:
    error = player.error
    if isinstance(error, Cheat | Convicted):
        raise NotHonest(f"a false conviction: {error!r}")
    expected = (RemoteError, Accused, PeerLost, CannotConnect, TermsRefused, VersionRefused)
    if error is not None and not isinstance(error, expected):
        raise NotHonest(f"an error of another kind: {error!r}")
    for event in player.notes.events:
        if isinstance(event, events.Left) and event.reason == "cheat":
            raise NotHonest(f"a false accusation: {event}")


def _check_record(player: Player, verdict: Verdict) -> None:
    if verdict.cheat is not None:
        raise NotHonest(f"a record that convicts: {verdict.cheat}")
    if verdict.problem is not None or verdict.contradiction or verdict.torn:
        raise NotHonest(f"a record that is not sound: {verdict}")
    report = player.report
    if report is not None and verdict.match_id == report.match_id and verdict.head != report.head:
        raise NotHonest("a record of another history than the one reported")


class Tally(Struct):
    """What became of the matches, and every one that was not honest."""

    fates: Counter[str]
    wrong: list[str]

    def add(self, other: Tally) -> None:
        self.fates += other.fates
        self.wrong += other.wrong

    def __str__(self) -> str:
        lines = [f"{count:7}  {fate}" for fate, count in self.fates.most_common()]
        lines.append(
            f"{self.fates.total()} matches: {len(self.wrong)} convictions, accusations of"
            " cheating, unsound records, crashes or hangs"
        )
        return "\n".join([*lines, *self.wrong])


async def _play_all(cases: Iterable[Case]) -> Tally:
    tally = Tally(Counter(), [])
    places = trio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> None:
        try:
            tally.fates[await play_case(case)] += 1
        except Exception as error:
            tally.fates["WRONG"] += 1
            tally.wrong.append(f"{case}: {error!r}")
        finally:
            places.release()

    async with trio.open_nursery() as nursery:
        for case in cases:
            await places.acquire()
            nursery.start_soon(one, case)
    return tally


def play_portion(seed: str, matches: int, first: int) -> Tally:
    """Play up to a portion of the *matches*, from number *first* on, on a virtual clock."""
    cases = [Case(seed, n) for n in range(first, min(first + _PORTION, matches))]
    clock = trio.testing.MockClock(autojump_threshold=0)
    return trio.run(_play_all, cases, clock=clock)


def play_honest(
    matches: int, seed: str, jobs: int = 1, told: Callable[[Tally], None] = lambda tally: None
) -> Tally:
    """Play *matches* matches in *jobs* processes; *told* gets the tally as it grows."""
    tally = Tally(Counter(), [])
    portions = range(0, matches, _PORTION)
    work = partial(play_portion, seed, matches)
    if jobs == 1:
        for first in portions:
            tally.add(work(first))
            told(tally)
        return tally
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for part in pool.imap_unordered(work, portions):
            tally.add(part)
            told(tally)
    return tally


def _progress(tally: Tally) -> None:
    said = f"{tally.fates.total()} matches, {len(tally.wrong)} of them wrong"
    print(said, end="\n" if tally.wrong else "\r", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", default="honest")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    began = time.perf_counter()
    tally = play_honest(options.matches, options.seed, options.jobs, _progress)
    print(tally)
    print(f"{time.perf_counter() - began:.1f} s")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
