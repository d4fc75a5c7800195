"""Bots from outside in the arena: programs and TCP, what they do wrong, what is left of them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pazaak_p2p.arena.crew import Crew
from pazaak_p2p.arena.errors import BotNotReady
from pazaak_p2p.arena.plan import game_of, seconds_of
from pazaak_p2p.arena.referee import Fault
from pazaak_p2p.arena.result import Result
from pazaak_p2p.cli.arena_show import LineShow
from pazaak_p2p.errors import Exit
from pazaak_p2p.rules import Rules
from tests.arena.arenas import plan_of
from tests.arena.test_crew import played
from tests.bots.outsiders import EXAMPLES, MISBEHAVING, group, misbehaving, python, running
from tests.cli.ran import Ran
from tests.e2e.processes import SECONDS, Pazaak
from tests.verifier import verify

if sys.platform == "win32":
    pytest.skip("looks for processes in /proc", allow_module_level=True)

LAST = """
from pazaak_p2p.rules import legal_actions


class Last:
    def choose(self, view):
        return legal_actions(view.state)[-1]
"""


@pytest.mark.parametrize("fast", [True, False])
def test_a_program_plays_what_its_like_in_the_process_plays(tmp_path: Path, fast: bool) -> None:
    """Cards follow from the seeds, so equal choices give equal matches, byte for byte."""
    (tmp_path / "last.py").write_text(LAST)
    results, records = [], []
    for name, bot in (("in", f"{tmp_path}/last.py:Last"), ("out", misbehaving("hang", 10_000))):
        folder = tmp_path / name
        folder.mkdir()
        plan = plan_of(bot, "random", matches=8, fast=fast)
        results.append(played(plan, 1, None if fast else folder))
        records.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert results[0] == results[1]
    assert {result.termination for result in results[0]} == {"normal"}
    assert records[0] == records[1]
    assert len(records[0]) == (0 if fast else 8)


def test_the_examples_play_and_repeat_themselves() -> None:
    names = ["bot.sh", "bot.py", *(["bot.js"] if shutil.which("node") else [])]
    bots = [f"cmd:{EXAMPLES / name}" for name in names]
    plan = plan_of("threshold:17", *bots, f"{EXAMPLES}/stand17.py:Stand17", matches=2)
    results = played(plan, 1)
    assert {result.termination for result in results} == {"normal"}
    assert played(plan, 2) == results


@contextmanager
def listening() -> Iterator[int]:
    """The example that listens, for as many as come; its port."""
    with subprocess.Popen(
        [sys.executable, "-S", str(EXAMPLES / "bot.py"), "--listen", "0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.kill()


DEEDS = {
    "crash": Fault.CRASH,
    "killed": Fault.CRASH,
    "gives-up": Fault.CRASH,
    "garbage": Fault.GARBAGE,
    "long": Fault.GARBAGE,
    "flood": Fault.GARBAGE,
    "illegal": Fault.ILLEGAL,
    "hang": Fault.TIME,
    "stderr": Fault.TIME,
}


def test_what_they_do_wrong_loses_the_match_and_is_told_apart(tmp_path: Path) -> None:
    # Little time only for those whose fault it is to take it.
    seconds = {deed: 0.7 if fault is Fault.TIME else 30 for deed, fault in DEEDS.items()}
    bots = [misbehaving(deed, 2, f",seconds={seconds[deed]}") for deed in DEEDS]
    forgiven = [misbehaving("crash", 2, ",restart=100"), misbehaving("concede", 1)]
    plan = plan_of("threshold", *bots, *forgiven, matches=2, fast=False, gauntlet=True)
    results = played(plan, 1, tmp_path)
    verdicts = [verify(path.read_bytes()) for path in sorted(tmp_path.iterdir())]
    assert [verdict.winner for verdict in verdicts] == [result.winner for result in results]
    for at, fault in enumerate(DEEDS.values()):
        for result, winner in zip(results[2 * at : 2 * at + 2], (0, 1), strict=True):
            assert (result.termination, result.winner) == (fault.value, winner)
            assert result.note
            assert verdicts[result.number].termination == "concession"
    assert "It ended with exit code 3." in results[0].note
    # One that is to be restarted plays on; and who concedes has done nothing wrong.
    for result in results[-4:-2]:
        assert result.termination == "normal"
        assert result.note.startswith("The bot ended. It ended with exit code 3.")
    assert results[-2] == Result(len(results) - 2, 0, "concession", (0, 0))


def test_that_a_bot_was_restarted_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_of("threshold", "random")
    game = game_of(plan, plan.pairings, 0)
    LineShow(None).game(plan, game, Result(0, 1, "normal", (0, 3), "The bot ended."))
    assert capsys.readouterr().out == "restart game 0 The bot ended.\n"


def test_what_is_told_of_a_bot_is_safe_to_show_wherever_it_came_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = plan_of("threshold", "random")
    game = game_of(plan, plan.pairings, 0)
    show = LineShow(None)
    for termination in ("normal", "crash"):  # as from a state file, or another machine
        show.game(plan, game, Result(0, 1, termination, (0, 3), "\x1b[2J" + 10_000 * "a"))
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20] for line in lines] == ["restart game 0 \\x1b[", "crash game 0 a: \\x1b"]
    assert all(line.isprintable() and len(line) < 2100 for line in lines)


def test_over_tcp_each_process_has_its_connection() -> None:
    with listening() as port:
        plan = plan_of("threshold", f"tcp:127.0.0.1:{port}", f"tcp,risk=15:127.0.0.1:{port}")
        over_tcp = played(plan, 2)
    bot = EXAMPLES / "bot.py"
    by_streams = plan_of("threshold", python(bot), python(bot, settings=",risk=15"))
    assert over_tcp == played(by_streams, 1)


def test_one_that_is_not_there_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    for bot, says in (
        ("cmd:./no-such-program", "The bot './no-such-program' cannot be started."),
        (f"tcp:127.0.0.1:{port}", f"There is no bot at 127.0.0.1:{port}."),
        (misbehaving("crash", 0), "The bot ended."),
    ):
        with pytest.raises(BotNotReady) as caught:
            played(plan_of("threshold", bot), 1)
        assert caught.value.what == says
        assert caught.value.why
        assert caught.value.next


def test_seconds_of_a_bot_count_in_place_of_those_of_all() -> None:
    plan = plan_of("threshold", "cmd,seconds=20:x", "py,seconds=2:a.py:A", move_seconds=5)
    assert [seconds_of(plan, entrant) for entrant in plan.entrants] == [5, 20, 2]
    clock = plan_of("cmd,seconds=20:x", move_seconds=5, rules=Rules(turn_seconds=8))
    assert seconds_of(clock, clock.entrants[0]) == 8  # R21


def test_the_crew_gives_a_class_its_own_seconds(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(
        "import time\nclass Hangs:\n    def choose(self, view):\n        time.sleep(1000)\n"
    )
    plan = plan_of("threshold", f"py,seconds=0.1:{tmp_path}/bots.py:Hangs")
    with Crew(plan, 1, None) as crew:
        results = [result for some in crew.play(iter([0])) for result in some]
    assert results == [Result(0, 0, "time", (0, 0), "It did not answer within 0.1 seconds.")]


# --- what is left of them


def started(crew: Crew) -> int:
    """The process group of the only bot from outside, which is asked for ever."""
    games = crew.play(iter(range(2)))
    while not any(crew._workers[0].cells[3:] if crew._workers else ()):
        assert next(games) == []
    return int(next(number for number in crew._workers[0].cells[3:] if number))


def programs(mark: str) -> list[str]:
    """The bots of ``python`` that have *mark* among their arguments."""
    return [line for line in running(mark) if line.startswith(f"{sys.executable} -S ")]


def until(happened: Callable[[], bool]) -> None:
    """Wait: who is no child of ours can only be looked for."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end


def test_a_bot_whose_process_was_killed_is_ended() -> None:
    with Crew(plan_of(misbehaving("hang", 1), "threshold", matches=2), 1, None) as crew:
        number = started(crew)
        process = crew._workers[0].process
        process.kill()
        process.join()
        crew._collect()
        until(lambda: not group(number))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_behind_an_arena_that_is_stopped(
    tmp_path: Path, number: signal.Signals
) -> None:
    mark = f"mark-{os.getpid()}-{number.name}"
    bots = [python(MISBEHAVING, "hang", str(at), mark) for at in (1, 10_000)]
    arguments = ["--matches", "4", "--fast", "--json", "--concurrency", "1", "--state", "state"]
    with Pazaak("arena", *bots, *arguments[:-1], f"{tmp_path}/state", home=tmp_path) as arena:
        arena.until("arena")
        until(lambda: len(programs(mark)) == 2)
        arena.signal(number)
        code = arena.finish()
    assert code == (Exit.INTERRUPTED if number is signal.SIGINT else -signal.SIGKILL)
    until(lambda: not programs(mark))


def test_an_arena_of_programs_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Stopped by a Ctrl-C and killed, in turn: the outcome is that of one that nobody stops."""
    mark = f"mark-{os.getpid()}-goes-on"
    state, records = tmp_path / "state", tmp_path / "records"
    with listening() as port:
        bots = [
            python(MISBEHAVING, "hang", "1000000", mark),
            python(EXAMPLES / "bot.py", settings=",risk=15"),
            f"tcp,risk=19:127.0.0.1:{port}",
        ]
        arguments = [*bots, "--matches", "40", "--seed", "1", "--json", "--concurrency", "2"]
        whole = Ran(tmp_path, "arena", *arguments)
        assert (whole.code, whole.err) == (Exit.DONE, "")
        arguments += ["--state", str(state), "--records", str(records)]
        kept = b""
        for number in (signal.SIGINT, signal.SIGKILL):
            with Pazaak("arena", *arguments, home=tmp_path) as arena:
                arena.hold_back()
                for _ in range(kept.count(b"\n") + 2):  # what was kept is told again
                    arena.until("game")
                assert programs(mark)
                arena.signal(number)
                code = arena.finish()
            assert code == (Exit.INTERRUPTED if number is signal.SIGINT else -signal.SIGKILL)
            assert arena.stderr == ""
            until(lambda: not programs(mark))
            assert state.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
            kept = state.read_bytes()
        assert kept.count(b"\n") < 121  # it never came to its end
        again = Ran(tmp_path, "arena", *arguments)
    assert (again.code, again.err) == (Exit.DONE, "")
    assert again.out == whole.out
    assert not programs(mark)
    games = [event for event in map(json.loads, whole.out.splitlines()) if event["event"] == "game"]
    verdicts = [verify(path.read_bytes()) for path in sorted(records.glob("*.pzk"))]
    assert [list(verdict.sets) for verdict in verdicts] == [game["sets"] for game in games]
    assert len(list(records.iterdir())) == len(games) == 120
