"""The meeting of trio and prompt_toolkit, with a small application in the place of the game."""

from __future__ import annotations

import errno
import gc
import signal
import threading
from collections.abc import Iterator

import pytest
import trio
import trio.testing
from prompt_toolkit.application import Application
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl

from pazaak_p2p.tui.bridge import HungUp, UIThread
from tests.tui.screens import ScreenStdout, wait_until

EXIT, BUG = "x", "!"


class Rig:
    """An application with a status line, that emits every key and breaks when told to."""

    def __init__(self, input: PipeInput, stdout: ScreenStdout) -> None:
        self.input = input
        self.stdout = stdout
        self.status = "connecting"
        self.broken = False
        self.thread: UIThread[str, str] = UIThread(self._make_app)

    def _make_app(self, thread: UIThread[str, str]) -> Application[str]:
        keys = KeyBindings()

        @keys.add("<any>")
        def _(event: KeyPressEvent) -> None:
            key = event.key_sequence[0].key
            if key == EXIT:
                thread.exit("left")
            elif key == BUG:
                raise RuntimeError("key bug")
            else:
                thread.emit(str(key))

        return Application(
            layout=Layout(Window(FormattedTextControl(self._render, focusable=True))),
            key_bindings=keys,
            input=self.input,
            output=self.stdout.output(),
        )

    def _render(self) -> str:
        if self.broken:
            raise RuntimeError("render bug")
        size = self.thread.app.output.get_size()
        return f"[{self.status} {size.columns}x{size.rows}]"

    def show(self, status: str) -> None:
        self.status = status
        self.thread.app.invalidate()


@pytest.fixture
def rig() -> Iterator[Rig]:
    with create_pipe_input() as input:
        yield Rig(input, ScreenStdout())


async def test_a_key_reaches_trio(rig: Rig, nursery: trio.Nursery) -> None:
    nursery.start_soon(rig.thread.run)
    rig.input.send_text("h")
    with trio.fail_after(5):
        assert await rig.thread.events.receive() == "h"


async def test_a_call_from_trio_reaches_the_screen(rig: Rig, nursery: trio.Nursery) -> None:
    nursery.start_soon(rig.thread.run)
    await wait_until(lambda: "[connecting" in rig.stdout.text())
    rig.thread.call(rig.show, "lot 7")
    await wait_until(lambda: "[lot 7" in rig.stdout.text())


async def test_garbage_is_looked_for_only_in_what_came_after_the_start(rig: Rig) -> None:
    """A full collection of all modules takes a key some tenths of a second."""
    gc.unfreeze()
    there = len(gc.get_objects())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(rig.thread.run)
        await wait_until(lambda: "[connecting" in rig.stdout.text())
        assert gc.get_freeze_count() > 0.9 * there
        assert len(gc.get_objects()) < 0.1 * there
        rig.input.send_text(EXIT)
    assert gc.get_freeze_count() == 0


async def test_another_size_is_drawn_at_once(rig: Rig, nursery: trio.Nursery) -> None:
    nursery.start_soon(rig.thread.run)
    await wait_until(lambda: "[connecting 80x24]" in rig.stdout.text())
    rig.stdout.resize(10, 40)
    await wait_until(lambda: "[connecting 40x10]" in rig.stdout.text())


async def test_calls_before_the_start_are_kept_in_order(rig: Rig, nursery: trio.Nursery) -> None:
    rig.thread.call(rig.show, "first")
    rig.thread.call(rig.show, "second")
    nursery.start_soon(rig.thread.run)
    await wait_until(lambda: "[second" in rig.stdout.text())


async def test_an_exit_called_before_the_start_is_not_lost(rig: Rig) -> None:
    rig.thread.call(rig.thread.exit, "early")
    with trio.fail_after(5):
        assert await rig.thread.run() == "early"


async def test_exit_gives_the_result_and_ends_the_events(rig: Rig) -> None:
    rig.input.send_text("ab" + EXIT)
    with trio.fail_after(5):
        assert await rig.thread.run() == "left"
        assert [event async for event in rig.thread.events] == ["a", "b"]


async def test_cancelling_waits_until_the_application_has_ended(rig: Rig) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(rig.thread.run)
        await wait_until(lambda: "[connecting" in rig.stdout.text())
        nursery.cancel_scope.cancel()
    assert not rig.thread.app.is_running


async def test_cancelled_before_it_starts(rig: Rig) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await rig.thread.run()
    assert scope.cancelled_caught
    assert not rig.thread.app.is_running
    assert rig.stdout.text().strip() == ""


async def test_cancelling_at_any_moment_of_the_start() -> None:
    before = threading.active_count()
    for step in range(60):
        with create_pipe_input() as input:
            rig = Rig(input, ScreenStdout())
            with trio.move_on_after(step * 0.0005):
                await rig.thread.run()
            assert not rig.thread.app.is_running
    assert threading.active_count() <= before + 1  # trio keeps one idle worker


async def test_a_bug_in_a_key_binding_comes_out_of_run(rig: Rig) -> None:
    rig.input.send_text(BUG)
    with trio.fail_after(5), pytest.raises(RuntimeError, match="key bug"):
        await rig.thread.run()


async def test_a_bug_in_the_first_rendering_comes_out_of_run(rig: Rig) -> None:
    rig.broken = True
    with trio.fail_after(5), pytest.raises(RuntimeError, match="render bug"):
        await rig.thread.run()


async def test_a_bug_in_a_later_rendering_comes_out_of_run(rig: Rig) -> None:
    def break_it() -> None:
        rig.broken = True
        rig.thread.app.invalidate()

    rig.thread.call(break_it)
    with trio.fail_after(5), pytest.raises(RuntimeError, match="render bug"):
        await rig.thread.run()


async def test_a_bug_in_a_call_comes_out_of_run(rig: Rig) -> None:
    rig.thread.call(lambda: 1 // 0)
    with trio.fail_after(5), pytest.raises(ZeroDivisionError):
        await rig.thread.run()


async def test_end_of_input_is_a_hang_up(rig: Rig) -> None:
    rig.input.close()
    with trio.fail_after(5), pytest.raises(HungUp):
        await rig.thread.run()


async def test_a_terminal_that_takes_no_more_output_is_a_hang_up(rig: Rig) -> None:
    rig.stdout.error = OSError(errno.EIO, "input/output error")
    with trio.fail_after(5), pytest.raises(HungUp):
        await rig.thread.run()


async def test_another_error_of_the_terminal_stays_what_it_is(rig: Rig) -> None:
    rig.stdout.error = OSError(errno.ENOSPC, "no space")
    with trio.fail_after(5), pytest.raises(OSError, match="no space"):
        await rig.thread.run()


async def test_calls_after_the_end_are_dropped(rig: Rig) -> None:
    rig.input.send_text(EXIT)
    with trio.fail_after(5):
        await rig.thread.run()
    rig.thread.call(lambda: 1 // 0)
    rig.thread.exit("again")


async def test_events_that_nobody_reads_do_no_harm(rig: Rig) -> None:
    rig.thread.events.close()
    rig.input.send_text("ab" + EXIT)
    with trio.fail_after(5):
        assert await rig.thread.run() == "left"
    await trio.testing.wait_all_tasks_blocked()


async def test_a_timeout_around_it_is_a_timeout(rig: Rig) -> None:
    with pytest.raises(trio.TooSlowError), trio.fail_after(0.05):
        await rig.thread.run()
    assert not rig.thread.app.is_running


async def test_exit_and_cancellation_at_once() -> None:
    for step in range(30):
        with create_pipe_input() as input:
            rig = Rig(input, ScreenStdout())
            rig.thread.call(rig.thread.exit, "left")
            with trio.move_on_after(step * 0.0005):
                assert await rig.thread.run() == "left"
            assert not rig.thread.app.is_running


def test_a_SIGINT_to_the_process_comes_out_after_the_application_has_ended() -> None:
    with create_pipe_input() as input:
        rig = Rig(input, ScreenStdout())

        async def main() -> None:
            rig.thread.call(signal.raise_signal, signal.SIGINT)
            with trio.fail_after(5):
                await rig.thread.run()

        with pytest.raises(KeyboardInterrupt):
            trio.run(main)
        assert not rig.thread.app.is_running
