"""The public state as bytes, from the specification's section 9 and the naive engine's dict."""

from __future__ import annotations

from tests.naive.engine import GOLD, ORDINARY, Match

NUMBER = {card: number for number, card in enumerate([*ORDINARY, *GOLD], start=1)}
SEAT = {"host": 0, "join": 1, None: 255}
PHASE = ["deal", "opening", "opener", "draw", "act", "tie", "over"]
TERMINATION = ["", "normal", "cap", "concession", "time"]


def public_bytes(match: Match) -> list[int]:
    options = match["options"]
    phase = match["phase"]
    out = [PHASE.index(phase)]
    out += [["unlimited", "limited"].index(options["copies"])]
    out += [1 if options["gold"] else 0]
    out += [["alternate", "loser", "winner", "random", "host"].index(options["opener"])]
    out += [1 if options["auto_stand"] else 0]
    out += [["win", "stand"].index(options["nine"])]
    out += [["played", "last", "at-tie"].index(options["tiebreaker"])]
    out += [options["sets"]]
    out += u16(options["max_sets"] or 0)
    out += u16(options["turn_seconds"] or 0)
    out += u16(len(match["sets"]))
    out += [match["won"]["host"], match["won"]["join"]]
    out += [SEAT[match["opener"]], SEAT[match["who"]]]
    out += [1 if phase == "act" and match["card_played"] else 0]
    out += [(1 if match["laid"]["host"] else 0) + (2 if match["laid"]["join"] else 0)]
    out += [match["green"].count(rank) for rank in range(1, 11)]
    for seat in ("host", "join"):
        out += [1 if match["stands"][seat] else 0]
        out += [len(match["table"][seat])]
        for card, value in match["table"][seat]:
            out += [0 if card == "green" else NUMBER[card]]
            out += [value if value >= 0 else 256 + value]
        out += [len(match["hand"][seat])]
        for at in match["hand"][seat]:
            out += [at, NUMBER[match["decks"][seat][at]] if at in match["used"][seat] else 0]
    if match["result"] is None:
        out += [0, 255]
    else:
        out += [TERMINATION.index(match["result"][0]), SEAT[match["result"][1]]]
    return out


def u16(number: int) -> list[int]:
    return [number // 256, number % 256]
