"""The processes of an arena: the same results from any number; hanging and dying bots."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pazaak_p2p.arena import referee
from pazaak_p2p.arena.crew import Crew
from pazaak_p2p.arena.ledger import Ledger
from pazaak_p2p.arena.plan import Plan
from pazaak_p2p.arena.result import Result
from pazaak_p2p.store.lines import FileTrouble
from pazaak_p2p.text import printable
from tests.arena.arenas import plan_of
from tests.bots.outsiders import running
from tests.verifier import verify


def played(plan: Plan, size: int, records: Path | None = None) -> list[Result]:
    with Crew(plan, size, records) as crew:
        results = [r for some in crew.play(iter(range(plan.games))) for r in some]
    assert len(results) == plan.games
    return sorted(results, key=lambda result: result.number)


def played_one(plan: Plan, records: Path | None) -> list[Result]:
    """The first game alone."""
    with Crew(plan, 1, records) as crew:
        return [result for some in crew.play(iter([0])) for result in some]


@pytest.mark.parametrize("fast", [True, False])
def test_the_results_are_the_same_from_any_number_of_processes(fast: bool) -> None:
    plan = plan_of("threshold:16", "random", "threshold:18", matches=6, fast=fast)
    assert played(plan, 1) == played(plan, 3)


@pytest.mark.parametrize("fast", [True, False])
def test_a_player_against_itself_shares_every_pair(fast: bool) -> None:
    plan = plan_of("threshold", "threshold", matches=20, fast=fast)
    ledger = Ledger(plan)
    for result in played(plan, 2):
        ledger.add(result)
    list(ledger.release())
    # The second game is the first with the players swapped: same cards, same choices.
    assert ledger.pairs == [[0, 0, 10, 0, 0]]
    assert len({result.winner for result in played(plan, 2)}) == 2


def test_records_are_whole_and_prove_the_results(tmp_path: Path) -> None:
    plan = plan_of("threshold", "random", matches=4, fast=False)
    results = played(plan, 2, tmp_path)
    files = sorted(tmp_path.iterdir())
    assert [file.name[:7] for file in files] == ["0000001", "0000002", "0000003", "0000004"]
    assert [file.name[7:] for file in files[:2]] == ["_a_vs_b.pzk", "_b_vs_a.pzk"]
    before = [file.read_bytes() for file in files]
    for result, data in zip(results, before, strict=True):
        verdict = verify(data)
        assert (verdict.winner, verdict.sets) == (result.winner, result.sets)
        assert (verdict.termination, verdict.complete) == ("normal", True)
    # Played again, each takes its own place.
    assert played(plan, 1, tmp_path) == results
    assert [file.read_bytes() for file in sorted(tmp_path.iterdir())] == before


def test_a_record_that_cannot_be_written_ends_it(tmp_path: Path) -> None:
    plan = plan_of("threshold", "random", matches=2, fast=False)
    with pytest.raises(Exception, match="cannot be written") as caught:
        played(plan, 1, tmp_path / "nowhere")
    assert not isinstance(caught.value, FileTrouble)  # it comes from the other process


@pytest.fixture
def hanging(tmp_path: Path) -> str:
    """A bot that never answers: its script is a pipe into which nobody writes."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    return f"script:{fifo}"


def asked(crew: Crew, results: Iterator[list[Result]]) -> int:
    """Wait until a bot is being asked; the process that asks it."""
    next(results)
    (worker,) = crew._workers
    while worker.cells[1] & 3 == 0:
        assert next(results) == []
    assert worker.process.pid is not None
    return worker.process.pid


@pytest.mark.parametrize("fast", [True, False])
def test_a_bot_that_hangs_has_lost_by_time(
    hanging: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee, "START_SECONDS", 0.1)
    plan = plan_of("threshold", hanging, matches=2, fast=fast, move_seconds=0.2)
    for number, result in enumerate(played(plan, 1)):
        assert result == Result(
            number, number, "time", (0, 0), "It did not get ready within 0.2 seconds."
        )


def test_a_bot_that_takes_its_process_with_it_twice_has_crashed(hanging: str) -> None:
    plan = plan_of(hanging, "threshold", matches=2, fast=True)
    with Crew(plan, 1, None) as crew:
        results = crew.play(iter([0]))
        os.kill(asked(crew, results), signal.SIGKILL)
        while crew._workers[0].process.exitcode is None:
            crew._workers[0].process.join()
        assert next(results) == []  # it may not have been the bot
        os.kill(asked(crew, results), signal.SIGKILL)
        rest = [result for some in results for result in some]
    assert rest == [Result(0, 1, "crash", (0, 0), "It ended its process (-9).")]


FORKING = """
import os, subprocess, sys, time

from pazaak_p2p.rules import legal_actions


class Last:
    def choose(self, view):
        return legal_actions(view.state)[-1]


class GoesOnTwice(Last):
    def choose(self, view):
        os.fork()
        print('{"event": "standing"}', flush=True)
        return super().choose(view)


class Starts(Last):
    def choose(self, view):
        subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(1000)", MARK])
        return super().choose(view)


class LeavesACopy(Last):  # which holds the line on which results are awaited
    def choose(self, view):
        if os.fork():
            os._exit(3)
        time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_bots_start_neither_speaks_for_the_arena_nor_outlives_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mark = f"mark-{os.getpid()}"
    (tmp_path / "forking.py").write_text(FORKING.replace("MARK", repr(mark)))
    results = {}
    for name in ("Last", "GoesOnTwice", "Starts", "LeavesACopy"):
        plan = plan_of("threshold", f"{tmp_path}/forking.py:{name}", matches=2)
        results[name] = played(plan, 1)
    assert results["GoesOnTwice"] == results["Starts"] == results["Last"]
    assert results["LeavesACopy"] == [
        Result(number, number, "crash", (0, 0), "It ended its process (3).") for number in (0, 1)
    ]
    said = capfd.readouterr()
    assert said.out == ""
    assert '{"event": "standing"}' in said.err
    assert running(mark) == []


FAILS = """
import os
import time
from pathlib import Path

from pazaak_p2p.bots import ThresholdBot

HERE = Path(__file__).parent


class Fails(ThresholdBot):
    \"\"\"Does DEEDS one after the other, each instead of an answer, and then plays.\"\"\"

    def __init__(self, deeds):
        super().__init__(17)
        self.deeds = deeds.split("-")

    def choose(self, view):
        number = 0
        for deed in self.deeds:
            number += 1
            try:
                open(HERE / f"done-{number}", "x").close()
            except FileExistsError:
                continue
            if deed == "dies":
                os._exit(7)
            if deed == "closes":
                os.closerange(3, 100)
            if deed == "hangs":
                time.sleep(1000)
            raise ZeroDivisionError("nothing by nothing")
        return super().choose(view)
"""


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(
    ("deeds", "restarts", "termination", "note"),
    [
        # The first that dies is forgiven: it may have been anybody's doing.
        ("dies-dies", 1, "normal", "It ended its process (7). Starting BOT again (1 of 1)."),
        ("dies-dies", 0, "crash", "It ended its process (7)."),
        ("closes-closes", 0, "crash", "It closed files of the process that plays it."),
        ("hangs-raises", 1, "crash", "f.py, line 32: ZeroDivisionError: nothing by nothing"),
        (
            "hangs-raises",
            2,
            "normal",
            "It did not answer within 0.1 seconds. Starting BOT again (1 of 2)."
            " f.py, line 32: ZeroDivisionError: nothing by nothing. Starting BOT again (2 of 2).",
        ),
    ],
)
def test_a_class_that_is_restarted_plays_on(
    tmp_path: Path, fast: bool, deeds: str, restarts: int, termination: str, note: str
) -> None:
    (tmp_path / "f.py").write_text(FAILS)
    bot = f"py,seconds=0.1,restart={restarts},deeds={deeds}:{tmp_path}/f.py:Fails"
    records = None if fast else tmp_path / "records"
    if records is not None:
        records.mkdir()
    (result,) = played_one(plan_of(bot, "threshold:17", matches=2, fast=fast), records)
    assert (result.termination, result.note.replace(printable(bot, 80), "BOT")) == (
        termination,
        note,
    )
    if termination == "normal":
        # As if nothing had happened.
        calm = plan_of("threshold:17", "threshold:17", matches=2, fast=fast)
        assert msgspec.structs.replace(result, note="") == played_one(calm, None)[0]
        assert records is None or len(list(records.iterdir())) == 1


def test_a_process_that_is_killed_costs_nothing() -> None:
    plan = plan_of("threshold", "random", matches=40, fast=False)
    expected = played(plan, 2)
    with Crew(plan, 2, None) as crew:
        results: list[Result] = []
        killed: set[int] = set()
        for some in crew.play(iter(range(plan.games))):
            # Not thrice: that would be found out.
            if some and len(killed) < 2:
                pid = crew._workers[0].process.pid
                assert pid is not None
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
            results += some
    assert sorted(results, key=lambda result: result.number) == expected


def test_no_process_stays_behind() -> None:
    plan = plan_of("threshold", "random", matches=400, fast=False)
    with Crew(plan, 2, None) as crew:
        while not next(crew.play(iter(range(plan.games)))):
            pass
        pids = [worker.process.pid for worker in crew._workers]
    for pid in pids:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
