"""What a cheat to be tried is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pazaak_p2p.fairness import MatchSecret
from pazaak_p2p.rules import (
    DECKS,
    Copies,
    Phase,
    Rules,
    Seat,
    SideDeck,
    Tiebreaker,
    parse_deck,
)
from pazaak_p2p.wire import messages as m
from pazaak_p2p.wire.terms import Kind
from tests.cheating import Cheater, Trick

BOTH = (Seat.HOST, Seat.JOIN)
STANDARD = Rules()
AT_TIE = Rules(tiebreaker=Tiebreaker.AT_TIE, sets=9)
NO_GOLD = Rules(gold=False)
LIMITED = Rules(copies=Copies.LIMITED)
BREAKERS = parse_deck("+-1T +-1T +-1T +-1T +-1T +-1T +1 +2 -1 -2")
OTHER_BYTES = b"?" * 32
END, STAND, PASS = m.EndTurn(), m.StandNow(), m.PassOn()


class Case(NamedTuple):
    """A cheat to be tried: its code, and all that the cheater needs for it."""

    code: str
    name: str
    trick: Trick
    seats: tuple[Seat, ...] = BOTH
    rules: Rules = STANDARD
    deck: SideDeck = DECKS["hard"]
    splits: tuple[bool, ...] = (False, True)
    points: tuple[int, ...] = (0, 2)
    """Which of its moments are tried: the first is 0."""


def owes(kind: Kind, phase: Phase | None = None) -> Callable[[Cheater], bool]:
    return lambda c: c.owes(kind) and phase in (None, c.state.phase)


def opens(winner: bool) -> Callable[[Cheater], bool]:
    """Our side deck is to be opened, as the winner's or as the loser's."""

    def when(c: Cheater) -> bool:
        outcome = c.state.outcome
        return c.owes(Kind.OPEN) and outcome is not None and (outcome.winner is c.seat) is winner

    return when


def at_tie(c: Cheater) -> bool:
    return c.owes(Kind.ACT) and c.state.phase is Phase.TIE and bool(c.unplayed)


def they_think(c: Cheater) -> bool:
    return c.they_think


def instead(make: Callable[[Cheater], m.Statement]) -> Callable[[Cheater], bytes]:
    """Say this where something else is due."""
    return lambda c: c.entry(make(c))


def after_all(make: Callable[[Cheater], m.Statement]) -> Callable[[Cheater], bytes]:
    """Say all that is due, and then this in the same entry."""

    def what(c: Cheater) -> bytes:
        c.finish()
        return c.entry(make(c))

    return what


def elsewhere(c: Cheater) -> MatchSecret:
    """The same match secret, in another match."""
    return MatchSecret(c.secrets.match_secret(0), OTHER_BYTES, c.seat)


def cases(
    code: str,
    when: Callable[[Cheater], bool],
    whats: dict[str, Callable[[Cheater], bytes]],
    **settings: Any,
) -> Iterable[Case]:
    for name, what in whats.items():
        yield Case(code, name, Trick(when, what), **settings)


def at_the_opening(
    code: str, whats: dict[str, Callable[[Cheater], bytes]], **settings: Any
) -> Iterable[Case]:
    """Cheats instead of opening the side deck, once as the winner and once as the loser."""
    for winner in (True, False):
        who = "by the winner" if winner else "by the loser"
        named = {f"{name}, {who}": what for name, what in whats.items()}
        yield from cases(code, opens(winner), named, points=(0,), splits=(False,), **settings)
