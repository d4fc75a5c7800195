"""A match as lines of text, for ``render_mode="ansi"``: both hands face up."""

from __future__ import annotations

from pazaak_p2p.rules import Seat, State, Table


def render(state: State) -> str:
    """*state* in three lines, one of the match and one for each seat."""
    lines = [f"Set {_set_number(state)}, won {state.won[0]}:{state.won[1]}{_end(state)}"]
    for seat in Seat:
        marks = ">" if state.mover is seat else " ", "stands" if state.stood[seat] else ""
        hand = " ".join(str(held.card) for held in state.hands[seat] if not held.played)
        lines.append(
            f"{marks[0]} {seat!s:<4} {state.totals[seat]:>3} {marks[1]:<6}"
            f" | {_cards(state.tables[seat])} | {hand}".rstrip()
        )
    return "\n".join(lines)


def _set_number(state: State) -> int:
    return len(state.results) + (state.outcome is None)


def _end(state: State) -> str:
    if state.outcome is None:
        return ""
    winner = "nobody" if state.outcome.winner is None else str(state.outcome.winner)
    return f", over: {winner} won the match ({state.outcome.termination.value})"


def _cards(table: Table) -> str:
    # Green cards as they are, hand cards with their sign.
    return " ".join(
        str(placed.value) if placed.card is None else f"({placed.value:+d})" for placed in table
    )
