"""What keys and clicks do at the table of a recorded match, and what there is to see. No terminal.

A match is stepped through by card, by turn and by set, in both directions; numbers jump. While it
plays by itself, :attr:`Replay.wait` is how long to wait before :meth:`Replay.tick`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from pazaak_p2p.tui.choices import CTRL_C, CTRL_D
from pazaak_p2p.tui.control import LEFT, RIGHT, Entry, Scene
from pazaak_p2p.tui.dialog import BACKSPACE, ENTER, ESCAPE
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line, joined, width
from pazaak_p2p.tui.log import DOWN, END, HOME, PAGE_DOWN, PAGE_UP, UP
from pazaak_p2p.tui.pace import SET_PAUSE
from pazaak_p2p.tui.replay_record import Recording, Side
from pazaak_p2p.tui.replay_view import Telling

PACES: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Seconds a step, from which ``+`` and ``-`` choose."""
_SIDES: Final = tuple(Side)
_LOG: Final = 120
"""Lines of the log at most: more than the largest terminal shows."""
_MOST_DIGITS: Final = 7
_ONE_DIGIT: Final = 9


class Replay:
    """A recording at a table, first shown after step *at*."""

    def __init__(
        self,
        recording: Recording,
        glyphs: Glyphs,
        *,
        side: Side = Side.ABOVE,
        pace: float = 0.7,
        at: int = 0,
    ) -> None:
        self.recording = recording
        self.at = at
        self.side = side
        self.pace = max(pace, PACES[0])
        """Seconds for which a step is shown when it plays by itself."""
        self.playing = False
        self.help = False
        self._glyphs = glyphs
        self._tellings = {each: Telling(recording, each, glyphs) for each in Side}
        self._asks: str | None = None
        """What is being asked for: ``set`` or ``step``."""
        self._typed = ""
        self.refused = ""
        """Why the last key did nothing; empty if it did something."""

    @property
    def telling(self) -> Telling:
        return self._tellings[self.side]

    @property
    def wait(self) -> float | None:
        """Seconds until the next step is to be shown; None if none is."""
        if not self.playing:
            return None
        return self.pace * (1 if self.recording.result(self.at) is None else SET_PAUSE)

    def tick(self) -> None:
        """The time of the step that is shown is over."""
        if self.playing:
            self._go(self.at + 1)
            self.playing = self.at < self.recording.last

    # What the person does.

    def press(self, key: str) -> bool:
        """One key: a character or the name of a key. Whether it leaves."""
        self.refused = ""
        if key in (CTRL_C, CTRL_D):
            return True
        if self.help:
            self.help = False
            return False
        if self._asks is not None and self._answer(key):
            return False
        return self._press(key)

    def _press(self, key: str) -> bool:
        recording = self.recording
        steps, turns, sets = range(recording.last + 1), recording.turns, recording.sets
        match key:
            case "q":
                return True
            case "right" | "l" | "enter":
                self._step(steps, +1)
            case "left" | "h" | "backspace":
                self._step(steps, -1)
            case "down" | "j":
                self._step(turns, +1)
            case "up" | "k":
                self._step(turns, -1)
            case "page down" | "]":
                self._step(sets, +1)
            case "page up" | "[":
                self._step(sets, -1)
            case "Home":
                self._jump(0)
            case "End":
                self._jump(self.recording.last)
            case " ":
                self._play()
            case "+" | "=":
                self.pace = max((pace for pace in PACES if pace < self.pace), default=self.pace)
            case "-":
                self.pace = min((pace for pace in PACES if pace > self.pace), default=self.pace)
            case "v":
                self.side = _SIDES[(_SIDES.index(self.side) + 1) % len(_SIDES)]
            case "g":
                self._asks, self._typed, self.playing = "step", "", False
            case "s":
                self._asks, self._typed, self.playing = "set", "", False
            case "?":
                self.help, self.playing = True, False
            case "escape":
                self.playing = False
            case _ if key.isdecimal() and key.isascii():
                self._digit(key)
            case _:
                self.refused = "That key does nothing here; ? tells which do."
        return False

    def _go(self, at: int) -> None:
        self.at = min(max(at, 0), self.recording.last)

    def _jump(self, at: int) -> None:
        self.playing = False
        self._go(at)

    def _step(self, stops: Sequence[int], way: int) -> None:
        """To the next or the last of *stops*; beyond them to the beginning or the end."""
        if way > 0:
            place = bisect_right(stops, self.at)
            self._jump(stops[place] if place < len(stops) else self.recording.last)
        else:
            place = bisect_left(stops, self.at)
            self._jump(stops[place - 1] if place else 0)

    def _play(self) -> None:
        if not self.playing and self.at == self.recording.last:
            self.at = 0  # again
        self.playing = not self.playing

    def _digit(self, key: str) -> None:
        """The number of a set: at once if there are no two-digit ones, else by Enter."""
        self._asks, self._typed, self.playing = "set", key, False
        if len(self.recording.sets) <= _ONE_DIGIT:
            self._answer(ENTER)

    def _answer(self, key: str) -> bool:
        """A key while a number is asked for; whether it belongs to that."""
        if key.isdecimal() and key.isascii():
            self._typed = (self._typed + key)[:_MOST_DIGITS]
        elif key == BACKSPACE and self._typed:
            self._typed = self._typed[:-1]
        elif key in (ESCAPE, BACKSPACE):
            self._asks = None
        elif key == ENTER:
            self._arrive()
        else:
            self._asks = None
            return False
        return True

    def _arrive(self) -> None:
        asks, typed = self._asks, self._typed
        self._asks = None
        if not typed:
            return
        assert asks is not None
        stops = self.recording.sets if asks == "set" else range(self.recording.last + 1)
        number = int(typed)
        if 1 <= number <= len(stops):
            self._jump(stops[number - 1])
        elif not stops:
            self.refused = "No set has begun in this record."
        else:
            self.refused = f"There is no {asks} {number}: they go from 1 to {len(stops)}."

    # What there is to see.

    def scene(self, columns: int) -> Scene:
        """What is on the screen; its last line has room for *columns*."""
        telling, at = self.telling, self.at
        position = telling.position(at)
        return Scene(
            position=position,
            message=self._message(),
            entries=self._entries(),
            log=tuple(telling.log(at, _LOG)),
            # How a set ended matters more than the card that ended it, where there is little room.
            held=position.banner != () and not self.refused and self._asks is None,
            help=self.help,
            hand_keys=False,
            verdict=at == self.recording.last,
            foot=self._foot(columns),
        )

    def _message(self) -> Line:
        if self.refused:
            return (("class:warning", self.refused),)
        if self._asks is not None:
            most = len(self.recording.sets) if self._asks == "set" else self.recording.last + 1
            question = f"Go to {self._asks} (1 to {most}): {self._typed}_"
            return (("class:question", question), ("", "  Enter goes, Esc does not."))
        return (("", self.telling.message(self.at)),)

    def _entries(self) -> tuple[Entry, ...]:
        if self._asks is not None:
            return Entry((ENTER,), "go"), Entry((ESCAPE,), "back")
        return (
            Entry((LEFT, RIGHT), "step"),
            Entry((UP, DOWN), "turn"),
            Entry((PAGE_UP, PAGE_DOWN), "set"),
            Entry((HOME, END), "ends"),
            Entry((" ",), "pause" if self.playing else "play"),
            Entry(("-", "+"), f"{self.pace:g} s"),
            Entry(("v",), "view"),
            Entry(("s", "g"), "go to"),
            Entry(("?",), "help"),
            Entry(("q",), "leave"),
        )

    def _foot(self, columns: int) -> Line:
        """Which step this is, who did what, from where it is seen, and where the record has it: as
        much as fits."""
        recording, telling = self.recording, self.telling
        step = recording.steps[self.at]
        parts: list[Line] = [(("class:name", f"step {self.at + 1} of {recording.last + 1}"),)]
        more = [telling.deed(self.at), f"seen {telling.seen_from}"]
        if step.entry is not None:
            more.append(f"entry {step.entry} of {recording.verdict.entries - 1}")
        between = f" {self._glyphs.dot} "
        for text in more:
            if width(joined([*parts, (("", text),)], between)) <= columns - 2:
                parts.append((("", text),))
        return joined(parts, between)
