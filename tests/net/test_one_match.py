"""One pump plays one match, whatever else comes in one piece with the last statement."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
import trio
import trio.testing

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.errors import Exit
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating
from pazaak_p2p.rules import DECKS, Rules, Seat, Termination, parse_rules
from pazaak_p2p.wire import Peer, events
from pazaak_p2p.wire.cheats import Cheat
from pazaak_p2p.wire.errors import LocalError, RemoteError, Unexpected
from pazaak_p2p.wire.messages import ByeReason
from tests.cheating import Cheater
from tests.delay import DelayedStream, delayed_pair
from tests.matches import Side
from tests.verifier import verify
from tests.wire.tricks.case import Case
from tests.wire.tricks.ends import CASES as ENDS

Clock = trio.testing.MockClock
RULES = parse_rules("standard,sets=1,max_sets=9")


def offer(peer: Peer) -> None:
    kit = Side(0, "again").kit()
    peer.offer(RULES, kit.nonce, kit.secret, kit.deck, trio.current_time())


async def drive(side: Side, stream: DelayedStream, after: Callable[[Peer], None]) -> None:
    """Play *side* to the end of its match, concede in a host's seat, and do *after* at once."""
    peer, kit, bot = side.peer(), side.kit(), ThresholdBot()
    while True:
        while (event := peer.next_event()) is not None:
            match event:
                case events.Greeted() if side.seat == 0:
                    peer.offer(RULES, kit.nonce, kit.secret, kit.deck, trio.current_time())
                case events.Offered():
                    peer.accept(kit.nonce, kit.secret, kit.deck, trio.current_time())
                case events.Choose(view) if len(view.table) > 1:
                    peer.concede(trio.current_time())
                case events.Choose(view):
                    peer.act(bot.choose(view), trio.current_time())
                case events.Ended():
                    after(peer)
        await stream.send_all(peer.data_to_send())
        data = await stream.receive_some()
        peer.receive(data, trio.current_time())
        if not data:
            return


async def meet(honest: Side, other: Side, after: Callable[[Peer], None]) -> None:
    """Have *honest* play by the pump, and *other* by :func:`drive`."""
    streams = delayed_pair(0.1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(drive, other, streams[other.seat], after)
        await honest.run(streams[honest.seat])
        nursery.cancel_scope.cancel()


def chat_and_offer(peer: Peer) -> None:
    peer.chat("again?", trio.current_time())
    offer(peer)


def offer_and_leave(peer: Peer) -> None:
    offer(peer)
    peer.bye(ByeReason.DONE)


def ping(peer: Peer) -> None:
    """A ping, and the keep-alive of a quiet hour."""
    peer.handle_timeout(trio.current_time() + 3600)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("after", [offer, chat_and_offer, offer_and_leave, ping])
async def test_what_comes_with_the_last_statement_changes_nothing(
    autojump_clock: Clock, seat: int, after: Callable[[Peer], None]
) -> None:
    honest = Side(seat, "honest", rules=RULES)
    await meet(honest, Side(1 - seat, "more", rules=RULES), after)
    assert honest.error is None
    assert honest.kinds().count("Started") == honest.kinds().count("Ended") == 1
    assert honest.kinds()[-1] == "Ended"
    assert honest.record.began == 1
    verdict = verify(honest.record.data)
    assert verdict.clean
    assert verdict.complete
    assert verdict.termination == "concession"
    assert verdict.winner == seat


async def test_a_joiner_that_offers_before_the_host_does_is_refused(autojump_clock: Clock) -> None:
    """Its offer comes in one piece with its proof, so the host has offered nothing yet."""
    host, peer = Side(0, "host"), Side(1, "eager").peer()
    streams = delayed_pair(0.1)
    said = b""

    async def greet_and_offer() -> None:
        nonlocal said
        await streams[1].send_all(peer.data_to_send())
        while (event := peer.next_event()) is None:
            peer.receive(await streams[1].receive_some(), trio.current_time())
            if b"proof" not in (out := peer.data_to_send()):
                await streams[1].send_all(out)
                continue
            held.append(out)
            offer_now = Side(0, "").kit()
            peer.receive(await streams[1].receive_some(), trio.current_time())
        assert isinstance(event, events.Greeted)
        peer.offer(Rules(), offer_now.nonce, offer_now.secret, DECKS["balanced"], 0.0)
        await streams[1].send_all(held[0] + peer.data_to_send())
        while data := await streams[1].receive_some():
            said += data

    held: list[bytes] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(greet_and_offer)
        with pytest.raises(Unexpected, match="at a moment when it cannot come") as caught:
            await host.pump(streams[0]).run()
        await streams[1].send_eof()
    assert caught.value.exit_code == Exit.PEER_BROKE_PROTOCOL
    assert "to the host" in caught.value.why
    assert b"protocol" in said
    assert host.record.began == 0


def test_a_host_refuses_what_it_is_offered() -> None:
    seating = HostSeating(Rules(), Side(0, "").kit)
    with pytest.raises(RemoteError):
        seating.offered(None, events.Offered(Rules()))  # type: ignore[arg-type]


async def test_a_pump_takes_no_second_match(autojump_clock: Clock) -> None:
    host = Side(0, "twice")
    pump = host.pump(delayed_pair(0.1)[0])
    pump.match.go_on()
    with pytest.raises(LocalError):
        pump._follow(events.Started(bytes(32), None, Rules()))  # type: ignore[arg-type]
    assert host.record.began == 0


@pytest.mark.parametrize("case", ENDS, ids=lambda case: f"{case.code}: {case.name}")
async def test_a_cheat_that_ends_the_match_is_still_raised(
    autojump_clock: Clock, case: Case
) -> None:
    """``Ended`` comes before it, but it is no end that went well."""
    for attempt in range(100):  # until the one who wins is the one who is to cheat
        honest = Side(0, "honest", rules=case.rules, deck=DECKS["starter"])
        cheater = Cheater(
            Seat.JOIN, case.trick, rules=case.rules, deck=case.deck, seed=f"cheater {attempt}"
        )
        report = await _against(honest, cheater)
        if cheater.struck:
            break
    assert cheater.struck
    assert isinstance(honest.error, Cheat)
    assert honest.error.code == case.code
    assert honest.error.exit_code == Exit.PEER_BROKE_PROTOCOL
    assert report is not None
    if report.outcome.termination is Termination.CHEAT:
        assert report.outcome.winner is Seat.HOST


async def _against(honest: Side, cheater: Cheater) -> MatchReport | None:
    ours, theirs = delayed_pair(0.1)

    async def cheat() -> None:
        with contextlib.suppress(Cheat):  # it finds its own deck illegal, but was not to show it
            await theirs.send_all(cheater.send())
            while data := await theirs.receive_some():
                cheater.receive(data)
                await theirs.send_all(cheater.send())
        await theirs.send_eof()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(cheat)
        return await honest.run(ours)
