"""Whole matches for tests: two pumps, each with its own peer, player and record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.bots import Bot, RandomBot, ThresholdBot
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.player import Away, BotPlayer, Concede, Link, Player, Request
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.net.seating import HostSeating, JoinSeating, Kit
from pazaak_p2p.net.tls import Line
from pazaak_p2p.rules import DECKS, Action, Rules, SideDeck, View
from pazaak_p2p.wire import Peer, Role
from pazaak_p2p.wire.events import Event

NAMES = ("host", "join")


class MemoryRecord:
    """A record kept in memory."""

    keeps = False
    path: Path | None = None

    def __init__(self) -> None:
        self.data = b""
        self.began = 0

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        self.began += 1

    def write(self, data: bytes) -> None:
        assert self.began == 1
        self.data += data

    def sync(self) -> None:
        """Nothing."""

    def settle(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing: it is all there."""


@dataclass
class Side:
    """A seat of a seeded match, and what became of it."""

    seat: int
    seed: str
    player: Player = field(default_factory=lambda: BotPlayer(ThresholdBot))
    deck: SideDeck = DECKS["wanderer"]
    rules: Rules | None = None
    """The host's rules; for the joiner, the only ones that it takes (None: any)."""
    events: list[tuple[float, Event]] = field(default_factory=list)
    """Every event and when it came."""
    record: MemoryRecord = field(default_factory=MemoryRecord)
    error: Exception | None = None
    ended_at: float = 0.0
    code: str | None = None
    """The join code that it has."""

    def pump(self, stream: trio.abc.Stream) -> Pump:
        kit = self.kit()
        if self.seat == 0:
            rules = Rules(max_sets=99) if self.rules is None else self.rules
            seating: HostSeating | JoinSeating = HostSeating(rules, lambda: kit)
        else:
            seating = JoinSeating(self.rules, kit)
        return Pump(
            stream,
            self.peer(stream.certificate if isinstance(stream, Line) else None),
            NAMES[self.seat],
            seating,
            self.player,
            self.record,
            [lambda event: self.events.append((trio.current_time(), event))],
        )

    def peer(self, cert: bytes | None = None, now: float | None = None) -> Peer:
        secrets = SeedSecrets(self.seed, self.seat)
        return Peer(
            key=Ed25519PrivateKey.from_private_bytes(secrets.identity()),
            role=(Role.LISTENER, Role.DIALLER)[self.seat],
            name=NAMES[self.seat],
            nonce=secrets.hello(0),
            software="tests",
            now=trio.current_time() if now is None else now,
            cert=cert,
            code=self.code,
            code_secret=secrets.hello(1) + secrets.hello(2),
        )

    def kit(self) -> Kit:
        secrets = SeedSecrets(self.seed, self.seat)
        return Kit(self.deck, secrets.nonce(0), secrets.match_secret(0), began=0)

    async def run(self, stream: trio.abc.Stream) -> MatchReport | None:
        """Play; the report also of a match that was broken off, None if none began."""
        pump = self.pump(stream)
        try:
            await pump.run()
        except PazaakError as error:
            self.error = error
        self.ended_at = trio.current_time()
        return pump.match.report

    def kinds(self) -> list[str]:
        """The kinds of the events that came."""
        return [type(event).__name__ for _, event in self.events]


async def play(
    host: Side, join: Side, streams: Sequence[trio.abc.Stream]
) -> list[MatchReport | None]:
    """Run both sides to their ends; the reports of host and joiner."""
    reports: list[MatchReport | None] = [None, None]

    async def run(at: int, side: Side) -> None:
        reports[at] = await side.run(streams[at])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, 0, host)
        nursery.start_soon(run, 1, join)
    return reports


def bot(kind: str, seed: str) -> BotPlayer:
    """A bot player: ``random`` or ``threshold``."""
    if kind == "random":
        return BotPlayer(lambda: RandomBot(seed.encode().ljust(32)[:32]))
    return BotPlayer(ThresholdBot)


class SlowPlayer:
    """A person who takes *seconds* for every choice and then does as a bot would."""

    instant = False
    hold = 0.0

    def __init__(self, seconds: float, bot: Bot | None = None) -> None:
        self._seconds = seconds
        self._bot = ThresholdBot() if bot is None else bot
        self.wants, self.requests = trio.open_memory_channel[Request](100)
        self.asked = 0
        self.first_asked = trio.Event()
        self.goes_on: trio.Event | None = None
        """If set, no choice is made before this has happened."""
        self.withdrawn = 0
        """Questions that were taken back before they were answered."""
        self.noticed: list[Event | Away] = []
        self.refusals: list[str] = []
        self.links: list[Link] = []

    async def ask(self, view: View) -> Action:
        self.asked += 1
        self.first_asked.set()
        try:
            await trio.sleep(self._seconds)
            if self.goes_on is not None:
                await self.goes_on.wait()
        except trio.Cancelled:
            self.withdrawn += 1
            raise
        choice = self._bot.choose(view)
        assert not isinstance(choice, Concede)
        return choice

    def notice(self, event: Event | Away) -> None:
        self.noticed.append(event)

    def linked(self, link: Link) -> None:
        self.links.append(link)

    def refused(self, why: str) -> None:
        self.refusals.append(why)
