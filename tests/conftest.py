"""What holds for all tests."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from itertools import count

import pytest

from tests import remembered, warm

_homes = count()


def pytest_configure() -> None:
    """Let Ctrl-C interrupt, also where these tests run in the background.

    A shell starts background jobs with SIGINT ignored, and every process started from here would
    inherit that; the program under test rightly goes on ignoring what it was told to ignore.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """With ``-n auto``, one more than there are cores: some tests wait, for processes or for time
    that really passes, and leave theirs to others."""
    return (yield) + 1


@pytest.fixture(autouse=True, scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What processes are forked from ends with the tests."""
    # Of all who run tests at once, in processes of their own.
    warm.keep_compiled(tmp_path_factory.getbasetemp().parent / "compiled")
    with warm.spawning():
        yield
    warm.close()


@pytest.fixture(autouse=True, scope="session")
def arithmetic() -> Iterator[None]:
    """Each signature is made and checked once."""
    with remembered.arithmetic():
        yield


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """Commands that are run within a test end as at the end of a process, deaf to Ctrl-C."""
    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test finds, or leaves, an identity or known players in the folders of whoever runs it.

    Nor in another test's: each has a folder of its own, which the program makes when it needs it.
    """
    folder = tmp_path_factory.getbasetemp() / f"home-{next(_homes)}"
    monkeypatch.setenv("PAZAAK_HOME", str(folder))
