"""How the two seats come into a match."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol

import msgspec
import trio

from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Busy, DeckRefused, NotOpen, RulesDiffer, WrongOpponent
from pazaak_p2p.rules import DeckError, Rules, SideDeck, check_deck, describe
from pazaak_p2p.wire import Peer
from pazaak_p2p.wire.errors import Unexpected
from pazaak_p2p.wire.events import Greeted, Offered, ResumeAsked
from pazaak_p2p.wire.messages import DeclineReason
from pazaak_p2p.wire.resuming import Interrupted

Later = Callable[[], Awaitable[None]]
"""Waits for something, and raises as whoever gave it would have."""


class Seating(Protocol):
    """How a seat comes into a match: what it answers to a greeting and to an offer.

    Both may raise a ``PazaakError``, which ends the session with a goodbye.
    """

    from_the_start: bool
    """Whether our player is at the table, and may leave it, before the greeting."""
    seated: bool
    """Whether our player is at the table in this session, to be told of what happens in it."""

    def greeted(self, peer: Peer, event: Greeted) -> Later | None:
        """The session stands. What is still to be waited for before our player sits down."""

    def offered(self, peer: Peer, event: Offered) -> None:
        """The other side offers a match."""

    def begins(self) -> None:
        """The other side has accepted our offer, or we have accepted its."""

    def resume_asked(self, peer: Peer, event: ResumeAsked) -> None:
        """The other side wants to go on with a match."""


DOUBT_SECONDS: Final = 100.0
"""How long one who has greeted can be kept waiting for an offer: each side gives up after 120."""


class Kit(msgspec.Struct, frozen=True):
    """What a seat brings to one match; ``nonce`` and ``secret`` are 32 fresh random bytes each."""

    deck: SideDeck
    nonce: bytes
    secret: bytes
    began: int
    """Unix time in whole seconds for the record; 0 in seeded matches."""


Find = Callable[[bytes, bytes], Interrupted | None]
"""Given a match id and the key of who asks for that match: the match as our seat left it, None if
there is none. Raises a ``PazaakError`` that tells why it cannot go on."""

Welcome = Callable[[Greeted], None]
"""Looks at who has proven its key, and raises a ``PazaakError`` if it gets no match."""


class HostSeating:
    """Offers *rules* to everybody who greets, and plays with the first who accepts.

    When a session stands, *welcome* may raise what speaks against this player, who is made no offer
    then; *bring* gives what the seat brings. When the offer is accepted, *claim* takes the seat, or
    raises ``Busy``. *find* gives a match that the other side wants to go on with, if the seat can
    be taken for it. What *doubt* gives for an error of *welcome* may take that back within
    :data:`DOUBT_SECONDS`: then this player is welcomed again.
    """

    from_the_start = False

    def __init__(
        self,
        rules: Rules,
        bring: Callable[[], Kit],
        welcome: Welcome = lambda event: None,
        find: Find = lambda match_id, key: None,
        claim: Callable[[], None] = lambda: None,
        doubt: Callable[[PazaakError], Later | None] = lambda error: None,
    ) -> None:
        self._rules = rules
        self._bring = bring
        self._welcome = welcome
        self._find = find
        self._doubt = doubt
        self._claim = claim
        self.seated = False

    def greeted(self, peer: Peer, event: Greeted) -> Later | None:
        try:
            self._welcome(event)
        except PazaakError as error:
            settled = self._doubt(error)
            if settled is None:
                raise
            return partial(self._offer_later, peer, event, settled)
        self._offer(peer)
        return None

    async def _offer_later(self, peer: Peer, event: Greeted, settled: Later) -> None:
        await settled()
        self._welcome(event)
        self._offer(peer)

    def _offer(self, peer: Peer) -> None:
        kit = self._bring()
        peer.offer(self._rules, kit.nonce, kit.secret, kit.deck, trio.current_time(), kit.began)

    def begins(self) -> None:
        self._claim()
        self.seated = True

    def offered(self, peer: Peer, event: Offered) -> None:
        # The peer takes an offer from either side; who hosts here is agreed by who dialled.
        raise Unexpected(why="It offered a match to the host, who makes the offers.")

    def resume_asked(self, peer: Peer, event: ResumeAsked) -> None:
        _go_on(peer, event, self._find)
        self.seated = True


class JoinSeating:
    """Takes the offer if it is by the *wanted* rules (None: any) and *kit*'s deck suits them.

    *welcome* is called when a session stands, and may raise what speaks against this player;
    *find* gives a match that the other side wants to go on with.
    """

    from_the_start = True

    def __init__(
        self,
        wanted: Rules | None,
        kit: Kit,
        welcome: Welcome = lambda event: None,
        find: Find = lambda match_id, key: None,
    ) -> None:
        self._wanted = wanted
        self._kit = kit
        self._welcome = welcome
        self._find = find
        self.seated = False

    def greeted(self, peer: Peer, event: Greeted) -> None:
        self._welcome(event)  # the host speaks next
        self.seated = True

    def begins(self) -> None:
        """We have a seat."""

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

    def resume_asked(self, peer: Peer, event: ResumeAsked) -> None:
        _go_on(peer, event, self._find)


class ResumeSeating:
    """Goes on with the match of this id with the player of this *key*, and with nobody else.

    *take* is called when that one has come; it gives the match as our seat left it, or raises
    ``Busy``.
    """

    def __init__(
        self,
        match_id: bytes,
        key: bytes,
        take: Callable[[], Interrupted],
        *,
        from_the_start: bool = True,
    ) -> None:
        self.from_the_start = from_the_start
        self.match_id = match_id
        self._key = key
        self._take = take
        self.seated = False

    def greeted(self, peer: Peer, event: Greeted) -> None:
        if event.key != self._key:
            raise WrongOpponent
        interrupted = self._take()
        self.seated = True
        peer.resume(interrupted, trio.current_time())

    def begins(self) -> None:
        raise AssertionError("a new match has no place here")

    def offered(self, peer: Peer, event: Offered) -> None:
        raise Unexpected(why="It offered a match while another waits to go on.")

    def resume_asked(self, peer: Peer, event: ResumeAsked) -> None:
        raise Unexpected(why="It asked for a match that is going on already.")


class ReturnSeating:
    """For who comes while a match is on: its other player, whose old line may be dead.

    That one has this *key*, and asks for the match of this id; everybody else is told that we are
    busy. Then *make_way* ends the session of the old line, and *take* gives the match as our seat
    left it; both raise ``Busy`` if that match is over.
    """

    from_the_start = False

    def __init__(
        self,
        match_id: bytes,
        key: bytes,
        make_way: Callable[[], Awaitable[None]],
        take: Callable[[], Interrupted],
    ) -> None:
        self._match_id = match_id
        self._key = key
        self._make_way = make_way
        self._take = take
        self.seated = False

    def greeted(self, peer: Peer, event: Greeted) -> None:
        if event.key != self._key:
            raise Busy

    def begins(self) -> None:
        raise AssertionError("a new match has no place here")

    def offered(self, peer: Peer, event: Offered) -> None:
        raise Busy

    async def make_way(self, event: ResumeAsked) -> None:
        """End the session of the old line, if it is for this match that the other side asks."""
        if event.match_id != self._match_id:
            raise Busy
        await self._make_way()

    def resume_asked(self, peer: Peer, event: ResumeAsked) -> None:
        interrupted = self._take()
        self.seated = True
        peer.resume(interrupted, trio.current_time())


class BusySeating:
    """For who comes too late: the seat is taken, or what it has come for is over."""

    from_the_start = False
    seated = False

    def greeted(self, peer: Peer, event: Greeted) -> None:
        raise Busy

    def begins(self) -> None:
        raise AssertionError("there is no match here")

    def offered(self, peer: Peer, event: Offered) -> None:
        raise Busy

    def resume_asked(self, peer: Peer, event: ResumeAsked) -> None:
        raise Busy


def _go_on(peer: Peer, event: ResumeAsked, find: Find) -> None:
    """Go on with the match that the other side asks for, if it is open here."""
    assert peer.remote is not None
    try:
        interrupted = find(event.match_id, peer.remote.key)
    except Busy:
        raise
    except PazaakError as trouble:
        peer.decline(DeclineReason.UNKNOWN)
        raise NotOpen(
            "The other player wants to go on with a match that cannot go on here.",
            why=f"{trouble.what} {trouble.why}",
            next=trouble.next,
        ) from trouble
    if interrupted is not None:
        peer.resume(interrupted, trio.current_time())
        return
    peer.decline(DeclineReason.UNKNOWN)
    raise NotOpen(
        "The other player wants to go on with a match that is not open here.",
        why="It was played to its end here, or given up, or kept by another user or machine.",
        next="Wait for them with 'pazaak resume' if you have it still: 'pazaak resume --list'.",
    )
