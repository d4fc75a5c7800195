"""Who chooses for a seat: the one thing that the pump asks of a bot or a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import trio

    from pazaak_p2p.rules import Action, View
    from pazaak_p2p.wire.events import Event


class Concede(msgspec.Struct, frozen=True):
    """The player gives the match up (R21)."""


class Quit(msgspec.Struct, frozen=True):
    """The player leaves the program; the match, if one is on, is broken off."""


class Claim(msgspec.Struct, frozen=True):
    """The player ends the match, since the other side is away and does not come back (R21)."""


class Say(msgspec.Struct, frozen=True):
    """The player says *text* (1 to 500 characters) to the other side."""

    text: str


Request = Concede | Claim | Quit | Say


class Away(msgspec.Struct, frozen=True):
    """The other side is away from a running match; it is waited for, *seconds* at most.

    It is for the other side to move if the match can be claimed, in *claim_in* seconds; then that
    is told once more, with 0.
    """

    seconds: float
    claim_in: float | None = None


class Instant(Protocol):
    """A player that needs no time: a bot. ``instant`` is True.

    Its choice is taken before anything is sent, so that a whole turn travels as one entry.
    """

    instant: bool

    def choose(self, view: View) -> Action | Concede:
        """One action of ``legal_actions(view.state)``, or :class:`Concede`."""

    def notice(self, event: Event | Away) -> None:
        """Every event of the match, in order, before anything that follows from it."""

    def again(self, choices: Sequence[View]) -> None:
        """A match goes on in which the player was asked *choices* so far, and no more.

        Whoever remembers anything of a match makes up its mind about them once more.
        """


class Link(Protocol):
    """What can be read at any time of the session with the other side; times as trio's clock."""

    @property
    def rtt(self) -> float | None:
        """Seconds to the other side and back; None before that was measured."""

    @property
    def last_heard(self) -> float:
        """When the last message arrived."""

    @property
    def lots_checked(self) -> int:
        """Lots of the match whose shares were both checked."""

    @property
    def turn_clock(self) -> tuple[int, float] | None:
        """The seat whose turn it is and when its time is up; None without a clock (R21)."""


class Thinking(Protocol):
    """A player that takes its time: a person, or a bot in another program. ``instant`` is False."""

    instant: bool

    @property
    def hold(self) -> float:
        """Seconds that the other side may be kept waiting for a choice of this player's.

        Who answers within them has a whole turn travel as one entry.
        """

    @property
    def requests(self) -> trio.MemoryReceiveChannel[Request]:
        """What the player wants beside its choices, at any time."""

    async def ask(self, view: View) -> Action | Concede:
        """One action of ``legal_actions(view.state)``, or :class:`Concede`.

        The pump goes on receiving and pinging meanwhile, and cancels the question when the match
        ends under it.
        """

    def notice(self, event: Event | Away) -> None:
        """Every event of the match, in order. Must not block."""

    def linked(self, link: Link) -> None:
        """A session stands, and *link* tells of it; the one before is over. Must not block."""

    def refused(self, why: str) -> None:
        """What the player wanted to say was not sent: *why*. Must not block."""


Player = Instant | Thinking


class Chooser(Protocol):
    """What a bot is, to the pump."""

    def choose(self, view: View) -> Action | Concede:
        """One action of ``legal_actions(view.state)``, or :class:`Concede`."""


class BotPlayer:
    """A bot at the table, made by *make*: it chooses, and needs to be told nothing."""

    instant = True

    def __init__(self, make: Callable[[], Chooser]) -> None:
        self._make = make
        self.choose = make().choose

    def notice(self, event: Event | Away) -> None:
        """Nothing: the view holds all that a bot needs."""

    def again(self, choices: Sequence[View]) -> None:
        self.choose = self._make().choose
        for view in choices:
            self.choose(view)
