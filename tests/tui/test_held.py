"""What is printed while a screen is up waits until it is down."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import pytest

from pazaak_p2p.tui.held import held_back


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def standard(stdout: io.TextIOBase, stderr: io.TextIOBase | None = None) -> Iterator[None]:
    """These are the standard streams, or one is both."""
    with redirect_stdout(stdout), redirect_stderr(stderr or stdout):
        yield


def test_it_comes_afterwards_in_its_order() -> None:
    terminal = Terminal()
    with standard(terminal):
        with held_back():
            print("one")
            print("two", file=sys.stderr)
            sys.stdout.writelines(["three\n"])
            assert terminal.getvalue() == ""
        assert terminal.getvalue() == "one\ntwo\nthree\n"
        assert sys.stdout is sys.stderr is terminal


def test_who_holds_on_to_the_stream_can_go_on_writing() -> None:
    """As a thread does that writes what it was given before."""
    terminal = Terminal()
    with standard(terminal), held_back():
        stream = sys.stdout
    print("late", file=stream)
    assert terminal.getvalue() == "late\n"


def test_a_file_or_a_pipe_is_no_part_of_the_screen() -> None:
    log = io.StringIO()
    with standard(Terminal(), log), held_back():
        print("at once", file=sys.stderr)
        assert log.getvalue() == "at once\n"


def test_what_was_put_in_their_place_meanwhile_stays() -> None:
    terminal, other = Terminal(), io.StringIO()
    with standard(terminal):
        with held_back():
            print("before")
            sys.stdout = other
        assert sys.stdout is other
    assert terminal.getvalue() == "before\n"


def test_it_is_bounded_and_what_came_last_is_kept() -> None:
    terminal = Terminal()
    with standard(terminal), held_back():
        for number in range(10_000):
            print(number)
        print("x" * 10_000, end="last")
    kept = terminal.getvalue()
    assert kept.endswith("9999\n" + "x" * 2000 + "last")
    assert len(kept) < 20_000


def test_what_the_terminal_cannot_show_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, "ascii")
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    with standard(terminal), held_back():
        print("±1 \ud800")
    assert raw.getvalue() == b"\\xb11 \\ud800\n"
