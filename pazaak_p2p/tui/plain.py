"""The game as numbered lines: for screen readers, dumb terminals and pipes. No cursor is moved.

At a terminal every line is taken at once. From a pipe or a file the lines are a plan made in
advance: each waits until it can act, nothing has to be confirmed, and the end of the input leaves
the match when the next choice is due, or while the other player is away.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TextIO

import trio

from pazaak_p2p.bots.hints import Hint
from pazaak_p2p.net.player import Concede, Quit
from pazaak_p2p.rules import Card, HandCard, Phase, Placed, Play, Table, View, view
from pazaak_p2p.tui.bridge import HungUp
from pazaak_p2p.tui.choices import keys_for, menu, normalise, why_no_choice
from pazaak_p2p.tui.dialog import Again, Decision, Dialog, GoOn, Help, Position
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.hand import percent
from pazaak_p2p.tui.helptext import help_lines
from pazaak_p2p.tui.lines import Line, plain
from pazaak_p2p.tui.names import called
from pazaak_p2p.tui.outlook import Outlook, outlooks
from pazaak_p2p.tui.status import URGENT, Status
from pazaak_p2p.tui.stdin import LineReader
from pazaak_p2p.tui.table import set_number
from pazaak_p2p.tui.writer import LineWriter
from pazaak_p2p.wire.events import Resumed

_LAST_SECONDS: Final = 1.0
"""How long what is still to be written may take at the end."""
_AGAIN: Final = frozenset({"a", "again"})


class Plain:
    """A :class:`pazaak_p2p.tui.face.Face` that writes and reads lines.

    *interactive* tells whether somebody sits at *reader* to be asked.
    """

    rests = False

    def __init__(
        self, glyphs: Glyphs, reader: LineReader, stdout: TextIO, *, interactive: bool
    ) -> None:
        self.glyphs = glyphs
        self._reader = reader
        self._stdout = stdout
        self._interactive = interactive
        self._dialog = Dialog(glyphs, confirm=interactive)
        self._decided, self.decisions = trio.open_memory_channel[Decision](math.inf)
        self._writer = LineWriter()
        self._plan: deque[str] = deque()
        self._ended = self._left = self._conceded = self._resting = False
        self._status = Status()

    def say(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self._write(plain(line))

    def show(self, position: Position) -> None:
        before = self._dialog.position
        self._dialog.show(position)
        if position.hint is not None and self._dialog.due:
            if position.hint != before.hint:
                self._tell_chances(position.hint)
        elif self._dialog.due:
            self._describe()
        if position.lesson and position.lesson != before.lesson:
            self.say([(("", " "), *position.lesson)])
        self._go_on()

    def recall(self, lines: Sequence[Line]) -> None:
        """Nothing: there is no log to look back in, and they would bury what is asked now."""

    def keep(self, lines: Sequence[Line]) -> None:
        """Nothing: what is written stays."""

    def inform(self, status: Status) -> None:
        """What changes by itself would be in the way of the lines, but for a clock that runs out;
        being away is said as one."""
        before, self._status = self._status.clock, status
        clock = status.clock
        if clock is not None and clock.ours and (before is None or not before.ours):
            self._write(f"Your clock: {clock.seconds} seconds (R21).")
        elif clock is not None and clock.ours and clock.seconds <= URGENT:
            assert before is not None
            if before.seconds > URGENT:
                self._write(f"Your clock: only {clock.seconds} seconds are left.")
        self._go_on()

    def hold(self, on: bool) -> None:
        """Nothing: lines wait for nobody."""

    def rest(self, *, again: bool = False) -> None:
        """What is written stays, but who can be asked may want to play *again*."""
        self._resting = again and self._interactive
        if self._resting:
            self._write("Type a to play again, or an empty line to leave.")
            self._go_on()
        else:
            self._tell(GoOn())

    def interrupt(self) -> None:
        self._decide(self._dialog.interrupt())

    async def run(self) -> None:
        with self._decided:
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._until_broken, nursery.cancel_scope)
                    nursery.start_soon(self._keep_reading)
            finally:
                with trio.CancelScope(shield=True):
                    await self._writer.drained(_LAST_SECONDS)
        if self._writer.broken is not None:
            raise HungUp from self._writer.broken

    # In.

    async def _keep_reading(self) -> None:
        while (line := await self._reader.read_line()) is not None:
            self._plan.append(line)
            self._go_on()
        self._ended = True
        self._go_on()

    def _go_on(self) -> None:
        """Take the lines that can act now."""
        if self._resting:
            if self._plan or self._ended:
                wish = self._plan.popleft() if self._plan else ""
                self._tell(Again() if wish.strip().lower() in _AGAIN else GoOn())
            return
        while self._plan and (self._interactive or self._can_act(self._plan[0])):
            line = self._plan.popleft()
            if line.strip():
                self._decide(self._dialog.enter(line))
            elif self._interactive:
                self._describe()
        away = self._status.away is not None
        # Leaving must not overtake a concession, unless nobody is there to hear that.
        waits = away or (not self._conceded and (self._interactive or self._dialog.due))
        if self._ended and not self._plan and waits and not self._left:
            self._left = True
            self._write("End of input: leaving the match.")
            self._tell(Quit())

    def _can_act(self, line: str) -> bool:
        if self._dialog.awaits_hint:
            return False  # it would be of no use any more
        position = self._dialog.position
        keys = ["q", "t", "?"]
        if position.view is not None:
            keys.append("c")
        if position.away:
            keys.append("w")
        return not line.strip() or self._dialog.due or normalise(line)[:1] in keys

    def _decide(self, decision: Decision | None) -> None:
        if isinstance(decision, Help):
            self.say(help_lines(self.glyphs))
        elif decision is not None:
            self._conceded = self._conceded or isinstance(decision, Concede)
            self._tell(decision)
        elif self._dialog.refused is not None or self._dialog.asks is not None:
            self.say([self._dialog.message()])

    def _tell(self, decision: Decision) -> None:
        with suppress(trio.ClosedResourceError, trio.BrokenResourceError):  # nobody plays any more
            self._decided.send_nowait(decision)

    # Out.

    def _write(self, text: str) -> None:
        self._writer.write(self._stdout, text)

    async def _until_broken(self, finished: trio.CancelScope) -> None:
        await self._writer.until_broken()
        finished.cancel()

    def _tell_chances(self, hint: Hint) -> None:
        view = self._dialog.position.view
        assert view is not None
        self.say([self._dialog.message()])
        for text in describe_chances(view, hint, self.glyphs):
            self._write(text)

    def _describe(self) -> None:
        position = self._dialog.position
        if position.view is not None:
            for text in describe_table(position.view, position.opponent, self.glyphs):
                self._write(text)
        if self._dialog.due:
            assert position.view is not None
            practice = position.practice
            for text in describe_choices(position.view, self.glyphs, practice=practice):
                self._write(text)
        else:
            others = "   ".join(
                f"{key} {meaning}"
                for key, meaning in menu(
                    position.view, due=False, away=position.away, practice=position.practice
                )
            )
            self._write(f"  {others}")
        self.say([self._dialog.message()])


def describe_table(
    view: View, opponent: str, glyphs: Glyphs, *, own: str | None = None
) -> list[str]:
    """Both tables in words; *own* is the name of the own seat where it is not "you"."""
    state = view.state
    stand = "stand" if own is None else "stands"
    return [
        f"Set {set_number(state)}, first to {state.rules.sets}. "
        f"Sets won: {opponent} {view.opponent_won}, {own or 'you'} {view.won}.",
        f"{opponent}: {_side(view.opponent_table, view.opponent_total, glyphs)}"
        f"{', stands' if view.opponent_stands else ''}; holds {_cards(view.opponent_cards)}.",
        f"{own or 'You'}: {_side(view.table, view.total, glyphs)}"
        f"{f', {stand}' if view.stands else ''}.",
    ]


def describe_standing(name: str, before: Resumed, glyphs: Glyphs) -> list[str]:
    """How a match with the player called *name* (raw) stands that goes on later; nothing if it has
    hardly begun."""
    if not before.moves:
        return []
    seen, opponent = view(before.state, before.seat), called(name, glyphs)
    hand = [held.card for held in before.state.hands[before.seat] if held.card and not held.played]
    held = [f"Your hand: {' '.join(map(glyphs.name, hand))}."] if hand else []
    turn = why_no_choice(seen, opponent) or "Your turn."
    return [*describe_table(seen, opponent, glyphs), *held, turn]


def describe_choices(view: View, glyphs: Glyphs, *, practice: bool = False) -> list[str]:
    """What can be typed, one line each, with what it leads to; *practice* as for the menu."""
    looks = outlooks(view)
    lines = []
    for number, held in enumerate(view.state.hands[view.seat], start=1):
        lines.append(f"  {number}  {_hand_card(held, number, looks, view, glyphs)}")
    shown = menu(view, practice=practice)
    keys = [(key, meaning) for key, meaning in shown if not key[0].isdigit()]
    lines += [f"  {key}  {meaning}" for key, meaning in keys if key in "esp"]
    return [
        *lines,
        "  " + "   ".join(f"{key} {meaning}" for key, meaning in keys if key not in "esp"),
    ]


def describe_chances(view: View, hint: Hint, glyphs: Glyphs) -> list[str]:
    """What a hint says of each choice, one line each, the best first."""
    lines = []
    for action, chance in sorted(hint.chances, key=lambda pair: (pair[0] != hint.best, -pair[1])):
        name = f"  {glyphs.name(action.card)}" if isinstance(action, Play) else ""
        mark = f"  {glyphs.good}" if action == hint.best else ""
        keys = keys_for(view, action)
        keys = f"{keys[0]} {keys[1:]}" if len(keys) > 2 else keys
        lines.append(f"  {keys}{name}  {percent(chance)}{mark}")
    return lines


def _side(table: Table, total: int, glyphs: Glyphs) -> str:
    return f"{' '.join(_placed(card, glyphs) for card in table)} = {total}" if table else "no cards"


def _placed(placed: Placed, glyphs: Glyphs) -> str:
    if placed.card is None:
        return str(placed.value)
    name = glyphs.name(placed.card)
    face = f"{placed.value:+d}"
    return name if face == name or not placed.value else f"{face}({name})"


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count or 'no'} cards"


def _hand_card(
    held: HandCard, number: int, looks: Sequence[Outlook], view: View, glyphs: Glyphs
) -> str:
    assert held.card is not None
    name = glyphs.name(held.card)
    if held.played:
        return f"{name}, gone"
    plays = [
        (look.action, look)
        for look in looks
        if isinstance(look.action, Play) and look.action.at == held.position
    ]
    if not plays:
        if view.state.phase is Phase.TIE:
            return f"{name}: lay it down" if held.card is Card.TIEBREAKER else f"{name}, no use now"
        return f"{name}, one card a turn (R8)"
    if len(plays) == 1:
        return f"{name}: makes {_made(plays[0][1])}"
    ways = []
    for play, look in plays:
        size = f" {abs(play.value)}" if held.card is Card.ONE_TWO else ""
        ways.append(f"{number}{size}{'+' if play.value > 0 else '-'} makes {_made(look)}")
    return f"{name}: {', '.join(ways)}"


def _made(look: Outlook) -> str:
    if look.verdict is not None:
        return f"{look.total} and {look.verdict.value}"
    if look.over:
        return f"{look.total}, over 20"
    return f"{look.total} and stands" if look.stands else str(look.total)
