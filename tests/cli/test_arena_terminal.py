"""The arena's live table on a real terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.errors import Exit
from tests.terminal import Terminal


def terminal(home: Path, *arguments: str) -> Terminal:
    argv = [sys.executable, "-m", "pazaak_p2p", "arena", "threshold", "random", *arguments]
    return Terminal(argv, env={"PAZAAK_HOME": str(home), "PYTHONWARNINGS": "error"})


def test_a_bar_and_a_table_and_at_the_end_the_table_alone(tmp_path: Path) -> None:
    with terminal(tmp_path, "threshold:15", "--fast", "--matches", "4000", "--seed", "1") as live:
        live.wait_for("/12000")
        live.wait_for("player ")
        assert any(line.startswith("threshold ") for line in live.lines())
        live.wait_for("of being stronger than the next below")
        end = live.finish()
        lines = live.lines()
    assert end.exit_code == Exit.DONE
    assert end.restored
    assert not any("/12000" in line for line in lines)
    (heading,) = (line for line in lines if line.startswith("player "))
    assert heading.split() == ["player", "score", "won", "drawn", "lost", "Elo", "±", "LOS"]
    assert not any("…" in line for line in lines)


def test_ctrl_c_ends_it_and_the_terminal_is_as_before(tmp_path: Path) -> None:
    with terminal(tmp_path, "--matches", "4000") as live:
        live.wait_for("player ")
        live.send("\x03")
        live.wait_for("with --state FILE it could have gone on")
        end = live.finish()
    assert end.exit_code == Exit.INTERRUPTED
    assert end.restored
