"""``pazaak bot check``: a bot from outside, tried against all of protocol/bot-interface.md."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Final

import trio
from msgspec import Struct

from pazaak_p2p.bots.faults import BotFault, CannotStart
from pazaak_p2p.bots.interface import Begin, over_text
from pazaak_p2p.bots.outside import QUIT_SECONDS, Outside
from pazaak_p2p.bots.outside_spec import OutsideSpec
from pazaak_p2p.bots.practice import any_deck, any_rules, play_match, positions, ties
from pazaak_p2p.bots.threshold import ThresholdBot
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import CARDS, Action, Phase, Seat, View, legal_actions
from pazaak_p2p.text import printable

PARTS: Final = (
    "greeting",
    "positions",
    "questions taken back",
    "restarts",
    "matches",
    "leaving",
)
"""What is tried, in this order; after a bad greeting there is no more."""
POSITIONS: Final = 300
MATCHES: Final = 20
RESTARTS: Final = 5
TAKEN_BACK: Final = 3
TIES: Final = 20
_PATIENCE: Final = 0.001
"""Seconds after which a question is taken back; a fast bot may have answered by then."""
_TOGETHER: Final = 8
"""Positions of one match that are asked one after the other."""


class Finding(Struct, frozen=True):
    """What one part of the check came to. Safe to show."""

    check: str
    ok: bool
    what: str
    why: str = ""
    next: str = ""


class Times(Struct, frozen=True):
    """How long answers took, in seconds."""

    answers: int
    median: float
    longest: float


class _Wrong(Exception):
    """A check has found something that does not end the bot."""

    def __init__(self, what: str, why: str, next: str) -> None:
        super().__init__(what)
        self.finding = (what, why, next)


class Checker:
    """Tries *spec*; *tell* gets every finding as it is made. All follows from *seed*.

    *trouble* gets the errors that bad findings come from.
    """

    def __init__(
        self,
        spec: OutsideSpec,
        tell: Callable[[Finding], object],
        trouble: Callable[[PazaakError], object] = lambda error: None,
        *,
        count: int = POSITIONS,
        matches: int = MATCHES,
        seed: str = "check",
    ) -> None:
        self._spec = spec
        self._tell = tell
        self._trouble = trouble
        self._count = count
        self._matches = matches
        self._rng = Random(f"pazaak bot check {seed}")
        self._bot: Outside
        self._nursery: trio.Nursery
        self._begun = 0
        self._took: list[float] = []
        self._conceded = 0
        self.wrong = 0
        """How many findings are bad ones."""

    @property
    def times(self) -> Times | None:
        """How long answers took; None if there was none."""
        took = sorted(self._took)
        return Times(len(took), took[len(took) // 2], took[-1]) if took else None

    async def run(self) -> None:
        """Try everything; the bot is started anew for each part. Raises nothing of the bot's."""
        first, *others = PARTS
        async with trio.open_nursery() as self._nursery:
            if await self._try(first, self._greeting):
                for check, part in zip(others, self._parts(), strict=True):
                    await self._try(check, part)
            self._nursery.cancel_scope.cancel()

    def _parts(self) -> tuple[Callable[[], Awaitable[str]], ...]:
        """Of a bot that has greeted."""
        return self._positions, self._taken_back, self._restarts, self._play, self._leaving

    async def _try(self, check: str, part: Callable[[], Awaitable[str]]) -> bool:
        fault: BotFault | None = None
        self._bot = self._spec.open(self._nursery)
        try:
            finding = Finding(check, True, await part())
        except (BotFault, CannotStart) as error:
            fault = error if isinstance(error, BotFault) else None
            self._trouble(error)
            todo = (
                "Mend the bot." if error.next == BotFault.next else error.next
            )  # this is the check
            finding = Finding(check, False, error.what, error.why, todo)
        except _Wrong as wrong:
            finding = Finding(check, False, *wrong.finding)
        finally:
            await self._bot.close(fault)
        self.wrong += not finding.ok
        self._tell(finding)
        return finding.ok

    # --- the parts

    async def _greeting(self) -> str:
        start = trio.current_time()
        greeting = await self._bot.open()
        seconds = trio.current_time() - start
        name = printable(f"{greeting.name} {greeting.version}".strip(), 120)
        options = ", ".join(f"{name}={value}" for name, value in greeting.options)
        told = f"; its options: {printable(options, 200)}" if options else ""
        return f"It is {name}, ready after {_time(seconds)}{told}."

    async def _positions(self) -> str:
        await self._bot.open()
        asked = ties = played = 0
        held = set()
        for views in self._batches():
            await self._begin(views[0], resumed=True)
            for view in views:
                await self._ask(view)
                asked += 1
                ties += view.state.phase is Phase.TIE
                played += view.state.played
                held |= {card.card for card in view.hand}
        return (
            f"{asked} positions answered: {len(held)} kinds of cards in the hand, {ties} ties to"
            f" break, {played} choices after a card was placed."
        )

    def _batches(self) -> Iterator[list[View]]:
        """Positions by the handful: ties first, then every kind of card in turn."""
        found = [list(ties(self._rng)) for _ in range(min(TIES, self._count))]
        yield from found
        left, n = self._count - sum(map(len, found)), 0
        while left > 0:
            views = list(positions(self._rng, CARDS[n % len(CARDS)]))
            n += 1
            some = sorted(self._rng.sample(range(len(views)), min(_TOGETHER, left, len(views))))
            kept = [views[i] for i in some]
            left -= len(kept)
            if kept:
                yield kept

    async def _taken_back(self) -> str:
        await self._bot.open()
        for view in self._some(TAKEN_BACK):
            await self._begin(view, resumed=True)
            with trio.move_on_after(_PATIENCE):
                await self._bot.ask(view, self._spec.seconds)
            await self._ask(view)
        return f"{TAKEN_BACK} questions put and taken back; the next were answered."

    async def _restarts(self) -> str:
        for number, view in enumerate(self._some(RESTARTS)):
            if number:
                await self._bot.close(BotFault("This is a test:", why="you are started again."))
                self._bot = self._spec.open(self._nursery)
            await self._bot.open()
            await self._begin(view, resumed=True)
            await self._ask(view)
        return f"Killed and started again {RESTARTS - 1} times in a match; it went on each time."

    async def _play(self) -> str:
        await self._bot.open()
        won = lost = 0
        for number in range(self._matches):
            seat = Seat(number % 2)
            rules = any_rules(self._rng)
            decks = any_deck(self._rng), any_deck(self._rng)
            begun = False

            async def ours(view: View) -> Action | Concede:
                nonlocal begun
                if not begun:
                    begun = True
                    await self._begin(view, resumed=False)
                return await self._ask(view)

            async def theirs(view: View) -> Action | Concede:
                return ThresholdBot().choose(view)

            choose = (ours, theirs) if seat is Seat.HOST else (theirs, ours)
            state = await play_match(self._rng, rules, decks, choose)
            assert state.outcome is not None
            if begun:
                await self._bot.tell(over_text(self._id, seat, state.outcome, state.won))
            won += state.outcome.winner is seat
            lost += state.outcome.winner is seat.other
        conceded = f" It conceded {self._conceded} times." if self._conceded else ""
        return (
            f"{self._matches} matches with random rules and decks against threshold: {won} won,"
            f" {lost} lost.{conceded}"
        )

    async def _leaving(self) -> str:
        await self._bot.open()
        if not await self._bot.close():
            raise _Wrong(
                "The bot does not leave when it is told to.",
                f"It was told 'quit' and its input was closed, and after {QUIT_SECONDS:g} s it"
                " still ran. It was killed.",
                "End the program at 'quit', and at the end of its input.",
            )
        return "It left when it was told to."

    # --- asking

    def _some(self, count: int) -> list[View]:
        views: list[View] = []
        while len(views) < count:
            views += positions(self._rng, self._rng.choice(CARDS))
        return views[:count]

    async def _begin(self, view: View, *, resumed: bool) -> None:
        self._begun += 1
        number = self._begun.to_bytes(4, "big")
        self._id = hashlib.sha256(b"match" + number).digest()
        seed = hashlib.sha256(b"seed" + number).digest()
        await self._bot.begin(Begin(self._id, view.seat, view.state.rules, seed, resumed))

    async def _ask(self, view: View) -> Action | Concede:
        start = trio.current_time()
        choice = await self._bot.ask(view, self._spec.seconds)
        self._took.append(trio.current_time() - start)
        self._conceded += isinstance(choice, Concede)
        assert isinstance(choice, Concede) or choice in legal_actions(view.state)
        return choice


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
