"""A match of real peers: signed, over a real connection of this machine's loopback."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.arena.errors import ArenaFault
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.at_once import NOW, Loopback, Side, play_at_once
from pazaak_p2p.net.player import Instant
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import Kit
from pazaak_p2p.rules import Rules, Seat, SideDeck, Termination
from pazaak_p2p.store import NoRecord
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.record import ARENA

_MOST_NAME: Final = 32


class Sitting(msgspec.Struct, frozen=True):
    """Who sits at the table: names, decks and players, (host, join)."""

    names: tuple[str, str]
    decks: tuple[SideDeck, SideDeck]
    players: tuple[Instant, Instant]


class KeptRecord:
    """A record that is kept in memory."""

    keeps = False
    path: Path | None = None

    def __init__(self) -> None:
        self.data = bytearray()

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        """Nothing."""

    def write(self, data: bytes) -> None:
        self.data += data

    def sync(self) -> None:
        """Nothing."""

    def settle(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


@lru_cache(maxsize=4)
def seat_key(seed: str, seat: int) -> Ed25519PrivateKey:
    """The key of *seat* in all matches of the arena *seed*: of the seat, not of who sits there.

    Keys are part of what lots are drawn from, so the two games of a pair would differ otherwise.
    """
    return Ed25519PrivateKey.from_private_bytes(SeedSecrets(seed, seat).identity())


def play_signed(
    door: Loopback, rules: Rules, sitting: Sitting, seeds: tuple[str, str], record: RecordSink
) -> MatchReport:
    """Play a match to its end; the host's report. *seeds* are those of the arena and the game.

    The host's *record* is written, the joiner's would say the same. Raises
    :class:`~pazaak_p2p.arena.errors.ArenaFault` if our own peers do not get to an end.
    """
    ends = door.connect()
    sides = [
        Side(
            ends[seat],
            Peer(
                key=seat_key(seeds[0], seat),
                role=Role.LISTENER if seat is Seat.HOST else Role.DIALLER,
                name=sitting.names[seat][:_MOST_NAME],
                nonce=secrets.hello(0),
                software=ARENA,
                now=NOW,
            ),
            Kit(sitting.decks[seat], secrets.nonce(0), secrets.match_secret(0), 0),
            sitting.players[seat],
            record if seat is Seat.HOST else NoRecord(),
            rules if seat is Seat.HOST else None,
        )
        for seat in Seat
        for secrets in [SeedSecrets(seeds[1], seat)]
    ]
    try:
        report, _ = play_at_once(*sides)
    except PazaakError as error:
        # A peer that has convicted the other has a report of it.
        for side in sides:
            found = side.report
            if found is not None and found.outcome.termination is Termination.CHEAT:
                return found
        raise ArenaFault(f"A match broke off: {error.what}", why=error.why) from error
    finally:
        for end in ends:
            end.close()
    return report
