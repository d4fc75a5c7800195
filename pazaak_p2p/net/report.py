"""What is known of a match when it is over."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import msgspec

from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.wire import Peer
from pazaak_p2p.wire.events import Ended


class MatchReport(msgspec.Struct, frozen=True):
    """A match that is over, or was broken off. Pairs are (host, join)."""

    match_id: bytes
    seat: Seat
    """Ours."""
    rules: Rules
    outcome: Outcome
    won: tuple[int, int]
    """Sets."""
    opened: tuple[bool, bool]
    """Whose side deck was shown in the audit."""
    head: bytes
    lots: int
    """Lots whose shares were both checked."""
    record: Path | None
    unfinished: bool = False
    """Whether there is more to be said, or the other side may lack some of it: the line broke."""

    claimable: bool = False
    """Whether something is due from the other side, so that we can claim the match if it does not
    come back."""

    @classmethod
    def of(cls, peer: Peer, ended: Ended, record: Path | None) -> Self:
        """How the match that *peer* has played *ended*; *record* is the file that holds it."""
        assert peer.state is not None
        assert peer.seat is not None
        return cls(
            match_id=peer.match_id,
            seat=peer.seat,
            rules=peer.state.rules,
            outcome=ended.outcome,
            won=peer.state.won,
            opened=ended.opened,
            head=ended.head,
            lots=peer.lots_checked,
            record=record,
            unfinished=ended.resumable,
            claimable=ended.resumable and peer.claimable,
        )

    @property
    def to_its_end(self) -> bool:
        """Is it over, with both sides still there?"""
        return not self.unfinished and self.outcome.termination is not Termination.ABANDONED

    @property
    def decided(self) -> bool:
        """Is it unfinished, and yet nothing that is missing can change its result?"""
        return self.unfinished and not self.open

    @property
    def open(self) -> bool:
        """Is the match unfinished and undecided?"""
        return self.unfinished and self.outcome.termination is Termination.ABANDONED
