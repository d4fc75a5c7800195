"""What to do at one's first matches: plain good play, easy to see through. Pure."""

from __future__ import annotations

from typing import Final

from pazaak_p2p.rules import TARGET, Action, Card, End, Pass, Phase, Play, Stand, View
from pazaak_p2p.tui.outlook import Outlook, Verdict, at_equal, outlooks, ways_back

ENOUGH: Final = 17
"""The total at which it is better to stand than to draw, while the other side plays on."""
SAFE: Final = 10
"""The highest total that no green card can take over 20."""


def advice(view: View) -> Action:
    """A sensible one of the actions that our seat, which is to choose, has now."""
    looks = outlooks(view)
    wins = [look for look in looks if look.verdict is Verdict.WINS]
    if wins:
        # Standing costs no card.
        return max(wins, key=lambda look: isinstance(look.action, Stand)).action
    if view.state.phase is Phase.TIE:
        return Pass()
    if view.total > TARGET:
        ways = ways_back(view)
        return best(ways).action if ways else End()
    plays = [look for look in looks if isinstance(look.action, Play) and not look.doomed]
    if view.opponent_stands:
        return _against_standing(view, plays)
    twenty = [look for look in plays if look.total == TARGET]
    if twenty:
        return best(twenty).action
    return Stand() if view.total >= ENOUGH else End()


def best(plays: list[Outlook] | tuple[Outlook, ...]) -> Outlook:
    """The play with the highest total; of equals, one that spends no tiebreaker."""
    return max(plays, key=lambda look: (look.total, not _breaks_ties(look)))


def _against_standing(view: View, plays: list[Outlook]) -> Action:
    theirs = view.opponent_total
    breaks = [look for look in plays if look.total == theirs and _breaks_ties(look)]
    higher = [look for look in plays if look.total > theirs]
    if breaks:
        return breaks[0].action
    if higher:
        return best(higher).action
    ties = view.total == theirs and at_equal(view) is Verdict.TIES
    return Stand() if ties else End()


def _breaks_ties(look: Outlook) -> bool:
    return isinstance(look.action, Play) and look.action.card is Card.TIEBREAKER
