"""How the match of a session stands: whether it has begun, is recorded, has ended, can go on."""

from __future__ import annotations

from contextlib import suppress

import msgspec
import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import way_back
from pazaak_p2p.net.parting import goodbye, heard_out
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import ResumeSeating, Seating
from pazaak_p2p.rules import Termination
from pazaak_p2p.wire import Peer
from pazaak_p2p.wire.errors import LocalError, RemoteError
from pazaak_p2p.wire.events import Ended, Started
from pazaak_p2p.wire.messages import ByeReason


class Standing:
    """The one match that *peer* plays under *name*, or goes on with, and that *record* keeps."""

    def __init__(self, peer: Peer, name: str, seating: Seating, record: RecordSink) -> None:
        self._peer = peer
        self._name = name
        self._wanted = seating.match_id if isinstance(seating, ResumeSeating) else b""
        self._record = record
        self.started = False
        """Whether a match has begun."""
        self.began = 0.0
        """When it did, or went on."""
        self.report: MatchReport | None = None
        """How it ended."""
        self.resumes = bool(self._wanted)
        """Whether it is, or may be for the other side, one that was begun in another session."""
        self.recorded = self.resumes
        """Whether there is a record to write to."""

    def begin(self, event: Started) -> None:
        """The match begins, and its record. Raises ``LocalError`` for a second one."""
        if self.started:
            raise LocalError("One pump plays one match.")
        self.go_on()
        assert self._peer.remote is not None
        names = (self._name, self._peer.remote.name)
        self._record.begin(event.match_id, names[event.seat], names[event.seat.other])
        self.recorded = True

    def go_on(self) -> None:
        """The match is on, from now."""
        self.started, self.began = True, trio.current_time()

    def end(self, event: Ended) -> bool:
        """The match has ended. False if what broke it off is still to come, as the next event."""
        self.report = MatchReport.of(self._peer, event, self._record.path)
        broken = (Termination.ABANDONED, Termination.CHEAT)
        return event.claimed or event.outcome.termination not in broken

    def hear_the_end(self) -> None:
        """Take the events that our own goodbye makes: how a broken match is to be counted."""
        with suppress(RemoteError):  # we are leaving anyway
            while (event := self._peer.next_event()) is not None:
                if isinstance(event, Ended):
                    self.end(event)

    @property
    def match_id(self) -> bytes:
        """Of the match that is played, was, or is to go on; empty if there is none."""
        return self._wanted or self._peer.match_id

    @property
    def can_go_on(self) -> bool:
        """Whether there is a match that another session can go on with."""
        open_ = self.report is None or self.report.unfinished
        return self._begun and self._record.keeps and open_

    @property
    def _begun(self) -> bool:
        """Is there a match for the other side, or may there be one by the time it hears of us?"""
        return self.started or self.resumes

    def goodbye(self, error: BaseException | None) -> ByeReason:
        """The reason to give when *error* (None: nothing) is why we leave."""
        reason = goodbye(error)
        if reason is ByeReason.INTERRUPTED and self._record.keeps and self._begun:
            return ByeReason.LATER
        return reason

    def explain(self, error: PazaakError) -> None:
        """Have *error*, by which we leave, say what is left of the match."""
        if self.can_go_on:
            error.next = way_back(self.match_id)
        elif self._record.path is not None:
            error.next += " What was played is in the record."

    async def confirm(self, stream: trio.abc.Stream) -> None:
        """Hear the other side out if only its goodbye shows that the match is over for it too."""
        report = self.report
        assert report is not None
        if report.unfinished or not all(report.opened):
            return
        self.report = msgspec.structs.replace(report, unfinished=True)
        if await heard_out(stream, self._peer):
            self.report = report

    def put_away(self) -> None:
        """The record rests until the match goes on, or for good."""
        if self.report is not None and not self.report.unfinished:
            with suppress(PazaakError):  # the match is played; what stays behind does no harm
                self._record.settle()
        self._record.close()
