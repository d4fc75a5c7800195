"""A seeded match told in lines, with both hands face up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pazaak_p2p.rules import (
    Deal,
    Draw,
    End,
    FirstMove,
    Hand,
    Input,
    Lay,
    Leave,
    Opening,
    Outcome,
    Pass,
    Phase,
    Play,
    Seat,
    SetEnd,
    SetResult,
    Stand,
    State,
    Table,
)
from pazaak_p2p.wire.events import Moved

_WHAT: Final = 22
_WHY: Final = {
    SetEnd.HIGHER: "higher total",
    SetEnd.BUST: "the other busts",
    SetEnd.NINE: "nine cards",
    SetEnd.TIE: "equal totals",
    SetEnd.TIEBREAKER: "equal totals, tiebreaker",
}


def tell_moves(
    moves: Iterable[Moved], names: tuple[str, str], hands: tuple[Hand, Hand]
) -> list[str]:
    """The lines for *moves*; *names* and *hands* (as dealt, as far as known) are (host, join)."""
    teller = _Teller(names, hands)
    for move in moves:
        teller.tell(move)
    return teller.lines


def tell_outcome(outcome: Outcome, won: tuple[int, int], names: tuple[str, str]) -> str:
    """Who won the match and how, in a line."""
    host, join = won
    if outcome.winner is None:
        return f"Nobody wins the match, {host}:{join} ({outcome.termination.value})."
    winner = names[outcome.winner]
    return f"{winner} wins the match, {host}:{join} ({outcome.termination.value})."


class _Teller:
    def __init__(self, names: tuple[str, str], hands: tuple[Hand, Hand]) -> None:
        self.lines: list[str] = []
        self._names = names
        self._hands = hands
        self._width = max(len(name) for name in names)
        self._sets = 0
        self._opener: Seat | None = None

    def tell(self, move: Moved) -> None:
        input_, state = move.input, move.state
        match input_:
            case Deal():
                for seat in Seat:
                    hand = self._hands[seat]
                    cards = " ".join("?" if held.card is None else str(held.card) for held in hand)
                    self.lines.append(f"{self._names[seat]} is dealt {cards}")
            case Opening(host, join):
                cards = f"{self._names[0]} {host}, {self._names[1]} {join}"
                again = " Both draw again." if state.phase is Phase.OPENING else ""
                self.lines.append(f"For the opening: {cards}.{again}")
            case FirstMove(seat):
                self.lines.append(f"By lot {self._names[seat]} opens.")
            case Leave(seat, termination):
                self.lines.append(f"  {self._names[seat]} leaves the match ({termination.value}).")
            case _:
                assert move.seat is not None
                self._act(input_, move.seat, state)

    def _act(self, input_: Input, seat: Seat, state: State) -> None:
        if self._opener is None:
            self._opener = seat
            self.lines += ["", f"Set {self._sets + 1}, {self._names[seat]} opens"]
        finished = state.results[self._sets] if len(state.results) > self._sets else None
        tables, totals, stood = (
            (state.tables, state.totals, state.stood)
            if finished is None
            else (finished.tables, finished.totals, finished.stood)
        )
        what = self._what(input_, seat)
        if isinstance(input_, Draw | Play):
            self._line(seat, f"{what}, stands" if stood[seat] else what, totals[seat], tables[seat])
        else:
            self.lines.append(f"  {self._names[seat]:<{self._width}}  {what}")
        if finished is not None:
            self._set_over(finished, state)

    def _what(self, input_: Input, seat: Seat) -> str:
        match input_:
            case Draw(card):
                return f"draws {card}"
            case Play(_, card, value) if len(card.values) > 1:
                return f"plays {card} as {value:+d}"
            case Play(_, card, _):
                return f"plays {card}"
            case End():
                return "ends the turn"
            case Stand():
                return "stands"
            case Lay():
                return "lays down ±1T"
            case _:
                assert isinstance(input_, Pass)
                return "lays nothing"

    def _line(self, seat: Seat, what: str, total: int, table: Table) -> None:
        # Green cards as they are, hand cards with their sign.
        cards = " ".join(
            str(placed.value) if placed.card is None else f"({_signed(placed.value)})"
            for placed in table
        )
        name = self._names[seat]
        self.lines.append(f"  {name:<{self._width}}  {what:<{_WHAT}} {total:>3} = {cards}")

    def _set_over(self, result: SetResult, state: State) -> None:
        host, join = result.totals
        who = "Nobody" if result.winner is None else self._names[result.winner]
        self.lines.append(
            f"  {who} wins the set, {host}:{join} ({_WHY[result.reason]})."
            f" Sets {state.won[0]}:{state.won[1]}"
        )
        self._sets += 1
        self._opener = None


def _signed(value: int) -> str:
    return f"{value:+d}" if value else "0"  # a flip adds nothing
