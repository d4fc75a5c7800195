"""What each action would lead to, asked of the rules themselves, so it is never a guess."""

from __future__ import annotations

from enum import Enum

import msgspec

from pazaak_p2p.rules import (
    TARGET,
    Action,
    Card,
    Play,
    Tiebreaker,
    View,
    apply,
    legal_actions,
)


class Verdict(Enum):
    """How the set ends for the own seat if it ends by the action at once."""

    WINS = "wins"
    LOSES = "loses"
    TIES = "ties"


class Outlook(msgspec.Struct, frozen=True):
    """One legal action and what follows from it for the own seat."""

    action: Action
    total: int
    """The own total after it."""
    verdict: Verdict | None
    """None when the set goes on."""
    stands: bool
    """The own seat stands by it while the other one plays on (R9, R11)."""

    @property
    def over(self) -> bool:
        return self.total > TARGET

    @property
    def doomed(self) -> bool:
        """The set is lost by it, now or, over 20 with no second card to play, at the turn's end."""
        return self.verdict is Verdict.LOSES or (self.over and isinstance(self.action, Play))


def outlooks(view: View) -> tuple[Outlook, ...]:
    """For each legal action, in the order of ``legal_actions``, none when it is not our turn."""
    if not view.to_choose:
        return ()
    return tuple([_look(view, action) for action in legal_actions(view.state)])


def ways_back(view: View) -> tuple[Outlook, ...]:
    """The plays that save a seat that is over 20 (R10)."""
    if view.total <= TARGET:
        return ()
    return tuple(
        [
            look
            for look in outlooks(view)
            if isinstance(look.action, Play) and not look.doomed and not look.over
        ]
    )


def at_equal(view: View) -> Verdict:
    """What equal totals would come to with the cards that lie on the tables now (R17, R18)."""
    if view.state.rules.tiebreaker is not Tiebreaker.PLAYED:
        return Verdict.TIES  # which cards decide is not settled before the end
    ours, theirs = (
        any(placed.card is Card.TIEBREAKER for placed in table)
        for table in (view.table, view.opponent_table)
    )
    if ours == theirs:
        return Verdict.TIES
    return Verdict.WINS if ours else Verdict.LOSES


def _look(view: View, action: Action) -> Outlook:
    seat = view.seat
    after = apply(view.state, action)
    if len(after.results) == len(view.state.results):
        return Outlook(action, after.totals[seat], None, after.stood[seat])
    result = after.results[-1]
    if result.winner is None:
        verdict = Verdict.TIES
    else:
        verdict = Verdict.WINS if result.winner is seat else Verdict.LOSES
    return Outlook(action, result.totals[seat], verdict, False)
