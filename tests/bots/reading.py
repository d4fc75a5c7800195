"""A second reading of protocol/bot-interface.md: a question's text back into a view."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from pazaak_p2p.rules import (
    Card,
    Hand,
    HandCard,
    Phase,
    Placed,
    Rules,
    Seat,
    SetEnd,
    SetResult,
    State,
    Table,
    View,
)

T = TypeVar("T")


def read_question(text: str) -> View:
    """The view that *text* tells of; positions, which it leaves out, are those of
    :func:`without_positions`.
    """
    lines = [line.split(" ") for line in text.split("\n")]
    assert lines[-2:] == [["end"], [""]]
    fields = {words[0]: words[1:] for words in lines if words[0] not in ("action", "result")}
    me = Seat.HOST if fields["seat"] == ["host"] else Seat.JOIN

    def pair(mine: T, theirs: T) -> tuple[T, T]:
        return (mine, theirs) if me is Seat.HOST else (theirs, mine)

    def who(word: str) -> Seat | None:
        return {"me": me, "them": me.other}.get(word)

    flags = {"yes": True, "no": False}
    decks = tuple(Card(card) for card in fields["my-deck"])
    results = []
    for at, words in enumerate(lines):
        if words[0] != "result":
            continue
        _, number, opener, winner, reason, mine, theirs, i, they = words
        assert lines[at + 1][:2] == ["my-result", number]
        assert lines[at + 2][:2] == ["their-result", number]
        opened = who(opener)
        assert opened is not None
        results.append(
            SetResult(
                int(number),
                opened,
                pair(int(mine), int(theirs)),
                who(winner),
                SetEnd(reason),
                pair(_table(lines[at + 1][2:]), _table(lines[at + 2][2:])),
                pair(flags[i], flags[they]),
            )
        )
    laid = [flags[word] for word in fields["laid"]]
    won = [int(word) for word in fields["won"]]
    ranks = enumerate(map(int, fields["deck"]), start=1)
    theirs_left = [None] * int(fields["their-hand"][0])
    state = State(
        rules=_rules(fields["rules"]),
        phase={"act": Phase.ACT, "tie": Phase.TIE}[fields["phase"][0]],
        decks=pair(decks, None),
        hands=pair(
            _hand(_cards(fields["my-hand"]), _cards(fields["my-played"])),
            _hand(theirs_left, _cards(fields["their-played"])),
        ),
        tables=pair(_table(fields["my-table"]), _table(fields["their-table"])),
        totals=pair(int(fields["my-total"][0]), int(fields["their-total"][0])),
        stood=pair(flags[fields["my-stands"][0]], flags[fields["their-stands"][0]]),
        deck=bytes(rank for rank, count in ranks for _ in range(count)),
        mover=me,
        opener=who(fields["opener"][0]),
        played=flags[fields["placed"][0]],
        laid=pair(*laid),
        won=pair(*won),
        results=tuple(results),
        outcome=None,
    )
    assert fields["set"] == [str(len(results) + 1)]
    return View(me, state)


def without_positions(view: View) -> View:
    """*view* with the cards of each hand numbered anew: those in the hand, then those played."""
    host, join = (
        _hand(
            [held.card for held in hand if not held.played],
            [held.card for held in hand if held.played],
        )
        for hand in view.state.hands
    )
    return View(view.seat, msgspec.structs.replace(view.state, hands=(host, join)))


def _hand(left: list[Card | None] | list[None], played: list[Card | None]) -> Hand:
    cards = [*((card, False) for card in left), *((card, True) for card in played)]
    return tuple(HandCard(at, card, gone) for at, (card, gone) in enumerate(cards))


def _cards(words: list[str]) -> list[Card | None]:
    return [Card(word) for word in words]


def _table(words: list[str]) -> Table:
    placed = []
    for word in words:
        card, equals, value = word.rpartition("=")
        placed.append(Placed(Card(card) if equals else None, int(value)))
    return tuple(placed)


def _rules(words: list[str]) -> Rules:
    fields: dict[str, object] = {}
    for word in words:
        key, _, value = word.partition("=")
        fields[key] = value
        if value in ("on", "off"):
            fields[key] = value == "on"
        elif value == "none":
            fields[key] = None
        elif value.isdigit():
            fields[key] = int(value)
    return msgspec.convert(fields, Rules)
