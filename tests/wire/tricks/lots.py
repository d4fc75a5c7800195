"""Commitments and shares that are copied, invented or exchanged."""

from __future__ import annotations

from msgspec.structs import replace

from pazaak_p2p.rules import (
    Seat,
)
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.terms import Kind
from tests.cheating import Cheater
from tests.wire.tricks.case import (
    OTHER_BYTES,
    Case,
    cases,
    elsewhere,
    instead,
    owes,
)


def their_commit(c: Cheater) -> m.Commit:
    return next(said for said in c.heard if isinstance(said, m.Commit))


def their_card(c: Cheater, at: int) -> bytes:
    return their_commit(c).cards[at]


def their_last(c: Cheater) -> bytes:
    """The last share commitment that the other side has made."""
    return [said for said in c.heard if isinstance(said, m.Commit | m.Reveal)][-1].next


def their_shares(c: Cheater) -> list[bytes]:
    return [said.share for said in c.heard if isinstance(said, m.Reveal)]


def with_card(c: Cheater, at: int, commitment: bytes) -> m.Commit:
    honest = c.commit()
    return m.Commit([*honest.cards[:at], commitment, *honest.cards[at + 1 :]], honest.next)


def second_to_reveal(c: Cheater) -> bool:
    """The other side's share of the lot that is due is open, ours is not."""
    return c.owes(Kind.REVEAL) and len(their_shares(c)) > c.lot


CASES: list[Case] = [
    *cases(
        "copied-commitment",
        owes(Kind.COMMIT),
        {
            "a card": instead(lambda c: with_card(c, 3, their_card(c, 3))),
            "a card in another place": instead(lambda c: with_card(c, 0, their_card(c, 9))),
            "a share as a card": instead(lambda c: with_card(c, 9, their_commit(c).next)),
            "a share": instead(lambda c: replace(c.commit(), next=their_commit(c).next)),
            "a card as a share": instead(
                lambda c: replace(c.commit(), next=their_commit(c).cards[5])
            ),
        },
        seats=(Seat.JOIN,),  # who commits first has nothing to copy
        points=(0,),
    ),
    *cases(
        "copied-commitment",
        owes(Kind.REVEAL),
        {
            "the other's next": instead(lambda c: replace(c.reveal(), next=their_last(c))),
            "a card as the next": instead(lambda c: replace(c.reveal(), next=their_card(c, 0))),
        },
        points=(0, 1, 8),
    ),
    *cases(
        "copied-share",
        second_to_reveal,
        {"the other's share": instead(lambda c: replace(c.reveal(), share=their_shares(c)[-1]))},
        points=(0, 1, 8),
    ),
    *cases(
        "wrong-share",
        owes(Kind.REVEAL),
        {
            "invented": instead(lambda c: replace(c.reveal(), share=OTHER_BYTES)),
            "of the next lot": instead(
                lambda c: replace(c.reveal(), share=c.secret.share(c.lot + 1))
            ),
            "of another match": instead(
                lambda c: replace(c.reveal(), share=elsewhere(c).share(c.lot))
            ),
            "the commitment itself": instead(
                lambda c: replace(c.reveal(), share=c.commitment(c.lot))
            ),
        },
        points=(0, 1, 8),
    ),
    *cases(
        "wrong-share",
        lambda c: c.owes(Kind.REVEAL) and c.lot > 0,
        {
            "of the lot before": instead(
                lambda c: replace(c.reveal(), share=c.secret.share(c.lot - 1))
            ),
            "the other's of the lot before": instead(
                lambda c: replace(c.reveal(), share=their_shares(c)[c.lot - 1])
            ),
        },
        points=(0, 5),
    ),
]
