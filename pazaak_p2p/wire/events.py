"""What a peer tells the program that drives it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from pazaak_p2p.rules import Input, Outcome, Rules, Seat, State, View


class CodeTried(Struct, frozen=True):
    """The other side, which dialled, has tried a join code; answer with ``try_code``.

    Until then it is told nothing.
    """


class Greeted(Struct, frozen=True):
    """The session stands. *name* is as the other side wrote it: show it through ``printable``."""

    name: str
    key: bytes
    software: str


class Offered(Struct, frozen=True):
    """The other side offers a match; answer with ``accept`` or ``decline``."""

    rules: Rules


class Declined(Struct, frozen=True):
    """The other side does not take our offer."""

    reason: str
    text: str


class Started(Struct, frozen=True):
    """A match has begun; *seat* is ours."""

    match_id: bytes
    seat: Seat
    rules: Rules


class ResumeAsked(Struct, frozen=True):
    """The other side wants to go on with a match; answer with ``resume`` or ``decline``."""

    match_id: bytes


class Moved(Struct, frozen=True, gc=False):
    """The game moved by *input*, ours or theirs.

    *seat* is who acted or drew (None for the deal, the opening and its like), *state* is what our
    seat knows after it.
    """

    input: Input
    seat: Seat | None
    state: State


class Resumed(Struct, frozen=True):
    """A match goes on; *seat* is ours.

    *state* is what our seat knew of it when it was broken off. *choices* are the choices that were
    ours until then, in order: a bot that is asked them again is where it was. *moves* are what
    happened in the game until then, for whoever was not told.
    """

    match_id: bytes
    seat: Seat
    rules: Rules
    state: State
    choices: tuple[View, ...]
    moves: tuple[Moved, ...] = ()


class Choose(Struct, frozen=True, gc=False):
    """Our seat has a choice; answer with ``act``. Not repeated."""

    view: View


class Ended(Struct, frozen=True):
    """The match is over, and so is its audit.

    *opened* tells which side decks (host, join) were shown; *head* is the final head of the
    transcript, 32 bytes. If *resumable*, that is only how it stands: the line broke, or the other
    side leaves for now, and there is more to say.
    """

    outcome: Outcome
    opened: tuple[bool, bool]
    head: bytes
    resumable: bool = False
    claimed: bool = False
    """Whether the winner has claimed it, since the other seat did not come back."""


class Chatted(Struct, frozen=True):
    """The other side says something; show it through ``printable``."""

    text: str


class Left(Struct, frozen=True):
    """The other side says that it closes the line, and why."""

    reason: str
    text: str


class Closed(Struct, frozen=True):
    """The line is closed."""


Event: TypeAlias = (
    CodeTried
    | Greeted
    | Offered
    | Declined
    | Started
    | ResumeAsked
    | Resumed
    | Moved
    | Choose
    | Ended
    | Chatted
    | Left
    | Closed
)
