"""The public state as bytes (specification, section 9) and its hash (section 3)."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from pazaak_p2p.rules.options import Copies, Nine, Opener, Rules, Tiebreaker
from pazaak_p2p.rules.state import Hand, Outcome, State, Table, Termination

_NONE: Final = 255
_FRAMED: Final = b"\x0epazaak/1 state"
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
    return sha256(b"%b%b%b" % (_FRAMED, len(public).to_bytes(4, "big"), public)).digest()


def public_bytes(state: State) -> bytes:
    """What both sides know of *state*, laid out as the specification's section 9 says.

    The same bytes for every engine that follows the match, whatever hidden cards it knows.
    """
    won, laid, sets = state.won, state.laid, len(state.results)
    stood, tables, hands = state.stood, state.tables, state.hands
    opener, mover, outcome = state.opener, state.mover, state.outcome
    # One list, as this is made twice for every entry.
    return b"%c%b%b" % (
        state.phase,
        _rules_bytes(state.rules),
        bytes(
            [
                *divmod(min(sets, 0xFFFF), 256),
                *won,
                _NONE if opener is None else opener,
                _NONE if mover is None else mover,
                state.played,
                laid[0] + 2 * laid[1],
                *_left(state.deck),
                *_side(stood[0], tables[0], hands[0]),
                *_side(stood[1], tables[1], hands[1]),
                *((0, _NONE) if outcome is None else _outcome(outcome)),
            ]
        ),
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


@lru_cache(maxsize=4096)
def _left(deck: bytes) -> bytes:
    return bytes(map(deck.count, _RANKS))


def _side(stands: bool, table: Table, hand: Hand) -> list[int]:
    out = [stands, len(table)]
    for placed in table:
        card = placed.card
        out += (0 if card is None else card.number, placed.value & 0xFF)  # i8
    out.append(len(hand))
    for held in hand:
        # An unplayed card is hidden here even if this engine knows it.
        card = held.card if held.played else None
        out += (held.position, 0 if card is None else card.number)
    return out


def _outcome(outcome: Outcome) -> tuple[int, int]:
    winner = outcome.winner
    return _TERMINATION[outcome.termination], _NONE if winner is None else winner
