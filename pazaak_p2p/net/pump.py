"""The pump: one peer, one stream, one player, one record.

A bot's turn takes this way and meets no other task on it: receive, peer, events, the bot's choice,
peer, record, send. A person, or a bot that takes its time, is asked in a task of its own, so that
pings are answered meanwhile.

What is sent, and recorded before, goes through ``sender.py``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, cast

import msgspec
import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Accused, Left, PeerLost, VersionRefused, way_back
from pazaak_p2p.net.parting import CHUNK, declined, farewell_text, goodbye, linger, said_bye
from pazaak_p2p.net.player import Claim, Concede, Instant, Player, Quit, Request, Say, Thinking
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import Later, ResumeSeating, ReturnSeating, Seating
from pazaak_p2p.net.sender import SEND_SECONDS, Sender
from pazaak_p2p.rules import Action, Termination
from pazaak_p2p.wire import Peer, events
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import LocalError, RemoteError
from pazaak_p2p.wire.events import Choose, Event, Greeted, Moved, Offered, ResumeAsked, Resumed
from pazaak_p2p.wire.messages import Bye, ByeReason

LOOK_SECONDS: Final = 5.0
"""How often the clock looks for new deadlines: the shortest that there is, a turn's (R21)."""
PARTING_SECONDS: Final = 1.0
"""How long a goodbye may take when something went wrong or the user wants to leave."""
FAREWELL_SECONDS: Final = 5.0
"""How long we wait for the other side to close after a match that went well."""
# Bytes of a greeting that tell a browser from a player.
_TELLING: Final = 16


class Pump:
    """Runs *peer* over *stream* until one match is over.

    *watch* gets every event, before the player does. *judge* has a join code that was tried judged
    by the peer, when it is time to (see ``code_gate.py``); without it that is done at once. The
    stream is closed and the record's end written whatever happens.
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        peer: Peer,
        name: str,
        seating: Seating,
        player: Player,
        record: RecordSink,
        watch: Sequence[Callable[[Event], None]] = (),
        judge: Callable[[Peer], Awaitable[None]] | None = None,
    ) -> None:
        self._stream = stream
        self._sender = Sender(stream, peer, record)
        self._flush = self._sender.flush
        self._peer = peer
        self._name = name
        self._seating = seating
        self._player = player
        self._instant = cast("Instant", player) if player.instant else None
        self._record = record
        self._watch = tuple(watch)
        self._judge = judge
        self.first_bytes = b""
        """What the other side said first, to tell what kind of stranger it is."""
        self.started = False
        """Whether a match has begun."""
        self.began = 0.0
        """When it did, or went on."""
        self.over = False
        """Whether only goodbyes are left to say."""
        self.report: MatchReport | None = None
        """How the match ended, also if :meth:`run` raised."""
        self.greeting: Greeted | None = None
        """Who is on the other side, once that is proven."""
        self._seated = self._stopped = False
        self._doubted = self._concedes = False
        self._unanswered: list[Event] = []
        self._resuming = isinstance(seating, ResumeSeating)
        self._recording = self._resuming
        self._done = self._closing = False
        self._failure: Exception | None = None
        self._question: Choose | None = None
        # How long what was drawn is held back for the answer, and what tells of the answer.
        self._held_until = 0.0
        self._answered = trio.Event()
        self._nursery: trio.Nursery
        # Scopes of what waits for something other than the stream, to be ended without tearing a
        # send: the clock, the question to a person, a person's requests.
        self._receiving = trio.CancelScope()
        self._clock = trio.CancelScope()
        self._asking = trio.CancelScope()
        self._listening = trio.CancelScope()

    @property
    def code_waits(self) -> bool:
        """Has the other side tried a join code that waits to be judged?"""
        return self._peer.code_waits

    async def run(self) -> MatchReport:
        """Play one match, from the greeting to the goodbye.

        Raises a ``RemoteError`` if the other side broke the protocol; ``PeerLost``, ``PeerLeft``,
        ``Accused``, ``Busy``, ``CodeRefused``, ``VersionRefused`` or ``TermsRefused`` if it went or
        did not want; ``Left`` if our own player left; and what the seating, the player, the record
        or the judge raise.
        """
        try:
            try:
                await self._play()
            except BaseException as error:
                await self._part(error)
                if isinstance(error, PeerLost | Left):
                    self._tell_what_stays(error)
                raise
            await self._part(None)
        finally:
            self._put_away()
            await trio.aclose_forcefully(self._stream)
        assert self.report is not None
        return self.report

    @property
    def can_go_on(self) -> bool:
        """Whether there is a match that another session can go on with."""
        open_ = self.report is None or self.report.unfinished
        return self._begun and self._record.keeps and open_

    @property
    def _begun(self) -> bool:
        """Is there a match for the other side, or may there be one by the time it hears of us?"""
        return self.started or self._resuming

    def _tell_what_stays(self, error: PazaakError) -> None:
        if self.can_go_on:
            error.next = way_back(self.match_id)
        elif self._record.path is not None:
            error.next += " What was played is in the record."

    @property
    def match_id(self) -> bytes:
        """Of the match that is played, was, or is to go on; empty if there is none."""
        if isinstance(self._seating, ResumeSeating):
            return self._seating.match_id
        return self._peer.match_id

    async def _play(self) -> None:
        try:
            async with trio.open_nursery() as self._nursery:
                self._nursery.start_soon(self._guarded, self._keep_time)
                if self._seating.from_the_start:
                    self._listen()
                await self._guarded(self._loop)
                self._done = self._closing = True
                self._clock.cancel()
                self._asking.cancel()
                self._listening.cancel()
        finally:
            self.over = True
        if self._failure is not None:
            raise self._failure

    def stop(self, error: PazaakError) -> None:
        """End the session by *error*, as if the other side had brought it about."""
        if not self.over and self._failure is None:
            self._stopped, self._failure = True, error
            self._nursery.cancel_scope.cancel()

    async def _guarded(self, work: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Run *work*, so that what it raises ends the session and comes out without a group."""
        try:
            await work(*args)
        except Exception as error:
            if self._failure is None:
                self._failure = error
            self._nursery.cancel_scope.cancel()

    # --- the way of a move

    async def _loop(self) -> None:
        peer, receive_some = self._peer, self._stream.receive_some
        await self._flush()
        with self._receiving:
            # No deadline here, and none around sending: entering a scope for every entry costs as
            # much as the rest of this loop. The clock watches over both.
            while not self._done:
                try:
                    data = await receive_some(CHUNK)
                except trio.BrokenResourceError:
                    data = b""
                if self.greeting is None and len(self.first_bytes) < _TELLING:
                    self.first_bytes += data[:_TELLING]
                peer.receive(bytes(data), trio.current_time())
                self._drain()
                if self._question is not None:
                    await self._hold()
                await self._flush()
                if not data and not self._done:
                    raise PeerLost

    def _drain(self) -> None:
        """Take the peer's events in their order, and answer those that want an answer at once."""
        if self._concedes:
            self._concede()
        next_event = self._peer.next_event
        while (event := next_event()) is not None:
            if self._done:
                # One match is all there is: no offer of another is taken, nor anything else that
                # came in one piece with the last statement. What broke the audit off is raised.
                continue
            if type(event) is Greeted:
                self._greeted(event)
            elif type(event) is events.Started:
                self._seating.begins()
                self._sit_down()
            elif self._doubted and type(event) in (Offered, ResumeAsked):
                self._unanswered.append(event)
                continue
            if self._seated and event is not self.greeting:
                for watch in self._watch:
                    watch(event)
                self._player.notice(event)
            if type(event) is Choose:
                self._choose(event)
            elif type(event) is not Moved:
                self._follow(event)
            elif event.state.outcome is not None:
                self._stop_asking()

    def _greeted(self, event: Greeted) -> None:
        self.greeting = event
        # Has it said something more in the same breath, a goodbye or an offer of its own? Then
        # there is nobody to make an offer to, and the next events say why.
        later: Later | None = None
        with suppress(LocalError):
            later = self._seating.greeted(self._peer, event)
        if later is None:
            self._sit_down()
        else:
            self._doubted = True
            self._nursery.start_soon(self._guarded, self._go_on_after, later)

    async def _go_on_after(self, later: Later) -> None:
        """Meanwhile the other side is kept waiting."""
        with suppress(LocalError):
            await later()
        self._doubted = False
        self._sit_down()
        for asked in self._unanswered:
            with suppress(LocalError):  # it may not wait for that any more
                self._follow(asked)
        await self._pulse()

    def _sit_down(self) -> None:
        """From now on our player is told what happens, if it is at the table in this session."""
        if self._seated or not self._seating.seated:
            return
        self._seated = True
        if self._instant is None:
            cast("Thinking", self._player).linked(self._peer)
        if not self._seating.from_the_start:
            self._listen()
        assert self.greeting is not None
        for watch in self._watch:
            watch(self.greeting)
        self._player.notice(self.greeting)

    def _go_on(self, event: ResumeAsked) -> None:
        self._seating.resume_asked(self._peer, event)
        self._resuming = self._recording = True
        self._sit_down()

    async def _come_back(self, seating: ReturnSeating, event: ResumeAsked) -> None:
        await seating.make_way(event)
        self._resuming = True  # whatever becomes of it, the match is waited for again
        with suppress(LocalError):  # it may have gone again meanwhile, as the next events tell
            self._go_on(event)
        await self._pulse()

    async def _try_code(self) -> None:
        if self._judge is None:
            self._peer.try_code(trio.current_time())
        else:
            await self._judge(self._peer)
        await self._pulse()

    def _choose(self, event: Choose) -> None:
        if self._instant is None:
            self._question = event
            hold = cast("Thinking", self._player).hold
            self._held_until = trio.current_time() + hold
            self._nursery.start_soon(self._guarded, self._ask, event)
            return
        self._do(self._instant.choose(event.view))

    def _do(self, choice: Action | Concede) -> None:
        if isinstance(choice, Concede):
            self._peer.concede(trio.current_time())
        else:
            self._peer.act(choice, trio.current_time())

    def _follow(self, event: Event) -> None:
        peer = self._peer
        match event:
            case events.CodeTried():
                self._nursery.start_soon(self._guarded, self._try_code)
            case Offered():
                self._seating.offered(peer, event)
            case ResumeAsked() if isinstance(self._seating, ReturnSeating):
                self._nursery.start_soon(self._guarded, self._come_back, self._seating, event)
            case ResumeAsked():
                self._go_on(event)
            case Resumed():
                self.started, self.began = True, trio.current_time()
                if self._instant is not None:
                    self._instant.again(event.choices)
            case events.Started(match_id, seat, _):
                if self.started:
                    raise LocalError("One pump plays one match.")
                self.started, self.began = True, trio.current_time()
                assert peer.remote is not None
                names = (self._name, peer.remote.name)
                self._record.begin(match_id, names[seat], names[seat.other])
                self._recording = True
            case events.Declined(reason, text):
                raise declined(reason, text)
            case events.Ended():
                self._end(event)
            # After the last statement the other side leaves, and we are done too.
            case events.Left(reason, text) if not self._done:
                raise said_bye(reason, text)
            case events.Closed() if not self._done:
                raise PeerLost

    def _end(self, event: events.Ended) -> None:
        self._stop_asking()
        self.report = MatchReport.of(self._peer, event, self._record.path)
        # What broke the match off is the next event.
        broken = (Termination.ABANDONED, Termination.CHEAT)
        self._done = event.claimed or event.outcome.termination not in broken

    async def _pulse(self) -> None:
        """Follow up on what another task than the loop made the peer say."""
        self._drain()
        with trio.CancelScope(deadline=trio.current_time() + SEND_SECONDS) as scope:
            await self._hold()
            await self._flush()
        if scope.cancelled_caught:
            raise PeerLost(why="It takes nothing of what is sent to it.")
        if self._done and not self._sender.sending:
            self._receiving.cancel()

    # --- time

    async def _keep_time(self) -> None:
        """Tell the peer when a deadline has passed.

        The loop need not say when a deadline changes: whenever one is set it is at least
        ``LOOK_SECONDS`` away, so looking that often misses none. While the loop waits for the other
        side to take what we send, nothing is received either, so the deadline for silence covers
        both.
        """
        while (deadline := self._peer.next_deadline()) is not None:
            with self._clock:
                await trio.sleep_until(min(deadline, trio.current_time() + LOOK_SECONDS))
            if self._closing:  # the scope does not tell, if the time came in the same moment
                return
            self._clock = trio.CancelScope()
            # This machine may have slept, with the other side's words unread in the socket: whoever
            # waits for them runs before anybody is called silent.
            for _ in range(2):
                await trio.lowlevel.checkpoint()
            self._peer.handle_timeout(trio.current_time())
            await self._pulse()

    # --- who takes time to choose

    async def _ask(self, question: Choose) -> None:
        with trio.CancelScope() as self._asking:
            choice = await cast("Thinking", self._player).ask(question.view)
        # The match may have ended in the very moment of the answer.
        if self._asking.cancelled_caught or self._question is not question:
            return
        self._no_question()
        # The peer concedes by itself when our clock runs out (R21), and the end of the match, which
        # withdraws the question, is a round trip away then.
        with suppress(LocalError):
            self._do(choice)
        await self._pulse()

    async def _hold(self) -> None:
        """Hold back what is to be sent while a quick player chooses: its turn is one entry then."""
        while self._question is not None and trio.current_time() < self._held_until:
            with trio.CancelScope(deadline=self._held_until):
                await self._answered.wait()

    def _no_question(self) -> None:
        self._question = None
        self._answered.set()
        self._answered = trio.Event()

    def _stop_asking(self) -> None:
        self._no_question()
        self._asking.cancel()

    def _listen(self) -> None:
        """From now on our player can say what it wants, if it is one that wants something."""
        if self._instant is None:
            player = cast("Thinking", self._player)
            self._nursery.start_soon(self._guarded, self._hear, player)

    async def _hear(self, player: Thinking) -> None:
        while True:
            # Only around the wait: what is left to a pulse to be sent is not to be torn.
            with self._listening:
                try:
                    request = await player.requests.receive()
                except trio.EndOfChannel:
                    return
            if self._closing:
                return
            self._listening = trio.CancelScope()
            self._grant(player, request)
            await self._pulse()

    def _grant(self, player: Thinking, request: Request) -> None:
        match request:
            case Quit():
                raise Left
            case Say(text):
                try:
                    self._peer.chat(text, trio.current_time())
                except LocalError as error:
                    player.refused(error.what)
            case Claim():
                player.refused("the other player is here; a match is claimed while they are away.")
            case Concede():
                self._stop_asking()
                self._concedes = self.started
                self._concede()

    def _concede(self) -> None:
        # Not while what was said in the match is told again: then as soon as that is through. And
        # there may be nothing to concede any more.
        with suppress(LocalError):
            self._peer.concede(trio.current_time())
            self._concedes = False

    # --- the end

    async def _part(self, error: BaseException | None) -> None:
        """Say goodbye as well as can be: after the end of a match, or after *error*."""
        if error is None:
            await self._confirm()
        seconds = FAREWELL_SECONDS if error is None else PARTING_SECONDS
        # Shielded: the goodbye, and the end of the record, are also for a user who wants to go.
        with trio.CancelScope(deadline=trio.current_time() + seconds, shield=error is not None):
            gone = isinstance(error, PeerLost | Accused | VersionRefused)
            if not gone:
                reason = goodbye(error)
                if reason is ByeReason.INTERRUPTED and self._record.keeps and self._begun:
                    reason = ByeReason.LATER
                self._peer.bye(reason, farewell_text(error))
            self._last_events()
            data = self._sender.owed + self._peer.data_to_send()
            record = self._peer.data_to_record()
            if record and not self._recording:
                # The record could not be begun. What is not recorded is not said, but for this.
                data = encode(Bye(goodbye(error), farewell_text(error)))
            elif record:
                try:
                    self._record.write(record)
                    self._record.sync()
                except PazaakError:
                    if error is None:
                        raise
                    return  # what is not recorded is not said
            if self._sender.torn or (gone and self._stopped):
                return
            try:
                if data:
                    await self._stream.send_all(data)
                await linger(self._stream)
            except trio.BrokenResourceError:
                pass

    async def _confirm(self) -> None:
        """Wait for the goodbye of the other side, if only that shows that it has our last entry."""
        peer, report = self._peer, self.report
        assert report is not None
        if report.unfinished or not all(report.opened):
            return
        self.report = msgspec.structs.replace(report, unfinished=True)
        with trio.move_on_after(FAREWELL_SECONDS), suppress(trio.BrokenResourceError, RemoteError):
            while not peer.confirmed and (data := await self._stream.receive_some(CHUNK)):
                peer.receive(bytes(data), trio.current_time())
                while peer.next_event() is not None:
                    pass
        if peer.confirmed:
            self.report = report

    def _put_away(self) -> None:
        """The record rests until the match goes on, or for good."""
        if self.report is not None and not self.report.unfinished:
            with suppress(PazaakError):  # the match is played; what stays behind does no harm
                self._record.settle()
        self._record.close()

    def _last_events(self) -> None:
        """Take the events that our own goodbye makes: how a broken match is to be counted."""
        try:
            while (event := self._peer.next_event()) is not None:
                if isinstance(event, events.Ended):
                    self._end(event)
        except RemoteError:
            pass  # we are leaving anyway
