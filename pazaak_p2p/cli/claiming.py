"""``pazaak resume --claim``: end a kept match, since the other player does not come back (R21)."""

from __future__ import annotations

from datetime import datetime
from time import time

from pazaak_p2p.cli.keeping import Keeping
from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.net.errors import resuming
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.store import SavedMatch
from pazaak_p2p.wire.claims import CLAIM_SECONDS
from pazaak_p2p.wire.events import Ended


class ClaimTooEarly(PazaakError):
    """The other player has not been away for long enough."""

    code = "claim-too-early"
    exit_code = Exit.USAGE
    why = f"A match can be claimed when nothing was heard for {CLAIM_SECONDS / 60:.0f} minutes."


class NothingToClaim(PazaakError):
    """This match cannot be claimed."""

    code = "nothing-to-claim"
    exit_code = Exit.USAGE


class ClockSetBack(PazaakError):
    """Nobody can tell how long the other player has been away."""

    code = "clock"
    exit_code = Exit.USAGE


def claim_event(report: MatchReport) -> Ended:
    """What there is to tell a player of a match that was claimed."""
    return Ended(report.outcome, report.opened, report.head, claimed=True)


def claim_kept(kept: Keeping, saved: SavedMatch) -> MatchReport:
    """Claim the match *saved*, which *kept* has taken up: how it has ended.

    Raises what speaks against it.
    """
    away = time() - saved.mtime
    again = resuming(saved.secrets.match_id)
    stood = kept.take_stock()
    if not stood.claimable:
        why = "It is for you to move, or the match is decided as it stands."
        raise NothingToClaim(why=why, next=f"Go on with it: {again}")
    if away < 0:
        when = datetime.fromtimestamp(saved.mtime).strftime("%Y-%m-%d %H:%M:%S")
        raise ClockSetBack(
            why=f"Its record was written at {when}, which this machine's clock has still to reach.",
            next="Set the clock right, or wait until that time is past, and type the same again.",
        )
    if away < CLAIM_SECONDS:
        raise ClaimTooEarly(
            next=f"Type the same again in {CLAIM_SECONDS - away:.0f} seconds, or go on: {again}"
        )
    return kept.claim()
