"""Who comes while a match is on, and speaks when it is over, or when another is on."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import trio
import trio.testing
from msgspec.structs import replace

from pazaak_p2p.cli.strangers import MOST_WORDS, WORD_RATE
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line, only_pazaak, shake_hands
from pazaak_p2p.wire import Peer, Role, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from tests.net.house import CREDENTIALS
from tests.survive.cases import CASES
from tests.survive.rig import Player, Street
from tests.survive.test_wearing import Fleeting, Slow
from tests.survive.test_wearing import play as play_until_both_give_up

CASE = CASES[0]


class Caller:
    """Somebody with a line of their own to a host, in the middle of whose match it was made."""

    def __init__(self, lean: LeanStream, joiner: Player) -> None:
        self.lean = lean
        self._peer: Peer
        self._line: Line
        self._joiner = joiner

    async def greet(self, code: str | None = None) -> events.Event:
        """As the joiner, whose key it has; with a join *code* or without."""
        context = only_pazaak(ssl.PROTOCOL_TLS_CLIENT)
        self._line = line = await shake_hands(Carrier(self.lean), context)
        now = trio.current_time()
        self._peer = self._joiner.entrant.peer(Role.DIALLER, 7, now, line.certificate, code)
        return await self.until(events.Greeted)

    async def until(self, kind: type[events.Event]) -> events.Event:
        while True:
            while (event := self._peer.next_event()) is not None:
                if isinstance(event, kind | events.Left | events.Closed):
                    return event
            await self._line.send_all(self._peer.data_to_send())
            data = await self._line.receive_some()
            self._peer.receive(bytes(data), trio.current_time())

    async def ask_for(self, match_id: bytes) -> None:
        await self._line.send_all(
            self._peer.data_to_send() + encode(m.Resume(match_id, 0, match_id, []))
        )


def on_start(host: Player, hear: Callable[[bytes], None]) -> None:
    """Call *hear* with its id whenever a match of *host* begins."""
    note = host.notes._note

    def noted(event: events.Event) -> None:
        note(event)
        if isinstance(event, events.Started):
            hear(event.match_id)

    host.notes._note = noted  # type: ignore[method-assign]


async def serve(
    folder: Path, play: Callable[[Player, Player, Street], Awaitable[None]]
) -> tuple[Player, list[MatchReport]]:
    """A host that goes on waiting, during *play*; and how its matches ended."""
    host = Player(0, CASE, folder / "host", CREDENTIALS, encrypts=True, serves=True)
    join = Player(1, CASE, folder / "join", encrypts=True)
    reports: list[MatchReport] = []
    host.notes.result = reports.append  # type: ignore[method-assign, assignment]
    street = Street(lambda line: ((), ()), plain=False)
    with trio.fail_after(100):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, street)
            await trio.testing.wait_all_tasks_blocked()
            await play(host, join, street)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
    return host, reports


async def test_who_encrypts_when_the_match_is_over_has_come_for_the_next(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    offers: list[events.Event] = []

    async def play(host: Player, join: Player, street: Street) -> None:
        callers: list[Caller] = []
        on_start(host, lambda match_id: callers.append(Caller(street.call(), join)))
        await join.dial(street)
        await trio.testing.wait_all_tasks_blocked()
        await callers[0].greet()
        offers.append(await callers[0].until(events.Offered))
        with trio.move_on_after(6):  # longer than one has who comes back
            offers.append(await callers[0].until(events.Closed))
        await callers[0].lean.aclose()

    _, reports = await serve(tmp_path, play)
    assert [type(event) for event in offers] == [events.Offered]
    assert [report.unfinished for report in reports] == [False]


async def test_who_came_back_to_one_match_does_not_break_the_next(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """They greet in the one, and ask for it while the other is on, with somebody else."""
    answers: list[events.Event] = []

    async def play(host: Player, join: Player, street: Street) -> None:
        callers: list[Caller] = []
        ids: list[bytes] = []
        second = Player(1, replace(CASE, seed="late callers"), tmp_path / "second", encrypts=True)

        async def intrude() -> None:
            await callers[0].ask_for(ids[0])
            answers.append(await callers[0].until(events.Closed))
            await callers[0].lean.aclose()

        def begun(match_id: bytes) -> None:
            ids.append(match_id)
            if len(ids) == 1:
                callers.append(Caller(street.call(), join))
                nursery.start_soon(callers[0].greet)
            else:
                nursery.start_soon(intrude)

        on_start(host, begun)
        async with trio.open_nursery() as nursery:
            await join.dial(street)
            await second.dial(street)
            assert second.error is None

    host, reports = await serve(tmp_path, play)
    assert [(report.unfinished, report.outcome.winner is None) for report in reports] == [
        (False, False),
        (False, False),
    ]
    assert host.notes.times_away == 0
    assert answers == [events.Left("busy", "")]


async def test_who_has_the_key_of_the_other_player_and_wants_another_match_is_told_busy(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    answers: list[events.Event] = []

    async def play(host: Player, join: Player, street: Street) -> None:
        callers: list[Caller] = []

        def begun(match_id: bytes) -> None:
            callers.append(Caller(street.call(), join))
            nursery.start_soon(callers[0].greet)

        on_start(host, begun)
        async with trio.open_nursery() as nursery:
            await join.dial(street)
        answers.append(await callers[0].until(events.Closed))
        await callers[0].lean.aclose()

    await serve(tmp_path, play)
    assert answers == [events.Left("busy", "")]


async def met_in_a_match(
    tmp_path: Path, code: str | None, first: Callable[[Player], None] = lambda host: None
) -> tuple[Player, events.Event]:
    """The host of a match in which somebody knocks with that *code*, and what they hear.

    That is when it has begun, and *first* is done. The match comes to its end.
    """
    answers: list[events.Event] = []

    async def play(host: Player, join: Player, street: Street) -> None:
        async def knock() -> None:
            first(host)
            caller = Caller(street.call(), join)
            answers.append(await caller.greet(code))
            await caller.lean.aclose()

        on_start(host, lambda match_id: nursery.start_soon(knock))
        async with trio.open_nursery() as nursery:
            await join.dial(street)
            assert join.error is None

    host, reports = await serve(tmp_path, play)
    assert [report.outcome.winner is None for report in reports] == [False]
    (answer,) = answers
    return host, answer


async def test_who_comes_with_a_join_code_is_told_busy_and_the_match_goes_on(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """It would refuse a hello that names no code, before it could hear anything else."""
    host, answer = await met_in_a_match(tmp_path, "17-copper-lantern")
    assert answer == events.Left("busy", "")
    assert host.notes.times_away == 0


async def test_who_comes_with_a_join_code_while_a_match_is_waited_for_is_told_busy(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    before = Player(0, CASE, tmp_path / "host", sits=Slow, grace=1.0)
    join = Player(1, CASE, tmp_path / "join", grace=1.0)
    await play_until_both_give_up(before, join, Fleeting(lives=1.0, gone=1000.0))
    host = Player(0, CASE, tmp_path / "host", CREDENTIALS, encrypts=True)
    street = Street(lambda line: ((), ()), plain=False)
    with trio.fail_after(1000):
        async with street, trio.open_nursery() as nursery:
            nursery.start_soon(partial(host.listen, street, resume=True))
            await trio.testing.wait_all_tasks_blocked()
            caller = Caller(street.call(), join)
            answer = await caller.greet("17-copper-lantern")
            await caller.lean.aclose()
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
    assert answer == events.Left("busy", "")
    (line,) = host.notes.lines
    assert "Somebody has come with a join code" in line


async def test_who_knocks_while_the_record_cannot_be_read_does_not_end_the_match(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Somebody has put it elsewhere; it is written on all the same."""

    def hide(host: Player) -> None:
        (record,) = host.records
        record.rename(tmp_path / "elsewhere")

    _, answer = await met_in_a_match(tmp_path, None, hide)
    assert type(answer) is events.Greeted


async def test_strangers_do_not_fill_the_screen_of_a_host(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async def play(host: Player, join: Player, street: Street) -> None:
        for _ in range(3 * MOST_WORDS):
            await street.call().aclose()
            await trio.testing.wait_all_tasks_blocked()
        assert len(host.notes.lines) == MOST_WORDS
        await trio.sleep(1 / WORD_RATE)
        await street.call().aclose()

    host, _ = await serve(tmp_path, play)
    more, last = host.notes.lines[MOST_WORDS:]
    assert more == f"pazaak: {2 * MOST_WORDS} more connections were no opponents."
    assert "is no opponent" in last
