"""Lines that are written by a thread, to readers that are there, slow, stopped or gone."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import TextIO

import pytest
import trio

from pazaak_p2p.tui import writer as writer_module
from pazaak_p2p.tui.writer import LineWriter


class Pipe:
    """A pipe: the text stream of its writer, and what its reader gets."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.reader, descriptor = os.pipe()
        self.stream: TextIO = open(descriptor, "w", encoding=encoding, newline="\n")  # noqa: SIM115

    def read(self, least: int) -> bytes:
        got = b""
        while len(got) < least:
            got += os.read(self.reader, 65536)
        return got

    def fill(self) -> int:
        """Fill it to the brim; how many bytes that takes."""
        os.set_blocking(self.stream.fileno(), False)
        size = 0
        try:
            while True:
                size += os.write(self.stream.fileno(), b"x")
        except BlockingIOError:
            pass
        os.set_blocking(self.stream.fileno(), True)
        return size

    def hang_up(self) -> None:
        os.close(self.reader)
        self.reader = -1

    def close(self) -> None:
        if self.reader != -1:
            os.close(self.reader)
        self.stream.close()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def test_lines_arrive_whole_and_in_their_order(pipe: Pipe) -> None:
    writer, text = LineWriter(), "".join(f"line {number}\n" for number in range(2000)).encode()
    for number in range(2000):
        writer.write(pipe.stream, f"line {number}")
    assert pipe.read(len(text)) == text
    assert writer.drain()


def test_what_is_printed_before_comes_before(pipe: Pipe) -> None:
    print("one", file=pipe.stream)
    writer = LineWriter()
    writer.write(pipe.stream, "two")
    assert pipe.read(8) == b"one\ntwo\n"


def test_two_streams_keep_one_order(pipe: Pipe) -> None:
    writer, other = LineWriter(), io.StringIO()
    writer.write(other, "first")
    writer.write(pipe.stream, "second")
    assert pipe.read(7) == b"second\n"
    assert other.getvalue() == "first\n"


@pytest.mark.parametrize(
    ("encoding", "bytes_"), [("utf-8", "é±\n".encode()), ("ascii", b"\\xe9\\xb1\n")]
)
def test_what_the_encoding_has_not_is_escaped(encoding: str, bytes_: bytes) -> None:
    pipe = Pipe(encoding)
    LineWriter().write(pipe.stream, "é±")
    assert pipe.read(len(bytes_)) == bytes_
    pipe.close()


@pytest.mark.parametrize("blocking", [True, False])
async def test_nobody_waits_for_a_reader_who_does_not_read(pipe: Pipe, blocking: bool) -> None:
    size, writer = pipe.fill(), LineWriter()
    os.set_blocking(pipe.stream.fileno(), blocking)
    with trio.fail_after(5):
        for _ in range(1000):
            writer.write(pipe.stream, "more")
        assert not writer.drain(0.05)
        await writer.drained(0.05)
        with trio.move_on_after(0.05):
            await writer.until_broken()
    # And nothing is lost, should one read after all.
    assert pipe.read(size + 5000) == b"x" * size + b"more\n" * 1000
    assert writer.drain(5)


async def test_a_reader_who_goes_is_noticed(pipe: Pipe) -> None:
    pipe.fill()
    writer = LineWriter()
    writer.write(pipe.stream, "more")
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            found: list[OSError] = []

            async def wait() -> None:
                found.append(await writer.until_broken())

            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            pipe.hang_up()
        assert isinstance(found[0], BrokenPipeError)
        assert writer.broken is await writer.until_broken()
    assert not writer.drain()
    writer.write(pipe.stream, "never")


def test_a_closed_stream_is_broken() -> None:
    stream = io.StringIO()
    stream.close()
    writer = LineWriter()
    writer.write(stream, "x")
    assert not writer.drain(5)
    assert isinstance(writer.broken, BrokenPipeError)


def test_what_waits_is_bounded(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "MOST_LINES", 10)
    size, writer = pipe.fill(), LineWriter()
    for number in range(100):
        writer.write(pipe.stream, str(number))
    kept = b"".join(b"%d\n" % number for number in range(10))
    assert pipe.read(size + len(kept))[size:] == kept
    assert writer.drain(5)


def test_no_thread_stays_behind(pipe: Pipe) -> None:
    writer = LineWriter()
    for number in range(20):
        writer.write(pipe.stream, str(number))
        assert writer.drain(5)
    if (thread := writer._thread) is not None:
        thread.join(5)
    assert writer._thread is None
