"""Every cheat has a name (specification, section 11, second table)."""

from __future__ import annotations

from pazaak_p2p.rules import (
    CardAlreadyPlayed,
    CardNotAllowed,
    CardNotDealt,
    ImpossibleValue,
    RuleError,
    Seat,
    SecondCard,
)
from pazaak_p2p.wire.errors import RemoteError

_ONLY_OUR_WORD = (
    "Its program is there and answers, but does not say this. No record can prove that, as a record"
    " can be cut off at its end."
)


class Cheat(RemoteError):
    """A seat broke the match.

    *seat* is who, *entry* the number of the entry that shows it (for silence: of the entry that
    is missing).
    """

    code = "cheat"
    why = "An honest program cannot do this. The record of the match proves it."
    next = "The match counts as won against the cheater. Keep the record."

    def __init__(self, seat: Seat, entry: int, detail: str = "") -> None:
        self.seat = seat
        self.entry = entry
        said = f"{type(self).__doc__} (the {seat.name.lower()}'s entry {entry})"
        super().__init__(f"{said}: {detail}" if detail else said)


class WrongSequence(Cheat):
    """An entry has the wrong number."""

    code = "wrong-sequence"


class TwoEntries(Cheat):
    """Two different entries were signed for one place."""

    code = "two-entries"


class OtherMatch(Cheat):
    """The first entry belongs to a match of other rules, players or seats."""

    code = "other-match"


class WrongPrevious(Cheat):
    """An entry does not follow the one before it."""

    code = "wrong-previous"


class ActedAfterConceding(Cheat):
    """A player who had conceded went on playing."""

    code = "acted-after-conceding"


class WithoutFloor(Cheat):
    """A statement was made when the other side was to speak."""

    code = "without-floor"


class OutOfTurn(Cheat):
    """A player acted when it was not that player's turn."""

    code = "out-of-turn"


class AfterStanding(Cheat):
    """A player acted after standing (R12)."""

    code = "after-standing"


class AtTwenty(Cheat):
    """A player acted at exactly 20, which stands (R11)."""

    code = "at-twenty"


class WrongStatement(Cheat):
    """A statement of one kind was made where another was due."""

    code = "wrong-statement"


class CopiedCommitment(Cheat):
    """A commitment was copied from the other side."""

    code = "copied-commitment"


class CopiedShare(Cheat):
    """A share was copied from the other side."""

    code = "copied-share"


class WrongShare(Cheat):
    """A share is not the one that was committed to."""

    code = "wrong-share"


class CardDoesNotOpen(Cheat):
    """A card is not the one that was committed to."""

    code = "card-does-not-open"


class NotDealt(Cheat):
    """A card was played that was not dealt (R4)."""

    code = "card-not-dealt"


class PlayedTwice(Cheat):
    """A card was played a second time (R4)."""

    code = "card-played-twice"


class NotAllowed(Cheat):
    """A card was played that these rules do not have (R3, R17)."""

    code = "card-not-allowed"


class TwoCards(Cheat):
    """A second hand card was played in one turn (R8)."""

    code = "two-cards"


class BadValue(Cheat):
    """A card was given a value that it cannot have (R8)."""

    code = "impossible-value"


class WrongDigest(Cheat):
    """The state after an entry is not the one that its author states."""

    code = "wrong-digest"


class DeckDoesNotOpen(Cheat):
    """The side deck shown at the end is not the one that was committed to."""

    code = "deck-does-not-open"


class IllegalDeck(Cheat):
    """The side deck shown at the end breaks the rules (R3)."""

    code = "illegal-deck"


class WillNotReveal(Cheat):
    """A player keeps back what the next card depends on."""

    code = "will-not-reveal"
    why = _ONLY_OUR_WORD


class WillNotOpen(Cheat):
    """A player will not show the side deck after the match."""

    code = "will-not-open"
    why = _ONLY_OUR_WORD


_OF_RULE: tuple[tuple[type[RuleError], type[Cheat]], ...] = (
    (SecondCard, TwoCards),
    (CardNotDealt, NotDealt),
    (CardAlreadyPlayed, PlayedTwice),
    (CardNotAllowed, NotAllowed),
    (ImpossibleValue, BadValue),
)


def cheat_of(error: RuleError, seat: Seat, entry: int) -> Cheat:
    """The cheat that a statement breaking a rule amounts to."""
    for broken, cheat in _OF_RULE:
        if isinstance(error, broken):
            return cheat(seat, entry, error.what)
    return WrongStatement(seat, entry, error.what)
