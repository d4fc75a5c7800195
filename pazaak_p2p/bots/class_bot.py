"""A bot that is a Python class of the user's, with one method: ``choose(view)``.

It runs in this very process, in a thread, so that one that hangs loses its match and nothing else.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar

import trio

from pazaak_p2p.bots.base import Bot
from pazaak_p2p.bots.beside import importing_from
from pazaak_p2p.bots.faults import BotCrashed, BotFault, BotIllegal, BotTooSlow, NoSuchClass
from pazaak_p2p.bots.interface import Begin, BotGreeting
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import Action, View, legal_actions
from pazaak_p2p.store import expanded
from pazaak_p2p.text import in_seconds, printable

START_SECONDS: Final = 10.0
"""How long the class may take to make a bot."""
Options = Sequence[tuple[str, str]]
T = TypeVar("T")


def load_class(where: str, name: str, folder: Path | None = None) -> type:
    """The class *name* of *where*: a file that ends in ``.py``, or a module.

    It is looked for in *folder*, or else where we are.

    Running its module is part of that. Raises :class:`NoSuchClass`.
    """
    shown = printable(where, 200)
    folder = folder or Path.cwd()
    if where.endswith(".py"):
        module = _from_file(folder / expanded(where), shown)
    else:
        module = _from_module(where, shown, folder)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [
            key
            for key, value in vars(module).items()
            if isinstance(value, type) and callable(getattr(value, "choose", None))
        ]
        names = printable(", ".join(sorted(classes)), 200)
        raise NoSuchClass(
            f"There is no class {printable(name, 80)} in {shown}.",
            why=f"The classes there with a method choose are: {names}."
            if classes
            else "There is no class with a method choose.",
        )
    if not callable(getattr(found, "choose", None)):
        raise NoSuchClass(
            f"The class {printable(name, 80)} in {shown} is no bot.",
            why="It has no method choose.",
        )
    return found


def _from_file(path: Path, shown: str) -> ModuleType:
    if not path.is_file():
        raise NoSuchClass(
            f"There is no file {shown}.", why=f"Looked for at {printable(str(path), 300)}."
        )
    # Of its own, also where another folder has a file of that name.
    name = f"pazaak_bot_{path.stem}_{sha256(os.fsencode(path)).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with importing_from(path.parent):
            _running(lambda: spec.loader.exec_module(module), shown)  # type: ignore[union-attr]
    except NoSuchClass:
        del sys.modules[name]
        raise
    return module


def _from_module(where: str, shown: str, folder: Path) -> ModuleType:
    _search(folder)
    try:
        found = importlib.util.find_spec(where)
    except (ImportError, ValueError):
        found = None
    except Exception as error:
        raise _broken(error, shown) from error
    if found is None:
        raise NoSuchClass(
            f"There is no module {shown}.",
            why=f"Python finds none of that name, nor in {printable(str(folder), 300)}.",
        )
    return _running(lambda: importlib.import_module(where), shown)


def _search(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _running(load: Callable[[], T], shown: str) -> T:
    try:
        with redirect_stdout(sys.stderr):  # a script follows standard output
            return load()
    except KeyboardInterrupt:  # the user's, who waits for it
        raise
    except SystemExit as error:
        raise NoSuchClass(
            f"The Python file {shown} ends the program when it is loaded.",
            why="Put what is to be done when it is run by itself behind if __name__ == '__main__'.",
        ) from error
    except BaseException as error:
        raise _broken(error, shown) from error


def _broken(error: BaseException, shown: str) -> NoSuchClass:
    if isinstance(error, SyntaxError):
        file = os.path.basename(error.filename or shown)
        return NoSuchClass(
            f"{printable(file, 100)}, line {error.lineno}: this is no Python.",
            why=f"Python says: {printable(error.msg, 200)}.",
            next="Mend the file and start again.",
        )
    return NoSuchClass(
        f"The Python bot in {shown} cannot be loaded.",
        why=told_of(error),
        next="Mend the file and start again; --debug shows the traceback.",
    )


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "Somewhere"
    return f"{printable(os.path.basename(frames[-1].filename), 100)}, line {frames[-1].lineno}"


def told_of(error: BaseException) -> str:
    """What *error*, which a bot raised, says, and from where it comes; safe to show."""
    try:
        said = printable(f"{type(error).__name__}: {error}", 300)
    except BaseException:  # it is the bot's own, and may do anything
        said = "what was raised cannot be told"
    return said if isinstance(error, PazaakError) else f"{_place(error)}: {said}"


def make_bot(cls: type, options: Options, seed: bytes) -> Bot:
    """A bot of *cls* for one match; *seed* is for a class that wants one."""
    bot: Bot = cls(**_arguments(cls, options, seed)[0])
    return bot


def check_class_options(cls: type, options: Options) -> None:
    """Raises :class:`NoSuchClass` if *cls* takes other keyword arguments than *options*."""
    wanted, signature = _arguments(cls, options, b"")
    if signature is None:
        return
    try:
        signature.bind(**wanted)
    except TypeError as error:
        raise NoSuchClass(
            f"The class {printable(cls.__name__, 80)} cannot be made with these options.",
            why=f"Python says: {printable(str(error), 200)}.",
            next="An option is a keyword argument of the class, as in"
            " py,risk=3:FILE.py:CLASS for __init__(self, risk).",
        ) from error


def _arguments(
    cls: type, options: Options, seed: bytes
) -> tuple[dict[str, Any], inspect.Signature | None]:
    """What *cls* is made with, and what it says that it takes, if that can be told."""
    wanted: dict[str, Any] = {name.replace("-", "_"): value for name, value in options}
    try:
        signature = inspect.signature(cls)
    except Exception:  # a class may say anything of itself, or nothing
        return wanted, None
    if "seed" in signature.parameters:
        wanted.setdefault("seed", seed)
    return wanted, signature


class ClassBot:
    """A bot of the class *cls*, with *options* as its keyword arguments; fresh for every match."""

    def __init__(self, cls: type, options: Options) -> None:
        self._cls = cls
        self._options = options
        self._bot: Bot | None = None
        self._one = trio.CapacityLimiter(1)

    async def open(self) -> BotGreeting:
        return BotGreeting(self._cls.__name__, "", tuple(self._options))

    async def begin(self, begin: Begin) -> None:
        # A thread that hangs cannot be ended: what comes next does not wait for it.
        self._one = trio.CapacityLimiter(1)
        self._bot = await self._within(
            START_SECONDS,
            lambda: make_bot(self._cls, self._options, begin.seed),
            "was not made",
            next="Have it do less when it is made.",
        )

    async def ask(self, view: View, seconds: float) -> Action | Concede:
        bot = self._bot
        assert bot is not None
        taken = await self._within(seconds, lambda: _choose(bot, view), "did not answer")
        if isinstance(taken, str):
            raise BotIllegal(
                f"The bot chose {taken}, which it may not do now.",
                why="choose has to return one of legal_actions(view.state), or Concede().",
                next="Mend the bot.",
            )
        return taken

    async def tell(self, text: str) -> None:
        """Nothing: it reads no lines."""

    async def close(self, fault: BotFault | None = None) -> bool:
        self._bot = None
        return True

    async def _within(
        self, seconds: float, work: Callable[[], T], late: str, next: str | None = None
    ) -> T:
        def run() -> T | _Raised:
            try:
                return work()
            except BaseException as error:  # also what would end a program: it is the bot's alone
                return _Raised(error, told_of(error))

        try:
            with trio.fail_after(seconds):
                result = await trio.to_thread.run_sync(
                    run, abandon_on_cancel=True, limiter=self._one
                )
        except trio.TooSlowError as slow:
            raise BotTooSlow(
                f"The bot {late} within {in_seconds(seconds)}.",
                why="It thinks too long, or for ever.",
                next=next,
            ) from slow
        if isinstance(result, _Raised):
            raise BotCrashed(
                "The bot raised an exception.",
                why=result.told,
                next="Mend the bot; --debug shows the traceback.",
            ) from result.error
        return result


class _Raised(NamedTuple):
    """What the bot raised, and what is said of it."""

    error: BaseException
    told: str


def _choose(bot: Bot, view: View) -> Action | Concede | str:
    """What *bot* chooses, as the rules' own value; or what it chose, in words, if it may not.

    That is found out in the bot's thread: to compare or to show what it chose may run its code.
    """
    choice = bot.choose(view)
    if isinstance(choice, Concede):
        return Concede()
    for action in legal_actions(view.state):
        if choice == action:
            return action
    return printable(repr(choice), 100)
