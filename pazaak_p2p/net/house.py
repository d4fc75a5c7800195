"""What a host's door opens to, and what a connection is to its house."""

from __future__ import annotations

from typing import Protocol

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.tls import Line


class Place(Protocol):
    """What one connection has to do with the seat."""

    returns: bool
    """Whether a match is on, so that nobody but its other player can come in."""

    def greeted(self) -> None:
        """It has proven itself a player. Raises ``Busy`` if another has the seat."""

    async def make_way(self) -> None:
        """It is the other player of the match that is on: wait until its old session has ended.

        Raises ``Busy`` if that was the end of the match."""

    def take(self) -> None:
        """Take the seat. Raises ``Busy`` if another has it."""


class House(Protocol):
    """What the door opens to."""

    def receive(self, stream: Line, place: Place, since: float) -> Pump:
        """The pump for a connection that came in at *since*, which its greeting's time counts from.

        What it calls of *place*, and when, see there."""

    def stranger(self, address: str, what: str) -> None:
        """Someone at *address* was no opponent."""

    async def turned_down(self, error: PazaakError) -> None:
        """An opponent came, but no match with it; we wait for the next."""

    async def away(self, pump: Pump, error: PazaakError | None) -> MatchReport | PazaakError:
        """The session of a match has ended, by *error* (None: quietly), and the match can go on.

        Waits for its opponent, if that is to be waited for, and is cancelled when it comes back;
        how the match ends if it does not. Raises ``Left`` if our own player does not want to wait.
        """

    async def finished(self, report: MatchReport | None, error: PazaakError | None) -> bool:
        """A match is over. *error* is what broke it off, if it was. Is there to be another?"""
