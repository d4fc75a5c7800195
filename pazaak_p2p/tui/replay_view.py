"""What there is to see of a recorded match after each step, from one side of the table. Pure."""

from __future__ import annotations

from functools import lru_cache

from pazaak_p2p.rules import End, format_deck
from pazaak_p2p.tui.dialog import Position
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line, plain
from pazaak_p2p.tui.replay_record import Opened, Recording, Side
from pazaak_p2p.tui.replay_words import (
    Names,
    deed,
    hidden_words,
    played_on,
    seat_names,
    seen_from,
    verdict_lines,
)
from pazaak_p2p.tui.story import ENDINGS, Story
from pazaak_p2p.wire.events import Moved, Started

_REMEMBERED = 1024
"""Steps whose words are kept: telling them takes longer than finding them."""


class Telling:
    """A recording as it is seen from *side*: from a seat, just as that seat saw it."""

    def __init__(self, recording: Recording, side: Side, glyphs: Glyphs) -> None:
        self.recording = recording
        self.side = side
        self.names: Names = seat_names(recording, glyphs)
        self._glyphs = glyphs
        self._below = recording.below(side)
        self._own = self.names[self._below] if side is Side.ABOVE else None
        self._opponent = self.names[self._below.other]
        self.lines = lru_cache(_REMEMBERED)(self._lines)
        """What is told of a step."""

    @property
    def seen_from(self) -> str:
        return seen_from(self.recording, self.side, self.names)

    def position(self, at: int) -> Position:
        """What is on the table after step *at*."""
        recording = self.recording
        if at == 0:
            return Position(opponent=self._opponent, own=self._own)
        endings = [line for line in self.lines(at) if line[0][0] in ENDINGS]
        over = recording.steps[at].state.outcome is not None
        return Position(
            recording.seen(at, self.side),
            self._opponent,
            result=recording.result(at),
            banner=() if not endings else endings[-1 if over else 0],
            own=self._own,
        )

    def deed(self, at: int) -> str:
        """What happens in step *at*, in a few words."""
        return deed(self.recording.steps[at], self.names, self._glyphs, first=at == 0)

    def message(self, at: int) -> str:
        """What is told of step *at*, without its banner."""
        if at in (0, self.recording.last):
            return " ".join(plain(line).strip() for line in self.lines(at)[1:])
        told: list[str] = []
        for line in self.lines(at):
            if line[0][0] in ENDINGS:
                break
            told.append(plain(line).strip())
        return " ".join(told)

    def log(self, at: int, most: int) -> list[Line]:
        """The last of what is told up to step *at*: at least *most* lines, if there are so many.

        As at the table, that a turn ends is left out: the next card shows it.
        """
        lines: list[Line] = []
        while at >= 0 and len(lines) < most:
            if type(self.recording.steps[at].what) is not End or self.recording.result(at):
                lines[:0] = self.lines(at)
            at -= 1
        return lines

    def _lines(self, at: int) -> tuple[Line, ...]:
        recording = self.recording
        step = recording.steps[at]
        if at == 0:
            return self._beginning()
        if at == recording.last:
            heading, more = verdict_lines(recording, self.names)
            return (heading, (("", f" {more}"),)) if more else (heading,)
        if isinstance(step.what, Opened):
            cards = format_deck(step.what.deck, self._glyphs.ascii)
            return ((("", f" {self.deed(at)}: {cards} (R3)."),),)
        assert step.what is not None
        story = self._story()
        if at > 1:
            story.state = recording.seen(at - 1, self.side).state
        state = recording.seen(at, self.side).state
        return tuple(story.tell(Moved(step.what, step.seat, state)))

    def _story(self) -> Story:
        story = Story(self._glyphs, self._own)
        story.seat, story.opponent, story.ends = self._below, self._opponent, True
        return story

    def _beginning(self) -> tuple[Line, ...]:
        verdict = self.recording.verdict
        assert verdict.rules is not None
        when = played_on(self.recording)
        players = f" {self.names[0]} hosts, {self.names[1]} joins{f', {when}' if when else ''}."
        started = Started(verdict.match_id, self._below, verdict.rules)
        hidden = hidden_words(self.recording, self.names)
        return (
            (("", players),),
            *self._story().tell(started),
            *([(("", f" {hidden}"),)] if hidden else []),
        )
