"""Pages of recorded matches on the full screen, one file each, that they must equal in every sign,
every style, and in what a click does.

``python -m tests.tui.replay_pages`` draws them anew, and with a folder as its argument also as SVG
there, to be looked at; look at every difference before it is kept.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

from pazaak_p2p.tui.glyphs import ASCII, UNICODE, Glyphs
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.page import Row
from pazaak_p2p.tui.replay import Replay
from pazaak_p2p.tui.replay_page import draw_replay
from pazaak_p2p.tui.replay_record import Recording, Side, read_recording
from pazaak_p2p.tui.replay_view import Telling
from tests.wire.records import pieces

FOLDER: Final = Path(__file__).parent
ROOT: Final = FOLDER.parents[2]
CHEATS: Final = ROOT / "protocol" / "vectors" / "cheats.json"
RECORDS: Final = ROOT / "protocol" / "vectors" / "records.json"
VERDICTS: Final = FOLDER / "verdicts.md"
"""What is said at the end of every record among the test vectors."""

GOLD: Final = "every-gold-card"


def seed_record(name: str) -> bytes:
    """The record of a seeded match."""
    return (ROOT / "seeds" / name / "expected.pzk").read_bytes()


def unfinished(name: str, objects: int) -> bytes:
    """The first *objects* objects of the record of a seeded match, and a torn one behind them."""
    *kept, torn = pieces(seed_record(name))[: objects + 1]
    return b"".join([*kept, torn[:-20]])


@cache
def cheats() -> dict[str, bytes]:
    """The records of cheats among the test vectors, by name."""
    return {
        vector["name"]: bytes.fromhex(record)
        for vector in json.loads(CHEATS.read_text("utf-8"))["vectors"]
        for record in vector["matches"][0]["records"].values()
    }


def records() -> dict[str, bytes]:
    """The records among the test vectors that have a match, by name."""
    vectors = json.loads(RECORDS.read_text("utf-8"))["vectors"]
    return {vector["name"]: bytes.fromhex(vector["record"]) for vector in vectors}


def verdicts() -> str:
    """Their last lines."""
    parts = []
    for name, record in records().items():
        shown = read_recording([record])
        lines = Telling(shown, Side.ABOVE, UNICODE).lines(shown.last)
        parts.append(f"{name}\n" + "".join(f"    {plain(line).strip()}\n" for line in lines))
    return "\n".join(parts)


@cache
def recording(name: str) -> Recording:
    """A seeded match, or a cheat (``!name``), or an unfinished match (``name/objects``)."""
    if name.startswith("!"):
        return read_recording([cheats()[name[1:]]])
    seed, _, objects = name.partition("/")
    return read_recording([unfinished(seed, int(objects)) if objects else seed_record(seed)])


Page = tuple[str, Side, int, tuple[str, ...], int, int, Glyphs]

# The record, the side, the step from 1 (0: the last), keys, columns, rows, signs.
PAGES: Final[dict[str, Page]] = {
    "start": (GOLD, Side.ABOVE, 1, (), 80, 24, UNICODE),
    "dealt": (GOLD, Side.ABOVE, 2, (), 80, 24, UNICODE),
    "over_20": (GOLD, Side.ABOVE, 22, (), 80, 24, UNICODE),
    "over_20_ascii": (GOLD, Side.ABOVE, 22, (), 80, 24, ASCII),
    "over_20_compact": (GOLD, Side.ABOVE, 22, (), 40, 16, UNICODE),
    "over_20_large": (GOLD, Side.ABOVE, 22, (), 130, 40, UNICODE),
    "by_the_host": (GOLD, Side.HOST, 22, (), 80, 24, UNICODE),
    "by_the_joiner": (GOLD, Side.JOIN, 22, (), 80, 24, UNICODE),
    "set_over": (GOLD, Side.ABOVE, 23, (), 80, 24, UNICODE),
    "set_over_compact": (GOLD, Side.ABOVE, 23, (), 40, 16, UNICODE),
    "set_lost": (GOLD, Side.JOIN, 23, (), 80, 24, UNICODE),
    "turn_ended": (GOLD, Side.HOST, 5, (), 80, 24, UNICODE),
    "audit": (GOLD, Side.HOST, 33, (), 80, 24, UNICODE),
    "end": (GOLD, Side.ABOVE, 0, (), 80, 24, UNICODE),
    "end_compact": (GOLD, Side.ABOVE, 0, (), 40, 16, UNICODE),
    "playing": (GOLD, Side.ABOVE, 22, (" ", "+"), 80, 24, UNICODE),
    "asks_for_a_step": (GOLD, Side.ABOVE, 22, ("g", "1"), 80, 24, UNICODE),
    "no_such_set": (GOLD, Side.ABOVE, 22, ("7",), 80, 24, UNICODE),
    "help": (GOLD, Side.ABOVE, 22, ("?",), 80, 24, UNICODE),
    "help_compact": (GOLD, Side.ABOVE, 22, ("?",), 40, 16, UNICODE),
    "too_small": (GOLD, Side.ABOVE, 22, (), 39, 16, UNICODE),
    "not_over_start": (f"{GOLD}/14", Side.ABOVE, 1, (), 80, 24, UNICODE),
    "not_over": (f"{GOLD}/14", Side.ABOVE, 12, (), 80, 24, UNICODE),
    "not_over_end": (f"{GOLD}/14", Side.HOST, 0, (), 80, 24, UNICODE),
    "not_over_end_compact": (f"{GOLD}/14", Side.HOST, 0, (), 40, 16, UNICODE),
    "not_over_compact": (f"{GOLD}/14", Side.ABOVE, 12, (), 40, 16, UNICODE),
    "cheat": ("!card-not-dealt", Side.ABOVE, 0, (), 80, 24, UNICODE),
    "conceded": ("concession", Side.ABOVE, 0, (), 80, 24, UNICODE),
}


def page_of(name: str) -> list[Row]:
    """The page *name* as it is drawn now."""
    record, side, step, keys, columns, rows, glyphs = PAGES[name]
    shown = recording(record)
    replay = Replay(shown, glyphs, side=side, at=(step or shown.last + 1) - 1)
    for key in keys:
        replay.press(key)
    return draw_replay(replay, columns, rows, glyphs)


def path(name: str) -> Path:
    return FOLDER / f"{name}.txt"
