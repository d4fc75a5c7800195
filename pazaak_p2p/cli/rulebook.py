"""The rules in words, as one set of options has them."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import Copies, Nine, Opener, Rules, Tiebreaker

RuleText = tuple[str, str, str]
"""Number, title and text of a rule."""

_OPENERS: Final = {
    Opener.ALTERNATE: "The other player opens than opened the set before, also after a tie.",
    Opener.LOSER: "The loser of the set before opens; after a tie, whoever opened that set.",
    Opener.WINNER: "The winner of the set before opens; after a tie, whoever opened that set.",
    Opener.RANDOM: "A fair draw by both sides decides who opens.",
    Opener.HOST: "The host opens every set after the first.",
}
_TIEBREAKERS: Final = {
    Tiebreaker.PLAYED: "if exactly one has a ±1T on the table, that player wins the set",
    Tiebreaker.LAST: "if exactly one placed a ±1T as the last card, that player wins the set",
    Tiebreaker.AT_TIE: "the opener first, then the other, may lay down a ±1T that is still in the"
    " hand: one laid wins the set, and one on the table does not count",
}


def rulebook(rules: Rules) -> tuple[RuleText, ...]:
    """Every rule, R1 to R21, as a match by *rules* has it. Source: the project's rules page."""
    gold = rules.gold
    copies = (
        "any number of each kind"
        if rules.copies is Copies.UNLIMITED
        else "at most 4 of one ordinary kind" + (" and 2 of one gold kind" if gold else "")
    )
    nine = (
        "wins the set at once, even against a standing 20"
        if rules.nine is Nine.WIN
        else "makes you stand"
    )
    sets = "one set" if rules.sets == 1 else f"{rules.sets} sets"
    return (
        ("R1", "The deck", "One deck for both: 40 green cards, four each of 1 to 10. Every set"
         " starts from the full deck."),
        ("R2", "Side cards", "+1 to +6 (blue), -1 to -6 (red), ±1 to ±6 (purple)"
         + (", and gold: ±1T, 1±2, 2&4, 3&6 and D." if gold else ".")
         + " Without a ± key, write +- for it."),
        ("R3", "Side deck", f"Ten side cards of your choice, {copies}"
         + (". Gold cards are allowed." if gold else ", and no gold cards.")),
        ("R4", "Hand", "Four of your ten at random, for the whole match. What is played is gone."),
        ("R5", "First set", "Each draws a green card; the higher opens. Equal: both draw again."),
        ("R6", "Later sets", _OPENERS[rules.opener]),
        ("R7", "Draw", "A turn starts with one green card onto your table. You cannot refuse it."),
        ("R8", "Play", "Then you may place one card of your hand. Where it leaves a choice of sign"
         " or size, you name it as you place it."),
        ("R9", "End or stand", "Then you end the turn, and draw again next turn, or stand."),
        ("R10", "Over 20", "Over 20 is not lost yet: a card may bring you back. If you are still"
         " over 20 when the turn ends, you lose the set."),
        ("R11", "Exactly 20", "At exactly 20 you stand at once." if rules.auto_stand
         else "At exactly 20 you choose as at any other total."),
        ("R12", "Standing", "Who stands draws and plays nothing more in this set. The other goes on"
         " alone. When both stand the set is judged."),
        ("R13", "Below zero", "A total may fall below zero."),
        *(_gold_rules() if gold else ()),
        ("R16", "Nine cards", f"The table has nine places. The ninth card at 20 or less {nine};"
         " over 20 it loses the set."),
        ("R17", "Tiebreaker", f"Both stand on the same total: {_TIEBREAKERS[rules.tiebreaker]};"
         " otherwise it is a tie." if gold
         else "There are no gold cards, so equal totals are always a tie."),
        ("R18", "Set", "The higher total wins. Equal totals tie, and nobody scores."),
        ("R19", "Match", f"First to win {sets}."),
        ("R20", "Endless ties", "There is no limit to the number of sets."
         if rules.max_sets is None
         else f"After {rules.max_sets} sets, ties counted, whoever has won more wins the match; the"
         " same number is a drawn match."),
        ("R21", "Leaving", "You may concede at any time; who does not come back loses."
         + ("" if rules.turn_seconds is None
            else f" Who takes more than {rules.turn_seconds} seconds for a turn loses the match.")
         + " Proven cheating loses the match."),
    )  # fmt: skip


def _gold_rules() -> tuple[RuleText, ...]:
    return (
        ("R14", "D", "Worth the green card that you drew this turn, once more."),
        ("R15", "2&4, 3&6", "Every 2, 4, -2 and -4 (3, 6, -3 and -6) on your own table changes its"
         " sign. The card itself adds nothing and takes a place."),
    )  # fmt: skip
