"""A bot that plays what a text file says.

One line is one choice, in the order in which they come; blank lines and what follows a ``#`` do not
count::

    at-end threshold:18      # first line, may be left out: who goes on after the last line
    play +3                  # the first such card in the hand
    play +-4 as -            # a card with a choice of sign: as + or as -
    play 1+-2 as -2          # ... or of size: as +1, +2, -1 or -2
    play D
    end
    stand
    lay                      # at a tie: lay the tiebreaker
    pass                     # at a tie: lay nothing
    concede                  # give the match up
    auto                     # leave this one choice to the threshold bot
    auto 18                  # ... that stands at 18

Cards are written in either notation (``±4``, ``+-4``). ``at-end`` takes ``threshold``,
``threshold:N`` or ``error``; without it, ``threshold`` plays on. Under ``at-end error`` a choice
that has no line is an error. A line that cannot be played when its turn comes is an error too, and
names the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from pazaak_p2p.bots.errors import ScriptError
from pazaak_p2p.bots.threshold import STANDARD, ThresholdBot, parse_stand_at
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    Action,
    Card,
    CardError,
    End,
    Lay,
    Pass,
    Phase,
    Play,
    RuleError,
    Stand,
    View,
    apply,
    legal_actions,
    possible_values,
)
from pazaak_p2p.store.texts import BadText, read_text
from pazaak_p2p.text import printable

MOST_BYTES: Final = 1_000_000
"""A larger script is refused."""


class _PlayCard(msgspec.Struct, frozen=True):
    card: Card
    value: int | None
    """None where the card leaves no choice."""


class _Simple(msgspec.Struct, frozen=True):
    action: End | Stand | Pass | Concede


class _LayDown(msgspec.Struct, frozen=True):
    pass


class _Auto(msgspec.Struct, frozen=True):
    stand_at: int


_Step: TypeAlias = _PlayCard | _Simple | _LayDown | _Auto
_SIMPLE: Final[dict[str, End | Stand | Pass | Concede]] = {
    "end": End(),
    "stand": Stand(),
    "pass": Pass(),
    "concede": Concede(),
}


class Script(msgspec.Struct, frozen=True):
    """A script, read and checked as far as that can be done before the match."""

    file: str
    """Its name, safe to show."""
    steps: tuple[tuple[int, _Step], ...]
    """Line number and step."""
    stand_at: int | None
    """Where the threshold bot stands that plays on after the last line; None: nobody does."""


def load_script(path: Path) -> Script:
    """Read the script at *path*. Raises :class:`ScriptError`."""
    shown = printable(str(path))
    try:
        return parse_script(read_text(path, MOST_BYTES), shown)
    except BadText as error:
        raise ScriptError(shown, error.line, error.what) from error


def parse_script(text: str, file: str) -> Script:
    """The script *text*; *file* is its name in errors. Raises :class:`ScriptError`."""
    steps: list[tuple[int, _Step]] = []
    stand_at: int | None = STANDARD
    headed = False
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue

        def fail(what: str, why: str | None = None, number: int = number) -> ScriptError:
            return ScriptError(file, number, what, why=why)

        if words[0] == "at-end":
            if headed or steps:
                raise fail("at-end comes once, and before all actions.")
            headed = True
            stand_at = _parse_at_end(words[1:], fail)
        else:
            steps.append((number, _parse_step(words, fail)))
    return Script(file, tuple(steps), stand_at)


_Fail: TypeAlias = Callable[..., ScriptError]


def _parse_at_end(words: list[str], fail: _Fail) -> int | None:
    match words:
        case ["error"]:
            return None
        case ["threshold"]:
            return STANDARD
        case [word] if word.startswith("threshold:"):
            return _parse_number(word.removeprefix("threshold:"), fail)
    raise fail("at-end takes threshold, threshold:N or error.")


def _parse_number(text: str, fail: _Fail) -> int:
    number = parse_stand_at(text)
    if number is None:
        raise fail(f"{printable(text, 20)!r} is not a number from 1 to 20.")
    return number


def _parse_step(words: list[str], fail: _Fail) -> _Step:
    match words:
        case [word] if word in _SIMPLE:
            return _Simple(_SIMPLE[word])
        case ["lay"]:
            return _LayDown()
        case ["auto"]:
            return _Auto(STANDARD)
        case ["auto", number]:
            return _Auto(_parse_number(number, fail))
        case ["play", name]:
            card = _parse_card(name, fail)
            if len(card.values) > 1:
                choices = ", ".join(f"{value:+d}" for value in card.values)
                raise fail(f"{card} can be {choices}: say which, as in play {card} as +.")
            return _PlayCard(card, None)
        case ["play", name, "as", value]:
            card = _parse_card(name, fail)
            return _PlayCard(card, _parse_value(card, value, fail))
    raise fail(f"{printable(' '.join(words), 60)!r} is no action.")


def _parse_card(text: str, fail: _Fail) -> Card:
    try:
        return Card.parse(text)
    except CardError as error:
        raise fail(error.what, error.why) from error


def _parse_value(card: Card, text: str, fail: _Fail) -> int:
    # A bare sign names the value where the sign alone tells it.
    found = [v for v in card.values if text in (f"{v:+d}", f"{v:+d}"[0])]
    if len(found) != 1:
        choices = ", ".join(f"{value:+d}" for value in card.values) or "no value that is named"
        raise fail(f"{card} cannot be played as {printable(text, 20)!r}; it has {choices}.")
    return found[0]


class ScriptBot:
    """Plays *script*, one step a choice."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._next = 0

    def choose(self, view: View) -> Action | Concede:
        """Raises :class:`ScriptError` if the line for this choice is missing or illegal."""
        script = self._script
        if self._next == len(script.steps):
            if script.stand_at is None:
                raise ScriptError(
                    script.file,
                    None,
                    "it has no line left, and a choice is due.",
                    why="It says at-end error, so nobody else may choose.",
                )
            return ThresholdBot(script.stand_at).choose(view)
        line, step = script.steps[self._next]
        self._next += 1
        if isinstance(step, _Auto):
            return ThresholdBot(step.stand_at).choose(view)
        if isinstance(step, _Simple) and isinstance(step.action, Concede):
            return step.action
        action = _action(step, view)
        if action is None:
            raise ScriptError(
                script.file, line, "the hand holds no such card now.", why=_hand(view)
            )
        if action not in legal_actions(view.state):
            try:
                apply(view.state, action)
            except RuleError as error:
                raise ScriptError(script.file, line, error.what, why=error.why) from error
        return action


def _action(step: _PlayCard | _Simple | _LayDown, view: View) -> Action | None:
    """What *step* means now; None if it needs a card that is not in the hand."""
    match step:
        case _PlayCard(card, value):
            held = next((held for held in view.hand if held.card is card), None)
            if held is None:
                return None
            if value is None:
                in_play = view.state.phase is Phase.ACT and view.table
                value = possible_values(card, view.table)[0] if in_play else 0
            return Play(held.position, card, value)
        case _LayDown():
            held = next((held for held in view.hand if held.card is Card.TIEBREAKER), None)
            return None if held is None else Lay(held.position)
        case _Simple(action):
            assert not isinstance(action, Concede)
            return action


def _hand(view: View) -> str:
    cards = " ".join(str(held.card) for held in view.hand)
    return f"It holds: {cards}." if cards else "It is empty."
