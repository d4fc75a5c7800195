"""A person at the screen: keys through a pipe, the picture through pyte, the real rules between."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from prompt_toolkit.input import PipeInput, create_pipe_input

from pazaak_p2p.net.player import Concede, Quit, Say
from pazaak_p2p.rules import (
    Deal,
    Draw,
    End,
    Input,
    Leave,
    Opening,
    Outcome,
    Rules,
    Seat,
    Stand,
    State,
    Termination,
    apply,
    new_match,
    parse_deck,
    parse_rules,
    view,
)
from pazaak_p2p.tui.control import Control
from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.person import Person
from pazaak_p2p.tui.screen import Screen
from pazaak_p2p.tui.terminal import at_terminal
from pazaak_p2p.wire.events import Greeted, Moved, Started
from tests.tui.house import House, stand_at
from tests.tui.positions import at
from tests.tui.screens import ScreenStdout, wait_until

OURS = parse_deck("+3 ±4 1±2 D 2&4 2&4 2&4 2&4 2&4 2&4")
THEIRS = parse_deck("-1 -1 -1 -1 -1 -1 -1 -1 -1 -1")


class Table:
    """A person, what is typed to it and what it sees."""

    def __init__(self, input: PipeInput, stdout: ScreenStdout) -> None:
        self.input = input
        self.stdout = stdout
        self.person = Person(Screen(UNICODE, input, stdout.output()))

    async def see(self, text: str) -> None:
        try:
            await wait_until(lambda: text in self.stdout.text())
        except trio.TooSlowError:
            raise AssertionError(f"{text!r} is not on:\n{self.stdout.text()}") from None

    async def read(self, text: str) -> None:
        """Wait for *text* on the screen or scrolled away from it."""
        try:
            await wait_until(lambda: text in self.stdout.everything())
        except trio.TooSlowError:
            raise AssertionError(f"{text!r} is not in:\n{self.stdout.everything()}") from None

    def type(self, keys: str) -> None:
        self.input.send_text(keys)


@asynccontextmanager
async def seated(rows: int = 24, columns: int = 80) -> AsyncIterator[Table]:
    with create_pipe_input() as input, trio.fail_after(20):
        table = Table(input, ScreenStdout(rows, columns))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(table.person.run)
            yield table
            nursery.cancel_scope.cancel()


def house(
    draws: list[int],
    *,
    rules: Rules | None = None,
    stands_at: int = 17,
    seat: Seat = Seat.HOST,
) -> House:
    decks = (OURS, THEIRS) if seat is Seat.HOST else (THEIRS, OURS)
    return House(seat=seat, decks=decks, opponent=stand_at(stands_at), rules=rules, draws=draws)


class Playing:
    """A match in the background."""

    def __init__(self, match: House, table: Table, nursery: trio.Nursery) -> None:
        self.match = match
        self.outcome: Outcome | None = None
        self.done = trio.Event()
        nursery.start_soon(self._play, table.person)

    async def _play(self, person: Person) -> None:
        self.outcome = await self.match.play(person)
        self.done.set()


async def test_a_whole_match_by_keys() -> None:
    first = [10, 10, 7, 8]  # we reach 20 with +3, they stand at 18
    second = [10, 9, 9, 8, 6]  # they stand at 19; we are over, come back, and tie
    third = [10, 10, 10, 6, 2]  # we draw 20, they stand at 18
    match = house(first + second + third, rules=parse_rules("sets=2"))
    async with seated() as table, trio.open_nursery() as nursery:
        playing = Playing(match, table, nursery)
        await table.see("Your turn.")
        table.type("e")
        await table.see("You draw [7]: 17.")
        table.type("1")
        await table.see("Set 1 is yours: 20 beats 18 (R18).")
        await table.see("You draw [9]: 9.")
        table.type("e")
        await table.see("Your turn. Kreia stands at 19: only 20 wins.")
        table.type("e")
        await table.see("23 is over 20: lost if the turn ends so (R10). Ways back: 2- → 19")
        table.type("2")
        await table.see("±4: +4 makes 27, -4 makes 19. Press + or -.")
        table.type("-")
        await table.see("You play [±4] as -4: 19.")
        table.type("s")
        await table.see("Set 2 is tied: 19 each, and nobody scores (R18).")
        await table.see("You draw [10]: 10.")
        table.type("e")
        await playing.done.wait()
        await table.see("You win the match, 2 to 0.")
        await table.see("Both side decks have been opened and checked: a fair match.")
    assert playing.outcome == Outcome(Termination.NORMAL, Seat.HOST)
    assert match.requests == []


async def test_from_the_joiners_seat() -> None:
    match = house([10, 10, 9, 9], rules=parse_rules("sets=1"), seat=Seat.JOIN)
    async with seated() as table, trio.open_nursery() as nursery:
        playing = Playing(match, table, nursery)
        await table.see("Your turn.")
        assert "Kreia opened" in table.stdout.text()
        table.type("e")
        await table.see("Your turn. Kreia stands at 19: only 20 wins.")
        table.type("s")
        await table.read("Set 1 is tied: 19 each, and nobody scores (R18).")
        table.type("cy")
        await playing.done.wait()
    assert playing.outcome == Outcome(Termination.CONCESSION, Seat.HOST)


async def test_R10_over_20_and_back() -> None:
    async with seated() as table, trio.open_nursery() as nursery:
        Playing(house([10, 3, 9, 3, 4]), table, nursery)
        await table.see("Your turn.")
        table.type("e")
        await table.see("You draw [9]: 19.")
        table.type("e")
        await table.see("23 is over 20")
        await table.see("lost if the turn ends so (R10). Ways back: 2- → 19")
        await table.see("-→ 19 back ✓")
        table.type("e")
        await table.see("Really (y/n)?")
        table.type("n2-")
        await table.read("You play [±4] as -4: 19.")
        nursery.cancel_scope.cancel()


async def test_a_key_that_cannot_act_names_the_rule() -> None:
    async with seated() as table, trio.open_nursery() as nursery:
        Playing(house([4]), table, nursery)
        await table.see("Your turn.")
        table.type("1")
        await table.read("You play [+3]: 7.")
        await table.see("s stand")
        table.type("2")
        await table.see("One card a turn, and you have placed it (R8)")
        table.type("7")
        await table.see("Your hand has the cards 1 to 4")
        nursery.cancel_scope.cancel()


async def test_R21_conceding() -> None:
    match = house([4])
    async with seated() as table, trio.open_nursery() as nursery:
        playing = Playing(match, table, nursery)
        await table.see("Your turn.")
        table.type("c")
        await table.see("Concede the whole match to Kreia (R21)?")
        table.type("n")
        await table.see("Your turn.")
        table.type("cy")
        await playing.done.wait()
        await table.read("You concede the match.")
        await table.read("Kreia wins the match; sets: 0 to 0.")
    assert playing.outcome == Outcome(Termination.CONCESSION, Seat.JOIN)
    assert match.requests == [Concede()]


@pytest.mark.parametrize("keys", ["qy", "qq", "\x03\x03", "\x03y", "\x04\x04"])
async def test_leaving(keys: str) -> None:
    match = house([4])
    async with seated() as table, trio.open_nursery() as nursery:
        playing = Playing(match, table, nursery)
        await table.see("Your turn.")
        table.type(keys[0])
        await table.see("Leave now? Who leaves loses the match (R21).")
        table.type(keys[1])
        await playing.done.wait()
    assert playing.outcome is None
    assert match.requests == [Quit()]


async def test_leaving_before_the_match_and_in_their_turn() -> None:
    async with seated() as table:
        await table.see("Waiting for the match to begin.")
        table.type("qy")
        assert await table.person.requests.receive() == Quit()
        begin(table.person, Draw(3), End())
        await table.see("It is Kreia's turn; yours begins with your next green card (R7).")
        table.type("cy")
        assert await table.person.requests.receive() == Concede()


@pytest.mark.skipif(os.name == "nt", reason="signals between processes differ there")
async def test_a_SIGINT_from_outside_is_a_ctrl_c() -> None:
    async with seated() as table:
        await table.see("Waiting for the match to begin.")
        signal.raise_signal(signal.SIGINT)
        await table.see("Leave? y or Ctrl-C again leaves, n stays.")
        signal.raise_signal(signal.SIGINT)
        assert await table.person.requests.receive() == Quit()
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_DFL


async def test_talking_and_being_talked_to() -> None:
    match = house([4])
    async with seated() as table, trio.open_nursery() as nursery:
        Playing(match, table, nursery)
        await table.see("Your turn.")
        table.type("t")
        await table.see("say:")
        table.type("see you, Kreia")
        await table.see("say: see you, Kreia")
        table.type("\r")
        await table.read("You ▸ see you, Kreia")
        await table.read("Kreia ▸ You said see you, Kreia?")
        await table.see("Your turn.")
        nursery.cancel_scope.cancel()
    assert match.requests == [Say("see you, Kreia")]


async def test_pasted_text_is_talk_or_nothing() -> None:
    async with seated() as table, trio.open_nursery() as nursery:
        Playing(house([4]), table, nursery)
        await table.see("Your turn.")
        table.type("\x1b[200~ssss\x1b[201~")
        table.type("t\x1b[200~two\r\nlines\x1b[201~\r")
        await table.read("You ▸ two lines")
        assert "You stand" not in table.stdout.everything()
        nursery.cancel_scope.cancel()


async def test_help() -> None:
    async with seated() as table, trio.open_nursery() as nursery:
        Playing(house([4]), table, nursery)
        await table.see("Your turn.")
        table.type("?")
        await table.see("Come as near to 20 as you can")
        await table.see("talk, concede, leave")
        assert "Your turn." not in table.stdout.text()
        table.type("s")  # goes back, and no more
        await table.see("Your turn.")
        nursery.cancel_scope.cancel()


async def test_named_keys_do_nothing_and_escape_goes_back() -> None:
    async with seated() as table, trio.open_nursery() as nursery:
        Playing(house([4]), table, nursery)
        await table.see("Your turn.")
        table.type("\x1b[F")  # the key End is no "end"
        await table.see("The key End does nothing here")
        table.type("2")
        await table.see("Press + or -.")
        table.type("\x1b")
        await table.see("Your turn.")
        nursery.cancel_scope.cancel()


def begin(person: Person, *steps: Input) -> State:
    """Tell *person* of a match begun by *steps*, all of them our own moves."""
    person.notice(Greeted("Kreia", bytes(32), "test"))
    person.notice(Started(bytes(32), Seat.HOST, Rules()))
    state = new_match(Rules(), (OURS, THEIRS))
    for step in (Deal((0, 1, 2, 3), (0, 1, 2, 3)), Opening(7, 4), *steps):
        mover = state.mover
        state = apply(state, step)
        person.notice(Moved(step, mover, view(state, Seat.HOST).state))
    return state


async def ended_under_the_question(person: Person) -> None:
    drawn = begin(person, Draw(3))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.ask, view(drawn, Seat.HOST))
        await trio.testing.wait_all_tasks_blocked()
        leave = Leave(Seat.JOIN, Termination.CONCESSION)
        person.notice(Moved(leave, Seat.JOIN, apply(drawn, leave)))
        nursery.cancel_scope.cancel()


async def test_a_match_that_ends_under_the_question_shows_its_end() -> None:
    async with seated() as table:
        await ended_under_the_question(table.person)
        await table.read("You win the match; sets: 0 to 0.")
        await table.see("the match is over")
        table.type("e")
        await table.see("The match is over.")


async def test_an_answer_to_an_earlier_question_is_dropped() -> None:
    async with seated() as table:
        await table.see("Waiting")
        with trio.move_on_after(0.01):
            await table.person.ask(at(7))
        answers: list[object] = []

        async def ask() -> None:
            answers.append(await table.person.ask(at(8)))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await table.see("→ 16")  # D at 8
            table.type("s")
    assert answers == [Stand()]


async def test_how_it_went_stays_on_the_normal_screen() -> None:
    with create_pipe_input() as input:
        table = Table(input, ScreenStdout())
        table.stdout.write("$ pazaak play\r\n")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(table.person.run)
            await ended_under_the_question(table.person)
            await table.read("You win the match; sets: 0 to 0.")
            assert "$ pazaak play" not in table.stdout.text()
            nursery.cancel_scope.cancel()
    assert [line for line in table.stdout.lines() if line] == [
        "$ pazaak play",
        " Kreia sits down at the table.",
        " Kreia concedes the match.",
        " You win the match; sets: 0 to 0.",
    ]


async def test_lines_said_last_are_not_lost() -> None:
    with create_pipe_input() as input:
        table = Table(input, ScreenStdout())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(table.person.run)
            await table.see("Waiting")
            table.person.notice(Greeted("Kreia", bytes(32), "test"))
            nursery.cancel_scope.cancel()
        assert table.stdout.text().strip() == "Kreia sits down at the table."


async def test_a_closed_terminal_leaves() -> None:
    with create_pipe_input() as input, trio.fail_after(10):
        table = Table(input, ScreenStdout())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(table.person.run)
            await table.see("Waiting")
            input.close()
            assert await table.person.requests.receive() == Quit()


async def test_a_bug_of_the_screen_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Control) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Control, "scene", broken)
    with create_pipe_input() as input, trio.fail_after(10):
        table = Table(input, ScreenStdout())
        with pytest.raises(ZeroDivisionError):
            await table.person.run()


@pytest.mark.parametrize(("rows", "columns"), [(16, 40), (24, 79), (19, 80), (50, 132)])
async def test_other_sizes(rows: int, columns: int) -> None:
    async with seated(rows, columns) as table, trio.open_nursery() as nursery:
        Playing(house([10, 3, 9, 3, 4]), table, nursery)
        await table.see("Your turn.")
        table.type("e")
        await table.see("You draw [9]: 19.")
        table.type("e")
        await table.see("23 is over 20")
        await table.see("q leave")
        await table.see("s stand: bust")
        nursery.cancel_scope.cancel()


def test_without_a_terminal_there_are_lines_only(tmp_path: object) -> None:
    with open(os.devnull) as nothing, open(os.devnull, "w") as nowhere:
        person = at_terminal(stdin=nothing, stdout=nowhere)
    assert type(person._face).__name__ == "Plain"
