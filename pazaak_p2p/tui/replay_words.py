"""A recorded match in words: who plays, what a step is, what the record proves. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pazaak_p2p.rules import (
    Deal,
    Draw,
    End,
    FirstMove,
    Lay,
    Leave,
    Opening,
    Outcome,
    Pass,
    Play,
    Seat,
    Stand,
    Termination,
)
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.lines import Line, clip
from pazaak_p2p.tui.names import called
from pazaak_p2p.tui.replay_record import Opened, Recording, Side, Step
from pazaak_p2p.wire.cheats import WillNotOpen, WillNotReveal
from pazaak_p2p.wire.terms import Kind
from pazaak_p2p.wire.verdict import Verdict

Names = tuple[str, str]
"""Of (host, join), fit to be shown, and not the same."""

_ROLES: Final = (" (host)", " (joiner)")
_ALIKE: Final = 14
"""Columns of a name that needs its role to be told from the other one."""
_LEAVES: Final = {
    Termination.CONCESSION: "concedes the match",
    Termination.TIME: "runs out of time",
}
_TO_DO: Final = {
    Kind.COMMIT: "commit to a side deck",
    Kind.REVEAL: "reveal a share of the next draw",
    Kind.ACT: "act",
    Kind.OPEN: "open the side deck",
}


def seat_names(recording: Recording, glyphs: Glyphs) -> Names:
    """What to call the two players."""
    players = recording.verdict.players
    assert players is not None
    host, join = (called(player.name, glyphs) for player in players)
    if host.casefold() == join.casefold():
        host, join = (
            clip(name, _ALIKE, glyphs.ellipsis) + role
            for name, role in zip((host, join), _ROLES, strict=True)
        )
    return host, join


def seen_from(recording: Recording, side: Side, names: Names) -> str:
    """From where the table is looked at."""
    return "from above" if side is Side.ABOVE else f"by {names[recording.below(side)]}"


def deed(step: Step, names: Names, glyphs: Glyphs, *, first: bool) -> str:
    """What happens in *step*, in a few words; *first* tells which of the empty ones it is."""
    who = "" if step.seat is None else names[step.seat]
    match step.what:
        case None:
            return "before the deal" if first else "the end of the record"
        case Deal():
            return "both hands are dealt"
        case Opening(host, join):
            return f"{names[0]} draws {host}, {names[1]} {join}"
        case FirstMove(seat):
            return f"{names[seat]} opens, by a fair draw"
        case Draw(card):
            return f"{who} draws {card}"
        case Play(_, card, value):
            as_what = f" as {value:+d}" if len(card.values) > 1 else ""
            return f"{who} plays {glyphs.name(card)}{as_what}"
        case End():
            return f"{who} ends the turn"
        case Stand():
            return f"{who} stands"
        case Lay():
            return f"{who} lays down the tiebreaker"
        case Pass():
            return f"{who} lays nothing"
        case Leave(_, termination):
            return f"{who} {_LEAVES.get(termination, 'leaves the match')}"
        case Opened():
            return f"{who} opens the side deck"


def played_on(recording: Recording) -> str:
    """When the match was played, by the word of the record's keeper; empty if that is not known."""
    try:
        when = datetime.fromtimestamp(recording.verdict.began, UTC)
    except (ValueError, OverflowError, OSError):  # a year that no calendar here has
        return ""
    return f"{when:%Y-%m-%d %H:%M} UTC" if recording.verdict.began else ""


def hidden_words(recording: Recording, names: Names) -> str:
    """Which cards stay hidden, since the record does not hold them; empty if none does."""
    unopened = [seat for seat in Seat if recording.decks[seat] is None]
    if not unopened:
        return ""
    who = "Nobody" if len(unopened) == 2 else f"{names[unopened[0]]} never"
    which = "" if len(unopened) == 2 else " of that hand"
    return f"{who} opened the side deck: cards{which} that were not played stay hidden."


def verdict_lines(recording: Recording, names: Names) -> tuple[Line, str]:
    """What the record proves: the heading, and what more there is to say."""
    verdict, proven = recording.verdict, recording.verdict.proven
    torn = ["Its last message is cut off."] if verdict.torn else []
    if (cheat := verdict.cheat) is not None:
        more = [f"{cheat.what} {cheat.detail}".strip()]
        if proven is not None and proven.termination is Termination.CHEAT:
            more.append(f"The match counts as won by {names[cheat.seat.other]}.")
        heading = f"{names[cheat.seat]} CHEATED ({cheat.code}) in entry {cheat.entry}."
        return _heading("lost", heading), " ".join(more)
    if (problem := verdict.problem) is not None:
        heading = f"Here the record goes wrong: {problem.what}"
        return _heading("lost", heading), problem.why
    if verdict.contradiction:
        heading = "What the keeper of the record says at its end cannot be."
        signed = f"Only what is signed counts{_signed(verdict, names)}."
        return _heading("lost", heading), f"{verdict.contradiction} {signed}"
    hidden = [hidden_words(recording, names)] if recording.steps[-1].state.hands[0] else []
    rest = [*torn, *hidden]
    word = _keepers_word(verdict, names)
    if proven is None:
        heading = "The record ends here: the match is not over."
        return _heading("tied", heading), _joined(word or _breaking_off(verdict, names), *rest)
    heading = _ended(proven, verdict.sets, names)
    if not verdict.decided:
        who = names[proven.winner] if proven.winner is not None else "One of them"
        heading = f"{heading} {who} did not open the side deck, on which that rests."
        return _heading("tied", heading), _joined(word, *rest)
    fair = "Both side decks were opened: a fair match." if verdict.complete else ""
    return _heading("won", heading), _joined(_checked(verdict), fair, word, *rest)


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _heading(style: str, text: str) -> Line:
    return ((f"class:{style}", f" {text} "),)


def _ended(outcome: Outcome, sets: tuple[int, int], names: Names) -> str:
    if outcome.winner is None:
        return f"The match is drawn, {sets[0]} sets each (R20)."
    won, lost = sets[outcome.winner], sets[outcome.winner.other]
    loser = names[outcome.winner.other]
    how = {
        Termination.CONCESSION: f": {loser} conceded; sets:",
        Termination.TIME: f": {loser} ran out of time; sets:",
    }.get(outcome.termination, ",")
    return f"{names[outcome.winner]} won the match{how} {won} to {lost}."


def _signed(verdict: Verdict, names: Names) -> str:
    """What of the end is proven by what is signed."""
    if verdict.proven is None or not verdict.decided:
        return ""
    return f": {_ended(verdict.proven, verdict.sets, names)[:-1]}"


def _checked(verdict: Verdict) -> str:
    return (
        f"All {verdict.lots} draws, {verdict.cards} hand cards and {verdict.moves} moves checked."
    )


def _breaking_off(verdict: Verdict, names: Names) -> str:
    due = verdict.missing
    return "" if due is None else f"It was for {names[due.seat]} to {_TO_DO[due.kind]}."


def _keepers_word(verdict: Verdict, names: Names) -> str:
    """How it ended by a claim, or by the keeper's word alone; empty if neither is there."""
    if verdict.claim is not None:
        claimer, away = names[verdict.claim], names[verdict.claim.other]
        return f"{claimer} claimed the match, since {away} did not come back."
    claimed, end = verdict.claimed, verdict.end
    if claimed is None or end is None:
        return ""
    if claimed.winner is None:
        return "By the word of its keeper, it was broken off there."
    winner, loser = names[claimed.winner], names[claimed.winner.other]
    did = {
        WillNotReveal.code: "kept back what was due",
        WillNotOpen.code: "would not open the side deck",
    }.get(end.code, "ran out of time" if claimed.termination is Termination.TIME else "left")
    return f"By the word of its keeper, {loser} {did}, so that {winner} won."
