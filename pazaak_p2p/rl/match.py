"""A match for learners: the rules engine with chance drawn, and what a seat is rewarded."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec
from numpy.random import Generator

from pazaak_p2p.rl.actions import action_of
from pazaak_p2p.rules import (
    DECKS,
    FULL_DECK,
    HAND_SIZE,
    Action,
    Deal,
    Draw,
    FirstMove,
    Leave,
    Opening,
    Phase,
    RuleError,
    Rules,
    Seat,
    SideDeck,
    State,
    Termination,
    apply,
    check_deck,
    new_match,
    parse_deck,
    parse_rules,
)
from pazaak_p2p.store import UnknownDeck
from pazaak_p2p.text import printable

STANDARD_RULES: Final = "standard,max_sets=99"
"""R20: two who never win a set would play for ever."""
STANDARD_DECK: Final = "balanced"


class Reward(StrEnum):
    """What is rewarded. What one seat gets, the other loses."""

    MATCH = "match"
    """1 for a match won, -1 for one lost, 0 for a drawn one, at its end."""
    SET = "set"
    """The same for every set, at its end. Who gives the match up loses by it all sets that the
    other still needs."""


class Setting(msgspec.Struct, frozen=True):
    """What is played: everything but chance and choices."""

    rules: Rules
    decks: tuple[SideDeck, SideDeck]
    """(host, join)."""
    reward: Reward


def setting_of(
    rules: Rules | str, decks: tuple[SideDeck | str, SideDeck | str], reward: str
) -> Setting:
    """The setting of values, or of texts: rules as ``tournament,sets=5``, a deck by the name of one
    that ships or as ten cards on a line, and a ``Reward``.

    Raises ``RulesOptionError``, ``UnknownDeck``, ``CardError``, ``DeckError`` or, for the reward,
    ``ValueError``.
    """
    agreed = parse_rules(rules) if isinstance(rules, str) else rules
    host, join = (_deck(deck, agreed) for deck in decks)
    return Setting(agreed, (host, join), Reward(reward))


def _deck(deck: SideDeck | str, rules: Rules) -> SideDeck:
    if isinstance(deck, str):
        if deck not in DECKS and len(deck.replace(",", " ").split()) < 2:
            raise UnknownDeck(
                f"There is no side deck {printable(deck, 80)!r}.",
                why=f"Those that ship are {', '.join(DECKS)}.",
                next="Name one of these, or ten cards on a line.",
            )
        deck = DECKS.get(deck) or parse_deck(deck)
    check_deck(deck, rules)
    return deck


class Match:
    """A match of *setting* with all that chance decides drawn from *rng*.

    Between calls somebody has a choice (``state.mover``), or the match is over.
    """

    def __init__(self, setting: Setting, rng: Generator) -> None:
        self._reward = setting.reward
        self._rng = rng
        self.state = self._drawn(new_match(setting.rules, setting.decks))
        """The whole position; for a seat to see only through ``view``."""
        self.illegal: Seat | None = None
        """Who lost by an action that is not legal, if anybody."""

    @property
    def over(self) -> bool:
        return self.state.phase is Phase.OVER

    def choose(self, number: int) -> int:
        """The mover takes the action *number*; what that brings the host.

        One that is not legal now loses the match, as it does in an arena. Raises ``IndexError`` for
        no number of an action.
        """
        mover = self.state.mover
        assert mover is not None
        try:
            action = action_of(number, self.state)
        except RuleError:
            self.illegal = mover
            return self.give_up()
        return self.act(action)

    def act(self, action: Action) -> int:
        """The mover takes *action*; what that brings the host. Raises ``RuleError``."""
        return self._on(apply(self.state, action))

    def give_up(self) -> int:
        """The mover concedes the match (R21); what that brings the host."""
        mover = self.state.mover
        assert mover is not None
        return self._on(apply(self.state, Leave(mover, Termination.CONCESSION)))

    def _on(self, after: State) -> int:
        before, self.state = self.state, self._drawn(after)
        outcome, sets = self.state.outcome, self.state.rules.sets
        if self._reward is Reward.MATCH:
            if outcome is None or outcome.winner is None:
                return 0
            return 1 if outcome.winner is Seat.HOST else -1
        host, join = (now - then for now, then in zip(self.state.won, before.won, strict=True))
        if outcome is not None and outcome.termination is Termination.CONCESSION:
            if outcome.winner is Seat.HOST:
                return sets - self.state.won[0]
            return self.state.won[1] - sets
        return host - join

    def _drawn(self, state: State) -> State:
        """*state* after everything that chance has to decide before somebody chooses."""
        rng = self._rng
        while True:
            match state.phase:
                case Phase.DEAL:
                    host, join = (rng.permutation(10)[:HAND_SIZE].tolist() for _ in Seat)
                    state = apply(state, Deal(tuple(host), tuple(join)))
                case Phase.OPENING:  # R5: two different cards of the deck
                    first, second = rng.permutation(len(FULL_DECK))[:2].tolist()
                    state = apply(state, Opening(FULL_DECK[first], FULL_DECK[second]))
                case Phase.OPENER:
                    state = apply(state, FirstMove(Seat(int(rng.integers(2)))))
                case Phase.DRAW:
                    state = apply(state, Draw(state.deck[int(rng.integers(len(state.deck)))]))
                case _:
                    return state
