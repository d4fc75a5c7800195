"""What both seats have committed to in a match, and whether what they open fits (sections 7, 8).

A seat commits to the ten cards of its side deck at once, and to one share of a lot after the other:
each reveal commits to the next. Which of that is due when is not known here (``transcript.py``).
"""

from __future__ import annotations

from pazaak_p2p.fairness import card_commitment, lots, share_commitment
from pazaak_p2p.rules import Card, DeckError, Rules, Seat, check_deck
from pazaak_p2p.wire import cheats
from pazaak_p2p.wire.messages import Commit, Open, Reveal


class Commitments:
    """Those of the match *match_id*. What does not fit raises a ``Cheat``, of entry *n*."""

    def __init__(self, match_id: bytes) -> None:
        self._match_id = match_id
        self.cards: list[tuple[bytes, ...]] = [(), ()]
        """To the cards of each seat; empty before it has committed."""
        self.next = [b"", b""]
        """To the share of each seat that comes next."""
        self.shares: list[bytes | None] = [None, None]
        """Each seat's share of the lot that is due, if it is out."""

    def commit(self, seat: Seat, said: Commit, n: int) -> None:
        cards = tuple(said.cards)
        for commitment in (*cards, said.next):
            self._check_not_copied(seat, commitment, n)
        self.cards[seat] = cards
        self.next[seat] = said.next

    def _check_not_copied(self, seat: Seat, commitment: bytes, n: int) -> None:
        # Seat and place are hashed in, so equal commitments are copies (and could never be opened).
        other = 1 - seat
        if commitment == self.next[other] or commitment in self.cards[other]:
            raise cheats.CopiedCommitment(seat, n)

    def reveal(self, seat: Seat, said: Reveal, k: int, n: int) -> bytes | None:
        """Take *seat*'s share of lot *k*; the lot, if that was the second."""
        share, theirs = said.share, self.shares[1 - seat]
        if share == theirs:
            raise cheats.CopiedShare(seat, n)
        if share_commitment(self._match_id, seat, k, share) != self.next[seat]:
            raise cheats.WrongShare(seat, n)
        self._check_not_copied(seat, said.next, n)
        self.next[seat] = said.next
        if theirs is None:
            self.shares[seat] = share
            return None
        self.shares = [None, None]
        host, join = (theirs, share) if seat else (share, theirs)
        return lots.lot(self._match_id, k, host, join)

    def opens(self, seat: Seat, position: int, card: Card, salt: bytes) -> bool:
        """Is *card* what *seat* has committed to at *position*?"""
        commitment = card_commitment(
            self._match_id, seat, position, salt, card.ascii.encode("ascii")
        )
        return commitment == self.cards[seat][position]

    def open_deck(self, seat: Seat, said: Open, rules: Rules, n: int) -> None:
        """Check a whole side deck, also whether *rules* allow it."""
        opens = (
            self.opens(seat, position, card, salt)
            for position, (card, salt) in enumerate(zip(said.deck, said.salts, strict=True))
        )
        if not all(opens):
            raise cheats.DeckDoesNotOpen(seat, n)
        try:
            check_deck(tuple(said.deck), rules)
        except DeckError as error:
            raise cheats.IllegalDeck(seat, n, error.what) from error
