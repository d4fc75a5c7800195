"""The person's side in a real pseudo-terminal, with what can happen to one."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from tests.terminal import Ended, Terminal

ROOT = Path(__file__).parents[2]
CTRL_C = "\x03"


@contextmanager
def program(*arguments: str, env: dict[str, str] | None = None, **size: int) -> Iterator[Terminal]:
    argv = [sys.executable, "-m", "tests.tui.program", *arguments]
    with Terminal(argv, env=env, cwd=str(ROOT), **size) as terminal:  # type: ignore[arg-type]
        yield terminal


def check(end: Ended, exit_code: int) -> None:
    assert not end.hung
    assert end.exit_code == exit_code
    assert end.restored, end


def test_a_match_by_hand() -> None:
    with program() as terminal:
        terminal.wait_for("Your turn.")
        terminal.send("e")
        terminal.wait_for("You draw [7]: 17.")
        assert "Is 17 enough?" not in terminal.text()  # what is printed waits for the table to go
        terminal.send("1")
        end = terminal.finish()
        check(end, 0)
        assert "\nIs 17 enough?\n" in terminal.text()
        assert "Set 1 is yours: 20 beats 18 (R18)." in terminal.text()
        assert terminal.text().rstrip().endswith("ended with 0")
        assert "╭" not in terminal.text()  # the table has gone, how it went stays


def test_ctrl_c_twice_leaves() -> None:
    with program() as terminal:
        terminal.wait_for("Your turn.")
        terminal.send(CTRL_C)
        terminal.wait_for("Leave now?")
        terminal.send(CTRL_C)
        check(terminal.finish(), 130)


def test_SIGINT_twice_leaves() -> None:
    with program() as terminal:
        terminal.wait_for("Your turn.")
        terminal.signal(signal.SIGINT)
        terminal.wait_for("Leave now?")
        terminal.signal(signal.SIGINT)
        check(terminal.finish(), 130)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_cancels_leaves_the_terminal_as_it_was(number: int) -> None:
    with program() as terminal:
        terminal.wait_for("Your turn.")
        terminal.signal(number)
        check(terminal.finish(), 130)


@pytest.mark.parametrize("arguments", [(), ("--plain",)])
def test_a_closed_window_ends_the_program(arguments: tuple[str, ...]) -> None:
    with program(*arguments) as terminal:
        terminal.wait_for("Your turn.")
        terminal.hang_up()
        assert not terminal.finish().hung


def test_a_bug_leaves_the_terminal_as_it_was() -> None:
    with program("--bug") as terminal:
        end = terminal.finish()
        assert end.exit_code == 1
        assert end.restored
        assert "AttributeError" in terminal.everything()


def test_resizing_draws_what_fits() -> None:
    with program() as terminal:
        terminal.wait_for("first to 1 set · you opened")
        terminal.resize(16, 40)
        terminal.wait_gone("you opened")
        terminal.wait_for(" 4   D    → 20 stands")
        terminal.resize(30, 100)
        terminal.wait_for("first to 1 set · you opened")
        terminal.send("qy")
        check(terminal.finish(), 130)


def test_a_terminal_that_answers_nothing_is_asked_nothing() -> None:
    with program(rows=24, columns=80) as terminal:
        terminal.wait_for("Your turn.")
        terminal.send("qy")
        check(terminal.finish(), 130)
        assert b"\x1b[6n" not in terminal.raw


def colours(terminal: Terminal) -> set[str]:
    cells = [terminal.style_at(row, column) for row in range(24) for column in range(80)]
    return {colour for foreground, background, _, _ in cells for colour in (foreground, background)}


def test_colours() -> None:
    with program() as terminal:
        terminal.wait_for("Your turn.")
        assert {"008700", "005faf", "8700af", "d7af00"} <= colours(terminal)


def test_NO_COLOR() -> None:
    with program(env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("Your turn.")
        assert colours(terminal) == {"default"}


def test_a_terminal_without_unicode_gets_ascii() -> None:
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    with program(env=env) as terminal:
        terminal.wait_for("Your turn.")
        assert "[+-4] [1+-2]" in terminal.text()
        assert terminal.raw.isascii()


@pytest.mark.parametrize(
    ("arguments", "term"), [(("--plain",), "xterm"), ((), "dumb"), ((), "unknown")]
)
def test_plain_lines_move_no_cursor(arguments: tuple[str, ...], term: str) -> None:
    with program(*arguments, env={"TERM": term}, rows=60) as terminal:
        terminal.wait_for("Your turn.")
        terminal.send("e\n")
        terminal.wait_for("You draw [7]: 17.")
        terminal.send("2\n")
        terminal.wait_for("Press + or -.")
        terminal.send("-\n")
        terminal.wait_for("You play [±4] as -4: 13.")
        terminal.send("s\n")
        check(terminal.finish(), 0)
        assert "\x1b" not in terminal.raw.decode()


def test_plain_lines_ctrl_c_twice_leaves() -> None:
    with program("--plain", rows=60) as terminal:
        terminal.wait_for("Your turn.")
        terminal.send(CTRL_C)
        terminal.wait_for("Leave now?")
        terminal.send(CTRL_C)
        check(terminal.finish(), 130)


def test_plain_lines_ctrl_d_leaves_with_a_word() -> None:
    with program("--plain", rows=60) as terminal:
        terminal.wait_for("Your turn.")
        terminal.send("\x04")
        check(terminal.finish(), 130)
        assert "End of input: leaving the match." in terminal.text()


def test_a_stopped_terminal_does_not_stop_the_match() -> None:
    with program("--plain", rows=60) as terminal:
        terminal.wait_for("Your turn.")
        terminal.send("\x13")  # Ctrl-S
        terminal.send("e\n")
        terminal.send("\x11")  # Ctrl-Q
        terminal.wait_for("You draw [7]: 17.")
        terminal.send("q\ny\n")
        check(terminal.finish(), 130)


def test_a_key_is_answered_quickly() -> None:
    with program() as terminal:
        terminal.wait_for("Your turn.")
        began = time.monotonic()
        terminal.send("z")
        terminal.wait_for("z does nothing here")
        assert time.monotonic() - began < 5
