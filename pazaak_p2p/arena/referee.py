"""The referee of an arena's match: what a bot did wrong, and when it is being asked.

A bot that does wrong loses the match by it: on the wire its seat concedes, so that the match has an
end that both peers have checked, and the table tells what it was. A bot that hangs, or takes its
whole process with it, cannot be judged within the process. Therefore it is noted in memory that is
shared with the process which watches this one (see ``crew.py``) who is being asked just now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from time import perf_counter
from typing import Final, Protocol

from pazaak_p2p.bots import Bot, ScriptError
from pazaak_p2p.bots.class_bot import START_SECONDS, told_of
from pazaak_p2p.bots.outside_player import restart_note
from pazaak_p2p.errors import PazaakError
from pazaak_p2p.net.player import Away, Concede, Instant
from pazaak_p2p.rules import (
    Action,
    Card,
    CardAlreadyPlayed,
    CardNotDealt,
    End,
    ImpossibleValue,
    Lay,
    Pass,
    Phase,
    Play,
    RuleError,
    Rules,
    Stand,
    View,
    WrongCard,
    apply,
)
from pazaak_p2p.rules.legal import legal_actions
from pazaak_p2p.text import printable
from pazaak_p2p.wire.events import Event


class Fault(StrEnum):
    """How a bot can lose a match otherwise than by playing."""

    CRASH = "crash"
    """It ended, or raised an error."""
    CHEAT = "cheat"
    """It played a card that it does not hold, or as what it is not; or broke the protocol."""
    TIME = "time"
    """It thought for too long."""
    ILLEGAL = "illegal"
    """It chose what nobody may do at that moment."""
    GARBAGE = "garbage"
    """It is a program, and said what is no answer."""


FAULTS: Final = tuple(fault.value for fault in Fault)
_ACTIONS: Final = frozenset((Play, End, Stand, Lay, Pass))
_ALWAYS: Final = (End, Stand)  # R9: whoever acts may do this, and there is nothing in it
_CHEATS: Final = (CardNotDealt, CardAlreadyPlayed, WrongCard, ImpossibleValue)
# The errors of bots from outside say by their codes what they are.
_BY_CODE: Final = {
    "bot-time": Fault.TIME,
    "bot-illegal": Fault.ILLEGAL,
    "bot-garbage": Fault.GARBAGE,
}
_SHORT: Final = 1000
MOST_NOTE: Final = 200
"""Characters of a note."""


def seconds_to_make(seconds: float) -> float:
    """How long a bot that may think for *seconds* may take to get ready for its first match.

    A process that plays loads what a bot is made of only once: were that time taken from the first
    choice, what comes out would hang on how many processes there are.
    """
    return max(START_SECONDS, seconds)


class Asked(Protocol):
    """Where it is noted who is being asked."""

    def makes(self, seat: int) -> None:
        """The bot in *seat* is being made from now on, which may take longer than a choice."""

    def asks(self, seat: int) -> None:
        """The bot in *seat* is being asked from now on."""

    def answered(self) -> None:
        """Nobody is."""


class Judged(Instant, Protocol):
    """Who plays a match of the arena, and what it did wrong in it."""

    @property
    def fault(self) -> Fault | None:
        """What it did wrong, if anything."""

    @property
    def note(self) -> str:
        """More on that, safe to show; or on what it was forgiven."""

    def ask(self, view: View) -> Action | Concede:
        """What it chooses, not judged by the rules, but of a kind that they know."""

    def refuse(self, view: View, action: Action) -> Concede:
        """The rules do not allow *action*: say why."""


class Watched:
    """A bot under watch, made by *make* when it is asked first; a player of the pump.

    It may think for *seconds* about a choice, and get ready for ``seconds_to_make(seconds)``.
    :meth:`choose` never raises.
    """

    instant = True

    def __init__(self, make: Callable[[], Bot], seat: int, seconds: float, asked: Asked) -> None:
        self._make = make
        self._seat = seat
        self._seconds = seconds
        self._asked = asked
        self._bot: Bot | None = None
        self._turn = 0.0
        self._again = False
        self.fault: Fault | None = None
        self.note = ""

    def choose(self, view: View) -> Action | Concede:
        """What the bot chooses, if that is legal; ``Concede()`` with a :attr:`fault` if not."""
        choice = self.ask(view)
        if isinstance(choice, Concede):
            return choice
        state = view.state
        if type(choice) in _ALWAYS and state.phase is Phase.ACT:
            return choice
        return choice if choice in legal_actions(state) else self.refuse(view, choice)

    def ask(self, view: View) -> Action | Concede:
        """What the bot chooses, not judged by the rules, but of a kind that they know."""
        # All that may run code of the bot is within the watch: not its choice alone, but also what
        # it chose, or raised, being compared or told.
        began = perf_counter()
        try:
            try:
                if self._bot is None:
                    self._asked.makes(self._seat)
                    self._bot = self._make()
                    made, began = began, perf_counter()
                    if began - made > seconds_to_make(self._seconds):
                        note = f"It took {began - made:.1f} seconds to get ready."
                        return self._blame(Fault.TIME, note)
                self._asked.asks(self._seat)
                choice = self._bot.choose(view)
            finally:
                took = perf_counter() - began
                # R21: the clock of a turn. Both seats are in one program here, whose peers see
                # nothing of the time while it asks a bot.
                self._turn = took + (self._turn if view.state.played or self._again else 0.0)
            most = view.state.rules.turn_seconds
            if took > self._seconds or (most is not None and self._turn > most):
                return self._blame(Fault.TIME, f"It took {self._turn:.1f} seconds.")
            return choice if type(choice) in _ALWAYS else self._taken(view, choice)
        except BaseException as error:  # whatever it is: the bot's fault, not ours
            return self._blame(kind_of(error), told_of(error))
        finally:
            self._asked.answered()

    def _taken(self, view: View, choice: Action | Concede) -> Action | Concede:
        """*choice*, if its kind is one that the rules know: nothing of the bot's is in it."""
        if isinstance(choice, Concede):
            return Concede()
        if type(choice) not in _ACTIONS:
            return self._blame(Fault.ILLEGAL, f"{choice!r} is no action.")
        if not _plain(choice):
            # The rules' own value in place of the bot's, which may be equal to it: 1.0, True.
            legal = legal_actions(view.state)
            if choice not in legal:
                return self._blame(Fault.ILLEGAL, f"{choice!r} is not legal.")
            return legal[legal.index(choice)]
        return choice

    def refuse(self, view: View, action: Action) -> Concede:
        """The rules do not allow *action*: say why."""
        try:
            apply(view.state, action)
        except _CHEATS as error:
            return self._blame(Fault.CHEAT, error.what)
        except RuleError as error:
            return self._blame(Fault.ILLEGAL, error.what)
        return self._blame(Fault.ILLEGAL, f"{action!r} is not legal.")

    def _blame(self, fault: Fault, note: str) -> Concede:
        self.fault, self.note = fault, printable(note, MOST_NOTE)
        return Concede()

    def forgive(self, rules: Rules) -> bool:
        """Forget the bot and what it did wrong; False if no time is left for another one (R21)."""
        if rules.turn_seconds is not None and self._turn >= rules.turn_seconds:
            return False
        self._bot, self.fault, self.note = None, None, ""
        self._again = True
        return True

    def asked_anew(self, view: View) -> Action | Concede:
        """What a fresh bot chooses where the last one was forgiven: the turn's clock runs on."""
        choice = self.choose(view)
        self._again = False
        return choice

    def notice(self, event: Event | Away) -> None:
        """Nothing: the view holds all that a bot needs."""

    def again(self, choices: Sequence[View]) -> None:
        """Nothing: no match of the arena goes on in another session."""


def _plain(action: Action) -> bool:
    """Are its parts of the types that they should be, and nothing else?"""
    if type(action) is Play:
        number, card, value = action.at, action.card, action.value
        return _short(number) and type(card) is Card and _short(value)
    return type(action) is not Lay or _short(action.at)


def _short(number: int) -> bool:
    """Is it a number, and one that can be shown?"""
    return type(number) is int and -_SHORT < number < _SHORT


class Restarted:
    """A bot under watch that may do wrong *restarts* times: a fresh one is asked the same then."""

    instant = True

    def __init__(self, watched: Watched, restarts: int, used: int, text: str) -> None:
        self._watched = watched
        self._restarts = restarts
        self._used = used
        self._text = text
        self._note = ""

    @property
    def fault(self) -> Fault | None:
        return self._watched.fault

    @property
    def note(self) -> str:
        return self._watched.note or self._note

    def choose(self, view: View) -> Action | Concede:
        """What the bot, or a fresh one, chooses, which is legal; ``Concede()`` with a
        :attr:`fault` if all did wrong."""
        choice = self._watched.choose(view)
        while self.fault is not None and self._used < self._restarts:
            note = self.note
            if not self._watched.forgive(view.state.rules):
                break
            self._used += 1
            self._note = restart_note(note, self._text, self._used, self._restarts)
            choice = self._watched.asked_anew(view)
        return choice

    # By the rules alone too what it chooses is judged at once, as long as it can be asked again.
    ask = choose

    def refuse(self, view: View, action: Action) -> Concede:
        """Never called: what it chooses is legal."""
        raise AssertionError(f"{action!r} was judged")

    def notice(self, event: Event | Away) -> None:
        """Nothing, as for who is watched."""

    def again(self, choices: Sequence[View]) -> None:
        """Nothing, as for who is watched."""


def kind_of(error: BaseException) -> Fault:
    """What a bot has done wrong that raised *error*, or of which it tells."""
    if isinstance(error, ScriptError) and isinstance(error.__cause__, RuleError):
        return Fault.CHEAT if isinstance(error.__cause__, _CHEATS) else Fault.ILLEGAL
    if isinstance(error, PazaakError):
        with suppress(BaseException):  # of a bot's own making, it may do anything
            return _BY_CODE.get(error.code, Fault.CRASH)
    return Fault.CRASH
