"""The game as lines, through real pipes."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from pazaak_p2p.net.player import Claim, Concede, Quit, Say
from pazaak_p2p.rules import (
    Card,
    Draw,
    End,
    Outcome,
    Play,
    Rules,
    Seat,
    Stand,
    Termination,
    View,
    parse_deck,
)
from pazaak_p2p.tui.bridge import HungUp
from pazaak_p2p.tui.dialog import Act, Again, GoOn, Position
from pazaak_p2p.tui.glyphs import ASCII, UNICODE
from pazaak_p2p.tui.person import Person
from pazaak_p2p.tui.plain import Plain, describe_choices, describe_standing, describe_table
from pazaak_p2p.tui.status import Clock, Status
from pazaak_p2p.tui.stdin import LineReader, input_encoding
from pazaak_p2p.wire.events import Moved, Resumed
from tests.tui.house import House, stand_at
from tests.tui.pictures import every_kind, ninth_to_play, second_set_theirs
from tests.tui.positions import after, at, dealt, tie_to_break


class Pipe:
    """The input of a program: what is written here it reads."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        self._open = True

    def write(self, text: str) -> None:
        os.write(self._writer, text.encode())

    def end(self) -> None:
        if self._open:
            self._open = False
            os.close(self._writer)

    def close(self) -> None:
        self.end()
        os.close(self.reader)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


class Rig:
    def __init__(self, pipe: Pipe, *, interactive: bool) -> None:
        self.pipe = pipe
        self.stdout = io.StringIO()
        self.face = Plain(UNICODE, LineReader(pipe.reader), self.stdout, interactive=interactive)

    async def text(self) -> str:
        await trio.testing.wait_all_tasks_blocked(0.01)
        # A thread writes, of which trio knows nothing: on a busy machine it comes later.
        await self.face._writer.drained(5)
        return self.stdout.getvalue()


@asynccontextmanager
async def running(pipe: Pipe, *, interactive: bool) -> AsyncIterator[Rig]:
    rig = Rig(pipe, interactive=interactive)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(rig.face.run)
            yield rig
            nursery.cancel_scope.cancel()


# What is written.


def test_a_table_in_words() -> None:
    assert describe_table(every_kind(), "Kreia", UNICODE) == [
        "Set 1, first to 3. Sets won: Kreia 0, you 0.",
        "Kreia: -4 2&4 10 = 6; holds 3 cards.",
        "You: -4 -2 -1(±1T) 6 2&4 = -1.",
    ]
    assert describe_table(tie_to_break(), "Kreia", ASCII) == [
        "Set 1, first to 3. Sets won: Kreia 0, you 0.",
        "Kreia: 10 8 = 18, stands; holds 4 cards.",
        "You: 10 8 = 18, stand.",
    ]
    assert describe_table(second_set_theirs(), "Kreia", UNICODE) == [
        "Set 2, first to 3. Sets won: Kreia 0, you 1.",
        "Kreia: no cards; holds 4 cards.",
        "You: no cards.",
    ]


@pytest.mark.parametrize(
    ("seen", "held", "turn"),
    [
        (
            after(dealt(), Draw(10), End(), Draw(1), End(), Draw(9), Play(0, Card.PLUS_3, 3)),
            ["Your hand: ±4 1±2 D."],
            "Your turn.",
        ),
        (
            second_set_theirs(),
            ["Your hand: +3 ±4 1±2 D."],
            "It is Kreia's turn; yours begins with your next green card (R7).",
        ),
    ],
)
def test_what_is_waited_for_is_told_in_words(seen: View, held: list[str], turn: str) -> None:
    moves = (Moved(Draw(1), None, seen.state),)
    before = Resumed(bytes(32), seen.seat, Rules(), seen.state, (), moves)
    assert describe_standing("Kreia", before, UNICODE) == [
        *describe_table(seen, "Kreia", UNICODE),
        *held,
        turn,
    ]
    assert describe_standing("Kreia", replace(before, moves=()), UNICODE) == []


def test_the_choices_in_words() -> None:
    assert describe_choices(at(17), UNICODE) == [
        "  1  +3: makes 20 and stands",
        "  2  ±4: 2+ makes 21, over 20, 2- makes 13",
        "  3  1±2: 3 1+ makes 18, 3 2+ makes 19, 3 1- makes 16, 3 2- makes 15",
        "  4  D: makes 24, over 20",
        "  e  end turn",
        "  s  stand",
        "  c concede   t talk   ? help   q leave",
    ]
    assert describe_choices(ninth_to_play(), UNICODE)[2:4] == [
        "  3  ±4: 3+ makes 23 and loses, 3- makes 15 and wins",
        "  4  -5: makes 14 and wins",
    ]
    assert describe_choices(every_kind(), UNICODE)[:4] == [
        "  1  2&4, gone",
        "  2  ±1T, gone",
        "  3  D, one card a turn (R8)",
        "  4  +3, one card a turn (R8)",
    ]
    assert describe_choices(tie_to_break(), UNICODE) == [
        "  1  +3, no use now",
        "  2  ±4, no use now",
        "  3  1±2, no use now",
        "  4  ±1T: lay it down",
        "  p  pass",
        "  c concede   t talk   ? help   q leave",
    ]


# What is read at a terminal.


async def test_a_line_answers_the_question(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.show(Position(at(7), "Kreia", 3))
        pipe.write("stand\n")
        assert await rig.face.decisions.receive() == Act(3, Stand())
        assert "  e  end turn\n" in await rig.text()


async def test_a_line_too_early_is_refused_with_its_reason(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        pipe.write("e\n")
        assert (await rig.text()).endswith(
            "It is Kreia's turn; yours begins with your next green card (R7).\n"
        )


async def test_an_empty_line_shows_the_table_again(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        assert await rig.text() == ""
        pipe.write("\n")
        assert await rig.text() == (
            "Set 2, first to 3. Sets won: Kreia 0, you 1.\n"
            "Kreia: no cards; holds 4 cards.\n"
            "You: no cards.\n"
            "  c concede   t talk   ? help   q leave\n"
            "It is Kreia's turn; yours begins with your next green card (R7).\n"
        )


async def test_R21_conceding_is_confirmed_at_a_terminal(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.show(Position(at(7), "Kreia", 1))
        pipe.write("c\n")
        assert (await rig.text()).endswith(
            "Concede the whole match to Kreia (R21)? y concedes, n plays on.\n"
        )
        pipe.write("y\n")
        assert await rig.face.decisions.receive() == Concede()


async def test_the_end_of_a_terminals_input_leaves_at_once(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        pipe.end()
        assert await rig.face.decisions.receive() == Quit()
        assert await rig.text() == "End of input: leaving the match.\n"


async def test_ctrl_c_once_asks_twice_leaves(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.interrupt()
        assert await rig.text() == "Leave? y or Ctrl-C again leaves, n stays.\n"
        rig.face.interrupt()
        assert await rig.face.decisions.receive() == Quit()


async def test_help_and_talk(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        pipe.write("?\nt Well met\n")
        assert await rig.face.decisions.receive() == Say("Well met")
        assert "play that card" in await rig.text()


# What is read from a pipe.


async def test_lines_of_a_pipe_wait_for_their_turn(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.write("e\n\ns\n")
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        assert await rig.text() == ""
        rig.face.show(Position(at(7), "Kreia", 1))
        assert await rig.face.decisions.receive() == Act(1, End())
        rig.face.show(Position(at(7), "Kreia", None))
        rig.face.show(Position(at(8), "Kreia", 2))
        assert await rig.face.decisions.receive() == Act(2, Stand())


async def test_conceding_from_a_pipe_needs_no_confirmation_and_no_turn(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.write("c\n")
        assert await rig.text() == ""  # there is nothing to concede yet
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        assert await rig.face.decisions.receive() == Concede()


async def test_the_end_of_a_pipe_leaves_when_the_next_choice_is_due(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.write("e\n")
        pipe.end()
        rig.face.show(Position(at(7), "Kreia", 1))
        assert await rig.face.decisions.receive() == Act(1, End())
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        assert "End of input" not in await rig.text()
        rig.face.show(Position(at(8), "Kreia", 2))
        assert await rig.face.decisions.receive() == Quit()
        assert (await rig.text()).endswith("End of input: leaving the match.\n")


async def test_the_end_of_a_pipe_leaves_whoever_waits_for_one_who_is_away(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.end()
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        assert await rig.text() == ""
        rig.face.inform(Status(away=600))
        assert await rig.face.decisions.receive() == Quit()
        rig.face.inform(Status(away=599))
        assert await rig.text() == "End of input: leaving the match.\n"


async def test_R21_a_claim_from_a_pipe_waits_until_it_can_be_made(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.write("w\n")
        rig.face.show(Position(second_set_theirs(), "Kreia", None))
        assert await rig.text() == ""
        rig.face.show(Position(second_set_theirs(), "Kreia", None, away=True))
        assert await rig.face.decisions.receive() == Claim()


async def test_R21_a_clock_is_told_when_it_starts_and_when_little_is_left(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        for ours, seconds in ((False, 60), (True, 60), (True, 11), (True, 10), (True, 9)):
            rig.face.inform(Status(clock=Clock(ours, seconds)))
        rig.face.inform(Status(clock=Clock(False, 60)))
        rig.face.inform(Status(clock=Clock(True, 5)))
        assert await rig.text() == (
            "Your clock: 60 seconds (R21).\n"
            "Your clock: only 10 seconds are left.\n"
            "Your clock: 5 seconds (R21).\n"
        )


async def test_a_last_line_without_its_end_counts(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.write("s")
        pipe.end()
        rig.face.show(Position(at(7), "Kreia", 1))
        assert await rig.face.decisions.receive() == Act(1, Stand())


async def test_no_input_at_all() -> None:
    face = Plain(UNICODE, LineReader(None), io.StringIO(), interactive=False)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(face.run)
            face.show(Position(at(7), "Kreia", 1))
            assert await face.decisions.receive() == Quit()
            nursery.cancel_scope.cancel()


# Files, odd bytes, broken pipes.


async def test_a_file_is_read_like_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "moves"
    path.write_bytes(b"e\r\n\xff\n" + b"x" * 70_000 + b"\nlast")
    descriptor = os.open(path, os.O_RDONLY)
    try:
        reader = LineReader(descriptor)
        assert await reader.read_line() == "e"
        assert await reader.read_line() == "\N{REPLACEMENT CHARACTER}"
        assert await reader.read_line() == "x" * 70_000
        assert await reader.read_line() == "last"
        assert await reader.read_line() is None
    finally:
        os.close(descriptor)


async def test_a_line_without_end_does_not_fill_the_memory(pipe: Pipe) -> None:
    async def write() -> None:
        for _ in range(4):
            await trio.to_thread.run_sync(pipe.write, "x" * 50_000)
        pipe.end()

    reader = LineReader(pipe.reader)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        lines = []
        while (line := await reader.read_line()) is not None:
            lines.append(line)
    assert "".join(lines) == "x" * 200_000
    assert max(map(len, lines)) < 140_000


class BrokenOutput(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "broken pipe")


async def test_output_that_nobody_takes_is_a_hang_up(pipe: Pipe) -> None:
    face = Plain(UNICODE, LineReader(pipe.reader), BrokenOutput(), interactive=True)
    face.say([(("", "hello"),)])
    with trio.fail_after(10), pytest.raises(HungUp):
        await face.run()


class Latin(io.StringIO):
    encoding = "latin-1"


async def test_names_that_the_encoding_cannot_show_are_escaped(pipe: Pipe) -> None:
    stdout = Latin()
    face = Plain(ASCII, LineReader(pipe.reader), stdout, interactive=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(face.run)
        face.say([(("", "絶 sits down"),)])
        nursery.cancel_scope.cancel()
    assert stdout.getvalue() == "\\u7d76 sits down\n"


async def test_what_comes_after_the_end_is_dropped(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        pass
    rig.face.show(Position(at(7), "Kreia", 1))
    rig.face.interrupt()
    rig.face.interrupt()
    assert [decision async for decision in rig.face.decisions] == []


# A whole match.


async def test_a_match_from_a_file_of_moves(pipe: Pipe) -> None:
    house = House(
        seat=Seat.HOST,
        decks=(parse_deck("+3 +3 +3 +3 +3 +3 +3 +3 +3 +3"), parse_deck("-1 " * 10)),
        opponent=stand_at(17),
        rules=Rules(sets=2),
        draws=[10, 10, 7, 8, 10, 10, 8, 7],
    )
    stdout = io.StringIO()
    person = Person(Plain(UNICODE, LineReader(pipe.reader), stdout, interactive=False))
    pipe.write("e\n1\n")  # 20 against 18
    pipe.write("e\n2\n")  # the same once more, and they opened
    pipe.end()
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(person.run)
            outcome = await house.play(person)
            nursery.cancel_scope.cancel()
    told = stdout.getvalue()
    assert " Set 1 is yours: 20 beats 18 (R18).\n" in told, told
    assert outcome == Outcome(Termination.NORMAL, Seat.HOST), told
    assert told.endswith(
        " You win the match, 2 to 0.\n"
        " Both side decks have been opened and checked: a fair match.\n"
    )


async def test_input_that_cannot_be_waited_for_is_read_in_a_thread(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As files with every system, and terminals and devices with some (kqueue: EINVAL, ENXIO)."""
    file = tmp_path / "input"
    file.write_text("one\ntwo")
    for number in (errno.EPERM, errno.EINVAL, errno.ENXIO, errno.EBADF):

        async def wait_readable(descriptor: int, number: int = number) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(trio.lowlevel, "wait_readable", wait_readable)
        with file.open("rb") as opened:
            reader = LineReader(opened.fileno())
            assert [await reader.read_line() for _ in range(3)] == ["one", "two", None]


def test_the_encoding_of_the_input_is_that_of_its_stream() -> None:
    assert input_encoding(None) == input_encoding(io.StringIO()) == "utf-8"
    with open(os.devnull, encoding="latin-1") as stream:
        assert input_encoding(stream) == "latin-1"


async def test_lines_in_another_encoding_are_understood(pipe: Pipe) -> None:
    os.write(pipe._writer, "é\n".encode("cp850"))
    assert await LineReader(pipe.reader, "cp850").read_line() == "é"


# The end.


@pytest.mark.parametrize(("typed", "again"), [("a\n", True), ("Again \n", True), ("\n", False)])
async def test_who_sits_there_is_asked_for_another_match(
    pipe: Pipe, typed: str, again: bool
) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.rest(again=True)
        assert await rig.text() == "Type a to play again, or an empty line to leave.\n"
        pipe.write(typed)
        assert isinstance(await rig.face.decisions.receive(), Again if again else GoOn)


async def test_the_end_of_the_input_wants_no_other_match(pipe: Pipe) -> None:
    async with running(pipe, interactive=True) as rig:
        rig.face.rest(again=True)
        pipe.end()
        assert isinstance(await rig.face.decisions.receive(), GoOn)


async def test_a_plan_is_for_one_match(pipe: Pipe) -> None:
    async with running(pipe, interactive=False) as rig:
        pipe.write("a\n")
        rig.face.rest(again=True)
        assert isinstance(await rig.face.decisions.receive(), GoOn)
        assert await rig.text() == ""
