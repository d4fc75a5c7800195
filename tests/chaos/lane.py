"""One direction of a line under a plan: bytes in, pieces with their times out. No clock, no I/O."""

from __future__ import annotations

from enum import Enum, auto
from operator import itemgetter
from typing import Final, TypeAlias

import msgpack

from tests.chaos.plans import (
    Block,
    Corrupt,
    Cut,
    Delay,
    Duplicate,
    End,
    Fault,
    Merge,
    Plan,
    Split,
    Swap,
    Throttle,
    Unit,
    Vanish,
)

_TICK: Final = 0.1
"""Seconds between the pieces of a throttled direction."""


class Signal(Enum):
    """What can come in place of bytes."""

    EOF = auto()
    CUT = auto()


Piece: TypeAlias = tuple[float, bytes | Signal]
"""When, and what."""


class Lane:
    """Applies *plan* to the bytes that it is fed.

    Places are counted in the bytes that go in, whatever becomes of them. Messages are counted only
    if the plan, or *plain*, asks for it.
    """

    def __init__(self, plan: Plan = (), *, plain: bool = False) -> None:
        self.bytes = 0
        """Bytes that came in."""
        self.flights = 0
        self.messages = 0
        """Messages that came in whole."""
        self.ends: list[int] = []
        """Where each of these ended."""
        self._unplaced = list(plan)
        self._placed: list[tuple[int, Fault]] = []
        self._place(Unit.BYTE, 0, 0)
        by_message = any(fault.place.unit is Unit.MESSAGE for fault in plan)
        self._unpacker = msgpack.Unpacker() if plain or by_message else None
        self._place(Unit.MESSAGE, 0, 0)
        self._gone = False
        """Nothing more arrives."""
        self._ended = False
        self._free_at = 0.0
        """Nothing arrives before this."""
        self._window = -1.0
        self._merge = 0.0
        self._rate = self._size = 0
        self._flip = 0
        # A chunk that is to arrive again or later: what is left to come of it, and what has.
        self._doubling, self._double = 0, b""
        self._holding, self._passing, self._held = 0, 0, b""

    @property
    def merging(self) -> bool:
        """Are pieces that are due together to be delivered as one?"""
        return self._merge > 0

    def speak(self) -> None:
        """A new flight begins."""
        self._place(Unit.FLIGHT, self.flights, self.bytes)
        self.flights += 1

    def feed(self, data: bytes, now: float) -> list[Piece]:
        """Take *data*, which may be empty: what arrives because of it."""
        self._scan(data)
        pieces: list[Piece] = []
        while True:
            self._fire(pieces, now, data)
            if not data:
                return pieces
            size = self._stretch(len(data))
            self._pass(pieces, data[:size], now)
            data = data[size:]
            self.bytes += size

    def finish(self, now: float) -> list[Piece]:
        """The sender has ended the direction: what still arrives; nothing if that is lost too."""
        pieces: list[Piece] = []
        if not self._gone:
            self._emit(pieces, self._held, now)
            pieces.append((max(now, self._free_at), Signal.EOF))
            self._gone = self._ended = True
        return pieces

    @property
    def ended(self) -> bool:
        """Has the end of this direction been told, or the line been cut?"""
        return self._ended

    # --- places

    def _place(self, unit: Unit, number: int, start: int) -> None:
        """Flight or message *number* starts at byte *start*."""
        found = [f for f in self._unplaced if (f.place.unit, f.place.number) == (unit, number)]
        if found:
            self._unplaced = [fault for fault in self._unplaced if fault not in found]
            self._placed += [(start + fault.place.offset, fault) for fault in found]
            self._placed.sort(key=itemgetter(0))

    def _scan(self, data: bytes) -> None:
        """Find the messages that *data* completes: the next one starts there."""
        if self._unpacker is None:
            return
        self._unpacker.feed(data)
        try:
            while True:
                self._unpacker.skip()
                self.messages += 1
                self.ends.append(self._unpacker.tell())
                self._place(Unit.MESSAGE, self.messages, self.ends[-1])
        except msgpack.OutOfData:
            pass
        except (ValueError, msgpack.UnpackException):
            self._unpacker = None  # no msgpack, so no more messages

    def _stretch(self, most: int) -> int:
        """How many bytes pass, up to *most*, before something changes."""
        limits = [self._doubling, self._holding, self._passing]
        if self._placed:
            limits.append(self._placed[0][0] - self.bytes)
        if self._flip:
            limits.append(1)
        return min([most, *(limit for limit in limits if limit > 0)])

    # --- faults

    def _fire(self, pieces: list[Piece], now: float, data: bytes) -> None:
        """Start the faults whose place is reached; those that alter bytes need one to come."""
        for entry in list(self._placed):
            at, fault = entry
            if at > self.bytes:
                return
            stops = isinstance(fault, Cut | End | Vanish)
            if stops or data:
                self._placed.remove(entry)
                if not self._gone:
                    self._start(pieces, fault, now)

    def _start(self, pieces: list[Piece], fault: Fault, now: float) -> None:
        match fault:
            case Cut() | Block():
                pieces.append((max(now, self._free_at), Signal.CUT))
                self._gone = self._ended = True
            case End():
                pieces.append((max(now, self._free_at), Signal.EOF))
                self._gone = self._ended = True
            case Vanish():
                self._gone = True
            case Delay(_, seconds):
                self._free_at = max(now, self._free_at) + seconds
            case Throttle(_, rate):
                self._rate = rate
            case Split(_, size):
                self._size = size
            case Merge(_, seconds):
                self._merge = seconds
            case Duplicate(_, size):
                self._doubling, self._double = size, b""
            case Swap(_, size):
                self._holding, self._passing, self._held = size, 0, b""
            case Corrupt(_, flip):
                self._flip = flip

    def _pass(self, pieces: list[Piece], chunk: bytes, now: float) -> None:
        """Let *chunk* through, which lies wholly inside or outside of what is to be altered."""
        if self._gone:
            return
        if self._flip:
            chunk, self._flip = bytes([chunk[0] ^ self._flip]), 0
        if self._holding:
            self._held += chunk
            self._holding -= len(chunk)
            if not self._holding:
                self._passing = len(self._held)
            return
        self._emit(pieces, chunk, now)
        if self._doubling:
            self._double += chunk
            self._doubling -= len(chunk)
            if not self._doubling:
                self._emit(pieces, self._double, now)
        if self._passing:
            self._passing -= len(chunk)
            if not self._passing:
                self._emit(pieces, self._held, now)
                self._held = b""

    # --- time and size

    def _emit(self, pieces: list[Piece], chunk: bytes, now: float) -> None:
        step = max(1, round(self._rate * _TICK)) if self._rate else max(len(chunk), 1)
        for start in range(0, len(chunk), step):
            part = chunk[start : start + step]
            at = max(now, self._free_at)
            if self._rate:
                at += len(part) / self._rate
            if self._merge:
                if at > self._window:
                    self._window = at + self._merge
                at = self._window
            self._free_at = at
            size = self._size or len(part)
            pieces += [(at, part[at_ : at_ + size]) for at_ in range(0, len(part), size)]
