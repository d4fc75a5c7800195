"""What a person can press now, and what that means. Pure: a text and a view give a reply.

The same function serves single keys and whole lines. Keys are put together by the caller (``3``,
then ``3-``), a line comes complete. A reply that :class:`Asks` wants more, all others are final.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from pazaak_p2p.rules import (
    HAND_SIZE,
    TARGET,
    Action,
    Card,
    End,
    HandCard,
    Kind,
    Lay,
    Pass,
    Phase,
    Play,
    Stand,
    View,
    possible_values,
    total_after,
)
from pazaak_p2p.text import printable
from pazaak_p2p.tui.glyphs import Glyphs
from pazaak_p2p.tui.outlook import Outlook, outlooks

CTRL_C: Final = "\x03"
CTRL_D: Final = "\x04"


class Command(Enum):
    """What is not a move."""

    CONCEDE = "concede"
    CLAIM = "claim"
    LEAVE = "leave"
    HELP = "help"
    HINT = "hint"


class Talk(msgspec.Struct, frozen=True):
    """Words for the other side; empty: they are still to be typed."""

    text: str


class Chosen(msgspec.Struct, frozen=True):
    """A legal action of the own seat."""

    action: Action


class Asks(msgspec.Struct, frozen=True):
    """More is needed; *keys* are the ones that answer."""

    question: str
    keys: str


class Refused(msgspec.Struct, frozen=True):
    """It does not act now, and why; the reason names the rule."""

    why: str


Reply = Chosen | Command | Talk | Asks | Refused

# What is typed in place of the key: words, and what a keyboard makes of a sign without Shift.
_WORDS: Final = {
    "end": "e",
    "stand": "s",
    "concede": "c",
    "claim": "w",
    "help": "?",
    "hint": "h",
    "quit": "q",
    "leave": "q",
    "exit": "q",
    "pass": "p",
    "yes": "y",
    "no": "n",
}
_SIGNS: Final = str.maketrans({"=": "+", "_": "-", "\N{MINUS SIGN}": "-"})


def normalise(line: str) -> str:
    """A typed line as the keys it stands for: ``" Stand "`` is ``s``, ``2 +`` is ``2+``."""
    words = line.strip()
    if words[:1] in ("t", "T") and words[1:2] in ("", " "):
        return "t" + words[2:]
    if words.lower().startswith("talk "):
        return "t" + words[5:]
    words = words.lower()
    return "".join(_WORDS.get(words, words).split()).translate(_SIGNS)


def read(
    keys: str,
    view: View | None,
    *,
    opponent: str,
    glyphs: Glyphs,
    confirm: bool = True,
    keeps: bool = False,
    away: bool = False,
    practice: bool = False,
) -> Reply:
    """What the normalised *keys* mean in *view* (None: no match has begun).

    *keeps* tells whether a match that is left can go on later.

    With *confirm* off, nothing is asked for that could also be done at once: for input that is no
    terminal, where nobody could answer. *away* tells whether the match can be claimed, since the
    other side stays away in its turn; *practice* whether it is a bot on this machine.
    """
    if not keys:
        return Refused("Press one of the keys below.")
    key, rest = keys[0], keys[1:]
    if key in ("q", CTRL_C, CTRL_D):
        return _leave(key, rest, view, confirm, keeps)
    if key == "t":
        return (
            Refused(f"{opponent} is a bot, and hears nothing.") if practice else Talk(rest.strip())
        )
    if key == "h" and not rest:
        return _hint(view, opponent, practice)
    if key == "?" and not rest:
        return Command.HELP
    if key == "c":
        return _concede(rest, view, opponent, confirm)
    if key == "w":
        return _claim(rest, opponent, confirm, away)
    if key not in "esp0123456789+-":
        return Refused(f"{_shown(keys)} does nothing here; ? lists the keys.")
    reason = why_no_choice(view, opponent)
    if reason is not None:
        return Refused(reason)
    assert view is not None
    confirmed = len(keys) > 1 and keys.endswith("y")
    reply = _act(keys.removesuffix("y") if confirmed else keys, view, glyphs)
    if isinstance(reply, Asks) and confirmed:
        return Refused("y is no answer to that.")
    if isinstance(reply, Chosen) and confirm and not confirmed:
        return _are_you_sure(reply, view, opponent)
    return reply


def keys_for(view: View, action: Action) -> str:
    """The keys that choose *action* in *view*, one after the other, as :func:`read` takes them."""
    match action:
        case End():
            return "e"
        case Stand():
            return "s"
        case Play(at, card, value):
            hand = view.state.hands[view.seat]
            number = next(n for n, held in enumerate(hand, start=1) if held.position == at)
            size = str(abs(value)) if card.kind is Kind.ONE_TWO else ""
            sign = f"{value:+d}"[0] if len(card.values) > 1 else ""
            return f"{number}{size}{sign}"
        case Lay(at):
            hand = view.state.hands[view.seat]
            return str(next(n for n, held in enumerate(hand, start=1) if held.position == at))
        case Pass():
            return "p"


def menu(
    view: View | None, *, due: bool = True, away: bool = False, practice: bool = False
) -> tuple[tuple[str, str], ...]:
    """What acts now, as pairs of keys (with blanks between) and meaning, in the order to show it.

    *due* tells whether an action is wanted at all, when *view* would allow one; *away* and
    *practice* are as for :func:`read`.
    """
    hint = [("h", "hint")] if due and practice and view is not None and view.to_choose else []
    claim = [("w", "claim")] if away else []
    return (*(_moves(view) if due else ()), *hint, *claim, *_always(view, practice))


def _moves(view: View | None) -> list[tuple[str, str]]:
    if view is None or not view.to_choose:
        return []
    looks = outlooks(view)
    hand = view.state.hands[view.seat]
    usable = {look.action.at for look in looks if isinstance(look.action, Play | Lay)}
    numbers = [str(n) for n, held in enumerate(hand, start=1) if held.position in usable]
    lays = [f"lay it down{_so(look)}" for look in looks if isinstance(look.action, Lay)]
    moves = [(" ".join(numbers), lays[0] if lays else "play")] if numbers else []
    for look in looks:
        match look.action:
            case End():
                moves.append(("e", "end: bust" if look.over else "end turn"))
            case Stand():
                moves.append(("s", f"stand{_so(look)}"))
            case Pass():
                moves.append(("p", f"pass{_so(look)}"))
            case _:
                pass
    return moves


def _so(look: Outlook) -> str:
    if look.over:
        return ": bust"
    return f": {look.verdict.value}" if look.verdict is not None else ""


def _always(view: View | None, practice: bool) -> list[tuple[str, str]]:
    playing = view is not None and view.state.phase is not Phase.OVER
    return [
        *([("c", "concede")] if playing else []),
        *([] if practice else [("t", "talk")]),
        ("?", "help"),
        ("q", "leave"),
    ]


def _are_you_sure(chosen: Chosen, view: View, opponent: str) -> Reply:
    """A move that loses the set for certain, where another would not, is asked about first."""
    looks = outlooks(view)
    mine = next(look for look in looks if look.action == chosen.action)
    if not mine.doomed or all(look.doomed for look in looks):
        return chosen
    match chosen.action:
        case Play():
            why = f"That makes {mine.total}, and no second card can mend it (R8, R10)."
        case End() | Stand() if mine.over:
            why = f"Over 20 at the end of the turn is bust (R10), and you are at {mine.total}."
        case Stand():
            why = f"Standing at {mine.total} loses: {opponent} has {view.opponent_total} (R18)."
        case _:
            why = f"That loses the set: {opponent} has laid a tiebreaker (R17)."
    return Asks(f"{why} Really (y/n)?", "y n")


def why_no_choice(view: View | None, opponent: str) -> str | None:
    """Why the own seat has nothing to choose now; None if it has."""
    if view is None:
        return "The match has not begun yet."
    if view.to_choose:
        return None
    state = view.state
    if state.phase is Phase.OVER:
        return "The match is over."
    if state.phase in (Phase.DEAL, Phase.OPENING, Phase.OPENER):
        return "The cards decide who opens first (R5, R6); it is nobody's turn yet."
    if state.phase is Phase.TIE:
        return f"It is for {opponent} to lay down a tiebreaker or pass (R17)."
    if view.stands:
        rule = "R11" if view.total == TARGET and state.rules.auto_stand else "R12"
        return f"You stand at {view.total} until the set ends ({rule}); {opponent} plays on."
    if state.mover is view.seat:
        return "Your green card is just being drawn (R7)."
    return f"It is {opponent}'s turn; yours begins with your next green card (R7)."


def _leave(key: str, rest: str, view: View | None, confirm: bool, keeps: bool) -> Reply:
    if not confirm or rest in ("y", key):
        return Command.LEAVE
    if rest:
        return Refused(f"{_shown(rest)} is no answer to that.")
    if view is None or view.state.phase is Phase.OVER:
        question = "Leave?"
    elif keeps:
        question = "Leave now? The match is kept: pazaak resume goes on with it."
    else:
        question = "Leave now? Who leaves loses the match (R21)."
    again = "Ctrl-C again" if key == CTRL_C else "Ctrl-D again" if key == CTRL_D else "q again"
    return Asks(f"{question} y or {again} leaves, n stays.", "y n")


def _concede(rest: str, view: View | None, opponent: str, confirm: bool) -> Reply:
    if view is None:
        return Refused("The match has not begun yet: there is nothing to concede (R21).")
    if view.state.phase is Phase.OVER:
        return Refused("The match is over: there is nothing to concede (R21).")
    if rest == "y" or (not confirm and not rest):
        return Command.CONCEDE
    if rest:
        return Refused(f"{_shown(rest)} is no answer to that.")
    return Asks(f"Concede the whole match to {opponent} (R21)? y concedes, n plays on.", "y n")


def _hint(view: View | None, opponent: str, practice: bool) -> Reply:
    if not practice:
        # Nothing in the terms of a match says that both agree to them (specification, section 8).
        return Refused(
            "Hints are for matches against a bot here, by pazaak play: in this one nobody has"
            f" agreed to them, and {opponent} could not see that you use them."
        )
    reason = why_no_choice(view, opponent)
    return Command.HINT if reason is None else Refused(f"A hint is for a choice. {reason}")


def _claim(rest: str, opponent: str, confirm: bool, away: bool) -> Reply:
    if not away:
        return Refused(
            f"A match can be claimed when {opponent} has to move and has been away for five minutes"
            " (R21)."
        )
    if rest == "y" or (not confirm and not rest):
        return Command.CLAIM
    if rest:
        return Refused(f"{_shown(rest)} is no answer to that.")
    return Asks(f"Claim the match, as {opponent} is away (R21)? y claims, n waits on.", "y n")


def _act(keys: str, view: View, glyphs: Glyphs) -> Reply:
    tie = view.state.phase is Phase.TIE
    if keys == "e":
        if tie:
            return Refused("Both stand, so there is no turn to end (R12); p lays nothing.")
        return Chosen(End())
    if keys == "s":
        if tie:
            return Refused("Both stand already (R12); p lays nothing.")
        return Chosen(Stand())
    if keys == "p":
        if not tie:
            return Refused("p is for ties alone (R17); e ends your turn, s stands.")
        return Chosen(Pass())
    if keys[0] in "+-":
        return Refused(f"First a card, 1 to {HAND_SIZE}, then the sign it is to have (R8).")
    if keys[0] in "esp":
        return Refused(f"{_shown(keys)} does nothing here; ? lists the keys.")
    hand = view.state.hands[view.seat]
    number = int(keys[0])
    if not 1 <= number <= len(hand):
        return Refused(f"Your hand has the cards 1 to {len(hand)}, dealt for the match (R4).")
    if tie:
        return _lay(hand[number - 1], number, keys[1:], glyphs)
    return _play(hand[number - 1], number, keys[1:], view, glyphs)


def _lay(held: HandCard, number: int, rest: str, glyphs: Glyphs) -> Reply:
    assert held.card is not None
    name = glyphs.name(held.card)
    if held.card is not Card.TIEBREAKER:
        tiebreaker = glyphs.name(Card.TIEBREAKER)
        return Refused(f"At a tie only a {tiebreaker} can be laid down (R17), not {name}.")
    if held.played:
        return Refused(f"Card {number}, {name}, is gone for this match (R4).")
    if rest:
        return Refused("A tiebreaker laid at a tie adds nothing, so it takes no sign (R17).")
    return Chosen(Lay(held.position))


def _play(held: HandCard, number: int, rest: str, view: View, glyphs: Glyphs) -> Reply:
    card = held.card
    assert card is not None
    name = glyphs.name(card)
    if view.state.played:
        return Refused("One card a turn, and you have placed it (R8): e ends the turn, s stands.")
    if held.played:
        return Refused(f"Card {number}, {name}, was played and is gone for the match (R4).")
    values = possible_values(card, view.table)
    if any(sign not in "+-12" for sign in rest):
        return Refused(f"{_shown(rest)} is nothing that {name} could be played as (R8).")
    fitting = [value for value in values if all(_fits(mark, value, card) for mark in rest)]
    if not fitting or len(set(rest)) < len(rest):
        return Refused(f"{name} cannot be played as {rest} (R8).")
    if len(fitting) == 1:
        return Chosen(Play(held.position, card, fitting[0]))
    signed = any(mark in "+-" for mark in rest)
    sized = card.kind is not Kind.ONE_TWO or any(mark in "12" for mark in rest)
    made = ", ".join(
        f"{value:+d} makes {total_after(view.state, Play(held.position, card, value))}"
        for value in fitting
    )
    if signed:
        return Asks(f"{name}: {made}. Press 1 or 2.", "1 2")
    if sized:
        return Asks(f"{name}: {made}. Press + or -.", "+ -")
    return Asks(f"{name}: {made}. Press 1 or 2 and + or -.", "1 2 + -")


def _fits(mark: str, value: int, card: Card) -> bool:
    if mark == "+":
        return value > 0
    if mark == "-":
        return value < 0
    return card.kind is Kind.ONE_TWO and abs(value) == int(mark)


def _shown(keys: str) -> str:
    return printable(keys, 20)
