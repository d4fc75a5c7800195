"""Both seats of a match within one program, where both players choose at once.

Then nothing has to be waited for: what one side has sent the other can read. So there are no tasks;
the two sides speak in turns, in one loop. Nothing else is spared: the bytes take the same way as
between strangers (peer, record, socket, socket, peer), and each side checks the other as it checks
a stranger.
"""

from __future__ import annotations

import select
import socket
from types import TracebackType
from typing import Final, Self

from pazaak_p2p.net.errors import CannotConnect, CannotListen, PeerLost
from pazaak_p2p.net.parting import CHUNK, declined, said_bye
from pazaak_p2p.net.player import Concede, Instant
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import Kit
from pazaak_p2p.rules import Rules
from pazaak_p2p.wire import Peer, events
from pazaak_p2p.wire.errors import RemoteError
from pazaak_p2p.wire.events import Choose, Event, Moved
from pazaak_p2p.wire.messages import ByeReason

_SECONDS: Final = 10.0
NOW: Final = 0.0
"""The time of these peers. It stands still, since nobody is waited for; how long a bot takes is for
whoever asks it to measure."""


class Loopback:
    """A port of this machine's loopback, to which this program alone connects.

    Raises :class:`CannotListen`.
    """

    def __init__(self) -> None:
        try:
            self._door = socket.create_server(("127.0.0.1", 0))
        except OSError as error:
            raise CannotListen(why=f"The system says: {error.strerror or error}.") from error
        self._door.settimeout(_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._door.close()

    def connect(self) -> tuple[socket.socket, socket.socket]:
        """Both ends of a new TCP connection, which do not block: who was dialled, and who dialled.

        At once, for the system answers by itself. Raises :class:`CannotConnect`.
        """
        dialled = None
        try:
            dialled = socket.create_connection(self._door.getsockname(), timeout=_SECONDS)
            taken, who = self._door.accept()
            while who != dialled.getsockname():  # another program's, which has no business here
                taken.close()
                taken, who = self._door.accept()
        except OSError as error:
            if dialled is not None:
                dialled.close()
            raise CannotConnect(
                "This machine did not connect to itself.",
                why=f"The system says: {error.strerror or error}.",
            ) from error
        for end in (taken, dialled):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.setblocking(False)
        return taken, dialled


class Side:
    """One of the two sides: *peer* at this *end* of a connection, *player*, *record*.

    With *rules* it hosts a match by them, else it joins; *kit* is what it brings. The peer's time
    is ``NOW``.
    """

    def __init__(
        self,
        end: socket.socket,
        peer: Peer,
        kit: Kit,
        player: Instant,
        record: RecordSink,
        rules: Rules | None = None,
    ) -> None:
        self.end = end
        self._peer = peer
        self._kit = kit
        self._player = player
        self._record = record
        self._rules = rules
        self.report: MatchReport | None = None
        """How the match ended, also if :func:`play_at_once` raised."""

    def say(self) -> bytes:
        """What is to be sent now, having been recorded."""
        data = self._peer.data_to_send()
        self.keep()
        return data

    def keep(self) -> None:
        """Record what is to be recorded."""
        if kept := self._peer.data_to_record():
            self._record.write(kept)
            self._record.sync()

    def hear(self, size: int) -> None:
        """Take *size* bytes from the connection, and answer what can be answered.

        Raises a ``RemoteError`` if the other side broke the protocol, ``PeerLost`` or what else
        tells that it left.
        """
        while size:
            data = _receive(self.end)
            size -= len(data)
            self._peer.receive(data, NOW)
        self._follow()

    def leave(self) -> None:
        """Say goodbye, after the match."""
        self._peer.bye(ByeReason.DONE)

    def _follow(self) -> None:
        next_event, notice = self._peer.next_event, self._player.notice
        while (event := next_event()) is not None:
            notice(event)
            if type(event) is Moved:  # as most are
                continue
            if type(event) is Choose:
                choice = self._player.choose(event.view)
                if isinstance(choice, Concede):
                    self._peer.concede(NOW)
                else:
                    self._peer.act(choice, NOW)
            else:
                self._answer(event)

    def _answer(self, event: Event) -> None:
        peer, kit = self._peer, self._kit
        match event:
            case events.Greeted() if self._rules is not None:
                peer.offer(self._rules, kit.nonce, kit.secret, kit.deck, NOW, kit.began)
            case events.Offered():
                peer.accept(kit.nonce, kit.secret, kit.deck, NOW, kit.began)
            case events.Declined(reason, text):
                raise declined(reason, text)
            case events.Ended():
                self.report = MatchReport.of(peer, event, self._record.path)
            # After the end both say goodbye.
            case events.Left(reason, text) if self.report is None:
                raise said_bye(reason, text)


def play_at_once(host: Side, join: Side) -> tuple[MatchReport, MatchReport]:
    """Play a match of the two, from the greeting to the goodbye; their reports.

    The records are begun by whoever calls, and the connection is closed by them. Raises what the
    sides raise, and ``PeerLost`` if the system does not bring to one what the other has sent, or
    both are at a loss for words.
    """
    try:
        while host.report is None or join.report is None:
            if not _pass_on(host, join) | _pass_on(join, host):
                raise PeerLost(why="Neither side has anything to say, and the match is not over.")
        host.leave()
        join.leave()
        _pass_on(host, join)
        _pass_on(join, host)
    except RemoteError:
        host.keep()  # the proof of what was wrong
        join.keep()
        raise
    assert host.report is not None
    assert join.report is not None
    return host.report, join.report


def _pass_on(one: Side, other: Side) -> bool:
    """Let *other* hear what *one* has to say; False if that is nothing."""
    data = rest = one.say()
    while rest:
        # As much as the system takes, and that is taken from it again before there is more.
        sent = _send(one.end, rest)
        rest = rest[sent:]
        other.hear(sent)
    return bool(data)


def _send(end: socket.socket, data: bytes | memoryview) -> int:
    try:
        while True:
            try:
                return end.send(data)
            except BlockingIOError:
                if not select.select([], [end], [], _SECONDS)[1]:
                    raise PeerLost(why="The system takes nothing of what is sent.") from None
    except OSError as error:
        raise PeerLost(why=f"The system says: {error.strerror or error}.") from error


def _receive(end: socket.socket) -> bytes:
    try:
        while True:
            try:
                data = end.recv(CHUNK)
            except BlockingIOError:
                if not select.select([end], [], [], _SECONDS)[0]:
                    raise PeerLost(why="What was sent does not arrive.") from None
                continue
            if not data:
                raise PeerLost
            return data
    except OSError as error:
        raise PeerLost(why=f"The system says: {error.strerror or error}.") from error
