"""Bots from outside, for tests: what is typed for them, and what is left of them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from random import Random

import trio

from pazaak_p2p.bots.practice import positions
from pazaak_p2p.rules import CARDS, View

EXAMPLES = Path(__file__).parents[2] / "protocol" / "examples"
MISBEHAVING = Path(__file__).with_name("misbehaving.py")


def python(*words: str | Path, settings: str = "") -> str:
    """A bot that is a Python program, as typed."""
    command = shlex.join([sys.executable, "-S", *map(str, words)])
    return f"cmd{settings}:{command}"


def misbehaving(deed: str, at: int, settings: str = "") -> str:
    """The bot of ``misbehaving.py``, as typed."""
    return python(MISBEHAVING, deed, str(at), settings=settings)


def some_views(count: int, seed: str = "views") -> list[View]:
    """Positions with a choice, of all kinds."""
    rng = Random(seed)
    views: list[View] = []
    while len(views) < count:
        views += positions(rng, CARDS[len(views) % len(CARDS)])
    return views[:count]


def running(text: str) -> list[str]:
    """The command lines of processes, zombies left out, that contain *text*. Linux only."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line and state != "Z":
            found.append(line)
    return found


def group(pid: int) -> list[int]:
    """The processes in the group of *pid*, zombies left out. Linux only."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[2]) == pid and words[0] != "Z":
            found.append(int(folder.name))
    return found


async def gone(pid: int) -> None:
    """Wait until the group of *pid* is empty: who is no child of ours can only be looked for."""
    with trio.fail_after(10):
        while group(pid):  # noqa: ASYNC110
            await trio.sleep(0.01)


def zombies_of(parent: int) -> list[int]:
    """The children of *parent* that nobody has waited for. Linux only."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == parent and words[0] == "Z":
            found.append(int(folder.name))
    return found
