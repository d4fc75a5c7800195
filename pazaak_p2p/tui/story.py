"""The match told in lines, one for everything that happens; the log above the table."""

from __future__ import annotations

from typing import Final

from prompt_toolkit.utils import get_cwidth

from pazaak_p2p.net.player import Away
from pazaak_p2p.rules import (
    SLOTS,
    TARGET,
    Card,
    Deal,
    Draw,
    End,
    FirstMove,
    Hand,
    Kind,
    Lay,
    Leave,
    Opening,
    Outcome,
    Pass,
    Phase,
    Placed,
    Play,
    Seat,
    SetEnd,
    SetResult,
    Stand,
    State,
    Termination,
    describe,
)
from pazaak_p2p.text import printable
from pazaak_p2p.tui.cards import chip, pips
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.leaving import CLAIMED, OVER_BY, away
from pazaak_p2p.tui.lines import Fragment, Line, joined, pad
from pazaak_p2p.tui.names import called
from pazaak_p2p.tui.style import card_style
from pazaak_p2p.wire.events import (
    Chatted,
    Choose,
    Closed,
    CodeTried,
    Declined,
    Ended,
    Event,
    Greeted,
    Left,
    Moved,
    Offered,
    ResumeAsked,
    Resumed,
    Started,
)

ENDINGS: Final = frozenset({"class:won", "class:lost", "class:tied"})
"""The styles of the lines that tell how a set or a match ended."""


class Story:
    """Tells events one after the other; remembers only what the next one needs.

    *own* is what the own seat is called where nobody is told of a match of theirs; without it, that
    is "you".
    """

    def __init__(self, glyphs: Glyphs, own: str | None = None) -> None:
        self._glyphs = glyphs
        self._own = own
        self.opponent = "Opponent"
        """The other side's name, fit to be shown."""
        self.seat: Seat | None = None
        """Ours, once a match has started."""
        self.state: State | None = None
        """The state of the match after what has been told."""
        self.ends = False
        """Whether the end of a turn is told by itself; else the next card must show it."""
        self._announced = False
        self._match = b""
        """The match of which has been told."""
        self._busy = False
        """Whether the other side, which has sat down, had no time for us yet."""

    def retell(self, resumed: Resumed) -> list[Line]:
        """All that was told of a match before it was *resumed*; nothing if it was told here."""
        if resumed.match_id == self._match:
            return []
        lines = self.tell(Started(resumed.match_id, resumed.seat, resumed.rules))
        for moved in resumed.moves:
            lines += self.tell(moved)
        return lines

    def tell(self, event: Event | Away) -> list[Line]:
        """What there is to say about *event*; nothing for some."""
        match event:
            case Away():
                return [_line(text) for text in away(event, self.opponent)]
            case Greeted():
                self.opponent = called(event.name, self._glyphs)
                told, self._busy = self._busy, False
                return [] if told else [_line(f"{self.opponent} sits down at the table.")]
            case Declined():
                why = printable(event.text) or event.reason
                return [_line(f"{self.opponent} declines the match: {why}.")]
            case Started():
                self.seat, self.state, self._announced = event.seat, None, False
                self._match = event.match_id
                sets = event.rules.sets
                count = "one set" if sets == 1 else f"{sets} sets"
                begins = [_line(f"The match begins: first to {count} ({describe(event.rules)}).")]
                if event.rules.turn_seconds is not None:
                    seconds = event.rules.turn_seconds
                    begins.append(
                        _line(f"Each turn has {seconds} seconds; who takes longer loses (R21).")
                    )
                return begins
            case Resumed():
                self.seat, self.state, self._announced = event.seat, event.state, False
                won = event.state.won
                ours, theirs = won[event.seat], won[event.seat.other]
                lines = [_line(f"The match goes on where it was; sets won: {ours} to {theirs}.")]
                if hand := tuple(held for held in event.state.hands[event.seat] if not held.played):
                    lines.append(self._hand("Your hand", hand))
                return lines
            case Moved():
                return self._moved(event)
            case Offered() | ResumeAsked() | Choose() | CodeTried() | Closed():
                return []
            case Ended():
                return self._ended(event)
            case Chatted():
                return [self.said(self.opponent, event.text)]
            case Left():
                self._busy = event.reason == "busy"  # it is still there, and may be asked again
                text = f": {printable(event.text)}" if event.text else ""
                if self._busy or event.reason == "done" or (self._announced and not text):
                    return []
                return [_line(f"{self.opponent} has left{text}.")]

    def said(self, who: str, text: str) -> Line:
        """A line of talk. It cannot be taken for one of ours, whatever it says."""
        mark = f"{who} {self._glyphs.says} "
        return (("", " "), ("class:name", mark), ("class:chat", printable(text, 500)))

    # Moves.

    def _moved(self, event: Moved) -> list[Line]:
        assert self.seat is not None
        before, after = self.state, event.state
        self.state = after
        set_ended = before is not None and len(after.results) > len(before.results)
        # That a turn ends shows by the next card; only a bust is worth a line of its own.
        told = self.ends or set_ended or not isinstance(event.input, End)
        lines = self._move(event, before) if told else []
        if before is not None and set_ended:
            result = after.results[-1]
            if event.seat is not None and isinstance(event.input, Draw | Play):
                lines += self._forced_stand(event.seat, result.stood, before, result.totals)
            lines += self._set_ended(result, after)
            if after.phase is Phase.DRAW and after.mover is not None:
                number = len(after.results) + 1
                lines.append(_line(f"Set {number}: {self._opens(after.mover)} (R6)."))
        elif before is not None and event.seat is not None and isinstance(event.input, Draw | Play):
            lines += self._forced_stand(event.seat, after.stood, before, after.totals)
        if after.outcome is not None:
            lines += self._over(after.outcome, after)
        return lines

    def _move(self, event: Moved, before: State | None) -> list[Line]:
        match event.input:
            case Deal():
                return self._dealt(event.state)
            case Opening():
                return [self._opening(event.input, event.state)]
            case FirstMove():
                return [
                    _line(f"{self._does(event.input.seat, 'open', 'opens')}, by a fair draw (R6).")
                ]
            case Leave():
                return [self._over_by(OVER_BY[event.input.termination], event.input.seat)]
            case _:
                assert before is not None
                return [self._turn(event, before)]

    def _turn(self, event: Moved, before: State) -> Line:
        seat, state = event.seat, event.state
        assert seat is not None
        match event.input:
            case Draw():
                drawn = chip(Placed(None, event.input.card), self._glyphs)
                return self._placed(
                    seat, (*self._begin(seat, "draw", "draws"), drawn), before, state
                )
            case Play():
                return self._placed(seat, self._played(seat, event.input, before), before, state)
            case End():
                rest = _over_note(before.totals[seat])
                return _line(f"{self._does(seat, 'end your turn', 'ends the turn')}{rest}.")
            case Stand():
                total = before.totals[seat]
                rest = _over_note(total)
                return _line(f"{self._does(seat, 'stand', 'stands')} at {total}{rest}.")
            case Lay():
                name = self._card(Card.TIEBREAKER)
                return (*self._begin(seat, "lay down", "lays down"), name, ("", " (R17)."))
            case Pass():
                return _line(f"{self._does(seat, 'lay nothing', 'lays nothing')} (R17).")
            case _:
                raise AssertionError(event.input)

    def _dealt(self, state: State) -> list[Line]:
        assert self.seat is not None
        if self._own is None:
            return [self._hand("Your hand for the whole match", state.hands[self.seat])]
        return [
            self._hand(f"The hand of {self._name(seat)}", state.hands[seat])
            for seat in (self.seat, self.seat.other)
        ]

    def _hand(self, whose: str, hand: Hand) -> Line:
        cards: list[Line] = [
            (self._card(held.card) if held.card else ("class:card.back", self._glyphs.back),)
            for held in hand
        ]
        return (("", f" {whose}: "), *joined(cards, " "), ("", " (R4)."))

    def _opening(self, opening: Opening, state: State) -> Line:
        assert self.seat is not None
        mine, theirs = opening.host, opening.join
        if self.seat is Seat.JOIN:
            mine, theirs = theirs, mine
        first = f"{self._does(self.seat, 'draw', 'draws')} {mine}"
        drawn = f"Who opens? {first}, {self.opponent} draws {theirs}"
        if state.mover is None:
            return _line(f"{drawn}: equal, so both draw again (R5).")
        return _line(f"{drawn}: {self._opens(state.mover)} (R5).")

    def _played(self, seat: Seat, play: Play, before: State) -> Line:
        card, value = play.card, play.value
        said: list[Fragment] = [*self._begin(seat, "play", "plays"), self._card(card)]
        match card.kind:
            case Kind.FLIP:
                turned = [p.value for p in before.tables[seat] if p.value in card.flips]
                signs = " ".join(f"{old}{self._glyphs.arrow}{-old}" for old in turned)
                said.append(
                    ("", f", turning {signs} (R15)" if turned else ", turning nothing (R15)")
                )
            case Kind.DOUBLE:
                said.append(("", f" for another {value} (R14)"))
            case Kind.PLUS | Kind.MINUS:
                pass
            case _:
                said.append(("", f" as {value:+d}"))
        return tuple(said)

    def _placed(self, seat: Seat, said: Line, before: State, after: State) -> Line:
        ended = len(after.results) > len(before.results)
        total = (after.results[-1].totals if ended else after.totals)[seat]
        over = f", over {TARGET}" if total > TARGET else ""
        return (*said, ("", ": "), ("class:total", f"{total}"), ("", f"{over}."))

    def _forced_stand(
        self, seat: Seat, stood: tuple[bool, bool], before: State, totals: tuple[int, int]
    ) -> list[Line]:
        if not stood[seat] or before.stood[seat]:
            return []
        rule = "R11" if totals[seat] == TARGET else "R16"
        return [_line(f"{self._does(seat, 'stand', 'stands')} at {totals[seat]} ({rule}).")]

    # Ends.

    def _set_ended(self, result: SetResult, state: State) -> list[Line]:
        assert self.seat is not None
        mine, theirs = self.seat, self.seat.other
        if result.winner is None:
            style, whose = "class:tied", "is tied"
        elif self._is_you(result.winner):
            style, whose = "class:won", "is yours"
        else:
            style, whose = self._style(result.winner), f"goes to {self._name(result.winner)}"
        heading = f" Set {result.number} {whose}: {self._reason(result)} "
        sets = state.rules.sets
        return [
            ((style, heading),),
            self._final_table(self._name(mine), result, mine, state.won[mine], sets),
            self._final_table(self.opponent, result, theirs, state.won[theirs], sets),
        ]

    def _final_table(self, name: str, result: SetResult, seat: Seat, won: int, sets: int) -> Line:
        cards = tuple([chip(placed, self._glyphs) for placed in result.tables[seat]])
        names = self._own or "You", self.opponent
        column = max(get_cwidth(each) for each in names) + 2
        return (
            *pad((("", " "), ("class:name", name)), column),
            pips(won, sets, self._glyphs),
            ("class:total", f"{result.totals[seat]:4d}  "),
            *cards,
        )

    def _reason(self, result: SetResult) -> str:
        assert self.seat is not None
        mine, theirs = result.totals[self.seat], result.totals[self.seat.other]
        winner = result.winner
        if winner is None:
            return f"{mine} each, and nobody scores (R18)."
        high, low = (mine, theirs) if winner is self.seat else (theirs, mine)
        match result.reason:
            case SetEnd.BUST:
                loser = winner.other
                goes = "you go" if self._is_you(loser) else f"{self._name(loser)} goes"
                ninth = len(result.tables[loser]) == SLOTS
                return f"{goes} bust at {low} ({'R16' if ninth else 'R10'})."
            case SetEnd.NINE:
                return f"nine cards at {high} win at once (R16)."
            case SetEnd.TIEBREAKER:
                name = self._glyphs.name(Card.TIEBREAKER)
                return f"{mine} each, and the {name} decides (R17)."
            case _:
                return f"{high} beats {low} (R18)."

    def _over(self, outcome: Outcome, state: State) -> list[Line]:
        assert self.seat is not None
        self._announced = True
        mine, theirs = state.won[self.seat], state.won[self.seat.other]
        played_out = outcome.termination in (Termination.NORMAL, Termination.CAP)
        between = ", " if played_out else "; sets: "
        if outcome.termination is Termination.ABANDONED and outcome.winner is None:
            return [(("class:tied", " The match was broken off: nobody wins it. "),)]
        if outcome.winner is None:
            return [(("class:tied", f" The match is drawn, {mine} sets each (R20). "),)]
        won, lost = (mine, theirs) if outcome.winner is self.seat else (theirs, mine)
        style = self._style(outcome.winner)
        text = f"{self._does(outcome.winner, 'win', 'wins')} the match{between}{won} to {lost}."
        cap = " The last set has been played (R20)."
        return [((style, f" {text}{cap if outcome.termination is Termination.CAP else ''} "),)]

    def _ended(self, event: Ended) -> list[Line]:
        if self.seat is None or self.state is None:
            return []
        lines: list[Line] = []
        if event.resumable and event.outcome.termination is Termination.ABANDONED:
            return []  # first why, which comes next, and then that it is waited for
        if not self._announced:
            texts = CLAIMED if event.claimed else OVER_BY.get(event.outcome.termination)
            if texts is not None and event.outcome.winner is not None:
                lines.append(self._over_by(texts, event.outcome.winner.other))
            lines += self._over(event.outcome, self.state)
        if event.outcome.termination in (Termination.ABANDONED, Termination.CHEAT):
            return lines
        if all(event.opened):
            lines.append(_line("Both side decks have been opened and checked: a fair match."))
        elif not event.opened[self.seat.other]:
            lines.append(_line(f"{self.opponent} has not opened the side deck: unaudited."))
        return lines

    # Words.

    def _is_you(self, seat: Seat) -> bool:
        return seat is self.seat and self._own is None

    def _name(self, seat: Seat) -> str:
        return (self._own or "You") if seat is self.seat else self.opponent

    def _does(self, seat: Seat, you: str, they: str) -> str:
        return f"You {you}" if self._is_you(seat) else f"{self._name(seat)} {they}"

    def _opens(self, seat: Seat) -> str:
        return "you open" if self._is_you(seat) else f"{self._name(seat)} opens"

    def _style(self, winner: Seat) -> str:
        ours = winner is self.seat or self._own is not None
        return "class:won" if ours else "class:lost"

    def _over_by(self, texts: tuple[str, str], seat: Seat) -> Line:
        """What is said of *seat*, by which the match is over: to us, or of somebody."""
        if self._is_you(seat):
            return _line(texts[0].format(self.opponent))
        return _line(texts[1].format(self._name(seat)))

    def _begin(self, seat: Seat, you: str, they: str) -> Line:
        return (("", f" {self._does(seat, you, they)} "),)

    def _card(self, card: Card) -> Fragment:
        return (card_style(card), f"[{self._glyphs.name(card)}]")


def _over_note(total: int) -> str:
    return f", over {TARGET}" if total > TARGET else ""


def _line(text: str) -> Line:
    return (("", f" {text}"),)
