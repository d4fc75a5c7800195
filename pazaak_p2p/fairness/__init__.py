"""Hashes, commitments and lots: what makes a match fair without anyone in the middle. Pure."""

from pazaak_p2p.fairness.commitments import card_commitment, share_commitment
from pazaak_p2p.fairness.hashing import digest, frame, template
from pazaak_p2p.fairness.keys import is_weak
from pazaak_p2p.fairness.lots import FULL_DECK, deal, draw, first_move, lot, opening
from pazaak_p2p.fairness.secrets import MatchSecret, SeedSecrets

__all__ = [
    "FULL_DECK",
    "MatchSecret",
    "SeedSecrets",
    "card_commitment",
    "deal",
    "digest",
    "draw",
    "first_move",
    "frame",
    "is_weak",
    "lot",
    "opening",
    "share_commitment",
    "template",
]
