"""Sending what a peer has to say, having recorded it."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.parting import farewell_text, goodbye, linger
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.wire import Peer
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.messages import Bye

SEND_SECONDS: Final = 30.0
"""How long the other side may take nothing of what we send."""


class Sender:
    """The one place from which *peer*'s words go to *record* and then to *stream*.

    *Record, then send*: what the other side has seen is in the record, whatever happens (see
    ``wire/peer.py``). *One sender*: whoever finds bytes to send while another task is sending
    leaves them to that task, which goes on until there is nothing left; so no message is ever torn
    by another, and no task waits for a lock.
    """

    def __init__(self, stream: trio.abc.Stream, peer: Peer, record: RecordSink) -> None:
        self._stream = stream
        self._send_now = stream.send_now if isinstance(stream, LeanStream) else None
        self._peer = peer
        self._record = record
        self.sending = self._more = False
        self.torn = False
        """Whether a part of a message may have been sent, so that nothing can follow."""
        self.owed = b""
        """What was recorded, and not sent because we were cancelled."""

    async def flush(self) -> None:
        """Send all there is to send, having recorded it."""
        if self.sending:
            self._more = True  # the task that is sending takes it along
            return
        peer = self._peer
        self.sending = self._more = True
        try:
            while self._more:
                self._more = False
                data = peer.data_to_send()
                record = peer.data_to_record()
                if record:
                    self._record.write(record)
                if not data:
                    return
                if record:
                    self._record.sync()
                try:
                    await self._send(data)
                except trio.BrokenResourceError:
                    # The line is dead. What the other side said before it died is still to be
                    # read, its goodbye perhaps; the end of the stream comes after it.
                    return
        finally:
            self.sending = False

    async def _send(self, data: bytes) -> None:
        if self._send_now is None:
            # Who is cancelled before sending anything can still say goodbye after it.
            self.owed = data
            await trio.lowlevel.checkpoint_if_cancelled()
            self.owed, self.torn = b"", True
        else:
            self.torn = True
            data = data[self._send_now(data) :]
        if data:
            await self._stream.send_all(data)
        self.torn = False

    async def finish(
        self, error: BaseException | None, *, recording: bool, silent: bool = False
    ) -> None:
        """Say what is left to be said when *error* (None: nothing) is why we leave; close our end.

        *recording* is whether the record could be begun; *silent* is for a line that is given up.
        The caller sets the deadline. Raises what the record raises, if nothing went wrong before.
        """
        data = self.owed + self._peer.data_to_send()
        record = self._peer.data_to_record()
        if record and not recording:
            # What is not recorded is not said, but for this.
            data = encode(Bye(goodbye(error), farewell_text(error)))
        elif record:
            try:
                self._record.write(record)
                self._record.sync()
            except PazaakError:
                if error is None:
                    raise
                return  # what is not recorded is not said
        if self.torn or silent:
            return
        with suppress(trio.BrokenResourceError):
            if data:
                await self._stream.send_all(data)
            await linger(self._stream)
