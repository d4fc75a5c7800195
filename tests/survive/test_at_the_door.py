"""What a real house does at its door beside the match: doubts, who is late, and what is over."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from pazaak_p2p.cli.house import House
from pazaak_p2p.cli.introduction import NoIntroductions
from pazaak_p2p.cli.keeping import Route
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.cli.output import Output
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.errors import Busy
from pazaak_p2p.net.host import keep_door
from pazaak_p2p.net.report import MatchReport
from pazaak_p2p.rules import parse_rules
from pazaak_p2p.store.meeting import Case, Meeting, NameTaken
from pazaak_p2p.wire.events import Greeted
from tests.matches import Side
from tests.net.test_door import Doorbell
from tests.survive.rig import Notes
from tests.survive.test_wearing import Steady

Clock = trio.testing.MockClock


class Wary(NoIntroductions):
    """Asks about everybody, and is told *answer* after *seconds*."""

    def __init__(self, answer: bool, seconds: float) -> None:
        self._answer, self._seconds = answer, seconds
        self._trusted = False

    def introduce(self, event: Greeted) -> str:
        if not self._trusted:
            raise NameTaken(Meeting(Case.NAME_TAKEN, event.key, event.name, None, ()))
        return ""

    def can_ask(self, taken: NameTaken) -> bool:
        return True

    async def ask(self, taken: NameTaken, output: Output, *, still: bool = False) -> bool:
        await trio.sleep(self._seconds)
        self._trusted = self._answer
        return self._answer


class Guarded:
    """A host's door in virtual time, with a real house behind it."""

    def __init__(self, folder: Path, known: NoIntroductions, *, forever: bool = False) -> None:
        self.notes = Notes()
        self.bell = Doorbell()
        self.result: MatchReport | PazaakError | None = None
        self._forever = forever
        entrant = Entrant(seat=0, name="Ann", deck="balanced", bot="threshold", seed="door")
        self.seat = Steady(entrant)
        self.house = House(
            entrant,
            self.seat,
            self.notes,
            folder,
            known,
            Route(True, "street", 1, plain=True),
            rules=parse_rules("standard,sets=1"),
            grace=600.0,
            sync=False,
            forever=forever,
        )

    async def keep(self) -> None:
        """Keep the door until a match is over."""
        try:
            self.result = await keep_door([self.bell], self.house, None, forever=self._forever)
        except PazaakError as error:
            self.result = error

    async def visit(self, side: Side) -> MatchReport | None:
        """Have *side* play here."""
        return await side.run(self.bell.ring())


@pytest.mark.parametrize("yes", [True, False])
async def test_one_in_doubt_plays_after_a_yes_and_nobody_comes_in_meanwhile(
    tmp_path: Path, autojump_clock: Clock, yes: bool
) -> None:
    door = Guarded(tmp_path, Wary(yes, seconds=30.0))
    ben, other = Side(1, "Ben"), Side(1, "other")
    with trio.fail_after(10_000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(door.keep)
            nursery.start_soon(door.visit, ben)
            await trio.sleep(1)
            await door.visit(other)
            assert isinstance(other.error, Busy)
            if not yes:
                await trio.sleep(60)
                nursery.cancel_scope.cancel()
    assert ("Started" in ben.kinds()) is yes
    assert (ben.error is None) is yes
    assert isinstance(door.result, MatchReport) is yes
