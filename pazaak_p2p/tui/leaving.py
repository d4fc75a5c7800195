"""What is said of those who leave a match, or are away from it."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.net.player import Away
from pazaak_p2p.rules import Termination

OVER_BY: Final = {
    Termination.CONCESSION: ("You concede the match.", "{} concedes the match."),
    Termination.TIME: ("Your clock has run out (R21).", "The clock of {} has run out (R21)."),
    Termination.ABANDONED: ("You left the match (R21).", "{} left the match (R21)."),
    Termination.CHEAT: ("You are said to have cheated.", "{} is found to have cheated."),
}
"""By what a match ended: to the one by whom it did, and of somebody."""
CLAIMED: Final = (
    "You did not come back in time: {} has claimed the match (R21).",
    "You have claimed the match, since {} did not come back (R21).",
)
"""The same of one who was away: to that one, and to the one who has claimed."""


def away(event: Away, opponent: str) -> list[str]:
    """That *opponent* is away, what comes of it, and what can be done."""
    if event.claim_in == 0:
        return [f"{opponent} has not come back. You can claim the match (R21): w."]
    wait = "" if event.seconds < 60 else f" for up to {round(event.seconds / 60)} minutes"
    lines = [f"{opponent} is away. Waiting{wait}; q keeps the match for later."]
    if event.claim_in is not None:
        lines.append(
            f"It is for {opponent} to move. If they do not come back, you can claim the match in"
            f" {max(1, round(event.claim_in / 60))} minutes: w."
        )
    return lines
