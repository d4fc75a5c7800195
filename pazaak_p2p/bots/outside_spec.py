"""Bots from outside, as people type them: ``cmd:./mybot --risk 3``, ``tcp:HOST:PORT``,
``FILE.py:CLASS``, ``MODULE:CLASS``; with settings, ``cmd,seconds=2,restart=1:./mybot``.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from pazaak_p2p.bots.base import Bot
from pazaak_p2p.bots.class_bot import ClassBot, check_class_options, load_class, make_bot
from pazaak_p2p.bots.errors import UnknownBot
from pazaak_p2p.bots.faults import NotAtOnce
from pazaak_p2p.bots.interface import OPTION_NAME
from pazaak_p2p.bots.outside import Outside, ProgramBot, TcpBot
from pazaak_p2p.net.address import parse_address
from pazaak_p2p.text import printable

SECONDS: Final = 10.0
"""What a bot has for a decision, if nobody says otherwise."""
MOST_SECONDS: Final = 3600.0
MOST_RESTARTS: Final = 100
MOST_TEXT: Final = 4000
"""Characters that the name of a bot may have."""

_KINDS: Final = ("cmd", "tcp", "py")
_POSIX: Final = os.name == "posix"
_CLASS: Final = re.compile(r"(?P<where>.+):(?P<name>[^\W\d]\w*)")
_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


OUTSIDE: Final = (
    ("cmd:COMMAND", "a program that speaks protocol/bot-interface.md on its standard streams"),
    ("tcp:HOST:PORT", "the same over TCP: a bot that listens there"),
    ("FILE.py:CLASS", "a Python class with one method, choose(view); also MODULE:CLASS"),
)
"""What there is, as people type it, with a line about each."""


class OutsideSpec(Struct, frozen=True):
    """A bot from outside that was asked for."""

    text: str
    """As typed; raw."""
    open: Callable[[trio.Nursery], Outside]
    """A fresh one, not yet started."""
    make: Callable[[bytes], Bot]
    """One that chooses at once, from a seed; raises ``NotAtOnce`` where that cannot be."""
    seconds: float = SECONDS
    """What it has for a decision."""
    restarts: int = 0
    """How often it is started again in a match before that is lost."""


def is_program(text: str) -> bool:
    """Whether the bot called *text* is a program of its own, which never chooses at once."""
    return text.partition(":")[0].split(",")[0] in ("cmd", "tcp")


def is_class(text: str) -> bool:
    """Whether the bot called *text* is a Python class, which runs in our own process."""
    parts = _parts(text)
    return parts is not None and parts[0] == "py"


def typed_seconds(text: str) -> float | None:
    """What the bot called *text* has for a decision, if ``seconds=`` says so.

    Raises ``UnknownBot`` for settings that cannot be.
    """
    kind, *settings = text.partition(":")[0].split(",")
    if kind not in _KINDS or not any(setting.startswith("seconds=") for setting in settings):
        return None
    return _settings(settings, printable(text, 80))[0]


def class_restarts(text: str) -> int:
    """How often a fresh object of the Python class *text* is made in a match before that is lost.

    0 for any other bot. Raises ``UnknownBot`` for settings that cannot be.
    """
    kind, *settings = text.partition(":")[0].split(",")
    return _settings(settings, printable(text, 80))[1] if kind == "py" else 0


def find_outside(text: str, folder: Path | None = None) -> OutsideSpec | None:
    """The bot called *text*, None if that is no bot from outside; its paths count from *folder*,
    where a program is started too, or else from where we are.

    A Python class is loaded, which runs its module. Raises ``UnknownBot`` or ``NoSuchClass``.
    """
    parts = _parts(text)
    if parts is None:
        return None
    kind, settings, argument = parts
    shown = printable(text, 80)
    if len(text) > MOST_TEXT or not text.isprintable():
        raise UnknownBot(
            f"There is no bot {shown!r}.",
            why=f"What is typed for a bot has at most {MOST_TEXT} characters, all of them"
            " printable.",
        )
    seconds, restarts, options = _settings(settings, shown)
    opened: Callable[[trio.Nursery], Outside]
    make: Callable[[bytes], Bot] = partial(_not_at_once, shown)
    match kind:
        case "cmd":
            opened = partial(ProgramBot, _words(argument, shown), options, folder=folder)
        case "tcp":
            opened = _tcp(argument, options, shown)
        case _:
            named = _CLASS.fullmatch(argument)
            if named is None:
                raise UnknownBot(
                    f"There is no bot {shown!r}.",
                    why="A Python bot is named as FILE.py:CLASS or MODULE:CLASS.",
                )
            cls = load_class(named["where"], named["name"], folder)
            check_class_options(cls, options)

            def opened(nursery: trio.Nursery) -> Outside:
                return ClassBot(cls, options)

            make = partial(make_bot, cls, options)
    return OutsideSpec(text, opened, make, seconds, restarts)


def _parts(text: str) -> tuple[str, list[str], str] | None:
    """Kind, settings and what is behind the colon of a bot from outside; None if it is none."""
    head, _, argument = text.partition(":")
    kind, *settings = head.split(",")
    if kind in _KINDS:
        return kind, settings, argument
    if _CLASS.fullmatch(text) is None or not _is_python(text.rpartition(":")[0]):
        return None
    return "py", [], text


def _is_python(where: str) -> bool:
    return where.endswith(".py") or _MODULE.fullmatch(where) is not None


def _words(command: str, shown: str) -> list[str]:
    try:
        words = shlex.split(command, posix=_POSIX)
    except ValueError as error:
        raise UnknownBot(
            f"The command of the bot {shown!r} cannot be read.",
            why=f"{error}.",
            next="Mend the quotes. No shell reads the command: $NAME, * and > mean nothing in it.",
        ) from error
    if not words:
        raise UnknownBot(
            f"There is no bot {shown!r}.", why="Behind cmd: comes the command that starts it."
        )
    return words if _POSIX else [word.strip('"') for word in words]


def _tcp(
    argument: str, options: tuple[tuple[str, str], ...], shown: str
) -> Callable[[trio.Nursery], Outside]:
    if not re.search(r":\d+\Z", argument):
        raise UnknownBot(
            f"There is no bot {shown!r}.",
            why="Behind tcp: comes the address at which it listens, with its port.",
            next="Write it like: tcp:127.0.0.1:9000",
        )
    address = parse_address(argument)

    def opened(nursery: trio.Nursery) -> Outside:
        return TcpBot(address, options)

    return opened


def _settings(settings: list[str], shown: str) -> tuple[float, int, tuple[tuple[str, str], ...]]:
    seconds, restarts = SECONDS, 0
    options: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not OPTION_NAME.fullmatch(key) or key in options or not value.strip():
            raise UnknownBot(
                f"The bot {shown!r} has a setting that cannot be: {printable(setting, 40)!r}.",
                why="Settings are written NAME=VALUE, each once: seconds, restart, or an option of"
                " the bot itself.",
            )
        if key == "seconds":
            seconds = _seconds(value, shown)
        elif key == "restart":
            if not (value.isascii() and value.isdigit() and int(value[:9]) <= MOST_RESTARTS):
                raise UnknownBot(
                    f"The bot {shown!r} cannot be restarted {printable(value, 20)!r} times.",
                    why=f"restart goes from 0 to {MOST_RESTARTS}.",
                )
            restarts = int(value)
        else:
            options[key] = value
    return seconds, restarts, tuple(options.items())


def _seconds(value: str, shown: str) -> float:
    if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", value, re.ASCII):
        seconds = float(value)
        if 0 < seconds <= MOST_SECONDS:
            return seconds
    raise UnknownBot(
        f"The bot {shown!r} cannot have {printable(value, 20)!r} seconds for a decision.",
        why=f"seconds is a number above 0 and up to {MOST_SECONDS:g}.",
    )


def _not_at_once(shown: str, seed: bytes) -> Bot:
    raise NotAtOnce(f"The bot {shown!r} is a program of its own.")
