"""What is known of a match when it is over."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pazaak_p2p.rules import Outcome, Rules, Seat, Termination


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
