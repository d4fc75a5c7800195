"""A recorded match as numbered lines, for a screen reader or a terminal that cannot draw.

Whoever sits there steps by typing a letter; a pipe gets the whole story (``replay_text``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from pazaak_p2p.tui.control import LEFT, RIGHT
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import plain
from pazaak_p2p.tui.log import DOWN, END, HOME, PAGE_DOWN, PAGE_UP, UP
from pazaak_p2p.tui.plain import describe_table
from pazaak_p2p.tui.replay import Replay

_KEYS = {
    "": RIGHT,
    "n": RIGHT,
    "b": LEFT,
    "t": DOWN,
    "tb": UP,
    "s": PAGE_DOWN,
    "sb": PAGE_UP,
    "home": HOME,
    "end": END,
    "v": "v",
}
_HELP = (
    "Enter: the next step.  b: one back.  t, tb: a turn on, back.  s, sb: a set on, back.",
    "A number: the step of that number.  set 2: that set.  home, end: the ends.",
    "p: the table in words.  v: from above, then by either seat.  q: leave.",
)


def step_by_lines(replay: Replay, glyphs: Glyphs, stdin: TextIO, stdout: TextIO) -> None:
    """Show steps of *replay* on *stdout* as the lines of *stdin* ask for, until one leaves."""

    def write(text: str, end: str = "\n") -> None:
        encoding = stdout.encoding or "utf-8"
        stdout.write(f"{text}{end}".encode(encoding, "backslashreplace").decode(encoding))
        stdout.flush()

    for line in _told(replay, replay.at):
        write(line)
    while True:
        write(f"[{replay.at + 1} of {replay.recording.last + 1}; ? for help] ", end="")
        typed = stdin.readline()
        if not typed:
            write("")
            return
        words = typed.strip().lower().split()
        if words in (["q"], ["quit"]):
            return
        for line in _answer(replay, words, glyphs):
            write(line)


def _answer(replay: Replay, words: list[str], glyphs: Glyphs) -> Iterator[str]:
    before, side = replay.at, replay.side
    match words:
        case ["?" | "help"]:
            yield from _HELP
            return
        case ["p"]:
            yield from _table(replay, glyphs)
            return
        case [number] if number.isascii() and number.isdecimal():
            refused = _type(replay, "g", number)
        case ["set", number] if number.isascii() and number.isdecimal():
            refused = _type(replay, "s", number)
        case _ if " ".join(words) in _KEYS:
            replay.press(_KEYS[" ".join(words)])
            refused = ""
        case _:
            yield from ("That is nothing to type here.", *_HELP)
            return
    if refused:
        yield refused
    elif replay.side is not side:
        yield f"Seen {replay.telling.seen_from}."
        yield from _table(replay, glyphs)
    elif replay.at == before:
        yield "There is nothing more in that direction."
    else:
        if replay.at < before:
            yield from _table(replay, glyphs)
        else:
            yield from _told(replay, before + 1)  # and all that lies between


def _type(replay: Replay, key: str, number: str) -> str:
    """Have a number asked for by *key*, and give it; what is said against it."""
    for typed in (key, *number, "enter"):
        replay.press(typed)
    return replay.refused


def _told(replay: Replay, first: int) -> Iterator[str]:
    """The steps from *first* to the one that is shown."""
    telling = replay.telling
    for at in range(first, replay.at + 1):
        lines = [plain(line).strip() for line in telling.lines(at)]
        yield f"{at + 1:>4}  {lines[0]}"
        yield from (f"      {line}" for line in lines[1:])


def _table(replay: Replay, glyphs: Glyphs) -> Iterator[str]:
    position = replay.telling.position(replay.at)
    yield f"{replay.at + 1:>4}  {replay.telling.message(replay.at)}"
    view = position.view
    if view is None:
        return
    for line in describe_table(view, position.opponent, glyphs, own=position.own):
        yield f"      {line}"
    for seat, name in ((view.seat.other, position.opponent), (view.seat, position.own or "You")):
        hand = [held for held in view.state.hands[seat] if not held.played]
        if any(held.card is not None for held in hand):
            cards = " ".join("?" if held.card is None else glyphs.name(held.card) for held in hand)
            yield f"      {name} {'hold' if name == 'You' else 'holds'}: {cards}"
