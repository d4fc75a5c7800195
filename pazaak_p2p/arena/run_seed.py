"""Playing a seeded match: two real peers over a real loopback connection."""

from __future__ import annotations

from typing import Final

import msgspec
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.arena.narrate import tell_moves, tell_outcome
from pazaak_p2p.arena.seeds import SeededMatch, SeededSeat
from pazaak_p2p.arena.signed import KeptRecord
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.dial import CONNECT_SECONDS, dial_plain
from pazaak_p2p.net.errors import TimedOut
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.pair import run_both
from pazaak_p2p.net.player import BotPlayer
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating, JoinSeating, Kit
from pazaak_p2p.rules import Hand, Seat, describe, format_deck
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.events import Event, Moved

SOFTWARE: Final = "pazaak-p2p seeds"
"""The name of the software in a seeded record: without a version, which would change the record."""


class SeedRun(msgspec.Struct, frozen=True):
    """A seeded match that was played. Pairs are (host, join)."""

    records: tuple[bytes, bytes]
    """As each seat kept it. The host's is the one that ``expected.pzk`` holds."""
    text: str
    """The match told in lines, as in ``expected.txt``."""
    reports: tuple[MatchReport, MatchReport]


async def run_seed(match: SeededMatch) -> SeedRun:
    """Play *match* to its end.

    Raises ``ScriptError`` if a script does not fit what happens, and the errors of :mod:`net`.
    """
    (listener,) = await listen(0, "127.0.0.1")
    port = listener.socket.getsockname()[1]
    async with listener:
        dialled = await dial_plain(Address("127.0.0.1", port))
        accepted = None
        with trio.move_on_after(CONNECT_SECONDS):
            accepted = await listener.accept()
    if accepted is None:
        await trio.aclose_forcefully(dialled)
        raise TimedOut("This machine did not connect to itself.")
    host = _Seat(match.host, Seat.HOST)
    join = _Seat(match.join, Seat.JOIN)
    host_pump = host.pump(accepted, HostSeating(match.rules, host.kit))
    join_pump = join.pump(dialled, JoinSeating(match.rules, join.kit()))
    reports = await run_both(host_pump, join_pump)
    hands = host.hand(), join.hand()
    return SeedRun(
        (bytes(host.record.data), bytes(join.record.data)),
        _tell(match, host.moves, hands, reports[0]),
        reports,
    )


class _Seat:
    """One side of a seeded match at the table."""

    def __init__(self, seated: SeededSeat, seat: Seat) -> None:
        self._seated = seated
        self._seat = seat
        self._secrets = SeedSecrets(seated.seed, seat)
        self.record = KeptRecord()
        self.moves: list[Moved] = []

    def kit(self) -> Kit:
        return Kit(self._seated.deck, self._secrets.nonce(0), self._secrets.match_secret(0), 0)

    def pump(self, stream: trio.abc.Stream, seating: HostSeating | JoinSeating) -> Pump:
        peer = Peer(
            key=Ed25519PrivateKey.from_private_bytes(self._secrets.identity()),
            role=Role.LISTENER if self._seat is Seat.HOST else Role.DIALLER,
            name=self._seated.name,
            nonce=self._secrets.hello(0),
            software=SOFTWARE,
            now=trio.current_time(),
        )
        player = BotPlayer(lambda: self._seated.make(self._secrets.bot(0)))
        return Pump(stream, peer, self._seated.name, seating, player, self.record, [self._watch])

    def _watch(self, event: Event) -> None:
        if isinstance(event, Moved):
            self.moves.append(event)

    def hand(self) -> Hand:
        """Its own cards as dealt."""
        return self.moves[0].state.hands[self._seat]


def _tell(
    match: SeededMatch, moves: list[Moved], hands: tuple[Hand, Hand], report: MatchReport
) -> str:
    names = match.host.name, match.join.name
    lines = [
        match.title,
        f"Rules: {describe(match.rules)}",
        f"{names[0]} hosts with {format_deck(match.host.deck)}",
        f"{names[1]} joins with {format_deck(match.join.deck)}",
        "",
        *tell_moves(moves, names, hands),
        "",
        tell_outcome(report.outcome, report.won, names),
        f"Lots: {report.lots}",
        f"Match: {report.match_id.hex()}",
        f"Head:  {report.head.hex()}",
    ]
    return "\n".join(lines) + "\n"
