"""Processes of Python that need not import again what they have in common.

A start of ``python -m pazaak_p2p`` is half a second of imports, and the tests start hundreds. So
one process imports everything, once, and is forked for each: :func:`start` gives what
``subprocess.Popen`` gives. It is a process of its own, a child of this one, with its own
environment, folder, streams, signals and, if wanted, terminal; only the imports were done before.

What ``multiprocessing`` spawns is forked likewise (:func:`spawning`): the processes of an arena
that a test runs within its own.

The command itself is started wherever that is not the same: on systems other than Linux, with a
*preexec_fn*, and where the environment says something else to the interpreter. Tests of how a start
goes (``tests/e2e/bursts.py``, what is imported when) start it themselves.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from multiprocessing import util
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final

_STRICT: Final = {"PYTHONWARNINGS": "error", "LANG": "C.UTF-8"}
"""How the interpreter is set up in which everything is imported."""
_WITH_EACH: Final = ("PYTHONIOENCODING", "PYTHONUNBUFFERED")
"""Done for every process, and not wanted (as users do not have it)."""
_FROM_OUTSIDE: Final = {n: value for n, value in os.environ.items() if n.startswith("PYTHON")}
"""As it was before any test set something else, such as a path with another installation."""
_UNWRITTEN: Final = "PYTHONDONTWRITEBYTECODE"
_PACKAGES: Final = ("cli", "net", "store", "tui")
_MOST: Final = 1 << 17
_MOST_FILES: Final = 16
_FREE: Final = 100
"""Numbers of files from which on a forked process has none."""
_SUBREAPER: Final = 36
"""``PR_SET_CHILD_SUBREAPER``: whose child a process becomes when its parent ends."""


def start(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    stdin: int | IO[Any] | None = None,
    stdout: int | IO[Any] | None = None,
    stderr: int | IO[Any] | None = None,
    preexec_fn: Callable[[], None] | None = None,
    terminal: bool = False,
    fresh: bool = False,
) -> subprocess.Popen[bytes]:
    """*argv* as a process; forked if that is this Python with a program behind ``-m`` or ``-c``.

    With *terminal*, its standard input is the terminal of a session of its own. With *fresh*, it is
    the command itself, as a user starts it.
    """
    env = os.environ if env is None else env
    kind: type[subprocess.Popen[bytes]] = subprocess.Popen
    forks = not fresh and argv[0] == sys.executable and preexec_fn is None
    if forks and _is_as_started(env):
        kind = _Forked
    elif terminal:
        preexec_fn = _take_terminal
    return kind(
        argv,
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        preexec_fn=preexec_fn,
        start_new_session=terminal,
    )


def keep_compiled(folder: Path) -> None:
    """Processes started from here find compiled what one of them has imported before.

    Where that may not be beside the sources, it is in *folder*.
    """
    if _UNWRITTEN in os.environ:
        for env in (os.environ, _FROM_OUTSIDE):
            del env[_UNWRITTEN]
            env["PYTHONPYCACHEPREFIX"] = str(folder)


def _settings(env: Mapping[str, str]) -> dict[str, str]:
    """What of *env* an interpreter reads as it starts."""
    return {
        name: value
        for name, value in env.items()
        if name.startswith(("PYTHON", "LC_", "LANG")) and name not in _WITH_EACH
    }


def _is_as_started(env: Mapping[str, str]) -> bool:
    return sys.platform == "linux" and _settings(env) == _settings(_FROM_OUTSIDE | _STRICT)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class _Forked(subprocess.Popen[bytes]):
    """What ``Popen`` is once its child is there, which was asked for instead of executed."""

    def _execute_child(
        self,
        args: Sequence[str],
        executable: None,
        preexec_fn: None,
        close_fds: bool,
        pass_fds: tuple[int, ...],
        cwd: str | Path | None,
        env: Mapping[str, str],
        startupinfo: None,
        creationflags: int,
        shell: bool,
        *rest: Any,
    ) -> None:
        pipes = rest[:6]
        new_session = rest[11]
        streams = [
            number if given == -1 else given
            for number, given in enumerate((pipes[0], pipes[3], pipes[5]))
        ]
        self.pid = _fork(args[1:], env, cwd, dict(enumerate(streams)), terminal=new_session)
        own: Any = self
        own._child_created = True
        own._close_pipe_fds(*pipes)


def _fork(
    arguments: Sequence[str],
    env: Mapping[str, str],
    cwd: str | Path | None,
    files: Mapping[int, int],
    *,
    terminal: bool = False,
) -> int:
    """The id of a new process; *files* are ours by the numbers that they have there."""
    told = {
        "arguments": arguments,
        "env": dict(env),
        "cwd": os.path.abspath(cwd or "."),
        "terminal": terminal,
        "files": list(files),
        # As for every child; not those that were blocked when what is forked was started.
        "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    }
    return _server().fork(json.dumps(told).encode(), list(files.values()))


@contextmanager
def spawning() -> Iterator[None]:
    """Within this, the processes that ``multiprocessing`` spawns are forked, where that goes."""

    def spawn(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        arguments = list(map(os.fsdecode, args[1:]))
        if "--multiprocessing-fork" not in arguments:
            return really(path, args, passfds)
        # As from here on; what is before it are options to the interpreter.
        code = arguments[arguments.index("-c") :]
        return _fork(code, os.environ, None, {number: number for number in (0, 1, 2, *passfds)})

    really = util.spawnv_passfds
    if sys.platform == "linux":
        util.spawnv_passfds = spawn
    yield
    util.spawnv_passfds = really


class _Server:
    """Our end of the process that is forked; it ends when we close that, or end ourselves."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
                env={
                    **{n: v for n, v in os.environ.items() if not n.startswith(("LC_", "LANG"))},
                    **_STRICT,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                },
                cwd=Path(__file__).parents[1],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def fork(self, told: bytes, files: Sequence[int]) -> int:
        with self._lock:
            # Its parent ends at once, so that it becomes ours.
            self._prctl(_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(self._line, [told], files)
                answer = self._line.recv(_MOST)
            finally:
                self._prctl(_SUBREAPER, 0, 0, 0, 0)
        assert answer, "the process that is forked has ended"
        return int(answer)

    def close(self) -> None:
        self._line.close()
        self._process.wait()


@cache
def _server() -> _Server:
    return _Server()


def close() -> None:
    """Nothing is started any more. What else is left until Python ends is warned of by nobody."""
    if _server.cache_info().currsize:
        _server().close()
        _server.cache_clear()


# What follows is the process that is forked.


def _import_everything() -> None:
    for name in _PACKAGES:
        package = import_module(f"pazaak_p2p.{name}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    import_module("pazaak_p2p.arena.worker")


def _forks(line: socket.socket) -> list[str]:
    """Fork as often as it is asked for; returns in every child, with its arguments."""
    while True:
        told, files, _, _ = socket.recv_fds(line, _MOST, _MOST_FILES)
        if not told:
            os._exit(0)
        reads, writes = os.pipe()
        between = os.fork()
        if not between:
            if child := os.fork():
                os.write(writes, str(child).encode())
                os._exit(0)
            line.close()
            os.close(reads)
            os.close(writes)
            return _become(json.loads(told), files)
        os.close(writes)
        os.waitpid(between, 0)
        line.send(os.read(reads, 32))
        for number in (reads, *files):
            os.close(number)


def _become(told: dict[str, Any], files: Sequence[int]) -> list[str]:
    if told["terminal"]:
        os.setsid()
    # Out of the way of each other first.
    there = [fcntl.fcntl(file, fcntl.F_DUPFD, _FREE) for file in files]
    for file in files:
        os.close(file)
    for number, file in zip(told["files"], there, strict=True):
        os.dup2(file, number)
        os.close(file)
    if told["terminal"]:
        _take_terminal()
    os.chdir(told["cwd"])
    os.environ.clear()
    os.environ.update(told["env"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, told["blocked"])
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        first = getattr(sys, name)
        text = open(  # noqa: SIM115
            number,
            mode="w" if number else "r",
            encoding=encoding or first.encoding,
            errors="backslashreplace" if number == 2 else errors or first.errors,
            newline="\n",
            closefd=False,
        )
        if number:
            text.reconfigure(line_buffering=number == 2 or os.isatty(number))
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    arguments: list[str] = told["arguments"]
    return arguments


def _run(arguments: list[str]) -> None:
    kind, what, *rest = arguments
    if kind == "-m":
        sys.argv = [what, *rest]
        sys.path[0] = os.getcwd()
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert kind == "-c"
        sys.argv = [kind, *rest]
        sys.path[0] = ""
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(what, "<string>", "exec"), vars(main))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_everything()
    assert threading.active_count() == 1, "a thread does not come along"
    gc.freeze()
    _run(_forks(socket.socket(fileno=int(sys.argv[1]))))
