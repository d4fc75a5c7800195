"""A recorded match as a row of steps, each with the state after it. Pure.

It is the judge that reads the record, so every step has been checked as ``pazaak verify`` does, and
the row ends where something goes wrong. Both hands are known as far as the record shows them: whole
where the audit opened a side deck, else the cards that were played.

States never change, so going back is looking up an earlier one. The list of finished sets, which
grows with the match, is kept once and not in every state: a match of endless ties (R20) would need
memory by the square of its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from pazaak_p2p.rules import (
    Card,
    Draw,
    FirstMove,
    Hand,
    HandCard,
    Input,
    Seat,
    SetResult,
    SideDeck,
    State,
    View,
    new_match,
    view,
)
from pazaak_p2p.wire.events import Moved
from pazaak_p2p.wire.judge import judge
from pazaak_p2p.wire.messages import Body, Open
from pazaak_p2p.wire.verdict import Verdict


class Opened(Struct, frozen=True, gc=False):
    """A seat has opened its side deck (the audit)."""

    deck: SideDeck


Happening: TypeAlias = Input | Opened | None
"""What makes a step; None for the beginning and for the end, where nothing happens."""


class Step(Struct, frozen=True, gc=False):
    """One step of a recorded match."""

    what: Happening
    seat: Seat | None
    """Who acted, drew or opened; None if nobody did."""
    entry: int | None
    """The entry that brought it; None for what stands in no entry."""
    state: State
    """After it, without the finished sets, and with the hands as both seats saw them."""
    sets: int
    """How many sets are finished."""


class Side(Enum):
    """From where the table is looked at."""

    ABOVE = "above"
    """Both hands are open; the keeper of the record sits below."""
    HOST = "host"
    JOIN = "join"


class Recording:
    """A match to be stepped through, and what its record proves.

    Steps count from 0: that is before the deal. The last one is the end of the record, where the
    verdict stands.
    """

    def __init__(
        self,
        verdict: Verdict,
        steps: Sequence[Step],
        results: tuple[SetResult, ...],
        decks: tuple[SideDeck | None, SideDeck | None],
    ) -> None:
        assert verdict.keeper is not None
        self.verdict = verdict
        self.keeper = verdict.keeper
        self.steps = steps
        self.decks = decks
        """As the audit opened them, (host, join); None for one that was not opened."""
        self._results = results
        hands = steps[-1].state.hands
        self._known = (_known(hands[0], decks[0]), _known(hands[1], decks[1]))
        self.turns = [at for at, step in enumerate(steps) if type(step.what) is Draw]
        """The steps with which turns begin: green cards that were drawn (R7)."""
        self.sets = _set_starts(steps)
        """The step with which each set begins."""

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1

    def state(self, at: int) -> State:
        """The state after step *at*, with all that the record shows of the hands."""
        step = self.steps[at]
        host, join = step.state.hands
        return replace(
            step.state,
            decks=self.decks,
            hands=(_shown(host, self._known[0]), _shown(join, self._known[1])),
            results=self._results[: step.sets],
        )

    def seen(self, at: int, side: Side) -> View:
        """The state after step *at* as it is seen from *side*."""
        if side is Side.ABOVE:
            return View(self.keeper, self.state(at))
        return view(self.state(at), self.below(side))

    def below(self, side: Side) -> Seat:
        """Who sits below when the table is looked at from *side*."""
        return {Side.ABOVE: self.keeper, Side.HOST: Seat.HOST, Side.JOIN: Seat.JOIN}[side]

    def result(self, at: int) -> SetResult | None:
        """The set that step *at* has ended."""
        sets = self.steps[at].sets
        before = self.steps[at - 1].sets if at else 0
        return self._results[sets - 1] if sets > before else None


def read_recording(chunks: Iterable[bytes]) -> Recording:
    """The match in a record, up to where the record goes wrong, if it does.

    Raises the ``RecordProblem`` of a record that has no match at all.
    """
    collected = _Collected()
    verdict = judge(chunks, collected.hear)
    if not verdict.match_id:
        assert verdict.problem is not None
        raise verdict.problem
    assert verdict.rules is not None
    start = Step(None, None, None, new_match(verdict.rules), 0)
    before = collected.steps[-1] if collected.steps else start
    end = Step(None, None, None, before.state, before.sets)
    host, join = collected.decks
    return Recording(verdict, [start, *collected.steps, end], collected.results, (host, join))


class _Collected:
    """What the judge tells of a record."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.results: tuple[SetResult, ...] = ()
        self.decks: list[SideDeck | None] = [None, None]

    def hear(self, body: Body | None, moves: list[Moved]) -> None:
        entry = None if body is None else body.n
        for moved in moves:
            self.results = moved.state.results
            state = replace(moved.state, results=())
            self.steps.append(Step(moved.input, moved.seat, entry, state, len(self.results)))
        if body is None:
            return
        for said in body.say:
            if isinstance(said, Open):
                deck = tuple(said.deck)
                self.decks[body.by] = deck
                last = self.steps[-1]
                opened = Step(Opened(deck), Seat(body.by), entry, last.state, last.sets)
                self.steps.append(opened)


def _known(hand: Hand, deck: SideDeck | None) -> dict[int, Card | None]:
    """The cards of a seat by their positions, as far as the record shows them."""
    if deck is not None:
        return dict(enumerate(deck))
    return {held.position: held.card for held in hand}


def _shown(hand: Hand, known: dict[int, Card | None]) -> Hand:
    return tuple([HandCard(held.position, known[held.position], held.played) for held in hand])


def _set_starts(steps: Sequence[Step]) -> list[int]:
    starts: list[int] = []
    for at, step in enumerate(steps):
        if step.sets == len(starts) and isinstance(step.what, Draw | FirstMove):
            starts.append(at)
    return starts
