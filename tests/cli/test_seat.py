"""The person's seat: a screen that comes up and goes down with the matches."""

from __future__ import annotations

import sys

import pytest
import trio

from pazaak_p2p.cli.look import Look
from pazaak_p2p.cli.seat import PersonSeat, Sitting
from pazaak_p2p.tui import terminal


class Screen:
    """What is shown; it takes a moment to come up."""

    def __init__(self, **options: object) -> None:
        self.options = options
        self.shown = self.up = False
        shown.append(self)

    def finish(self) -> None:
        """Nothing waits to be shown."""

    async def run(self) -> None:
        await trio.lowlevel.checkpoint()
        self.shown = self.up = True
        try:
            await trio.sleep_forever()
        finally:
            self.up = False


shown: list[Screen] = []


@pytest.fixture(autouse=True)
def screens(monkeypatch: pytest.MonkeyPatch) -> list[Screen]:
    monkeypatch.setattr(terminal, "at_terminal", Screen)
    shown.clear()
    return shown


async def test_a_screen_goes_down_before_it_has_come_up(screens: list[Screen]) -> None:
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            seat = PersonSeat(nursery, Sitting(json=False))
            await seat.leave()  # nobody sat down yet
            seat.sit(0)
            await seat.leave()
            assert not screens[0].shown
            seat.sit(1)
            await trio.testing.wait_all_tasks_blocked()
            assert [screen.up for screen in screens] == [False, True]
            await seat.leave()
            assert [screen.up for screen in screens] == [False, False]
            await seat.leave()  # twice is once


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("ascii", [False, True])
async def test_the_options_of_the_screen(
    screens: list[Screen], json: bool, plain: bool, ascii: bool
) -> None:
    async with trio.open_nursery() as nursery:
        PersonSeat(nursery, Sitting(json=json, look=Look(plain=plain, ascii=ascii))).sit(0)
        nursery.cancel_scope.cancel()
    (screen,) = screens
    assert screen.options["plain"] == (plain or json)
    assert screen.options["ascii"] == ascii
    assert screen.options["stdout"] is (sys.stderr if json else sys.stdout)
