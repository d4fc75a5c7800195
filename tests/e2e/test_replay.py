"""``pazaak replay`` on a real terminal."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from pazaak_p2p.tui.glyphs import UNICODE
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_page import draw_replay
from pazaak_p2p.tui.replay_record import Side
from tests.tui.drawn import text_of
from tests.tui.replay_pages import GOLD, ROOT, recording

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

from tests.e2e.persons import check, pazaak
from tests.terminal import Terminal

RECORD = str(ROOT / "seeds" / GOLD / "expected.pzk")


def shows(terminal: Terminal, step: int, side: Side, columns: int, rows: int, pace: float) -> None:
    """Wait for *step*; the whole screen is as its page."""
    replay = Replay(recording(GOLD), UNICODE, side=side, at=step - 1, pace=pace)
    page = text_of(draw_replay(replay, columns, rows, UNICODE)).splitlines()
    terminal.wait_for("\n".join([*page, *[""] * (rows - len(page))]))


def test_a_match_is_stepped_through_by_keys_and_mouse_and_by_itself(tmp_path: Path) -> None:
    with pazaak(tmp_path, "replay", RECORD, "--pace", "1") as terminal:
        shows(terminal, 1, Side.ABOVE, 80, 24, 1)
        terminal.send("\x1b[C\x1b[C\x1b[B\x1b[B\x1b[D")
        shows(terminal, 5, Side.ABOVE, 80, 24, 1)
        terminal.send("\x1b[6~")
        shows(terminal, 24, Side.ABOVE, 80, 24, 1)
        terminal.send("v\x1b[5~g22\r")
        shows(terminal, 22, Side.HOST, 80, 24, 1)
        terminal.click("End")
        shows(terminal, 34, Side.HOST, 80, 24, 1)
        terminal.send("\x1b[<64;70;3M\x1b[<64;70;3M\x1b[<65;2;20M")  # the wheel: back, back, on
        shows(terminal, 33, Side.HOST, 80, 24, 1)
        terminal.resize(16, 40)
        shows(terminal, 33, Side.HOST, 40, 16, 1)
        terminal.resize(40, 130)
        terminal.send("v\x1b[H")
        shows(terminal, 1, Side.JOIN, 130, 40, 1)
        terminal.send("+" * 9 + " ")  # by itself to the end
        terminal.wait_for("34 of 34", seconds=40)
        shows(terminal, 34, Side.JOIN, 130, 40, 0.1)
        terminal.send("q")
        end = terminal.finish()
        check(end, 0)
        assert terminal.lines()[0] == " Ann won the match, 2 to 0."


def test_a_terminal_that_cannot_draw_gets_lines_and_a_signal_leaves_nothing(tmp_path: Path) -> None:
    with pazaak(tmp_path, "replay", RECORD, more={"TERM": "dumb"}) as terminal:
        terminal.wait_for("[1 of 34; ? for help]")
        terminal.send("4\r")
        terminal.wait_for("   4  Ann draws [4]: 4.")
        terminal.send("q\r")
        check(terminal.finish(), 0)
    with pazaak(tmp_path, "replay", RECORD, more={"NO_COLOR": "1"}) as terminal:
        terminal.send("g22\r")
        terminal.wait_for("22 of 34")
        assert terminal.style_at(2, 1)[:2] == ("default", "default")
        terminal.signal(signal.SIGTERM)
        check(terminal.finish(), 130)
    with pazaak(tmp_path, "replay", RECORD) as terminal:
        terminal.wait_for("1 of 34")
        terminal.hang_up()  # the window was closed
        end = terminal.finish()
        assert (end.hung, end.exit_code) == (False, 130)
