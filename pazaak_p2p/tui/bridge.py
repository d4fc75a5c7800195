"""Where trio and prompt_toolkit meet; the only module that knows asyncio.

prompt_toolkit runs on asyncio alone. trio keeps the main thread; one worker thread runs the
application's asyncio loop, wrapped so that trio sees it as an ordinary child task:

- It is never abandoned. The thread owns the terminal, so cancelling :meth:`UIThread.run` cancels
  the application *inside* its loop and waits until the terminal is as it was before.
- What ends the application ends ``run()``: its result, or the exception of a key binding, of the
  renderer, or of a function sent with :meth:`UIThread.call`. prompt_toolkit's own handler would
  stop at "Press ENTER" instead, with the match waiting.
- The two sides exchange functions (:meth:`UIThread.call`, trio to application) and events
  (:meth:`UIThread.emit`, application to trio). Neither blocks, neither fails when the other side
  has gone.
- Ctrl-C as a *signal* can arrive anywhere. ``run`` is protected from it except at its one
  checkpoint, so clean-up is never torn in two.

Application state is changed in the application's thread only, through ``call``.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Generic, TypeVar

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size

ResultT = TypeVar("ResultT")
EventT = TypeVar("EventT")

_SIZE_SECONDS = 0.1
# How long trio's thread, where a bot may be thinking, keeps the interpreter when the application
# wants it, which is several times for every key. Python's own 5 ms add up to something to be felt.
_SWITCH_SECONDS = 0.0005
_GONE = frozenset({errno.EIO, errno.EBADF, errno.EPIPE, errno.ENXIO})


class HungUp(Exception):
    """The terminal is gone: its window was closed, the line was cut, the input ended."""


def _terminal_gone(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _GONE
    # termios.error is no OSError; by name, since there is no termios on Windows.
    if type(error).__module__ == "termios":
        return error.args[:1] != () and error.args[0] in _GONE
    return isinstance(error, EOFError)


@contextmanager
def _switching(seconds: float) -> Iterator[None]:
    """Threads that wait for the interpreter get it after *seconds*."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def _settled() -> Iterator[None]:
    """Nothing that is there now is looked through by the garbage collector.

    A hundred thousand objects, most of them modules, take it tenths of a second, in the middle of
    some key; what a screen leaves behind takes it no time.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class UIThread(Generic[ResultT, EventT]):
    """One prompt_toolkit application in one worker thread, as a structured child of trio.

    *make_app* is called at once, in the caller's thread, with this object; what it binds to keys
    may use :meth:`emit` and :meth:`exit`. *on_resize* is called in the application's thread when
    the terminal has another size; standard is to draw again. *after* is called there when the
    application has ended without an error and the terminal is as it was. An object runs once.
    """

    def __init__(
        self,
        make_app: Callable[[UIThread[ResultT, EventT]], Application[ResultT]],
        on_resize: Callable[[], None] | None = None,
        after: Callable[[], None] | None = None,
    ) -> None:
        self._after = after
        self._send, self.events = trio.open_memory_channel[EventT](math.inf)
        self._lock = threading.Lock()
        # Calls that came before the application could take them; None once it can, or has ended.
        self._early: list[Callable[[], object]] | None = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._token: trio.lowlevel.TrioToken | None = None
        self._cancelled = False
        self._result: ResultT | None = None
        self._error: BaseException | None = None
        self.app = make_app(self)
        self._on_resize = self.app.invalidate if on_resize is None else on_resize

    # In the application's thread.

    def exit(self, result: ResultT | None = None) -> None:
        """End the application with *result*; harmless when it has ended already."""
        future = self.app.future
        if future is not None and not future.done():
            future.set_result(result)  # type: ignore[arg-type]

    def emit(self, event: EventT) -> None:
        """Hand *event* to trio, where it comes out of ``events``; dropped if nobody reads it."""
        if self._token is None:
            raise RuntimeError("the application does not run under run()")
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._deliver, event)

    def _fail(self, exception: BaseException) -> None:
        future = self.app.future
        if future is not None and not future.done():
            future.set_exception(exception)

    def _on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._fail(context.get("exception") or RuntimeError(context["message"]))

    def _pre_run(self) -> None:
        # From here on exit() finds the application's future, so calls can be let in.
        with self._lock:
            early, self._early = self._early or [], None
            self._loop = asyncio.get_running_loop()
            for function in early:
                self._loop.call_soon(function)
        self.app.create_background_task(self._watch_size(self.app.output.get_size()))

    async def _watch_size(self, size: Size) -> None:
        # SIGWINCH goes to the main thread alone, and prompt_toolkit's own polling does not see a
        # change before its second look. *size* is from before the first drawing.
        while True:
            await asyncio.sleep(_SIZE_SECONDS)
            if (now := self.app.output.get_size()) != size:
                size = now
                self._on_resize()

    def _take_terminal(self) -> None:
        """Make it ours again: whoever has stopped us has left it as a shell likes it."""
        if sys.platform == "win32":
            return
        from prompt_toolkit.input.vt100 import Vt100Input, raw_mode

        source = self.app.input
        # What was put aside by its own will comes back by itself; in the background nobody draws.
        mine = isinstance(source, Vt100Input) and os.tcgetpgrp(source.fileno()) == os.getpgrp()
        if mine and not self.app._running_in_terminal:
            raw_mode(source.fileno()).__enter__()  # it ends with the one from the beginning
            self.app.renderer.erase()
            self.app.invalidate()

    async def _main(self) -> ResultT | None:
        asyncio.get_running_loop().set_exception_handler(self._on_loop_error)
        with self._lock:
            # _cancel() sets its flag under this lock: either we see it or it sees the task.
            if self._cancelled:
                return None
            self._task = asyncio.current_task()
        try:
            return await self.app.run_async(
                pre_run=self._pre_run, handle_sigint=False, set_exception_handler=False
            )
        finally:
            # While the loop is still open, so that whoever finds it may use it.
            with self._lock:
                self._loop = self._task = self._early = None

    def _thread(self) -> None:
        try:
            with suppress(asyncio.CancelledError):
                self._result = asyncio.run(self._main())
            if self._after is not None:
                self._after()
        except BaseException as error:
            if _terminal_gone(error):
                self._error = HungUp()
                self._error.__cause__ = error
            else:
                self._error = error

    # In trio's thread.

    def _deliver(self, event: EventT) -> None:
        # Whatever raises here would be a TrioInternalError.
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            self._send.send_nowait(event)

    @trio.lowlevel.enable_ki_protection
    def call(self, function: Callable[..., object], *args: object) -> None:
        """Have *function* called in the application's thread, in the order of the calls.

        Before the application is up it waits; after the application has ended it is dropped.
        """
        with self._lock:
            if self._early is not None:
                self._early.append(lambda: function(*args))
            elif self._loop is not None:
                self._loop.call_soon_threadsafe(function, *args)

    @trio.lowlevel.enable_ki_protection
    def _cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._task is not None:
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    @trio.lowlevel.enable_ki_protection
    async def run(self) -> ResultT | None:
        """Run the application to its end and return its result.

        Raises what its code raised, and :exc:`HungUp` when the terminal went away. ``events`` ends
        with it.
        """
        self._token = trio.lowlevel.current_trio_token()
        interrupts: list[KeyboardInterrupt] = []
        with self._send, _switching(_SWITCH_SECONDS), _settled():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._run_thread, nursery.cancel_scope)
                nursery.start_soon(self._watch_continued)
                try:
                    # Cancellation and Ctrl-C must land here and not in _run_thread().
                    await trio.sleep_forever()
                except KeyboardInterrupt as interrupt:
                    interrupts.append(interrupt)
                finally:
                    self._cancel()
        if interrupts:
            raise interrupts[0]
        if self._error is not None:
            raise self._error
        await trio.lowlevel.checkpoint_if_cancelled()
        return self._result

    async def _watch_continued(self) -> None:
        number = getattr(signal, "SIGCONT", None)
        if number is None or threading.current_thread() is not threading.main_thread():
            return
        with trio.open_signal_receiver(number) as continued:
            async for _ in continued:
                self.call(self._take_terminal)

    async def _run_thread(self, finished: trio.CancelScope) -> None:
        # Shielded, for the thread owns the terminal; its own limiter, so that no other threads
        # can keep it from starting.
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._thread, limiter=trio.CapacityLimiter(1))
        finished.cancel()
