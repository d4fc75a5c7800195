"""The arena's live table on a real terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals of this kind", allow_module_level=True)

from pazaak_p2p.errors import Exit
from tests.cli.ran import Ran
from tests.terminal import Terminal


def terminal(home: Path, *arguments: str, columns: int = 80) -> Terminal:
    argv = [sys.executable, "-m", "pazaak_p2p", "arena", "threshold", "random", *arguments]
    env = {"PAZAAK_HOME": str(home), "PYTHONWARNINGS": "error"}
    return Terminal(argv, env=env, columns=columns)


def test_a_bar_and_a_table_and_at_the_end_the_table_alone(tmp_path: Path) -> None:
    with terminal(tmp_path, "threshold:15", "--fast", "--matches", "4000", "--seed", "1") as live:
        live.wait_for("/12000")
        live.wait_for("player ")
        assert any(line[3:].startswith("threshold ") for line in live.lines())
        live.wait_for("of being stronger than the next below")
        end = live.finish()
        lines = live.lines()
    assert end.exit_code == Exit.DONE
    assert end.restored
    assert not any("/12000" in line for line in lines)
    heading = next(line for line in lines if line.startswith("#  player "))
    assert heading.split()[2:] == ["score", "won", "drawn", "lost", "Elo", "±", "LOS"]
    assert not any("…" in line for line in lines)


def test_ctrl_c_ends_it_and_the_terminal_is_as_before(tmp_path: Path) -> None:
    with terminal(tmp_path, "--matches", "4000") as live:
        live.wait_for("%")  # a pair has been played
        live.send("\x03")
        live.wait_for("with --state FILE it could have gone on")
        end = live.finish()
        lines = live.everything().splitlines()
    # How it stood then is what stays.
    assert sum(line.startswith("player ") for line in lines) == 1
    assert sum(line.startswith("threshold against ") for line in lines) == 1
    assert not any(line.startswith("matches ") for line in lines)
    assert end.exit_code == Exit.INTERRUPTED
    assert end.restored


def test_more_players_than_lines_leave_the_bar_to_be_seen(tmp_path: Path) -> None:
    bots = [f"threshold:{number}" for number in range(1, 20)]
    with terminal(tmp_path, *bots, "--fast", "--matches", "1000") as live:
        live.wait_for("and 5 more")
        live.wait_for("/210000")
        live.send("\x03")
        assert live.finish().restored


def test_in_a_narrow_terminal_no_number_is_cut(tmp_path: Path) -> None:
    bots = ["threshold:15", "--fast", "--matches", "200", "--seed", "1"]
    with terminal(tmp_path, *bots, columns=40) as live:
        live.wait_for("normalised by how much")
        live.finish()
        shown = "".join(live.everything().split())
    wide = Ran(tmp_path, "arena", "threshold", "random", *bots).out
    for line in wide[wide.index("#  player") : wide.index("Elo is")].splitlines():
        assert "".join(line.split()) in shown


def test_what_a_bot_did_wrong_stands_above_the_table(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("at-end error\nend\n")
    bot = f"script:{tmp_path}/short.txt"
    with terminal(tmp_path, bot, "--fast", "--matches", "60", "--seed", "1", "--gauntlet") as live:
        live.wait_for("normalised by how much")
        live.finish()
        lines = live.everything().splitlines()
    told = [line for line in lines if line.startswith("crash game ")]
    assert [line.split()[2] for line in told] == [str(number) for number in (2, 3, 6, 7, 10)] + [
        str(number) for number in (11, 14, 15, 18, 19)
    ]
    (heading,) = (at for at, line in enumerate(lines) if line.startswith("player "))
    assert lines.index(told[-1]) < heading
    assert lines[heading].split()[-1] == "crash"
    assert not any(line.startswith("matches ") for line in lines)


def test_what_a_bot_prints_does_not_tear_the_table(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "import sys\n"
        "from pazaak_p2p.bots import ThresholdBot\n"
        "class Loud(ThresholdBot):\n"
        "    def choose(self, view):\n"
        "        for stream in (sys.stdout, sys.stderr):\n"
        "            print('a word', file=stream, flush=True)\n"
        "        return super().choose(view)\n"
    )
    bot = f"{tmp_path}/loud.py:Loud"
    with terminal(tmp_path, bot, "--matches", "4") as live:
        live.wait_for("of being stronger than the next below")
        assert live.finish().exit_code == Exit.DONE
        assert "a word" not in live.everything()
    # By one process: of several, one may write between a word and the end of its line.
    once = ["threshold", bot, "--matches", "2", "--concurrency", "1"]
    ran = Ran(tmp_path, "arena", *once, process=True)
    assert set(ran.err.splitlines()) == {"a word"}
    assert "a word" not in ran.out


def test_long_names_are_told_apart_and_leave_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        Path(f"a-very-long-name-{number}.txt").write_text("at-end error\nend\n")
    bots = [f"script:a-very-long-name-{number}.txt" for number in range(2)]
    out = Ran(tmp_path, "arena", "threshold", *bots, "--fast", "--matches", "2").out
    cross = out.split("\n\n")[2].splitlines()
    assert sorted(line.split()[1] for line in cross[1:]) == [
        "script:a-v…-name-0.txt",
        "script:a-v…-name-1.txt",
        "threshold",
    ]
    alike = ["script:a-very-long-name-0.txt", "script:a-very-very-long-name-0.txt"]
    Path("a-very-very-long-name-0.txt").write_text("at-end error\nend\n")
    out = Ran(tmp_path, "arena", "threshold", *alike, "--fast", "--matches", "2").out
    cross = out.split("\n\n")[2].splitlines()
    assert sorted(line.split()[1] for line in cross[1:]) == [*alike, "threshold"]
