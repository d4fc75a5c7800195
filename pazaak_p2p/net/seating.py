"""How the two seats come into a match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec
import trio

from pazaak_p2p.net.errors import DeckRefused, RulesDiffer
from pazaak_p2p.rules import DeckError, Rules, SideDeck, check_deck, describe
from pazaak_p2p.wire import Peer
from pazaak_p2p.wire.errors import Unexpected
from pazaak_p2p.wire.events import Greeted, Offered
from pazaak_p2p.wire.messages import DeclineReason


class Seating(Protocol):
    """How a seat comes into a match: what it answers to a greeting and to an offer.

    Both may raise a ``PazaakError``, which ends the session with a goodbye.
    """

    from_the_start: bool
    """Whether our player is at the table, and may leave it, before the greeting."""

    def greeted(self, peer: Peer, event: Greeted) -> None:
        """The session stands."""

    def offered(self, peer: Peer, event: Offered) -> None:
        """The other side offers a match."""


class Kit(msgspec.Struct, frozen=True):
    """What a seat brings to one match; ``nonce`` and ``secret`` are 32 fresh random bytes each."""

    deck: SideDeck
    nonce: bytes
    secret: bytes
    began: int
    """Unix time in whole seconds for the record; 0 in seeded matches."""


Welcome = Callable[[Greeted], None]
"""Looks at who has proven its key, and raises a ``PazaakError`` if it gets no match."""


class HostSeating:
    """Offers *rules* to whoever greets first.

    *claim* is called when a session stands; it gives what the seat brings, or raises ``Busy``.
    Then *welcome* may raise what speaks against this player, who is made no offer then.
    """

    from_the_start = False

    def __init__(
        self, rules: Rules, claim: Callable[[], Kit], welcome: Welcome = lambda event: None
    ) -> None:
        self._rules = rules
        self._claim = claim
        self._welcome = welcome

    def greeted(self, peer: Peer, event: Greeted) -> None:
        kit = self._claim()
        self._welcome(event)
        peer.offer(self._rules, kit.nonce, kit.secret, kit.deck, trio.current_time(), kit.began)

    def offered(self, peer: Peer, event: Offered) -> None:
        # The peer takes an offer from either side; who hosts here is agreed by who dialled.
        raise Unexpected(why="It offered a match to the host, who makes the offers.")


class JoinSeating:
    """Takes the offer if it is by the *wanted* rules (None: any) and *kit*'s deck suits them.

    *welcome* is called when a session stands, and may raise what speaks against this player.
    """

    from_the_start = True

    def __init__(
        self, wanted: Rules | None, kit: Kit, welcome: Welcome = lambda event: None
    ) -> None:
        self._wanted = wanted
        self._kit = kit
        self._welcome = welcome

    def greeted(self, peer: Peer, event: Greeted) -> None:
        self._welcome(event)  # the host speaks next

    def offered(self, peer: Peer, event: Offered) -> None:
        offered = describe(event.rules)
        if self._wanted is not None and self._wanted != event.rules:
            wanted = describe(self._wanted)
            peer.decline(DeclineReason.RULES, f"asked for {wanted}, was offered {offered}")
            raise RulesDiffer(
                "The host plays by other rules than you asked for.",
                why=f"You asked for: {wanted}. The host plays: {offered}.",
                next=f"Join without --rules, or with --rules {offered}",
            )
        kit = self._kit
        try:
            check_deck(kit.deck, event.rules)
        except DeckError as error:
            peer.decline(DeclineReason.DECK, error.what)
            raise DeckRefused(
                "Your side deck cannot be played by the host's rules.",
                why=f"{error.what} {error.why} The host plays: {offered}.",
                next="Join with another --deck.",
            ) from error
        peer.accept(kit.nonce, kit.secret, kit.deck, trio.current_time(), kit.began)
