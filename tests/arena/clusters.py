"""A Dask cluster of real processes on this machine, and bots that try it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pazaak_p2p
from pazaak_p2p.net.address import Address, parse_address
from tests.e2e.processes import SECONDS

BOTS = '''
import os
import time
from pathlib import Path

from pazaak_p2p.bots import ThresholdBot

HERE = Path(__file__).parent


class Dies:
    def choose(self, view):
        os._exit(7)


class Hangs:
    def choose(self, view):
        time.sleep(1000)


class HangsOnce(ThresholdBot):
    """Whoever asks it first waits for ever, and is told in the file asked."""

    def __init__(self):
        super().__init__(17)

    def choose(self, view):
        try:
            with open(HERE / "first", "x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return super().choose(view)
        os.rename(HERE / "first", HERE / "asked")
        (HERE / "first").touch()
        time.sleep(1000)


class Talks(ThresholdBot):
    """Reads and writes the standard streams of whoever runs it."""

    def __init__(self):
        super().__init__(17)

    def choose(self, view):
        os.write(1, b"hello")
        assert os.read(0, 1) == b""
        return super().choose(view)
'''


def with_this_package() -> str:
    """PYTHONPATH for processes that must have the package which is tested, installed or not."""
    root = str(Path(pazaak_p2p.__file__).parents[1])
    return os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])


def bots_file(folder: Path) -> Path:
    path = folder / "bots.py"
    path.write_text(BOTS)
    return path


@contextmanager
def running(
    program: str, *arguments: str, folder: Path, until: str, times: int = 1
) -> Iterator[str]:
    """A program of Dask, with all that it starts; the last line up to *times* lines with *until*.

    What it logs further is read, and dropped. In the end it is killed, so that what it keeps is in
    *folder*.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={
            **os.environ,
            "PYTHONPATH": with_this_package(),
            "DASK_TEMPORARY_DIRECTORY": str(folder),
        },
    )
    assert process.stderr is not None
    try:
        line = ""
        for _ in range(times):
            line = next(line for line in process.stderr if until in line)
        reader = threading.Thread(target=deque, args=(process.stderr, 0))
        reader.start()
        yield line
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(SECONDS)
        reader.join(SECONDS)
        process.stderr.close()


@contextmanager
def scheduler(folder: Path) -> Iterator[Address]:
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    with running("dask_scheduler", *options, folder=folder, until="Scheduler at:") as line:
        yield parse_address(line.split("tcp://")[1].strip())


@contextmanager
def cluster(folder: Path) -> Iterator[Address]:
    """A scheduler and two workers, each with one thread, that a nanny starts again if need be."""
    with scheduler(folder) as address:
        options = ["--nworkers", "2", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard"]
        where = f"tcp://127.0.0.1:{address.port}"
        until = "Registered to:"
        with running("dask_worker", where, *options, folder=folder, until=until, times=2):
            yield address
