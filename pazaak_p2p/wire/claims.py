"""Claims: a match ends since the other side does not come back (specification, section 10; R21).

That the other was away is nothing that anybody can prove, so a claim is its maker's word; but it is
signed, and can be checked for everything else: that something was due from the other seat, and that
nothing has come since that takes it back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pazaak_p2p.rules import Seat, Termination
from pazaak_p2p.wire.errors import BrokenChain, Unexpected
from pazaak_p2p.wire.messages import Claim
from pazaak_p2p.wire.terms import claim_frame
from pazaak_p2p.wire.transcript import Transcript

CLAIM_SECONDS: Final = 300.0
"""How long the other side must have been away."""
CLAIM_TOLERANCE: Final = 30.0
"""By how much less it may say that it was: two sides notice a broken line half a minute apart."""

_CONCEDED: Final = frozenset({Termination.CONCESSION, Termination.TIME})


def check(transcript: Transcript, said: Claim) -> None:
    """Is *said* a claim that can be made where it was made?

    Raises ``BadSignature``, ``BrokenChain`` if it names a head that is not in the transcript, and
    ``Unexpected`` if nothing was due from the other seat there.
    """
    seat = Seat(said.by)
    signed = claim_frame(transcript.terms.match_id, seat, said.head)
    transcript.check_signature(seat, said.sig, signed)
    if said.head not in transcript.heads:
        raise BrokenChain(seat, transcript.length)
    at = transcript.heads.index(said.head)
    due = transcript.dues[at]
    if at < len(Seat):
        raise Unexpected(why="It claimed the match before both had committed.")
    if due is None or due.seat is seat:
        raise Unexpected(why="It claimed the match where nothing was due from the other side.")


def standing(transcript: Transcript, claims: Iterable[Claim]) -> Seat | None:
    """Whose claim ends the match; None if there is none, or it is void.

    *claims* have been checked. One is void if its maker has said anything after it, or if the match
    is decided without it, by an entry that crossed it or by a concession. Of two, the one that
    names the later head counts.
    """
    outcome = transcript.state.outcome
    if outcome is not None:
        must = Seat if outcome.winner is None else (outcome.winner,)
        if outcome.termination in _CONCEDED or all(transcript.opened[seat] for seat in must):
            return None
    places = {Seat(said.by): transcript.heads.index(said.head) for said in claims}
    valid = [seat for seat, at in places.items() if seat not in transcript.authors[at:]]
    return max(valid, key=places.__getitem__, default=None)
