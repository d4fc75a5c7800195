"""The public state as bytes (specification, section 9) and its hash (section 3)."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from pazaak_p2p.rules.options import Copies, Nine, Opener, Rules, Tiebreaker
from pazaak_p2p.rules.seats import Seat
from pazaak_p2p.rules.state import Hand, State, Table, Termination

_NONE: Final = 255
_TAG: Final = b"pazaak/1 state"
_RANKS: Final = range(1, 11)

_COPIES: Final = {Copies.UNLIMITED: 0, Copies.LIMITED: 1}
_OPENER: Final = {
    Opener.ALTERNATE: 0,
    Opener.LOSER: 1,
    Opener.WINNER: 2,
    Opener.RANDOM: 3,
    Opener.HOST: 4,
}
_NINE: Final = {Nine.WIN: 0, Nine.STAND: 1}
_TIEBREAKER: Final = {Tiebreaker.PLAYED: 0, Tiebreaker.LAST: 1, Tiebreaker.AT_TIE: 2}
# Abandoned and cheat are never in a digest that is sent: no entry can follow them. They have
# numbers so that every state has its bytes.
_TERMINATION: Final = {
    Termination.NORMAL: 1,
    Termination.CAP: 2,
    Termination.CONCESSION: 3,
    Termination.TIME: 4,
    Termination.ABANDONED: 5,
    Termination.CHEAT: 6,
}


def digest(state: State) -> bytes:
    """``H("state", public state)``, 32 bytes."""
    public = public_bytes(state)
    frame = b"%c%b%b%b" % (len(_TAG), _TAG, len(public).to_bytes(4, "big"), public)
    return sha256(frame).digest()


def public_bytes(state: State) -> bytes:
    """What both sides know of *state*, laid out as the specification's section 9 says.

    The same bytes for every engine that follows the match, whatever hidden cards it knows.
    """
    won, deck, outcome = state.won, state.deck, state.outcome
    laid = state.laid[0] + 2 * state.laid[1]
    return b"".join(
        [
            bytes([state.phase]),
            _rules_bytes(state.rules),
            min(len(state.results), 0xFFFF).to_bytes(2, "big"),
            bytes([*won, _seat_byte(state.opener), _seat_byte(state.mover), state.played, laid]),
            bytes(map(deck.count, _RANKS)),
            _side_bytes(state.stood[0], state.tables[0], state.hands[0]),
            _side_bytes(state.stood[1], state.tables[1], state.hands[1]),
            bytes([0, _NONE])
            if outcome is None
            else bytes([_TERMINATION[outcome.termination], _seat_byte(outcome.winner)]),
        ]
    )


@lru_cache(maxsize=64)
def _rules_bytes(rules: Rules) -> bytes:
    return (
        bytes(
            [
                _COPIES[rules.copies],
                rules.gold,
                _OPENER[rules.opener],
                rules.auto_stand,
                _NINE[rules.nine],
                _TIEBREAKER[rules.tiebreaker],
                rules.sets,
            ]
        )
        + (rules.max_sets or 0).to_bytes(2, "big")
        + (rules.turn_seconds or 0).to_bytes(2, "big")
    )


def _side_bytes(stands: bool, table: Table, hand: Hand) -> bytes:
    out = [stands, len(table)]
    for placed in table:
        card = placed.card
        out += (0 if card is None else card.number, placed.value & 0xFF)  # i8
    out.append(len(hand))
    for held in hand:
        # An unplayed card is hidden here even if this engine knows it.
        card = held.card if held.played else None
        out += (held.position, 0 if card is None else card.number)
    return bytes(out)


def _seat_byte(seat: Seat | None) -> int:
    return _NONE if seat is None else seat
