"""The pump with persons and bots, exact to the virtual second."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.net.errors import (
    Accused,
    Busy,
    DeckRefused,
    Left,
    PeerLeft,
    PeerLost,
    RulesDiffer,
    TermsRefused,
)
from pazaak_p2p.net.player import Away, BotPlayer, Concede, Quit, Request, Say
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.seating import HostSeating
from pazaak_p2p.rules import DECKS, Action, End, Rules, Seat, Termination, View, parse_rules
from pazaak_p2p.store import RecordError, RecordWriter
from pazaak_p2p.wire import events
from pazaak_p2p.wire.errors import Garbage, Silent
from pazaak_p2p.wire.messages import ByeReason
from tests.delay import DelayedStream, delayed_pair
from tests.matches import Side, SlowPlayer, bot, play
from tests.verifier import verify

Clock = trio.testing.MockClock


async def test_bots_play_a_match_and_both_report_the_same(autojump_clock: Clock) -> None:
    host, join = Side(0, "one"), Side(1, "one", bot("random", "r"))
    ours, theirs = await play(host, join, delayed_pair(0.0))
    assert ours is not None
    assert theirs is not None
    assert ours.outcome == theirs.outcome
    assert ours.outcome.termination is Termination.NORMAL
    assert (ours.head, ours.won, ours.match_id) == (theirs.head, theirs.won, theirs.match_id)
    assert (ours.seat, theirs.seat) == (Seat.HOST, Seat.JOIN)
    assert ours.opened == theirs.opened == (True, True)
    assert max(ours.won) == 3
    for side in (host, join):
        verdict = verify(side.record.data)
        assert verdict.clean
        assert verdict.complete
        assert verdict.ended
        assert verdict.head == ours.head
        assert verdict.winner == ours.outcome.winner


async def test_a_bots_turn_is_one_entry_and_one_send(autojump_clock: Clock) -> None:
    streams = delayed_pair(0.1)
    host, join = Side(0, "entries"), Side(1, "entries")
    await play(host, join, streams)
    verdict = verify(host.record.data)
    # hello, proof, offer; entries; bye. The joiner accepts instead of offering, and who has said
    # the last entry says no goodbye, as the other's shows that it arrived.
    assert streams[0].sent + streams[1].sent == verdict.entries + 7


async def test_a_person_who_thinks_is_pinged_meanwhile_and_the_card_is_shown_at_once(
    autojump_clock: Clock,
) -> None:
    """25 s of thought: more than the 10 s to a ping, and two of them than the 30 s of silence."""
    host, join = Side(0, "slow", SlowPlayer(25)), Side(1, "slow")
    ours, _ = await play(host, join, delayed_pair(0.1))
    assert host.error is None
    assert join.error is None
    player = host.player
    assert isinstance(player, SlowPlayer)
    drawn = [
        (at, e.seat)
        for at, e in join.events
        if isinstance(e, events.Moved) and type(e.input).__name__ == "Draw"
    ]
    asked = [at for at, e in host.events if isinstance(e, events.Choose)]
    assert player.asked == len(asked)
    (link,) = player.links  # by which a person sees how the line is
    assert link.rtt == pytest.approx(0.2)
    assert ours is not None
    assert link.lots_checked == ours.lots > 0
    # What the person drew is with the other side a trip later, not after the thinking.
    shown = [round(at - 0.1, 6) for at, seat in drawn if seat is Seat.HOST]
    assert round(asked[0], 6) in shown


async def test_both_persons_slow(autojump_clock: Clock) -> None:
    host, join = Side(0, "both", SlowPlayer(40)), Side(1, "both", SlowPlayer(33))
    ours, theirs = await play(host, join, delayed_pair(0.1))
    assert host.error is join.error is None
    assert ours is not None
    assert theirs is not None
    assert ours.head == theirs.head


async def test_R21_turn_seconds_the_slow_player_loses_at_the_very_second(
    autojump_clock: Clock,
) -> None:
    rules = parse_rules("standard,turn_seconds=5")
    host, join = Side(0, "clock", SlowPlayer(60), rules=rules), Side(1, "clock")
    ours, theirs = await play(host, join, delayed_pair(0.1))
    assert ours is not None
    assert theirs is not None
    for report in (ours, theirs):
        assert report.outcome.termination is Termination.TIME
        assert report.outcome.winner is Seat.JOIN
    player = host.player
    assert isinstance(player, SlowPlayer)
    assert player.withdrawn == 1
    asked = next(at for at, e in host.events if isinstance(e, events.Choose))
    # The other side hears of it a trip later, and its word, which makes it so, takes another.
    for side, trips in ((join, 1), (host, 2)):
        left = next(at for at, e in side.events if isinstance(e, events.Moved) and e.state.outcome)
        assert left - asked == pytest.approx(5.0 + 0.1 * trips, abs=1e-9)


async def test_R21_an_answer_after_the_clock_ran_out_changes_nothing(
    autojump_clock: Clock,
) -> None:
    """It comes in the round trip in which the concession is not yet the end of the match."""
    rules = parse_rules("standard,turn_seconds=5")
    host, join = Side(0, "late", SlowPlayer(5.1), rules=rules), Side(1, "late")
    ours, _ = await play(host, join, delayed_pair(0.1))
    assert host.error is join.error is None
    assert ours is not None
    assert ours.outcome.termination is Termination.TIME


async def test_R21_a_bot_can_concede(
    autojump_clock: Clock,
) -> None:
    class Sulker:
        """Concedes at its second choice."""

        def __init__(self) -> None:
            self.choices = 0

        def choose(self, view: View) -> Action | Concede:
            self.choices += 1
            return Concede() if self.choices == 2 else End()

    host = Side(0, "sulk", BotPlayer(Sulker))
    join = Side(1, "sulk", SlowPlayer(3))
    ours, theirs = await play(host, join, delayed_pair(0.1))
    assert ours is not None
    assert theirs is not None
    for report in (ours, theirs):
        assert report.outcome.termination is Termination.CONCESSION
        assert report.outcome.winner is Seat.JOIN
    assert verify(join.record.data).complete


async def test_a_person_concedes_out_of_turn_and_talks(autojump_clock: Clock) -> None:
    slow, other = SlowPlayer(1000), SlowPlayer(1000)
    host, join = Side(0, "talk", slow), Side(1, "talk", other)

    async def type_something() -> None:
        await trio.sleep(7)
        slow.wants.send_nowait(Say("good luck"))
        await trio.sleep(7)
        slow.wants.send_nowait(Concede())
        slow.wants.send_nowait(Concede())  # a second time says nothing new

    async with trio.open_nursery() as nursery:
        nursery.start_soon(type_something)
        ours, theirs = await play(host, join, delayed_pair(0.1))
    assert ours is not None
    assert theirs is not None
    assert ours.outcome.termination is theirs.outcome.termination is Termination.CONCESSION
    assert ours.outcome.winner is Seat.JOIN
    said = [(round(at, 6), e.text) for at, e in join.events if isinstance(e, events.Chatted)]
    assert said == [(7.1, "good luck")]
    # One of them was being asked, and is no more.
    assert slow.withdrawn + other.withdrawn == 1
    for side in (host, join):
        assert verify(side.record.data).clean


async def test_a_person_who_quits_is_said_goodbye_and_the_record_ends_properly(
    autojump_clock: Clock,
) -> None:
    slow = SlowPlayer(1000)
    host, join = Side(0, "quit", slow), Side(1, "quit")

    async def leave() -> None:
        await trio.sleep(12)
        slow.wants.send_nowait(Quit())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(leave)
        ours, theirs = await play(host, join, delayed_pair(0.1))
    assert isinstance(host.error, Left)
    assert isinstance(join.error, PeerLeft)
    assert join.error.exit_code == Exit.PEER_LOST
    for report in (ours, theirs):
        assert report is not None
        assert report.outcome.termination is Termination.ABANDONED
        assert report.outcome.winner is Seat.JOIN
    for side in (host, join):
        verdict = verify(side.record.data)
        assert verdict.ended
        assert verdict.termination == "unfinished"
        assert not verdict.problem


async def test_cancelling_says_goodbye(autojump_clock: Clock) -> None:
    host, join = Side(0, "cancel", SlowPlayer(1000)), Side(1, "cancel")
    streams = delayed_pair(0.1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(join.run, streams[1])
        with trio.move_on_after(3) as scope:
            await host.run(streams[0])
        assert scope.cancelled_caught
        # A goodbye, and the other side's answer to our closing: one round trip.
        assert trio.current_time() == pytest.approx(3.2, abs=1e-9)
    assert isinstance(join.error, PeerLeft)
    assert verify(host.record.data).ended


async def test_a_silent_line_is_given_up_after_30_seconds_with_a_ping_at_10(
    autojump_clock: Clock,
) -> None:
    host = Side(0, "silent")
    streams = delayed_pair(0.1)
    peer = Side(1, "silent").peer()

    async def greet_and_fall_silent() -> None:
        while "proof" not in heard_kinds:
            await streams[1].send_all(peer.data_to_send())
            data = await streams[1].receive_some()
            peer.receive(data, trio.current_time())
            heard_kinds.extend(["proof"] if b"proof" in data else [])
        await streams[1].send_all(peer.data_to_send())
        greeted.append(trio.current_time())
        await trio.sleep_forever()

    heard_kinds: list[str] = []
    greeted: list[float] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(greet_and_fall_silent)
        await host.run(streams[0])
        nursery.cancel_scope.cancel()
    assert isinstance(host.error, Silent)
    assert host.error.exit_code == Exit.PEER_LOST
    # The goodbye that nobody answers is given up after a second.
    assert host.ended_at - greeted[0] == pytest.approx(31.0, abs=1e-9)


async def test_one_that_sends_nothing_is_given_up_after_10_seconds(autojump_clock: Clock) -> None:
    host = Side(0, "mute")
    streams = delayed_pair(0.1)
    pump = host.pump(streams[0])
    with pytest.raises(Silent):
        await pump.run()
    assert pump.first_bytes == b""
    assert trio.current_time() == pytest.approx(11.0, abs=1e-9)
    assert host.kinds() == []


class Clogged(DelayedStream):
    """Takes nothing more after a while."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if self.sent > 6:
            await trio.sleep_forever()
        await super().send_all(data)


async def test_one_that_takes_nothing_is_given_up_after_30_seconds(autojump_clock: Clock) -> None:
    ours, theirs = delayed_pair(0.1)
    ours.__class__ = Clogged
    host, join = Side(0, "clog"), Side(1, "clog")
    await play(host, join, (ours, theirs))
    assert isinstance(host.error, PazaakError)
    assert host.error.exit_code == Exit.PEER_LOST
    assert isinstance(join.error, PazaakError)
    last = max(at for at, e in host.events if isinstance(e, events.Moved))
    assert host.ended_at - last <= 31
    assert join.ended_at - last <= 32
    # What was recorded stays readable on both sides.
    for side in (host, join):
        assert not verify(side.record.data).problem


@pytest.mark.parametrize(
    "noise", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"\xc1\xff" * 600]
)
async def test_garbage_is_refused_at_once(autojump_clock: Clock, noise: bytes) -> None:
    host = Side(0, "noise")
    streams = delayed_pair(0.1)
    await streams[1].send_all(noise)
    await streams[1].send_eof()
    pump = host.pump(streams[0])
    with pytest.raises(Garbage):
        await pump.run()
    assert pump.first_bytes == noise[:16]
    assert trio.current_time() == pytest.approx(0.1, abs=1e-9)


async def test_a_lost_line_ends_the_match_and_keeps_the_record(autojump_clock: Clock) -> None:
    host, join = Side(0, "lost"), Side(1, "lost", SlowPlayer(4))
    streams = delayed_pair(0.1)
    with trio.move_on_after(20):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host.run, streams[0])
            pump = join.pump(streams[1])
            nursery.start_soon(_until, pump, 9.0)
            await trio.sleep(9.5)
            await trio.aclose_forcefully(streams[1])
            await trio.sleep(5)
            nursery.cancel_scope.cancel()
    assert isinstance(host.error, PeerLost)
    assert host.error.exit_code == Exit.PEER_LOST
    verdict = verify(host.record.data)
    assert verdict.ended
    assert not verdict.problem


async def _until(pump: Pump, seconds: float) -> None:
    with trio.move_on_after(seconds):
        await pump.run()


# --- terms


async def test_a_joiner_declines_other_rules_and_both_are_told(autojump_clock: Clock) -> None:
    host = Side(0, "rules", rules=parse_rules("tournament"))
    join = Side(1, "rules", rules=parse_rules("kotor1,sets=5"))
    await play(host, join, delayed_pair(0.1))
    assert isinstance(join.error, RulesDiffer)
    assert "kotor1,sets=5" in join.error.why
    assert "tournament" in join.error.why
    assert isinstance(host.error, TermsRefused)
    assert "kotor1,sets=5" in host.error.why
    assert join.error.exit_code == host.error.exit_code == Exit.MISFIT
    assert host.record.began == join.record.began == 0


async def test_R3_a_deck_that_does_not_suit_the_rules_is_declined(autojump_clock: Clock) -> None:
    host = Side(0, "deck", rules=parse_rules("standard,gold=off"), deck=DECKS["starter"])
    join = Side(1, "deck", deck=DECKS["hard"])
    await play(host, join, delayed_pair(0.1))
    assert isinstance(join.error, DeckRefused)
    assert "gold" in join.error.why
    assert isinstance(host.error, TermsRefused)
    assert "gold" in host.error.why


async def test_a_host_that_is_taken_says_busy(autojump_clock: Clock) -> None:
    def claim() -> None:
        raise Busy

    host, join = Side(0, "busy"), Side(1, "busy")
    streams = delayed_pair(0.1)
    pump = Pump(
        streams[0],
        host.peer(),
        "host",
        HostSeating(Rules(), claim),  # type: ignore[arg-type]
        host.player,
        host.record,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(join.run, streams[1])
        with pytest.raises(Busy):
            await pump.run()
    assert isinstance(join.error, Busy)
    assert join.error.exit_code == Exit.NO_CONNECTION


async def test_one_who_greets_and_leaves_in_the_same_breath(autojump_clock: Clock) -> None:
    host, peer = Side(0, "breath"), Side(1, "breath").peer()
    streams = delayed_pair(0.1)

    async def greet_and_leave() -> None:
        peer.receive(await streams[1].receive_some(), trio.current_time())
        peer.bye(ByeReason.INTERRUPTED)
        await streams[1].send_all(peer.data_to_send())
        await streams[1].send_eof()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(greet_and_leave)
        with pytest.raises(PeerLeft):
            await host.pump(streams[0]).run()


async def test_a_bot_whose_opponent_has_left_when_its_turn_comes(autojump_clock: Clock) -> None:
    """The entry that makes it the bot's turn and the goodbye arrive in one piece."""

    class Leaver(DelayedStream):
        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            if self.sent == 5:
                peer.bye(ByeReason.INTERRUPTED)
                data = bytes(data) + peer.data_to_send()
            await super().send_all(data)

    host, join = Side(0, "leaver"), Side(1, "leaver")
    streams = delayed_pair(0.1)
    streams[1].__class__ = Leaver
    pump = join.pump(streams[1])
    peer = pump._peer
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.run, streams[0])
        with pytest.raises(PazaakError):
            await pump.run()
    assert isinstance(host.error, PeerLeft)
    assert verify(host.record.data).ended


async def test_another_version_is_told_to_both(autojump_clock: Clock) -> None:
    host = Side(0, "version")
    streams = delayed_pair(0.1)
    hello = (
        Side(1, "version").peer().data_to_send().replace(b"versions\x91\x01", b"versions\x91\x09")
    )
    await streams[1].send_all(hello)
    pump = host.pump(streams[0])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_end_after, streams[1], 1.0)
        with pytest.raises(PazaakError, match=r"Ours: 1\. The other side's: 9\.") as caught:
            await pump.run()
    assert caught.value.exit_code == Exit.MISFIT


async def _end_after(stream: DelayedStream, seconds: float) -> None:
    await trio.sleep(seconds)
    await stream.send_eof()


# --- our own faults


async def test_a_record_that_cannot_be_written_ends_the_match_and_says_so(
    autojump_clock: Clock, tmp_path: Path
) -> None:
    class Full(type(Side(0, "").record)):  # type: ignore[misc]
        def write(self, data: bytes) -> None:
            if len(self.data) + len(data) > 3000:
                raise PazaakError("The disk is full.")
            super().write(data)

    host, join = Side(0, "full"), Side(1, "full")
    host.record = Full()
    await play(host, join, delayed_pair(0.1))
    assert str(host.error) == "The disk is full."
    assert isinstance(join.error, PeerLeft)
    assert "fault" in join.error.why
    # Nothing was sent that is not recorded: the other side knows no entry that we have not, but for
    # the one of its own that there was no room for.
    verdict, theirs = verify(host.record.data), verify(join.record.data)
    assert not verdict.problem
    assert verdict.entries == theirs.entries - 1


async def test_an_accusation_is_told(autojump_clock: Clock) -> None:
    host = Side(0, "accused")
    streams = delayed_pair(0.1)
    await streams[1].send_all(b"\x83\xa1t\xa3bye\xa6reason\xa8protocol\xa4text\xa9malformed")
    pump = host.pump(streams[0])
    with pytest.raises(Accused, match="malformed") as caught:
        await pump.run()
    assert caught.value.exit_code == Exit.PEER_BROKE_PROTOCOL


async def test_a_record_that_cannot_be_begun_ends_the_match_with_its_own_error(
    autojump_clock: Clock, tmp_path: Path
) -> None:
    """A file stands where the folder of the records should be."""
    (tmp_path / "matches").write_text("")
    for seat in (0, 1):
        sides = Side(0, "nowhere"), Side(1, "nowhere")
        sides[seat].record = RecordWriter(tmp_path / "matches")  # type: ignore[assignment]
        reports = await play(*sides, delayed_pair(0.1))
        assert isinstance(sides[seat].error, RecordError)
        assert isinstance(sides[1 - seat].error, PeerLeft)
        report = reports[seat]
        assert report is not None
        assert report.record is None
        assert report.outcome.termination is Termination.ABANDONED


# --- what a player says at any time


class Stuck(DelayedStream):
    """Takes everything that holds *what*, but takes two seconds to do so."""

    what = b"chat"

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if self.what in bytes(data):
            await trio.sleep(2)
        await super().send_all(data)


@pytest.mark.parametrize("moment", range(0, 9))
async def test_talk_that_is_on_its_way_when_the_match_ends_tears_nothing(
    autojump_clock: Clock, moment: int
) -> None:
    """What the match still has to say was left to the task that sends the talk."""

    class Talker(SlowPlayer):
        def notice(self, event: events.Event | Away) -> None:
            super().notice(event)
            if isinstance(event, events.Moved) and event.state.outcome is not None:
                nursery.start_soon(talk)

    async def talk() -> None:
        await trio.sleep(moment / 20)
        talker.wants.send_nowait(Say("that was it"))

    streams = delayed_pair(0.1)
    streams[0].__class__ = Stuck
    talker = Talker(0)
    rules = parse_rules("standard,sets=1")
    host, join = Side(0, "late talk", talker, rules=rules), Side(1, "late talk")
    async with trio.open_nursery() as nursery:
        ours, theirs = await play(host, join, streams)
    assert host.error is join.error is None
    assert ours is not None
    assert theirs is not None
    assert ours.opened == theirs.opened == (True, True)
    assert ours.outcome == theirs.outcome


@pytest.mark.parametrize("request_", [Quit(), Say("hello"), Concede()])
async def test_a_joiner_is_heard_while_the_host_is_silent(
    autojump_clock: Clock, request_: Request
) -> None:
    slow = SlowPlayer(1)
    join = Side(1, "silence", slow)
    slow.wants.send_nowait(request_)
    await join.run(delayed_pair(0.1)[1])
    if isinstance(request_, Quit):
        assert isinstance(join.error, Left)
        assert join.ended_at == pytest.approx(1.0, abs=1e-9)  # a goodbye that nobody answers
    else:
        # There is nobody to talk to and no match to concede, which is no reason to leave.
        assert isinstance(join.error, Silent)
        assert join.ended_at == pytest.approx(11.0, abs=1e-9)
    assert slow.refusals == (["There is nobody to talk to."] if isinstance(request_, Say) else [])


@pytest.mark.parametrize("text", ["", "x" * 501, "\ud800", "hi"])
async def test_talk_that_the_other_side_would_not_take_is_told_to_our_player(
    autojump_clock: Clock, text: str
) -> None:
    """Also too much of it: the other side would call that a flood."""
    slow = SlowPlayer(1)
    host, join = Side(0, "talk", slow), Side(1, "talk", SlowPlayer(1))
    for _ in range(25):
        slow.wants.send_nowait(Say(text))
    await play(host, join, delayed_pair(0.1))
    assert host.error is join.error is None
    heard = join.kinds().count("Chatted")
    assert heard + len(slow.refusals) == 25
    assert bool(heard) == (text == "hi")
    assert slow.refusals


@pytest.mark.parametrize("played", [False, True])
async def test_the_record_is_named_only_where_there_is_one(
    autojump_clock: Clock, tmp_path: Path, played: bool
) -> None:
    slow = SlowPlayer(1000)
    join = Side(1, "record", slow)
    join.record = RecordWriter(tmp_path)  # type: ignore[assignment]
    streams = delayed_pair(0.1)
    async with trio.open_nursery() as nursery:
        if played:
            nursery.start_soon(Side(0, "record").run, streams[0])
            nursery.start_soon(join.run, streams[1])
            await slow.first_asked.wait()
            slow.wants.send_nowait(Quit())
        else:
            slow.wants.send_nowait(Quit())
            await join.run(streams[1])
    assert isinstance(join.error, Left)
    assert ("What was played is in the record." in join.error.next) == played
    assert (join.record.path is not None) == played
