"""What the rules refuse. Every class names its rule and says what, why and what to do next."""

from __future__ import annotations

from typing import ClassVar

from pazaak_p2p.errors import Exit, PazaakError, UsageError


class RuleError(PazaakError):
    """The rules of the game do not allow that."""

    code: ClassVar[str] = "against-the-rules"
    rule: str = "R9"
    why = "It breaks a rule of the game."
    next = "Choose one of the actions that are legal now."

    def __init__(
        self,
        what: str | None = None,
        *,
        why: str | None = None,
        next: str | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(what, why=why, next=next)
        if rule is not None:
            self.rule = rule


class NotDue(RuleError):
    """That cannot come now."""

    code = "not-due"


class SecondCard(RuleError):
    """A second hand card cannot be placed in the same turn."""

    code = "two-cards"
    rule = "R8"
    why = "R8: at most one hand card a turn, and this turn's is on the table already."
    next = "End the turn or stand."


class CardNotDealt(RuleError):
    """This card is not in the hand."""

    code = "card-not-dealt"
    rule = "R4"
    why = "R4: only the four cards dealt before the first set can be used."
    next = "Choose a card of the hand."


class CardAlreadyPlayed(RuleError):
    """This hand card has been used already."""

    code = "card-played-twice"
    rule = "R4"
    why = "R4: a hand card can be used once, then it is gone for the whole match."
    next = "Choose a card that is still in the hand."


class WrongCard(RuleError):
    """This place of the hand holds another card."""

    code = "wrong-card"
    rule = "R4"
    why = "R4: a hand card is the one that was dealt; it cannot be played as another."
    next = "Name the card that the hand holds there."


class CardNotAllowed(RuleError):
    """This card cannot be used here."""

    code = "card-not-allowed"
    rule = "R3"
    why = "R3: this match is played without gold cards."
    next = "Choose another card."


class ImpossibleValue(RuleError):
    """The card cannot be played with this value."""

    code = "impossible-value"
    rule = "R8"
    why = "R8: a card can only have the values that are printed on it."
    next = "Name one of the values that the card can have."


class ImpossibleDraw(RuleError):
    """Such cards cannot be drawn or dealt."""

    code = "impossible-draw"
    rule = "R1"
    why = (
        "R1: the deck holds four green cards each of 1 to 10, and a drawn one is gone for the set."
    )
    next = "Draw from the cards that are left."


class CardError(RuleError):
    """There is no such side card."""

    code = "card"
    exit_code = Exit.USAGE
    rule = "R2"
    why = "R2: there are 23 kinds of side cards."
    next = "Use +1..+6, -1..-6, ±1..±6, ±1T, 1±2, 2&4, 3&6 or D; for ± one can also type +-."


class DeckError(RuleError):
    """This side deck cannot be played."""

    code = "deck"
    exit_code = Exit.USAGE
    rule = "R3"
    why = "R3: a side deck has exactly 10 side cards."
    next = "Change the deck, or take one that ships, such as 'starter'."


class RulesOptionError(UsageError):
    """The rules of the match cannot be understood."""

    code = "rules"
    why = "A set of rules is the name of a preset, options, or both."
    next = "Write it like: tournament  or  kotor1,sets=5  or  standard,gold=off,max_sets=none"
