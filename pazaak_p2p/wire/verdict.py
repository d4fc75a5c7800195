"""What a record proves, what is only its keeper's word, and what is wrong with it.

Only signatures prove anything (specification, sections 10 to 12). So a verdict keeps apart how the
match ended by what its players signed (``proven``) and how it ended by what the keeper of the
record wrote at its end (``claimed``), which nobody else can check.
"""

from __future__ import annotations

import inspect
from typing import Final

from msgspec import Struct

from pazaak_p2p.errors import Exit, PazaakError
from pazaak_p2p.rules import Outcome, Rules, Seat, Termination
from pazaak_p2p.wire import cheats, errors
from pazaak_p2p.wire.messages import ByeReason, Player, RecordEnd
from pazaak_p2p.wire.terms import Due, Kind

# --- files that are no record, or not a sound one


class RecordProblem(PazaakError):
    """This cannot be read as the record of a match."""

    code = "record"
    exit_code = Exit.USAGE
    why = "A record (*.pzk) is written by 'pazaak play', 'host' and 'join'."
    next = "Name the record of a match, such as those in the folder matches/."
    refusal = ""
    """The code of the specification, section 11, for what cannot be in a record."""


class NoRecord(RecordProblem):
    """This is no record of a match."""

    code = "no-record"
    why = "A record (*.pzk) begins with a header that says so; this begins otherwise."


class EmptyRecord(NoRecord):
    """The file is empty."""

    code = "empty"
    why = "Not even the header of a record is there; nothing was ever written to it."


class TooLarge(RecordProblem):
    """This is too large to be the record of a match."""

    code = "too-large"


class CutShort(RecordProblem):
    """The record breaks off before its match begins."""

    code = "cut-short"
    exit_code = Exit.PEER_LOST
    why = "The program that wrote it was stopped at once, or the file was cut."
    next = "Ask the other player for the record of the match, which may be whole."


class NewerRecord(RecordProblem):
    """This is a record of a newer pazaak."""

    code = "version"
    exit_code = Exit.MISFIT
    next = "Update your copy of pazaak."


class DifferentMatches(RecordProblem):
    """These are not records of one match."""

    code = "different-matches"
    why = "Their rules, players or nonces differ, or one of them has no match."
    next = "Verify each of them by itself."


class Unsound(RecordProblem):
    """The record is not as a record must be.

    *refusal* is what is wrong, *entry* how many entries stand before it.
    """

    code = "unsound"
    why = (
        "The file was altered, damaged or made up. Whoever has it can do that: it convicts nobody."
    )
    next = "Ask the other player for the record of the match, and verify both together."

    def __init__(self, refusal: errors.Refusal, entry: int) -> None:
        self.refusal = refusal.code
        self.entry = entry
        what = _REFUSED.get(refusal.code, "something that cannot be there")
        super().__init__(f"After {entry} entries comes {what} ({refusal.code}).")


_REFUSED: Final = {
    "garbage": "something that is no message",
    "oversized": "something that is larger than any message",
    "too-deep": "something that is nested more deeply than any message",
    "malformed": "a message of a wrong shape",
    "unexpected": "a message that cannot come there",
    "identity": "a player's key that anybody can sign for",
    "bad-signature": "a message that is not signed by the player in whose name it is",
    "broken-chain": "a message that does not continue what went before",
}


# --- the verdict


class Conviction(Struct, frozen=True):
    """A cheat that is proven: its code (section 11), who, and at which entry."""

    code: str
    seat: Seat
    entry: int
    what: str
    """What it means, in plain words."""
    detail: str
    """More of this case; can be empty."""


def convict(cheat: cheats.Cheat) -> Conviction:
    """What *cheat* is in a verdict."""
    plain = type(cheat)(cheat.seat, cheat.entry)
    detail = cheat.what[len(plain.what) :].removeprefix(": ")
    meaning = inspect.cleandoc(type(cheat).__doc__ or "")
    return Conviction(cheat.code, cheat.seat, cheat.entry, meaning, detail)


class Verdict(Struct, frozen=True, kw_only=True):
    """What one record, or several of one match together, prove.

    Pairs are (host, join). Where ``problem`` is set, the rest tells of what stands before it.
    """

    match_id: bytes = b""
    """Empty if there is no match: then only ``problem`` counts."""
    rules: Rules | None = None
    players: tuple[Player, Player] | None = None
    """The keys, for which everything is proven, and the names by the keeper's word; raw, to be
    shown through ``printable``."""
    keeper: Seat | None = None
    """Who kept the record, by the keeper's own word; None for several records."""
    began: int = 0
    """Unix time in seconds, by the keeper's word; 0 if that is not known."""
    entries: int = 0
    head: bytes = b""
    lots: int = 0
    """Lots of which both shares were checked."""
    cards: int = 0
    """Hand cards that were opened: as they were played, or all four by the audit."""
    moves: int = 0
    """Acts: cards played or laid, turns ended, stands, passes."""
    sets: tuple[int, int] = (0, 0)
    """Sets won."""
    proven: Outcome | None = None
    """How the match ended by what is signed; None if it did not."""
    opened: tuple[bool, bool] = (False, False)
    """Who opened its side deck after the match (the audit)."""
    cheat: Conviction | None = None
    claim: Seat | None = None
    """Who has claimed the match, since the other did not come back; that the other was away is its
    word, but signed."""
    missing: Due | None = None
    """Whose statement comes next, and of which kind, where nothing more comes."""
    end: RecordEnd | None = None
    """How its keeper says that the match ended."""
    contradiction: str = ""
    """What the keeper says and what cannot be."""
    torn: bool = False
    """The last object is not all there, and is left out."""
    problem: RecordProblem | None = None

    @property
    def complete(self) -> bool:
        """Both have opened: nothing more can be said."""
        return self.opened == (True, True)

    @property
    def decided(self) -> bool:
        """Nothing that is missing could change who won.

        The winner must have opened, after a drawn match both.
        """
        if self.proven is None:
            return False
        winner = self.proven.winner
        must = Seat if winner is None else (winner,)
        return self.cheat is not None or all(self.opened[seat] for seat in must)

    @property
    def claimed(self) -> Outcome | None:
        """How it ended by the keeper's word alone; None if that adds nothing, or cannot be."""
        if self.end is None or self.contradiction or self.problem is not None:
            return None
        said = _outcome(self.end)
        return None if said == self.proven else said


def after_cheat(outcome: Outcome | None, opened: tuple[bool, bool], cheater: Seat) -> Outcome:
    """The outcome once *cheater* is convicted: it loses, if it has not lost already."""
    other = cheater.other
    if outcome is not None and outcome.winner is other and opened[other]:
        return outcome
    return Outcome(Termination.CHEAT, other)


# --- the keeper's word (section 12, end map)


_BY_SILENCE: Final = (cheats.WillNotReveal.code, cheats.WillNotOpen.code)
CLAIM: Final = "claim"
"""What broke the match off if it was claimed."""
_LEAVING: Final = ("done", "busy", "declined", "interrupted")
"""Reasons of a goodbye by which its sender gives up the match."""
_CONCEDED: Final = (Termination.CONCESSION, Termination.TIME)


def _codes(base: type[errors.RemoteError]) -> set[str]:
    found = {cls for cls in [*vars(errors).values(), *vars(cheats).values()] if type(cls) is type}
    return {cls.code for cls in found if issubclass(cls, base) and not cls.__subclasses__()}


_CHEATS: Final = frozenset(_codes(cheats.Cheat)) - frozenset(_BY_SILENCE)
_KNOWN: Final = frozenset(
    {"", "closed", "turn_seconds", CLAIM}
    | _codes(errors.RemoteError)
    | {reason.value for reason in ByeReason}
)
_TERMINATIONS: Final = frozenset(member.value for member in Termination)


def check_end(end: RecordEnd) -> None:
    """Raises ``Malformed`` if the keeper uses words that do not exist."""
    if end.termination not in _TERMINATIONS or end.code not in _KNOWN:
        raise errors.Malformed


def _outcome(end: RecordEnd) -> Outcome:
    winner = None if end.winner is None else Seat(end.winner)
    return Outcome(Termination(end.termination), winner)


class Word(Struct, frozen=True):
    """A keeper's word about the end of a match."""

    keeper: Seat
    end: RecordEnd

    def refuted_by(self, verdict: Verdict) -> str:
        """What of it cannot be, by what is proven; empty if all of it can."""
        end, said = self.end, _outcome(self.end)
        if end.opened != verdict.opened:
            return "It is wrong about who opened the side deck."
        if verdict.cheat is not None:
            if (said, end.code) == (verdict.proven, verdict.cheat.code):
                return ""
            return "It does not tell of the cheat that is proven."
        if verdict.claim is not None or end.code == CLAIM:
            return self._not_claimed_so(verdict, said)
        if end.code in _CHEATS:
            return f"It tells of a cheat ({end.code}) that no entry shows."
        if end.code in _BY_SILENCE:
            if self._fell_silent(verdict, said):
                return ""
            return f"It tells of a silence ({end.code}) where nothing of that kind was due."
        if said.termination is Termination.CHEAT:
            return "It tells of a cheat, but not of which."
        if end.code == "turn_seconds" and said.termination is not Termination.TIME:
            return "It tells of a time that ran out, and yet of another end."
        if said.termination is Termination.ABANDONED:
            return self._not_left_so(verdict, said)
        if said.termination is Termination.TIME and self._out_of_time(verdict, said):
            return ""
        if said != verdict.proven:
            return f"It says {describe_outcome(said)}, which is not what was played."
        if not verdict.decided and said.termination not in _CONCEDED:
            return f"It says {describe_outcome(said)}, which rests on a side deck that is missing."
        return ""

    def _not_left_so(self, verdict: Verdict, said: Outcome) -> str:
        """Why the match cannot have been abandoned so; empty if it can. Who left is not proven."""
        proven, code = verdict.proven, self.end.code
        if proven is None:
            if (code in _LEAVING) is (said.winner is not None):
                return ""
            if said.winner is None:
                return f"It says that somebody left ({code}), and yet that nobody lost by it."
            return "It says that the match was abandoned, and yet that somebody won."
        if verdict.decided or proven.termination in _CONCEDED:
            return "It says that the match was abandoned, which had ended before."
        due = verdict.missing
        if due is not None and said.winner is due.seat.other:
            return ""
        return "It says that the match was abandoned, but not lost by who owed its side deck."

    def _not_claimed_so(self, verdict: Verdict, said: Outcome) -> str:
        if verdict.claim is None:
            return "It tells of a claim that does not stand there, or does not count."
        if (said, self.end.code) != (Outcome(Termination.ABANDONED, verdict.claim), CLAIM):
            return "It does not tell of the claim that stands there."
        return ""

    def _fell_silent(self, verdict: Verdict, said: Outcome) -> bool:
        due = verdict.missing
        if due is None or due.seat is self.keeper:
            return False
        if self.end.code == cheats.WillNotReveal.code:
            fits = due.kind in (Kind.COMMIT, Kind.REVEAL)
        else:
            fits = due.kind is Kind.OPEN
            if verdict.decided:  # a loser changes nothing by it (section 10)
                return fits and said == verdict.proven
        return fits and said == Outcome(Termination.CHEAT, self.keeper)

    def _out_of_time(self, verdict: Verdict, said: Outcome) -> bool:
        # Without a concession, the one who waited says so: an act must be due from the other.
        due, rules = verdict.missing, verdict.rules
        if verdict.proven is not None or rules is None or rules.turn_seconds is None:
            return False
        return due is not None and due.kind is Kind.ACT and due.seat.other is said.winner


def describe_outcome(outcome: Outcome) -> str:
    """An outcome in a few words, by seat: ``normal, the host won``."""
    winner = "nobody won" if outcome.winner is None else f"the {_SEATS[outcome.winner]} won"
    return f"'{outcome.termination.value}', {winner}"


_SEATS: Final[tuple[str, str]] = ("host", "joiner")
