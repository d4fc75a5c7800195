"""Records of many matches for tests of history and statistics.

    python -m tests.history FOLDER [--matches 1000] [--seed TEXT] [--standard]

The keeper of all of them is one player with one key, who sits at either seat; the others come back
now and then. Two real peers play each match over memory streams.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import trio
import trio.testing
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pazaak_p2p.fairness import SeedSecrets
from pazaak_p2p.net.pump import Pump
from pazaak_p2p.net.seating import HostSeating, JoinSeating, Kit
from pazaak_p2p.rules import DECKS, Rules
from pazaak_p2p.wire import Peer, Role
from tests.e2e.thousand import draw_bot
from tests.matches import Side, play

BEGAN = 1_900_000_000
"""When the first match began; each later one an hour after."""
OPPONENTS = ("Ann", "Bob", "Ann", "\x1b[31mEve", "絶対", "Kreia", "=1+2")
"""Each a key of its own, also the two of one name."""


@dataclass
class Player(Side):
    """A side with a key and a name of its own."""

    who: str = "me"
    name: str = "Me"
    began: int = 0

    def peer(self, cert: bytes | None = None, now: float | None = None) -> Peer:
        key = SeedSecrets(f"player {self.who}", 0).identity()
        return Peer(
            key=Ed25519PrivateKey.from_private_bytes(key),
            role=(Role.LISTENER, Role.DIALLER)[self.seat],
            name=self.name,
            nonce=SeedSecrets(self.seed, self.seat).hello(0),
            software="tests",
            now=trio.current_time() if now is None else now,
            cert=cert,
        )

    def pump(self, stream: trio.abc.Stream) -> Pump:
        seating = (
            HostSeating(self.rules or Rules(max_sets=99), self.kit)
            if self.seat == 0
            else JoinSeating(None, self.kit())
        )
        return Pump(stream, self.peer(), self.name, seating, self.player, self.record)

    def kit(self) -> Kit:
        secrets = SeedSecrets(self.seed, self.seat)
        return Kit(self.deck, secrets.nonce(0), secrets.match_secret(0), self.began)


async def play_records(
    number: int, seed: str = "history", rules: Rules | None = None
) -> tuple[bytes, bytes]:
    """Our record and the other side's of match *number* of *seed*; standard: by mixed rules."""
    rng = random.Random(f"{seed} {number}")
    other = rng.randrange(len(OPPONENTS))
    seat = rng.randrange(2)
    mixed = Rules(max_sets=rng.choice((3, 99)), sets=rng.choice((1, 3)))
    sides = [
        Player(
            place,
            f"{seed} {number}",
            draw_bot(rng),
            DECKS[rng.choice(("balanced", "hard", "easy"))],
            rules or mixed,
            who="me" if place == seat else f"opponent {other}",
            name="Me" if place == seat else OPPONENTS[other],
            began=BEGAN + 3600 * number,
        )
        for place in (0, 1)
    ]
    await play(sides[0], sides[1], trio.testing.memory_stream_pair())
    assert [side.error for side in sides] == [None, None]
    return sides[seat].record.data, sides[1 - seat].record.data


@cache
def some_records(matches: int) -> tuple[tuple[bytes, bytes], ...]:
    """Our records and the other sides' of so many matches; always the same."""
    return tuple(trio.run(play_records, number) for number in range(matches))


def write_records(
    folder: Path, matches: int, seed: str = "history", rules: Rules | None = None
) -> None:
    """Our records of so many matches, as files in *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(matches):
        record, _ = trio.run(play_records, number, seed, rules)
        (folder / f"{seed}_{number:05}.pzk").write_bytes(record)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", default="history")
    parser.add_argument("--standard", action="store_true", help="by the standard rules only")
    options = parser.parse_args()
    rules = Rules(max_sets=99) if options.standard else None
    write_records(options.folder, options.matches, options.seed, rules)


if __name__ == "__main__":
    main()
