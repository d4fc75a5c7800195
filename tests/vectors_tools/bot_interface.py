"""Vectors of the bot interface: what a bot is told, and what its answers mean."""

from __future__ import annotations

from typing import Any, Final

from pazaak_p2p.bots.faults import BotFault
from pazaak_p2p.bots.interface import (
    Begin,
    begin_text,
    check_options,
    hello_text,
    over_text,
    parse_answer,
    parse_greeting,
    question_text,
)
from pazaak_p2p.net.player import Concede
from pazaak_p2p.rules import (
    Nine,
    Opener,
    Outcome,
    Rules,
    Seat,
    State,
    Termination,
    Tiebreaker,
    legal_actions,
    view,
)
from tests.rules.table import go, start

HOST, JOIN = Seat.HOST, Seat.JOIN

_POSITIONS: Final[dict[str, tuple[int, float, Seat, State]]] = {
    "the question of the text": (
        17,
        10,
        HOST,
        go(
            start("+3 -4 D +-1T"),
            *(10, "end", 9, "end", 6, "end", 9, "stand", 4),  # 20 stands by itself
            *(3, "end", 10, "+3", "end", 7, "end", 10),
        ),
    ),
    "the first of a match": (1, 10, HOST, go(start("+1 +-2 1+-2 D"), 8)),
    "the same of the other seat": (1, 2.5, JOIN, go(start("+1", "2&4 3&6 D +6", opener=JOIN), 4)),
    "a card is placed": (2, 10, HOST, go(start("+1 -2"), 8, "+1")),
    "flips count": (
        5,
        10,
        HOST,
        go(start("2&4 3&6"), 2, "end", 9, "end", 4, "2&4", "end", 3, "end", 3),
    ),
    "a rule with a clock": (
        3,
        20,
        HOST,
        go(
            start(
                rules=Rules(
                    opener=Opener.LOSER, nine=Nine.STAND, sets=1, max_sets=7, turn_seconds=60
                )
            ),
            10,
        ),
    ),
    "the other one stands": (4, 10, JOIN, go(start("+1", "-1"), 10, "stand", 9)),
    "no card is left to play": (
        9,
        10,
        HOST,
        go(
            start(),
            *(1, "+1", "end", 1, "end", 1, "+2", "end", 1, "end", 2, "+3", "end", 2, "end"),
            *(2, "+4", "end", 2, "end", 5),  # the ninth card, over 20
            *(9, "end", 8),
        ),
    ),
    "a tie": (
        30,
        10,
        HOST,
        go(
            start("+-1T", "+-1T", Rules(tiebreaker=Tiebreaker.AT_TIE)),
            *(10, "end", 10, "end", 9, "stand", 9, "stand"),
        ),
    ),
    "a tie that the other has answered": (
        31,
        10,
        JOIN,
        go(
            start("+-1T", "+1", Rules(tiebreaker=Tiebreaker.AT_TIE)),
            *(10, "end", 10, "end", 9, "stand", 9, "stand", "lay"),
        ),
    ),
}

_ANSWERS: Final = (
    "act {n} 1",
    "act {n} {last}",
    "act {n} {more}",
    "act {n} 0",
    "act {n} 01",
    "act {n} -1",
    "act {n}",
    "act {n} 1 ",
    "act {n} 1 1",
    "act  {n} 1",
    "ACT {n} 1",
    "act {other} 1",
    "act {n} one",
    "act {n} 99999999999999999999",
    "concede {n}",
    "concede {other}",
    "concede",
    "error I am lost",
    "error",
    "",
)

_GREETINGS: Final[dict[str, tuple[list[tuple[str, str]], list[str]]]] = {
    "plain": ([], ["pazaak-bot 1", "name Carla's bot"]),
    "full": ([("risk", "3")], ["pazaak-bot 1", "name C", "version 0.3", "option risk 3"]),
    "in another order": ([], ["pazaak-bot 1", "option a-1 some words", "version 1", "name C"]),
    "an option without a value": ([], ["pazaak-bot 1", "name C", "option book"]),
    "nothing": ([], []),
    "another version": ([], ["pazaak-bot 2", "name C"]),
    "something else": ([], ["Hello!"]),
    "no name": ([], ["pazaak-bot 1", "version 1"]),
    "an empty name": ([], ["pazaak-bot 1", "name "]),
    "two names": ([], ["pazaak-bot 1", "name C", "name D"]),
    "a long name": ([], ["pazaak-bot 1", "name " + 101 * "x"]),
    "an unknown line": ([], ["pazaak-bot 1", "name C", "author C"]),
    "an option with a bad name": ([], ["pazaak-bot 1", "name C", "option Risk 3"]),
    "the option is not there": ([("risk", "3")], ["pazaak-bot 1", "name C"]),
    "the option is not set": ([("risk", "3")], ["pazaak-bot 1", "name C", "option risk 1"]),
    "it cannot play": ([], ["pazaak-bot 1", "error no such book"]),
    "it cannot play at all": ([], ["error I am ill"]),
}


def bot_interface() -> dict[str, Any]:
    """The file, as JSON."""
    return {
        "greetings": [_greeting(name, *both) for name, both in _GREETINGS.items()],
        "begin": _begins(),
        "questions": [_question(name, *given) for name, given in _POSITIONS.items()],
        "over": _overs(),
    }


def _greeting(name: str, options: list[tuple[str, str]], said: list[str]) -> dict[str, Any]:
    vector: dict[str, Any] = {
        "name": name,
        "options": [list(option) for option in options],
        "told": hello_text(options),
        "said": said,
    }
    try:
        greeting = parse_greeting(said)
        check_options(greeting, options)
    except BotFault as fault:
        return {**vector, "fault": fault.code}
    has = [list(option) for option in greeting.options]
    return {**vector, "bot": greeting.name, "version": greeting.version, "has": has}


def _begins() -> list[dict[str, Any]]:
    ids = bytes(range(32)), bytes(range(32, 64))
    return [
        {
            "match": ids[0].hex(),
            "seat": int(seat),
            "seed": ids[1].hex(),
            "resumed": resumed,
            "told": begin_text(Begin(ids[0], seat, Rules(), ids[1], resumed)),
        }
        for seat, resumed in ((HOST, False), (JOIN, True))
    ]


def _overs() -> list[dict[str, Any]]:
    match_id = bytes(range(32))
    ends = (
        (HOST, Termination.NORMAL, HOST, (3, 1)),
        (HOST, Termination.CONCESSION, JOIN, (0, 2)),
        (JOIN, Termination.TIME, JOIN, (2, 1)),
        (JOIN, Termination.CAP, None, (2, 2)),
    )
    return [
        {
            "match": match_id.hex(),
            "seat": int(seat),
            "termination": termination.value,
            "winner": None if winner is None else int(winner),
            "won": list(won),
            "told": over_text(match_id, seat, Outcome(termination, winner), won),
        }
        for seat, termination, winner, won in ends
    ]


def _question(name: str, number: int, seconds: float, seat: Seat, state: State) -> dict[str, Any]:
    seen = view(state, seat)
    actions = legal_actions(seen.state)
    assert seen.to_choose
    words = {"n": number, "last": len(actions), "more": len(actions) + 1, "other": number - 1}
    answers = []
    for pattern in _ANSWERS:
        line = pattern.format(**words)
        answer: dict[str, Any] = {"line": line}
        try:
            choice = parse_answer(line, number, seen)
        except BotFault as fault:
            answer["fault"] = fault.code
        else:
            concedes = isinstance(choice, Concede)
            answer["takes"] = None if concedes else 1 + actions.index(choice)
        answers.append(answer)
    return {
        "name": name,
        "seat": int(seat),
        "told": question_text(number, seen, seconds),
        "answers": answers,
    }
