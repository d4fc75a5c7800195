"""The bots by the names that people type, such as ``threshold:18`` or ``script:FILE``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from pazaak_p2p.bots.base import Bot
from pazaak_p2p.bots.careful import CarefulBot
from pazaak_p2p.bots.classic import ClassicBot
from pazaak_p2p.bots.errors import UnknownBot
from pazaak_p2p.bots.expert import ExpertBot
from pazaak_p2p.bots.master import MasterBot
from pazaak_p2p.bots.novice import NoviceBot
from pazaak_p2p.bots.outside_spec import OUTSIDE, OutsideSpec, find_outside
from pazaak_p2p.bots.random_bot import RandomBot
from pazaak_p2p.bots.script import ScriptBot, load_script
from pazaak_p2p.bots.threshold import STANDARD, ThresholdBot, parse_stand_at
from pazaak_p2p.store import UnknownUser, expanded
from pazaak_p2p.text import printable

BOTS: Final = (
    ("random", "takes any legal action, each with the same chance"),
    ("novice", "stands at 16 and wastes its cards, as beginners do"),
    ("classic", "as in the original game: matches or beats you once you stand"),
    ("careful", "stands early, and saves its cards for what decides a set"),
    ("expert", "looks ahead to the end of the set, with one price for every card"),
    ("master", "takes what wins the match most often, worked out beforehand"),
    ("threshold", f"stands at {STANDARD}, mends and betters its total with its cards"),
    ("threshold:N", "the same, standing at N (1 to 20)"),
    ("script:FILE", "plays the actions of a text file, one a line"),
    *OUTSIDE,
)
"""What there is, as people type it, with a line about each."""


_WITHOUT_SEED: Final[dict[str, Callable[[], Bot]]] = {
    "classic": ClassicBot,
    "careful": CarefulBot,
    "expert": ExpertBot,
    "master": MasterBot,
}

LEVELS: Final = ("random", "novice", "classic", "careful", "expert", "master")
"""From the weakest to the strongest (measured: ``python -m benchmarks.bot_levels``)."""


class BotSpec(msgspec.Struct, frozen=True):
    """A bot that was asked for. ``make(seed)`` gives a fresh one for a match.

    The seed is 32 bytes; what a bot chooses follows from it and from what it sees.
    """

    text: str
    """As typed, safe to show."""
    typed: str
    """As typed; raw."""
    make: Callable[[bytes], Bot]
    remembers: bool = True
    """Whether what it chooses depends on what it was asked before in the match."""
    outside: OutsideSpec | None = None
    """How to have one that takes its time; ``make`` may raise ``NotAtOnce`` then."""


def find_bot(text: str, *, runs_programs: bool = True, folder: Path | None = None) -> BotSpec:
    """The bot called *text*, whose paths count from *folder*, or else from where we are.

    With *runs_programs* it may be one from outside, which runs what it names with the user's
    rights: never for a text that others may have written.

    Raises :class:`UnknownBot`, ``ScriptError`` for a broken script, or ``UnknownUser`` for its
    path, and what :func:`find_outside` raises.
    """
    shown = printable(text, 80)
    name, colon, argument = text.partition(":")
    match name:
        case "random" if not colon:
            return BotSpec(shown, text, RandomBot)
        case "novice" if not colon:
            return BotSpec(shown, text, NoviceBot)
        case _ if not colon and name in _WITHOUT_SEED:
            make = _WITHOUT_SEED[name]
            return BotSpec(shown, text, lambda seed: make(), remembers=False)
        case "threshold":
            stand_at = _stand_at(argument, shown) if colon else STANDARD
            return BotSpec(shown, text, lambda seed: ThresholdBot(stand_at), remembers=False)
        case "script" if argument:
            script = load_script((folder or Path()) / expanded(argument))
            return BotSpec(shown, text, lambda seed: ScriptBot(script))
    outside = find_outside(text, folder) if runs_programs else None
    if outside is not None:
        return BotSpec(shown, text, outside.make, outside=outside)
    names = ", ".join(name for name, what in BOTS if runs_programs or (name, what) not in OUTSIDE)
    raise UnknownBot(
        f"There is no bot {shown!r}.",
        why=f"The bots are {names}.",
        next=_as_program(text, shown, folder or Path()) if runs_programs else None,
    )


def _as_program(text: str, shown: str, folder: Path) -> str | None:
    """How to write *text* if its first word is a file: a program, as people may well type it."""
    word, *_ = text.split() or [""]
    try:
        if not word or not (folder / expanded(word)).is_file():
            return None
    except (OSError, ValueError, UnknownUser):
        return None
    here = "" if "/" in word else "./"
    python = f", or a Python class {printable(word, 80)}:CLASS" if word.endswith(".py") else ""
    return f"If you mean the program, type cmd:{here}{shown}{python}."


def _stand_at(text: str, shown: str) -> int:
    number = parse_stand_at(text)
    if number is None:
        raise UnknownBot(
            f"There is no bot {shown!r}.", why="The number behind threshold: goes from 1 to 20."
        )
    return number
