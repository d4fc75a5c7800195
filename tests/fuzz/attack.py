"""A peer under attack, and what must hold all along, whatever is done to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

from pazaak_p2p.wire.cheats import Cheat, WillNotOpen, WillNotReveal
from pazaak_p2p.wire.codec import MAX_MESSAGE, Cutter
from pazaak_p2p.wire.errors import LocalError, RemoteError
from pazaak_p2p.wire.judge import judge
from tests.cheating import Cheater
from tests.fuzz.scenes import Moment
from tests.verifier import verify

SIZES = (MAX_MESSAGE, 1, 2, 3, 7, 64, 333, 5000)
"""Sizes of the pieces in which bytes arrive."""
_OUR_WORD = (WillNotReveal, WillNotOpen)  # convicted for being late, which nobody signs


class Attack:
    """A moment under attack. Methods raise an AssertionError as soon as something is wrong."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self.side = moment.copied_side()
        self.said = moment.said
        self.at = self._start = moment.at
        self.now = 0.0
        self.size = MAX_MESSAGE
        self.signed = False
        """Has the other side signed what no honest peer signs?"""
        self._foretold = False
        """Was something given that the other side said in the recorded session, and not here?"""
        self._diverged = False
        """Does this session differ from the recorded one, as our side did something else?"""
        self.meddled = False
        """Is it no longer sure that the other side knows what ours does?"""
        self.heard = bytearray()
        """What our side has said that the other has not been given."""
        self.sessions = 0
        """Sessions before this one."""
        self._deaf = False
        self._given = self._sent = self._told = 0

    @cached_property
    def foe(self) -> Cheater:
        """The other side; copied only where it is needed, as that takes its time."""
        return self.moment.copied_foe()

    def give(self, data: bytes) -> None:
        """Let *data* arrive, in pieces of the size that is set."""
        side = self.side
        for start in range(0, len(data), self.size):
            side.peer.receive(data[start : start + self.size], self.now)
            self.react()
        self._given += len(data)
        # Bounds on what it says and tells in answer; entries are the longest answer.
        assert self._sent <= 20_000 + 20 * self._given, "it says too much"
        assert self._told <= 200 + 2 * self._given, "it tells too much"

    def react(self) -> None:
        """Take in what our peer says; whatever is no RemoteError comes out here."""
        side, was_over = self.side, self.over
        side.react(self.now)
        data = side.send()
        if was_over:
            assert not side.events, "what raised takes nothing more"
            assert not data, "what raised says nothing more"
        self._told += len(side.events)
        self._sent += len(data)
        self.heard += data
        side.events.clear()
        side.sent.clear()
        assert len(side.errors) <= 1
        if self.over and not was_over:
            self._check_accusation(side.errors[0])

    def _check_accusation(self, error: RemoteError) -> None:
        if isinstance(error, Cheat):
            # In a second match the seats may be exchanged.
            assert self.side.peer.seat is not None
            assert error.seat is self.side.peer.seat.other, f"the wrong seat: {error!r}"
            by_word = isinstance(error, _OUR_WORD)
            assert self.signed or by_word, f"convicted without having signed: {error!r}"

    def recorded(self, number: int) -> bytes:
        """Message *number* of the other side in the recorded session, to be given."""
        self.meddled = True
        if number >= self._start:
            self._foretold = True
            self._two_worlds()
        return self.said[number]

    def new_world(self) -> None:
        """The match goes on in another session, in which our side may do otherwise."""
        self._diverged = True
        self._two_worlds()
        self._given += len(self.side.record)  # all of which may be told again
        self.heard.clear()

    def _two_worlds(self) -> None:
        # What was said in another session stands beside what is said in this one for the same
        # places, under one signature.
        if self._foretold and self._diverged:
            self.signed = True

    @property
    def over(self) -> bool:
        return bool(self.side.errors)

    def ours(self, action: Callable[[], object]) -> None:
        """Let our own side do something that may not be possible now."""
        self._diverged = True
        self._two_worlds()
        with suppress(LocalError):
            action()
        self.react()

    def wait(self, seconds: float | None = None) -> bool:
        """Let time pass, by default until the next deadline; False if there is none."""
        at = self.side.peer.next_deadline()
        if at is None:
            return False
        if self.moment.scene.rules.turn_seconds is not None:  # then our side may give up by itself
            self._diverged = True
            self._two_worlds()
        self.now = max(self.now, at if seconds is None else self.now + seconds)
        self.side.peer.handle_timeout(self.now)
        self.react()
        return True

    def live(self) -> None:
        """Let the other side hear all that ours has said, and answer as an honest peer does."""
        data = bytes(self.heard)
        self.heard.clear()
        if self._deaf:
            return
        try:
            self.foe.receive(data)
        except (RemoteError, AssertionError) as error:
            # It may lack what others have given to us in its name; but unless it has signed
            # nonsense itself it must not find fault with what we signed.
            if not self.meddled or (isinstance(error, Cheat) and not self.signed):
                raise AssertionError(f"our honest side was refused: {error!r}") from error
            self._deaf = True
        self.give(self.foe.send())

    def finish(self) -> None:
        """Nobody says anything any more: it must end by itself, and its record must be sound."""
        for _ in range(8):
            if not self.wait():
                break
        else:
            raise AssertionError("it goes on for ever")
        if self.over:
            self.give(b"\x82\xa1t\xa4ping\xa1n\x01")
        self._check_verdict()

    def _check_verdict(self) -> None:
        side = self.side
        error = side.errors[0] if side.errors else None
        proven = isinstance(error, Cheat) and not isinstance(error, _OUR_WORD)
        # To judge a record costs more than all before it: in every case that matters, and a few.
        if side.record and (proven or sum(side.record[-32:]) % 16 == 0):
            _check_record(last_match(bytes(side.record)), error if proven else None)


def last_match(record: bytes) -> bytes:
    """The record of the last match of a session."""
    cutter = Cutter()
    last = b""
    for start in range(0, len(record), MAX_MESSAGE):
        cutter.feed(record[start : start + MAX_MESSAGE])
        for value, exact in cutter:
            assert isinstance(value, dict)
            last = exact if value["t"] == "record" else last + exact
    return last


def _check_record(record: bytes, cheat: RemoteError | None) -> None:
    """The record of an honest keeper is sound, and convicts of *cheat* or nobody."""
    verdict = judge(record)
    assert verdict.problem is None, f"the record is not sound: {verdict.problem}"
    assert verdict.contradiction == "", verdict.contradiction
    found = verdict.cheat and (verdict.cheat.code, verdict.cheat.seat, verdict.cheat.entry)
    told = (cheat.code, cheat.seat, cheat.entry) if isinstance(cheat, Cheat) else None
    assert found == told, "the record convicts otherwise"
    second = verify(record)
    assert not second.problem, second.problem
    assert second.cheat == told
