"""Lines over a stream, however they are cut."""

from __future__ import annotations

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from pazaak_p2p.net.lines import LONGEST_LINE, EndOfLines, LineFault, Lines


def lines_of(*pieces: bytes) -> Lines:
    """Lines that come in these pieces, and then the end."""
    out, into = trio.testing.MemorySendStream(), trio.testing.MemoryReceiveStream()
    waiting = list(pieces)

    async def more() -> None:
        if waiting:
            into.put_data(waiting.pop(0))
        else:
            into.put_eof()

    into.receive_some_hook = more
    return Lines(out, into)


async def read_all(lines: Lines) -> list[str]:
    """Every line up to the end."""
    found = []
    while True:
        try:
            found.append(await lines.line())
        except EndOfLines:
            return found


@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))),
    st.lists(st.integers(1, 40)),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=100)
def test_lines_are_the_same_however_they_are_cut(
    texts: list[str], cuts: list[int], ending: str
) -> None:
    data = "".join(text + ending for text in texts).encode()
    pieces = []
    for cut in cuts:
        pieces.append(data[:cut])
        data = data[cut:]
    pieces.append(data)
    assert trio.run(read_all, lines_of(*filter(None, pieces))) == texts


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
async def test_a_line_of_the_greatest_length_is_taken_and_none_beyond(ending: bytes) -> None:
    longest = b"x" * LONGEST_LINE
    assert await lines_of(longest + ending).line() == longest.decode()
    with pytest.raises(LineFault, match="longer than 1000 bytes"):
        await lines_of(longest + b"x" + ending).line()


async def test_a_line_without_an_end_is_refused_before_more_of_it_is_read() -> None:
    read = 0

    class Endless(trio.abc.ReceiveStream):
        async def receive_some(self, max_bytes: int | None = None) -> bytes:
            nonlocal read
            await trio.lowlevel.checkpoint()
            assert max_bytes is not None
            read += max_bytes
            return b"x" * max_bytes

        async def aclose(self) -> None:
            await trio.lowlevel.checkpoint()

    with pytest.raises(LineFault, match="longer than 1000 bytes"):
        await Lines(trio.testing.MemorySendStream(), Endless()).line()
    assert read <= 2 * LONGEST_LINE + 4


async def test_what_is_no_line() -> None:
    with pytest.raises(LineFault, match="not UTF-8"):
        await lines_of(b"\xff\n").line()
    with pytest.raises(EndOfLines):
        await lines_of(b"half a line").line()


async def test_sending_cannot_be_cancelled_but_ends_in_time(
    autojump_clock: trio.testing.MockClock,
) -> None:
    out = trio.testing.MemorySendStream()
    lines = Lines(out, trio.testing.MemoryReceiveStream())
    with trio.CancelScope() as scope:
        scope.cancel()
        await lines.send("act\n", 1)
    assert out.get_data_nowait() == b"act\n"
    assert not lines.torn
    out.send_all_hook = trio.sleep_forever
    start = trio.current_time()
    with trio.CancelScope() as scope:
        scope.cancel()
        with pytest.raises(trio.TooSlowError):
            await lines.send("act\n", 1.5)
    assert trio.current_time() - start == 1.5
    assert lines.torn
