"""The pump: one peer, one stream, one player, one record.

A bot's turn takes this way and meets no other task on it: receive, peer, events, the bot's choice,
peer, record, send. A person, or a bot that takes its time, is asked in a task of its own, so that
pings are answered meanwhile.

What is sent, and recorded before, goes through ``sender.py``; who takes its time is asked by
``asking.py``; ``timekeeper.py`` looks at the clock; how the match stands is told by
``standing.py``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, cast

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.asking import Asking
from pazaak_p2p.net.errors import Accused, Left, PeerLost, VersionRefused
from pazaak_p2p.net.parting import (
    CHUNK,
    FAREWELL_SECONDS,
    PARTING_SECONDS,
    declined,
    farewell_text,
    said_bye,
)
from pazaak_p2p.net.player import Claim, Concede, Instant, Player, Quit, Request, Say, Thinking
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import Later, ReturnSeating, Seating
from pazaak_p2p.net.sender import SEND_SECONDS, Sender
from pazaak_p2p.net.standing import Standing
from pazaak_p2p.net.timekeeper import Timekeeper
from pazaak_p2p.rules import Action
from pazaak_p2p.wire import Peer, events
from pazaak_p2p.wire.errors import LocalError
from pazaak_p2p.wire.events import Choose, Event, Greeted, Moved, Offered, ResumeAsked, Resumed

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
        self._seating = seating
        self._player = player
        self._instant = cast("Instant", player) if player.instant else None
        self.match = Standing(peer, name, seating, record)
        """How the match stands, also after :meth:`run` raised."""
        self._watch = tuple(watch)
        self._judge = judge
        self.first_bytes = b""
        """What the other side said first, to tell what kind of stranger it is."""
        self.over = False
        """Whether only goodbyes are left to say."""
        self.greeting: Greeted | None = None
        """Who is on the other side, once that is proven."""
        self._seated = self._stopped = False
        self._doubted = self._concedes = False
        self._unanswered: list[Event] = []
        self._done = False
        self._failure: Exception | None = None
        self._asking = Asking(player)
        self._clock = Timekeeper(peer, self._pulse)
        self._nursery: trio.Nursery
        self._receiving = trio.CancelScope()

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
                    self.match.explain(error)
                raise
            await self._part(None)
        finally:
            self.match.put_away()
            await trio.aclose_forcefully(self._stream)
        assert self.match.report is not None
        return self.match.report

    async def _play(self) -> None:
        try:
            async with trio.open_nursery() as self._nursery:
                self._nursery.start_soon(self._guarded, self._clock.run)
                if self._seating.from_the_start:
                    self._listen()
                await self._guarded(self._loop)
                self._done = True
                self._clock.stop()
                self._asking.close()
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
        peer, receive_some, asking = self._peer, self._stream.receive_some, self._asking
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
                if asking.question is not None:
                    await asking.hold()
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
                self._asking.withdraw()

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
        self.match.resumes = self.match.recorded = True
        self._sit_down()

    async def _come_back(self, seating: ReturnSeating, event: ResumeAsked) -> None:
        await seating.make_way(event)
        self.match.resumes = True  # whatever becomes of it, the match is waited for again
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
            self._asking.put(event)
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
                self.match.go_on()
                if self._instant is not None:
                    self._instant.again(event.choices)
            case events.Started():
                self.match.begin(event)
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
        self._asking.withdraw()
        self._done = self.match.end(event)

    async def _pulse(self) -> None:
        """Follow up on what another task than the loop made the peer say."""
        self._drain()
        with trio.CancelScope(deadline=trio.current_time() + SEND_SECONDS) as scope:
            await self._asking.hold()
            await self._flush()
        if scope.cancelled_caught:
            raise PeerLost(why="It takes nothing of what is sent to it.")
        if self._done and not self._sender.sending:
            self._receiving.cancel()

    # --- who takes time to choose

    async def _ask(self, question: Choose) -> None:
        choice = await self._asking.answer(question)
        if choice is None:
            return
        # The peer concedes by itself when our clock runs out (R21), and the end of the match, which
        # withdraws the question, is a round trip away then.
        with suppress(LocalError):
            self._do(choice)
        await self._pulse()

    def _listen(self) -> None:
        """From now on our player can say what it wants, if it is one that wants something."""
        if self._instant is None:
            player = cast("Thinking", self._player)
            self._nursery.start_soon(self._guarded, self._hear, player)

    async def _hear(self, player: Thinking) -> None:
        while (request := await self._asking.wish()) is not None:
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
                self._asking.withdraw()
                self._concedes = self.match.started
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
            await self.match.confirm(self._stream)
        seconds = FAREWELL_SECONDS if error is None else PARTING_SECONDS
        # Shielded: the goodbye, and the end of the record, are also for a user who wants to go.
        with trio.CancelScope(deadline=trio.current_time() + seconds, shield=error is not None):
            gone = isinstance(error, PeerLost | Accused | VersionRefused)
            if not gone:
                self._peer.bye(self.match.goodbye(error), farewell_text(error))
            self.match.hear_the_end()
            silent = gone and self._stopped
            await self._sender.finish(error, recording=self.match.recorded, silent=silent)
