"""What is beside the transcript: signs of life and talk (specification, section 5.2)."""

from __future__ import annotations

from pazaak_p2p.wire import messages
from pazaak_p2p.wire.clock import Alarm, Budget, Watch
from pazaak_p2p.wire.codec import encode
from pazaak_p2p.wire.errors import Flood, LocalError


class Beside:
    """Pings, pongs and chats of both sides. What is said here is rationed, theirs and ours."""

    def __init__(self, watch: Watch, now: float) -> None:
        self.pongs = bytearray()
        """To be sent after all that is due: a pong shows that nothing more was to say when its ping
        came (section 10, being late)."""
        self.rtt: float | None = None
        """Seconds of the last ping's round trip."""
        self._watch = watch
        self._budget = Budget(20, 1, now)
        self._talk = Budget(10, 0.5, now)  # well within what the other side takes
        self._pings = 0
        self._pong_due = False

    def ping(self, now: float) -> bytes:
        """Ask whether the other side is there."""
        self._watch.pinged = now
        self._pings += 1
        self._pong_due = True
        return encode(messages.Ping(self._pings))

    def on_ping(self, message: messages.Ping, now: float) -> None:
        """Raises ``Flood``, as the others do."""
        self._spend(now)
        self.pongs += encode(messages.Pong(message.n))

    def on_pong(self, message: messages.Pong, now: float) -> Alarm | None:
        """The alarm that was asked about, if this is the answer: the other side is there."""
        if not self._pong_due or message.n != self._pings or self._watch.pinged is None:
            self._spend(now)
            return None
        self._pong_due = False
        self.rtt = now - self._watch.pinged
        return None if self._watch.asked is None else self._watch.asked[0]

    def on_chat(self, now: float) -> None:
        self._spend(now)

    def chat(self, text: str, now: float) -> bytes:
        """A line of talk, to be sent. Raises ``LocalError`` if it cannot be, or not now."""
        # A terminal gives lone surrogates for bytes that it cannot decode; they cannot be sent.
        if not 0 < len(text) <= 500 or any("\ud800" <= ch <= "\udfff" for ch in text):
            raise LocalError("A line of talk has 1 to 500 characters.")
        if not self._talk.spend(now):
            raise LocalError("That was too much talk at once.")
        return encode(messages.Chat(text))

    def _spend(self, now: float) -> None:
        if not self._budget.spend(now):
            raise Flood
