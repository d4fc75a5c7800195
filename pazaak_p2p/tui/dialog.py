"""The conversation at the prompt: what has been typed so far, what is asked, what was refused.

Knows no terminal. Single keys go to :meth:`Dialog.press`, whole lines to :meth:`Dialog.enter`; both
return what the person has decided, if that decides anything.
"""

from __future__ import annotations

from typing import Final

import msgspec

from pazaak_p2p.bots.hints import Hint
from pazaak_p2p.net.player import Claim, Concede, Quit, Request, Say
from pazaak_p2p.rules import TARGET, Action, Card, Lay, Nine, Phase, Play, SetResult, View
from pazaak_p2p.tui.choices import (
    CTRL_C,
    CTRL_D,
    Asks,
    Chosen,
    Command,
    Refused,
    Reply,
    Talk,
    normalise,
    read,
    why_no_choice,
)
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import FIRM, Line
from pazaak_p2p.tui.outlook import Verdict, at_equal, outlooks, ways_back

ENTER: Final = "enter"
ESCAPE: Final = "escape"
BACKSPACE: Final = "backspace"

_LONGEST_TALK: Final = 500  # specification, section 4: chat


class Position(msgspec.Struct, frozen=True):
    """What is on the table, and whether the own seat is asked for an action."""

    view: View | None = None
    """None before the first match."""
    opponent: str = "Opponent"
    question: int | None = None
    """The number of the question that waits for an action; None while nothing is asked."""
    keeps: bool = False
    """Whether the match is kept when somebody leaves it, and can go on later."""
    result: SetResult | None = None
    """The set that has just ended, while it is still to be looked at."""
    banner: Line = ()
    """How the last set, or the match, ended, until the person has gone on."""
    away: bool = False
    """Whether the opponent has been away in its turn for so long that the match can be claimed."""
    practice: bool = False
    """Whether the opponent is a bot on this machine: hints can be had, and nobody hears talk."""
    hint: Hint | None = None
    """What was asked for about the question."""
    lesson: Line = ()
    """What a newcomer is told about it, or about what has just happened."""
    own: str | None = None
    """What the own seat is called, where it is not "you"."""
    absent: bool = False
    """Whether the opponent is away, whoever has to move."""


class Act(msgspec.Struct, frozen=True):
    """The answer to *question*."""

    question: int
    action: Action


class Help(msgspec.Struct, frozen=True):
    """The person wants to know what there is to press."""


class AskHint(msgspec.Struct, frozen=True):
    """The person wants a hint for *question*."""

    question: int


class GoOn(msgspec.Struct, frozen=True):
    """The person has seen enough of what is shown, and wants to see what comes next."""


class Again(msgspec.Struct, frozen=True):
    """The match is over, and the person wants another with the same player."""


Decision = Act | Request | Help | AskHint | GoOn | Again


class Dialog:
    """One conversation; *confirm* as for :func:`pazaak_p2p.tui.choices.read`."""

    def __init__(self, glyphs: Glyphs, *, confirm: bool = True) -> None:
        self.position = Position()
        self.typed = ""
        """Keys that wait for more of them."""
        self.talk: str | None = None
        """Words being typed for the other side; None while keys are keys."""
        self.asks: Asks | None = None
        self.refused: Refused | None = None
        self._glyphs = glyphs
        self._confirm = confirm
        self._answered: int | None = None
        self._hinted: int | None = None

    @property
    def hinted(self) -> bool:
        """Whether a hint was asked for what is due."""
        return self.due and self._hinted == self.position.question

    @property
    def awaits_hint(self) -> bool:
        """Whether that is not there yet."""
        return self.hinted and self.position.hint is None

    @property
    def due(self) -> bool:
        """Whether an action is wanted and has not been given."""
        question = self.position.question
        return question is not None and question != self._answered

    def show(self, position: Position) -> None:
        """The table has changed. What is being typed stays, unless it was for an earlier turn."""
        if position.question != self.position.question:
            self.refused = None
            if self.typed[:1] not in ("q", "c", "w", CTRL_C, CTRL_D):
                self._clear()
        if (position.absent, position.away) != (self.position.absent, self.position.away):
            self.refused = None  # what could not be done then may be possible now
            if self.typed[:1] == "w":
                self._clear()
        self.position = position

    def press(self, key: str) -> Decision | None:
        """One key: a character, :data:`ENTER`, :data:`ESCAPE`, :data:`BACKSPACE`, or the name of
        another key, longer than a character.
        """
        self.refused = None
        if self.talk is not None:
            return self._press_talk(key)
        if key in (ENTER, ESCAPE, BACKSPACE):
            if key != ENTER:
                self._clear()
            return None
        if len(key) > 1:  # never read as a word: the key "end" must not end a turn
            self.refused = Refused(f"The key {key} does nothing here; ? lists the keys.")
            return None
        return self._take(normalise(key) if key.isprintable() else key)

    def enter(self, line: str) -> Decision | None:
        """A whole line, in key notation or words."""
        self.refused = None
        return self._take(normalise(line) if line.isprintable() else line)

    def interrupt(self) -> Decision | None:
        """Ctrl-C, as a key or as a signal: once asks, twice leaves."""
        self.talk = None
        self.refused = None
        return self._take(CTRL_C)

    def message(self) -> Line:
        """What there is to say above the prompt now."""
        if self.refused is not None:
            return (("class:warning", self.refused.why),)
        if self.asks is not None:
            return (("class:question", self.asks.question),)
        if self.talk is not None:
            return (("class:question", "Enter sends, Escape does not."),)
        position = self.position
        if position.absent and not self.due:
            return (
                ("", f"The match goes on when {position.opponent} is back. You need not wait."),
            )
        if position.view is None:
            return (("", "Waiting for the match to begin."),)
        if self.awaits_hint:
            return (("class:name", "Hint:"), ("", " the bot master is thinking."))
        if self.due and position.hint is not None:
            mark = f"{self._glyphs.good} marks the best."
            words = f" the chances to win the match, by the bot master. {mark}"
            return (("class:name", "Hint:"), ("", words))
        if self.due:
            return _situation(position.view, position.opponent, self._glyphs)
        return (("", why_no_choice(position.view, position.opponent) or "One moment."),)

    def _take(self, keys: str) -> Decision | None:
        if self.typed and keys == "n":
            self._clear()
            return None
        reply = self._read(self.typed + keys)
        if isinstance(reply, Refused) and self.typed:
            # Not an answer to what was asked: then it is the beginning of something else.
            self._clear()
            keys_read, reply = keys, self._read(keys)
        else:
            keys_read = self.typed + keys
        return self._follow(reply, keys_read)

    def _read(self, keys: str) -> Reply:
        view = self.position.view
        reply = read(
            keys,
            view,
            opponent=self.position.opponent,
            glyphs=self._glyphs,
            confirm=self._confirm,
            keeps=self.position.keeps,
            away=self.position.away,
            practice=self.position.practice,
        )
        # Between the last event and the question for it there is a moment.
        if not self.due and (
            isinstance(reply, Chosen)
            or reply is Command.HINT
            or (isinstance(reply, Asks) and keys[0] in "esp1234")
        ):
            if self.position.question is not None:
                return Refused("One moment: what you chose is on its way (R9).")
            return Refused("One moment: your turn is just beginning (R7).")
        return reply

    def _follow(self, reply: Reply, keys: str) -> Decision | None:
        self._clear()
        match reply:
            case Asks():
                self.typed, self.asks = keys, reply
            case Refused():
                self.refused = reply
            case Talk():
                if reply.text:
                    return Say(reply.text[:_LONGEST_TALK])
                self.talk = ""
            case Command.HELP:
                return Help()
            case Command.HINT:
                return self._ask_hint()
            case Command.CONCEDE:
                self._answered = self.position.question  # nothing is asked any more
                return Concede()
            case Command.CLAIM:
                return Claim()
            case Command.LEAVE:
                return Quit()
            case Chosen():
                self._answered = self.position.question
                assert self._answered is not None
                return Act(self._answered, reply.action)
        return None

    def _ask_hint(self) -> Decision | None:
        question = self.position.question
        assert question is not None
        if self._hinted == question:
            self.refused = Refused("One hint a choice; it is shown until you have made it.")
            return None
        self._hinted = question
        return AskHint(question)

    def _press_talk(self, key: str) -> Decision | None:
        assert self.talk is not None
        if key == CTRL_C:
            return self.interrupt()
        if key == ENTER:
            text, self.talk = self.talk.strip(), None
            return Say(text) if text else None
        if key == ESCAPE or (key == BACKSPACE and not self.talk):
            self.talk = None
        elif key == BACKSPACE:
            self.talk = self.talk[:-1]
        elif len(key) == 1 and key.isprintable():
            self.talk = (self.talk + key)[:_LONGEST_TALK]
        return None

    def _clear(self) -> None:
        self.typed, self.asks = "", None


def _situation(view: View, opponent: str, glyphs: Glyphs) -> Line:
    """What the own seat should know before it chooses."""
    if view.state.phase is Phase.TIE:
        return (("", f"A tie at {view.total}{_tie(view, opponent, glyphs)} (R17)."),)
    if view.total > TARGET:
        hand = view.state.hands[view.seat]
        keys = {held.position: str(number) for number, held in enumerate(hand, start=1)}
        ways = []
        for look in ways_back(view):
            play = look.action
            assert isinstance(play, Play)
            choice = play.card.values
            sign = f"{play.value:+d}"[: 1 if len(choice) == 2 else 2] if len(choice) > 1 else ""
            ways.append(f"{keys[play.at]}{sign}{FIRM}{glyphs.arrow}{FIRM}{look.total}")
        if ways:
            text = f"{view.total} is over 20: lost if the turn ends so (R10). Ways back: "
            return (("class:warning", text), ("class:good", ", ".join(ways)))
        text = "your card is played" if view.state.played else "no card brings you back"
        return (("class:warning", f"{view.total} is over 20 and {text}: bust (R10)."),)
    if view.opponent_stands:
        need = view.opponent_total
        if need >= TARGET:
            saves = f"{TARGET} {at_equal(view).value}"
            saves += ", nine cards win (R16)" if view.state.rules.nine is Nine.WIN else " (R17)"
            return (
                ("class:name", "Your turn."),
                ("", f" {opponent} stands at {need}: {saves}."),
            )
        wins = f"{need + 1} to {TARGET} wins" if need + 1 < TARGET else f"only {TARGET} wins"
        return (("class:name", "Your turn."), ("", f" {opponent} stands at {need}: {wins}."))
    return (("class:name", "Your turn."),)


def _tie(view: View, opponent: str, glyphs: Glyphs) -> str:
    """What a tiebreaker of the own seat would do."""
    name = glyphs.name(Card.TIEBREAKER)
    ends = [look.verdict for look in outlooks(view) if isinstance(look.action, Lay)]
    if not ends:
        return f", and you have no {name} to lay down"
    if Verdict.TIES in ends:
        return f", and {opponent} has laid a {name}: with one of yours nobody scores"
    if Verdict.WINS in ends:
        return f": a {name} laid down now wins it"
    return f": a {name} laid down now wins it, unless {opponent} lays one too"
