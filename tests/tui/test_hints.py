"""Hints: asked for by a key, worked out beside the screen, shown where they act, gone in time."""

from __future__ import annotations

import gc
import io

import pytest
import trio
from prompt_toolkit.input import create_pipe_input

from pazaak_p2p.bots.hints import Hint, Hinter
from pazaak_p2p.bots.master import MasterBot, best_of
from pazaak_p2p.rules import End, Lay, Pass, Seat, Stand, legal_actions
from pazaak_p2p.tui.control import Control
from pazaak_p2p.tui.dialog import Act, AskHint, Position
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.hand import percent
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.person import Person
from pazaak_p2p.tui.plain import Plain, describe_chances
from pazaak_p2p.tui.screen import Screen
from pazaak_p2p.tui.stdin import LineReader
from tests.tui.house import House, stand_at
from tests.tui.positions import OURS, THEIRS, at, tie_to_break
from tests.tui.screens import ScreenStdout, wait_until


async def test_a_hint_is_what_the_strongest_bot_thinks() -> None:
    seen = at(17)
    gc.unfreeze()
    hint = await Hinter().hint(seen)
    assert gc.get_freeze_count() > 0  # its tables are no longer looked through
    gc.unfreeze()
    chances = MasterBot().chances(seen)
    assert dict(hint.chances) == chances
    assert hint.best == best_of(chances)
    assert {action for action, _ in hint.chances} == set(legal_actions(seen.state))
    assert hint.of(Stand()) == chances[Stand()]


async def test_a_hint_that_is_no_longer_wanted_holds_nobody_up() -> None:
    hinter = Hinter()
    with trio.CancelScope() as scope:
        scope.cancel()
        await hinter.hint(at(17))
    assert scope.cancelled_caught
    assert isinstance(await hinter.hint(at(7)), Hint)


@pytest.mark.parametrize(
    ("chance", "text"),
    [(0, "0%"), (0.001, "1%"), (0.5049, "50%"), (0.999, "99%"), (0.97, "97%"), (1, "100")],
)
def test_nothing_uncertain_is_told_as_certain(chance: float, text: str) -> None:
    assert percent(chance) == text


def test_one_hint_a_choice() -> None:
    control = Control(UNICODE)
    control.show(Position(at(7), "Kreia", 3, practice=True))
    assert control.press("h") == AskHint(3)
    assert plain(control.scene().message) == "Hint: the bot master is thinking."
    assert control.press("h") is None
    assert "One hint a choice" in plain(control.scene().message)
    # The choice can be made at any time, and the next one has a hint of its own.
    assert control.press("e") == Act(3, End())
    control.show(Position(at(8), "Kreia", 4, practice=True))
    assert control.press("h") == AskHint(4)


def test_nothing_is_hinted_at_before_the_key() -> None:
    control = Control(UNICODE)
    control.show(Position(at(7), "Kreia", 3, practice=True))
    assert "%" not in "".join(entry.meaning for entry in control.scene().entries)


def test_at_a_tie_the_chance_of_laying_stands_beside_that_of_passing() -> None:
    seen = tie_to_break()
    lay = next(action for action in legal_actions(seen.state) if isinstance(action, Lay))
    control = Control(UNICODE)
    hint = Hint(((lay, 0.69), (Pass(), 0.63)), lay)
    control.show(Position(seen, "Kreia", 3, practice=True, hint=hint))
    said = {entry.keys: entry.meaning for entry in control.scene().entries}
    assert said["4",] == "lay it down 69%✓"
    assert said["p",] == "pass 63%"


def test_the_chances_as_lines_begin_with_the_best() -> None:
    seen = at(17, 0, 2, 3, 4)
    hint = Hint(((Stand(), 0.5), (End(), 0.75)), End())
    assert describe_chances(seen, hint, UNICODE) == ["  e  75%  ✓", "  s  50%"]


def house() -> House:
    draws = [10, 10, 7]
    return House(seat=Seat.HOST, decks=(OURS, THEIRS), opponent=stand_at(17), draws=draws)


async def test_h_at_the_screen() -> None:
    stdout = ScreenStdout()
    with create_pipe_input() as keys, trio.fail_after(30):
        person = Person(Screen(UNICODE, keys, stdout.output()), practice=True)

        async def see(text: str) -> None:
            await wait_until(lambda: text in stdout.text(), 10)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(person.run)
            match = house()
            nursery.start_soon(match.play, person)
            await see("Your turn.")
            keys.send_text("he")  # decided before it can be there
            await see("You draw [7]: 17.")
            assert "%" not in stdout.text()
            keys.send_text("h")
            await see("marks the best")
            shown = match.state
            chances = MasterBot().chances(person._view or at(7))
            assert f"s stand {percent(chances[Stand()])}" in stdout.text()
            assert f"e end turn {percent(chances[End()])}" in stdout.text()
            assert match.state is shown  # a look, and no move
            keys.send_text("s")
            await wait_until(lambda: "%" not in stdout.text())
            nursery.cancel_scope.cancel()


class Lines(LineReader):
    """Lines that have been typed in advance."""

    def __init__(self, *lines: str) -> None:
        super().__init__(None)
        self._lines = list(lines)

    async def read_line(self) -> str | None:
        await trio.lowlevel.checkpoint()
        return self._lines.pop(0) if self._lines else None


async def test_a_plan_in_lines_waits_for_its_hint() -> None:
    stdout = io.StringIO()
    face = Plain(UNICODE, Lines("h", "e", "hint", "s"), stdout, interactive=False)
    person = Person(face, practice=True)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(person.run)
            await house().play(person)
            nursery.cancel_scope.cancel()
    said = stdout.getvalue()
    first, second, third = said.split("marks the best.\n")
    assert "You draw [10]: 10." in first
    assert second.index("%") < second.index("You draw [7]: 17.")
    assert third.index("%") < third.index("You stand at 17.")
