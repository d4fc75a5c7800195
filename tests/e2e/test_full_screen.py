"""The table on a real pseudo-terminal: whole matches by keys and mouse, sizes, colours, storms."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.errors import Exit
from tests.e2e.persons import check, pazaak
from tests.e2e.processes import hosting
from tests.terminal import Terminal
from tests.verifier import verify

RIGHT, ENTER = "\x1b[C", "\r"
OVER = "any other key leaves."


def by_keys(terminal: Terminal, key: str, meaning: str) -> None:
    terminal.send(key)


def by_mouse(terminal: Terminal, key: str, meaning: str) -> None:
    terminal.click(f" {key} {meaning}" if meaning else f" {key} ")


def by_arrows(terminal: Terminal, key: str, meaning: str) -> None:
    """On to the right until it is chosen, then Enter."""
    for _ in range(12):
        if f"▸{key}" in terminal.text():
            break
        terminal.send(RIGHT)
        settle(terminal)
    terminal.send(ENTER)


def play_through(terminal: Terminal, press: Callable[[Terminal, str, str], None]) -> None:
    """End the first turn and stand in the next, until the match is over."""
    deadline = time.monotonic() + 40
    ended = False
    while OVER not in terminal.text():
        assert time.monotonic() < deadline, terminal.text()
        settle(terminal)
        text = terminal.text()
        if "Really (y/n)?" in text:
            press(terminal, "y", "")
        elif " stand" in text and " end" in text:
            press(terminal, *(("s", "stand") if ended else ("e", "end")))
            ended = True


def settle(terminal: Terminal) -> None:
    """Take in what the program shows until it is quiet."""
    while not terminal.quiet(0.15) and terminal.pump():
        pass


def leave(terminal: Terminal, home: Path) -> None:
    terminal.send(" ")
    check(terminal.finish(), Exit.DONE)
    assert not terminal.full_screen
    text = " ".join(terminal.everything().split())  # broken into lines anywhere
    assert "threshold sits down at the table." in text
    assert "Both side decks have been opened and checked: a fair match." in text
    assert "Record: " in text
    (record,) = (home / "matches").iterdir()
    verdict = verify(record.read_bytes())
    assert verdict.clean
    assert verdict.complete


@pytest.mark.parametrize(
    ("press", "columns", "rows"),
    [
        (by_keys, 80, 24),
        (by_keys, 40, 16),
        (by_keys, 200, 50),
        (by_mouse, 80, 24),
        (by_mouse, 40, 16),
        (by_mouse, 200, 50),
        (by_arrows, 80, 24),
    ],
)
def test_a_whole_match(
    tmp_path: Path, press: Callable[[Terminal, str, str], None], columns: int, rows: int
) -> None:
    options = ["play", "--seed", "full screen", "--rules", "sets=1"]
    with pazaak(tmp_path, *options, columns=columns, rows=rows) as terminal:
        terminal.wait_for("Your turn.")
        assert terminal.full_screen
        play_through(terminal, press)
        leave(terminal, tmp_path)


@pytest.mark.parametrize(
    ("options", "environment"),
    [(["--ascii"], {}), ([], {"NO_COLOR": "1"}), ([], {"LC_ALL": "C"})],
    ids=["ascii", "no-color", "C"],
)
def test_a_whole_match_with_less(
    tmp_path: Path, options: list[str], environment: dict[str, str]
) -> None:
    rules = ["play", "--seed", "less", "--rules", "sets=1", *options]
    extra = {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"} if "LC_ALL" in environment else {}
    with pazaak(tmp_path, *rules, more=environment | extra) as terminal:
        terminal.wait_for("Your turn.")
        play_through(terminal, by_keys)
        leave(terminal, tmp_path)
    if "NO_COLOR" in environment:
        assert b"[38;" not in terminal.raw
        assert b"[48;" not in terminal.raw
        assert not any(f"\x1b[0;{colour}".encode() in terminal.raw for colour in range(30, 48))
    else:
        assert terminal.raw.isascii()


def test_resizing_in_the_middle_of_a_match(tmp_path: Path) -> None:
    with pazaak(tmp_path, "play", "--seed", "sizes", "--rules", "sets=1") as terminal:
        terminal.wait_for("Your turn.")
        terminal.resize(16, 40)
        terminal.wait_gone("first to 1 set")
        terminal.wait_for("Your turn.")
        terminal.resize(10, 30)
        terminal.wait_for("The table needs 40 columns")
        terminal.resize(50, 200)
        terminal.wait_for("first to 1 set")
        assert "The table needs" not in terminal.text()
        terminal.resize(24, 80)
        settle(terminal)
        play_through(terminal, by_keys)
        leave(terminal, tmp_path)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"COLORTERM": "truecolor"}, "48;2;0;135;0"),
        ({}, "48;5;28"),
        ({"TERM": "xterm-16color"}, ";42"),
    ],
    ids=["true colour", "256", "16"],
)
def test_colours(tmp_path: Path, environment: dict[str, str], expected: str) -> None:
    with pazaak(tmp_path, "play", "--seed", "colours", more=environment) as terminal:
        terminal.wait_for("Your turn.")
        assert expected.encode() in terminal.raw
        terminal.send("qq")
        check(terminal.finish(), Exit.INTERRUPTED)


def test_a_theme_by_option_and_a_look_of_ones_own(tmp_path: Path) -> None:
    settings = '[table]\npace = 0\n[colours]\n"card.green" = "bg:#123456 #ffffff"\n'
    (tmp_path / "config.toml").write_text(settings)
    options = ["play", "--seed", "colours", "--theme", "colour-blind"]
    with pazaak(tmp_path, *options, more={"COLORTERM": "truecolor"}) as terminal:
        terminal.wait_for("Your turn.")
        assert b"48;2;18;52;86" in terminal.raw  # ours
        assert b"48;2;204;121;167" in terminal.raw  # that of the theme for ± cards
        terminal.send("qq")
        check(terminal.finish(), Exit.INTERRUPTED)


def test_a_pace_at_which_one_can_follow(tmp_path: Path) -> None:
    """The bot's turn is over at once, and is shown one card after the other, or when wanted."""
    options = ["play", "--seed", "pace", "--rules", "sets=1", "--pace", "10"]
    with pazaak(tmp_path, *options) as terminal:
        terminal.wait_for("Who opens?")
        terminal.wait_for("Any key goes on.")
        assert "Your turn." not in terminal.text()
        terminal.send("s")  # goes on, and is no move
        terminal.wait_for("Your turn.")
        assert "You stand" not in terminal.text()


def test_a_kept_match_is_left_and_resumed(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "host", "--serve", bot="threshold") as (_, address),
        pazaak(tmp_path / "join", "join", address) as terminal,
    ):
        terminal.wait_for("Your turn.")
        terminal.send("q")
        terminal.wait_for("The match is kept: pazaak resume goes on with it.")
        terminal.send("y")
        check(terminal.finish(), Exit.INTERRUPTED)
        assert "pazaak resume" in terminal.text()
        with pazaak(tmp_path / "join", "resume") as again:
            again.wait_for("The match goes on where it was")
            again.wait_for("Your turn.")
            again.send("l\x1b[H")
            again.wait_for("The match begins")
            again.wait_for("Your hand for the whole match")
            again.send("l")
            again.send("qq")
            check(again.finish(), Exit.INTERRUPTED)


@pytest.mark.parametrize("by", ["Ctrl-Z", "kill"])
def test_what_was_stopped_goes_on(tmp_path: Path, by: str) -> None:
    shell = ["/bin/bash", "--norc", "-i"]
    env = {"PAZAAK_HOME": str(tmp_path), "PS1": "$ ", "PYTHONWARNINGS": "error"}
    with Terminal(shell, env=env) as terminal:
        terminal.wait_for("$")
        terminal.send(f"{sys.executable} -m pazaak_p2p play --seed aside --pace 0\r")
        terminal.wait_for("Your turn.")
        if by == "Ctrl-Z":
            terminal.send("\x1a")
            terminal.wait_for("Stopped")
            assert not terminal.full_screen
        else:
            os.kill(os.tcgetpgrp(terminal.fd), signal.SIGTSTP)
            terminal.wait_for("Stopped")  # over the table: nobody could take that away
        terminal.send("clear; fg\r")
        terminal.wait_for("Your turn.")
        terminal.send("z")  # a key, not a line
        terminal.wait_for("z does nothing here")
        terminal.send("qq")
        terminal.wait_for("You left the match.")
        terminal.send("exit\r")
        end = terminal.finish()
        assert not end.hung
        assert end.main_screen
        assert end.mouse_off
        assert end.cursor_visible


def test_a_storm_of_SIGTERM(tmp_path: Path) -> None:
    with pazaak(tmp_path, "play", "--seed", "storm") as terminal:
        terminal.wait_for("Your turn.")
        for _ in range(300):
            terminal.signal(signal.SIGTERM)
        check(terminal.finish(), Exit.INTERRUPTED)
