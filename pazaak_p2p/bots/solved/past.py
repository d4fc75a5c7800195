"""What the opponent has chosen so far, and what it knew when it did.

All of it stands in the view: the tables of every finished set are kept there.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from pazaak_p2p.bots.solved.hands import Kinds
from pazaak_p2p.bots.solved.leaves import TIEBREAKER, Stakes, lays, set_stakes
from pazaak_p2p.rules import (
    HAND_SIZE,
    SLOTS,
    TARGET,
    Card,
    Phase,
    Rules,
    Seat,
    SetEnd,
    Table,
    View,
)

NOTHING: Final = -1
"""The number of no card."""
FLIPS: Final = (Card.FLIP_2_4, Card.FLIP_3_6)

_Played: TypeAlias = tuple[list[int], list[int]]


class Choice(NamedTuple):
    """A turn of the opponent, after its draw. The *other* side of it is ours."""

    stakes: Stakes
    """Its own."""
    before: Kinds
    """What it had used in the match before this turn."""
    drawn: int
    """Its green card."""
    total: int
    """With that card."""
    flipped: tuple[int, int]
    """What the total would be with a ``2&4`` and a ``3&6``."""
    other_cards: int
    other_total: int
    other_stands: bool
    card: int
    """What it placed: the number of a kind, or NOTHING."""
    made: int
    """Its total at the end of its turn; over 20 it is bust."""
    stood: bool


class Past(NamedTuple):
    """All that the opponent has shown of its hand, the first of the match first."""

    choices: tuple[Choice, ...] = ()
    passes: tuple[Kinds, ...] = ()
    """What it had used before each tie at which it laid no tiebreaker (R17, ``at-tie``)."""


class _Turn(NamedTuple):
    drawn: int
    total: int
    flipped: tuple[int, int]
    card: int
    made: int
    slots: int
    """Of its table that are taken in the end."""


def past(view: View) -> Past:
    """What the opponent of *view* has chosen.

    Not told are turns that left it next to nothing to choose: with 20 from the draw (R11), and with
    a table that is full in the end (R16).
    """
    state, me = view.state, view.seat
    them = me.other
    laid = _laid(view)
    choices: list[Choice] = []
    passes: list[Kinds] = []
    won = [0, 0]
    used: _Played = ([], [])
    for result in state.results:
        one = _Set(state.rules, result.opener, result.tables, result.stood)
        choices += one.choices(me, (won[0], won[1]), used, result.number)
        if result.reason in (SetEnd.TIE, SetEnd.TIEBREAKER):
            if lays(state.rules) and result.number not in laid[them]:
                passes.append(tuple(sorted(used[them])))
            for seat in Seat:
                used[seat].extend([TIEBREAKER] * (result.number in laid[seat]))
        if result.winner is not None:
            won[result.winner] += 1
    # (A match that is over shows the tables of its last set once more.)
    if state.opener is not None and state.phase is not Phase.OVER:
        one = _Set(state.rules, state.opener, state.tables, state.stood)
        choices += one.choices(me, (won[0], won[1]), used, len(state.results) + 1)
    return Past(tuple(choices), tuple(passes))


def _laid(view: View) -> tuple[set[int], set[int]]:
    """By seat the finished sets at whose end it laid a tiebreaker. Where both laid one, which tie
    that was is not told: the latest are taken.
    """
    state = view.state
    if not lays(state.rules):
        return set(), set()
    found: tuple[set[int], set[int]] = (set(), set())
    for seat in Seat:
        tables = [result.tables[seat] for result in state.results]
        used = sum(held.played and held.card is Card.TIEBREAKER for held in state.hands[seat])
        used -= sum(
            placed.card is Card.TIEBREAKER
            for table in (*tables, state.tables[seat])
            for placed in table
        )
        alone = [
            result.number
            for result in state.results
            if result.reason is SetEnd.TIEBREAKER and result.winner is seat
        ]
        ties = [result.number for result in state.results if result.reason is SetEnd.TIE]
        both = max(used - state.laid[seat] - len(alone), 0)
        found[seat].update(alone, ties[len(ties) - both :])
    return found


class _Set(NamedTuple):
    """A set, or what has been played of it."""

    rules: Rules
    opener: Seat
    tables: tuple[Table, Table]
    stood: tuple[bool, bool]

    def choices(self, me: Seat, won: tuple[int, int], used: _Played, number: int) -> list[Choice]:
        """Those of the other seat than *me*. The cards of both are added to *used*."""
        them = me.other
        stakes = set_stakes(self.rules, them, self.opener, won, number)
        turns = [_turns(table) for table in self.tables]
        found: list[Choice] = []
        at, mover = [0, 0], self.opener
        while at[mover] < len(turns[mover]):
            turn = turns[mover][at[mover]]
            at[mover] += 1
            if mover is them and turn.total != TARGET and turn.slots < SLOTS:
                mine = turns[me][: at[me]]
                found.append(
                    Choice(
                        stakes,
                        tuple(sorted(used[them])),
                        turn.drawn,
                        turn.total,
                        turn.flipped,
                        max(HAND_SIZE - len(used[me]), 0),
                        mine[-1].made if mine else 0,
                        self.stood[me] and at[me] == len(turns[me]),
                        turn.card,
                        turn.made,
                        self.stood[them] and at[them] == len(turns[them]),
                    )
                )
            if turn.card != NOTHING:
                used[mover].append(turn.card)
            other = mover.other
            if not (self.stood[other] and at[other] == len(turns[other])):
                mover = other
        return found


def _turns(table: Table) -> list[_Turn]:
    """The turns that *table* shows."""
    # As they were when they were placed: flips are undone, the last first (R15).
    values = [placed.value for placed in table]
    for at in reversed(range(len(table))):
        card = table[at].card
        if card is not None and card.flips:
            _flip(values, at, card)
    turns: list[_Turn] = []
    for at, placed in enumerate(table):
        card = placed.card
        if card is None:
            shown = values[: at + 1]
            total = sum(shown)
            turns.append(_Turn(values[at], total, flipped(shown), NOTHING, total, at + 1))
        elif turns:
            if card.flips:
                _flip(values, at, card)
            made = sum(values[: at + 1])
            turns[-1] = turns[-1]._replace(card=card.number - 1, made=made, slots=at + 1)
    return turns


def flipped(values: list[int]) -> tuple[int, int]:
    """What a table of these *values* would come to with a ``2&4`` and with a ``3&6``."""
    first, second = (
        sum(-value if value in flip.flips else value for value in values) for flip in FLIPS
    )
    return first, second


def _flip(values: list[int], before: int, flip: Card) -> None:
    for at in range(before):
        if values[at] in flip.flips:
            values[at] = -values[at]
