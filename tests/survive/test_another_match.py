"""A guest who wants another match asks a host that still looks at the end of the last, in virtual
time."""

from __future__ import annotations

from pathlib import Path

import trio
from trio.testing import MockClock as Clock

from pazaak_p2p.cli.introduction import NoIntroductions
from pazaak_p2p.cli.keeping import Keeping, Route
from pazaak_p2p.cli.options import Entrant
from pazaak_p2p.wire.events import Greeted
from tests.matches import Side
from tests.survive.rig import _Guest
from tests.survive.test_at_the_door import GRACE, Guarded, Heard, Lines, Resting
from tests.survive.test_wearing import Steady


class Known(NoIntroductions):
    """Everyone is well known."""

    def introduce(self, event: Greeted) -> str:
        return f"You know {event.name}."


class Told(Steady):
    """Keeps what it is told."""

    def __init__(self, entrant: Entrant) -> None:
        super().__init__(entrant)
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)


async def test_who_asks_for_another_match_again_and_again_is_told_once_who_is_there(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    door = Guarded(tmp_path / "host", sits=Resting)
    assert isinstance(door.seat, Resting)
    entrant = Entrant(seat=1, name="Ben", deck="balanced", bot="threshold", seed="door", known=True)
    route, seat, lines = Route(False, "street", 1, plain=True), Told(entrant), Lines(door.bell)
    kept = Keeping(entrant, seat, tmp_path / "join", route, sync=False)
    guest = _Guest(entrant, seat, Heard(), Known(), route, kept, grace=GRACE)
    guest.street, guest.encrypts = lines, False  # type: ignore[assignment]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(door.keep)
        await door.visit(Side(1, "first"))
        await door.seat.rests.wait()
        with trio.move_on_after(20):
            await guest.join_again(None, None)
        nursery.cancel_scope.cancel()
    assert len(lines.lines) > 10
    assert seat.told == [
        "You know Ann.",
        "Waiting until the other player wants another match too; q leaves.",
    ]
