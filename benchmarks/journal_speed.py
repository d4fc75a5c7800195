"""What it costs that a match is on the disk before it is sent, compared with the match itself.

Two threshold bots play seeded matches over a socket pair, each with a journal of its own, once
synced before every send and once not. The same bursts are then written without a match around
them, and to a bare file in the ways that a disk can be asked, to see what the disk itself takes.

A person's pace is SECONDS for each choice; at a bot's pace nobody waits for anything but the disk.
"""

from __future__ import annotations

import argparse
import itertools
import os
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.bots import ThresholdBot
from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.pair import run_both
from pazaak_p2p.net.player import BotPlayer
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.record_sink import RecordSink
from pazaak_p2p.net.seating import HostSeating, JoinSeating, Kit
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.rules import DECKS, Action, Rules, View, format_deck
from pazaak_p2p.store import Journal, SavedSecrets
from pazaak_p2p.wire import Peer, Role

LIMIT = 0.15
"""The journal's share of a match's time, at a person's pace."""
SECONDS = 1.0
RULES = Rules(max_sets=99)
DECK = DECKS["wanderer"]
NAMES = ("host", "join")
WAYS = (
    "not at all",
    "fsync",
    "fdatasync",
    "fdatasync, preallocated",
    "fdatasync, over zeros",
    "O_DSYNC",
    "O_DSYNC, preallocated",
    "O_DSYNC, over zeros",
)
ASKED = {name: getattr(os, name) for name in ("fsync", "fdatasync") if hasattr(os, name)}


def secrets(match_id: bytes, seat: int, match: int) -> SavedSecrets:
    drawn = SeedSecrets(f"journal_speed {match}", seat)
    key = Ed25519PrivateKey.from_private_bytes(drawn.identity())
    return SavedSecrets(
        match_id=match_id,
        seat=seat,
        key=key.public_key().public_bytes_raw(),
        secret=drawn.match_secret(0),
        deck=format_deck(DECK, ascii=True),
        name=NAMES[seat],
        listened=seat == 0,
        bot="threshold",
        bot_secret=drawn.bot(0),
    )


class Kept:
    """A journal as a match's record, which keeps what came between one sync and the next."""

    keeps = False

    def __init__(self, folder: Path, seat: int, match: int, sync: bool) -> None:
        self._journal = Journal(folder, sync=sync)
        self._seat, self._match = seat, match
        self.bursts: list[bytes] = []
        self._burst = b""

    @property
    def path(self) -> Path | None:
        return self._journal.path

    def begin(self, match_id: bytes, host: str, join: str) -> None:
        self._journal.begin(match_id, host, join, secrets(match_id, self._seat, self._match))

    def write(self, data: bytes) -> None:
        self._burst += data
        self._journal.write(data)

    def sync(self) -> None:
        if self._burst:
            self.bursts.append(self._burst)
            self._burst = b""
        self._journal.sync()

    def settle(self) -> None:
        self._journal.settle()

    def close(self) -> None:
        self._journal.close()


class Counting:
    """A threshold bot that counts its choices."""

    def __init__(self) -> None:
        self._bot = ThresholdBot()
        self.choices = 0

    def choose(self, view: View) -> Action:
        self.choices += 1
        return self._bot.choose(view)


def pump(stream: trio.abc.Stream, seat: int, match: int, bot: Counting, record: RecordSink) -> Pump:
    drawn = SeedSecrets(f"journal_speed {match}", seat)
    peer = Peer(
        key=Ed25519PrivateKey.from_private_bytes(drawn.identity()),
        role=(Role.LISTENER, Role.DIALLER)[seat],
        name=NAMES[seat],
        nonce=drawn.hello(0),
        software="journal_speed",
        now=trio.current_time(),
    )
    kit = Kit(DECK, drawn.nonce(0), drawn.match_secret(0), began=0)
    seating = HostSeating(RULES, lambda: kit) if seat == 0 else JoinSeating(None, kit)
    return Pump(stream, peer, NAMES[seat], seating, BotPlayer(lambda: bot), record)


async def matches(folder: Path, number: int, sync: bool) -> tuple[float, list[list[bytes]], int]:
    """Play them all: seconds, the bursts of each journal, how many choices there were."""
    bursts: list[list[bytes]] = []
    choices = 0
    began = time.perf_counter()
    for match in range(number):
        bots = [Counting(), Counting()]
        records = [Kept(folder, seat, match, sync) for seat in (0, 1)]
        ends = [LeanStream(end) for end in socket.socketpair()]
        pumps = [pump(end, seat, match, bots[seat], records[seat]) for seat, end in enumerate(ends)]
        with trio.fail_after(60):
            await run_both(*pumps)
        bursts += [record.bursts for record in records]
        choices += sum(bot.choices for bot in bots)
    return time.perf_counter() - began, bursts, choices


def alone(folder: Path, bursts: list[list[bytes]], sync: bool) -> float:
    """Seconds for the same journals without a match."""
    began = time.perf_counter()
    for match, parts in enumerate(bursts):
        match_id = match.to_bytes(32, "big")
        journal = Journal(folder, sync=sync)
        journal.begin(match_id, *NAMES, secrets(match_id, 0, match))
        for part in parts:
            journal.write(part)
            journal.sync()
        journal.settle()
    return time.perf_counter() - began


def bare(folder: Path, bursts: list[bytes], way: str) -> float:
    """Seconds for a burst, each brought to the disk in one *way*, when all go into one file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | (os.O_DSYNC if "O_DSYNC" in way else 0)
    path = folder / "bare"
    descriptor = os.open(path, flags, 0o600)
    if "preallocated" in way:
        os.posix_fallocate(descriptor, 0, sum(map(len, bursts)))
    if "zeros" in way:
        os.write(descriptor, bytes(sum(map(len, bursts))))
        os.lseek(descriptor, 0, os.SEEK_SET)
    os.fsync(descriptor)
    sync = ASKED.get(way.partition(",")[0])
    began = time.perf_counter()
    for burst in bursts:
        os.write(descriptor, burst)
        if sync is not None:
            sync(descriptor)
    seconds = time.perf_counter() - began
    os.close(descriptor)
    path.unlink()
    return seconds / len(bursts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where to write, on the disk that is meant")
    options = parser.parse_args(arguments)
    played: dict[bool, list[float]] = {False: [], True: []}
    written: dict[bool, list[float]] = {False: [], True: []}
    asked: dict[str, list[float]] = {way: [] for way in WAYS if sys.platform == "linux"}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        numbers = itertools.count()

        def fresh() -> Path:
            # Matches of the same names and ids get a number each, which is looked for.
            return Path(name, str(next(numbers)))

        _, bursts, choices = trio.run(matches, fresh(), options.matches, False)
        for _ in range(options.rounds):
            for sync in (False, True):
                played[sync].append(trio.run(matches, fresh(), options.matches, sync)[0])
                written[sync].append(alone(fresh(), bursts, sync))
            for way, seconds in asked.items():
                seconds.append(bare(Path(name), [part for one in bursts for part in one], way))
    seats = len(bursts)
    parts = sum(map(len, bursts)) / seats
    size = sum(len(part) for one in bursts for part in one) / seats
    per_match = choices / options.matches
    print(f"a record: {parts:.1f} bursts, {size / parts:.0f} bytes each; {per_match:.0f} choices")
    for way, seconds in asked.items():
        print(f"a burst {min(seconds) * 1e6:7.0f} us  {way}")
    plain, kept = (min(written[sync]) / seats * 1e3 for sync in (False, True))
    print(f"a journal alone: {plain:.2f} ms, synced {kept:.2f} ms")
    off, on = (min(played[sync]) / options.matches for sync in (False, True))
    print(
        f"a match of bots, both journals: {off * 1e3:.2f} ms, synced {on * 1e3:.2f} ms,"
        f" {on / off:.2f} times as long"
    )
    # Whoever is a person says twice as much: what it has drawn at once, what it does later.
    share = 2 * (on - off) / (per_match * SECONDS)
    print(
        f"share of a match at {SECONDS:g} s a choice {share:.2%}, limit {LIMIT:.0%}"
        f" (best of {options.rounds} rounds)"
    )
    return 0 if share <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
