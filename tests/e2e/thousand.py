"""Many matches of bots over real sockets: nothing may differ, nobody may be accused.

    python -m tests.e2e.thousand [--matches 1000] [--seed TEXT]

Each match is two peers on an encrypted connection over loopback, with options, decks and bots drawn
from the seed. After each, both sides must report the same, and the second verifier, which shares no
code with the package, must find nothing in either record.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from dataclasses import dataclass, field

import trio

from pazaak_p2p.bots import Bot, RandomBot, ThresholdBot
from pazaak_p2p.net.address import Address
from pazaak_p2p.net.certificate import Credentials, make_credentials, receive_line
from pazaak_p2p.net.dial import dial
from pazaak_p2p.net.listen import listen
from pazaak_p2p.net.player import BotPlayer, Concede
from pazaak_p2p.net.stream import LeanStream
from pazaak_p2p.net.tls import Carrier, Line
from pazaak_p2p.rules import (
    CARDS,
    DECKS,
    Action,
    Copies,
    DeckError,
    Nine,
    Opener,
    Rules,
    SideDeck,
    Termination,
    Tiebreaker,
    View,
    check_deck,
    describe,
)
from tests.matches import Side, play
from tests.verifier import verify

SECONDS = 60
"""How long one match may take."""


class Quitter:
    """Plays as *bot*, and concedes at its choice number *last*."""

    def __init__(self, bot: Bot, last: int) -> None:
        self._bot = bot
        self._left = last

    def choose(self, view: View) -> Action | Concede:
        self._left -= 1
        return Concede() if self._left == 0 else self._bot.choose(view)


@dataclass
class Tally:
    """What the matches came to."""

    matches: int = 0
    sets: int = 0
    lots: int = 0
    entries: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    rules: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        ended = ", ".join(f"{count} {name}" for name, count in sorted(self.ended.items()))
        return (
            f"{self.matches} matches by {len(self.rules)} rule sets, {self.sets} sets won,"
            f" {self.lots} lots, {self.entries} entries: {ended};"
            f" no divergence, no accusation, {2 * self.matches} records verified"
        )


def draw_rules(rng: random.Random) -> Rules:
    return Rules(
        copies=rng.choice(list(Copies)),
        gold=rng.random() < 0.75,
        opener=rng.choice(list(Opener)),
        auto_stand=rng.random() < 0.75,
        nine=rng.choice(list(Nine)),
        tiebreaker=rng.choice(list(Tiebreaker)),
        sets=rng.choice((1, 2, 3, 3, 5, 9)),
        max_sets=rng.choice((1, 5, 9, 20, 99)),
        turn_seconds=rng.choice((None, 60)),
    )


def draw_deck(rng: random.Random, rules: Rules) -> SideDeck:
    """A deck that ships, or any other, that *rules* allow."""
    while True:
        shipped = rng.random() < 0.4
        deck = rng.choice(list(DECKS.values())) if shipped else tuple(rng.choices(CARDS, k=10))
        try:
            check_deck(deck, rules)
        except DeckError:
            continue
        return deck


def draw_bot(rng: random.Random) -> BotPlayer:
    threshold = ThresholdBot(rng.randint(12, 20))
    bot: Bot = threshold if rng.random() < 0.6 else RandomBot(rng.randbytes(32))
    made = Quitter(bot, rng.randint(1, 30)) if rng.random() < 0.1 else bot
    return BotPlayer(lambda: made)


async def connected(credentials: Credentials) -> tuple[Line, Line]:
    """The two ends of a connection over loopback, encrypted as users have it: accepted, dialled."""
    (listener,) = await listen(0, "127.0.0.1")
    accepted: list[Line] = []

    async def accept() -> None:
        lean = LeanStream.take(await listener.accept())
        accepted.append(await receive_line(Carrier(lean), credentials))

    async with listener, trio.open_nursery() as nursery:
        nursery.start_soon(accept)
        dialled = await dial(Address("127.0.0.1", listener.socket.getsockname()[1]))
    return accepted[0], dialled


async def play_one(number: int, seed: str, tally: Tally, credentials: Credentials) -> None:
    """Play match *number* of the seed, and check all there is to check. Raises AssertionError."""
    rng = random.Random(f"{seed} {number}")
    rules = draw_rules(rng)
    sides = [
        Side(
            seat,
            f"{seed} {number}",
            draw_bot(rng),
            draw_deck(rng, rules),
            rules if seat == 0 or rng.random() < 0.5 else None,
        )
        for seat in (0, 1)
    ]
    case = f"match {number} of seed {seed!r}: {describe(rules)}"
    with trio.fail_after(SECONDS):
        ours, theirs = await play(sides[0], sides[1], await connected(credentials))
    assert [side.error for side in sides] == [None, None], case
    assert ours is not None, case
    assert theirs is not None, case
    assert (ours.outcome, ours.won, ours.head, ours.opened, ours.lots) == (
        theirs.outcome,
        theirs.won,
        theirs.head,
        theirs.opened,
        theirs.lots,
    ), case
    assert ours.opened == (True, True), case
    for side in sides:
        verdict = verify(side.record.data)
        assert verdict.clean, f"{case}: {verdict}"
        assert verdict.complete, f"{case}: {verdict}"
        assert verdict.ended, f"{case}: {verdict}"
        assert verdict.head == ours.head, case
        assert verdict.winner == ours.outcome.winner, case
        assert verdict.sets == ours.won, case
        assert verdict.termination == ours.outcome.termination.value, case
    assert ours.outcome.termination is not Termination.ABANDONED, case
    tally.matches += 1
    tally.sets += sum(ours.won)
    tally.lots += ours.lots
    tally.entries += verdict.entries
    tally.ended[ours.outcome.termination.value] += 1
    tally.rules.add(describe(rules))


async def play_many(matches: int, seed: str) -> Tally:
    """Play *matches* matches one after the other."""
    tally = Tally()
    credentials = make_credentials()
    for number in range(matches):
        await play_one(number, seed, tally, credentials)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", default="thousand")
    options = parser.parse_args()
    began = time.perf_counter()
    tally = trio.run(play_many, options.matches, options.seed)
    print(f"{tally} in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
