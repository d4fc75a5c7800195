"""Simple policies to measure the bots against, by the names that the benchmarks take.

- ``twenty:N``: stands at N, plays any card that makes 20, and knows nothing else;
- ``totals:N:M``: stands at N, plays a card that makes M or more, matches or beats one who stands
  (``totals:15:17`` is ``classic``, ``totals:16:20`` is ``careful``);
- ``plain:N``: stands at N, or to win against one who stands, and never plays a card;
- ``odds:P``: draws as long as no more than P % of the green cards that are left would bust it;
  matches or beats one who stands, and plays a card to make 20, or over 20;
- ``hoard:N``: ``totals:N:20``, but plays no card before the opponent has won a set less than it
  needs;
- ``sets:P``: ``expert``, with a price of P hundredths of a set for a card.

All names of ``pazaak bot list`` will do too.
"""

from __future__ import annotations

from collections.abc import Callable

from pazaak_p2p.bots import Bot, ExpertBot, find_bot
from pazaak_p2p.bots.cards import best_card, lay_or_pass
from pazaak_p2p.bots.classic import by_totals
from pazaak_p2p.rules import TARGET, Action, End, Phase, Stand, View


class Twenty:
    """``twenty:N``"""

    def __init__(self, stand_at: int) -> None:
        self._stand_at = stand_at

    def choose(self, view: View) -> Action:
        if view.state.phase is Phase.TIE:
            return lay_or_pass(view)
        if view.can_play and view.total != TARGET:
            card = best_card(view, view.total, TARGET)
            if card is not None:
                return card
        return Stand() if view.total >= self._stand_at else End()


class Totals:
    """``totals:N:M``"""

    def __init__(self, stand_at: int, worth_a_card: int) -> None:
        self._numbers = stand_at, worth_a_card

    def choose(self, view: View) -> Action:
        return by_totals(view, *self._numbers)


class Plain:
    """``plain:N``"""

    def __init__(self, stand_at: int) -> None:
        self._stand_at = stand_at

    def choose(self, view: View) -> Action:
        if view.state.phase is Phase.TIE:
            return lay_or_pass(view)
        enough = view.opponent_total if view.opponent_stands else self._stand_at
        return Stand() if enough <= view.total else End()


class Odds:
    """``odds:P``"""

    def __init__(self, percent: int) -> None:
        self._most = percent / 100

    def choose(self, view: View) -> Action:
        deck = view.state.deck
        bust = sum(view.total + rank > TARGET for rank in deck) / len(deck)
        stand_at = view.total if bust > self._most else TARGET
        return by_totals(view, stand_at, TARGET)


class Hoard:
    """``hoard:N``"""

    def __init__(self, stand_at: int) -> None:
        self._plain, self._totals = Plain(stand_at), Totals(stand_at, TARGET)

    def choose(self, view: View) -> Action:
        late = view.opponent_won == view.state.rules.sets - 1
        return (self._totals if late else self._plain).choose(view)


_KINDS: dict[str, Callable[..., Bot]] = {
    "twenty": Twenty,
    "totals": Totals,
    "plain": Plain,
    "odds": Odds,
    "hoard": Hoard,
    "sets": lambda percent: ExpertBot(percent / 100),
}


def maker(name: str) -> Callable[[bytes], Bot]:
    """Makes the bot or policy *name* from a seed of 32 bytes. Raises ``UnknownBot``."""
    kind, *numbers = name.split(":")
    if kind in _KINDS:
        return lambda seed: _KINDS[kind](*map(int, numbers))
    return find_bot(name).make
