"""What keys and clicks do at the table on the full screen, and what there is to see. No terminal.

Letters and digits go to the :class:`~pazaak_p2p.tui.dialog.Dialog` as they do at a prompt. In front
of it are the things that only a screen has: something that is chosen with the arrows and pressed by
Enter, a page of help, a pause that any key ends, and the end of the match, which any key leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pazaak_p2p.rules import Action, Card, End, Lay, Pass, Stand
from pazaak_p2p.tui.choices import CTRL_C, CTRL_D, Refused, menu
from pazaak_p2p.tui.dialog import (
    BACKSPACE,
    ENTER,
    ESCAPE,
    Again,
    AskHint,
    Decision,
    Dialog,
    GoOn,
    Help,
    Position,
)
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.hand import percent
from pazaak_p2p.tui.lines import Line
from pazaak_p2p.tui.log import DOWN, PAGE_UP, PAGES, SCROLLS, UP, WHEEL_UP, Span, scrolled
from pazaak_p2p.tui.status import Status

LEFT: Final = "left"
RIGHT: Final = "right"
LOG: Final = "l"

_ACTIONS: Final[dict[str, Action]] = {"e": End(), "s": Stand(), "p": Pass()}
_LOG: Final = 2000
"""Entries of the log that are kept: a very long match, and much talk."""
_UNSEEN: Final = Span()
_NUMBERS: Final = "1234"
# What is no wish to go on while the table stands still.
_NO_SKIP: Final = frozenset({"q", "c", "t", "?", LOG, CTRL_C, CTRL_D, ESCAPE, BACKSPACE})
# What only changes what is looked at, and is no answer to anything.
_LOOKS: Final = PAGES | {LOG, "?"}


class Entry(msgspec.Struct, frozen=True):
    """Something to press: the *keys* that do it, and what that is."""

    keys: tuple[str, ...]
    meaning: str


class Scene(msgspec.Struct, frozen=True):
    """All that is to be seen."""

    position: Position = Position()
    message: Line = ()
    """What is asked, was refused, or should be known before choosing."""
    entries: tuple[Entry, ...] = ()
    chosen: str | None = None
    """The key that Enter presses; that of a card, or one of the entries'."""
    card: Card | None = None
    """The hand card that is chosen, to be explained."""
    talk: str | None = None
    """Words that are being typed for the other side."""
    log: tuple[Line, ...] = ()
    top: int | None = None
    """The first line of the log that is shown; None: its newest lines are."""
    reading: bool = False
    """The log is shown in place of the table."""
    status: Status = Status()
    held: bool = False
    """The table stands still for a while."""
    resting: bool = False
    """All is over, and only to be looked at."""
    help: bool = False
    """The keys are explained in place of the table."""
    hand_keys: bool = True
    """Whether the digits play the cards of the hand."""
    verdict: bool = False
    """Whether what is told is the verdict on a record, which is to be read whole."""
    foot: Line = ()
    """What the last line says in place of the status."""


class Control:
    """One person's side of the screen."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._dialog = Dialog(glyphs)
        self._log: tuple[Line, ...] = ()
        self._top: int | None = None
        self._status = Status()
        self._chosen: str | None = None
        self._held = self._resting = self._again = self._help = self._reading = False

    # What the match tells.

    def say(self, lines: Sequence[Line]) -> None:
        self._log = (*self._log, *lines)[-_LOG:]

    def show(self, position: Position) -> bool:
        """The table has changed. Is it our turn only now?"""
        before = self._dialog.due
        if position.lesson and position.lesson != self._dialog.position.lesson:
            self.say([_entry(position.lesson)])  # to be read again
        self._dialog.show(position)
        self._mend_choice()
        return self._dialog.due and not before

    def inform(self, status: Status) -> None:
        self._status = status

    def hold(self, on: bool) -> None:
        self._held = on

    def rest(self, *, again: bool = False) -> None:
        """From now on the next key leaves the table, but for the one that plays *again*."""
        self._resting, self._again = True, again

    # What the person does.

    def press(self, key: str, span: Span = _UNSEEN) -> Decision | None:
        """One key, as for :meth:`Dialog.press`, the arrows, and those that scroll the log.

        *span* is what is to be seen of the log.
        """
        if self._reading and key in SCROLLS:
            self._top = scrolled(self._top, key, span)
            return None
        if self._help or self._reading:
            self._uncover()
            if key != CTRL_C:
                return None
        if key in PAGES:
            self._scroll(key, span)
            return None
        dialog = self._dialog
        idle = dialog.asks is None and dialog.talk is None
        if self._resting and key not in _LOOKS:
            return Again() if self._again and key == "a" else GoOn()
        if key == LOG and dialog.talk is None:
            self._reading, self._top = True, None
            return None
        if self._held and idle and key not in _NO_SKIP:
            dialog.refused = None
            return GoOn()
        if dialog.talk is None:
            if key in (LEFT, RIGHT, UP, DOWN):
                self._move(key)
                return None
            if key in (ENTER, " ") and self._chosen is not None:
                key = self._chosen
            elif key == ENTER and idle:
                dialog.refused = Refused("Nothing is chosen: the arrows choose, Enter presses it.")
                return None
            elif key == ESCAPE:
                self._chosen = None
        return self._decided(dialog.press(key))

    def paste(self, text: str) -> None:
        """Pasted text is for talking only; nobody means to play a clipboard."""
        if self._dialog.talk is not None:
            for character in " ".join(text.split()):
                self._dialog.press(character)

    def interrupt(self) -> Decision | None:
        """Ctrl-C came as a signal."""
        if self._resting:
            return GoOn()
        self._uncover()
        return self._decided(self._dialog.interrupt())

    def _uncover(self) -> None:
        """Show the table again."""
        self._help = self._reading = False
        self._top = None

    def _scroll(self, key: str, span: Span) -> None:
        """Scroll the log that stands at the table; if none does, show it alone."""
        if span.room and not span.end:
            self._dialog.refused = Refused("The whole log is to be seen.")
        elif span.room:
            self._top = scrolled(self._top, key, span)
        elif key in (PAGE_UP, WHEEL_UP):
            self._reading = True
        else:
            self._dialog.refused = Refused("There is no room for the log here: l shows it alone.")

    def _decided(self, decision: Decision | None) -> Decision | None:
        self._mend_choice()
        if isinstance(decision, Help):
            self._help = True
            return None
        if decision is not None and not isinstance(decision, AskHint):
            self._top = None  # now it is the newest that counts
        return decision

    # What is chosen with the arrows.

    def _move(self, key: str) -> None:
        self._dialog.refused = None
        options = self._options()
        if not options:
            return
        cards = [option for option in options if option in _NUMBERS]
        others = [option for option in options if option not in _NUMBERS]
        if self._chosen not in options:
            self._chosen = options[-1 if key in (LEFT, UP) else 0]
        elif key in (UP, DOWN) and cards and others:
            self._chosen = (others if self._chosen in _NUMBERS else cards)[0]
        else:
            step = -1 if key in (LEFT, UP) else 1
            self._chosen = options[(options.index(self._chosen) + step) % len(options)]

    def _options(self) -> list[str]:
        """Everything that can be chosen, in order."""
        keys = [key for entry in self._entries() for key in entry.keys]
        if self._dialog.asks is not None:
            return keys
        return [*self._cards(), *(key for key in keys if key not in _NUMBERS)]

    def _cards(self) -> dict[str, Card]:
        """The cards that are still in the hand, also those that cannot be played now."""
        view = self._dialog.position.view
        hand = () if view is None else view.state.hands[view.seat]
        return {
            str(number): held.card
            for number, held in enumerate(hand, start=1)
            if not held.played and held.card is not None
        }

    def _mend_choice(self) -> None:
        """Something that was chosen stays so, as long as it is there."""
        options = self._options()
        if self._chosen is not None and self._chosen not in options:
            # Of an answer the harmless one; Enter twice is no way to lose a match.
            self._chosen = None if not options else "n" if "n" in options else options[0]

    # What there is to see.

    def scene(self) -> Scene:
        dialog = self._dialog
        still = dialog.asks is None and not self._held and not self._resting
        return Scene(
            position=dialog.position,
            message=self._message(),
            entries=self._entries(),
            chosen=self._chosen if still or dialog.asks is not None else None,
            card=self._cards().get(self._chosen or "") if still else None,
            talk=dialog.talk,
            log=self._shown_log(),
            top=self._top,
            reading=self._reading,
            status=self._status,
            held=self._held,
            resting=self._resting,
            help=self._help,
        )

    def _shown_log(self) -> tuple[Line, ...]:
        """The log, without what stands at the table just now."""
        lesson = self._dialog.position.lesson
        return self._log[:-1] if lesson and self._log[-1:] == (_entry(lesson),) else self._log

    def _message(self) -> Line:
        dialog = self._dialog
        lesson = dialog.position.lesson
        if self._resting:
            again, leave = "a plays again, any other key leaves.", "Any key leaves."
            # How it ended stands above that already, if anything does.
            over = "" if dialog.position.banner else "The match is over. "
            words = f"{' ' if lesson else ''}{over}{again if self._again else leave}"
            return (*lesson, ("class:question", words))
        if dialog.asks is not None or dialog.talk is not None or dialog.refused is not None:
            return dialog.message()
        if self._held:
            return lesson or (("", "Any key goes on."),)
        return lesson if lesson and not dialog.hinted else dialog.message()

    def _entries(self) -> tuple[Entry, ...]:
        dialog = self._dialog
        if self._resting:
            another = (Entry(("a",), "play again"),) if self._again else ()
            return (*another, Entry((ENTER,), "leave the table"), Entry((LOG,), "log"))
        if self._held and dialog.asks is None and dialog.talk is None:
            return Entry((ENTER,), "go on"), Entry((LOG,), "log")
        if dialog.asks is not None:
            answers = tuple([Entry((key,), "") for key in dialog.asks.keys.split()])
            return (*answers, Entry((ESCAPE,), "back"))
        if dialog.talk is not None:
            return Entry((ENTER,), "send"), Entry((ESCAPE,), "back")
        position = dialog.position
        pairs = list(
            menu(position.view, due=dialog.due, away=position.away, practice=position.practice)
        )
        pairs.insert(-2, (LOG, "log"))  # before help and leaving
        return tuple(
            [
                Entry(tuple(keys.split()), self._with_chance(keys, meaning))
                for keys, meaning in pairs
            ]
        )

    def _with_chance(self, key: str, meaning: str) -> str:
        """*meaning* and what a hint says of it, if there is one."""
        hint = self._dialog.position.hint
        if hint is None:
            return meaning
        for action, chance in hint.chances:
            # At a tie a card is laid down, which makes nothing of a total: it is told here too.
            if action == _ACTIONS.get(key) or (isinstance(action, Lay) and key[0] in _NUMBERS):
                best = self._glyphs.good if action == hint.best else ""
                return f"{meaning} {percent(chance)}{best}"
        return meaning


def _entry(lesson: Line) -> Line:
    return (("", " "), *lesson)
