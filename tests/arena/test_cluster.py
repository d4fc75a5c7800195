"""An arena on a Dask cluster of two workers: as on one machine, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import socket
import struct
import tempfile
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgpack
import psutil
import pytest

from pazaak_p2p.arena.cluster import crew as dask_crew
from pazaak_p2p.arena.cluster.bench import Foreman, finish, play_portion
from pazaak_p2p.arena.cluster.crew import DaskCrew
from pazaak_p2p.arena.cluster.order import Order, code_digest
from pazaak_p2p.arena.crew import Crew
from pazaak_p2p.arena.errors import ArenaFault, BotNotReady, NoCluster, OtherCode
from pazaak_p2p.arena.plan import Plan
from pazaak_p2p.arena.result import Result
from pazaak_p2p.errors import Exit
from pazaak_p2p.net.address import Address
from tests.arena.arenas import plan_of
from tests.arena.clusters import bots_file, cluster, scheduler, with_this_package
from tests.bots.outsiders import EXAMPLES, python
from tests.cli.ran import Ran
from tests.e2e.processes import SECONDS, Pazaak


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with cluster(tmp_path_factory.mktemp("workers")) as address:
        yield address


def played(crew: Crew | DaskCrew, plan: Plan, games: Sequence[int] | None = None) -> list[Result]:
    games = range(plan.games) if games is None else games
    with crew as playing:
        results = [r for some in playing.play(iter(games)) for r in some]
    return sorted(results, key=lambda result: result.number)


def lives(process: psutil.Process) -> bool:
    # In some containers nobody takes notice of the end of a process whose parent is gone.
    with suppress(psutil.NoSuchProcess):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def wait_for_the_end(processes: Collection[psutil.Process]) -> None:
    while any(map(lives, processes)):
        psutil.wait_procs(processes, timeout=0.1)


def on(address: Address) -> list[str]:
    return ["--on", f"dask://127.0.0.1:{address.port}"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


ARENA = ["threshold:16", "random", "--matches", "60", "--seed", "1", "--json"]


def test_the_same_bytes_as_on_one_machine_also_when_it_was_stopped(
    workers: Address, tmp_path: Path
) -> None:
    def told(name: str, state: str) -> list[str]:
        return [
            *ARENA,
            *("--out", str(tmp_path / name / "result.json"), "--state", str(tmp_path / state)),
            *("--records", str(tmp_path / name)),
        ]

    here = Ran(tmp_path, "arena", *told("here", "here.state"))
    assert (here.code, here.err) == (Exit.DONE, "")
    there = [*told("there", "there.state"), *on(workers)]
    with Pazaak("arena", *there, home=tmp_path) as running:
        running.until("game")
        running.signal(signal.SIGINT)
        assert running.finish() == Exit.INTERRUPTED
        assert running.stderr == ""
        assert '"Type the same command again to go on."' in running.stdout
    kept = (tmp_path / "there.state").read_bytes()
    assert 2 <= kept.count(b"\n") - 1 < 60
    # It can go on here.
    (tmp_path / "mixed.state").write_bytes(kept)
    mixed = ["--state", str(tmp_path / "mixed.state"), "--concurrency", "1"]
    assert Ran(tmp_path, "arena", *ARENA, *mixed).out == here.out
    # It goes on there, and what was played is kept.
    ran = Ran(tmp_path, "arena", *there, "--concurrency", "1")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    first, *rest = ran.out.splitlines()
    assert rest == here.out.splitlines()[1:]
    assert f'"on": "{on(workers)[1]}"' in first
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert len(files(tmp_path / "here")) == 61
    whole = (tmp_path / "there.state").read_bytes()
    assert whole.startswith(kept)
    assert sorted(whole.splitlines()) == sorted((tmp_path / "here.state").read_bytes().splitlines())


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(
    workers: Address, tmp_path: Path
) -> None:
    plan = plan_of(f"{bots_file(tmp_path)}:HangsOnce", "random", matches=40)
    results: list[Result] = []
    hit: list[psutil.Process] = []
    with DaskCrew(workers, plan, None, None) as crew:
        for some in crew.play(iter(range(plan.games))):
            results += some
            if not hit and (tmp_path / "asked").exists():
                # Who plays, the process that watches it, the worker, and the worker's nanny.
                player = psutil.Process(int((tmp_path / "asked").read_text()))
                hit = [player, *player.parents()[:2]]
                assert "multiprocessing" in " ".join(hit[2].cmdline())
                hit[2].kill()
    assert len(hit) == 3
    wait_for_the_end(hit)
    assert [result.number for result in sorted(results, key=lambda r: r.number)] == list(range(40))
    assert sorted(results, key=lambda r: r.number) == played(Crew(plan, 1, None), plan)


def test_bots_that_hang_die_and_talk_are_judged_as_on_one_machine(
    workers: Address, tmp_path: Path
) -> None:
    file = bots_file(tmp_path)
    talks, dies, hangs = (f"{file}:{name}" for name in ("Talks", "Dies", "Hangs"))
    plan = plan_of(talks, dies, hangs, matches=2, gauntlet=True, move_seconds=0.5)
    assert played(DaskCrew(workers, plan, 1, None), plan, [0, 2]) == [
        Result(0, 0, "crash", (0, 0), "It ended its process (7)."),
        Result(2, 0, "time", (0, 0), "It did not answer within 0.5 seconds."),
    ]


def told_with_another(
    name: str, version: str, workers: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """What is said of a misfit where the package *name* is installed here in that *version*."""
    metadata = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{with_this_package()}")
    ran = Ran(tmp_path, "arena", *ARENA[:4], *on(workers), fresh=True)
    assert ran.code == Exit.MISFIT
    return ran.err.splitlines()


def test_another_pazaak_there_is_refused(
    workers: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_crew, "code_digest", lambda: "another")
    plan = plan_of("threshold", "random", matches=2)
    with pytest.raises(OtherCode, match="Another pazaak is installed on the cluster's workers"):
        played(DaskCrew(workers, plan, 1, None), plan)
    # By the version that is installed, of which workers are asked before anything is played.
    what, why, next_ = told_with_another("pazaak-p2p", "9.9", workers, tmp_path, monkeypatch)
    assert what.startswith("pazaak: The worker at tcp://127.0.0.1:")
    assert what.endswith(" and here is 9.9.")
    assert why.startswith("  Why:  The same seeds give the same results")
    assert next_.startswith("  Next: Install the same pazaak")


def test_a_dask_of_another_year_is_refused(
    workers: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, _, next_ = told_with_another("distributed", "1999.1", workers, tmp_path, monkeypatch)
    assert what.startswith(f"pazaak: The scheduler at 127.0.0.1:{workers.port} has Dask 20")
    assert what.endswith(", and here is 1999.1.")
    assert next_.startswith("  Next: Install the same Dask here and there")


def test_a_cluster_without_workers_and_one_that_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan = plan_of("threshold", "random", matches=2)
    with scheduler(tmp_path) as address:
        monkeypatch.setattr(dask_crew, "_LOOK_SECONDS", 0.1)
        with monkeypatch.context() as patch:
            patch.setattr(dask_crew, "WORKERS_SECONDS", 0.3)
            with pytest.raises(NoCluster, match=r"has no workers\.$"):
                played(DaskCrew(address, plan, None, None), plan)
        crew = DaskCrew(address, plan, None, None).__enter__()
        results = crew.play(iter([0, 1]))
        assert next(results) == []
    with pytest.raises(NoCluster, match=r"is lost\.$") as caught:
        list(results)
    crew.__exit__(None, None, None)
    assert caught.value.exit_code == Exit.NO_CONNECTION


def frame(data: bytes, size: int | None = None) -> bytes:
    """A message as Dask writes one, of *size* bytes by its own account."""
    size = 16 + len(data) if size is None else size
    return struct.pack("<QQQ", size, 1, len(data)) + data


HELLO = frame(msgpack.packb({"compression": None, "python": [3, 11], "pickle-protocol": 5}))
SILENT = "What listens there has said nothing of use within 0.3 seconds."
OTHER = "What listens there does not speak as Dask does."
STRANGE = (
    "It is no scheduler, or one of another version of Dask (what it says makes no sense here)."
)


@contextmanager
def saying(words: bytes, *, stays: bool = True) -> Iterator[Address]:
    """Somebody who says that to everybody who comes, and then nothing, or closes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with ExitStack() as stack, suppress(OSError):
                while True:
                    line = server.accept()[0]
                    line.sendall(words)
                    if stays:
                        stack.enter_context(line)
                    else:
                        line.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield Address("127.0.0.1", server.getsockname()[1])
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    ("words", "stays", "why"),
    [
        (b"", True, SILENT),  # as TLS and HTTP are, where we would have to begin
        (b"", False, "What listens there closes the connection before it has said who it is."),
        (
            b"SSH-2.0-OpenSSH_9.2\r\n",
            True,
            f"{OTHER} It says: SSH-2.0-OpenSSH_9.2\\r\\n",
        ),
        (b"HTTP/1.1 400 Bad Request\r\n", False, OTHER),
        # As Dask wrote messages before 2021: how many pieces, and how long each is.
        (struct.pack("<QQQ", 2, 0, 40), True, OTHER),
        (frame(b"\xc1", 1 << 61), True, OTHER),
        (frame(b"\xc1" * 9), True, STRANGE),
        (frame(msgpack.packb({"hello": "you"})), True, STRANGE),
        (HELLO, False, "It is no scheduler, or one of another version of Dask (CommClosedError:"),
    ],
)
def test_one_who_is_no_scheduler(
    monkeypatch: pytest.MonkeyPatch, words: bytes, stays: bool, why: str
) -> None:
    monkeypatch.setattr(dask_crew, "CONNECT_SECONDS", 0.3)
    plan = plan_of("threshold", "random", matches=2)
    with saying(words, stays=stays) as address, pytest.raises(NoCluster) as caught:
        DaskCrew(address, plan, None, None).__enter__()
    assert caught.value.why.startswith(why)
    assert str(address.port) in caught.value.what


def test_nothing_but_three_lines_is_said_of_it() -> None:
    """Not by Dask's own clients and logs either, in a process that ends; nor does it take long."""
    arena = ["arena", "threshold", "random", "--matches", "2"]
    with saying(HELLO + frame(b"hello", 1 << 61)) as address:
        rans = [Ran(Path(), *arena, *on(address), fresh=True)]
    rans.append(Ran(Path(), *arena, *on(address), fresh=True))
    for ran, says, why in zip(
        rans,
        ("Dask cannot use what listens at", "There is no Dask cluster at"),
        (STRANGE, f"127.0.0.1:{address.port} refused the connection."),
        strict=True,
    ):
        assert ran.code == Exit.NO_CONNECTION
        lines = ran.err.splitlines()
        assert lines[:2] == [f"pazaak: {says} 127.0.0.1:{address.port}.", f"  Why:  {why}"]
        assert lines[2].startswith("  Next: See that 'dask scheduler' runs there")
        assert len(lines) == 3


# --- the worker's side by itself


def children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if "foreman" in " ".join(child.cmdline()) or child.name() == "foreman"
    ]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders for a moment are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_process_that_plays_is_kept_and_replaced_if_it_dies(
    tmp_path: Path, temporary: Path
) -> None:
    plan = plan_of(f"{bots_file(tmp_path)}:HangsOnce", "random", matches=6, fast=False)
    order = Order("key", plan, True, code_digest())
    before = set(children())

    def foreman() -> psutil.Process:
        (found,) = set(children()) - before
        return found

    portions = []
    playing = threading.Thread(target=lambda: portions.append(play_portion(order, [0, 1])))
    playing.start()
    while not (tmp_path / "asked").exists():
        playing.join(0.05)
    foreman().kill()  # while it plays
    playing.join(60)
    foreman().kill()  # while it waits for more
    portions.append(play_portion(order, [2, 3]))
    kept = foreman()
    portions.append(play_portion(order, [5, 4]))
    assert foreman() == kept
    assert len(list(temporary.iterdir())) == 1
    finish("key")
    wait_for_the_end([kept])
    assert list(temporary.iterdir()) == []

    (tmp_path / "records").mkdir()
    expected = played(Crew(plan, 1, tmp_path / "records"), plan)
    assert sorted((r for p in portions for r in p.results), key=lambda r: r.number) == expected
    records = {number: data for p in portions for number, data in p.records.items()}
    wanted = [path.read_bytes() for path in sorted((tmp_path / "records").iterdir())]
    assert [records[number] for number in range(6)] == wanted


@pytest.mark.parametrize("signalled", ["SIGTERM", "SIGHUP", None])
def test_when_the_worker_is_killed_who_plays_for_it_leaves_nothing_behind(
    temporary: Path, signalled: str | None
) -> None:
    """Its input ends then; a machine or terminal that ends tells all processes at once."""
    order = Order("key", plan_of("threshold", "random", fast=False), True, code_digest())
    foreman = Foreman(order)
    assert sorted(foreman.play([0, 1]).records) == [0, 1]
    assert len(list(temporary.iterdir())) == 1
    if signalled is None:
        assert foreman._process.stdin is not None
        foreman._process.stdin.close()
    else:
        foreman._process.send_signal(signal.Signals[signalled])
    foreman._process.wait(SECONDS)
    assert list(temporary.iterdir()) == []
    foreman.end()


def test_an_arena_that_is_over_waits_for_no_bot(tmp_path: Path) -> None:
    plan = plan_of(f"{bots_file(tmp_path)}:HangsOnce", "random", matches=2, move_seconds=1000)
    before = set(children())
    told: list[ArenaFault] = []

    def play() -> None:
        with pytest.raises(ArenaFault) as caught:
            play_portion(Order("over", plan, False, code_digest()), [0])
        told.append(caught.value)

    playing = threading.Thread(target=play)
    playing.start()
    while not (tmp_path / "asked").exists():
        playing.join(0.05)
    begun = set(children()) - before
    finish("over")
    playing.join(60)
    assert told[0].what == "The arena is over, and its games are not played any more."
    wait_for_the_end(begun)


def test_a_bot_that_is_not_there_is_told_before_anything_is_played(tmp_path: Path) -> None:
    plan = plan_of("threshold", f"{tmp_path}/nobody.py:Nobody", matches=2)
    with pytest.raises(ArenaFault, match="A worker of the cluster has no such bot: There is no"):
        play_portion(Order("nobody", plan, False, code_digest()), [0])


def test_the_digest_is_of_the_code_and_the_tables(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_bytes(b"x = 1\n")
    (tmp_path / "t.zip").write_bytes(b"\r\n")
    one = code_digest(tmp_path)
    (tmp_path / "a" / "b.pyc").write_bytes(b"no matter")
    (tmp_path / "a" / "b.py").write_bytes(b"x = 1\r\n")
    assert code_digest(tmp_path) == one
    (tmp_path / "t.zip").write_bytes(b"\n")
    two = code_digest(tmp_path)
    (tmp_path / "a" / "b.py").rename(tmp_path / "a" / "c.py")
    assert len({one, two, code_digest(tmp_path)}) == 3


def test_programs_play_where_the_workers_are(workers: Address) -> None:
    plan = plan_of("threshold", python(EXAMPLES / "bot.py"))
    assert played(DaskCrew(workers, plan, 1, None), plan) == played(Crew(plan, 1, None), plan)
    missing = plan_of("threshold", "cmd:./no-such-program")
    with pytest.raises(BotNotReady) as caught:
        played(DaskCrew(workers, missing, 1, None), missing)
    assert caught.value.what == (
        "A worker of the cluster cannot start a bot: The bot './no-such-program' cannot be started."
    )
    assert caught.value.why == "The system says: No such file or directory."
    assert "at the same place on every machine" in caught.value.next
