"""The lines of protocol/bot-interface.md: what a bot is told, and what its answers mean. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from pazaak_p2p.bots.faults import BotFault, BotGarbage, BotGaveUp, BotIllegal
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    Action,
    Card,
    End,
    Hand,
    Lay,
    Outcome,
    Pass,
    Phase,
    Play,
    Rules,
    Seat,
    Stand,
    Table,
    View,
    legal_actions,
    total_after,
)
from pazaak_p2p.text import printable

VERSION: Final = 1
MOST_GREETING: Final = 100
"""Lines that a bot's greeting may have."""
OPTION_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
"""What the name of an option looks like, as a whole."""


class BotGreeting(Struct, frozen=True):
    """What a bot says of itself, as the bot wrote it: show it through ``printable``."""

    name: str
    version: str
    options: tuple[tuple[str, str], ...]
    """The options that it has, with the values that are in force."""


class Begin(Struct, frozen=True):
    """A match begins, or goes on (*resumed*) for a bot that may know nothing of it."""

    match_id: bytes
    seat: Seat
    rules: Rules
    seed: bytes
    resumed: bool


# --- what it is told


def hello_text(options: Sequence[tuple[str, str]]) -> str:
    """Our greeting, with *options* to be set."""
    return _block(f"pazaak-bot {VERSION}", *(f"set {name} {value}" for name, value in options))


def begin_text(begin: Begin) -> str:
    """A match begins."""
    return _block(
        "begin",
        f"match {begin.match_id.hex()}",
        f"seat {begin.seat}",
        f"seed {begin.seed.hex()}",
        f"resumed {_yes(begin.resumed)}",
        _rules(begin.rules),
    )


def question_text(number: int, view: View, seconds: float) -> str:
    """The *number*-th question since the greeting: what to do in *view*, within *seconds*."""
    state, me = view.state, view.seat
    them = me.other
    mine, theirs = state.hands[me], state.hands[them]
    deck = state.decks[me]
    lines = [
        f"choose {number}",
        f"time {int(seconds * 1000)}",
        f"seat {me}",
        f"phase {'tie' if state.phase is Phase.TIE else 'act'}",
        _rules(state.rules),
        f"set {len(state.results) + 1}",
        f"opener {_who(state.opener, me)}",
        f"won {state.won[me]} {state.won[them]}",
        _list("deck", [str(state.deck.count(rank)) for rank in range(1, 11)]),
        f"my-total {state.totals[me]}",
        _list("my-table", _table(state.tables[me])),
        f"my-stands {_yes(state.stood[me])}",
        _list("my-hand", _cards(mine, played=False)),
        _list("my-played", _cards(mine, played=True)),
        _list("my-deck", [] if deck is None else [card.ascii for card in deck]),
        f"their-total {state.totals[them]}",
        _list("their-table", _table(state.tables[them])),
        f"their-stands {_yes(state.stood[them])}",
        f"their-hand {view.opponent_cards}",
        _list("their-played", _cards(theirs, played=True)),
        f"placed {_yes(state.played)}",
        f"laid {_yes(state.laid[me])} {_yes(state.laid[them])}",
    ]
    for result in state.results:
        stood = f"{_yes(result.stood[me])} {_yes(result.stood[them])}"
        totals = f"{result.totals[me]} {result.totals[them]}"
        who = f"{_who(result.opener, me)} {_who(result.winner, me)}"
        lines += [
            f"result {result.number} {who} {result.reason.value} {totals} {stood}",
            _list(f"my-result {result.number}", _table(result.tables[me])),
            _list(f"their-result {result.number}", _table(result.tables[them])),
        ]
    lines += [
        f"action {i} {_action(view, action)}" for i, action in enumerate(legal_actions(state), 1)
    ]
    return _block(*lines)


def over_text(match_id: bytes, seat: Seat, outcome: Outcome, won: tuple[int, int]) -> str:
    """A match of our *seat* is over; *won* is (host, join)."""
    return _block(
        "over",
        f"match {match_id.hex()}",
        f"winner {_who(outcome.winner, seat)}",
        f"won {won[seat]} {won[seat.other]}",
        f"termination {outcome.termination.value}",
    )


QUIT: Final = "quit\n"


def error_text(fault: BotFault) -> str:
    """We have done with the bot, because of *fault*."""
    return f"error {printable(f'{fault.what} {fault.why}', 900)}\n"


def _block(*lines: str) -> str:
    return "\n".join([*lines, "end", ""])


def _list(key: str, words: Sequence[str]) -> str:
    return " ".join([key, *words])


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _who(seat: Seat | None, me: Seat) -> str:
    if seat is None:
        return "none"
    return "me" if seat is me else "them"


def _rules(rules: Rules) -> str:
    def value(given: object) -> str:
        if given is None:
            return "none"
        if isinstance(given, bool):
            return "on" if given else "off"
        return str(given)

    fields = rules.__struct_fields__
    return _list("rules", [f"{key}={value(getattr(rules, key))}" for key in fields])


def _table(table: Table) -> list[str]:
    return [
        str(placed.value) if placed.card is None else f"{placed.card.ascii}={placed.value}"
        for placed in table
    ]


def _cards(hand: Hand, *, played: bool) -> list[str]:
    return [held.card.ascii for held in hand if held.played is played and held.card is not None]


def _action(view: View, action: Action) -> str:
    match action:
        case Play(_, card, value):
            return f"play {card.ascii} {value} {total_after(view.state, action)}"
        case End():
            return "end"
        case Stand():
            return "stand"
        case Lay():
            return f"lay {Card.TIEBREAKER.ascii}"
        case Pass():
            return "pass"


# --- what it says


def parse_greeting(lines: Sequence[str]) -> BotGreeting:
    """A bot's greeting, without its last line, ``ready``.

    Raises :class:`BotGarbage`, or ``BotGaveUp`` for one that says that it cannot play.
    """
    check_first(lines[0] if lines else "ready")
    names, versions, options = [], [], []
    for line in lines[1:]:
        gave_up(line)
        key, _, value = line.partition(" ")
        match key:
            case "name" if 0 < len(value) <= 100:
                names.append(value)
            case "version" if 0 < len(value) <= 100:
                versions.append(value)
            case "option" if OPTION_NAME.fullmatch(value.partition(" ")[0]):
                name, _, given = value.partition(" ")
                options.append((name, given))
            case _:
                raise BotGarbage(
                    f"The bot greets with {printable(line, 80)!r}.",
                    why="A greeting has lines 'name NAME', 'version VERSION', 'option NAME VALUE',"
                    " and then 'ready'.",
                )
    if len(names) != 1 or len(versions) > 1:
        raise BotGarbage(
            "The bot's greeting does not say who it is.",
            why="It has to have one line 'name NAME', and at most one 'version VERSION'.",
        )
    return BotGreeting(names[0], versions[0] if versions else "", tuple(options))


def check_first(line: str) -> None:
    """Does a greeting begin with this *line*? Raises as :func:`parse_greeting` if not."""
    gave_up(line)
    if line.split() != ["pazaak-bot", str(VERSION)]:
        raise BotGarbage(
            "The bot greets in words that are none of this interface.",
            why=f"Its first line has to be 'pazaak-bot {VERSION}', and is {printable(line, 80)!r}.",
        )


def check_options(greeting: BotGreeting, wanted: Sequence[tuple[str, str]]) -> None:
    """Has the bot set its options as *wanted*? Raises :class:`BotGarbage` if not."""
    has = dict(greeting.options)
    for name, value in wanted:
        if name not in has:
            names = ", ".join(sorted(has)) or "none"
            raise BotGarbage(
                f"The bot has no option {name}.",
                why=f"The options that it tells of are: {printable(names, 200)}.",
                next="Leave the option out, or write another.",
            )
        if has[name] != value:
            raise BotGarbage(
                f"The bot did not set its option {name} to {printable(value, 80)!r}.",
                why=f"It says that it is {printable(has[name], 80)!r}.",
                next="Ask for a value that the bot takes.",
            )


def answered_number(line: str) -> int | None:
    """Which question *line* answers; None if it is no answer."""
    words = line.split(" ")
    return _number(words[1]) if words[0] in ("act", "concede") and len(words) > 1 else None


def parse_answer(line: str, number: int, view: View) -> Action | Concede:
    """What *line* answers to question *number* about *view*. Raises a ``BotFault``."""
    gave_up(line)
    match line.split(" "):
        case ["concede", question] if _number(question) == number:
            return Concede()
        case ["act", question, chosen] if _number(question) == number:
            actions = legal_actions(view.state)
            index = _number(chosen)
            if index is None:
                raise _no_answer(line, number)
            if not 1 <= index <= len(actions):
                raise BotIllegal(
                    f"The bot chose action {index}, which there is not.",
                    why=f"Question {number} had actions 1 to {len(actions)}.",
                )
            return actions[index - 1]
    raise _no_answer(line, number)


def gave_up(line: str) -> None:
    """Raises :class:`BotGaveUp` if *line* says so."""
    key, _, text = line.partition(" ")
    if key == "error":
        raise BotGaveUp(why=f"It says: {printable(text, 300)}")


def _no_answer(line: str, number: int) -> BotGarbage:
    return BotGarbage(
        f"The bot answered question {number} with {printable(line, 80)!r}.",
        why=f"An answer is 'act {number} ACTION', with one of the numbers that were given, or"
        f" 'concede {number}'.",
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
