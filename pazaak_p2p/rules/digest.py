"""The public state as bytes (specification, section 9) and its hash (section 3)."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from pazaak_p2p.rules.options import Copies, Nine, Opener, Rules, Tiebreaker
from pazaak_p2p.rules.state import Hand, Outcome, State, Table, Termination

_NONE: Final = 255
_UNDECIDED: Final = bytes((0, _NONE))
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
    return Digester().digest(state)


def public_bytes(state: State) -> bytes:
    """What both sides know of *state*, laid out as the specification's section 9 says.

    The same bytes for every engine that follows the match, whatever hidden cards it knows.
    """
    return Digester().public_bytes(state)


class Digester:
    """The same for the states of one match, one after the other.

    From one to the next the rules are the same, and mostly a side's table and hand; their bytes are
    kept.
    """

    __slots__ = ("_rules", "_rules_bytes", "_sides")

    def __init__(self) -> None:
        self._rules: Rules | None = None
        self._rules_bytes = b""
        self._sides = (_Side(), _Side())

    def digest(self, state: State) -> bytes:
        """As :func:`digest`."""
        public = self.public_bytes(state)
        return sha256(b"%b%b%b" % (_FRAMED, len(public).to_bytes(4, "big"), public)).digest()

    def public_bytes(self, state: State) -> bytes:
        """As :func:`public_bytes`."""
        won, laid, sets = state.won, state.laid, min(len(state.results), 0xFFFF)
        stood, tables, hands = state.stood, state.tables, state.hands
        opener, mover, outcome = state.opener, state.mover, state.outcome
        host, join = self._sides
        if state.rules is not self._rules:
            self._rules, self._rules_bytes = state.rules, _rules_bytes(state.rules)
        return b"%c%b%b%b%b%b%b" % (
            state.phase,
            self._rules_bytes,
            bytes(
                (
                    sets >> 8,
                    sets & 0xFF,
                    won[0],
                    won[1],
                    _NONE if opener is None else opener,
                    _NONE if mover is None else mover,
                    state.played,
                    laid[0] + 2 * laid[1],
                )
            ),
            _left(state.deck),
            host.bytes(stood[0], tables[0], hands[0]),
            join.bytes(stood[1], tables[1], hands[1]),
            _UNDECIDED if outcome is None else _outcome(outcome),
        )


class _Side:
    """The bytes of a seat's side, kept as long as it stays the same."""

    __slots__ = ("_bytes", "_hand", "_stands", "_table")

    def __init__(self) -> None:
        self._stands: bool | None = None
        self._table: Table = ()
        self._hand: Hand = ()
        self._bytes = b""

    def bytes(self, stands: bool, table: Table, hand: Hand) -> bytes:
        # They are frozen, so what is the same object has the same bytes.
        if table is not self._table or hand is not self._hand or stands is not self._stands:
            self._stands, self._table, self._hand = stands, table, hand
            self._bytes = _side(stands, table, hand)
        return self._bytes


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


def _side(stands: bool, table: Table, hand: Hand) -> bytes:
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


def _outcome(outcome: Outcome) -> bytes:
    winner = outcome.winner
    return bytes((_TERMINATION[outcome.termination], _NONE if winner is None else winner))
