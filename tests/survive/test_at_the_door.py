"""What a real house does at its door beside the match: doubts, who is late, and what is over."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.cli.house import House
from pazaak_p2p.cli.introduction import NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.cli.seat import BotSeat
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.certificate import Credentials
from pazaak_p2p.net.errors import Busy, OpponentAway
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.player import Away, Concede
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line, only_pazaak, shake_hands
from pazaak_p2p.rules import Action, View, parse_rules
from pazaak_p2p.store import find_saved
from pazaak_p2p.store.errors import RecordError
from pazaak_p2p.store.meeting import Case, Meeting, NameTaken
from pazaak_p2p.wire import Peer, events
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.events import Greeted
from tests.matches import Side, SlowPlayer
from tests.net.house import CREDENTIALS
from tests.net.test_door import Doorbell
from tests.survive.rig import Notes, _Guest
from tests.survive.test_claiming import Claimer
from tests.survive.test_wearing import Steady

Clock = trio.testing.MockClock
GRACE = 600.0
CODE = "17-copper-lantern"
LATER = m.Bye(m.ByeReason.LATER, "")


class Wary(NoIntroductions):
    """Asks about everybody, and is told *yes* or no after *seconds*."""

    def __init__(self, yes: bool, seconds: float) -> None:
        self._yes, self._seconds = yes, seconds
        self._trusted = False

    def introduce(self, event: Greeted) -> str:
        if not self._trusted:
            raise NameTaken(Meeting(Case.NAME_TAKEN, event.key, event.name, None))
        return ""

    def can_ask(self, taken: NameTaken) -> bool:
        return True

    async def ask(self, taken: NameTaken, output: Output, *, still: bool = False) -> bool:
        await trio.sleep(self._seconds)
        self._trusted = self._yes
        return self._yes


class Resigning(SlowPlayer):
    """Concedes after *seconds*."""

    async def ask(self, view: View) -> Action | Concede:  # type: ignore[override]
        self.first_asked.set()
        await trio.sleep(self._seconds)
        return Concede()


class Resting(Claimer):
    """Looks at the end of a match for a minute."""

    def __init__(self, entrant: Entrant) -> None:
        super().__init__(entrant)
        self.rests = trio.Event()

    async def rest(self, *, again: bool = False) -> bool:
        self.rests.set()
        await trio.sleep(60)
        return False


class Lines:
    """Connections to a door that a guest makes."""

    def __init__(self, bell: Doorbell) -> None:
        self._bell = bell
        self.lines: list[LeanStream] = []

    def dial(self) -> LeanStream:
        self.lines.append(self._bell.ring())
        return self.lines[-1]


class Heard(Notes):
    """Somebody who is waited for has gone."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = trio.Event()

    def away(self, away: Away) -> None:
        super().away(away)
        self.gone.set()


class Guarded:
    """A host's door in virtual time, with a real house behind it."""

    def __init__(
        self,
        folder: Path,
        known: NoIntroductions | None = None,
        *,
        sits: Callable[[Entrant], BotSeat] = Steady,
        credentials: Credentials | None = None,
        grace: float = GRACE,
        forever: bool = False,
        resume: bool = False,
    ) -> None:
        self.notes = Heard()
        self.bell = Doorbell()
        self.result: MatchReport | PazaakError | None = None
        self._credentials = credentials
        self._forever = forever
        entrant = Entrant(seat=0, name="Ann", deck="balanced", bot="threshold", seed="door")
        self.seat = sits(entrant)
        route = Route(True, "street", 1, plain=credentials is None)
        kept: Keeping | None = None
        if resume:
            kept = Keeping(entrant, self.seat, folder, route, sync=False)
            kept.take_up(find_saved(folder, None))
        self.house = House(
            entrant,
            self.seat,
            self.notes,
            folder,
            known or NoIntroductions(),
            route,
            rules=None if resume else parse_rules("standard,sets=1"),
            grace=grace,
            sync=False,
            forever=forever,
            rests=kept,
            stood=None if kept is None else kept.take_stock(),
        )

    async def keep(self) -> None:
        """Keep the door until a match is over."""
        try:
            self.result = await keep_door(
                [self.bell], self.house, self._credentials, forever=self._forever
            )
        except PazaakError as error:
            self.result = error

    async def visit(self, side: Side) -> None:
        """Have *side* play here."""
        lean = self.bell.ring()
        await side.run(lean if self._credentials is None else await encrypted(Carrier(lean)))


async def encrypted(carrier: Carrier) -> Line:
    return await shake_hands(carrier, only_pazaak(ssl.PROTOCOL_TLS_CLIENT))


async def greet(stream: Line, side: Side) -> Peer | None:
    """A session as *side*; None if it is sent away before it stands."""
    peer = side.peer(stream.certificate)
    return peer if await heard(stream, peer, Greeted) else None


async def heard(stream: Line, peer: Peer, *kinds: type[events.Event]) -> events.Event | None:
    """Wait for one of *kinds* of events; None if it does not come before the line ends."""
    while True:
        await stream.send_all(peer.data_to_send())
        data = bytes(await stream.receive_some())
        peer.receive(data, trio.current_time())
        while (event := peer.next_event()) is not None:
            if isinstance(event, kinds):
                return event
        if not data:
            return None


async def ask(stream: Line, peer: Peer, match_id: bytes, *more: m.Message) -> str | None:
    """Ask for a match, and say *more* in one piece; with what reason one is sent away."""
    said = [m.Resume(match_id, 0, match_id, []), *more]
    await stream.send_all(peer.data_to_send() + b"".join(encode(message) for message in said))
    left = await heard(stream, peer, events.Left)
    return left.reason if isinstance(left, events.Left) else None


def match_of(side: Side) -> bytes:
    (started,) = [event for _, event in side.events if isinstance(event, events.Started)]
    return started.match_id


@pytest.mark.parametrize("yes", [True, False])
async def test_one_in_doubt_plays_after_a_yes_and_nobody_comes_in_meanwhile(
    tmp_path: Path, autojump_clock: Clock, yes: bool
) -> None:
    door = Guarded(tmp_path, Wary(yes, seconds=30.0))
    ben, other = Side(1, "Ben"), Side(1, "other")
    with trio.fail_after(10_000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            nursery.start_soon(door.visit, ben)
            await trio.sleep(1)
            await door.visit(other)
            assert isinstance(other.error, Busy)
            if not yes:
                await trio.sleep(60)
                nursery.cancel_scope.cancel()
    assert ("Started" in ben.kinds()) is yes
    assert (ben.error is None) is yes
    assert isinstance(door.result, MatchReport) is yes


async def test_who_knocked_in_a_match_and_speaks_when_it_is_over_ends_nothing(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    door = Guarded(tmp_path, credentials=CREDENTIALS, forever=True)
    player = Resigning(2.0)
    ben, late, carl = Side(1, "Ben", player), Side(1, "late"), Side(1, "Carl", Resigning(1.0))
    with trio.fail_after(10_000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)

            async def come() -> None:
                await player.first_asked.wait()
                carrier = Carrier(door.bell.ring())
                await trio.sleep(3)
                assert ben.ended_at > 0
                async with await encrypted(carrier) as stream:
                    peer = await greet(stream, late)
                    assert peer is not None
                    # It has come for the next match.
                    assert isinstance(await heard(stream, peer, events.Offered), events.Offered)
                await door.visit(carl)
                nursery.cancel_scope.cancel()

            nursery.start_soon(come)
            await door.visit(ben)
    assert ben.error is None
    assert carl.error is None


async def test_the_line_is_not_given_up_for_another_match(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    """Though the right key asks: for one that never was, and for one that is over."""
    door = Guarded(tmp_path, forever=True)
    player = Resigning(2.0)
    ben, carl = Side(1, "Ben", player), Side(1, "Carl", SlowPlayer(1.0))
    with trio.fail_after(10_000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            nursery.start_soon(door.visit, ben)
            await player.first_asked.wait()
            lines = [door.bell.ring() for _ in range(2)]
            peers = [await greet(line, ben) for line in lines]
            assert peers[0] is not None
            assert await ask(lines[0], peers[0], bytes(32)) == "busy"
            await trio.sleep(3)
            assert ben.ended_at > 0
            nursery.start_soon(door.visit, carl)
            await trio.sleep(1)
            assert "Started" in carl.kinds()
            assert peers[1] is not None
            assert await ask(lines[1], peers[1], match_of(ben)) == "busy"
            await trio.sleep(100)
            assert carl.ended_at > 0
            for line in lines:
                await line.aclose()
            nursery.cancel_scope.cancel()
    assert ben.error is None
    assert carl.error is None
    assert door.notes.times_away == 0


@pytest.mark.parametrize("lost", [False, True])
async def test_who_asks_to_come_back_and_cannot_leaves_nobody_waiting_for_ever(
    tmp_path: Path, autojump_clock: Clock, lost: bool
) -> None:
    """Since it goes again at once, or since our record is lost."""
    door = Guarded(tmp_path)
    player = SlowPlayer(10_000)
    ben = Side(1, "Ben", player)
    with trio.fail_after(3 * GRACE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            old = door.bell.ring()
            nursery.start_soon(ben.run, old)
            await player.first_asked.wait()
            line = door.bell.ring()
            peer = await greet(line, ben)
            assert peer is not None
            old.hang_up()
            await door.notes.gone.wait()
            if lost:
                lose(tmp_path)
            await ask(line, peer, match_of(ben), *([] if lost else [LATER]))
            await line.aclose()
    assert isinstance(door.result, RecordError if lost else OpponentAway)


async def break_off(door: Guarded) -> None:
    """Begin a match with Ben, whose line breaks when it is for him to move."""
    player, line = SlowPlayer(10_000), door.bell.ring()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Side(1, "Ben", player).run, line)
        await player.first_asked.wait()
        line.hang_up()


def lose(folder: Path) -> None:
    folder.rename(folder.with_name(f"{folder.name} gone"))


async def test_a_claim_that_cannot_be_made_is_told_as_what_it_is(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    door = Guarded(tmp_path, sits=Claimer)
    with trio.fail_after(3 * GRACE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            await break_off(door)
            await door.notes.gone.wait()
            lose(tmp_path)
    assert isinstance(door.result, RecordError)


async def test_who_knocks_after_a_claim_is_told_that_we_are_busy(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    """Where a match went on, and there are no rules to offer another one by."""
    door = Guarded(tmp_path, grace=5.0)
    with trio.fail_after(3 * GRACE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            await break_off(door)
        assert isinstance(door.result, OpponentAway)
        door, late = Guarded(tmp_path, sits=Resting, resume=True), Side(1, "late")
        assert isinstance(door.seat, Resting)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            line = door.bell.ring()
            peer = await greet(line, Side(1, "Ben"))
            assert peer is not None
            assert await heard(line, peer, events.ResumeAsked) is not None
            await line.aclose()
            await door.seat.rests.wait()
            await door.visit(late)
    assert isinstance(late.error, Busy)
    assert isinstance(door.result, MatchReport)
    assert not door.result.unfinished


async def test_another_match_with_a_code_is_awaited_also_after_one_whose_line_broke(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    door = Guarded(tmp_path / "host", sits=Resting)
    assert isinstance(door.seat, Resting)
    door.house.ask_for_code(CODE)
    entrant = Entrant(seat=1, name="Ben", deck="balanced", bot="threshold", seed="door", known=True)
    route = Route(False, "street", 1, plain=True)
    seat, again = Steady(entrant), Side(1, "again", code=CODE)
    kept = Keeping(entrant, seat, tmp_path / "join", route, sync=False)
    guest = _Guest(entrant, seat, Heard(), NoIntroductions(), route, kept, grace=GRACE)
    lines = Lines(door.bell)
    guest.street, guest.encrypts = lines, False  # type: ignore[assignment]
    with trio.fail_after(3 * GRACE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            nursery.start_soon(guest.join, None, CODE)
            await trio.sleep(1)
            lines.lines[0].hang_up()
            await door.seat.rests.wait()
            assert door.notes.times_away == 1
            await door.visit(again)
    assert isinstance(again.error, Busy)
    assert isinstance(door.result, MatchReport)
